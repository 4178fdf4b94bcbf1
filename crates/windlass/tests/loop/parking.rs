//! What is left of a task that is parked in the user's own directory, and of attempts that fail.

use std::fmt::Write as _;
use std::process::Command;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{StopReason, TaskEnd};
use windlass_testkit::{Running, TestEnv};

use super::night::{Night, PATIENCE};
use super::tasks::{honest_but, requirements};

/// The second task's agent stages something, leaves something else, and fails.
const LEAVES: &str = r#"
[[call]]
task = "TASK-002"
steps = [
  { append = { path = "work/half", text = "half\n" } },
  { write = { path = "work/staged", text = "staged\n" } },
  { bash = "git add work/staged" },
  { write = { path = "work/loose", text = "loose\n" } },
  { write = { path = ".env", text = "TOKEN=1\n" } },
  { append = { path = "README.md", text = "half\n" } },
  { result = { text = "It cannot be done.", cost = 0.01, is_error = true } },
]
"#;

/// The same, which commits some of it by itself.
fn commits() -> String {
    honest_but(LEAVES).replace(
        "  { write = { path = \"work/staged\"",
        "  { bash = \"git add work/half && git commit --quiet --message 'By the agent'\" },\n  { write = { path = \"work/staged\"",
    )
}

fn night(script: &str) -> Night {
    let env = TestEnv::new();
    env.write("README.md", "A project for a test.\n");
    env.write("requirements.md", requirements(&[(1, &[]), (2, &[]), (3, &[])]));
    Night::within(env.git_initialised(), script).set("WINDLASS_COMMIT__MESSAGE", "devloop")
}

fn command(night: &Night, flags: &[&str]) -> Command {
    let mut command = night.windlass(&["run", "--mode", "tasks", "--no-delay", "--exit-codes", "detailed"]);
    command.arg(format!("--mock={}", night.script.display())).args(flags);
    command
}

fn log(night: &Night, of: &str) -> String {
    night.env.git(&["log", "--reverse", "--format=%s", of])
}

fn branch(night: &Night) -> String {
    format!("windlass/{}/TASK-002", night.folder().file_name().unwrap().to_string_lossy())
}

/// Everything that has to hold once the second task is parked, and the others are done.
fn assert_put_aside(night: &Night) {
    let expected = "Begin\nDevLoop iteration 1: Complete TASK-001 - Thing 1\nDevLoop iteration 4: Complete TASK-003 - Thing 3";
    assert_eq!(log(night, "HEAD"), expected);
    let files = night.env.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(files, "README.md\nprogress.md\nrequirements.md\nwork/TASK-001\nwork/TASK-003");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "", "index and files are the branch's");
    let branch = branch(night);
    let own = format!("main..{branch}");
    assert_eq!(log(night, &own), "Unfinished work on TASK-002");
    let of = |path: &str| night.env.git(&["show", &format!("{branch}:{path}")]);
    assert_eq!(
        (of("work/half"), of("work/staged"), of("work/loose")),
        ("half\nhalf".into(), "staged".into(), "loose".into())
    );
    assert!(of("README.md").ends_with("half\nhalf"), "{}", of("README.md"));
    let parked = night.env.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert!(!parked.contains(".env"), "what looks like a secret is in no commit: {parked}");
    let told = night.facts().into_iter().find_map(|fact| match fact {
        Fact::TaskClosed(report::TaskClosed { end: TaskEnd::Parked { .. }, branch, .. }) => Some(branch),
        _ => None,
    });
    assert_eq!(told, Some(Some(branch)));
    assert!(night.notices().iter().any(|said| said.contains("windlass restore")), "{:?}", night.notices());
}

// rows: 6
#[test]
fn what_a_parked_task_left_goes_to_its_branch_and_nothing_stays() {
    let night = night(&honest_but(LEAVES));
    night.env.run(&mut command(&night, &[]), PATIENCE).expect_code(17, "blocked");
    assert_put_aside(&night);
    let restored = night.env.run(&mut night.windlass(&["restore", &run(&night), "3"]), PATIENCE);
    restored.expect_code(0, "restore");
    assert_eq!(night.env.read(".env"), "TOKEN=1\n");
    assert_eq!(night.env.read("work/loose"), "loose\n");
}

