//! One line at a time: what it means, and that nothing it holds can do harm.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::json;
use windlass_core::observation::Observation;
use windlass_core::values::{Tokens, UsageLimit, WindowShare};

use super::{Decoded, assistant, decode, decode_as, output};
use crate::claude::ClaudeDecoder;
use crate::{Activity, Decoder, Detail, Digest};

// rows: 36, 37
// Seed defect D1, utils/stream-json-formatter.ts:65: only the first part of a message was shown.
// Seed defect D2, seed 002 §4.4, pipe: tool calls were never matched, and the last result was lost.
#[test]
fn every_block_of_a_message_counts() {
    let found = decode(assistant(&json!([
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "one"},
        {"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "/x"}},
        {"type": "tool_use", "id": "b", "name": "Bash", "input": {"command": "ls"}},
        {"type": "text", "text": ""},
        {"type": "something_new"},
        17,
    ])));
    assert_eq!(
        found.digests,
        [
            Digest::Activity(Activity::Thinking),
            Digest::Activity(Activity::Writing),
            Digest::ToolUse,
            Digest::Activity(Activity::Reading),
            Digest::ToolUse,
            Digest::Activity(Activity::Running),
            Digest::Activity(Activity::Writing),
        ]
    );
    assert_eq!(found.observations.len(), 3);
    assert_eq!(found.observations[0], Observation::AgentText { text: "one".into(), nested: false });
}

// Seed defect D1, utils/stream-json-formatter.ts:13: one parser's memory was that of all streams.
#[test]
fn streams_that_are_read_at_the_same_time_know_nothing_of_each_other() {
    let call =
        |name: &str| assistant(&json!([{"type": "tool_use", "id": "same", "name": name, "input": {}}]));
    let answer = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"same","content":"x"}]}}"#;
    let mut streams = ["Read", "Bash"].map(|name| (name, ClaudeDecoder::default(), Decoded::default()));
    for (name, decoder, found) in &mut streams {
        decoder.line(call(name).as_bytes(), Detail::Everything, found);
    }
    for (name, decoder, found) in &mut streams {
        decoder.line(answer.as_bytes(), Detail::Everything, found);
        let answered = found.observations.last();
        assert!(
            matches!(answered, Some(Observation::ToolResult { name: of, .. }) if of == name),
            "{answered:?}"
        );
    }
}

// rows: 36
#[test]
fn a_sub_agents_messages_are_nested() {
    let blocks = json!([{"type": "text", "text": "sub"}, {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}}]);
    let line = json!({"type": "assistant", "message": {"content": blocks}, "parent_tool_use_id": "toolu_parent", "error": "rate_limit"});
    let found = decode(line.to_string());
    let delegating = Digest::Activity(Activity::Delegating);
    assert_eq!(found.digests, [delegating.clone(), Digest::ToolUse, delegating]);
    assert_eq!(found.observations[0], Observation::AgentText { text: "sub".into(), nested: true });
    assert!(matches!(found.observations[1], Observation::ToolUse { nested: true, .. }));
}

// rows: 51
#[test]
fn what_the_agent_is_told_is_not_what_it_says() {
    let lines = [
        json!({"type": "user", "message": {"content": "WINDLASS_JOB_COMPLETE"}, "isReplay": true}),
        json!({"type": "user", "message": {"content": [{"type": "text", "text": "WINDLASS_JOB_COMPLETE"}]}}),
    ];
    for line in lines {
        let found = decode(line.to_string());
        assert_eq!(found.digests, [Digest::Activity(Activity::Thinking)]);
        assert!(found.observations.is_empty());
    }
}

#[test]
fn a_lone_surrogate_does_no_harm() {
    let line = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t\udfff","content":"a\ud800b","is_error":false}]}}"#;
    assert_eq!(output(line).text, "a\u{fffd}b");
    let line = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"\ud83d\ude80\ud800"},{"type":"tool_use","id":"a","name":"Bash","input":{"command":"echo \udc00","\ud800":1}}]}}"#;
    let found = decode(line);
    assert_eq!(found.observations[0], Observation::AgentText { text: "🚀\u{fffd}".into(), nested: false });
    assert_eq!(found.digests.len(), 3);
    let line = r#"{"type":"result","is_error":false,"result":"done \ud800","total_cost_usd":1}"#;
    assert!(
        matches!(&decode(line).digests[0], Digest::Result(result) if result.text == "done \u{fffd}" && !result.is_error)
    );
}

