//! The wire, seen by a client that is not an agent. What the real agent makes of it is in `tests/real_claude.rs`.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn connect(api: &StandIn) -> TcpStream {
    TcpStream::connect(api.url().strip_prefix("http://").unwrap()).unwrap()
}

fn ask(api: &StandIn, method: &str, path: &str, body: &Value) -> io::Result<String> {
    let mut stream = connect(api);
    let body = body.to_string();
    write!(stream, "{method} {path} HTTP/1.1\r\nX-Name: v\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn ask_message(api: &StandIn, stream: bool) -> io::Result<String> {
    let body = json!({
        "model": "m",
        "stream": stream,
        "system": [{"type": "text", "text": "be"}, {"type": "text", "text": "kind"}],
        "messages": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": [{"type": "text", "text": "not me"}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "out"}]},
                {"type": "text", "text": "again"},
            ]},
        ],
    });
    ask(api, "POST", "/v1/messages?beta=true", &body)
}

fn document(answer: &str) -> Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn a_message_comes_whole_or_as_events() {
    let reply = Reply::text("a").and_tool("Bash", json!({"command": "ls"})).usage(7, 9);
    let api = StandIn::start(Scenario::always(reply));

    let message = document(&ask_message(&api, false).unwrap());
    assert_eq!(message["model"], "m");
    assert_eq!(message["stop_reason"], "tool_use");
    assert_eq!(message["usage"]["input_tokens"], 7);
    assert_eq!(message["usage"]["output_tokens"], 9);
    assert_eq!(message["content"][1]["input"]["command"], "ls");

    let events = ask_message(&api, true).unwrap();
    let names: Vec<&str> = events.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    let expected =
        [&["message_start", "ping"], &block[..], &block, &["message_delta", "message_stop"]].concat();
    assert_eq!(names, expected);
    assert!(events.ends_with("0\r\n\r\n"));
    assert_ne!(message["content"][1]["id"], json!("toolu_standin_0001_1"), "ids are not repeated");
}

#[test]
fn what_was_asked_is_recorded() {
    let api = StandIn::start(Scenario::new([Reply::text("a")]));
    ask_message(&api, false).unwrap();
    let requests = api.requests();
    let request = &requests[0];
    assert_eq!(request.system(), "be\nkind");
    assert_eq!(request.user_texts(), ["hello", "again"]);
    assert!(request.user_said("ell") && !request.user_said("not me"));
    assert_eq!(request.header("x-name"), Some("v"));
    let result = ToolResult { tool_use_id: "t1".to_owned(), content: "out".to_owned(), is_error: false };
    assert_eq!(request.tool_results(), [result]);
}

#[test]
fn replies_are_used_up_in_order() {
    let api = StandIn::start(
        Scenario::new([Reply::text("one")]).then(Scenario::new([Reply::overloaded().retry_after(PATIENCE)])),
    );
    assert!(ask_message(&api, false).unwrap().starts_with("HTTP/1.1 200 "));
    let overloaded = ask_message(&api, false).unwrap();
    assert!(overloaded.starts_with("HTTP/1.1 529 ") && overloaded.contains("\r\nretry-after: 20\r\n"));
    assert_eq!(document(&overloaded)["error"]["type"], "overloaded_error");
    assert!(ask_message(&api, false).unwrap().starts_with("HTTP/1.1 403 "), "nothing is left");
    assert_eq!(api.requests().len(), 3);
}

#[test]
fn everything_but_messages_is_recorded_apart() {
    let api = StandIn::start(Scenario::new([]));
    let counted = ask(&api, "POST", "/v1/messages/count_tokens?beta=true", &json!({})).unwrap();
    assert_eq!(document(&counted)["input_tokens"], 100);
    assert!(ask(&api, "HEAD", "/", &Value::Null).unwrap().ends_with("\r\n\r\n"));
    assert_eq!(api.requests().len(), 0);
    assert_eq!(api.other_requests().len(), 2);
}

#[test]
fn a_reset_is_no_end() {
    let replies = [Reply::reset_before_headers(), Reply::reset_mid_stream("I was")];
    let api = StandIn::start(Scenario::new(replies));
    for _ in 0..2 {
        let error = ask_message(&api, true).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }
}

#[test]
fn a_stand_in_that_stalls_stops_at_once() {
    for stalling in [
        Reply::stall_before_headers(),
        Reply::stall_mid_stream("I was"),
        Reply::text("late").delayed(Duration::from_hours(1)),
    ] {
        let api = StandIn::start(Scenario::new([stalling]));
        assert!(!api.wait_for_requests(1, Duration::from_millis(1)));
        let mut silent = connect(&api);
        let mut client = connect(&api);
        write!(client, "POST /v1/messages HTTP/1.1\r\nContent-Length: 15\r\n\r\n{{\"stream\":true}}")
            .unwrap();
        assert!(api.wait_for_requests(1, PATIENCE));
        let begun = Instant::now();
        drop(api);
        assert!(begun.elapsed() < PATIENCE);
        assert_eq!(silent.read(&mut [0]).unwrap_or(0), 0, "a client that never asked is let go as well");
    }
}

#[test]
fn a_delayed_reply_comes_after_its_delay() {
    let delay = Duration::from_millis(60);
    let api = StandIn::start(Scenario::new([Reply::text("late").delayed(delay)]));
    let begun = Instant::now();
    assert!(ask_message(&api, false).unwrap().contains("late"));
    assert!(begun.elapsed() >= delay);
}

#[test]
fn a_prompt_of_ten_megabytes_passes() {
    let api = StandIn::start(Scenario::computed(|request| Reply::text(request.model().len().to_string())));
    let body = json!({"model": "x".repeat(10 << 20)});
    let answer = ask(&api, "POST", "/v1/messages", &body).unwrap();
    assert_eq!(document(&answer)["content"][0]["text"], (10 << 20).to_string());
}

#[test]
fn a_scenario_can_be_written_as_json() {
    let story = r#"{"replies": [
        {"tool": {"name": "Read", "input": {"file_path": "a"}}},
        {"usage_limit": {"window": "seven_day", "seconds": 20}},
        "overloaded",
        {"text": "done"}
    ], "repeat_last": true}"#;
    let api = StandIn::start(Scenario::from_json(story).unwrap());
    assert_eq!(document(&ask_message(&api, false).unwrap())["content"][0]["name"], "Read");
    let limit = ask_message(&api, false).unwrap();
    assert!(limit.contains("anthropic-ratelimit-unified-representative-claim: seven_day\r\n"), "{limit}");
    assert!(ask_message(&api, false).unwrap().starts_with("HTTP/1.1 529 "));
    for _ in 0..2 {
        assert!(ask_message(&api, false).unwrap().contains("done"));
    }
    assert!(Scenario::from_json(r#"{"replies": ["overlooked"]}"#).is_err());
}
