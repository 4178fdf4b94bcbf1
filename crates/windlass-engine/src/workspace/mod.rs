//! Workspaces on the disk: named jobs, each in a folder of the project.
//!
//! | file | holds |
//! |---|---|
//! | [`Workspaces`] | all of a project: finding, listing |
//! | [`Workspace`] | one: what lies where, what its files say |
//! | [`create`] | making one, adopting what is there |
//! | `metadata` | reading and changing its history, mending a broken one |
//! | [`log`] | the logs of its runs |
//! | [`remove`] | deleting one |
//! | [`template`] | keeping the instructions and options of one to use them again |
//! | [`archive`] | keeping one in an archive, and making one of it again |
//! | [`guard`] | keeping them out of commits |

mod all;
pub mod archive;
pub mod create;
mod error;
mod folder;
pub mod guard;
mod history;
pub mod log;
mod metadata;
mod project;
pub mod remove;
mod report;
pub mod template;

#[cfg(test)]
mod tests;

pub use all::{Listing, PROJECT_FOLDER, Workspaces, project_folder};
pub use error::WorkspaceError;
pub use folder::{
    CONFIG_FILE, INSTRUCTIONS_FILE, METADATA_FILE, STATUS_FILE, TODO_FILE, VALIDATION_REPORT, WORK_FOLDERS,
    Workspace,
};
pub use history::{LiveRun, WorkspaceHistory, live_runs};
pub use metadata::{FoundMetadata, Mended, Reset, Updated};
pub use project::ProjectMade;
pub use report::write_report;
