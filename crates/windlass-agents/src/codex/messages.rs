//! What `codex app-server` says in a call. It counts tokens thread by thread, each total with all before it, and types its failures.

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_core::price::ModelUsage;
use windlass_core::values::{Tokens, UsageLimit, WindowShare};

use super::decode::{RETRY, failed, of_words, retry};
use super::event::{Answer, Failure, Limits, Line, Named, Params, Status, ThreadUsage, Window};
use super::item::{Items, TEXT, Whose, tokens};
use super::prose;
use crate::conversation::FAILED;
use crate::decoding::Out;
use crate::json::{self, Field};
use crate::{Activity, Digest, MessageId, ResultDigest};

/// The kind of failure of a conversation that could not go on, as our side noted.
pub(super) const CANNOT_GO_ON: &str = "cannot_go_on";

/// That of a request that the server refused.
pub(super) const REFUSED: &str = "refused";

/// That of a turn that somebody interrupted.
pub(super) const INTERRUPTED: &str = "interrupted";

/// The kind of a usage limit.
pub(super) const USAGE_LIMIT: &str = "usageLimitExceeded";

/// Threads whose tokens are counted: those of agents that the agent calls are among them.
const THREADS: usize = 1000;

/// What is known of a call.
#[derive(Debug, Default)]
pub(super) struct Server {
    /// The thread of the agent that was called; empty before it began.
    thread: String,
    model: String,
    /// What each thread has used so far.
    used: BTreeMap<String, Tokens>,
    /// Requests whose tokens were told.
    requests: u64,
    /// The account's windows, as they were told last.
    windows: Vec<WindowShare>,
    /// The turn is over: what is said after it is none of its.
    over: bool,
}

impl Server {
    pub fn heard(&mut self, message: &Line<'_>, items: &mut Items, out: &mut Out<'_>) {
        let params: Params<'_> = json::object(message.params).unwrap_or_default();
        match &*json::word(message.method) {
            "" if message.error.is_some() => self.ended(failed(REFUSED, message.error), out),
            "" => self.answered(message.result, out),
            _ if self.over => {}
            "turn/started" => out.activity(Activity::Thinking),
            "item/started" => items.began(params.item, self.whose(&params), out),
            "item/completed" => items.ended(params.item, self.whose(&params), out),
            "item/agentMessage/delta" => out.activity(Activity::Writing),
            "thread/tokenUsage/updated" => self.spent(&params, out),
            "account/rateLimits/updated" => self.limits(params.limits, out),
            "error" if json::flag(params.retries) == Some(true) => retried(params.error, out),
            "turn/completed" if self.whose(&params) == Whose::Own => self.completed(params.turn, items, out),
            FAILED => {
                let text = json::tail(params.message, TEXT).unwrap_or_default();
                self.ended(ResultDigest { text, ..failed(CANNOT_GO_ON, None) }, out);
            }
            // News that nobody asked for; a failure that is not tried again comes with the turn's end.
            _ => {}
        }
    }

    fn whose(&self, params: &Params<'_>) -> Whose {
        if json::word(params.thread) == self.thread { Whose::Own } else { Whose::Nested }
    }

    /// An answer to one of our requests: to that for a thread if there is one in it.
    fn answered(&mut self, result: Field<'_>, out: &mut Out<'_>) {
        let answer: Answer<'_> = json::object(result).unwrap_or_default();
        let Some(thread) = json::object::<Named<'_>>(answer.thread) else { return };
        self.thread = json::word(thread.id).into_owned();
        self.model = json::word(answer.model).into_owned();
        out.digest(Digest::Started { model: self.model.clone() });
        out.activity(Activity::Starting);
    }

    /// What a thread has used so far. The same total can come again.
    fn spent(&mut self, params: &Params<'_>, out: &mut Out<'_>) {
        let usage: ThreadUsage<'_> = json::object(params.usage).unwrap_or_default();
        let total = tokens(usage.total);
        let thread = json::word(params.thread).into_owned();
        if self.used.len() >= THREADS && !self.used.contains_key(&thread) {
            return;
        }
        let before = self.used.insert(thread, total).unwrap_or_default();
        let tokens = total.with(Tokens::default(), before);
        if tokens.total() == 0 {
            return;
        }
        self.requests += 1;
        out.used(MessageId(self.requests), &self.model, tokens);
    }

