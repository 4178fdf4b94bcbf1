//! What an agent is told of a check that failed.

use windlass_core::values::CheckOutcome;

use super::tests::{outcome, parts, plan};
use super::*;
use crate::compose;

#[test]
fn what_showed_another_task_is_said_to_have_done_so() {
    let plan = plan();
    let (first, outcome) = ("TASK-001".into(), outcome());
    let said = |earlier| {
        let mut parts = parts(&plan, "Port the parser.");
        let tail = String::new();
        parts.refused = vec![FailedCheck { command: "a is there", outcome: &outcome, tail, earlier }];
        compose(&parts).user
    };
    assert!(
        said(Earlier::Showed(&first))
            .contains("it had shown that the task `TASK-001` is done, and is to hold")
    );
    assert!(!said(Earlier::Nothing).contains("TASK-001"));
}

#[test]
fn the_line_that_tells_most_stands_above_an_end_that_lacks_it() {
    let plan = plan();
    let error = "src/a.rs:7: error: mismatched types";
    let said = |line: &str, tail: &str| {
        let outcome = CheckOutcome { telling_line: line.to_owned(), ..outcome() };
        let mut parts = parts(&plan, "Port the parser.");
        let tail = tail.to_owned();
        parts.refused =
            vec![FailedCheck { command: "make test", outcome: &outcome, tail, earlier: Earlier::Nothing }];
        compose(&parts).user
    };
    let far = said(error, "noise\n");
    let places = ["tells most", error, "The end of its output", "noise"].map(|piece| far.find(piece));
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?}\n{far}");
    for near in [said(error, &format!("\u{1b}[1m{error}\u{1b}[0m\n")), said("", "noise\n")] {
        assert!(!near.contains("tells most"), "{near}");
    }
    let signal = &plan.job.completion_signal;
    assert!(!holds_signal(&said(signal, "noise\n"), signal));
}
