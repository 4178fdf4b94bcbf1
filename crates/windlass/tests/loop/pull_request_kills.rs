//! The runner is killed around every push, every opening and every merge: there is no second pull request, no second merge, and
//! nothing is pushed that was not gated.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::report::DeliveryStep;
use windlass_testkit::forge::{Checks, Conclusion, Event, Protection, StandInForge, Story, Trouble};
use windlass_testkit::{Running, TestEnv};

use super::night::{Night, PATIENCE};
use super::pull_request_parts;
use super::pull_requests::Evening;

const SCRIPT: &str = r#"
[[call]]
steps = [
  { write = { path = "work.txt", text = "done\n" } },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.02 } },
]
"#;

const FLAGS: [&str; 5] = ["--merge", "--completion-threshold", "1", "--gate", "test -f work.txt"];

/// Nights at a time: much of a night is waiting.
const SIDE_BY_SIDE: usize = 4;

fn night(story: Story) -> (Night, StandInForge) {
    let env = TestEnv::with_git();
    let forge = StandInForge::start(&env, story);
    (Night::within(env, SCRIPT).set("WINDLASS_PULL_REQUEST__POLL", "50ms"), forge)
}

fn green() -> Story {
    Story::with_checks([Checks::ending(Conclusion::Passes)])
}

/// Behind its base from the first look on.
fn behind() -> Story {
    let protection = Protection { up_to_date: true, ..Protection::default() };
    let moves = Event::MainMoves("other".to_owned(), "theirs\n".to_owned());
    Story { protection, events: vec![(1, moves)], ..green() }
}

fn commits_to_leave(night: &Night) -> BTreeSet<String> {
    let begun = |fact: Fact| match fact {
        Fact::Delivery(DeliveryStep::Begun { head, .. }) => Some(head),
        _ => None,
    };
    night.facts().into_iter().filter_map(begun).collect()
}

fn check(night: &Night, forge: &StandInForge, what: &str) {
    let pulls = forge.pulls();
    assert_eq!(pulls.len(), 1, "{what}: {pulls:#?}");
    assert_eq!((pulls[0].state, pulls[0].merges), ("MERGED", 1), "{what}");
    let ours = forge.log("main").into_iter().filter(|line| line.contains("(#1)")).count();
    assert_eq!(ours, 1, "{what}: {:?}", forge.log("main"));
    // One commit of the runner's left this machine; what else is on the branch, the forge merged into it.
    let begun = commits_to_leave(night);
    assert_eq!(begun, BTreeSet::from([night.env.git(&["rev-parse", "HEAD"])]), "{what}");
    night.assert_clean();
}

fn resume_to_the_end(night: &Night, what: &str) {
    let resumed = (0..3).map(|_| night.resume(&[])).find(|outcome| outcome.code == Some(0));
    assert!(resumed.is_some(), "{what}: it does not end: {:#?}", night.facts());
}

// rows: 75, 85
#[test]
fn killed_before_and_after_every_order_to_the_forge_nothing_is_done_twice() {
    for order in ["push", "POST pulls", "PUT pulls/N/merge", "PUT pulls/N/update-branch"] {
        for trouble in [Trouble::HangBefore, Trouble::HangAfter] {
            let what = format!("{order}, {trouble:?}");
            let (night, forge) = night(if order.ends_with("update-branch") { behind() } else { green() });
            forge.meet(order, trouble);
            let running = night.start(&FLAGS);
            assert!(forge.wait_for_hanging(PATIENCE), "{what}: never asked for");
            running.signal(Signal::KILL);
            running.wait(PATIENCE);
            // What the killed runner had started may still come through, while the next one is at work.
            let resumed = thread::scope(|scope| {
                let resumed = scope.spawn(|| resume_to_the_end(&night, &what));
                forge.release();
                resumed.join()
            });
            assert!(resumed.is_ok(), "{what}");
            check(&night, &forge, &what);
        }
    }
}

// rows: 75, 85
#[test]
fn killed_at_any_write_on_the_way_out_a_run_ends_with_one_merge() {
    let (unharmed, forge) = night(green());
    unharmed.run(&FLAGS).expect_code(0, "the run without kills");
    check(&unharmed, &forge, "no fault");
    each_of(&writes_after(&unharmed, 1), |fault| {
        let (night, forge) = night(green());
        let command = &mut night.run_command(&FLAGS);
        let killed = night.env.run(command.env("WINDLASS_TEST_FAULT", fault), PATIENCE);
        assert_eq!(killed.signal, Some(9), "{fault}: not killed: {}", killed.stderr_text());
        resume_to_the_end(&night, fault);
        check(&night, &forge, fault);
    });
}

