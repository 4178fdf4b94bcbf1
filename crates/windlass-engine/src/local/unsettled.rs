//! What calls have used whose runner died, for whoever has to know it before somebody goes on with their run.

use windlass_core::fact::Entry;
use windlass_core::run::{IllegalFact, Run};
use windlass_core::values::{Cost, Tokens};

use super::recover;
use crate::store::RunFolder;

/// What calls have used that nobody saw end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsettled {
    /// What they will be charged.
    pub cost: Cost,
    /// Tokens of all kinds.
    pub tokens: Tokens,
}

/// What the calls of a run that nobody saw end will be charged once somebody goes on with it: what their recorded streams show, and
/// no less than what was set aside for them. Changes nothing.
///
/// # Errors
/// The first fact that cannot follow.
pub fn unsettled(folder: &RunFolder, entries: &[Entry]) -> Result<Unsettled, IllegalFact> {
    let run = Run::folded(entries)?;
    let mut all = Unsettled::default();
    let Some(plan) = run.spec() else { return Ok(all) };
    for (turn, call) in run.lanes().filter_map(|(_, lane)| lane.call()) {
        let plan = plan.of_call(turn.purpose, call.agent);
        let report = recover::recorded(&plan, &folder.call(turn.iteration, turn.attempt, turn.purpose));
        all.cost += run.ledger().charge_for(call.id, &report).cost;
        all.tokens += report.tokens;
    }
    Ok(all)
}
