//! What starts, resumes, stops, inspects and changes jobs, for any front end: the command line, and later a terminal view,
//! a web page or a worker of a fleet.
//!
//! Everything goes through an [`App`]: a directory, the windlass program, and the [`FrontEnd`] that is told and asked. A
//! request is a value; its answer is one, too, or an [`AppError`] with its kind, its cause and what to do about it. Nothing
//! here prints, asks by itself or knows of flags.
//!
//! A front end's `main` calls [`helper`] first: the keepers of a run's processes are the same program, started again.

mod add_dirs;
mod agent;
mod app;
pub mod asked;
pub mod beginning;
pub mod configuration;
pub mod demo;
pub mod diff;
mod doctor;
mod error;
#[cfg_attr(not(feature = "fleet"), path = "fleet/without.rs")]
pub mod fleet;
mod front_end;
mod helper;
mod here;
pub mod hooks;
pub mod import;
pub mod inspect;
pub mod issues;
pub mod judge;
pub mod logs;
pub mod notify;
mod opening;
pub mod park;
pub mod passthrough;
pub mod pipeline;
pub mod plan;
pub mod principles;
pub mod restore;
pub mod run;
pub mod sandbox;
mod search_path;
pub mod session;
mod snapshots;
pub mod stop;
pub mod task_place;
pub mod tasks;
mod telling;
mod text;
pub mod transcript;
pub mod trusting;
pub mod update;
pub mod workspaces;
pub mod worktree;

pub use app::App;
pub use error::{AppError, Codes, Hint, Kind};
pub use front_end::{
    Audience, Borrower, Consent, FrontEnd, Place, Question, Reply, Unattended, Watched, Watcher,
};
pub use helper::{SCRIPTED_AGENT, helper};
pub use here::page_folder;
pub use text::{first_lines, quoted};
