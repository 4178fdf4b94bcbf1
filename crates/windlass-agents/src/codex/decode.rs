//! Decodes `codex exec --json`.

use std::collections::BTreeSet;

use windlass_core::observation::{Excerpt, Observation, ToolInput, ToolTrace};
use windlass_core::values::Tokens;

use super::event::{Change, Failure, Item, Line, Usage};
use super::prose;
use crate::answer::object_at_end;
use crate::decoding::{Out, garbage, whole_line};
use crate::ending::AUTHENTICATION_FAILED;
use crate::json::{self, Field};
use crate::{Activity, Decoder, Detail, Digest, ResultDigest, Sink};

/// So much of a text is kept.
const TEXT: usize = 64 * 1024;

/// So many characters of another tool's input are kept.
const OTHER: usize = 2000;

/// Items that are begun and not ended are remembered by their id; more are not had at a time.
const OPEN: usize = 1024;

/// How a retry is told.
const RETRY: &str = "Reconnecting... ";

/// Decodes the lines of one `codex exec`, in their order.
#[derive(Debug, Default)]
pub(super) struct CodexDecoder {
    /// The last words of the model.
    text: String,
    /// Items whose beginning was seen.
    begun: BTreeSet<String>,
}

impl Decoder for CodexDecoder {
    fn line(&mut self, line: &[u8], detail: Detail, sink: &mut dyn Sink) {
        let Some(text) = whole_line(line) else { return };
        let mut out = Out { detail, sink };
        let known: Option<Line<'_>> = json::object(Some(&text));
        let Some(known) = known.filter(|line| line.kind.is_some()) else {
            return garbage(&text, line.len(), &mut out);
        };
        match &*json::word(known.kind) {
            "thread.started" => {
                out.digest(Digest::Started { model: String::new() });
                out.activity(Activity::Starting);
            }
            "turn.started" => out.activity(Activity::Thinking),
            "item.started" => self.began(known.item, &mut out),
            "item.completed" => self.ended(known.item, &mut out),
            "error" => erred(known.message, &mut out),
            "turn.completed" => self.finished(known.usage, &mut out),
            "turn.failed" => {
                let failure: Failure<'_> = json::object(known.error).unwrap_or_default();
                failed(&json::tail(failure.message, TEXT).unwrap_or_default(), &mut out);
            }
            _ => {}
        }
    }
}

impl CodexDecoder {
    fn began(&mut self, item: Field<'_>, out: &mut Out<'_>) {
        let Some(item) = json::object::<Item<'_>>(item) else { return };
        let id = json::word(item.id).into_owned();
        if self.begun.len() >= OPEN {
            self.begun.clear();
        }
        if called(&item, out) {
            self.begun.insert(id);
        }
    }

    fn ended(&mut self, item: Field<'_>, out: &mut Out<'_>) {
        let Some(item) = json::object::<Item<'_>>(item) else { return };
        match &*json::word(item.kind) {
            "agent_message" => {
                out.activity(Activity::Writing);
                self.text = json::tail(item.text, TEXT).unwrap_or_default();
                out.observe(|| Observation::AgentText { text: self.text.clone(), nested: false });
            }
            // A warning of the program's own.
            "error" | "reasoning" | "todo_list" => out.activity(Activity::Thinking),
            _ => {
                let id = json::word(item.id).into_owned();
                // A command that its sandbox stops at once was never begun.
                if !self.begun.remove(&id) && !called(&item, out) {
                    return;
                }
                out.activity(Activity::Thinking);
                out.observe(|| answer(&item, id));
            }
        }
    }

    fn finished(&mut self, usage: Field<'_>, out: &mut Out<'_>) {
        let text = std::mem::take(&mut self.text);
        // Nothing at all is what a refusal looks like, and an answer that was lost.
        let is_error = text.trim().is_empty();
        out.result(ResultDigest {
            is_error,
            subtype: if is_error { "empty" } else { "success" }.to_owned(),
            structured: object_at_end(&text),
            text,
            tokens: tokens(usage),
            ..ResultDigest::default()
        });
    }
}

/// The kind of thing that an item does, and what people are told that it is called; `None` where it is no call of a tool.
fn tool(item: &Item<'_>) -> Option<(Activity, &'static str)> {
    Some(match &*json::word(item.kind) {
        "command_execution" => (Activity::Running, "Bash"),
        "file_change" => (Activity::Editing, "Edit"),
        "mcp_tool_call" => (Activity::UsingTool, "MCP"),
        "web_search" => (Activity::Reading, "WebSearch"),
        _ => return None,
    })
}

/// A tool was called, if this item is that.
fn called(item: &Item<'_>, out: &mut Out<'_>) -> bool {
    let Some((activity, name)) = tool(item) else { return false };
    out.digest(Digest::ToolUse);
    out.activity(activity);
    out.observe(|| Observation::ToolUse {
        id: json::word(item.id).into_owned(),
        name: name.to_owned(),
        input: input(item),
        nested: false,
    });
    true
}

