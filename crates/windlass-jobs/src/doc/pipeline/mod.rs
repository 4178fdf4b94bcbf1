//! The documents of a pipeline, each judged by what has to be in it: a PRD, an architecture, a list of tasks.
//!
//! Headings may have any level and number, lists any style, and there may be more than is asked for. What is wrong is said in
//! one sentence each, with its line, so that an agent or a person can mend it.

mod architecture;
mod entry;
mod filler;
mod path;
mod prd;
mod standing;
mod tasks;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use windlass_core::nesting;
use windlass_core::spec::PipelinePhase;

use self::entry::Requirement;
use super::outline::{self, Outline};
use super::problem::shorten;
use super::{Problem, ProblemKind};

pub use standing::standing;

pub(in crate::doc) use path::misplaced;

/// The longest document that is read, in bytes.
pub const LONGEST_DOCUMENT: usize = 1024 * 1024;

/// A document as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseDocument {
    /// As people name it: its path from the project's folder.
    pub name: String,
    /// Its bytes, or so many that it is seen to be too long; or why it cannot be read, as the end of a sentence that begins with
    /// the file. `None` where there is none.
    pub content: Option<Result<Vec<u8>, String>>,
}

/// All that is wrong with the document of a phase, in the order of its lines; `prd` is the document that the others refer to.
pub fn problems(phase: PipelinePhase, document: &PhaseDocument, prd: &PhaseDocument) -> Vec<Problem> {
    let text = match text(document) {
        Ok(text) => text,
        Err(problem) => return vec![problem],
    };
    let read = Read { name: Arc::from(document.name.as_str()), outline: outline::read(text) };
    let mut found = filler::problems(&read);
    // Of what is not there nothing else can be wrong.
    if !found.iter().any(|problem| problem.line.is_none()) {
        found.extend(match phase {
            PipelinePhase::Prd => prd::problems(&read),
            PipelinePhase::Architecture => architecture::problems(&read, &requirements(prd)),
            PipelinePhase::Tasks => tasks::problems(document, text),
        });
    }
    found.sort_by_key(|problem| (problem.line, problem.kind));
    found.dedup();
    shorten(&mut found);
    found
}

/// The ids of a PRD's requirements, in its order; empty where it cannot be read.
pub fn requirement_ids(prd: &PhaseDocument) -> Vec<String> {
    requirements(prd).into_iter().map(|requirement| requirement.id).collect()
}

fn requirements(prd: &PhaseDocument) -> Vec<Requirement> {
    text(prd).map(|text| prd::requirements(&outline::read(text))).unwrap_or_default()
}

/// A document that is there and can be read.
struct Read {
    name: Arc<str>,
    outline: Outline,
}

impl Read {
    fn problem(&self, kind: ProblemKind, line: usize, sentence: String) -> Problem {
        Problem { kind, file: self.name.clone(), line: Some(line), sentence }
    }

    fn missing(&self, sentence: &str) -> Problem {
        let (kind, file) = (ProblemKind::MissingPart, self.name.clone());
        Problem { kind, file, line: None, sentence: sentence.to_owned() }
    }
}

fn text(document: &PhaseDocument) -> Result<&str, Problem> {
    let problem = |kind, line, sentence: &str| Problem {
        kind,
        file: Arc::from(document.name.as_str()),
        line,
        sentence: sentence.to_owned(),
    };
    let bytes = match &document.content {
        None => return Err(problem(ProblemKind::MissingFile, None, "is not there: write it")),
        Some(Err(why)) => return Err(problem(ProblemKind::Unreadable, None, why)),
        Some(Ok(bytes)) => bytes,
    };
    if bytes.len() > LONGEST_DOCUMENT {
        return Err(problem(ProblemKind::TooLong, None, "is longer than a document may be, which is 1 MiB"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        problem(ProblemKind::NotUtf8, Some(line), "is not UTF-8")
    })?;
    match nesting::too_deep(text) {
        Some(line) => {
            let sentence = format!("nests deeper than {} levels", nesting::DEEPEST);
            Err(problem(ProblemKind::TooDeep, Some(line), &sentence))
        }
        None => Ok(text),
    }
}
