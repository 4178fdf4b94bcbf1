//! The tool calls in a line, and nothing else of it: what an audit of a run is made from.

use windlass_core::observation::ToolTrace;

use super::event::{Block, Envelope, Message, System};
use crate::json::{self, Field};

/// Finds what a line says of tool calls: calls with their whole input as it was written, answers, refusals. A line that
/// cannot be read says nothing of them.
pub(super) fn tool_traces(line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
    let text = String::from_utf8_lossy(line);
    let Some(envelope) = json::object::<Envelope<'_>>(Some(&text)) else { return };
    let nested = envelope.parent_tool_use_id.is_some();
    match (&*json::word(envelope.kind), &*json::word(envelope.subtype)) {
        ("assistant" | "user", _) => {
            let content = json::object::<Message<'_>>(envelope.message).and_then(|message| message.content);
            json::each(content, |block| in_block(block, nested, found));
        }
        ("system", "permission_denied") => refused(&text, found),
        _ => {}
    }
}

/// Tools of the agent are answered by `user` lines, those of the model's own side by `assistant` ones, each with a kind of
/// its own: `tool_result`, `web_search_tool_result`, `mcp_tool_result`.
fn in_block(block: Field<'_>, nested: bool, found: &mut dyn FnMut(ToolTrace)) {
    let Some(block) = json::object::<Block<'_>>(block) else { return };
    match &*json::word(block.kind) {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => found(ToolTrace::Called {
            id: json::word(block.id).into_owned(),
            name: json::word(block.name).into_owned(),
            input: block.input.unwrap_or("null").to_owned(),
            nested,
        }),
        kind if kind.ends_with("tool_result") => found(ToolTrace::Answered {
            id: json::word(block.tool_use_id).into_owned(),
            is_error: json::flag(block.is_error).unwrap_or(false),
        }),
        _ => {}
    }
}

fn refused(line: &str, found: &mut dyn FnMut(ToolTrace)) {
    if let Some(system) = json::object::<System<'_>>(Some(line)) {
        found(ToolTrace::Refused { id: json::word(system.tool_use_id).into_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traces(line: &str) -> Vec<ToolTrace> {
        let mut all = Vec::new();
        tool_traces(line.as_bytes(), &mut |trace| all.push(trace));
        all
    }

    fn called(id: &str, name: &str, input: &str, nested: bool) -> ToolTrace {
        ToolTrace::Called { id: id.to_owned(), name: name.to_owned(), input: input.to_owned(), nested }
    }

    #[test]
    fn a_call_is_had_whole_and_as_it_was_written() {
        let input = r#"{ "z":1e400, "command": "a\ud800b\n",  "z":[ {}, null ] }"#;
        let long = format!("\"{}\"", "x".repeat(3_000_000));
        let line = format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"x"}},{{"type":"tool_use","id":"a","name":"Bash","input":{input}}},{{"type":"server_tool_use","id":"b","name":"web","input":{long}}},{{"type":"tool_use","id":"c","name":"None"}}]}},"parent_tool_use_id":"p"}}"#
        );
        assert_eq!(
            traces(&line),
            [
                called("a", "Bash", input, true),
                called("b", "web", &long, true),
                called("c", "None", "null", true)
            ]
        );
    }

    #[test]
    fn answers_and_refusals_find_their_calls() {
        let answers = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true},{"type":"tool_result","tool_use_id":"b","content":"x"}]}}"#;
        let answered = |id: &str, is_error| ToolTrace::Answered { id: id.to_owned(), is_error };
        assert_eq!(traces(answers), [answered("a", true), answered("b", false)]);
        let own = r#"{"type":"assistant","message":{"content":[{"type":"web_search_tool_result","tool_use_id":"w"}]}}"#;
        assert_eq!(traces(own), [answered("w", false)]);
        let refused = r#"{"type":"system","subtype":"permission_denied","tool_use_id":"a"}"#;
        assert_eq!(traces(refused), [ToolTrace::Refused { id: "a".to_owned() }]);
    }

    #[test]
    fn whatever_else_is_in_a_stream_is_no_call() {
        for line in [
            "",
            "garbage",
            "{",
            "[]",
            r#"{"type":"assistant"}"#,
            r#"{"type":"assistant","message":{"content":"tool_use"}}"#,
            r#"{"type":"assistant","message":{"content":[1,"x",null,{"type":7}]}}"#,
            r#"{"type":"result","permission_denials":[{"tool_name":"Bash"}]}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result"}"#,
        ] {
            assert_eq!(traces(line), [], "{line}");
        }
    }
}
