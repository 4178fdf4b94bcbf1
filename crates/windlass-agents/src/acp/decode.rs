//! Decodes what an agent says in ACP, and the notes of our side of the conversation. The answer to the prompt is the result.

use std::collections::BTreeMap;

use windlass_core::observation::{Observation, ToolTrace};
use windlass_core::values::{Denial, Tokens};

use super::conversation::{REFUSED, options};
use super::event::{
    Air, Answer, Codex, CodexError, Content, Failure, FailureData, Jetbrains, Meta, Models, Params, Passed,
    SessionFailure, Spent, ThreadStatus, Update,
};
use super::{tool, usage};
use crate::answer::object_at_end;
use crate::conversation::{FAILED, Message};
use crate::decoding::{Out, garbage, gist, whole_line};
use crate::json::{self, Field};
use crate::{Activity, Decoder, Detail, Digest, MessageId, ResultDigest, Sink};

/// So much of a text is kept.
const TEXT: usize = 64 * 1024;

/// So many characters of why a request is tried again.
const CAUSE: usize = 200;

/// Refused calls of tools that are told.
const DENIALS: usize = 20;

/// So many calls of tools are known at a time; those that are over are forgotten first.
const CALLS: usize = 1000;

/// The kind of failure where the turn ended well, as it says, and nothing was said.
pub(super) const EMPTY: &str = "empty";

/// That of one in which the model would not, as the turn's end says.
pub(super) const REFUSAL: &str = "refusal";

/// That of one whose agent said that it failed, in its words only.
pub(super) const SYSTEM_ERROR: &str = "systemError";

/// That of a conversation that could not go on, as our side noted.
pub(super) const CANNOT_GO_ON: &str = "cannot_go_on";

/// That of a turn that ended for a reason that the protocol does not know.
pub(super) const UNKNOWN_END: &str = "unknown_end";

/// Reasons of the protocol for the end of a turn that can have come to something.
const GOOD_ENDS: [&str; 4] = ["end_turn", "max_tokens", "max_turn_requests", "cancelled"];

/// Decodes the lines of one call, in their order.
#[derive(Debug, Default)]
pub(super) struct AcpDecoder {
    /// What was said since the last call of a tool.
    words: String,
    /// So many bytes of that have been observed.
    observed: usize,
    calls: BTreeMap<String, Call>,
    /// The session that the agent has begun for us.
    session: String,
    cost: Option<f64>,
    model: String,
    /// Requests whose tokens were told one by one, and their sum.
    steps: u64,
    used: Tokens,
    denials: Vec<Denial>,
    /// It says of itself that it failed.
    system_error: bool,
    /// The turn is over: what is said after it is none of its.
    over: bool,
}

/// A call of a tool.
#[derive(Debug, Default)]
struct Call {
    name: String,
    /// It was told to whoever watches.
    shown: bool,
    /// It is over.
    answered: bool,
}

impl Decoder for AcpDecoder {
    fn line(&mut self, line: &[u8], detail: Detail, sink: &mut dyn Sink) {
        let Some(text) = whole_line(line) else { return };
        let mut out = Out { detail, sink };
        let message: Option<Message<'_>> = json::object(Some(text.trim()));
        let Some(message) = message else { return garbage(&text, line.len(), &mut out) };
        match &*json::word(message.method) {
            "" if message.error.is_some() => self.failed(message.error, &mut out),
            "" if message.result.is_some() => self.answered(message.result, &mut out),
            "" => garbage(&text, line.len(), &mut out),
            "session/update" => {
                let params: Params<'_> = json::object(message.params).unwrap_or_default();
                let update = json::object(params.update).unwrap_or_default();
                if self.is_of_another(&params) && is_said(&update) {
                    // A sub-agent's words are not the agent's.
                    return out.activity(Activity::Delegating);
                }
                self.updated(&update, &mut out);
            }
            "session/request_permission" => self.called(&asked(message.params), &mut out),
            REFUSED => self.refused(&asked(message.params)),
            FAILED => {
                self.over = true;
                let params: Params<'_> = json::object(message.params).unwrap_or_default();
                let text = json::tail(params.message, TEXT).unwrap_or_default();
                out.result(ResultDigest { text, ..self.totals(CANNOT_GO_ON) });
            }
            // News that nobody asked for.
            _ => {}
        }
    }
}

