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
    /// They are about the same file; where that is not known, or they are about none, the same was asked for.
    Free(Free),
}

/// A job that has no workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Free {
    /// How its runs are prompted.
    pub mode: Mode,
    /// The file that it is about, as [`Job::about`] has it.
    pub about: Option<String>,
    /// The part of a pipeline that it is.
    pub pipeline: Option<PipelinePart>,
    /// What was asked for.
    pub goal: String,
}

impl SameJob {
    /// Runs of a workspace.
    pub fn of_workspace(folder: &Path) -> SameJob {
        SameJob::Workspace { folder: folder.to_owned() }
    }

    /// Runs of a job that has none.
    pub fn of_free(job: Free) -> SameJob {
        SameJob::Free(Free { goal: as_now(&job.goal), ..job })
    }

    /// The job of a run that there is; `None` where nobody can say any more what was asked for.
    pub fn of_run(job: &Job, folder: &RunFolder) -> Option<SameJob> {
        match &job.workspace {
            Some(workspace) => Some(SameJob::of_workspace(&workspace.folder)),
            None => Some(SameJob::of_free(Free {
                mode: job.mode,
                about: job.about.clone(),
                pipeline: job.pipeline(),
                goal: folder.read_goal().ok()?,
            })),
        }
    }

    /// Is this one of them?
    pub fn includes(&self, run: &RunSummary, project: &Project) -> bool {
        match self {
            SameJob::Workspace { folder } => run.is_of(folder),
            SameJob::Free(job) => {
                run.workspace.is_none() && run.mode == job.mode && job.is_same(run, project)
            }
        }
    }

    /// A short name that no other job of the project has.
    pub fn key(&self) -> String {
        let known = match self {
            SameJob::Free(Free { mode, about: Some(about), .. }) => format!("{mode:?} {about}"),
            _ => format!("{self:?}"),
        };
        digest(known.as_bytes()).chars().take(16).collect()
    }
}

impl Free {
    fn is_same(&self, run: &RunSummary, project: &Project) -> bool {
        let same_is_asked =
            || RunFolder::of(project, &run.run).read_goal().is_ok_and(|own| as_now(&own) == self.goal);
        match (&self.about, &run.about) {
            (Some(about), Some(own)) => **about == **own,
            // A run of an older version does not say it.
            _ => run.pipeline.as_deref() == self.pipeline.as_ref() && same_is_asked(),
        }
    }
}

/// A goal in the words of this version: the first one said "Work off", and its unfinished runs are of the same jobs.
fn as_now(goal: &str) -> String {
    goal.replacen("Work off the ", "Work through the ", 1)
}
