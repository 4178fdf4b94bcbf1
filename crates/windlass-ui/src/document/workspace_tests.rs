use crate::document::WorkspaceState;
use windlass_core::spec::Mode;
use windlass_core::values::{Cost, Items, RunId, StopReason};
use windlass_core::workspace::WorkspaceStatus;

use super::super::runs::RunState;
use super::*;
use crate::testing::columns;

fn now() -> Timestamp {
    "2026-03-01T21:00:00Z".parse().unwrap()
}

fn option(key: &str, value: &str, origin: &str) -> OptionShown {
    OptionShown { key: key.to_owned(), value: value.to_owned(), origin: origin.to_owned() }
}

fn shown() -> WorkspaceShown {
    let hour_ago = now() - std::time::Duration::from_hours(1);
    WorkspaceShown {
        row: WorkspaceRow {
            name: "port".to_owned(),
            mode: Mode::Loop,
            state: WorkspaceState::At(WorkspaceStatus::InProgress),
            status: WorkspaceStatus::InProgress,
            run: None,
            total_iterations: 13,
            execution_iterations: 12,
            remaining: Some(25),
            total: Some(60),
            last_run: Some(hour_ago),
            problem: None,
        },
        folder: "/home/ada/ledger/.windlass/workspaces/port".to_owned(),
        created: None,
        setup_iterations: 1,
        verification: Some(VerificationShown {
            attempts: 2,
            last: "needs_review".to_owned(),
            time: Some(hour_ago),
        }),
        has_instructions: true,
        standing: JobStatus {
            source: StatusSource::StatusFile,
            items: Some(Items { done: 35, total: 60 }),
            summary: "Ported 35 endpoints\x1b[2J".to_owned(),
            problem: Some("`complete` is missing".to_owned()),
            ..JobStatus::default()
        },
        options: vec![
            option("limits.max_iterations", "7", "config.toml:5"),
            option("clocks.delay", "0", "config.toml:8"),
        ],
        configuration_problem: None,
        notifications: vec![option("notify.url", "https://ntfy.sh/…", "user's config.toml:3")],
        runs: vec![RunRow {
            run: RunId("r-abcdefgh".to_owned()),
            title: "Port the endpoints".to_owned(),
            mode: Mode::Loop,
            workspace: Some("port".to_owned()),
            items: None,
            directory: "/home/ada/ledger".to_owned(),
            started: hour_ago,
            iterations: 12,
            cost: Cost::from_dollars(3.2),
            estimated: false,
            estimated_cost: Cost::ZERO,
            state: RunState::Ended(StopReason::MaxIterations),
        }],
        next: vec!["windlass run port".to_owned(), "windlass logs r-abcdefgh".to_owned()],
    }
}

// rows: 126
#[test]
fn a_workspace_is_shown_with_all_that_is_known_of_it() {
    assert_eq!(
        workspace_text(&shown(), now(), &columns(80)),
        "\
port in progress · loop
  folder      /home/ada/ledger/.windlass/workspaces/port
  iterations  12, after 1 session of setup
  last run    2026-03-01 20:00:00 (1h ago)
  verified    ? needs review (1h ago, 2 attempts)
  job         ✓ INSTRUCTIONS.md
  claim       not complete, 35 of 60 items (.status.json)
              Ported 35 endpoints
              ! .status.json: `complete` is missing
  options     limits.max_iterations = 7 (config.toml:5)
              clocks.delay = 0 (config.toml:8)
  notify      notify.url = https://ntfy.sh/… (user's config.toml:3)

  run         started  it.   cost  state           job
  r-abcdefgh  1h ago    12  $3.20  max_iterations  port: Port the endpoints

  next        windlass run port
              windlass logs r-abcdefgh
"
    );
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let mut bare = shown();
    bare.has_instructions = false;
    bare.standing = JobStatus::default();
    (bare.options, bare.notifications, bare.runs, bare.next) = (vec![], vec![], vec![], vec![]);
    bare.row.problem = Some(".metadata.json is broken: it is empty".to_owned());
    bare.configuration_problem = Some("config.toml:1: unknown key `x.y`".to_owned());
    let text = workspace_text(&bare, now(), &columns(80));
    for line in [
        "! INSTRUCTIONS.md is missing, empty or no text",
        "none yet: there is no .status.json",
        "  ! .metadata.json is broken: it is empty",
        "  ! config.toml:1: unknown key `x.y`",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let text = workspace_text(&shown(), now(), &columns(50));
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 60).collect();
    assert!(wide.is_empty(), "{wide:?}");
}

#[test]
fn machines_get_a_document() {
    let bare = WorkspaceShown {
        verification: None,
        standing: JobStatus::default(),
        configuration_problem: Some("config.toml:1: unknown key `x.y`".to_owned()),
        ..shown()
    };
    let full = JobStatus {
        mark: "5eed".to_owned(),
        complete: true,
        worked: Some(true),
        phase: "tests".to_owned(),
        blockers: vec!["a key is missing".to_owned()],
        ..shown().standing
    };
    for shown in [shown(), bare, WorkspaceShown { standing: full, created: Some(now()), ..shown() }] {
        crate::view::check_document("workspace", &workspace_json(&shown));
    }
    let document: serde_json::Value = serde_json::from_slice(&workspace_json(&shown())).unwrap();
    assert_eq!((&document["v"], &document["type"]), (&1.into(), &"workspace".into()));
    assert_eq!((&document["name"], &document["state"]), (&"port".into(), &"in_progress".into()));
    assert_eq!(document["options"][0]["key"], "limits.max_iterations");
    assert_eq!(document["runs"][0]["run"], "r-abcdefgh");
}
