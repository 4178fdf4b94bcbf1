//! Decodes `--output-format stream-json --verbose`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_core::observation::Observation;
use windlass_core::values::{UsageLimit, WindowShare};

use super::background::Background;
use super::event::{Block, Delta, Envelope, LimitInfo, LimitLine, Message, StreamEvent, System};
use super::refusals::Refusals;
use super::{excerpt, result, tools, usage};
use crate::decoding::{Out, garbage, whole_line};
use crate::json::{self, Field};
use crate::{Activity, Decoder, Detail, Digest, MessageId, MessageUsage, Sink};

/// The agent's own words are shown whole up to this many bytes.
const TEXT: usize = 1024 * 1024;

/// So many characters of a window's name are kept.
const WINDOW_NAME: usize = 40;

/// So many calls without an answer are remembered by name; more are not had at a time.
const OPEN_CALLS: usize = 1024;

/// Decodes the lines of one `claude` process, in their order.
#[derive(Debug, Default)]
pub(super) struct ClaudeDecoder {
    background: Background,
    refusals: Refusals,
    /// Calls without an answer yet, by id. Kept for observations only.
    open_calls: BTreeMap<String, String>,
    /// The message that began last, for lines that do not say to which they belong.
    message: Option<MessageId>,
}

impl Decoder for ClaudeDecoder {
    fn line(&mut self, line: &[u8], detail: Detail, sink: &mut dyn Sink) {
        let Some(text) = whole_line(line) else { return };
        let mut out = Out { detail, sink };
        match json::object::<Envelope<'_>>(Some(&text)) {
            Some(envelope) if envelope.kind.is_some() => self.known(&text, &envelope, &mut out),
            _ => garbage(&text, line.len(), &mut out),
        }
    }
}

impl ClaudeDecoder {
    fn known(&mut self, line: &str, envelope: &Envelope<'_>, out: &mut Out<'_>) {
        match &*json::word(envelope.kind) {
            "assistant" => self.assistant(envelope, out),
            "user" => self.user(envelope, out),
            "system" => self.system(line, &json::word(envelope.subtype), out),
            "rate_limit_event" => {
                let line: Option<LimitLine<'_>> = json::object(Some(line));
                limit(line.and_then(|line| line.rate_limit_info), out);
            }
            "result" => result::result(line, &json::word(envelope.subtype), &self.refusals, out),
            "stream_event" => self.streamed(envelope, out),
            _ => {}
        }
    }

    /// A message of the model, of a sub-agent's model, or of the program itself about an error.
    fn assistant(&mut self, envelope: &Envelope<'_>, out: &mut Out<'_>) {
        let nested = envelope.parent_tool_use_id.is_some();
        let error = json::word(envelope.error);
        if !nested && !error.is_empty() {
            out.digest(Digest::ApiError(error.into_owned()));
            limit_in_error(envelope.api_error_params, out);
        }
        if json::flag(envelope.is_api_error_message) == Some(true) {
            return; // The result repeats its text, and the model did not say it.
        }
        let message = json::object::<Message<'_>>(envelope.message).unwrap_or_default();
        let mut written = 0;
        let is_array = json::each(message.content, |block| written += self.said(block, nested, out));
        if !is_array {
            text(message.content, nested, out);
        }
        if let Some(usage) = usage::of_message(&message, written) {
            out.digest(Digest::Usage(Box::new(usage)));
        }
    }

