//! What a person or a machine sees of a run. This crate gets facts and observations and nothing else, and it is the
//! only one that prints.
//!
//! An [`Event`] goes through a [`Screen`] (a thread of its own, so that a slow or closed terminal never slows or ends a
//! run) to one or more [`View`]s; a replay gives the same events to the same views and shows the same lines. Each view
//! folds what it has to remember into a [`Board`] and writes through a [`Printer`].

// The made-up night in `examples/` speaks of this crate by its name.
#[cfg(test)]
extern crate self as windlass_ui;

mod activity;
mod board;
mod document;
mod elsewhere;
mod error;
mod event;
pub mod format;
mod harmless;
mod line;
mod narrate;
mod printer;
mod screen;
mod seen;
mod terminal;
#[cfg(test)]
mod testing;
mod tool;
mod trail;
mod view;
mod words;

pub use board::Board;
pub use document::{ArchiveRow, ArchiveShown, archive_json, archive_text, archives_json, archives_table};
pub use document::{
    ConfigFile, ConfigFileState, OriginTold, config_files_json, config_files_text, config_json, config_table,
    config_value, config_value_json, keys_json, keys_text,
};
pub use document::{Finding, Health, doctor_json, doctor_text};
pub use document::{HookRow, hook_tried, hooks_json, hooks_table};
pub use document::{ImportRow, ImportState, import_json, import_text};
pub use document::{Judgement, judgement_json, judgement_text};
pub use document::{MigrationShown, MigrationState, migration_text};
pub use document::{NamedTask, StatusTasks, TaskAtWork};
pub use document::{OptionShown, VerificationShown, WorkspaceShown, workspace_json, workspace_text};
pub use document::{PlanShown, plan_json, plan_text};
pub use document::{
    RunRow, RunState, RunStatus, StatusSuspicion, commit_range, runs_json, runs_table, status_json,
    status_text,
};
pub use document::{
    TasksShown, next_task_json, next_task_text, task_marked, tasks_dot, tasks_json, tasks_judged,
    tasks_mermaid, tasks_table, tasks_tree,
};
pub use document::{
    TemplateRow, TemplateShown, template_json, template_text, templates_json, templates_table,
};
pub use document::{WorkspaceRow, WorkspaceState, workspaces_json, workspaces_table};
pub use document::{WorktreeRow, worktrees_json, worktrees_table};
pub use document::{removed_lines, startable_lines, trust_json, trust_lines};
pub use elsewhere::typed_elsewhere;
pub use error::{render_error, render_warning};
pub use event::{Event, Level, View};
pub use harmless::{harmless, one_line};
pub use line::{Line, Mark, Tone};
pub use printer::{Output, Printer};
pub use screen::{Screen, ScreenHandle};
pub use terminal::{Glyphs, Stream, Terminal, is_abandoned, measure, terminal_reset};
pub use trail::TracePlace;
pub use view::{
    FORMAT_VERSION, JsonView, LogParts, LogSink, LogState, LogView, ProgressView, QuietView, ToolsForm,
    ToolsView, VerboseView, view,
};

/// Shows events in views, one after the other, until the events end or nobody is left to look: a replay.
pub fn replay(events: impl IntoIterator<Item = Event>, views: &mut [Box<dyn View>]) {
    for event in events {
        for view in views.iter_mut() {
            view.event(&event);
        }
        if views.iter().all(|view| view.is_closed()) {
            break;
        }
    }
    for view in views.iter_mut() {
        view.flush();
        view.finish();
    }
}