impl AcpDecoder {
    /// Is it of another session than ours?
    fn is_of_another(&self, params: &Params<'_>) -> bool {
        let session = json::word(params.session);
        !self.session.is_empty() && !session.is_empty() && session != self.session
    }

    fn updated(&mut self, update: &Update<'_>, out: &mut Out<'_>) {
        if self.over {
            return;
        }
        match &*json::word(update.kind) {
            "agent_message_chunk" => self.said(update, out),
            "agent_thought_chunk" => out.thought(),
            "tool_call" | "tool_call_update" => self.called(update, out),
            "usage_update" => self.spent(update, out),
            "session_info_update" => self.codex(update, out),
            _ => {}
        }
    }

    fn said(&mut self, update: &Update<'_>, out: &mut Out<'_>) {
        out.activity(Activity::Writing);
        let content: Content<'_> = json::object(update.content).unwrap_or_default();
        self.words.push_str(&json::tail(content.text, TEXT).unwrap_or_default());
        if self.words.len() > 2 * TEXT {
            self.observe_words(out);
            self.words = json::last_bytes(&self.words, TEXT).to_owned();
            self.observed = self.words.len();
        }
        let meta: Meta<'_> = json::object(update.meta).unwrap_or_default();
        if let Some(used) = usage::tokens(meta.usage) {
            self.step(used, out);
        }
    }

    /// What one request used: some say it after each, and nothing at the end.
    fn step(&mut self, used: Tokens, out: &mut Out<'_>) {
        self.steps += 1;
        self.used += used;
        out.used(MessageId(self.steps), &self.model, used);
    }

    /// What was written in pieces is told as a whole.
    fn observe_words(&mut self, out: &mut Out<'_>) {
        let new = self.words.get(self.observed..).unwrap_or_default().trim();
        if !new.is_empty() {
            out.observe(|| Observation::AgentText { text: new.to_owned(), nested: false });
        }
        self.observed = self.words.len();
    }

    fn called(&mut self, update: &Update<'_>, out: &mut Out<'_>) {
        let id = json::word(update.id).into_owned();
        if id.is_empty() {
            return out.activity(Activity::UsingTool);
        }
        if !self.calls.contains_key(&id) {
            self.begun(out);
        }
        let call = self.calls.entry(id.clone()).or_default();
        if call.name.is_empty() || update.tool_kind.is_some() {
            call.name = tool::name(update).into_owned();
        }
        out.activity(tool::activity(&call.name));
        let over = tool::ended(update);
        if !call.shown && (tool::is_described(update) || over.is_some()) {
            call.shown = true;
            let name = call.name.clone();
            let input = || tool::input(&name, &tool::written(update));
            out.observe(|| Observation::ToolUse {
                id: id.clone(),
                name: name.clone(),
                input: input(),
                nested: false,
            });
        }
        if let Some(is_error) = over.filter(|_| !std::mem::replace(&mut call.answered, over.is_some())) {
            let name = call.name.clone();
            out.observe(|| Observation::ToolResult {
                id,
                name,
                is_error,
                output: tool::output(update),
                nested: false,
            });
        }
    }

    /// A call that nobody has heard of: what was said before it is no result.
    fn begun(&mut self, out: &mut Out<'_>) {
        self.observe_words(out);
        self.words.clear();
        self.observed = 0;
        out.digest(Digest::ToolUse);
        if self.calls.len() >= CALLS {
            self.calls.retain(|_, call| !call.answered);
        }
        // So many under way at a time are none that it works on.
        if self.calls.len() >= CALLS {
            self.calls.clear();
        }
    }

