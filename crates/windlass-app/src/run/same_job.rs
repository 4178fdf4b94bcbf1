//! Which runs are runs of the same job.

use std::path::{Path, PathBuf};

use windlass_core::spec::{Job, Mode, PipelinePart};
use windlass_engine::store::{Project, RunFolder, RunSummary};
use windlass_host::file::digest;

/// What makes two runs of a project runs of the same job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SameJob {
    /// They work on the same workspace, or judge it.
    Workspace {
        /// Its folder: canonical.
        folder: PathBuf,
    },
    /// The same was asked for.
    Free {
        /// How they are prompted.
        mode: Mode,
        /// The part of a pipeline that they are.
        pipeline: Option<PipelinePart>,
        /// What was asked for, in the words of this version.
        goal: String,
    },
}

impl SameJob {
    /// Runs of a workspace.
    pub fn of_workspace(folder: &Path) -> SameJob {
        SameJob::Workspace { folder: folder.to_owned() }
    }

    /// Runs that were asked for the same.
    pub fn of_goal(goal: &str, mode: Mode, pipeline: Option<PipelinePart>) -> SameJob {
        SameJob::Free { mode, pipeline, goal: as_now(goal) }
    }

    /// The job of a run that there is; `None` where nobody can say any more what was asked for.
    pub fn of_run(job: &Job, folder: &RunFolder) -> Option<SameJob> {
        match &job.workspace {
            Some(workspace) => Some(SameJob::of_workspace(&workspace.folder)),
            None => Some(SameJob::of_goal(&folder.read_goal().ok()?, job.mode, job.pipeline())),
        }
    }

    /// Is this one of them?
    pub fn includes(&self, run: &RunSummary, project: &Project) -> bool {
        match self {
            SameJob::Workspace { folder } => run.is_of(folder),
            SameJob::Free { mode, pipeline, goal } => {
                run.workspace.is_none()
                    && run.mode == *mode
                    && run.pipeline.as_deref() == pipeline.as_ref()
                    && RunFolder::of(project, &run.run).read_goal().is_ok_and(|own| as_now(&own) == *goal)
            }
        }
    }

    /// A short name that no other job of the project has.
    pub fn key(&self) -> String {
        digest(format!("{self:?}").as_bytes()).chars().take(16).collect()
    }
}

/// A goal in the words of this version: the first one said "Work off", and its unfinished runs are of the same jobs.
fn as_now(goal: &str) -> String {
    goal.replacen("Work off the ", "Work through the ", 1)
}
