//! Pipelines: a goal becomes one document after the other, the last of which is a list of tasks (seed 004).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strum::{EnumIter, EnumString, IntoEnumIterator as _, IntoStaticStr, VariantNames};

use super::Job;
use crate::values::path_text;

/// Where pipelines are, from the project's folder.
pub const PIPELINES: &str = ".windlass/pipelines";

/// The file of a pipeline that holds its goal, word for word.
pub const GOAL: &str = "goal.md";

/// A phase of a pipeline. Each writes one document, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum PipelinePhase {
    /// What is wanted: goals, requirements, success criteria.
    Prd,
    /// How it is built: components, files, technical decisions.
    Architecture,
    /// What is to be done: tasks.
    Tasks,
}

impl PipelinePhase {
    /// All of them, in their order.
    pub fn all() -> impl Iterator<Item = PipelinePhase> {
        PipelinePhase::iter()
    }

    /// The name of its document.
    pub const fn document(self) -> &'static str {
        match self {
            PipelinePhase::Prd => "prd.md",
            PipelinePhase::Architecture => "architecture.md",
            PipelinePhase::Tasks => "tasks.md",
        }
    }

    /// Those before it, the first one first.
    pub fn earlier(self) -> impl Iterator<Item = PipelinePhase> {
        PipelinePhase::iter().filter(move |phase| *phase < self)
    }
}

/// The phase that a job is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobPhase {
    /// The pipeline's id.
    pub pipeline: String,
    /// Which phase.
    pub phase: PipelinePhase,
    /// The pipeline's folder, relative to the working directory.
    #[serde(with = "path_text")]
    pub folder: PathBuf,
}

impl JobPhase {
    /// The document that is written, relative to the working directory.
    pub fn document(&self) -> PathBuf {
        self.folder.join(self.phase.document())
    }

    /// What it is made from: the goal, and the documents of earlier phases; relative to the working directory.
    pub fn made_from(&self) -> impl Iterator<Item = PathBuf> {
        let documents = self.phase.earlier().map(PipelinePhase::document);
        std::iter::once(GOAL).chain(documents).map(|name| self.folder.join(name))
    }

    /// All that the runner reads of it.
    pub(super) fn files_read(&self) -> impl Iterator<Item = PathBuf> {
        self.made_from().chain([self.document()])
    }
}

/// Which part of which pipeline a job is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelinePart {
    /// The pipeline's id.
    pub id: String,
    /// The phase; `None` where its tasks are worked off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PipelinePhase>,
}

impl PipelinePart {
    /// Of a list of tasks in this place, relative to the working directory; `None` where it is not a pipeline's.
    pub fn of_tasks(file: &Path) -> Option<PipelinePart> {
        let within = file.strip_prefix("./").unwrap_or(file).strip_prefix(PIPELINES).ok()?;
        let id = within.parent()?.to_str().filter(|id| !id.is_empty() && !id.contains('/'))?;
        let is_its = within.file_name()? == PipelinePhase::Tasks.document();
        is_its.then(|| PipelinePart { id: id.to_owned(), phase: None })
    }
}

impl Job {
    /// Which part of a pipeline it is; `None` where it is not one.
    pub fn pipeline(&self) -> Option<PipelinePart> {
        if let Some(JobPhase { pipeline, phase, .. }) = &self.phase {
            return Some(PipelinePart { id: pipeline.clone(), phase: Some(*phase) });
        }
        PipelinePart::of_tasks(&self.tasks.as_ref()?.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 97
    #[test]
    fn a_list_of_tasks_is_a_pipelines_where_it_lies_in_one() {
        let id = |file: &str| PipelinePart::of_tasks(Path::new(file)).map(|part| part.id);
        for file in [".windlass/pipelines/todo-1/tasks.md", "./.windlass/pipelines/todo-1/tasks.md"] {
            assert_eq!(id(file).as_deref(), Some("todo-1"), "{file}");
        }
        for file in [
            "tasks.md",
            ".windlass/pipelines/tasks.md",
            ".windlass/pipelines/a/b/tasks.md",
            ".windlass/pipelines/a/prd.md",
        ] {
            assert_eq!(id(file), None, "{file}");
        }
    }

    #[test]
    fn a_phase_is_made_from_the_goal_and_the_documents_before_it() {
        let folder = PathBuf::from(".windlass/pipelines/a");
        let phase = |phase| JobPhase { pipeline: "a".to_owned(), phase, folder: folder.clone() };
        let names = |of| -> Vec<String> {
            phase(of).made_from().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(PipelinePhase::Prd), ["goal.md"]);
        assert_eq!(names(PipelinePhase::Tasks), ["goal.md", "prd.md", "architecture.md"]);
        assert_eq!(phase(PipelinePhase::Tasks).document(), folder.join("tasks.md"));
        assert_eq!("architecture".parse(), Ok(PipelinePhase::Architecture));
    }
}
