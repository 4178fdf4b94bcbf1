//! Decodes the events of `gemini --output-format stream-json` (0.61.0).

use std::collections::BTreeMap;

use windlass_core::observation::{Observation, ToolTrace};
use windlass_core::price::ModelUsage;
use windlass_core::values::Tokens;

use crate::acp::tool;
use crate::answer::object_at_end;
use crate::decoding::{Out, excerpt, garbage, whole_line};
use crate::json::{self, Field, shape};
use crate::{Activity, Decoder, Detail, Digest, ResultDigest, Sink};

/// So much of a text is kept.
const TEXT: usize = 64 * 1024;

/// So many calls of tools are known by their names at a time.
const CALLS: usize = 1000;

/// The kind of failure where nothing was said: its turn ended well, or it names no error.
pub(super) const EMPTY: &str = "empty";

shape! {
    /// What an event can have.
    Line {
        kind: "type", model, role, content, status, error, message, stats, output,
        name: "tool_name", id: "tool_id", parameters,
    }

    /// What went wrong.
    Failure {
        kind: "type", message,
    }

    /// The totals of a call.
    Stats {
        models,
    }

    /// Those of a model; `input` has what was read from a cache in it.
    Used {
        input: "input_tokens", output: "output_tokens", cached,
    }

    /// What a failed request of the API's was answered.
    Answer {
        error,
    }

    /// That.
    Refusal {
        code, message,
    }
}

/// Decodes the lines of one call, in their order.
#[derive(Debug, Default)]
pub(super) struct GeminiDecoder {
    /// What was said since the last call of a tool.
    words: String,
    /// What it said went wrong, beside its result.
    error: String,
    calls: BTreeMap<String, String>,
}

impl Decoder for GeminiDecoder {
    fn line(&mut self, line: &[u8], detail: Detail, sink: &mut dyn Sink) {
        let Some(text) = whole_line(line) else { return };
        let mut out = Out { detail, sink };
        let known: Option<Line<'_>> = json::object(Some(text.trim()));
        let Some(known) = known.filter(|line| line.kind.is_some()) else {
            return garbage(&text, line.len(), &mut out);
        };
        match &*json::word(known.kind) {
            "init" => {
                out.digest(Digest::Started { model: json::word(known.model).into_owned() });
                out.activity(Activity::Thinking);
            }
            "message" if json::word(known.role) == "assistant" => self.said(known.content, &mut out),
            "tool_use" => self.called(&known, &mut out),
            "tool_result" => self.answered(&known, &mut out),
            "error" => self.error = json::tail(known.message, TEXT).unwrap_or_default(),
            "result" => self.finished(&known, &mut out),
            _ => {}
        }
    }
}

impl GeminiDecoder {
    fn said(&mut self, content: Field<'_>, out: &mut Out<'_>) {
        out.activity(Activity::Writing);
        self.words.push_str(&json::tail(content, TEXT).unwrap_or_default());
        if self.words.len() > 2 * TEXT {
            self.words = json::last_bytes(&self.words, TEXT).to_owned();
        }
    }

    fn observe_words(&self, out: &mut Out<'_>) {
        let text = self.words.trim();
        if !text.is_empty() {
            out.observe(|| Observation::AgentText { text: text.to_owned(), nested: false });
        }
    }

    fn called(&mut self, line: &Line<'_>, out: &mut Out<'_>) {
        self.observe_words(out);
        self.words.clear();
        let (id, name) = (json::word(line.id).into_owned(), name(line));
        out.digest(Digest::ToolUse);
        out.activity(tool::activity(&name));
        let input = || tool::input(&name, line.parameters.unwrap_or_default());
        out.observe(|| Observation::ToolUse {
            id: id.clone(),
            name: name.clone(),
            input: input(),
            nested: false,
        });
        if self.calls.len() >= CALLS {
            self.calls.clear();
        }
        self.calls.insert(id, name);
    }

