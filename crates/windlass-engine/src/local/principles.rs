//! Principles that an agent was asked to derive: what it proposes, looked at when its work is kept.

use std::path::Path;

use jiff::Zoned;
use windlass_core::principles::PROPOSAL;
use windlass_core::report::PrinciplesProposed;
use windlass_core::run::OrderContext;
use windlass_core::values::LaneId;
use windlass_host::file::FileError;

use super::working_tree::WorkingTree;
use crate::principles::{Proposed, is_file_of, take_proposal};

/// Takes what is sound; `None` where nobody was asked. What the run goes by from now on is known to the guard.
pub(super) fn take(
    world: &mut WorkingTree,
    lane: LaneId,
    context: &OrderContext,
) -> Result<Option<PrinciplesProposed>, FileError> {
    let attempt = context.attempt.as_ref();
    world.derived = attempt.and_then(|attempt| attempt.derived.clone());
    let owes = attempt.is_some_and(|attempt| attempt.owes_principles);
    let plan = &world.plan;
    let Some(spec) = plan.principles.as_ref().filter(|_| owes) else { return Ok(None) };
    let today = Zoned::now().date().to_string();
    Ok(Some(match take_proposal(&plan.directory, Path::new(PROPOSAL), spec.file(), &today)? {
        Proposed::Taken(principles) => {
            world.derived = Some(principles.clone());
            PrinciplesProposed { lane, principles: Some(principles), refused: String::new() }
        }
        Proposed::Refused(refused) => PrinciplesProposed { lane, principles: None, refused },
    }))
}

/// Is it, from the repository's root, the file that the runner made of what an agent derived, as it made it?
pub(super) fn is_derived(world: &WorkingTree, path: &[u8]) -> bool {
    let (Some(derived), Some(spec)) = (&world.derived, &world.plan.principles) else { return false };
    let is_it = world.surveyor.place().relative(spec.file()).is_some_and(|file| file == path);
    is_it && is_file_of(&world.plan.directory, spec.file(), derived)
}
