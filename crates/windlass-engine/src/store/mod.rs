//! What Windlass keeps, all of it outside the user's repository: where it lies, how it is written so that a crash at
//! any byte loses nothing, and how it is found again.
//!
//! | file | holds |
//! |---|---|
//! | [`paths`] | the roots and a project's folder |
//! | `gone` | the project of a directory whose repository is gone |
//! | [`journal`] | the facts of a run, one line each |
//! | [`run_folder`] | everything else that belongs to a run |
//! | [`session_folder`] | what an interactive session was given |
//! | [`lock`] | one run per working directory |
//! | [`pipelines`] | the limits of pipelines |
//! | `noted` | which runs have a note of what steers git, Windlass and agents |
//! | [`index`] | all runs of a project, quickly |
//! | [`retention`] | what is kept of ended runs |
//! | [`summary`] | one run in a few words |
//!
//! Nothing in here needs git, and every error names the path it is about.

mod alive;
mod call_folder;
mod error;
mod files;
mod gone;
pub mod index;
pub mod journal;
pub mod lock;
pub(crate) mod noted;
pub mod paths;
pub mod pipelines;
pub mod retention;
pub mod run_folder;
pub mod session_folder;
pub mod summary;

#[cfg(test)]
pub(crate) mod tests;

pub use call_folder::CallFolder;
pub use error::StoreError;
pub use files::{create_folder, write_atomically};
pub use journal::Journal;
pub use lock::Lock;
pub use paths::Project;
pub use run_folder::RunFolder;
pub use session_folder::SessionFolder;
pub use summary::{RunSummary, RunWorkspace};

pub(crate) use files::write_private;
pub(crate) use run_folder::random_letters;
