//! Documents that commands print: lists and the state of a run, for people and for machines.

mod doctor;
mod import;
mod judgement;
mod runs;
mod status;
mod workspace;
mod workspaces;

pub use doctor::{Finding, Health, doctor_json, doctor_text};
pub use import::{ImportRow, ImportState, import_json, import_text};
pub use judgement::{Judgement, judgement_json, judgement_text};
pub use runs::{RunRow, RunState, runs_json, runs_table};
pub use status::{RunStatus, status_json, status_text};
pub use workspace::{OptionShown, VerificationShown, WorkspaceShown, workspace_json, workspace_text};
pub use workspaces::{WorkspaceRow, WorkspaceState, workspaces_json, workspaces_table};
