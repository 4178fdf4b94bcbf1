use std::time::Duration;

use super::*;
use crate::testing::columns;

fn now() -> Timestamp {
    "2026-03-01T21:00:00Z".parse().unwrap()
}

fn row(name: &str, state: WorkspaceState) -> WorkspaceRow {
    WorkspaceRow {
        name: name.to_owned(),
        mode: Mode::Iterative,
        state,
        status: WorkspaceStatus::InProgress,
        run: None,
        total_iterations: 13,
        execution_iterations: 12,
        remaining: Some(25),
        total: Some(60),
        last_run: Some(now() - Duration::from_hours(3)),
        problem: None,
    }
}

fn some() -> Vec<WorkspaceRow> {
    let mut fresh = row("fresh", WorkspaceState::At(WorkspaceStatus::InProgress));
    (fresh.mode, fresh.execution_iterations, fresh.remaining, fresh.last_run) = (Mode::Loop, 0, None, None);
    vec![
        fresh,
        row("port-parser", WorkspaceState::Running),
        row(&"a-very-long-name".repeat(4), WorkspaceState::At(WorkspaceStatus::Error)),
    ]
}

// rows: 126
#[test]
fn columns_stand_below_each_other_and_long_names_are_cut() {
    let text = workspaces_table(&some(), now(), &columns(72));
    assert_eq!(
        text,
        "\
workspace                mode       state        it.      left  last run
fresh                    loop       in progress    0         -  -
port-parser              iterative  running       12  25 of 60  3h ago
a-very-long-namea-very…  iterative  error         12  25 of 60  3h ago
"
    );
    for width in [40, 80, 120] {
        let longest = workspaces_table(&some(), now(), &columns(width));
        let longest = longest.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width.max(60), "{width}: {longest}");
    }
}

#[test]
fn a_pipe_gets_whole_names() {
    let text = workspaces_table(&some(), now(), &Terminal::plain());
    assert!(text.contains(&"a-very-long-name".repeat(4)), "{text}");
}

#[test]
fn machines_get_a_document() {
    crate::view::check_document("workspaces", &workspaces_json(&some()));
    let document: serde_json::Value = serde_json::from_slice(&workspaces_json(&some())).unwrap();
    assert_eq!((&document["v"], &document["type"]), (&1.into(), &"workspaces".into()));
    let first = &document["workspaces"][0];
    assert_eq!(
        (&first["mode"], &first["state"], &first["status"]),
        (&"loop".into(), &"in_progress".into(), &"in_progress".into())
    );
    assert_eq!(
        (&first["remaining"], &document["workspaces"][1]["remaining"]),
        (&serde_json::Value::Null, &25.into())
    );
}

#[test]
fn a_heading_is_whole_where_names_are_cut() {
    let terminal = Terminal { colour: true, ..columns(30) };
    let text = workspaces_table(&some(), now(), &terminal);
    assert!(text.starts_with("\u{1b}[2mworkspace  mode  "), "{text:?}");
    assert!(
        text.contains("\u{1b}[1mport-pa…\u{1b}[0m  iterative  \u{1b}[36mrunning    \u{1b}[0m   12"),
        "{text:?}"
    );
}
