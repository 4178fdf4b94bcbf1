//! How a run of tasks begins, or is refused before anything is paid for.

use std::os::unix::fs::symlink;

use windlass_core::values::StopReason;
use windlass_testkit::TestEnv;

use super::night::Night;
use super::tasks::{HONEST, night, requirements, run, subjects};

/// A repository whose last commit has no task file.
fn without_tasks() -> Night {
    let env = TestEnv::with_git();
    env.write("README", "Something.\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "First"]);
    Night::within(env, HONEST)
}

fn refused(night: &Night, flags: &[&str], says: &str) {
    let outcome = run(night, flags);
    outcome.expect_code(2, says);
    assert!(outcome.stderr_text().contains(says), "{flags:?}: {}", outcome.stderr_text());
}

// Lanes have what is committed: an agent could do such a task there and never say so.
#[test]
fn with_lanes_tasks_are_committed_as_they_are_before_anything_begins() {
    for stage in [&["status"][..], &["add", "--all"]] {
        let night = without_tasks();
        night.env.write("requirements.md", requirements(&[(1, &[]), (2, &[])]));
        night.env.git(stage);
        let outcome = run(&night, &["-j", "2"]);
        outcome.expect_code(0, "two tasks");
        let said = outcome.stderr_text() + &outcome.stdout_text();
        assert!(said.contains("lanes begin with what is committed"), "{said}");
        assert!(night.env.git(&["log", "--format=%s"]).contains("Prepare the run"));
        assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    }
    let night = without_tasks();
    night.env.write("requirements.md", requirements(&[(1, &[])]));
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Tasks"]);

    // How far tasks are may differ: a run that was cut off leaves it so.
    let begun = requirements(&[(1, &[]), (2, &[]), (3, &[])]).replacen("pending", "in-progress", 1);
    night.env.write("requirements.md", begun);
    run(&night, &["-j", "2"]).expect_code(0, "three tasks");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
}

#[test]
fn with_lanes_a_task_file_that_is_ignored_a_link_or_elsewhere_is_refused() {
    let night = without_tasks();
    night.env.write("requirements.md", requirements(&[(1, &[])]));
    night.env.write(".git/info/exclude", "requirements.md\n");
    refused(&night, &["-j", "2"], "git ignores requirements.md");
    std::fs::remove_file(night.env.project().join("requirements.md")).unwrap();

    night.env.write("documents/all.md", requirements(&[(1, &[])]));
    symlink("documents/all.md", night.env.project().join("tasks.md")).unwrap();
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Tasks"]);
    refused(&night, &["-j", "2"], "tasks.md is a link");
    run(&night, &["-j", "2", "-f", "documents/all.md"]).expect_code(0, "the file itself");
    assert!(night.env.project().join("tasks.md").is_symlink());
}

#[test]
fn with_lanes_there_has_to_be_a_commit() {
    let env = TestEnv::with_git();
    env.git(&["checkout", "--quiet", "--orphan", "new"]);
    env.git(&["rm", "-r", "--quiet", "--force", "--ignore-unmatch", "."]);
    env.write("requirements.md", requirements(&[(1, &[])]));
    let night = Night::within(env, HONEST);
    refused(&night, &["-j", "2"], "there is none yet");
}

// What was not committed before a run goes on counts as well.
#[test]
fn tasks_that_were_added_meanwhile_are_committed_before_lanes_go_on() {
    let night = night(&[(1, &[]), (2, &[])], HONEST);
    run(&night, &["-j", "2", "--max-iterations", "1"]).expect_code(10, "one iteration");
    let more = night.env.read("requirements.md") + "\n### TASK-003: Thing 3\n- **Status**: pending\n";
    night.env.write("requirements.md", more);
    let folder = night.folder();
    let run_id = folder.file_name().unwrap().to_str().unwrap();
    night.resume(&[run_id, "--max-iterations", "4"]).expect_code(0, "three tasks");
    assert!(night.env.git(&["log", "--format=%s"]).contains("Prepare the run"));
    assert_eq!(night.env.read("requirements.md").matches("Status**: done").count(), 3);
}

// Nothing can be committed then: each iteration would be paid for and refused.
#[test]
fn with_a_rebase_under_way_nothing_begins() {
    let night = night(&[(1, &[])], HONEST);
    night.env.write("README", "Something.\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Something"]);
    night.env.git(&[
        "-c",
        "sequence.editor=sed -i s/pick/edit/",
        "rebase",
        "--quiet",
        "--interactive",
        "HEAD~1",
    ]);
    for flags in [&["--allow-dirty"][..], &["-j", "2"]] {
        refused(&night, flags, "a rebase is under way");
    }
    assert!(subjects(&night).is_empty());
    night.env.git(&["rebase", "--continue"]);
    run(&night, &[]).expect_code(0, "afterwards");
}