    fn refused(&mut self, update: &Update<'_>) {
        let name = tool::name(update).into_owned();
        let input = gist(&tool::input(&name, &tool::written(update)));
        if self.denials.len() < DENIALS {
            self.denials.push(Denial {
                tool: name,
                input,
                refused_by: "Windlass, since this call only judges".to_owned(),
                ..Denial::default()
            });
        }
    }

    /// What the session has cost so far.
    fn spent(&mut self, update: &Update<'_>, out: &mut Out<'_>) {
        let spent: Spent<'_> = json::object(update.cost).unwrap_or_default();
        if json::word(spent.currency) == "USD" {
            let amount = json::number(spent.amount).filter(|amount| *amount >= 0.0);
            self.cost = amount.or(self.cost);
            if let Some(amount) = amount {
                out.digest(Digest::Total(amount));
            }
        }
        let meta: Meta<'_> = json::object(update.meta).unwrap_or_default();
        if meta.model.is_some() {
            self.model = json::word(meta.model).into_owned();
        }
    }

    /// Codex's adapter says here alone that a request failed.
    fn codex(&mut self, update: &Update<'_>, out: &mut Out<'_>) {
        let meta: Meta<'_> = json::object(update.meta).unwrap_or_default();
        let codex: Codex<'_> = json::object(meta.codex).unwrap_or_default();
        let thread: ThreadStatus<'_> = json::object(codex.thread).unwrap_or_default();
        self.system_error |= json::word(thread.kind) == "systemError";
        let error: CodexError<'_> = json::object(codex.error).unwrap_or_default();
        if json::flag(error.retries) == Some(true) {
            let why = json::piece(error.details, TEXT).or_else(|| json::piece(error.message, TEXT));
            let error = why.map(|piece| piece.text.chars().take(CAUSE).collect()).unwrap_or_default();
            out.digest(Digest::Retry { status: None, error });
        }
    }

    /// An answer to one of our requests, told apart by what it holds.
    fn answered(&mut self, result: Field<'_>, out: &mut Out<'_>) {
        let answer: Answer<'_> = json::object(result).unwrap_or_default();
        if answer.session.is_some() {
            self.session = json::word(answer.session).into_owned();
            self.model = current_model(&answer).unwrap_or_default();
            out.digest(Digest::Started { model: self.model.clone() });
            return out.activity(Activity::Thinking);
        }
        if answer.stop_reason.is_none() || self.over {
            return self.chosen(&answer, out);
        }
        self.over = true;
        self.observe_words(out);
        let text = json::last_bytes(self.words.trim(), TEXT).to_owned();
        let stop_reason = json::word(answer.stop_reason).into_owned();
        let mut models = usage::of_turn(&answer, &self.model);
        if models.is_empty() && self.steps > 0 {
            models.push(usage::of_model(&self.model, self.used));
        }
        let failure = session_failure(answer.meta);
        let subtype = match () {
            () if failure.is_some() || self.system_error => SYSTEM_ERROR,
            () if stop_reason == REFUSAL => REFUSAL,
            // Nothing at all is what a refusal looks like, and an answer that was lost.
            () if text.is_empty() => EMPTY,
            () if !GOOD_ENDS.contains(&stop_reason.as_str()) => UNKNOWN_END,
            () => "success",
        };
        // What the session began with can have been another one.
        if let Some(used) = models.first().filter(|used| !used.model.is_empty()) {
            out.digest(Digest::Started { model: used.model.clone() });
        }
        let tokens = models.iter().map(|used| used.tokens).sum();
        let structured = object_at_end(&text);
        let text = failure.unwrap_or(text);
        let totals = self.totals(subtype);
        out.result(ResultDigest { stop_reason, text, tokens, models, structured, ..totals });
    }

    /// Something was chosen, perhaps the model.
    fn chosen(&mut self, answer: &Answer<'_>, out: &mut Out<'_>) {
        if let Some(model) = current_model(answer) {
            self.model = model;
            out.digest(Digest::Started { model: self.model.clone() });
        }
        out.activity(Activity::Starting);
    }

