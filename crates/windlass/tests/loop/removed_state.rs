//! What Windlass keeps of a run is removed while the run goes on, and git stays locked: one sentence, and an end.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Outcome, Running};

use super::lost_state::is_git_there;
use super::night::{CLEARED, Night, PATIENCE, calls};
use super::tasks::{HONEST, SIX, command, night, subjects};

/// What a person waits for at most: half a second until it is seen, five for an agent that does not end when asked.
const SOON: Duration = Duration::from_secs(30);

fn said(outcome: &Outcome) -> String {
    let all = outcome.stdout_text() + &outcome.stderr_text();
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The run ended soon, as one that a person has to see to, said so once, and nothing of it lives.
fn expect_told(night: &Night, outcome: &Outcome, began: Instant, when: &str) {
    outcome.expect_code(24, when);
    let said = said(outcome);
    let ending = outcome.stdout_text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        ending.matches("somebody removed or changed this run's record while it ran").count(),
        1,
        "{when}: {said}"
    );
    assert!(said.contains("cannot be resumed") && said.contains("begin a new one"), "{when}: {said}");
    assert!(!said.contains("windlass resume") && !said.contains("windlass restore"), "{when}: {said}");
    assert!(!said.contains("internal") && !said.contains("defect"), "{when}: {said}");
    assert!(began.elapsed() < SOON, "{when}: {:?}", began.elapsed());
    night.env.assert_no_processes(CLEARED);
}

fn remove(folder: &Path) {
    // Somebody writes there meanwhile.
    while folder.exists() {
        let _ = fs::remove_dir_all(folder);
    }
}

// attack(endings): the state folder, or only the run's own part of it, or its journal, is removed or moved away, emptied or added to while an agent works
// holds: the agent is ended and then the run, with code 24 and one sentence: the work is still there, the run cannot be
//   resumed; a new one begins there
#[test]
fn a_state_folder_that_is_removed_while_an_agent_works_ends_the_run() {
    for what in ["all", "the run", "moved", "the journal", "emptied", "added to"] {
        let night = Night::with_git(&calls(&["{ bash = 'echo x >> work; touch ../begun' }, 'hang'"]));
        let running = night.start(&["-m", "3"]);
        night.wait_for_file("../begun");
        let began = Instant::now();
        match what {
            "all" => remove(&night.env.state()),
            "the run" => remove(&night.folder()),
            "the journal" => fs::remove_file(night.folder().join("journal.jsonl")).unwrap(),
            "emptied" => fs::write(night.folder().join("journal.jsonl"), "").unwrap(),
            "added to" => {
                let journal = night.folder().join("journal.jsonl");
                let all = fs::read(&journal).unwrap();
                fs::OpenOptions::new().append(true).open(&journal).unwrap().write_all(&all).unwrap();
            }
            _ => fs::rename(night.env.state(), night.env.root().join("elsewhere")).unwrap(),
        }
        expect_told(&night, &running.wait(PATIENCE), began, what);
        assert_eq!(night.env.read("work"), "x\n", "{what}");
        let again = Night::within(night.env, &calls(&["{ bash = 'echo y >> work' }"]));
        again.run(&["-m", "1", "--allow-dirty"]).expect_code(10, what);
    }
}

// attack(endings): an agent removes the state folder itself, and goes on as if nothing had happened
// holds: the run ends with code 24 and one sentence, and a notification and the last line of --json say so, too
#[test]
fn an_agent_that_removes_the_state_folder_ends_its_run() {
    let night = Night::with_git(&calls(&["{ bash = 'echo x >> work' }"]));
    let state = night.env.state().display().to_string();
    let removes = format!("{{ bash = 'echo x >> work; rm -rf \"{state}\"' }}");
    fs::write(&night.script, calls(&[&removes])).unwrap();
    let began = Instant::now();
    let outcome = night.run(&["-m", "3", "--commit", "runner"]);
    expect_told(&night, &outcome, began, "by the agent");
    fs::write(&night.script, calls(&[&removes])).unwrap();
    let outcome = night.run(&["-m", "3", "--json", "--allow-dirty"]);
    outcome.expect_code(24, "json");
    let lines = outcome.json_lines();
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["type"], &last["stop_reason"]),
        (&"run_finished".into(), &"needs_human".into()),
        "{last}"
    );
    assert_eq!(last["exit_code"], 24, "{last}");
}

// attack(endings): the state folder is removed while the run waits for a usage limit
// holds: it does not wait any longer: code 24, and one sentence
#[test]
fn a_state_folder_that_is_removed_while_the_run_waits_ends_it() {
    let night = Night::with_git(&calls(&["{ usage_limit = { resets_in = '2h' } }"]));
    let running = night.start(&["-m", "3"]);
    night.wait_for_fact("a wait", |fact| matches!(fact, Fact::BackoffStarted { .. }));
    let began = Instant::now();
    remove(&night.env.state());
    expect_told(&night, &running.wait(PATIENCE), began, "in a wait");
}

