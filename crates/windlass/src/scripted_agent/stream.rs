//! The agent's standard output: events in Claude Code's shape, one JSON object per line.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::steps::{CallResult, Deny, LineKind};

/// Bytes that are collected before they are written.
const BUFFER: usize = 256 * 1024;

/// The version of Claude Code whose shape is played.
pub const VERSION: &str = "2.1.330";

/// Where the events go. When nobody reads any more the agent works on in silence, as Claude Code does.
pub struct Stream<W: Write> {
    out: io::BufWriter<W>,
    unread: bool,
    session: String,
    model: String,
    events: u64,
    tool_calls: u32,
    denials: Vec<Value>,
    results: u32,
}

impl<W: Write> Stream<W> {
    /// A stream of one session.
    pub fn new(out: W, session: String, model: String) -> Stream<W> {
        Stream {
            out: io::BufWriter::with_capacity(BUFFER, out),
            unread: false,
            session,
            model,
            events: 0,
            tool_calls: 0,
            denials: Vec::new(),
            results: 0,
        }
    }

    /// Results printed so far.
    pub fn results(&self) -> u32 {
        self.results
    }

    /// Hands on what has been collected.
    pub fn flush(&mut self) {
        if !self.unread && self.out.flush().is_err() {
            self.unread = true;
        }
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if !self.unread && self.out.write_all(bytes).is_err() {
            self.unread = true;
        }
    }

    /// Writes one event as a line, with what every event has.
    pub fn event(&mut self, mut event: Value) {
        self.events += 1;
        if let Some(fields) = event.as_object_mut() {
            fields.insert("session_id".to_owned(), json!(self.session));
            fields.insert("uuid".to_owned(), json!(numbered_uuid(self.events)));
        }
        let mut line = event.to_string();
        line.push('\n');
        self.bytes(line.as_bytes());
    }

    /// A session begins.
    pub fn init(&mut self, permission_mode: &str) {
        let directory = std::env::current_dir().unwrap_or_default();
        self.event(json!({
            "type": "system", "subtype": "init", "cwd": directory.to_string_lossy(), "model": self.model,
            "tools": ["Task", "Bash", "Edit", "Glob", "Grep", "Read", "WebFetch", "Write"],
            "mcp_servers": [], "permissionMode": permission_mode, "slash_commands": [], "apiKeySource": "none",
            "claude_code_version": VERSION, "output_style": "default", "agents": [], "skills": [], "plugins": [],
        }));
    }

    /// One block of a message.
    pub fn block(&mut self, block: &Value, parent: Option<&str>) {
        let event = self.message(block, parent);
        self.event(event);
    }

    /// Calls a tool; its name is what its result is given.
    pub fn tool_use(&mut self, name: &str, input: &Value, parent: Option<&str>) -> String {
        self.tool_calls += 1;
        let id = format!("toolu_scripted{:012}", self.tool_calls);
        self.block(&json!({"type": "tool_use", "id": id, "name": name, "input": input}), parent);
        id
    }