    fn limits(&mut self, limits: Field<'_>, out: &mut Out<'_>) {
        let limits: Limits<'_> = json::object(limits).unwrap_or_default();
        let windows = [limits.primary, limits.secondary].into_iter().flatten();
        self.windows = windows.filter_map(|window| window_share(Some(window))).collect();
        for window in &self.windows {
            out.digest(Digest::Window(window.clone()));
        }
    }

    fn completed(&mut self, turn: Field<'_>, items: &mut Items, out: &mut Out<'_>) {
        let turn: Named<'_> = json::object(turn).unwrap_or_default();
        let result = match &*json::word(turn.status) {
            "completed" if turn.error.is_none() => of_words(std::mem::take(&mut items.text)),
            "interrupted" => failed(INTERRUPTED, turn.error),
            _ => {
                let (kind, status) = kind(turn.error);
                if kind == USAGE_LIMIT {
                    let rejected = Some(self.exhausted());
                    out.digest(Digest::Limit { rejected, overage: false });
                }
                ResultDigest { status, ..failed(&kind, turn.error) }
            }
        };
        self.ended(result, out);
    }

    /// The window that is used up: of several the one that resets last.
    fn exhausted(&self) -> UsageLimit {
        let used_up = self.windows.iter().filter(|window| window.used_percent >= 100);
        let last = used_up.max_by_key(|window| window.resets_at);
        let limit =
            |window: &WindowShare| UsageLimit { resets_at: window.resets_at, window: window.window.clone() };
        last.map(limit).unwrap_or_default()
    }

    fn ended(&mut self, result: ResultDigest, out: &mut Out<'_>) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        let tokens: Tokens = self.used.values().copied().sum();
        let used = ModelUsage { model: self.model.clone(), tokens, ..ModelUsage::default() };
        let models = if tokens.total() > 0 { vec![used] } else { Vec::new() };
        out.result(ResultDigest { tokens, models, ..result });
    }
}

/// `"usageLimitExceeded"`, or `{"httpConnectionFailed": {"httpStatusCode": 401}}`: its word, and its answer of HTTP.
fn kind(failure: Field<'_>) -> (String, Option<u16>) {
    let failure: Failure<'_> = json::object(failure).unwrap_or_default();
    let Some(written) = failure.info else { return (String::new(), None) };
    if written.starts_with('"') {
        return (json::word(Some(written)).into_owned(), None);
    }
    let (mut kind, mut status) = (String::new(), None);
    json::members(written, |name, value| {
        let answer: Status<'_> = json::object(value).unwrap_or_default();
        name.clone_into(&mut kind);
        status = json::whole::<u16>(answer.status);
    });
    (kind, status)
}

fn retried(failure: Field<'_>, out: &mut Out<'_>) {
    let known: Failure<'_> = json::object(failure).unwrap_or_default();
    let (_, status) = kind(failure);
    let (message, cause) = (json::word(known.message), json::word(known.details));
    let count = message.strip_prefix(RETRY).unwrap_or_default();
    retry(count, &cause, status.or_else(|| prose::status(&cause)), out);
}

fn window_share(window: Field<'_>) -> Option<WindowShare> {
    let window: Window<'_> = json::object(window)?;
    let seconds = json::whole::<i64>(window.resets_at);
    Some(WindowShare {
        window: match json::whole::<u64>(window.minutes) {
            Some(300) => "five_hour".to_owned(),
            Some(10_080) => "seven_day".to_owned(),
            Some(minutes) => format!("{minutes} min"),
            None => String::new(),
        },
        used_percent: json::whole::<u16>(window.percent)?,
        resets_at: seconds.and_then(|seconds| Timestamp::from_second(seconds).ok()),
    })
}
