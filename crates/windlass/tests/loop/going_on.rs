//! Going on: what is offered, what `resume` takes, and what it is told to say.

use rustix::process::Signal;
use windlass_core::fact::{Entry, Fact};
use windlass_engine::store::journal;
use windlass_testkit::Running;
use windlass_testkit::environment::{PersonsTerminal as Terminal, wait_until};

use super::night::{Night, PATIENCE, every_call};

const WORK: &str = "{ bash = 'echo x >> work' }";
const WAIT: &str = "{ write = { path = 'begun', text = 'x' } }, { bash = 'test -e go || sleep 60' }";

/// A run that somebody ended by hand in its first iteration.
fn interrupted() -> Night {
    let night = Night::with_git(&every_call(WAIT));
    let running = night.start(&["-m", "1"]);
    night.wait_for_file("begun");
    running.signal(Signal::INT);
    running.wait(PATIENCE).expect_code(130, "without a terminal the first one ends the agent");
    night.env.write("go", "");
    night
}

#[test]
fn a_repeated_run_offers_to_go_on_at_a_terminal() {
    let night = interrupted();
    let refused = night.run(&["-m", "1"]);
    refused.expect_code(2, "no terminal");
    assert!(refused.stderr_text().contains("Go on with it: windlass resume r-"), "{}", refused.stderr_text());
    let mut terminal = Terminal::start(&mut night.run_command(&["-m", "1"]));
    terminal.wait_for("Go on with it?");
    terminal.press("n\n");
    assert_eq!(terminal.wait(), 2, "{}", terminal.text());
    let mut terminal = Terminal::start(&mut night.run_command(&["-m", "1"]));
    terminal.wait_for("Go on with it?");
    terminal.press("y\n");
    assert_eq!(terminal.wait(), 10, "{}", terminal.text());
    assert_eq!(night.folders().len(), 1, "the same run");
}

#[test]
fn continue_offers_the_same() {
    let night = interrupted();
    let mut terminal = Terminal::start(&mut night.windlass(&["continue"]));
    terminal.wait_for("Go on with r-");
    terminal.press("y\n");
    assert_eq!(terminal.wait(), 10, "{}", terminal.text());
}

// attack(endings): a run that ended before its first iteration, then the same command again
// holds: it stands in nobody's way
#[test]
fn a_run_that_called_nobody_is_not_asked_about() {
    let night = Night::with_git(&every_call(WORK));
    night.env.write("gate", "");
    let running = night.start(&["-m", "1", "--gate", "touch begun; test ! -e gate || sleep 60"]);
    night.wait_for_file("begun");
    running.signal(Signal::INT);
    running.wait(PATIENCE).expect_code(130, "in the baseline");
    std::fs::remove_file(night.env.project().join("gate")).unwrap();
    night.run(&["-m", "1"]).expect_code(10, "another one");
}

// attack(endings): a run that waits for a usage limit since its first call is killed, beside an older run that failed
// holds: it is the newest, however little it has cost
#[test]
fn a_run_whose_only_call_cost_nothing_is_the_newest_that_can_go_on() {
    let night = Night::with_git(&every_call(
        "{ result = { text = 'no', is_error = true, subtype = 'error_during_execution', cost = 0.1 } }",
    ));
    let failed = night.run(&["--max-failures", "1"]);
    failed.expect_code(20, "an older one that failed");
    let old = night.folder();
    night.env.write(&night.script, every_call("{ usage_limit = { resets_in = '8h' } }"));
    let waiting = Running::start(&mut night.command_for("Another one", &["--max-wait", "9h"]));
    let new = || night.folders().into_iter().find(|folder| *folder != old);
    let has = |wanted: fn(&Fact) -> bool| {
        let journal = new().and_then(|folder| journal::read(&folder.join("journal.jsonl")).ok());
        journal.is_some_and(|entries| entries.iter().any(|entry| wanted(&entry.fact)))
    };
    let waits = |fact: &Fact| matches!(fact, Fact::BackoffStarted { .. });
    assert!(wait_until(PATIENCE, || has(waits)), "the limit was not met");
    waiting.signal(Signal::KILL);
    let _ = waiting.wait(PATIENCE);
    let again = night.env.run(&mut night.command_for("Another one", &[]), PATIENCE);
    again.expect_code(2, "it is not begun anew by accident");
    let resumed = Running::start(&mut night.windlass(&["resume"]));
    assert!(
        wait_until(PATIENCE, || has(|fact| matches!(fact, Fact::RunResumed { .. }))),
        "the older one went on"
    );
    resumed.signal(Signal::TERM);
    let _ = resumed.wait(PATIENCE);
}

