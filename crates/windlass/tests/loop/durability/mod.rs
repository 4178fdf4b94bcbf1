//! A fact is on the disk before its effect, and what a fact says is there is on the disk before the fact: seen in what the real
//! binary asks the kernel for. A power failure cannot be had in a test; that nothing was left to chance can be seen.

mod order;
mod system_calls;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use windlass_testkit::TestEnv;
use windlass_testkit::forge::{IssueShown, StandInForge, Story};

use super::councils;
use super::night::{Night, PATIENCE};
use super::tasks::{self, honest_but};
use order::{Order, effects_that_need_the_journal};
use system_calls::{Event, events, watched};

/// What a command of windlass does, seen from outside; it must end with this code.
fn watch(env: &TestEnv, command: &Command, code: i32) -> Vec<Event> {
    let log = env.root().join("system-calls");
    env.run(&mut watched(env, command, &log), PATIENCE).expect_code(code, "what is watched");
    events(&fs::read_to_string(log).unwrap())
}

/// Hooks, checks, commits, files that are put back, a branch that is brought back, and somebody who is told.
fn in_one_directory() -> Vec<Event> {
    let script = r#"
[[call]]
steps = [
  { bash = "echo work >> work; echo changed > .gitlab-ci.yml; WINDLASS_TEST_AGENT=1 git branch -D other" },
  { result = { text = "It works.", cost = 0.01 } },
]

[[call]]
steps = [
  { bash = "echo more >> work" },
  { result = { text = "It works.", cost = 0.01 } },
]
"#;
    let env = TestEnv::with_git();
    env.write(".gitlab-ci.yml", "stages: []\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Continuous integration"]);
    env.git(&["branch", "other"]);
    let night = Night::within(env, script)
        .set("WINDLASS_SAFETY__UNDO", "auto")
        .set("WINDLASS_HOOKS__STARTED", "true # hook")
        .set("WINDLASS_HOOKS__NEXT_ITERATION", "true # hook")
        .set("WINDLASS_HOOKS__FINISHED", "true # hook")
        .set("WINDLASS_NOTIFY__EVENTS", "iteration\nrun_end")
        .set("WINDLASS_NOTIFY__COMMAND", "cat > /dev/null # told");
    let mut command = night.windlass(&["run", "--prompt", "Make it work", "--commit", "runner"]);
    // Nothing else that has to be synced follows the end of an iteration at once.
    command.args(["--delay", "1", "--max-iterations", "2", "--exit-codes", "detailed"]);
    command.args(["--gate", "test -e . # gate"]).arg(format!("--mock={}", night.script.display()));
    watch(&night.env, &command, 10)
}

/// A task that is parked.
fn with_a_task_that_fails() -> Vec<Event> {
    let script = r#"
[[call]]
steps = [ { write = { path = "half", text = "half\n" } }, { result = { text = "No.", cost = 0.01, is_error = true } } ]
"#;
    let night = tasks::night(&[(1, &[])], script);
    watch(
        &night.env,
        &tasks::command(&night, &["--gate", "test -e . # gate", "--exit-codes", "detailed"]),
        17,
    )
}

/// A lane with a checkout of its own, while the branch moves: opened, merged, judged and landed.
fn in_a_lane() -> Vec<Event> {
    let night = tasks::night(&[(1, &[])], "");
    let elsewhere = format!(
        "cd {} && echo theirs > theirs && git add theirs && git commit --quiet --message Theirs",
        night.env.project().display()
    );
    let script = honest_but(&format!(
        "[[call]]\ntask = \"TASK-001\"\nsteps = [ {{ bash = \"{elsewhere}\" }}, \
         {{ write = {{ path = \"work/TASK-001\", text = \"done\\n\" }} }}, \"tick_task\", \
         {{ result = {{ text = \"Done.\", cost = 0.01 }} }} ]\n"
    ));
    fs::write(&night.script, script).unwrap();
    watch(&night.env, &tasks::command(&night, &["-j", "2", "--gate", "test -e . # gate"]), 0)
}

