//! Principles that an agent was asked to derive: what it proposes, looked at when its work is kept.

use std::path::Path;

use jiff::Zoned;
use windlass_core::principles::PROPOSAL;
use windlass_core::report::PrinciplesProposed;
use windlass_core::run::OrderContext;
use windlass_core::spec::RunSpec;
use windlass_core::values::LaneId;
use windlass_host::file::FileError;

use crate::principles::{Proposed, take_proposal};

/// Takes what is sound; `None` where nobody was asked.
pub(super) fn take(
    plan: &RunSpec,
    lane: LaneId,
    context: &OrderContext,
) -> Result<Option<PrinciplesProposed>, FileError> {
    let owes = context.attempt.as_ref().is_some_and(|attempt| attempt.owes_principles);
    let Some(spec) = plan.principles.as_ref().filter(|_| owes) else { return Ok(None) };
    let today = Zoned::now().date().to_string();
    Ok(Some(match take_proposal(&plan.directory, Path::new(PROPOSAL), spec.file(), &today)? {
        Proposed::Taken(principles) => {
            PrinciplesProposed { lane, principles: Some(principles), refused: String::new() }
        }
        Proposed::Refused(refused) => PrinciplesProposed { lane, principles: None, refused },
    }))
}
