//! Tasks on disk, in whatever form: found, read within bounds, and one state or one task written, so that nothing else changes.

mod by_command;
mod committed;
mod find;
mod issues;
mod latest;
pub(crate) mod read;
#[cfg(test)]
mod tests;
mod write;

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::project::FeatureNameError;
use windlass_core::values::TaskId;
use windlass_jobs::doc::Problem;
use windlass_jobs::doc::tasks::{Refused, StateCommand, TaskList};

pub use by_command::{Exported, tell_state};
pub use committed::{Unlike, unlike_committed};
pub(crate) use committed::{states_apart, with_state};
pub use find::{Wanted, find_tasks, kept_places, near_places, usual_places};
pub use issues::put_issues;
pub(crate) use latest::Latest;
pub use read::read_tasks;
pub(crate) use write::replace_text;
pub use write::{Written, add_task, set_state, settable};

use windlass_host::file::FileError;

/// A task file as it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundTasks {
    /// Where it is: a file, or a folder with a file per task, relative to the working directory (or as it was named).
    pub place: PathBuf,
    /// What it says.
    pub list: Arc<TaskList>,
    /// A digest of all its files' names and bytes; empty where there is none.
    pub mark: String,
}

/// Why a task file is not there, or not changed.
#[derive(Debug, thiserror::Error)]
pub enum TasksError {
    /// There is none in any of the usual places.
    #[error("there is no task file: none of {}", .looked.join(", "))]
    Missing {
        /// Where it was looked for.
        looked: Vec<String>,
    },
    /// The one that was named is not there.
    #[error("there is no {}", .0.display())]
    NotThere(PathBuf),
    /// A feature's name that could lead anywhere.
    #[error(transparent)]
    NoFeature(#[from] FeatureNameError),
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(Problem),
    /// It has no task of this id.
    #[error("there is no task {id} in {}", .place.display())]
    NoTask {
        /// What was asked for.
        id: TaskId,
        /// The file.
        place: PathBuf,
    },
    /// There is no place where the state could be written, and nothing else would change.
    #[error("the status of {id} cannot be written in {} without changing other tasks", .place.display())]
    NoPlace {
        /// The task.
        id: TaskId,
        /// The file.
        place: PathBuf,
    },
    /// What stands there must be mended by hand first: nobody can say what of it is the status, or which task is meant.
    #[error("the status of {id} is not changed in {}: {why}; fix it there by hand", .place.display())]
    Unclear {
        /// The task.
        id: TaskId,
        /// The file.
        place: PathBuf,
        /// Why, as the end of a sentence.
        why: String,
    },
    /// Another program keeps the tasks, and was not asked.
    #[error("the status of {id} is not written in {}; {} keeps it: {command}", .place.display(), .command.program)]
    ByCommand {
        /// The task.
        id: TaskId,
        /// The file.
        place: PathBuf,
        /// What says so to that program.
        command: StateCommand,
    },
    /// It was asked, and did not do it.
    #[error("`{command}` failed: {why}")]
    CommandFailed {
        /// What was run.
        command: StateCommand,
        /// Why, as the end of a sentence.
        why: String,
    },
    /// The task cannot be added.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A file of that name is there.
    #[error("{} is there already, and nothing is overwritten", .0.display())]
    InTheWay(PathBuf),
    /// Somebody wrote the file again and again meanwhile.
    #[error("{} is being written by somebody else: it is as they left it", .0.display())]
    Changed(PathBuf),
    /// The system refused.
    #[error(transparent)]
    File(#[from] FileError),
}