    fn failed(&mut self, error: Field<'_>, out: &mut Out<'_>) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.observe_words(out);
        let failure: Failure<'_> = json::object(error).unwrap_or_default();
        let data: FailureData<'_> = json::object(failure.data).unwrap_or_default();
        let code: i64 = failure.code.and_then(|code| code.parse().ok()).unwrap_or_default();
        let subtype = match &*json::word(data.kind) {
            "" => code.to_string(),
            kind => kind.to_owned(),
        };
        let status = u16::try_from(code).ok().filter(|code| (100..600).contains(code));
        let text = sentence(&failure, &data);
        out.result(ResultDigest { status, text, ..self.totals(&subtype) });
    }

    fn totals(&self, subtype: &str) -> ResultDigest {
        ResultDigest {
            is_error: subtype != "success",
            subtype: subtype.to_owned(),
            cost_usd: self.cost,
            denials: self.denials.clone(),
            ..ResultDigest::default()
        }
    }
}

/// Is it a piece of what somebody says or thinks?
fn is_said(update: &Update<'_>) -> bool {
    matches!(&*json::word(update.kind), "agent_message_chunk" | "agent_thought_chunk")
}

/// The model of a session, where an answer says it.
fn current_model(answer: &Answer<'_>) -> Option<String> {
    let models: Models<'_> = json::object(answer.models).unwrap_or_default();
    let choice = options(answer.options).find(|choice| json::word(choice.id) == "model");
    let current = models.current.or_else(|| choice.and_then(|choice| choice.value))?;
    Some(json::word(Some(current)).into_owned())
}

/// The call of a tool that is asked about.
fn asked(params: Field<'_>) -> Update<'_> {
    let params: Params<'_> = json::object(params).unwrap_or_default();
    json::object(params.tool_call).unwrap_or_default()
}

/// Why a turn failed, as an extension of the protocol says it; its own end is a good one then.
fn session_failure(meta: Field<'_>) -> Option<String> {
    let meta: Meta<'_> = json::object(meta)?;
    let extension: Jetbrains<'_> = json::object(meta.jetbrains)?;
    let air: Air<'_> = json::object(extension.air)?;
    let failure: SessionFailure<'_> = json::object(air.failure)?;
    json::tail(failure.title, TEXT)
}

/// What an error says, without what its kind says already.
fn sentence(failure: &Failure<'_>, data: &FailureData<'_>) -> String {
    let message = json::tail(failure.message, TEXT).unwrap_or_default();
    let message = message.strip_prefix("Internal error").unwrap_or(&message);
    let message = message.strip_prefix(": ").unwrap_or(message);
    let passed = json::object::<Passed<'_>>(Some(message)).and_then(|passed| json::object(passed.error));
    match passed {
        Some(Failure { message: within, .. }) => json::tail(within, TEXT).unwrap_or_default(),
        None if message.is_empty() => json::tail(data.details, TEXT).unwrap_or_default(),
        None => message.to_owned(),
    }
}

/// What a line says of calls of tools. One that was told before its input was there is told when that is.
pub(super) fn tool_traces(line: &[u8], found: &mut dyn FnMut(ToolTrace)) {
    let Some(text) = whole_line(line) else { return };
    let Some(message) = json::object::<Message<'_>>(Some(text.trim())) else { return };
    let method = json::word(message.method);
    if method == REFUSED {
        return found(ToolTrace::Refused { id: json::word(asked(message.params).id).into_owned() });
    }
    let update = match &*method {
        "session/request_permission" => asked(message.params),
        "session/update" => {
            let params: Params<'_> = json::object(message.params).unwrap_or_default();
            json::object(params.update).unwrap_or_default()
        }
        _ => return,
    };
    let id = json::word(update.id).into_owned();
    if id.is_empty() {
        return;
    }
    if let Some(is_error) = tool::ended(&update) {
        return found(ToolTrace::Answered { id, is_error });
    }
    if tool::is_described(&update) || method == "session/request_permission" {
        let name = tool::name(&update).into_owned();
        found(ToolTrace::Called { id, name, input: tool::written(&update), nested: false });
    }
}