    /// A piece of a message, while it is being written.
    fn streamed(&mut self, envelope: &Envelope<'_>, out: &mut Out<'_>) {
        active(out, Activity::Writing, envelope.parent_tool_use_id.is_some());
        let Some(event) = json::object::<StreamEvent<'_>>(envelope.event) else { return };
        let named = usage::message_id(envelope.api_message_id);
        match &*json::word(event.kind) {
            "message_start" => {
                let message = json::object::<Message<'_>>(event.message).unwrap_or_default();
                self.message = usage::message_id(message.id).or(named);
                if let Some(usage) = usage::of_message(&message, 0) {
                    out.digest(Digest::Usage(Box::new(usage)));
                }
            }
            "content_block_delta" => {
                let delta = json::object::<Delta<'_>>(event.delta).unwrap_or_default();
                let text = delta.text.or(delta.thinking).or(delta.partial_json);
                if let (Some(message), Some(size)) = (named.or(self.message), json::size(text)) {
                    out.digest(Digest::Wrote(message, size.bytes));
                }
            }
            "message_delta" => {
                if let Some(message) = named.or(self.message) {
                    let said = usage::Said::of(event.usage);
                    out.digest(Digest::Usage(Box::new(MessageUsage {
                        whole: true,
                        ..said.of_message(message)
                    })));
                }
            }
            _ => {}
        }
    }

    /// One block of what the model said: its bytes.
    fn said(&mut self, block: Field<'_>, nested: bool, out: &mut Out<'_>) -> u64 {
        let Some(block) = json::object::<Block<'_>>(block) else { return 0 };
        match &*json::word(block.kind) {
            "text" => text(block.text, nested, out),
            "thinking" | "redacted_thinking" => active(out, Activity::Thinking, nested),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => self.called(&block, nested, out),
            _ => {}
        }
        let text = json::size(block.text.or(block.thinking)).map_or(0, |size| size.bytes);
        text.saturating_add(block.input.map_or(0, |input| input.len() as u64))
    }

    fn called(&mut self, block: &Block<'_>, nested: bool, out: &mut Out<'_>) {
        let name = json::word(block.name);
        out.digest(Digest::ToolUse);
        active(out, tools::activity(&name), nested);
        if !out.watched() {
            return;
        }
        let id = json::word(block.id);
        if self.open_calls.len() >= OPEN_CALLS {
            self.open_calls.clear();
        }
        self.open_calls.insert(id.clone().into_owned(), name.clone().into_owned());
        out.observe(|| Observation::ToolUse {
            id: id.into_owned(),
            input: tools::input(&name, block.input),
            name: name.into_owned(),
            nested,
        });
    }

    /// What the model is told: tools' answers; also echoed prompts and summaries, which are nobody's words.
    fn user(&mut self, envelope: &Envelope<'_>, out: &mut Out<'_>) {
        let nested = envelope.parent_tool_use_id.is_some();
        active(out, Activity::Thinking, nested);
        self.refusals.answered(envelope);
        if out.watched() {
            json::each(content(envelope), |block| self.answered(block, nested, out));
        }
    }

    fn answered(&mut self, block: Field<'_>, nested: bool, out: &mut Out<'_>) {
        let block = json::object::<Block<'_>>(block);
        let Some(block) = block.filter(|block| json::word(block.kind) == "tool_result") else { return };
        let id = json::word(block.tool_use_id).into_owned();
        let name = self.open_calls.remove(&id).unwrap_or_default();
        let is_error = json::flag(block.is_error).unwrap_or(false);
        let output = excerpt::excerpt(block.content, is_error);
        out.observe(|| Observation::ToolResult { id, name, is_error, output, nested });
    }

    fn system(&mut self, line: &str, subtype: &str, out: &mut Out<'_>) {
        let Some(system) = json::object::<System<'_>>(Some(line)) else { return };
        match subtype {
            "init" => started(&system, out),
            "api_retry" => retried(&system, out),
            "status" => match &*json::word(system.status) {
                "compacting" => out.activity(Activity::Compacting),
                "requesting" => out.activity(Activity::Thinking),
                _ => {}
            },
            "compact_boundary" => out.observe(|| Observation::Compacted),
            "permission_denied" => {
                self.refusals.decided(&system);
                out.observe(|| Observation::Denied {
                    name: json::word(system.tool_name).into_owned(),
                    id: json::word(system.tool_use_id).into_owned(),
                });
            }
            "task_progress" => usage::of_workflow(&system, |used| out.digest(Digest::Usage(Box::new(used)))),
            _ => {
                if let Some(running) = self.background.changed(subtype, &system) {
                    out.digest(Digest::Background(running));
                    out.observe(|| Observation::Background { running });
                }
            }
        }
    }
}

