//! Whose a merge, a rebase, … was that is gone: an agent may clear away what an agent had begun.

use windlass_core::damage::{Operation, Scene};

use super::super::work::WorkError;
use windlass_git::snapshot::{Moment, Side, SnapshotError, SnapshotName, Store};

/// Only a person's operations stay in what an attempt began with, of those that it has ended.
pub(super) fn leave_out_what_agents_ended(
    store: &Store,
    beginning: &SnapshotName,
    before: &mut Scene,
    left: &Scene,
) -> Result<(), WorkError> {
    let ended: Vec<Operation> = before.under_way.difference(&left.under_way).copied().collect();
    for operation in ended {
        if began_in_an_attempt(store, beginning, operation)? {
            before.under_way.remove(&operation);
        }
    }
    Ok(())
}

/// Was it begun while an agent of this run was at work? So it is where an attempt's end is the first that has it.
fn began_in_an_attempt(
    store: &Store,
    beginning: &SnapshotName,
    operation: Operation,
) -> Result<bool, SnapshotError> {
    let mut earlier = store.list(&beginning.run)?;
    earlier.retain(|(name, _)| name <= beginning);
    let has_it = |id| Ok::<_, SnapshotError>(store.under_way(id)?.contains(&operation));
    // Most lasted since before the run: then the others need not be read.
    if let Some((_, first)) = earlier.first()
        && has_it(first)?
    {
        return Ok(false);
    }
    let mut next = None;
    for (name, id) in earlier.iter().rev() {
        if !has_it(id)? {
            return Ok(next == Some(Side::After));
        }
        next = match name.moment {
            Moment::Iteration { side, .. } => Some(side),
            Moment::BeforeRestore { .. } | Moment::SessionStart { .. } => None,
        };
    }
    Ok(false)
}
