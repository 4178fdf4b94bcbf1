use windlass_core::values::{Class, StopReason, Verdict};

use super::*;
use crate::testing::{Night, columns, shown};

// rows: 43, 44
#[test]
fn a_run_that_goes_well_says_nothing() {
    let mut night = Night::new();
    night.start().finished(1, Verdict::ClaimAccepted, Class::Success, 0.2, 61).end(StopReason::Complete, "");
    let (results, notes) = shown(QuietView::new, &columns(80), &night.events);
    assert_eq!((results.as_str(), notes.as_str()), ("", ""));
}

// rows: 44, 66
#[test]
fn an_iteration_that_fails_is_said_even_if_the_run_goes_well() {
    let mut night = Night::new();
    night.start().finished(1, Verdict::Failed, Class::TaskFailure, 0.2, 61);
    night.finished(2, Verdict::Worked, Class::Success, 0.2, 61).end(StopReason::MaxIterations, "");
    let (results, notes) = shown(QuietView::new, &columns(80), &night.events);
    assert_eq!(results, "");
    assert!(notes.starts_with("error: Iteration 1 failed: ") && notes.lines().count() == 1, "{notes}");
}

#[test]
fn only_an_error_is_said() {
    for reason in StopReason::ALL {
        let mut night = Night::new();
        night.start().end(reason, "A detail.");
        let (results, notes) = shown(QuietView::new, &columns(80), &night.events);
        assert_eq!(results, "");
        assert_eq!(!notes.is_empty(), reason.is_error(), "{reason:?}");
    }
    let mut night = Night::new();
    night.start().end(StopReason::DiskFull, "Free some space.");
    let (_, notes) = shown(QuietView::new, &columns(80), &night.events);
    assert_eq!(notes, "error: There is no room left to write. Free some space.\n");
}