/// The first task's agent does nothing, and ends when it is let go; all others do theirs.
const PATIENT: &str = r#"
[[call]]
task = "TASK-001"
steps = [
  { bash = "until [ -e go ]; do sleep 0.02; done; rm go" },
  { result = { text = "Not yet.", cost = 0.01 } },
]
"#;

// rows: 6
#[test]
fn a_run_leaves_what_a_person_wants_left_and_goes_on_with_the_others() {
    let night = night(&honest_but(PATIENT));
    let verb = |words: &[&str]| {
        let ended = night.env.run(&mut night.windlass(words), PATIENCE);
        (ended.code, ended.stdout_text() + &ended.stderr_text())
    };
    let (code, said) = verb(&["tasks", "park", "TASK-001"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("no run is running here: a task is parked in a run that is at work"), "{said}");
    let running = Running::start(&mut command(&night, &[]));
    night.wait_for_fact("the agent", |fact| matches!(fact, Fact::CallSpawned(_)));
    let (code, said) = verb(&["tasks", "park", "TASK-002", "TASK-009"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("has no task TASK-009"), "{said}");
    let (code, said) = verb(&["tasks", "park", "TASK-002", "TASK-001"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("TASK-002 is parked  run r-"), "{said}");
    assert!(said.contains("TASK-001 is parked after the attempt under way, unless that does it"), "{said}");
    let (_, said) = verb(&["tasks", "park", "TASK-002"]);
    assert!(said.contains("TASK-002 was parked already"), "{said}");
    let (_, said) = verb(&["status"]);
    assert!(said.contains("TASK-002"), "{said}");
    night.env.write("go", "");
    let ended = running.wait(PATIENCE);
    ended.expect_code(17, "blocked");
    let said = ended.stdout_text() + &ended.stderr_text();
    assert!(said.contains(" tasks park: TASK-002 is parked"), "{said}");
    assert_eq!(log(&night, "HEAD"), "Begin\nDevLoop iteration 2: Complete TASK-003 - Thing 3");
    let started = |fact: &Fact| matches!(fact, Fact::IterationStarted { .. });
    assert_eq!(night.facts().iter().filter(|fact| started(fact)).count(), 2, "none for the second task");
    // In their file they are open: a new run does them.
    let whole = Night::within(night.env, &honest_but("")).set("WINDLASS_COMMIT__MESSAGE", "devloop");
    whole.env.run(&mut command(&whole, &[]), PATIENCE).expect_code(0, "a new run");
}

fn run(night: &Night) -> String {
    night.folder().file_name().unwrap().to_string_lossy().into_owned()
}

// A person's commits look as an agent's do.
#[test]
fn where_head_has_moved_nothing_is_touched_and_that_is_said() {
    let by_a_person =
        "test \"$WINDLASS_HOOK_ITERATION\" != 3 || git commit --quiet --allow-empty --message 'By a person'";
    let own = commits();
    for (script, hook, count) in
        [(own.as_str(), "true", 2), (&honest_but(LEAVES), by_a_person, 1), (&own, by_a_person, 3)]
    {
        let night = night(script).set("WINDLASS_HOOKS__NEXT_ITERATION", hook);
        night.env.run(&mut command(&night, &[]), PATIENCE).expect_code(17, "blocked");
        let log = log(&night, "HEAD");
        assert_eq!(log.lines().filter(|line| line.starts_with("By ")).count(), count, "{log}");
        assert_eq!(night.env.read("work/loose"), "loose\n");
        let said = night.notices().join("\n");
        assert!(said.contains("HEAD was moved while it was worked on"), "{said}");
        // What stays is not part of the next task.
        let last = night.env.git(&["show", "--format=%s", "--name-only", "HEAD"]);
        assert!(last.contains("TASK-003") && !last.contains("loose") && !last.contains(".env"), "{last}");
        assert!(!night.env.git(&["branch", "--list"]).contains("windlass/"));
    }
}

#[test]
fn what_a_person_changed_before_and_between_the_attempts_stays() {
    let night = night(&honest_but(LEAVES)).set(
        "WINDLASS_HOOKS__NEXT_ITERATION",
        "case $WINDLASS_HOOK_ITERATION in \
         2) echo mine > mine && git add mine && git commit --quiet --message 'By a person' && echo first > first;; \
         3) echo between > between; echo person >> work/half;; esac",
    );
    night.env.run(&mut command(&night, &["--allow-dirty"]), PATIENCE).expect_code(17, "blocked");
    assert!(!night.env.project().join("work/loose").exists());
    let read = |path: &str| night.env.read(path);
    assert_eq!(
        (read("mine"), read("first"), read("between")),
        ("mine\n".into(), "first\n".into(), "between\n".into())
    );
    assert!(read("work/half").contains("person"), "what both have written stays as it is");
    assert_eq!(night.env.git(&["show", "HEAD:mine"]), "mine");
}

/// Fails with something left, claims what the gate refuses, does it.
const ATTEMPTS: &str = r#"
[[call]]
steps = [
  { write = { path = "half", text = "half\n" } }, { write = { path = ".env", text = "TOKEN=1\n" } },
  { result = { text = "No.", cost = 0.01, is_error = true } },
]
[[call]]
steps = [ { write = { path = "red", text = "red\n" } }, "tick_task", { result = { text = "Done?", cost = 0.01 } } ]
[[call]]
steps = [ { delete = "red" }, { write = { path = "done", text = "x\n" } }, "tick_task", { result = { text = "Done.", cost = 0.01 } } ]
"#;

fn one_task(script: &str) -> Night {
    let env = TestEnv::new();
    env.write("requirements.md", requirements(&[(1, &[])]));
    let night = Night::within(env.git_initialised(), script).set("WINDLASS_COMMIT__MESSAGE", "devloop");
    night.set("WINDLASS_TASKS__ATTEMPTS", "5")
}

// rows: 46
// Seed defect D3, core/loop.ts:505-511: it was committed as “Iteration N”.
#[test]
fn failed_attempts_are_committed_in_the_seeds_words_where_that_is_wanted() {
    for (wanted, commits) in [("false", 0), ("true", 2)] {
        let night = one_task(ATTEMPTS).set("WINDLASS_COMMIT__ATTEMPTS", wanted);
        night
            .env
            .run(&mut command(&night, &["--gate", "test ! -e red", "-m", "5"]), PATIENCE)
            .expect_code(0, wanted);
        let mut expected = "Begin\n".to_owned();
        for iteration in 1..=commits {
            let _ =
                writeln!(expected, "DevLoop iteration {iteration}: Attempted TASK-001 - Thing 1 (failed)");
        }
        expected += "DevLoop iteration 3: Complete TASK-001 - Thing 1";
        assert_eq!(log(&night, "HEAD"), expected);
        let files = night.env.git(&["log", "--format=", "--name-only", "HEAD"]);
        assert!(!files.contains(".env"), "{files}");
        if commits > 0 {
            let at = |commit: &str| night.env.git(&["show", &format!("{commit}:requirements.md")]);
            assert!(at("HEAD~1").contains("in-progress"), "{}", at("HEAD~1"));
            assert!(at("HEAD").contains("**Status**: done"), "{}", at("HEAD"));
            assert_eq!(night.env.git(&["show", "HEAD~1:red"]), "red");
        }
        let done = night
            .facts()
            .into_iter()
            .filter(|fact| matches!(fact, Fact::TaskClosed(report::TaskClosed { end: TaskEnd::Done, .. })));
        assert_eq!(done.count(), 1);
        assert_eq!(night.env.git(&["status", "--porcelain", "--untracked-files=no"]), "");
    }
}

#[test]
fn what_was_committed_as_an_attempt_stays_when_its_task_is_parked() {
    let night = one_task(&ATTEMPTS[..ATTEMPTS.rfind("[[call]]").unwrap()])
        .set("WINDLASS_COMMIT__ATTEMPTS", "true")
        .set("WINDLASS_TASKS__ATTEMPTS", "2");
    night.env.run(&mut command(&night, &["--gate", "test ! -e red"]), PATIENCE).expect_code(17, "blocked");
    assert_eq!(night.ended(), StopReason::Blocked);
    assert_eq!(log(&night, "HEAD").lines().filter(|line| line.contains("Attempted")).count(), 2);
    assert_eq!(night.env.read("red"), "red\n");
    assert!(!night.env.git(&["branch", "--list"]).contains("windlass/"));
}

#[test]
fn failed_attempts_are_not_committed_from_lanes() {
    let night = one_task(ATTEMPTS).set("WINDLASS_COMMIT__ATTEMPTS", "true");
    let outcome = night.env.run(&mut command(&night, &["-j", "2"]), PATIENCE);
    outcome.expect_code(2, "refused");
    let said = outcome.stderr_text();
    assert!(said.contains("commit.attempts") && said.contains("-j 1"), "{said}");
}
