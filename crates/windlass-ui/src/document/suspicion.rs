//! What the guard found, in a status.

use serde::Serialize;
use windlass_core::values::{Suspicion, SuspicionKind};

use crate::board::Board;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};
use crate::narrate::labelled;

/// So many findings are shown to people; JSON has all.
pub(super) const MOST_SUSPICIONS: usize = 12;

/// Something that speaks against the checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusSuspicion {
    /// What kind of thing.
    pub kind: SuspicionKind,
    /// The file, relative to the repository's top.
    pub path: String,
    /// What was found there.
    pub sentence: String,
    /// No claim is accepted while it stands.
    pub held: bool,
}

impl StatusSuspicion {
    /// As they stand.
    pub(super) fn all(board: &Board) -> Vec<StatusSuspicion> {
        let holds = |found: &Suspicion| board.plan.as_ref().is_some_and(|plan| plan.guard.holds(found));
        let shown = |found: &Suspicion| StatusSuspicion {
            kind: found.kind,
            path: found.path.clone(),
            sentence: found.sentence.clone(),
            held: holds(found),
        };
        board.seen.suspicions().map(shown).collect()
    }

    /// For people.
    pub(super) fn line(&self) -> Line {
        let text = one_line(&format!("{}: {}", self.path, self.sentence));
        labelled(if self.held { "held" } else { "found" })
            .mark(Tone::Warn, Mark::Notice)
            .plain(format!(" {text}"))
    }
}