/// A job that is brought out as a pull request.
fn out_as_a_pull_request() -> Vec<Event> {
    let script = r#"
[[call]]
steps = [
  { write = { path = "work", text = "done\n" } },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.01 } },
]
"#;
    let env = TestEnv::with_git();
    let _forge = StandInForge::start(&env, Story::default());
    let night = Night::within(env, script);
    let mut command =
        night.windlass(&["run", "--prompt", "Make it work", "--pr", "--completion-threshold", "1"]);
    command.args(["--gate", "test -e . # gate"]).arg(format!("--mock={}", night.script.display()));
    watch(&night.env, &command, 0)
}

/// A conflict that a council settles.
fn with_a_council() -> Vec<Event> {
    let night = councils::night(&[councils::CONFLICT, councils::COUNCIL].concat());
    let mut command = night.windlass(&["run", "--prompt", "Make it work", "--max-iterations", "1"]);
    command.args(["--exit-codes", "detailed"]).arg(format!("--mock={}", night.script.display()));
    watch(&night.env, &command, 10)
}

/// An issue of a forge that is leased, worked on and told.
fn with_an_issue() -> Vec<Event> {
    let env = TestEnv::with_git();
    let forge = StandInForge::start(&env, Story::default());
    forge.add_issue(IssueShown::new(14, "Read numbers", "Whole ones."));
    let night = Night::within(env, tasks::HONEST);
    watch(
        &night.env,
        &tasks::command(&night, &["--source", "github:acme/anvil", "--gate", "test -e . # gate"]),
        0,
    )
}

#[test]
fn every_fact_is_on_the_disk_before_its_effect_leaves_a_trace() {
    if !TestEnv::new().can_watch_system_calls() {
        return;
    }
    let mut seen = BTreeSet::new();
    for (place, events) in [
        ("one directory", in_one_directory()),
        ("a task that fails", with_a_task_that_fails()),
        ("a lane", in_a_lane()),
        ("a pull request", out_as_a_pull_request()),
        ("a council", with_a_council()),
        ("an issue", with_an_issue()),
    ] {
        let mut order = Order::default();
        for (number, event) in events.iter().enumerate() {
            order.take(event).unwrap_or_else(|wrong| {
                let before = events.get(number.saturating_sub(12)..=number).unwrap_or_default();
                panic!("{place}: {wrong}\n{before:#?}")
            });
        }
        seen.extend(order.seen());
    }
    let wanted = effects_that_need_the_journal();
    assert_eq!(seen, wanted, "each effect that docs/effects.md calls synced has to be seen, and no other");
}

#[test]
fn an_archive_is_on_the_disk_before_what_it_holds_is_deleted() {
    let env = TestEnv::new();
    if !env.can_watch_system_calls() {
        return;
    }
    let windlass = |arguments: &[&str]| {
        let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
        command.args(arguments);
        command
    };
    env.run(&mut windlass(&["init", "api"]), PATIENCE).expect_success("init");
    let events = watch(&env, &windlass(&["clean", "api", "--force"]), 0);
    let mut unsynced = BTreeSet::new();
    let mut archived = false;
    for event in &events {
        match event {
            Event::Wrote { path, .. } if path.contains("/archive/") => {
                unsynced.insert(path.clone());
            }
            Event::Synced { path, .. } => {
                unsynced.remove(path);
                archived |= path.ends_with("/.windlass/archive");
            }
            Event::Removed { path } | Event::Named { from: path, .. } if path.contains("workspaces/api") => {
                assert_eq!(unsynced, BTreeSet::new(), "what is archived is not on the disk");
                assert!(archived, "the archive has no name on the disk yet");
                return;
            }
            _ => {}
        }
    }
    panic!("nothing was deleted: {events:#?}");
}
