//! What a run is told of its document.

use windlass_core::spec::PipelinePhase;
use windlass_core::values::{JobStatus, Named, StatusSource};

use super::PhaseDocument;
use crate::doc::problem::{Problem, first_of};

/// How a run of mode phase stands: complete when nothing is wrong with its document. `mark` is a digest of its bytes, empty where
/// there is none.
pub fn standing(
    phase: PipelinePhase,
    document: &PhaseDocument,
    problems: &[Problem],
    mark: &str,
) -> JobStatus {
    if document.content.is_none() {
        return JobStatus::default();
    }
    JobStatus {
        source: StatusSource::Document,
        mark: mark.to_owned(),
        complete: problems.is_empty(),
        phase: phase.name().to_owned(),
        problem: first_of(problems),
        ..JobStatus::default()
    }
}
