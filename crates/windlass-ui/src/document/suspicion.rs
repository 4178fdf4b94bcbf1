//! What the guard found, in a status.

use serde::Serialize;
use windlass_core::values::Suspicion;

use crate::board::Board;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};
use crate::narrate::labelled;

/// So many findings are shown to people; JSON has all.
pub(super) const MOST_SUSPICIONS: usize = 12;

/// Something that speaks against the checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusSuspicion {
    /// What it is.
    #[serde(flatten)]
    pub found: Suspicion,
    /// No claim is accepted while it stands.
    pub held: bool,
}

impl StatusSuspicion {
    /// What was found in a run.
    pub(crate) fn new(board: &Board, found: &Suspicion) -> StatusSuspicion {
        let held = board.plan.as_ref().is_some_and(|plan| plan.guard.holds(found));
        StatusSuspicion { found: found.clone(), held }
    }

    /// As they stand.
    pub(super) fn all(board: &Board) -> Vec<StatusSuspicion> {
        board.seen.suspicions().map(|found| StatusSuspicion::new(board, found)).collect()
    }

    /// For people.
    pub(super) fn line(&self) -> Line {
        let text = one_line(&self.found.to_string());
        labelled(if self.held { "held" } else { "found" })
            .mark(Tone::Warn, Mark::Notice)
            .plain(format!(" {text}"))
    }
}