#[test]
fn a_person_who_knows_that_a_limit_is_gone_has_it_tried_at_once() {
    let night = Night::with_git(&every_call("{ usage_limit = { resets_in = '5h' } }"));
    let waits = || {
        let found = night.folders().pop().map(|folder| journal::read(&folder.join("journal.jsonl")));
        let is_wait = |entry: &&Entry| matches!(entry.fact, Fact::BackoffStarted { .. });
        found.map_or(0, |entries| entries.iter().flatten().filter(is_wait).count())
    };
    let waiting = night.start(&["-m", "1"]);
    assert!(wait_until(PATIENCE, || waits() == 1), "the limit was not met");
    waiting.signal(Signal::INT);
    let ended = waiting.wait(PATIENCE);
    ended.expect_code(130, "interrupted");
    assert!(ended.stdout_text().contains("--try-now"), "{}", ended.stdout_text());
    let refused = Running::start(&mut night.windlass(&["resume", "--try-now"]));
    assert!(wait_until(PATIENCE, || waits() == 2), "refused again");
    refused.signal(Signal::INT);
    refused.wait(PATIENCE).expect_code(130, "interrupted");
    night.env.write(&night.script, every_call(WORK));
    let tried = night.resume(&["--try-now"]);
    tried.expect_code(10, "one iteration");
    assert!(tried.stderr_text().contains("what was waited for is tried at once"), "{}", tried.stderr_text());
}

#[test]
fn what_is_no_workspace_may_be_a_goal() {
    let night = Night::with_git("");
    for (text, quoted) in [
        ("Fix the tests", "'Fix the tests'"),
        ("fix", "fix"),
        ("Don't stop", r"'Don'\''t stop'"),
        ("a\nb", r"$'a\nb'"),
    ] {
        let outcome = night.env.run(&mut night.windlass(&["run", text]), PATIENCE);
        outcome.expect_code(2, text);
        let said = outcome.stderr_text();
        assert!(said.contains(&format!("windlass run -p {quoted}")), "{said}");
    }
}

#[test]
fn resume_takes_a_model_and_a_pause() {
    let night = Night::with_git(&every_call(WORK));
    let mut command = night.windlass(&["run", "--prompt", "Make it work", "-m", "1", "--delay", "1h"]);
    command.arg(format!("--mock={}", night.script.display()));
    night.env.run(&mut command, PATIENCE).expect_code(10, "run");
    night.resume(&["--help"]).expect_success("help");
    let run = night.folder();
    let run = run.file_name().unwrap().to_str().unwrap();
    night.resume(&[run, "-m", "3", "--model", "opus", "--no-delay"]).expect_code(10, "resume");
    let facts = night.facts();
    let plan = facts.iter().find_map(|fact| match fact {
        Fact::RunResumed { plan } => Some(plan),
        _ => None,
    });
    let plan = plan.unwrap();
    assert_eq!((plan.agent.model.as_deref(), plan.clocks.delay.as_secs()), (Some("opus"), 0));
}

#[test]
fn the_wait_that_is_named_suffices() {
    let limit = "{ usage_limit = { resets_in = '20h', window = 'seven_day' } }";
    let night = Night::with_git(&every_call(limit));
    let outcome = night.run(&[]);
    outcome.expect_code(22, "limit_wait_exceeded");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("--max-wait 21h"), "{said}");
}

