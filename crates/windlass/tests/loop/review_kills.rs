//! The runner is killed in a lane whose task is before a reviewer, and the look is then skipped: its work is not lost.

use std::collections::BTreeSet;

use windlass_core::fact::Fact;

use super::night::{Night, PATIENCE, expect_end};
use super::tasks::{HONEST, command, night};

fn reviewed() -> Night {
    // A guard that undoes changes looks at the lane by itself.
    let night = night(&[(1, &[])], HONEST).set("WINDLASS_GUARD__ACTION", "off");
    night.set("WINDLASS_REVIEW__SKIP_BELOW_LINES", "100")
}

const FLAGS: [&str; 5] = ["-j", "2", "--review", "--gate", "true"];

/// Before so many writes of the journal the look was skipped.
fn writes_before_skipping(unharmed: &Night) -> usize {
    let entries = unharmed.entries();
    let skipped = entries.iter().find(|entry| matches!(entry.fact, Fact::ReviewSkipped { .. })).unwrap();
    // Facts of one write bear the same time.
    let before: BTreeSet<_> =
        entries.iter().map(|entry| entry.at.monotonic).filter(|at| *at < skipped.at.monotonic).collect();
    before.len()
}

// rows: 75, 104
#[test]
fn work_before_a_reviewer_who_is_not_asked_is_committed_after_a_kill() {
    let unharmed = reviewed();
    expect_end(&unharmed.env.run(&mut command(&unharmed, &FLAGS), PATIENCE), 0, "complete");
    let write = writes_before_skipping(&unharmed);
    for fault in [write - 1, write, write + 1]
        .iter()
        .flat_map(|write| [format!("kill-before-write={write}"), format!("kill-after-write={write}")])
    {
        let night = reviewed();
        let killed = night.env.run(command(&night, &FLAGS).env("WINDLASS_TEST_FAULT", &fault), PATIENCE);
        assert_eq!(killed.signal, Some(9), "{fault}: {}", killed.stderr_text());
        expect_end(&night.resume(&[]), 0, "complete");
        let files = night.env.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(files.contains("work/TASK-001"), "{fault}: {files}\n{:#?}", night.facts());
        night.assert_clean();
    }
}
