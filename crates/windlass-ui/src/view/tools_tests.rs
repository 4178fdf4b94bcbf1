use jiff::Timestamp;
use serde_json::Value;
use windlass_core::values::{CallId, LaneId};

use super::*;
use crate::event::Event;
use crate::printer::Output;
use crate::terminal::Terminal;
use crate::testing::{Night, Screenshot, columns};

fn called(id: &str, name: &str, input: &str, nested: bool) -> ToolTrace {
    ToolTrace::Called { id: id.to_owned(), name: name.to_owned(), input: input.to_owned(), nested }
}

fn answered(id: &str, is_error: bool) -> ToolTrace {
    ToolTrace::Answered { id: id.to_owned(), is_error }
}

/// What is listed of the first call of a run.
fn listed(form: ToolsForm, terminal: &Terminal, tools: &[&str], traces: Vec<(i64, ToolTrace)>) -> String {
    let paper = Screenshot::default();
    let output = || Output::new(terminal.clone(), paper.clone());
    let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
    let mut view = ToolsView::new(Printer::new(output(), output()), form, &tools);
    let mut night = Night::new();
    night.start().iteration(1);
    for event in &night.events {
        if let Event::Fact(entry) = event {
            view.fact(entry);
        }
    }
    let begin: Timestamp = "2026-03-01T23:59:58Z".parse().unwrap();
    for (seconds, trace) in traces {
        let at = begin + jiff::SignedDuration::from_secs(seconds);
        view.trace(Place { lane: LaneId(0), call: CallId(1), line: 1, at }, trace);
    }
    view.flush();
    view.finish();
    paper.text()
}

fn traces() -> Vec<(i64, ToolTrace)> {
    vec![
        (
            0,
            called(
                "1",
                "Bash",
                r#"{"command":"cargo test -q\n  --workspace -- one two three four five six"}"#,
                false,
            ),
        ),
        (1, answered("1", false)),
        (
            1,
            called(
                "2",
                "Edit",
                r#"{"file_path":"/home/ada/ledger/src/a.rs","old_string":"a","new_string":"b"}"#,
                false,
            ),
        ),
        (1, answered("2", true)),
        (2, called("3", "Task", r#"{"description":"Look \u001b[31maround"}"#, false)),
        (2, called("4", "mcp__tracker__find", r#"{"q":"a\ud800"}"#, true)),
        (3, answered("4", false)),
        (3, answered("3", false)),
        (4, called("5", "Bash", r#"{"command":"rm -rf /"}"#, false)),
        (4, ToolTrace::Refused { id: "5".to_owned() }),
        (4, answered("5", true)),
        (5, called("6", "Read", r#"{"file_path":"/etc/hosts"}"#, false)),
    ]
}

// rows: 36, 37, 38, 113
// Seed defect D2, src (log_dir): a run left no trace of its tool calls.
#[test]
fn a_row_for_each_call_at_80_columns() {
    assert_eq!(
        listed(ToolsForm::Rows, &columns(80), &[], traces()),
        "\
2026-03-01  it.  result  tool        what
23:59:58      1  ok      Bash        cargo test -q --workspace -- one two three…
23:59:59      1  error   Edit        src/a.rs
2026-03-02  it.  result  tool        what
00:00:00      1  ok      Task        Look around
00:00:00      1  ok        mcp__tracker__find  {\"q\":\"a\\ud800\"}
00:00:02      1  denied  Bash        rm -rf /
00:00:03      1  open    Read        /etc/hosts
"
    );
}

#[test]
fn without_a_terminal_nothing_is_cut_and_only_what_is_asked_for_is_listed() {
    let text = listed(ToolsForm::Rows, &Terminal::plain(), &["bash", "read"], traces());
    assert!(text.contains("cargo test -q --workspace -- one two three four five six\n"), "{text}");
    assert!(!text.contains("Edit") && text.contains("/etc/hosts"), "{text}");
    assert!(text.is_ascii() && !text.contains('\u{1b}'), "{text}");
    assert_eq!(listed(ToolsForm::Rows, &Terminal::plain(), &["Glob"], traces()), "no tool calls\n");
    assert_eq!(listed(ToolsForm::Json, &Terminal::plain(), &["Glob"], traces()), "");
}

#[test]
fn machines_get_each_input_whole() {
    let long = format!(r#"{{"z":1.50,"a":"{}","control":"{}"}}"#, "x".repeat(100_000), '\u{9b}');
    let calls = vec![(0, called("1", "Other", &long, false)), (2, answered("1", false))];
    let text = listed(ToolsForm::Json, &columns(80), &[], calls);
    assert!(text.contains(r#""input":{"z":1.50,"a":"xxx"#) && text.contains(r#""control":"\u009b"}"#));
    let line: Value = serde_json::from_str(&text).unwrap();
    let input: Value = serde_json::from_str(&long).unwrap();
    assert_eq!((&line["input"], &line["duration_ms"]), (&input, &2000.into()));

    let text = listed(ToolsForm::Json, &columns(80), &[], traces());
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes: Vec<&str> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["ok", "error", "ok", "ok", "denied", "open"]);
    assert_eq!(lines[3]["input"], r#"{"q":"a\ud800"}"#, "a lone surrogate is not strict JSON");
    assert_eq!((&lines[3]["nested"], &lines[5]["duration_ms"]), (&true.into(), &Value::Null));
    for line in text.lines() {
        crate::view::schema::tests::check_document("tool_call", line.as_bytes());
    }
}
