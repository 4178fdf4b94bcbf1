//! The councils of a run, as its status tells of them.

use serde::Serialize;
use windlass_core::values::{Cost, Spent};

use crate::board::Board;
use crate::format;
use crate::line::Line;
use crate::narrate::labelled;

/// Councils of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StatusCouncils {
    /// How many were called.
    pub called: u32,
    /// How many of them decided something.
    pub decided: u32,
    /// What their calls cost; a part of the run's cost.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// The part of that which is an estimate.
    #[serde(rename = "estimated_usd")]
    pub estimated_cost: Cost,
}

impl StatusCouncils {
    /// `None` where none was called.
    pub(crate) fn of(board: &Board) -> Option<StatusCouncils> {
        let councils = &board.councils;
        (councils.called > 0).then_some(StatusCouncils {
            called: councils.called,
            decided: councils.decided,
            cost: councils.spent.cost,
            estimated_cost: councils.spent.estimated,
        })
    }

    /// `2, 1 decided ($0.12)`
    pub(crate) fn line(self) -> Line {
        let spent = Spent { cost: self.cost, estimated: self.estimated_cost };
        let text = format!("{}, {} decided ({})", self.called, self.decided, format::charged(spent));
        labelled("councils").plain(text)
    }
}
