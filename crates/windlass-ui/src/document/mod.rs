//! Documents that commands print: lists and the state of a run, for people and for machines.

mod archives;
mod config;
mod doctor;
mod hooks;
mod import;
mod judgement;
mod migration;
mod plan;
mod runs;
mod status;
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

use crate::view::{FORMAT_VERSION, json_line};

pub use archives::{ArchiveRow, ArchiveShown, archive_json, archive_text, archives_json, archives_table};
pub use config::{
    ConfigFile, ConfigFileState, OriginTold, config_files_json, config_files_text, config_json, config_table,
    config_value, config_value_json, keys_json, keys_text,
};
pub use doctor::{Finding, Health, doctor_json, doctor_text};
pub use hooks::{HookRow, hook_tried, hooks_json, hooks_table};
pub use import::{ImportRow, ImportState, import_json, import_text};
pub use judgement::{Judgement, judgement_json, judgement_text};
pub use migration::{MigrationShown, MigrationState, migration_text};
pub use plan::{PlanShown, plan_json, plan_text};
pub use runs::{RunRow, RunState, runs_json, runs_table};
pub use status::{RunStatus, commit_range, status_json, status_text};
pub use status_tasks::{NamedTask, StatusTasks, TaskAtWork};
pub use suspicion::StatusSuspicion;
pub use tasks::{
    TasksShown, next_task_json, next_task_text, task_marked, tasks_dot, tasks_json, tasks_judged,
    tasks_mermaid, tasks_table, tasks_tree,
};
pub use templates::{
    TemplateRow, TemplateShown, template_json, template_text, templates_json, templates_table,
};
pub use trust::{removed_lines, startable_lines, trust_json, trust_lines};
pub use workspace::{OptionShown, VerificationShown, WorkspaceShown, workspace_json, workspace_text};
pub use workspaces::{WorkspaceRow, WorkspaceState, workspaces_json, workspaces_table};
pub use worktrees::{WorktreeRow, worktrees_json, worktrees_table};

/// A document as one line of JSON: the format's version, its type, and its fields in their order.
fn document(name: &'static str, fields: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        v: u32,
        r#type: &'static str,
        #[serde(flatten)]
        fields: &'a T,
    }
    json_line(&Document { v: FORMAT_VERSION, r#type: name, fields }).unwrap_or_default()
}

/// A document that is a list, which has the document's name.
fn listed(name: &'static str, rows: &(impl Serialize + ?Sized)) -> Vec<u8> {
    document(name, &BTreeMap::from([(name, rows)]))
}
