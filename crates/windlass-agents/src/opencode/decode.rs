//! Decodes `opencode run --format json`. There is no last event: the last step's end is the result.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use windlass_core::observation::{Observation, ToolInput, ToolTrace};
use windlass_core::values::{Denial, Tokens};

use super::event::{Cache, Failure, FailureData, Input, Line, Part, State, Used};
use crate::answer::object_at_end;
use crate::decoding::{Out, excerpt, garbage, gist, whole_line};
use crate::ending::CONTEXT_TOO_LONG;
use crate::json::{self, Field, Size};
use crate::{Activity, Decoder, Detail, Digest, MessageId, ResultDigest, Sink};

/// So much of a text is kept.
const TEXT: usize = 64 * 1024;

/// So many characters of another tool's input are kept.
const OTHER: usize = 2000;

/// Refused calls of tools that are told.
const DENIALS: usize = 20;

/// How a rule of its configuration refuses a call, and how one is refused that would have been asked about.
const REFUSALS: [&str; 2] = ["The user has specified a rule which prevents", "The user rejected permission"];

/// Decodes the lines of one `opencode run`, in their order.
#[derive(Debug, Default)]
pub(super) struct OpencodeDecoder {
    /// The words of the model in this step.
    text: String,
    /// What all steps have used and cost.
    tokens: Tokens,
    cost: f64,
    denials: Vec<Denial>,
    /// The prompt was too long, and it goes on all the same: what comes next is a summary of its own, no answer.
    compacts: bool,
}

impl Decoder for OpencodeDecoder {
    fn line(&mut self, line: &[u8], detail: Detail, sink: &mut dyn Sink) {
        let Some(text) = whole_line(line) else { return };
        let mut out = Out { detail, sink };
        let known: Option<Line<'_>> = json::object(Some(&text));
        let Some(known) = known.filter(|line| line.kind.is_some()) else {
            return garbage(&text, line.len(), &mut out);
        };
        let part: Part<'_> = json::object(known.part).unwrap_or_default();
        match &*json::word(known.kind) {
            "step_start" => {
                self.text.clear();
                out.digest(Digest::Started { model: String::new() });
                out.activity(Activity::Thinking);
            }
            "text" => self.said(&part, &mut out),
            "reasoning" => out.thought(),
            "tool_use" => self.used(&part, &mut out),
            "step_finish" => self.finished(&part, &mut out),
            "error" => self.failed(known.error, &mut out),
            _ => {}
        }
    }
}

impl OpencodeDecoder {
    fn said(&mut self, part: &Part<'_>, out: &mut Out<'_>) {
        if json::flag(part.synthetic).unwrap_or(false) {
            return;
        }
        // A summary that it makes for itself is no answer.
        out.activity(if self.compacts { Activity::Thinking } else { Activity::Writing });
        let said = json::tail(part.text, TEXT).unwrap_or_default();
        out.observe(|| Observation::AgentText { text: said.clone(), nested: false });
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&said);
        self.text = json::last_bytes(&self.text, TEXT).to_owned();
    }

    /// It is told once it is over.
    fn used(&mut self, part: &Part<'_>, out: &mut Out<'_>) {
        let (tool, state) = called(part);
        let (activity, name) = named(&tool);
        out.digest(Digest::ToolUse);
        out.activity(activity);
        let (id, is_error) = (json::word(part.call_id).into_owned(), json::word(state.status) == "error");
        out.observe(|| Observation::ToolUse {
            id: id.clone(),
            name: name.to_owned(),
            input: tool_input(name, state.input.unwrap_or_default()),
            nested: false,
        });
        let answer = if is_error { state.error } else { state.output };
        out.observe(|| Observation::ToolResult {
            id,
            name: name.to_owned(),
            is_error,
            output: excerpt(answer),
            nested: false,
        });
        let why = json::piece(state.error, TEXT).map(|piece| piece.text).unwrap_or_default();
        if is_error && REFUSALS.iter().any(|refusal| why.starts_with(refusal)) && self.denials.len() < DENIALS
        {
            self.denials.push(Denial {
                tool: name.to_owned(),
                input: gist(&tool_input(name, state.input.unwrap_or_default())),
                rule: String::new(),
                refused_by: "its own rules, which keep it in the working directory".to_owned(),
            });
        }
    }

    fn finished(&mut self, part: &Part<'_>, out: &mut Out<'_>) {
        let used = tokens(part.tokens);
        self.tokens += used;
        self.cost += json::number(part.cost).filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0);
        out.used(message(part), "", used);
        out.digest(Digest::Total(self.cost));
        let reason = json::word(part.reason);
        if std::mem::take(&mut self.compacts) || reason == "tool-calls" {
            return out.activity(Activity::Thinking);
        }
        let text = std::mem::take(&mut self.text);
        // Nothing at all is what a refusal looks like, and an answer that was lost.
        let subtype = if text.trim().is_empty() { "empty" } else { "success" };
        let structured = object_at_end(&text);
        let result =
            ResultDigest { structured, stop_reason: reason.into_owned(), ..self.totals(subtype, text) };
        out.result(result);
    }

    /// It ends with this, but for a prompt that was too long where a person's own configuration has it go on.
    fn failed(&mut self, error: Field<'_>, out: &mut Out<'_>) {
        let failure: Failure<'_> = json::object(error).unwrap_or_default();
        let data: FailureData<'_> = json::object(failure.data).unwrap_or_default();
        let name = json::word(failure.name);
        self.compacts = name == "ContextOverflowError";
        let text = json::tail(data.message, TEXT).unwrap_or_default();
        out.result(ResultDigest { status: json::whole(data.status_code), ..self.totals(&name, text) });
        if self.compacts {
            out.digest(Digest::Retry { status: None, error: CONTEXT_TOO_LONG.to_owned() });
        }
    }

    /// A result with all that was used so far. Without a cost where its list does not know the model.
    fn totals(&self, subtype: &str, text: String) -> ResultDigest {
        ResultDigest {
            is_error: subtype != "success",
            subtype: subtype.to_owned(),
            text,
            cost_usd: (self.cost > 0.0).then_some(self.cost),
            tokens: self.tokens,
            denials: self.denials.clone(),
            ..ResultDigest::default()
        }
    }
}

