use std::collections::BTreeSet;

use serde_json::Value;
use windlass_core::values::{StopReason, StopSource};

use super::*;
use crate::harmless::is_harmless;
use crate::terminal::Terminal;
use crate::testing::{Night, shown};

fn lines(events: &[Event]) -> Vec<Value> {
    let (results, notes) = shown(JsonView::new, &Terminal::plain(), events);
    assert_eq!(notes, "");
    results.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_line_has_a_head() {
    let events = Night::new().whole().events;
    let lines = lines(&events);
    assert_eq!(lines.len(), events.len());
    for line in &lines {
        assert_eq!(line["v"], 1);
        assert_eq!(line["run"], "r-k3v9x2aa");
        assert!(line["type"].is_string() && line["seq"].is_u64(), "{line}");
        assert!(line["time"].as_str().unwrap().ends_with('Z'), "{line}");
        assert!(line.as_object().unwrap().contains_key("lane"), "{line}");
    }
}

#[test]
fn the_types_others_rely_on() {
    let lines = lines(&Night::new().whole().events);
    let types: BTreeSet<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    for name in [
        "run_started",
        "iteration_started",
        "agent_text",
        "tool_use",
        "tool_result",
        "gate_finished",
        "waiting",
        "iteration_finished",
        "run_finished",
    ] {
        assert!(types.contains(name), "{name} is missing in {types:?}");
    }
    assert_eq!(lines.last().unwrap()["type"], "run_finished");
}

#[test]
fn the_fields_others_rely_on() {
    let lines = lines(&Night::new().whole().events);
    let first = |name: &str| lines.iter().find(|line| line["type"] == name).unwrap();

    let iteration = first("iteration_finished");
    assert_eq!(iteration["iteration"], 1);
    assert_eq!(iteration["verdict"], "worked");
    assert_eq!(iteration["class"], "success");
    assert_eq!(iteration["cost_usd"], 0.42);
    assert_eq!(iteration["duration_ms"], 252_000);
    assert_eq!(iteration["progress"], true);
    assert_eq!(iteration["tokens"]["total"], 0);

    let finished = first("run_finished");
    assert_eq!(finished["stop_reason"], "complete");
    assert_eq!(finished["iterations"], 5);
    assert_eq!(finished["cost_usd"], 2.13);
    assert_eq!(finished["tokens"]["total"], 1_200_100);
    assert_eq!(finished["duration_ms"], 1_394_000);
    assert_eq!(finished["exit_code"], 0);
    assert_eq!(finished["lane"], Value::Null);

    let gate = first("gate_finished");
    assert_eq!(gate["command"], "cargo test -q");
    assert_eq!((&gate["kind"], &gate["stage"]), (&json!("gate"), &json!("baseline")));
    assert_eq!((&gate["result"], &gate["exit_code"]), (&json!("failed"), &json!(101)));
    assert_eq!(gate["passed"], false);

    assert_eq!(first("waiting")["class"], "usage_limit");
    assert_eq!(first("iteration_started")["max_iterations"], 50);
    assert_eq!(first("run_started")["limits"]["cost_usd"], 5.0);
}

#[test]
fn an_observation_names_its_call_and_the_fact_that_started_it() {
    let lines = lines(&Night::new().whole().events);
    let reserved = lines.iter().find(|line| line["type"] == "call_reserved").unwrap();
    let text = lines.iter().find(|line| line["type"] == "agent_text").unwrap();
    assert_eq!(text["seq"], reserved["seq"]);
    assert_eq!(text["call"], 1);
    assert_eq!(text["line"], 2);
    assert_eq!(text["lane"], 0);
    assert_eq!(text["text"], "I look at the parser first.");
}

#[test]
fn both_ways_to_end_it_by_hand_have_one_name() {
    for reason in [StopReason::Interrupted, StopReason::Terminated] {
        let mut night = Night::new();
        night.start().fact(Fact::StopRequested { by: StopSource::Interrupt, stage: 1 });
        night.end(reason, "");
        let lines = lines(&night.events);
        assert_eq!(lines[1]["type"], "stop_requested");
        assert_eq!(lines[2]["stop_reason"], "manual");
    }
}

#[test]
fn what_was_left_out_is_counted() {
    let mut night = Night::new();
    night.start().events.push(Event::Dropped { count: 120 });
    let lines = lines(&night.events);
    assert_eq!((&lines[1]["type"], &lines[1]["count"]), (&json!("dropped"), &json!(120)));
}

#[test]
fn no_control_character_reaches_a_terminal() {
    let mut night = Night::new();
    let text = "a\u{9b}2J\u{7f}b\u{202e}c\x1b[2J\n\"é\"";
    night.start().iteration(1).says(text);
    let (results, _) = shown(JsonView::new, &Terminal::plain(), &night.events);
    assert!(results.chars().all(is_harmless));
    assert!(results.contains(r#""a\u009b2J\u007fb\u202ec\u001b[2J\n\"é\"""#), "{results}");
    let last: Value = serde_json::from_str(results.lines().last().unwrap()).unwrap();
    assert_eq!(last["text"], text);
}