    fn answered(&mut self, line: &Line<'_>, out: &mut Out<'_>) {
        out.activity(Activity::Thinking);
        let id = json::word(line.id).into_owned();
        let name = self.calls.remove(&id).unwrap_or_default();
        let (is_error, output) = (json::word(line.status) == "error", excerpt(line.output));
        out.observe(|| Observation::ToolResult { id, name, is_error, output, nested: false });
    }

    fn finished(&mut self, line: &Line<'_>, out: &mut Out<'_>) {
        self.observe_words(out);
        let text = json::last_bytes(self.words.trim(), TEXT).to_owned();
        let failure: Option<Failure<'_>> = json::object(line.error);
        let mut result = match failure {
            Some(failure) => failed(&failure),
            None if text.is_empty() || json::word(line.status) != "success" => ResultDigest {
                is_error: true,
                subtype: EMPTY.to_owned(),
                text: std::mem::take(&mut self.error),
                ..ResultDigest::default()
            },
            None => ResultDigest {
                subtype: "success".to_owned(),
                structured: object_at_end(&text),
                text,
                ..ResultDigest::default()
            },
        };
        result.models = used(line.stats);
        result.tokens = result.models.iter().map(|used| used.tokens).sum();
        self.words.clear();
        out.result(result);
    }
}

/// `[API Error: {"error":{"code":401,"message":"…"}}]`, `[API Error: …]` with advice behind it, or a sentence.
fn failed(failure: &Failure<'_>) -> ResultDigest {
    let message = json::tail(failure.message, TEXT).unwrap_or_default();
    let inner = message.strip_prefix("[API Error: ").and_then(|rest| Some(rest.rsplit_once(']')?.0));
    let said = inner.unwrap_or(&message);
    let answer: Option<Answer<'_>> = json::object(Some(said));
    let refusal: Option<Refusal<'_>> = answer.and_then(|answer| json::object(answer.error));
    let refusal = refusal.unwrap_or_default();
    ResultDigest {
        is_error: true,
        subtype: json::word(failure.kind).into_owned(),
        status: json::whole(refusal.code),
        text: json::tail(refusal.message, TEXT).unwrap_or_else(|| said.to_owned()),
        ..ResultDigest::default()
    }
}

/// What each model has used.
fn used(stats: Field<'_>) -> Vec<ModelUsage> {
    let stats: Stats<'_> = json::object(stats).unwrap_or_default();
    let mut found = Vec::new();
    json::members(stats.models.unwrap_or_default(), |model, used| {
        let used: Used<'_> = json::object(used).unwrap_or_default();
        let number = |field: Field<'_>| json::whole::<u64>(field).unwrap_or(0);
        let cache_read = number(used.cached);
        let input = number(used.input).saturating_sub(cache_read);
        let tokens = Tokens { input, output: number(used.output), cache_creation: 0, cache_read };
        if tokens.total() > 0 && found.len() < CALLS {
            let model = json::first_bytes(model, TEXT).to_owned();
            found.push(ModelUsage { model, tokens, ..ModelUsage::default() });
        }
    });
    found
}

/// What people are told that a tool is called.
fn name(line: &Line<'_>) -> String {
    let own = json::word(line.name);
    let known = match &*own {
        "run_shell_command" => "Bash",
        "replace" => "Edit",
        "write_file" => "Write",
        "read_file" | "read_many_files" => "Read",
        "grep_search" | "glob" | "list_directory" => "Grep",
        "web_fetch" => "WebFetch",
        other => other,
    };
    known.to_owned()
}

/// What a line says of calls of tools.
pub(super) fn tool_traces(line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
    let Some(text) = whole_line(line) else { return };
    let Some(known) = json::object::<Line<'_>>(Some(text.trim())) else { return };
    let id = json::word(known.id).into_owned();
    match &*json::word(known.kind) {
        "tool_use" => {
            let input = known.parameters.unwrap_or_default().to_owned();
            found(ToolTrace::Called { id, name: name(&known), input, nested: false });
        }
        "tool_result" => {
            found(ToolTrace::Answered { id, is_error: json::word(known.status) == "error" });
        }
        _ => {}
    }
}
