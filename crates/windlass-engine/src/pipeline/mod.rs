//! Pipelines on disk: folders below `.windlass/pipelines/` with a goal and the documents that are made of it.

mod id;
mod phase;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use windlass_core::spec::{GOAL, JobPhase, PIPELINES, PipelinePhase};
use windlass_host::file::{FileError, Made, digest};
use windlass_host::tree::{Kind, at};

pub use phase::{FoundPhase, find_phase};
pub(crate) use phase::{document_mark, standing};

use crate::store::pipelines::{self, PipelineLimits};
use crate::store::{Project, StoreError};
use id::is_id;

/// What a file of a new pipeline may be used for: as any other that its owner writes.
const PERMISSIONS: u32 = 0o644;

/// So often a name is drawn that turns out to be taken.
const DRAWN: u32 = 20;

/// The pipelines of a project.
#[derive(Clone, Debug)]
pub struct Pipelines {
    directory: PathBuf,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Its name: words of its goal, the day, and some letters.
    pub id: String,
    /// The project's folder.
    pub directory: PathBuf,
}

/// Why a pipeline is not there, or not made.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// There is none of this name.
    #[error("there is no pipeline `{id}`")]
    Unknown {
        /// What was asked for.
        id: String,
        /// Those that exist, the newest name last.
        known: Vec<String>,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// No name can be drawn.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Each name that was drawn is taken.
    #[error("each name that was drawn for the pipeline is taken; try again")]
    NoName,
}

impl Pipelines {
    /// Those of the project in this directory.
    pub fn of(directory: &Path) -> Pipelines {
        Pipelines { directory: directory.to_owned() }
    }

    /// The names of all, sorted.
    ///
    /// # Errors
    /// Their folder cannot be read.
    pub fn ids(&self) -> Result<Vec<String>, PipelineError> {
        let root = at(&self.directory).join(PIPELINES);
        if !root.holds_folder() {
            return Ok(Vec::new());
        }
        let folders = root.entries()?.into_iter().filter(|entry| entry.kind == Kind::Folder);
        let names = folders.filter_map(|entry| entry.name.into_string().ok());
        let mut ids: Vec<String> = names.filter(|name| is_id(name)).collect();
        ids.sort();
        Ok(ids)
    }

    /// The one of this name, or of the only name that begins so.
    ///
    /// # Errors
    /// There is none, or several begin so; their folder cannot be read.
    pub fn find(&self, id: &str) -> Result<Pipeline, PipelineError> {
        let known = self.ids()?;
        let mut begin = known.iter().filter(|name| !id.is_empty() && name.starts_with(id));
        let only = begin.next().filter(|_| begin.next().is_none());
        match known.iter().find(|name| *name == id).or(only) {
            Some(found) => Ok(self.named(found)),
            None => Err(PipelineError::Unknown { id: id.to_owned(), known }),
        }
    }

    /// A name for a new one with this goal; nothing is made.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn draw(&self, goal: &str, day: jiff::civil::Date) -> Result<Pipeline, PipelineError> {
        Ok(self.named(&id::draw(goal, day)?))
    }

    /// Makes one with this goal, of whose runs these limits hold: they are kept before it is there.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn make(
        &self,
        goal: &str,
        day: jiff::civil::Date,
        (project, limits): (&Project, &PipelineLimits),
    ) -> Result<Pipeline, PipelineError> {
        let root = at(&self.directory).join(PIPELINES);
        root.make_folders()?;
        for _ in 0..DRAWN {
            let pipeline = self.draw(goal, day)?;
            if pipelines::limits(project, &pipeline.id)?.is_some() || root.join(&pipeline.id).holds_folder() {
                continue;
            }
            pipelines::keep_limits(project, &pipeline.id, limits)?;
            if root.join(&pipeline.id).make_folder()? == Made::Anew {
                let file = at(&self.directory).join(pipeline.goal_file());
                file.create_new(goal.as_bytes(), PERMISSIONS)?;
                root.join(&pipeline.id).sync_folder()?;
                return Ok(pipeline);
            }
        }
        Err(PipelineError::NoName)
    }

    fn named(&self, id: &str) -> Pipeline {
        Pipeline { id: id.to_owned(), directory: self.directory.clone() }
    }
}

impl Pipeline {
    /// Its folder, from the project's.
    pub fn folder(&self) -> PathBuf {
        Path::new(PIPELINES).join(&self.id)
    }

    /// The file of its goal, from the project's folder.
    pub fn goal_file(&self) -> PathBuf {
        self.folder().join(GOAL)
    }

    /// The file of its tasks, from the project's folder.
    pub fn tasks_file(&self) -> PathBuf {
        self.folder().join(PipelinePhase::Tasks.document())
    }

    /// One of its phases, as a job has it.
    pub fn phase(&self, phase: PipelinePhase) -> JobPhase {
        JobPhase { pipeline: self.id.clone(), phase, folder: self.folder() }
    }

    /// What a phase is made from, each with a digest of what it is now; empty where it cannot be read. Paths are absolute.
    pub fn made_from(&self, phase: PipelinePhase) -> Vec<(PathBuf, String)> {
        let digest_of =
            |file: &Path| at(file).read(phase::LONGEST).ok().flatten().map(|bytes| digest(&bytes));
        let phase = self.phase(phase);
        let files = phase.made_from().map(|file| self.directory.join(file));
        files.map(|file| (file.clone(), digest_of(&file).unwrap_or_default())).collect()
    }
}