fn content<'a>(envelope: &Envelope<'a>) -> Field<'a> {
    json::object::<Message<'a>>(envelope.message)?.content
}

fn text(text: Field<'_>, nested: bool, out: &mut Out<'_>) {
    active(out, Activity::Writing, nested);
    if !out.watched() {
        return;
    }
    if let Some(piece) = json::piece(text, TEXT).filter(|piece| !piece.text.is_empty()) {
        out.observe(|| Observation::AgentText { text: piece.text.into_owned(), nested });
    }
}

fn started(system: &System<'_>, out: &mut Out<'_>) {
    let model = json::word(system.model).into_owned();
    out.digest(Digest::Started { model: model.clone() });
    out.activity(Activity::Starting);
    out.observe(|| Observation::Started {
        model,
        version: json::word(system.claude_code_version).into_owned(),
    });
}

fn retried(system: &System<'_>, out: &mut Out<'_>) {
    let status = json::whole(system.error_status);
    let error = json::word(system.error).into_owned();
    out.digest(Digest::Retry { status, error: error.clone() });
    out.activity(Activity::Retrying);
    out.observe(|| Observation::Retrying {
        attempt: json::whole(system.attempt).unwrap_or(0),
        max_attempts: json::whole(system.max_retries).unwrap_or(0),
        delay_ms: json::whole(system.retry_delay_ms).unwrap_or(0),
        status,
        error,
    });
}

/// What a `rate_limit_event` says. Its own status decides; a rejected window within it means nothing.
fn limit(info: Field<'_>, out: &mut Out<'_>) {
    let Some(info) = json::object::<LimitInfo<'_>>(info) else { return };
    out.digest(limit_digest(&info));
    if let Some(share) = window_share(&info) {
        out.digest(Digest::Window(share));
    }
    out.observe(|| Observation::LimitNotice {
        status: json::word(info.status).into_owned(),
        window: json::word(info.rate_limit_type).into_owned(),
        utilization: json::number(info.utilization),
        resets_at: seconds(info.resets_at),
    });
}

/// `None` where it does not say how much of what is used.
fn window_share(info: &LimitInfo<'_>) -> Option<WindowShare> {
    let window: String = json::word(info.rate_limit_type).chars().take(WINDOW_NAME).collect();
    let used = json::number(info.utilization).filter(|used| used.is_finite() && *used >= 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within bounds")]
    let used_percent = (used * 100.0).round().min(f64::from(u16::MAX)) as u16;
    let resets_at = seconds(info.resets_at).and_then(|seconds| Timestamp::from_second(seconds).ok());
    (!window.is_empty()).then_some(WindowShare { window, used_percent, resets_at })
}

/// The same facts once more, in the program's message about a limit that was hit.
fn limit_in_error(params: Field<'_>, out: &mut Out<'_>) {
    let params = json::object::<LimitLine<'_>>(params);
    let info = params.and_then(|params| json::object::<LimitInfo<'_>>(params.rate_limit_info));
    if let Some(info) = info {
        out.digest(limit_digest(&info));
    }
}

fn limit_digest(info: &LimitInfo<'_>) -> Digest {
    let rejected = (json::word(info.status) == "rejected").then(|| UsageLimit {
        resets_at: seconds(info.resets_at).and_then(|seconds| Timestamp::from_second(seconds).ok()),
        window: json::word(info.rate_limit_type).into_owned(),
    });
    Digest::Limit { rejected, overage: json::flag(info.is_using_overage) == Some(true) }
}

/// Seconds since 1970.
fn seconds(field: Field<'_>) -> Option<i64> {
    json::whole::<u64>(field).and_then(|seconds| seconds.try_into().ok())
}

/// What a sub-agent does is that somebody works for the agent.
fn active(out: &mut Out<'_>, activity: Activity, nested: bool) {
    out.activity(if nested { Activity::Delegating } else { activity });
}