#[test]
fn where_nobody_knows_when_a_limit_resets_a_wait_is_named_that_asks_again() {
    let night = Night::with_git(&every_call("{ usage_limit = { } }"));
    let outcome = night.run(&["--max-wait", "30s"]);
    outcome.expect_code(22, "limit_wait_exceeded");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains(" --max-wait 6h"), "{said}");
    assert!(said.contains("when the usage limit resets is not known"), "{said}");
    assert!(said.contains("would have to be waited for longer"), "{said}");
    let resumed = Running::start(&mut night.windlass(&["resume", "--max-wait", "6h"]));
    let waits = || night.facts().iter().any(|fact| matches!(fact, Fact::BackoffStarted { .. }));
    assert!(wait_until(PATIENCE, waits), "it does not end, and asks again");
    resumed.signal(Signal::INT);
    resumed.wait(PATIENCE).expect_code(130, "interrupted");
}

// attack(endings): the whole working directory is deleted, `.git` included, and made again empty
// holds: its runs are found by its path; restore brings the files and the repository back, and resume goes on
#[test]
fn a_directory_that_was_deleted_is_found_again_by_its_path() {
    let night = Night::with_git(&every_call(WORK));
    night.env.write("file", "x\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "First"]);
    night.run(&["-m", "2"]).expect_code(10, "run");
    let run = night.folder();
    let run = run.file_name().unwrap().to_str().unwrap();
    std::fs::remove_dir_all(night.env.project()).unwrap();
    std::fs::create_dir(night.env.project()).unwrap();
    for verb in [&["status"][..], &["logs"], &["runs"]] {
        let outcome = night.env.run(&mut night.windlass(verb), PATIENCE);
        outcome.expect_success(verb[0]);
        assert!(
            outcome.stdout_text().contains(if verb[0] == "logs" { "Make it work" } else { run }),
            "{outcome:?}"
        );
    }
    let restore = ["restore", run, "2", "--repository"];
    night.env.run(&mut night.windlass(&restore), PATIENCE).expect_success("restore");
    assert_eq!(night.env.read("work"), "x\nx\n");
    assert_eq!(night.env.git(&["log", "--format=%s"]), "First\nBegin");
    night.resume(&[run, "-m", "3", "--no-delay"]).expect_code(10, "resume");
}

// attack(trust): a repository gets a hook while its run is interrupted, and the same command is repeated at a terminal
// holds: the offer to go on asks for the hook as well, unless `--trust` names it: that goes on to the run
#[test]
fn the_offer_to_go_on_passes_on_what_is_trusted() {
    let night = interrupted();
    night.env.write(".windlass/config.toml", "[hooks]\nstarted = \"touch ../hooked\"\n");
    let windlass = || night.env.command(env!("CARGO_BIN_EXE_windlass"));
    let listed = night.env.run(windlass().args(["trust", "--json"]), PATIENCE);
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let trust = format!("--trust={}", listed["hash"].as_str().unwrap());
    let mut command = windlass();
    command.args(["run", "--no-delay", "--prompt", "Make it work", "-m", "1", &trust]);
    command.arg(format!("--mock={}", night.script.display()));
    let mut terminal = Terminal::start(&mut command);
    terminal.wait_for("Go on with it?");
    terminal.press("y\n");
    assert_eq!(terminal.wait(), 10, "{}", terminal.text());
    assert!(!terminal.text().contains("Trust it?"), "{}", terminal.text());
    assert_eq!(night.folders().len(), 1, "the same run");
}

// attack(money): a run is cut off, a later one of the same job completes it, and a person types `windlass resume`
// holds: the older one is passed over, which is said, and nothing is paid for again; by its name it goes on
#[test]
fn a_run_whose_job_a_later_one_completed_is_passed_over() {
    let night = interrupted();
    let old = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    let claims = r#"{ result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE" } }"#;
    night.env.write(&night.script, every_call(&format!("{WORK}, {claims}")));
    let flags = ["--fresh", "--completion-threshold", "1", "--gate", "true"];
    night.run(&flags).expect_code(0, "a later one completes it");
    let called = night.env.read("work").lines().count();
    let outcome = night.resume(&[]);
    outcome.expect_code(2, "there is nothing to go on with");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains(&format!("run {old} is passed over")), "{said}");
    assert!(said.contains("there is no unfinished run here"), "{said}");
    assert!(said.contains(&format!("`windlass resume {old}` goes on with it all the same")), "{said}");
    assert_eq!(night.env.read("work").lines().count(), called);
    night.resume(&[&old, "--no-delay"]).expect_code(10, "whoever names it means it");
}
