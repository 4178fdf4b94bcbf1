//! What an agent does where a repository, or the state folder, is not as usual: the way to a git directory that lies elsewhere,
//! lists that git does not read, other runs of the same repository, permissions that are taken.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_core::damage::DamageKind;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_testkit::{Outcome, Running};

use super::night::{CLEARED, Night, PATIENCE, calls, every_call, expect_end};

fn said(outcome: &Outcome) -> String {
    (outcome.stdout_text() + &outcome.stderr_text()).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn damage(night: &Night) -> Vec<(DamageKind, String)> {
    let found = |fact: Fact| match fact {
        Fact::Damaged(report::Damaged { found, .. }) => found,
        _ => Vec::new(),
    };
    night.facts().into_iter().flat_map(found).map(|damage| (damage.kind, damage.sentence)).collect()
}

fn undo(night: &Night) -> Outcome {
    let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    night.env.run(&mut night.windlass(&["restore", &run, "1", "--before", "--repository"]), PATIENCE)
}

// attack(endings): the git directory lies elsewhere, and an agent removes the file, or the link, that says where
// holds: it is put back before git is called, and the work is committed
#[test]
fn the_way_to_a_git_directory_that_lies_elsewhere_is_put_back() {
    for is_link in [false, true] {
        let night = Night::with_git(&every_call("{ bash = 'rm -rf .git; echo w > w' }"));
        let (entrance, elsewhere) = (night.env.project().join(".git"), night.env.root().join("git"));
        fs::rename(&entrance, &elsewhere).unwrap();
        if is_link {
            symlink(&elsewhere, &entrance).unwrap();
        } else {
            fs::write(&entrance, format!("gitdir: {}\n", elsewhere.display())).unwrap();
        }
        let outcome = night.run(&["-m", "1", "--commit", "runner"]);
        expect_end(&outcome, 10, "max_iterations");
        assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "w");
        assert!(said(&outcome).contains("were put back before git was called"), "{}", said(&outcome));
        // Afterwards one command does it as well.
        fs::remove_file(&entrance).unwrap();
        undo(&night).expect_code(0, "restore");
        assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    }
}

// attack(endings): an agent breaks `packed-refs`, or the list of a pack
// holds: it is damage like any other, with and without commits, and one command mends it
#[test]
fn lists_that_git_does_not_read_are_damage() {
    for policy in ["runner", "none"] {
        let night = Night::with_git(&every_call("{ bash = 'echo garbage > .git/packed-refs; echo a > a' }"));
        night.env.git(&["pack-refs", "--all"]);
        expect_end(&night.run(&["-m", "1", "--commit", policy]), 29, "destructive_change");
        assert_eq!(damage(&night)[0].0, DamageKind::RepositoryUnusable);
        undo(&night).expect_code(0, "restore");
        assert_eq!(night.env.git(&["log", "--format=%s"]).lines().count(), 1);
    }
    let spoil = "for p in .git/objects/pack/*.idx; do chmod +w $p; echo junk > $p; done; echo a > a";
    let night = Night::with_git(&every_call(&format!("{{ bash = '{spoil}' }}")));
    night.env.git(&["gc", "--quiet"]);
    let outcome = night.run(&["-m", "1", "--commit", "runner"]);
    expect_end(&outcome, 29, "destructive_change");
    assert!(said(&outcome).contains("1 --before --repository` puts back"), "{}", said(&outcome));
    undo(&night).expect_code(0, "restore");
    night.env.git(&["fsck", "--strict"]);
}

// attack(endings): an agent writes `shallow`, or has git read another commit in the place of one
// holds: both are named as what steers git, and undone
#[test]
fn history_that_is_cut_off_or_replaced_is_named_and_undone() {
    for command in ["git rev-parse HEAD > .git/shallow", "git replace HEAD HEAD~1"] {
        for policy in ["ask", "auto"] {
            let script = calls(&[&format!("{{ bash = '{command}; echo a > a' }}")]);
            let night = Night::with_git(&script).set("WINDLASS_SAFETY__UNDO", policy);
            night.env.git(&["commit", "--quiet", "--allow-empty", "--message", "second"]);
            night.run(&["-m", "1"]).expect_code(10, command);
            assert_eq!(damage(&night)[0].0, DamageKind::SettingsChanged, "{command}");
            if policy == "ask" {
                undo(&night).expect_code(0, "restore");
            }
            assert_eq!(night.env.git(&["log", "--format=%s"]).lines().count(), 2, "{command} {policy}");
            assert!(!night.env.project().join(".git/shallow").exists());
            assert_eq!(night.env.git(&["replace"]), "");
        }
    }
}

// attack(endings): two runs work in two checkouts of one repository, and the agent of one checks out another branch
// holds: nothing is undone by itself, since that would move the other one's branch back; the run ends
#[test]
fn nothing_is_undone_by_itself_beside_another_run() {
    let wait =
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }";
    let night = Night::with_git(&every_call(wait));
    night.env.write(".gitignore", "begun\ngo\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "ignored"]);
    night.env.git(&["branch", "keep", "HEAD~1"]);
    let beside = night.env.root().join("beside");
    night.env.git(&["worktree", "add", "--quiet", "-b", "side", beside.to_str().unwrap()]);
    let running = night.start(&["-m", "1"]);
    night.wait_for_file("begun");
    let switch = night.env.write(
        night.env.root().join("switch.toml"),
        every_call("{ bash = 'git commit -q --allow-empty -m theirs; git checkout -q keep' }"),
    );
    let mut command = night.windlass(&["run", "--no-delay", "--prompt", "x", "-m", "1"]);
    command.arg(format!("--mock={}", switch.display())).env("WINDLASS_SAFETY__UNDO", "auto");
    let outcome = night.env.run(command.current_dir(&beside), PATIENCE);
    expect_end(&outcome, 29, "destructive_change");
    assert!(said(&outcome).contains("nothing is undone by itself: run r-"), "{}", said(&outcome));
    assert_eq!(night.env.git(&["log", "-1", "--format=%s", "side"]).trim(), "theirs");
    night.env.write("go", "");
    running.wait(PATIENCE);
}