#[test]
fn what_is_no_event_is_garbage() {
    let rows: [&[u8]; 10] = [
        b"Error: something",
        b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"te",
        b"[{\"type\":\"result\"}]",
        b"17",
        b"null",
        b"{}",
        b"{\"type\":null}",
        b"{\"type\":\"result\"} trailing",
        b"\x00\x01\xff\xfe",
        b"{\"type\":\"result\",}",
    ];
    for line in rows {
        let found = decode(line);
        assert_eq!(found.digests, [Digest::Garbage], "{line:?}");
        let [Observation::Garbage { bytes, start }] = &found.observations[..] else { panic!("{line:?}") };
        assert_eq!(*bytes, line.len() as u64);
        assert!(!start.chars().any(char::is_control));
    }
    let long = decode("x".repeat(1000));
    assert_eq!(long.observations, [Observation::Garbage { bytes: 1000, start: "x".repeat(120) }]);
}

#[test]
fn what_is_not_known_is_passed_over() {
    let rows = [
        "",
        "  \r",
        r#"{"type":"brand_new","message":7}"#,
        r#"{"type":17}"#,
        r#"{"type":"system"}"#,
        r#"{"type":"system","subtype":"hook_started"}"#,
        r#"{"type":"system","subtype":"status","status":null}"#,
        r#"{"type":"assistant","message":[1]}"#,
        r#"{"type":"rate_limit_event"}"#,
        r#"{"type":"control_response"}"#,
        r#"{"type":"tool_progress","tool_name":"Bash"}"#,
    ];
    for line in rows {
        let found = decode(line);
        assert!(!found.digests.contains(&Digest::Garbage), "{line}");
        assert!(found.observations.is_empty(), "{line}");
    }
    // Bytes that are not UTF-8 within a string cost nothing but themselves.
    let found = decode(
        b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\xffb\"}]}}\r",
    );
    assert_eq!(found.observations, [Observation::AgentText { text: "a\u{fffd}b".into(), nested: false }]);
}

#[test]
fn limits_are_noticed() {
    let event = |status: &str, overage: bool| {
        let info = json!({"status": status, "resetsAt": 1_795_295_541, "rateLimitType": "five_hour", "utilization": 1, "isUsingOverage": overage});
        decode(json!({"type": "rate_limit_event", "rate_limit_info": info}).to_string())
    };
    let limit =
        UsageLimit { resets_at: Some("2026-11-21T21:12:21Z".parse().unwrap()), window: "five_hour".into() };
    let share = WindowShare { window: "five_hour".into(), used_percent: 100, resets_at: limit.resets_at };
    assert_eq!(
        event("rejected", false).digests,
        [Digest::Limit { rejected: Some(limit), overage: false }, Digest::Window(share.clone())]
    );
    assert_eq!(
        event("allowed_warning", true).digests,
        [Digest::Limit { rejected: None, overage: true }, Digest::Window(share)]
    );
    assert_eq!(
        event("allowed", false).observations,
        [Observation::LimitNotice {
            status: "allowed".into(),
            window: "five_hour".into(),
            utilization: Some(1.0),
            resets_at: Some(1_795_295_541),
        }]
    );
}

#[test]
fn retries_compaction_and_denials_are_noticed() {
    let found = decode(
        r#"{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":1098.6,"error_status":529,"error":"overloaded"}
{"type":"system","subtype":"api_retry","attempt":1,"error_status":null,"error":"unknown"}
{"type":"system","subtype":"status","status":"compacting"}
{"type":"system","subtype":"compact_boundary"}
{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"t","message":"x"}"#,
    );
    let retrying = Digest::Activity(Activity::Retrying);
    assert_eq!(
        found.digests,
        [
            Digest::Retry { status: Some(529), error: "overloaded".into() },
            retrying.clone(),
            Digest::Retry { status: None, error: "unknown".into() },
            retrying,
            Digest::Activity(Activity::Compacting),
        ]
    );
    let expected = Observation::Retrying {
        attempt: 2,
        max_attempts: 10,
        delay_ms: 1098,
        status: Some(529),
        error: "overloaded".into(),
    };
    assert_eq!(found.observations[0], expected);
    assert_eq!(
        found.observations[2..],
        [Observation::Compacted, Observation::Denied { name: "Bash".into(), id: "t".into() }]
    );
}

