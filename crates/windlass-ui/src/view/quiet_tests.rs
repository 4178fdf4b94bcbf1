use windlass_core::values::StopReason;

use super::*;
use crate::testing::{Night, columns, shown};

// rows: 44
#[test]
fn a_run_that_goes_well_says_nothing() {
    let (results, notes) = shown(QuietView::new, &columns(80), &Night::new().whole().events);
    assert_eq!((results.as_str(), notes.as_str()), ("", ""));
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
    assert_eq!(notes, "error: The disk is full. Free some space.\n");
}