/// Kills before and after each write from the first step of the way out on, or from that of a later part on.
fn writes_after(unharmed: &Night, part: usize) -> Vec<String> {
    // Facts of one write bear the same time.
    let entries = unharmed.entries();
    let begun = |step: &DeliveryStep| matches!(step, DeliveryStep::PartBegun { .. });
    let is_way = |fact: &Fact| matches!(fact, Fact::Delivery(step) if part == 1 || begun(step));
    let begins = entries.iter().filter(|entry| is_way(&entry.fact)).nth(part - 1).expect("a way out");
    let writes: BTreeSet<_> = entries.iter().map(|entry| entry.at.monotonic).collect();
    let first = writes.iter().filter(|at| **at < begins.at.monotonic).count();
    let both = |write| [format!("kill-after-write={write}"), format!("kill-before-write={write}")];
    (first..=writes.len()).flat_map(both).collect()
}

/// Side by side.
fn each_of(faults: &[String], play: impl Fn(&String) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    play(fault);
                }
            });
        }
    });
}

const PER_TASK: [&str; 5] = ["--merge", "--pr-per", "task", "--gate", "true"];

fn two_tasks() -> Evening {
    pull_request_parts::evening(pull_request_parts::TWO_TASKS, green())
}

/// Each task has one pull request, merged once, and nothing was pushed but what was gated.
fn check_parts(evening: &Evening, what: &str) {
    let pulls = evening.forge.pulls();
    assert_eq!(pulls.len(), 2, "{what}: {pulls:#?}");
    assert!(pulls.iter().all(|pull| pull.state == "MERGED" && pull.merges == 1), "{what}: {pulls:#?}");
    let pushed: BTreeSet<String> = pulls.iter().map(|pull| pull.head.clone()).collect();
    assert_eq!(commits_to_leave(&evening.night), pushed, "{what}");
    assert_eq!(evening.files("main"), ["T001.txt", "T002.txt"], "{what}");
    evening.night.assert_clean();
}

// rows: 75, 85
#[test]
fn killed_around_every_order_of_the_second_part_nothing_is_done_twice() {
    for order in ["fetch", "push", "POST pulls", "PUT pulls/N/merge"] {
        for trouble in [Trouble::HangBefore, Trouble::HangAfter] {
            let what = format!("{order}, {trouble:?}");
            let evening = two_tasks();
            // Before a run it is looked whether all of the checkout is in the base.
            let before = if order == "fetch" { 2 } else { 1 };
            (0..before).for_each(|_| evening.forge.meet(order, Trouble::Nothing));
            evening.forge.meet(order, trouble);
            let running = Running::start(&mut pull_request_parts::command(&evening, &PER_TASK));
            assert!(evening.forge.wait_for_hanging(PATIENCE), "{what}: never asked for");
            running.signal(Signal::KILL);
            running.wait(PATIENCE);
            let resumed = thread::scope(|scope| {
                let resumed = scope.spawn(|| resume_to_the_end(&evening.night, &what));
                evening.forge.release();
                resumed.join()
            });
            assert!(resumed.is_ok(), "{what}");
            check_parts(&evening, &what);
        }
    }
}

// rows: 75, 85
#[test]
fn killed_at_any_write_of_the_second_part_each_task_is_merged_once() {
    let unharmed = two_tasks();
    let outcome = unharmed.night.env.run(&mut pull_request_parts::command(&unharmed, &PER_TASK), PATIENCE);
    outcome.expect_code(0, "the run without kills");
    check_parts(&unharmed, "no fault");
    each_of(&writes_after(&unharmed.night, 2), |fault| {
        let evening = two_tasks();
        let mut command = pull_request_parts::command(&evening, &PER_TASK);
        let killed = evening.night.env.run(command.env("WINDLASS_TEST_FAULT", fault), PATIENCE);
        assert_eq!(killed.signal, Some(9), "{fault}: not killed: {}", killed.stderr_text());
        resume_to_the_end(&evening.night, fault);
        check_parts(&evening, fault);
    });
}