#[test]
fn background_tasks_are_counted_with_and_without_their_list() {
    let counts = |lines: &[&str]| {
        let digests = decode(lines.join("\n")).digests.into_iter();
        digests
            .filter_map(|digest| if let Digest::Background(running) = digest { Some(running) } else { None })
            .collect::<Vec<_>>()
    };
    let list = |tasks: &str| {
        format!(r#"{{"type":"system","subtype":"background_tasks_changed","tasks":[{tasks}]}}"#)
    };
    let started = |id: &str, rest: &str| {
        format!(r#"{{"type":"system","subtype":"task_started","task_id":"{id}"{rest}}}"#)
    };
    let updated = |id: &str, patch: &str| {
        format!(r#"{{"type":"system","subtype":"task_updated","task_id":"{id}","patch":{{{patch}}}}}"#)
    };
    let notified = |id: &str| {
        format!(r#"{{"type":"system","subtype":"task_notification","task_id":"{id}","status":"completed"}}"#)
    };
    let both = [
        list(r#"{"task_id":"a"}"#),
        started("a", r#","is_backgrounded":true"#),
        updated("a", r#""status":"completed""#),
        notified("a"),
        list(""),
    ];
    assert_eq!(counts(&both.each_ref().map(String::as_str)), [1, 0]);
    let single = [
        started("a", r#","is_backgrounded":true"#),
        started("b", ""),
        notified("a"),
        updated("b", r#""status":"killed""#),
    ];
    assert_eq!(counts(&single.each_ref().map(String::as_str)), [1, 2, 1, 0]);
    let foreground =
        [started("a", r#","is_backgrounded":false"#), updated("a", r#""status":"completed""#), notified("a")];
    assert!(counts(&foreground.each_ref().map(String::as_str)).is_empty());
    let moved = [
        started("a", r#","is_backgrounded":false"#),
        updated("a", r#""is_backgrounded":true"#),
        notified("a"),
    ];
    assert_eq!(counts(&moved.each_ref().map(String::as_str)), [1, 0]);
}

// rows: 56, 122
#[test]
fn a_results_fields_are_read_leniently() {
    let Digest::Result(empty) = &decode(r#"{"type":"result"}"#).digests[0] else { panic!() };
    assert!(empty.is_error && empty.text.is_empty() && empty.cost_usd.is_none());
    let line = json!({
        "type": "result", "is_error": true, "subtype": "error_x", "errors": ["a", "b"], "api_error_status": "no",
        "usage": {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 4},
    });
    let Digest::Result(result) = &decode(line.to_string()).digests[0] else { panic!() };
    assert_eq!((result.text.as_str(), result.status), ("a\nb", None));
    assert_eq!(result.tokens, Tokens { input: 1, output: 2, cache_creation: 3, cache_read: 4 });
    let line = json!({"type": "result", "is_error": false, "result": format!("{}\nDONE", "x".repeat(100_000)), "usage": {"input_tokens": 1},
        "modelUsage": {"a": {"inputTokens": 10, "outputTokens": 1}, "b": {"inputTokens": 5, "cacheReadInputTokens": 7}}});
    let Digest::Result(result) = &decode(line.to_string()).digests[0] else { panic!() };
    assert!(result.text.len() == 64 * 1024 && result.text.ends_with("x\nDONE"));
    assert_eq!(result.tokens, Tokens { input: 15, output: 1, cache_creation: 0, cache_read: 7 });
}

proptest! {
    #[test]
    fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        decode(&bytes);
    }

    /// Fields of any type, in any known kind of line: nothing panics, and who watches changes no digest.
    #[test]
    fn fields_of_any_type_do_no_harm(
        kind in "assistant|user|system|result|rate_limit_event|stream_event",
        subtype in "init|api_retry|status|task_started|task_updated|task_notification|background_tasks_changed",
        fields in proptest::collection::btree_map(
            "message|content|model|error|tasks|task_id|patch|result|errors|usage|modelUsage|permission_denials|rate_limit_info|is_error|total_cost_usd|error_status|parent_tool_use_id|status",
            "null|true|-1|1e400|0\\.5|\"x\\\\ud800\"|\\[1,\\{\\}\\]|\\{\"content\":\\[\\{\"type\":\"tool_use\",\"input\":3\\},\\{\"type\":\"tool_result\",\"content\":\\[\\{\\}\\]\\}\\]\\}",
            0..6,
        ),
    ) {
        let mut line = format!("{{\"type\":\"{kind}\",\"subtype\":\"{subtype}\"");
        for (name, value) in fields {
            write!(line, ",\"{name}\":{value}").unwrap();
        }
        line.push('}');
        let quiet = decode_as(Detail::Digests, line.as_bytes());
        prop_assert!(quiet.observations.is_empty());
        prop_assert_eq!(quiet.digests, decode(&line).digests);
    }
}