// attack(endings): the state folder is removed while two lanes are at work, and their checkouts with it
// holds: all agents are ended and then the run, with code 24 and one sentence; no task is blamed
#[test]
fn a_state_folder_that_is_removed_under_lanes_ends_the_run() {
    let begins = "steps = [\n  { bash = \"touch $WINDLASS_STATE_DIR/../begun-$WINDLASS_LANE\" }, 'hang',\n";
    let night = night(SIX, &HONEST.replace("steps = [\n", begins));
    let root = night.env.root().display().to_string();
    let script = fs::read_to_string(&night.script).unwrap().replace("$WINDLASS_STATE_DIR/..", &root);
    fs::write(&night.script, script).unwrap();
    let running = Running::start(&mut command(&night, &["-j", "2"]));
    night.wait_for_file("../begun-1");
    night.wait_for_file("../begun-2");
    let began = Instant::now();
    remove(&night.env.state());
    expect_told(&night, &running.wait(PATIENCE), began, "with lanes");
}

/// A git of somebody's that is at work in the repository.
fn holds(night: &Night) -> Running {
    let reads = format!("touch ../reads; exec git -C '{}' cat-file --batch", night.env.project().display());
    let mut git = night.env.command("sh");
    git.args(["-c", &format!("(sleep 120) | ({reads})")]);
    let git = Running::start(&mut git);
    night.wait_for_file("../reads");
    assert!(wait_until(PATIENCE, || is_git_there(night.env.project())));
    git
}

// attack(endings): somebody's git holds the branch locked while lanes land on it
// holds: the run ends with code 24 and says which lock it is; once it is gone, resume lands what was done
#[test]
fn a_branch_that_stays_locked_under_lanes_ends_the_run_and_is_taken_up_again() {
    let night = night(SIX, HONEST);
    let lock = night.env.project().join(".git/refs/heads/main.lock");
    let touches = format!("steps = [\n  {{ bash = \"touch {}\" }},\n", lock.display());
    fs::write(&night.script, HONEST.replace("steps = [\n", &touches)).unwrap();
    let git = holds(&night);
    let outcome = night.env.run(&mut command(&night, &["-j", "2"]), PATIENCE);
    git.signal_group(Signal::KILL);
    let _ended = git.wait(PATIENCE);
    outcome.expect_code(24, "locked");
    assert!(said(&outcome).contains("main.lock"), "{outcome:?}");
    fs::remove_file(&lock).unwrap();
    fs::write(&night.script, HONEST).unwrap();
    night.resume(&[]).expect_code(0, "resume");
    assert_eq!(subjects(&night).len(), 6);
}

// attack(endings): SIGTERM or Ctrl-C while the runner waits for a repository that is locked
// holds: the run ends all the same
#[test]
fn a_run_that_waits_for_a_lock_ends_when_it_is_told_to() {
    for signal in [Signal::TERM, Signal::INT] {
        let lock = "{ bash = 'echo x >> work; touch .git/refs/heads/main.lock' }";
        let night = Night::with_git(&calls(&[lock]));
        let git = holds(&night);
        let running = night.start(&["-m", "1", "--commit", "runner"]);
        night.wait_for_file(".git/refs/heads/main.lock");
        running.signal(signal);
        running.signal(signal);
        let outcome = running.wait(PATIENCE);
        git.signal_group(Signal::KILL);
        let _ended = git.wait(PATIENCE);
        assert!(outcome.code.is_some(), "{signal:?}: {outcome:?}");
        night.env.assert_no_processes(CLEARED);
    }
}

// attack(endings): a git of the runner's hangs and ignores SIGTERM when the run is told to end, once
// holds: the run ends all the same, its git with it; a resumed run takes up what was left
#[test]
fn a_run_whose_git_hangs_ends_when_it_is_told_to() {
    let night = Night::with_git(&calls(&[
        "{ bash = 'echo x >> work; touch ../hang; touch ../begun' }",
        "{ say = 'x' }",
    ]));
    let hangs = "#!/bin/sh\nif test -e \"$ROOT/hang\"; then trap '' TERM; touch \"$ROOT/hangs\"; \
                 while :; do sleep 0.1; done; fi\nexec \"$GIT\" \"$@\"\n";
    let path = std::env::var("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.exists()).unwrap();
    let hangs = hangs.replace("$ROOT", &night.env.root().display().to_string());
    let wrapper =
        night.env.write(night.env.root().join("bin/git"), hangs.replace("$GIT", &git.display().to_string()));
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{path}", wrapper.parent().unwrap().display());
    let running = Running::start(night.run_command(&["-m", "1", "--commit", "runner"]).env("PATH", path));
    night.wait_for_file("../hangs");
    let began = Instant::now();
    running.signal(Signal::TERM);
    running.wait(PATIENCE).expect_code(143, "SIGTERM");
    assert!(began.elapsed() < Duration::from_secs(45), "{:?}", began.elapsed());
    night.env.assert_no_processes(CLEARED);
    fs::remove_file(night.env.root().join("hang")).unwrap();
    night.resume(&[]).expect_code(10, "resume");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
}