fn input(item: &Item<'_>) -> ToolInput {
    match &*json::word(item.kind) {
        "command_execution" => ToolInput::Bash {
            command: without_shell(&json::word(item.command)).to_owned(),
            description: String::new(),
        },
        "file_change" => ToolInput::Other { json: paths(item.changes).join(", ") },
        _ => {
            let said = [item.server, item.tool, item.arguments, item.query].into_iter().flatten();
            let said = said.collect::<Vec<_>>().join(" ");
            ToolInput::Other { json: said.chars().take(OTHER).collect() }
        }
    }
}

/// Each command is run by a shell of its own; what it runs is what is of interest.
fn without_shell(command: &str) -> &str {
    let Some((shell, inner)) = command.split_once(" -lc ") else { return command };
    if shell.contains(' ') {
        return command;
    }
    inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')).unwrap_or(inner)
}

fn paths(changes: Field<'_>) -> Vec<String> {
    let mut paths = Vec::new();
    json::each(changes, |change| {
        if let Some(change) = json::object::<Change<'_>>(change) {
            paths.push(json::word(change.path).into_owned());
        }
    });
    paths
}

fn answer(item: &Item<'_>, id: String) -> Observation {
    let is_error = json::word(item.status) == "failed";
    let output = json::piece(item.aggregated_output, TEXT).map(|piece| Excerpt {
        bytes: json::size(item.aggregated_output).map_or(0, |size| size.bytes),
        lines: json::size(item.aggregated_output).map_or(0, |size| size.lines),
        cut: !piece.whole,
        text: piece.text.into_owned(),
    });
    let output = output.unwrap_or_default();
    let name = tool(item).map(|(_, name)| name.to_owned()).unwrap_or_default();
    Observation::ToolResult { id, name, is_error, output, nested: false }
}

/// `Reconnecting... 1/2 (cause)`; all else comes again with the turn's end.
fn erred(message: Field<'_>, out: &mut Out<'_>) {
    let message = json::word(message);
    let Some(rest) = message.strip_prefix(RETRY) else { return };
    let (count, cause) = rest.split_once(" (").unwrap_or((rest, ""));
    let cause = cause.strip_suffix(')').unwrap_or(cause);
    let (attempt, attempts) = count.split_once('/').unwrap_or_default();
    let status = prose::status(cause);
    let error = if matches!(status, Some(401 | 403)) { AUTHENTICATION_FAILED } else { cause };
    out.digest(Digest::Retry { status, error: error.chars().take(200).collect() });
    out.activity(Activity::Retrying);
    out.observe(|| Observation::Retrying {
        attempt: attempt.parse().unwrap_or(0),
        max_attempts: attempts.parse().unwrap_or(0),
        delay_ms: 0,
        status,
        error: cause.to_owned(),
    });
}

fn failed(message: &str, out: &mut Out<'_>) {
    out.result(ResultDigest {
        is_error: true,
        subtype: "failed".to_owned(),
        text: message.to_owned(),
        ..ResultDigest::default()
    });
}

/// What a turn used.
fn tokens(usage: Field<'_>) -> Tokens {
    let usage: Usage<'_> = json::object(usage).unwrap_or_default();
    let number = |field: Field<'_>| json::whole::<u64>(field).unwrap_or(0);
    let (cache_read, cache_creation) =
        (number(usage.cached_input_tokens), number(usage.cache_write_input_tokens));
    Tokens {
        input: number(usage.input_tokens).saturating_sub(cache_read).saturating_sub(cache_creation),
        output: number(usage.output_tokens),
        cache_creation,
        cache_read,
    }
}

/// What a line says of tool calls. Its input is written as the item itself, so that it can be read again.
pub(super) fn tool_traces(line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
    let Some(text) = whole_line(line) else { return };
    let Some(known) = json::object::<Line<'_>>(Some(&text)) else { return };
    let kind = json::word(known.kind);
    let Some(item) = json::object::<Item<'_>>(known.item) else { return };
    let Some((_, name)) = tool(&item) else { return };
    let id = json::word(item.id).into_owned();
    match &*kind {
        "item.started" => found(ToolTrace::Called {
            id,
            name: name.to_owned(),
            input: known.item.unwrap_or_default().to_owned(),
            nested: false,
        }),
        "item.completed" => {
            found(ToolTrace::Answered { id, is_error: json::word(item.status) == "failed" });
        }
        _ => {}
    }
}

/// What a tool is to do, from its item as it was written.
pub(super) fn tool_input(_: &str, written: &str) -> ToolInput {
    let item: Item<'_> = json::object(Some(written)).unwrap_or_default();
    input(&item)
}
