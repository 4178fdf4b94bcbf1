//! The runner is killed at every write of its journal around councils: what they decide is logged once, and never lost.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use windlass_core::fact::Fact;
use windlass_core::values::{Purpose, StopReason};

use super::councils::{self, CONFLICT, COUNCIL, log};
use super::night::{CLEARED, Night, PATIENCE};

/// Nights at a time: much of a night is waiting.
const SIDE_BY_SIDE: usize = 12;

/// How often a killed run may have to be resumed.
const RESUMPTIONS: usize = 3;

const FLAGS: [&str; 5] = ["-m", "2", "--exit-codes", "simple", "--json"];

fn night() -> Night {
    councils::night(&[CONFLICT, COUNCIL].concat())
}

// rows: 102, 103
// Seed defect D4, claude/client.go:130-156; loop/iteration.go:67-75: what failed councils cost was dropped.
#[test]
fn killed_around_councils_each_decision_is_there_once() {
    let unharmed = night();
    unharmed.run(&FLAGS).expect_code(0, "the run without kills");
    check(&unharmed, "no fault");
    let batches: BTreeSet<_> = unharmed.entries().iter().map(|entry| entry.at.monotonic).collect();
    let mut faults: Vec<String> = Vec::new();
    for write in 1..=batches.len() {
        faults.push(format!("kill-after-write={write}"));
        faults.push(format!("kill-before-write={write}"));
    }
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    kill_and_resume(fault);
                }
            });
        }
    });
}

fn kill_and_resume(fault: &str) {
    let night = night();
    let killed = night.env.run(night.run_command(&FLAGS).env("WINDLASS_TEST_FAULT", fault), PATIENCE);
    assert_eq!(killed.signal, Some(9), "{fault}: not killed: {}", killed.stderr_text());
    night.env.assert_no_processes(CLEARED);
    if night.entries().is_empty() {
        // Nothing had been done in it.
        return;
    }
    let mut resumed = (0..RESUMPTIONS).map(|_| night.resume(&["--json"]));
    let ends = night.was_over_when_killed() || resumed.any(|outcome| outcome.code == Some(0));
    assert!(ends, "{fault}: it does not end: {:#?}", night.facts());
    check(&night, fault);
}

/// What has to hold of a night that is over.
fn check(night: &Night, fault: &str) {
    assert_eq!(night.ended(), StopReason::MaxIterations, "{fault}");
    let due = |fact: &Fact| matches!(fact, Fact::FollowUpDue { purpose: Purpose::Council, .. });
    let facts = night.facts();
    assert_eq!(facts.iter().filter(|fact| due(fact)).count(), 2, "{fault}: one council in each iteration");
    let logged: Vec<u32> = log(night).iter().map(|one| one.iteration).collect();
    assert_eq!(logged, [1, 2], "{fault}: each decision once, and in its order");
    let told = night.prompt(2);
    assert_eq!(told.matches("Decided: Wait for the audit.").count(), 1, "{fault}: {told}");
    let charged: u64 = night.calls().iter().map(|call| call.cost.micros()).sum();
    let ended = facts.iter().find_map(|fact| match fact {
        Fact::RunFinished { cost, .. } => Some(cost.micros()),
        _ => None,
    });
    assert_eq!(ended, Some(charged), "{fault}: every call is charged");
    night.assert_clean();
}
