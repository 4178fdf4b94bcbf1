//! Documents that commands print: lists and the state of a run, for people and for machines.

mod archives;
mod config;
mod decisions;
mod diff;
mod doctor;
mod fleet;
mod hooks;
mod import;
mod judged;
mod judgement;
mod migration;
mod pipelines;
mod plan;
mod principles;
mod rehearsal;
pub(crate) mod report;
mod runs;
mod status;
mod status_agents;
mod status_councils;
mod status_tasks;
mod suspicion;
mod table;
mod tasks;
mod templates;
mod trust;
mod workspace;
mod workspaces;
mod worktrees;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::json_line::{self, FORMAT_VERSION};

// What is public in a document is what this crate shows of it.
pub use archives::*;
pub use config::*;
pub use decisions::*;
pub use diff::*;
pub use doctor::*;
pub use fleet::*;
pub use hooks::*;
pub use import::*;
pub use judged::*;
pub use judgement::*;
pub use migration::*;
pub use pipelines::*;
pub use plan::*;
pub use principles::*;
pub use rehearsal::*;
pub use report::{report_json, report_markdown, report_text};
pub use runs::*;
pub use status::*;
pub use status_agents::{AgentState, StatusAgent};
pub use status_councils::StatusCouncils;
pub use status_tasks::*;
pub use suspicion::*;
pub use tasks::*;
pub use templates::*;
pub use trust::*;
pub use workspace::*;
pub use workspaces::*;
pub use worktrees::*;

/// A document as one line of JSON: the format's version, its type, and its fields in their order.
fn document(name: &'static str, fields: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        v: u32,
        r#type: &'static str,
        #[serde(flatten)]
        fields: &'a T,
    }
    json_line::bytes(&Document { v: FORMAT_VERSION, r#type: name, fields }).unwrap_or_default()
}

/// A document that is a list, which has the document's name.
fn listed(name: &'static str, rows: &(impl Serialize + ?Sized)) -> Vec<u8> {
    document(name, &BTreeMap::from([(name, rows)]))
}