fn called<'a>(part: &Part<'a>) -> (std::borrow::Cow<'a, str>, State<'a>) {
    (json::word(part.tool), json::object(part.state).unwrap_or_default())
}

/// The kind of thing that a tool does, and what people are told that it is called.
fn named(tool: &str) -> (Activity, &str) {
    match tool {
        "bash" => (Activity::Running, "Bash"),
        "edit" | "multiedit" | "patch" => (Activity::Editing, "Edit"),
        "write" => (Activity::Editing, "Write"),
        "read" => (Activity::Reading, "Read"),
        "grep" => (Activity::Reading, "Grep"),
        "glob" | "list" => (Activity::Reading, "Glob"),
        "webfetch" => (Activity::Reading, "WebFetch"),
        "task" => (Activity::UsingTool, "Task"),
        other => (Activity::UsingTool, other),
    }
}

/// What a tool is to do, from its input as it was written.
pub(super) fn tool_input(tool: &str, written: &str) -> ToolInput {
    let input: Input<'_> = json::object(Some(written)).unwrap_or_default();
    let text = |field: Field<'_>| json::word(field).into_owned();
    match tool {
        "Bash" => ToolInput::Bash { command: text(input.command), description: text(input.description) },
        "Edit" if input.old_string.is_some() => ToolInput::Edit {
            path: text(input.file_path),
            old: json::tail(input.old_string, usize::MAX).unwrap_or_default(),
            new: json::tail(input.new_string, usize::MAX).unwrap_or_default(),
            all: json::flag(input.replace_all).unwrap_or(false),
        },
        "Write" => {
            let Size { bytes, lines } = json::size(input.content).unwrap_or_default();
            ToolInput::Write { path: text(input.file_path), bytes, lines }
        }
        "Read" => ToolInput::Read {
            path: text(input.file_path),
            offset: json::whole(input.offset),
            limit: json::whole(input.limit),
        },
        "Grep" => ToolInput::Grep { pattern: text(input.pattern), path: text(input.path) },
        "Glob" => ToolInput::Glob { pattern: text(input.pattern), path: text(input.path) },
        "Task" => ToolInput::Agent { description: text(input.description) },
        _ => ToolInput::Other { json: written.chars().take(OTHER).collect() },
    }
}

/// What a step used.
fn tokens(field: Field<'_>) -> Tokens {
    let used: Used<'_> = json::object(field).unwrap_or_default();
    let cache: Cache<'_> = json::object(used.cache).unwrap_or_default();
    let number = |field: Field<'_>| json::whole::<u64>(field).unwrap_or(0);
    Tokens {
        input: number(used.input),
        output: number(used.output).saturating_add(number(used.reasoning)),
        cache_creation: number(cache.write),
        cache_read: number(cache.read),
    }
}

/// Each step is a message of its own.
fn message(part: &Part<'_>) -> MessageId {
    let mut hasher = DefaultHasher::new();
    (part.message_id, part.id).hash(&mut hasher);
    MessageId(hasher.finish())
}

/// What a line says of tool calls: each is told when it is over.
pub(super) fn tool_traces(line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
    let Some(text) = whole_line(line) else { return };
    let Some(known) = json::object::<Line<'_>>(Some(&text)) else { return };
    let Some(part) = json::object::<Part<'_>>(known.part) else { return };
    if json::word(known.kind) != "tool_use" {
        return;
    }
    let (tool, state) = called(&part);
    let id = json::word(part.call_id).into_owned();
    let name = named(&tool).1.to_owned();
    let input = state.input.unwrap_or_default().to_owned();
    found(ToolTrace::Called { id: id.clone(), name, input, nested: false });
    found(ToolTrace::Answered { id, is_error: json::word(state.status) == "error" });
}
