//! The document of a phase as it is on disk, and what is wrong with it.

use std::path::Path;

use windlass_core::spec::{JobPhase, PipelinePhase};
use windlass_core::values::JobStatus;
use windlass_host::file::digest;
use windlass_host::tree::at;
use windlass_jobs::doc::Problem;
use windlass_jobs::doc::pipeline::{self, LONGEST_DOCUMENT, PhaseDocument};

use crate::document;

/// The longest document that is read.
pub(super) const LONGEST: usize = LONGEST_DOCUMENT;

/// A phase as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPhase {
    /// The document; its name is its path from the project's folder.
    pub document: PhaseDocument,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// The ids of the PRD's requirements.
    pub requirements: Vec<String>,
    /// A digest of the document's bytes; empty where there is none.
    pub mark: String,
}

impl FoundPhase {
    /// Is the document there?
    pub const fn is_there(&self) -> bool {
        self.document.content.is_some()
    }

    /// Is it there, and is nothing wrong with it?
    pub fn is_valid(&self) -> bool {
        self.is_there() && self.problems.is_empty()
    }
}

/// Reads the document of a phase. Never fails: what cannot be read is among its problems.
pub fn find_phase(directory: &Path, phase: &JobPhase) -> FoundPhase {
    let document = read(directory, phase);
    let prd = read(directory, &JobPhase { phase: PipelinePhase::Prd, ..phase.clone() });
    let problems = pipeline::problems(phase.phase, &document, &prd);
    let requirements = pipeline::requirement_ids(&prd);
    let mark = mark_of(&document);
    FoundPhase { document, problems, requirements, mark }
}

/// How a job in mode phase stands.
pub(crate) fn standing(directory: &Path, phase: &JobPhase) -> JobStatus {
    let found = find_phase(directory, phase);
    pipeline::standing(phase.phase, &found.document, &found.problems, &found.mark)
}

/// The [`FoundPhase::mark`] of a document, without reading what it says.
pub(crate) fn document_mark(directory: &Path, phase: &JobPhase) -> String {
    mark_of(&read(directory, phase))
}

fn read(directory: &Path, phase: &JobPhase) -> PhaseDocument {
    let path = phase.document();
    let content = document::read(&at(directory).join(&path), LONGEST);
    PhaseDocument { name: path.display().to_string(), content }
}

fn mark_of(document: &PhaseDocument) -> String {
    let mark = match &document.content {
        None => String::new(),
        Some(Ok(bytes)) => digest(bytes),
        Some(Err(why)) => digest(why.as_bytes()),
    };
    document::shown(&mark)
}
