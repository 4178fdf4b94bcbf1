//! What tools are to do, and what they answered.

use serde_json::{Value, json};
use windlass_core::observation::{Excerpt, Observation, ToolInput};

use super::{assistant, decode, output};

fn call(name: &str, input: &Value) -> String {
    assistant(&json!([{"type": "tool_use", "id": "t1", "name": name, "input": input}]))
}

fn answer(content: &Value, is_error: bool) -> String {
    let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": is_error});
    json!({"type": "user", "message": {"role": "user", "content": [block]}}).to_string()
}

fn input(name: &str, input: &Value) -> ToolInput {
    let found = decode(call(name, input));
    match found.observations.into_iter().next() {
        Some(Observation::ToolUse { input, .. }) => input,
        other => panic!("{other:?}"),
    }
}

// rows: 37, 39
// Seed defect D2, src/streaming.rs:197-198, 257-258: a cut within a letter of several bytes was a panic.
#[test]
fn a_tools_input_is_read_by_its_kind() {
    for (name, value, expected) in known_inputs() {
        assert_eq!(input(name, &value), expected, "{name} {value}");
    }
    let ToolInput::Other { json } = input("mcp__x", &json!({"long": "é".repeat(5000)})) else { panic!() };
    assert_eq!(json.chars().count(), 2000);
}

fn known_inputs() -> Vec<(&'static str, Value, ToolInput)> {
    vec![
        (
            "Read",
            json!({"file_path": "/a", "offset": 3, "limit": 15}),
            ToolInput::Read { path: "/a".into(), offset: Some(3), limit: Some(15) },
        ),
        (
            "Read",
            json!({"file_path": "/a"}),
            ToolInput::Read { path: "/a".into(), offset: None, limit: None },
        ),
        (
            "Edit",
            json!({"file_path": "/a", "old_string": "x\ny", "new_string": "", "replace_all": true}),
            ToolInput::Edit { path: "/a".into(), old: "x\ny".into(), new: String::new(), all: true },
        ),
        (
            "Write",
            json!({"file_path": "/a", "content": "é\nb"}),
            ToolInput::Write { path: "/a".into(), bytes: 4, lines: 2 },
        ),
        (
            "Write",
            json!({"file_path": "/a", "content": ""}),
            ToolInput::Write { path: "/a".into(), bytes: 0, lines: 0 },
        ),
        (
            "Bash",
            json!({"command": "ls", "description": "d"}),
            ToolInput::Bash { command: "ls".into(), description: "d".into() },
        ),
        (
            "Grep",
            json!({"pattern": "p", "path": "/a"}),
            ToolInput::Grep { pattern: "p".into(), path: "/a".into() },
        ),
        ("Glob", json!({"pattern": "*.rs"}), ToolInput::Glob { pattern: "*.rs".into(), path: String::new() }),
        (
            "Agent",
            json!({"description": "look", "prompt": "p"}),
            ToolInput::Agent { description: "look".into() },
        ),
        ("Task", json!({"description": "look"}), ToolInput::Agent { description: "look".into() }),
        ("Bash", json!({"nope": 1}), ToolInput::Other { json: r#"{"nope":1}"#.into() }),
        ("Edit", json!({"file_path": 7}), ToolInput::Other { json: r#"{"file_path":7}"#.into() }),
        ("mcp__x__ping", json!({}), ToolInput::Other { json: "{}".into() }),
    ]
}

// rows: 39
#[test]
fn an_edit_is_never_cut() {
    let old = "x\n".repeat(1_000_000);
    let ToolInput::Edit { old: shown, .. } =
        input("Edit", &json!({"file_path": "/a", "old_string": old, "new_string": "b"}))
    else {
        panic!()
    };
    assert_eq!(shown, old);
}

// rows: 38
// Seed defect D2, src/streaming.rs:77: an answer in blocks made the whole event unreadable.
#[test]
fn an_answer_names_its_tool_and_may_be_blocks() {
    let stream = format!("{}\n{}", call("Bash", &json!({"command": "ls"})), answer(&json!("a\nb"), false));
    assert_eq!(
        decode(&stream).observations[1],
        Observation::ToolResult {
            id: "t1".into(),
            name: "Bash".into(),
            is_error: false,
            output: Excerpt { text: "a\nb".into(), bytes: 3, lines: 2, cut: false },
            nested: false,
        }
    );
    let blocks = json!([{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}]);
    assert_eq!(
        output(&answer(&blocks, false)),
        Excerpt { text: "a\n[image]\nb".into(), bytes: 11, lines: 3, cut: false }
    );
    assert_eq!(output(&answer(&Value::Null, false)), Excerpt::default());
}

// rows: 38
// Seed defect D2, src/streaming.rs:77: an answer that was a list made the whole event unreadable.
#[test]
fn a_long_answer_is_cut_and_an_error_is_not() {
    let long = format!("{}\u{e9}", "line\n".repeat(30_000));
    let excerpt = output(&answer(&json!(long), false));
    assert!(excerpt.cut && excerpt.text.len() <= 64 * 1024 && long.starts_with(&excerpt.text));
    assert!(excerpt.bytes >= long.len() as u64);
    let error = output(&answer(&json!(long), true));
    assert_eq!(
        (error.text.as_str(), error.bytes, error.lines, error.cut),
        (long.as_str(), long.len() as u64, 30_001, false)
    );
    let blocks = json!([{"type": "text", "text": long}, {"type": "text", "text": "more"}]);
    assert!(output(&answer(&blocks, false)).cut);
    let wrapped =
        output(&answer(&json!("<tool_use_error>String to replace not found</tool_use_error>"), true));
    assert_eq!(
        wrapped,
        Excerpt { text: "String to replace not found".into(), bytes: 27, lines: 1, cut: false }
    );
}

#[test]
fn observations_of_an_enormous_line_stay_small() {
    let text = "0123456789abcde\n".repeat(20 * 65_536);
    let line = answer(&json!(text), false);
    assert!(line.len() > 20_000_000);
    let excerpt = output(&line);
    assert!(excerpt.cut && excerpt.text.capacity() <= 128 * 1024);
    assert_eq!(excerpt.bytes, (line.len() - answer(&json!(""), false).len()) as u64);
    let written = input("Write", &json!({"file_path": "/a", "content": text}));
    assert_eq!(written, ToolInput::Write { path: "/a".into(), bytes: text.len() as u64, lines: 20 * 65_536 });
}
