use std::time::Duration;

use windlass_core::values::{RunId, Spent, StopReason};

use super::*;
use crate::testing::columns;

fn now() -> Timestamp {
    "2026-03-01T21:00:00Z".parse().unwrap()
}

fn row(run: &str, minutes_ago: u64, state: RunState) -> RunRow {
    RunRow {
        run: RunId(run.to_owned()),
        title: "Make the parser accept ISO dates and cover it with tests".to_owned(),
        directory: "/home/ada/ledger".to_owned(),
        mode: Mode::Goal,
        workspace: None,
        items: None,
        started: now() - Duration::from_mins(minutes_ago),
        iterations: 12,
        cost: Cost::from_dollars(3.2),
        estimated: state == RunState::Interrupted,
        estimated_cost: Spent::of(Cost::from_dollars(3.2), state == RunState::Interrupted).estimated,
        state,
    }
}

fn three() -> [RunRow; 3] {
    [
        row("r-newest00", 5, RunState::Running),
        row("r-oldest00", 4_000, RunState::Ended(StopReason::MaxIterations)),
        row("r-middle00", 90, RunState::Interrupted),
    ]
}

#[test]
fn a_table_ends_with_the_newest() {
    assert_eq!(
        runs_table(&three(), now(), &columns(80)),
        "run         started  it.    cost  state           job
r-oldest00  2d ago    12   $3.20  max_iterations  Make the parser accept ISO da…
r-middle00  1h ago    12  ≈$3.20  interrupted     Make the parser accept ISO da…
r-newest00  5m ago    12   $3.20  running         Make the parser accept ISO da…
"
    );
}

#[test]
fn on_a_narrow_terminal_the_state_is_whole() {
    assert_eq!(
        runs_table(&three(), now(), &columns(40)),
        "run         state             cost  job
r-oldest00  max_iterations   $3.20  Mak…
r-middle00  interrupted     ≈$3.20  Mak…
r-newest00  running          $3.20  Mak…
"
    );
}

#[test]
fn what_judged_a_workspace_is_told_from_what_worked_on_it() {
    let of = |mode| RunRow {
        mode,
        workspace: Some("api".to_owned()),
        title: "Port it".to_owned(),
        ..row("r-1", 5, RunState::Running)
    };
    for (mode, job) in [(Mode::Loop, "  api: Port it"), (Mode::Verify, "  verify api: Port it")] {
        let text = runs_table(&[of(mode)], now(), &columns(80));
        assert!(text.trim_end().ends_with(job), "{text}");
    }
}

#[test]
fn a_pipe_gets_whole_titles() {
    let text = runs_table(&three(), now(), &Terminal::plain());
    assert_eq!(text.matches("cover it with tests\n").count(), 3);
}

#[test]
fn places_are_named_where_they_differ() {
    let mut rows = three();
    rows[0].directory = "/home/ada/\x1b[2Jother".to_owned();
    let text = runs_table(&rows, now(), &Terminal::plain());
    assert!(text.contains("with tests  (/home/ada/other)\n"), "{text}");
}

#[test]
fn no_run_says_how_to_start_one() {
    assert_eq!(
        runs_table(&[], now(), &columns(80)),
        "no runs yet: `windlass run -p \"what is to be done\"` starts one\n"
    );
    let elsewhere = Terminal { elsewhere: Some("-C app".to_owned()), ..columns(80) };
    assert_eq!(
        runs_table(&[], now(), &elsewhere),
        "no runs yet: `windlass -C app run -p \"what is to be done\"` starts one\n"
    );
}

#[test]
fn ten_thousand_runs_are_a_table_too() {
    let rows: Vec<RunRow> = (0..10_000).map(|index| row("r-00000000", index, RunState::Running)).collect();
    assert_eq!(runs_table(&rows, now(), &columns(80)).lines().count(), 10_001);
}

#[test]
fn machines_get_a_document() {
    let document: serde_json::Value = serde_json::from_slice(&runs_json(&three())).unwrap();
    assert_eq!((&document["v"], &document["type"]), (&1.into(), &"runs".into()));
    let first = &document["runs"][0];
    assert_eq!(first["run"], "r-newest00");
    assert_eq!(first["state"], "running");
    assert_eq!(first["cost_usd"], 3.2);
    assert_eq!(document["runs"][1]["state"], "max_iterations");
}

#[test]
fn the_list_is_as_the_table_of_documents_says_and_claims_are_told_apart() {
    let claimed = row("r-claimed0", 1, RunState::Claimed);
    let rows = [three().to_vec(), vec![claimed]].concat();
    let line = runs_json(&rows);
    crate::view::check_document("runs", &line);
    let document: serde_json::Value = serde_json::from_slice(&line).unwrap();
    let states: Vec<_> =
        document["runs"].as_array().unwrap().iter().map(|run| (&run["state"], &run["claimed"])).collect();
    assert_eq!(states.last().unwrap(), &(&"complete".into(), &true.into()));
    assert!(states[..3].iter().all(|(_, claimed)| claimed.is_null()));
    assert!(runs_table(&rows, now(), &columns(100)).contains("complete (claimed; no gate)"));
}

#[test]
fn the_state_alone_has_a_colour_of_its_own() {
    let terminal = Terminal { colour: true, ..columns(80) };
    let row = "\u{1b}[1mr-newest00\u{1b}[0m\u{1b}[2m  5m ago \u{1b}[0m   12  $3.20  \u{1b}[36mrunning\u{1b}[0m  Make the";
    assert!(runs_table(&three()[..1], now(), &terminal).contains(row));
}