// attack(endings): WINDLASS_STATE_DIR names a folder in the repository; or the repository is the home itself
// holds: the first is refused before anything is done, the second is said before each run
#[test]
fn a_state_folder_in_the_repository_is_refused_or_said() {
    let night = Night::with_git(&every_call("{ bash = 'echo a > a' }"));
    let inside = night.env.project().join("state");
    let mut command = night.run_command(&["-m", "1"]);
    let refused = night.env.run(command.env("WINDLASS_STATE_DIR", &inside), PATIENCE);
    refused.expect_code(2, "a state folder inside");
    assert!(said(&refused).contains("WINDLASS_STATE_DIR=/somewhere/else"), "{}", said(&refused));
    assert!(!inside.exists());
    let mut command = night.run_command(&["-m", "1"]);
    command.env_remove("WINDLASS_STATE_DIR").env("XDG_STATE_HOME", night.env.project().join(".local/state"));
    let warned = night.env.run(&mut command, PATIENCE);
    assert!(said(&warned).contains("which lies in the files that are worked on"), "{}", said(&warned));
}

// attack(endings): an agent stops the keeper that watches over it
// holds: the keeper goes on, and the run ends as usual
#[test]
fn a_stopped_keeper_goes_on() {
    let night = Night::with_git(&every_call("{ bash = 'kill -STOP $(ps -o ppid= -p $PPID); echo a > a' }"));
    expect_end(&night.run(&["-m", "2"]), 10, "max_iterations");
    night.env.assert_no_processes(CLEARED);
}

// attack(endings): an agent stops the runner, so that nobody counts its time
// holds: the runner goes on after some seconds, says so, and ends the call at its time
#[test]
fn a_stopped_runner_goes_on() {
    let night = Night::new(&every_call(
        "{ bash = 'kill -STOP $(ps -o ppid= -p $(ps -o ppid= -p $PPID)); echo a > a' }, 'hang'",
    ))
    .set("WINDLASS_CLOCKS__CALL", "3s");
    expect_end(&night.run(&["--max-failures", "1"]), 20, "consecutive_failures");
    let said = "somebody had stopped this process (SIGSTOP); it goes on";
    assert!(night.notices().iter().any(|text| text == said), "{:?}", night.notices());
    night.env.assert_no_processes(CLEARED);
}

// attack(endings): the keeper is stopped, and the runner killed
// holds: the next run wakes it, so that it ends what it watched over, and begins
#[test]
fn a_stopped_keeper_of_a_killed_runner_is_woken() {
    let night = Night::with_git(&every_call(
        "{ bash = 'test -e begun && exit; echo x > begun; K=$(ps -o ppid= -p $PPID); R=$(ps -o ppid= -p $K); kill -STOP $K; kill -KILL $R; sleep 600' }",
    ));
    let running = Running::start(&mut night.run_command(&["-m", "1"]));
    drop(running.wait(PATIENCE));
    night.run(&["-m", "1", "--fresh"]).expect_code(10, "the next run");
    night.env.assert_no_processes(CLEARED);
}

#[test]
fn a_restore_that_could_not_put_back_all_says_so() {
    let night = Night::with_git(&every_call("{ bash = 'rm work; mkdir work; echo x > work/ignored' }"));
    night.env.write("work", "mine");
    night.env.write(".gitignore", "ignored\n");
    night.run(&["-m", "1"]).expect_code(10, "max_iterations");
    let outcome = undo(&night);
    outcome.expect_code(1, "not all of it");
    let said = said(&outcome);
    assert!(said.contains("not all files are as they were before iteration 1"), "{said}");
    assert!(said.contains("1 path could not be put back"), "{said}");
}

// attack(endings): an agent commits a person's uncommitted files with its own, stashes its work, begins another branch; or nothing
//   is checked out but a commit
// holds: each is said
#[test]
fn work_that_is_elsewhere_than_it_seems_is_said() {
    let told = |night: &Night, flags: &[&str]| said(&night.run(&[&["-m", "1"], flags].concat()));
    let night =
        Night::with_git(&every_call("{ bash = 'echo a > a; git add -A; git commit -qm all; echo b > b' }"));
    night.env.write("mine", "x");
    let text = told(&night, &["--commit", "runner", "--allow-dirty"]);
    assert!(text.contains("has been committed meanwhile, and not by the runner: mine"), "{text}");
    let night = Night::with_git(&every_call("{ bash = 'echo a > a; git stash -qu; echo b > b' }"));
    let text = told(&night, &[]);
    assert!(text.contains("the agent put work away in a stash"), "{text}");
    let night = Night::with_git(&every_call("{ bash = 'git branch -m trunk; echo a > a' }"));
    let text = told(&night, &["--commit", "agent"]);
    assert!(text.contains("the agent began a branch: instead of main trunk is checked out"), "{text}");
    let night = Night::with_git(&every_call("{ bash = 'echo a > a' }"));
    night.env.git(&["checkout", "--quiet", "--detach"]);
    let text = told(&night, &["--commit", "runner"]);
    let short: String = night.env.git(&["rev-parse", "HEAD"]).chars().take(9).collect();
    assert!(text.contains("no branch is checked out"), "{text}");
    assert!(text.contains(&format!("is on no branch: `git branch NAME {short}` keeps it")), "{text}");
}
