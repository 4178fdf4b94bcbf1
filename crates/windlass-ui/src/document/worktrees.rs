//! The worktrees of a project: where each is, and what is in it that is nowhere else.

use serde::Serialize;
use windlass_core::values::RunId;

use super::runs::RunState;
use super::table::{Align, Column, Narrow, Row, nothing_yet, table};
use crate::document::listed;
use crate::harmless::one_line;
use crate::line::Tone;
use crate::terminal::Terminal;

/// A worktree in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorktreeRow {
    /// Its name.
    pub name: String,
    /// Its branch, as people write it.
    pub branch: String,
    /// Where it is, or was.
    pub path: String,
    /// The branch that it is compared with: the one it came from.
    pub base: Option<String>,
    /// The newest run in it.
    pub run: Option<RunId>,
    /// How that run stands.
    pub state: Option<RunState>,
    /// Commits that its branch has and the base has not.
    pub ahead: u64,
    /// Commits that the base has and its branch has not.
    pub behind: u64,
    /// Nothing of its branch would be lost.
    pub merged: bool,
    /// Files in it that are in no commit; `None` where that cannot be known.
    pub uncommitted: Option<u64>,
    /// What is wrong with it: one sentence.
    pub problem: Option<String>,
}

/// The worktrees by name; every line ends with a newline.
pub fn worktrees_table(rows: &[WorktreeRow], terminal: &Terminal) -> String {
    if rows.is_empty() {
        return nothing_yet(
            "no worktrees yet: `windlass run --worktree NAME -p \"what is to be done\"` makes one",
            terminal,
        );
    }
    let columns = [
        Column { heading: "worktree", align: Align::Left, tone: Tone::Strong },
        Column { heading: "ahead", align: Align::Right, tone: Tone::Plain },
        Column { heading: "behind", align: Align::Right, tone: Tone::Plain },
        Column { heading: "uncommitted", align: Align::Right, tone: Tone::Plain },
        Column { heading: "run", align: Align::Left, tone: Tone::Plain },
        Column { heading: "state", align: Align::Left, tone: Tone::Plain },
        Column { heading: "path", align: Align::Left, tone: Tone::Dim },
    ];
    let rows = rows.iter().map(|row| {
        let cells = [
            row.name.clone(),
            row.ahead.to_string(),
            row.behind.to_string(),
            row.uncommitted.map_or_else(|| "-".to_owned(), |files| files.to_string()),
            row.run.as_ref().map_or_else(|| "-".to_owned(), |run| one_line(&run.0)),
            row.state.map_or("-", RunState::name).to_owned(),
            one_line(&row.path),
        ];
        Row { cells, state: None, problem: row.problem.as_deref() }
    });
    table(columns, Narrow::Nothing, &rows.collect::<Vec<_>>(), terminal)
}

/// The same as one line of JSON.
pub fn worktrees_json(rows: &[WorktreeRow]) -> Vec<u8> {
    listed("worktrees", rows)
}

#[cfg(test)]
mod tests {
    use windlass_core::values::StopReason;

    use super::*;
    use crate::testing::columns;

    #[test]
    fn a_list_says_what_is_in_each_and_nowhere_else() {
        let first = WorktreeRow {
            name: "api".to_owned(),
            branch: "windlass/api".to_owned(),
            path: "/w/api".to_owned(),
            base: Some("main".to_owned()),
            run: Some(RunId("r-1234abcd".to_owned())),
            state: Some(RunState::Ended(StopReason::Complete)),
            ahead: 3,
            behind: 12,
            merged: false,
            uncommitted: Some(0),
            problem: None,
        };
        let second = WorktreeRow {
            name: "docs".to_owned(),
            path: "/w/do\u{1b}cs".to_owned(),
            run: None,
            state: None,
            uncommitted: None,
            problem: Some("its folder is gone".to_owned()),
            ..first.clone()
        };
        let rows = [first, second];
        assert_eq!(
            worktrees_table(&rows, &columns(80)),
            "\
worktree  ahead  behind  uncommitted  run         state     path
api           3      12            0  r-1234abcd  complete  /w/api
docs          3      12            -  -           -         /w/dos
  ! its folder is gone
"
        );
        crate::view::check_document("worktrees", &worktrees_json(&rows));
        let document: serde_json::Value = serde_json::from_slice(&worktrees_json(&rows)).unwrap();
        assert_eq!((&document["type"], &document["worktrees"][0]["ahead"]), (&"worktrees".into(), &3.into()));
        assert!(worktrees_table(&[], &columns(80)).contains("windlass run --worktree NAME"));
    }
}
