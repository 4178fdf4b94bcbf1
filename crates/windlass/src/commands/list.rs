//! `list`: all workspaces.

use jiff::Timestamp;
use windlass_app::AppError;
use windlass_core::workspace::WorkspaceStatus;
use windlass_ui::{WorkspaceRow, WorkspaceState, workspaces_json, workspaces_table};

use super::{app, print, print_bytes, stdout};
use crate::args::{ListArgs, ListedStatus};

/// Does it.
pub fn run(args: &ListArgs) -> Result<(), AppError> {
    let mut rows = app()?.workspaces()?;
    let all = rows.len();
    rows.retain(|row| args.status.is_none_or(|status| stands(row, status)));
    if args.json {
        print_bytes(&workspaces_json(&rows))
    } else if rows.is_empty() {
        print(&nothing(all))
    } else {
        print(&workspaces_table(&rows, Timestamp::now(), &stdout()))
    }
}

fn stands(row: &WorkspaceRow, status: ListedStatus) -> bool {
    match status {
        ListedStatus::Running => row.state == WorkspaceState::Running,
        ListedStatus::InProgress => row.status == WorkspaceStatus::InProgress,
        ListedStatus::Completed => row.status == WorkspaceStatus::Completed,
        ListedStatus::Error => row.status == WorkspaceStatus::Error,
    }
}

fn nothing(all: usize) -> String {
    match all {
        0 => "no workspaces yet: `windlass init NAME` makes one\n".to_owned(),
        1 => "the only workspace does not have that status: `windlass list` shows it\n".to_owned(),
        all => format!("none of the {all} workspaces has that status: `windlass list` shows them\n"),
    }
}