// What is wrong becomes no default in silence: it is held until a person has mended it.
#[test]
fn what_is_wrong_with_the_tasks_is_said_when_their_run_begins() {
    let night = night(&[(1, &[])], HONEST);
    let wrong = night.env.read("requirements.md")
        + "\n### TASK-001: Again\n- **Status**: pending\n\n### TASK-002: Thing 2\n- **Status**: peding\n";
    night.env.write("requirements.md", wrong);
    night.env.git(&["commit", "--quiet", "--all", "--message", "Wrong"]);
    let outcome = run(&night, &["--exit-codes", "detailed"]);
    outcome.expect_code(17, "run");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("has the id TASK-001 of line"), "{said}");
    assert!(said.contains("(and 1 problem more): windlass tasks validate"), "{said}");
    assert!(said.contains("TASK-001 is open and cannot be worked on, since 2 tasks have its id"), "{said}");
    assert!(
        said.contains("TASK-002 is open and cannot be worked on, since its status `peding` is none"),
        "{said}"
    );
    assert!(said.contains("at most     4 iterations"), "{said}");
}

#[test]
fn a_dry_run_shows_the_first_task_and_touches_nothing() {
    let night = night(&[(1, &[2]), (2, &[])], HONEST);
    for lanes in ["1", "3"] {
        let outcome = run(&night, &["--dry-run", "-j", lanes]);
        outcome.expect_code(0, "a dry run");
        let said = outcome.stdout_text();
        assert!(said.contains("tasks      requirements.md: 2 open, at most 4 iterations"), "{said}");
        assert!(said.contains("The task: **TASK-002: Thing 2**"), "{said}");
        assert!(said.contains("tasks: `requirements.md`"), "{said}");
    }
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    assert!(night.folders().is_empty());
}

// To go on with the former run would leave what is parked as it is.
#[test]
fn a_new_run_tries_parked_tasks_again() {
    const FAILS: &str = r#"
[[call]]
steps = [ { result = { text = "It cannot be done.", is_error = true } } ]
"#;
    let night = night(&[(1, &[]), (2, &[1])], FAILS);
    let outcome = run(&night, &["--exit-codes", "detailed"]);
    assert!(matches!(outcome.code, Some(17 | 20)), "{:?}", outcome.code);
    assert_eq!(night.ended(), StopReason::Blocked);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("a new run: what this one has parked is open in it again"), "{said}");
    night.env.write(night.script.clone(), HONEST);
    night.resume(&["--exit-codes", "detailed"]).expect_code(17, "what is parked stays so");
    run(&night, &["--exit-codes", "detailed"]).expect_code(0, "a new run");
    assert_eq!(night.env.read("requirements.md").matches("Status**: done").count(), 2);
}

// attack(endings): an old list whose tasks are all done lies beside an open one, and nobody says which is meant
// holds: there is nothing to do, and the open list is named with the command that works on it; typed, it does
#[test]
fn an_open_list_beside_one_that_is_done_is_named() {
    let night = without_tasks();
    night.env.write("requirements.md", requirements(&[(1, &[])]).replace("pending", "done"));
    night.env.write("tasks.md", requirements(&[(1, &[]), (2, &[])]));
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Two lists"]);
    let outcome = run(&night, &[]);
    outcome.expect_code(0, "nothing is open");
    assert_eq!(night.ended(), StopReason::NothingToDo);
    let said = outcome.stderr_text() + &outcome.stdout_text();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("tasks.md has 2 open: windlass run --mode tasks -f tasks.md"), "{said}");
    let named = run(&night, &["-f", "tasks.md"]);
    named.expect_code(0, "two tasks");
    assert!(!named.stderr_text().contains("is open, and"), "{}", named.stderr_text());
}

// attack(endings): every task is done in the file, and the gate fails; what is printed is typed, then what the gate asks for is done
// holds: the run says which check fails and what to do, and names no command that ends the same way for ever
#[test]
fn a_gate_that_fails_with_every_task_done_is_named_with_what_to_do() {
    let night = without_tasks();
    night.env.write("requirements.md", requirements(&[(1, &[])]).replace("pending", "done"));
    let outcome = run(&night, &["--gate", "test -f there", "--exit-codes", "detailed"]);
    outcome.expect_code(17, "a red gate");
    let said = outcome.stdout_text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("a check fails before anything is done: `test -f there`"), "{said}");
    assert!(said.contains("back to `pending`") && !said.contains("windlass resume"), "{said}");
    let anew = "windlass run --mode tasks -f requirements.md --gate 'test -f there'";
    assert!(said.contains(anew), "{said}");
    night.env.write("requirements.md", requirements(&[(1, &[])]));
    let named = run(&night, &["-f", "requirements.md", "--gate", "test -d work"]);
    named.expect_code(0, "reopened");
}