    /// A tool answers.
    pub fn tool_result(&mut self, id: &str, output: &str, is_error: bool, parent: Option<&str>) {
        let event = json!({
            "type": "user", "parent_tool_use_id": parent, "timestamp": jiff::Timestamp::now().to_string(),
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error},
            ]},
            "tool_use_result": if is_error { json!(format!("Error: {output}")) } else { json!({"stdout": output}) },
        });
        self.event(event);
    }

    /// Permissions refuse a tool call.
    pub fn denial(&mut self, deny: &Deny) {
        let id = self.tool_use(&deny.tool, &deny.input, None);
        let message =
            format!("Claude requested permissions to use {}, but you haven't granted it yet.", deny.tool);
        self.event(json!({
            "type": "system", "subtype": "permission_denied", "tool_name": deny.tool, "tool_use_id": id,
            "message": message,
        }));
        self.tool_result(&id, &message, true, None);
        self.denials.push(json!({"tool_name": deny.tool, "tool_use_id": id, "tool_input": deny.input}));
    }

    /// A result.
    pub fn result(&mut self, outcome: &CallResult) {
        let mut fields = Map::new();
        if outcome.subtype == "success" {
            fields.insert("result".to_owned(), json!(outcome.text));
        } else {
            fields.insert("errors".to_owned(), json!([outcome.text]));
        }
        let terminal_reason = outcome.terminal_reason.as_deref().unwrap_or(match outcome.subtype.as_str() {
            "error_max_turns" => "max_turns",
            "error_max_budget_usd" => "budget_exhausted",
            "error_during_execution" => "aborted_tools",
            _ => "completed",
        });
        if let Some(structured) = &outcome.structured {
            fields.insert("structured_output".to_owned(), structured.clone());
        }
        fields.insert("terminal_reason".to_owned(), json!(terminal_reason));
        fields.insert("api_error_status".to_owned(), Value::Null);
        self.end(outcome, fields);
    }

    /// A result with the fields that say what kind it is.
    pub fn end(&mut self, outcome: &CallResult, mut fields: Map<String, Value>) {
        let tokens = outcome.tokens;
        let turns = outcome.turns.unwrap_or(self.tool_calls + 1);
        let common = json!({
            "type": "result", "subtype": outcome.subtype, "is_error": outcome.failed(), "num_turns": turns,
            "duration_ms": 1000, "duration_api_ms": 900, "stop_reason": "end_turn", "total_cost_usd": outcome.cost,
            "usage": {
                "input_tokens": tokens.input, "output_tokens": tokens.output,
                "cache_creation_input_tokens": tokens.cache_creation,
                "cache_read_input_tokens": tokens.cache_read, "service_tier": "standard",
            },
            "modelUsage": {self.model.as_str(): {
                "inputTokens": tokens.input, "outputTokens": tokens.output,
                "cacheCreationInputTokens": tokens.cache_creation, "cacheReadInputTokens": tokens.cache_read,
                "costUSD": outcome.cost,
            }},
            "permission_denials": self.denials, "result_index": self.results, "queued_turn_count": 0,
        });
        if let Value::Object(common) = common {
            fields.extend(common);
        }
        self.results += 1;
        self.event(Value::Object(fields));
    }

    /// A line of exactly `size` bytes where that is possible; never shorter than the event needs.
    pub fn padded_line(&self, kind: LineKind, size: usize) -> Vec<u8> {
        let line = match kind {
            LineKind::Garbage => return vec![b'#'; size],
            LineKind::Text => self.message(&json!({"type": "text", "text": "@"}), None),
            LineKind::ToolResult => json!({
                "type": "user", "parent_tool_use_id": null,
                "message": {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_long", "content": "@", "is_error": false},
                ]},
            }),
        }
        .to_string();
        let (before, after) = line.split_once("\"@\"").unwrap_or((&line, ""));
        let padding = size.saturating_sub(before.len() + after.len() + 2);
        let mut bytes = Vec::with_capacity(before.len() + after.len() + 2 + padding);
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(b'"');
        bytes.resize(bytes.len() + padding, b'x');
        bytes.push(b'"');
        bytes.extend_from_slice(after.as_bytes());
        bytes
    }

    fn message(&self, block: &Value, parent: Option<&str>) -> Value {
        json!({
            "type": "assistant", "parent_tool_use_id": parent, "timestamp": jiff::Timestamp::now().to_string(),
            "message": {
                "id": format!("msg_scripted{:012}", self.events), "type": "message", "role": "assistant",
                "model": self.model, "content": [block], "stop_reason": null, "stop_sequence": null,
                "usage": {
                    "input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                    "output_tokens": 1, "service_tier": "standard",
                },
            },
        })
    }
}

/// An identifier that looks like Claude Code's and is the same each time.
fn numbered_uuid(number: u64) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}
