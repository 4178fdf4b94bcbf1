//! What a run is told of its document.

use windlass_core::spec::PipelinePhase;
use windlass_core::values::{JobStatus, StatusSource};

use super::PhaseDocument;
use crate::doc::Problem;
use crate::doc::text::cut;

/// A problem's length in characters.
const LINE: usize = 200;

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
        problem: problems.first().map(|first| said(first, problems.len())),
        ..JobStatus::default()
    }
}

fn said(first: &Problem, problems: usize) -> String {
    let rest = if problems > 1 { format!(" (and {} more)", problems - 1) } else { String::new() };
    cut(&first.to_string(), LINE - rest.len()) + &rest
}
