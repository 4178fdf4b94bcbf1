//! The story a stand-in tells: replies, one per request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::rate_limit::{RateLimit, RateLimitStatus, Window};
use super::request::Request;

/// A list of replies, consumed one per `POST /v1/messages` in order of arrival, and what follows the last one.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub(super) replies: Vec<Reply>,
    pub(super) ending: Ending,
}

/// What answers a request when all replies are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// 403, which the agent takes as final.
    Refuse,
    /// The last reply again and again.
    RepeatLast,
}

impl Scenario {
    /// These replies; a request beyond them is refused with a 403, which ends the agent at once.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { replies: replies.into_iter().collect(), ending: Ending::Refuse }
    }

    /// This reply to every request.
    pub fn always(reply: Reply) -> Self {
        Self::new([reply]).repeat_last()
    }

    /// Every reply is computed from its request: for agents that run side by side, or whose number of turns is open.
    pub fn computed(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::always(Reply::computed(answer))
    }

    /// The last reply answers every further request.
    pub fn repeat_last(mut self) -> Self {
        self.ending = Ending::RepeatLast;
        self
    }

    /// The replies of `later` after these; its ending holds.
    pub fn then(mut self, later: Self) -> Self {
        self.replies.extend(later.replies);
        self.ending = later.ending;
        self
    }

    /// The reply to the request with this number, counted from 0.
    pub(super) fn reply(&self, number: usize) -> Reply {
        let beyond = match self.ending {
            Ending::RepeatLast => self.replies.last(),
            Ending::Refuse => None,
        };
        self.replies.get(number).or(beyond).cloned().unwrap_or_else(|| {
            Reply::error(403, "permission_error", "the scenario of the stand-in has no reply left")
        })
    }
}

/// What one request is answered with.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) kind: Kind,
    pub(super) headers: Vec<(String, String)>,
    pub(super) delay: Duration,
}

/// How a reply goes over the wire.
#[derive(Clone)]
pub(super) enum Kind {
    /// A message, whole.
    Message(Message),
    /// A message that breaks off after its first half.
    Broken(Message, Break),
    /// Nothing at all: not even headers.
    Silent(Break),
    /// An HTTP error.
    Error { status: u16, error_type: String, message: String },
    /// Status 200, then an `error` event in the stream.
    StreamError { error_type: String, message: String },
    /// Decided when the request is there.
    Computed(Arc<dyn Fn(&Request) -> Reply + Send + Sync>),
}

/// How a reply that does not come to its end goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Break {
    /// The connection stays open and says nothing more, until the agent hangs up or the stand-in stops.
    Stall,
    /// The connection is reset (RST).
    Reset,
}

/// What the model says in one turn.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// Content blocks in wire form; a `tool_use` gets its id when it is sent.
    pub blocks: Vec<Value>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None`: `tool_use` where there is such a block, else `end_turn`.
    pub stop_reason: Option<String>,
}

impl Reply {
    fn of(kind: Kind) -> Self {
        Self { kind, headers: Vec::new(), delay: Duration::ZERO }
    }

    /// A turn without content: the agent reports an empty success after one more try.
    pub fn empty() -> Self {
        Self::of(Kind::Message(Message {
            blocks: Vec::new(),
            input_tokens: 100,
            output_tokens: 20,
            stop_reason: None,
        }))
    }

    /// The model says `text`.
    pub fn text(text: impl Into<String>) -> Self {
        Self::empty().and_text(text)
    }

    /// The model calls a tool: `Write`, `Edit`, `Bash`, `Read`, `Agent`, …
    pub fn tool(name: &str, input: Value) -> Self {
        Self::empty().and_tool(name, input)
    }

    /// The model runs a shell command. (The real agent refuses a bare `sleep`; `bash -c 'sleep 300'` passes.)
    pub fn bash(command: &str) -> Self {
        Self::tool("Bash", json!({"command": command, "description": "a step of the scenario"}))
    }

    /// The model writes a file; `path` is absolute.
    pub fn write(path: impl AsRef<std::path::Path>, content: &str) -> Self {
        Self::tool("Write", json!({"file_path": path.as_ref(), "content": content}))
    }

    /// Further text in the same turn.
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and_block(json!({"type": "text", "text": text.into()}))
    }

    /// A further tool call in the same turn.
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!(…) in place")]
    pub fn and_tool(self, name: &str, input: Value) -> Self {
        self.and_block(json!({"type": "tool_use", "name": name, "input": input}))
    }

    fn and_block(self, block: Value) -> Self {
        self.with_message("a content block", |message| message.blocks.push(block))
    }

    /// What the turn costs in tokens; 100 and 20 unless said. The agent computes its cost from these and its own
    /// price list: 100 in and 20 out are $0.0008 with Opus 5.5, 10,000 and 1,000 are $0.06.
    pub fn usage(self, input_tokens: u64, output_tokens: u64) -> Self {
        self.with_message("usage", |message| {
            message.input_tokens = input_tokens;
            message.output_tokens = output_tokens;
        })
    }

    /// Ends the turn for this reason (`max_tokens`, `refusal`, …) instead of `tool_use` or `end_turn`.
    pub fn stop_reason(self, reason: &str) -> Self {
        self.with_message("a stop reason", |message| {
            message.stop_reason = Some(reason.to_owned());
        })
    }

    fn with_message(mut self, what: &str, change: impl FnOnce(&mut Message)) -> Self {
        match &mut self.kind {
            Kind::Message(message) | Kind::Broken(message, _) => change(message),
            other => panic!("{what} belongs to a message, not to {other:?}"),
        }
        self
    }

    /// An HTTP error. 401, 429, 5xx and 529 are retried by the agent (`CLAUDE_CODE_MAX_RETRIES`), 403 is not.
    pub fn error(status: u16, error_type: &str, message: &str) -> Self {
        Self::of(Kind::Error { status, error_type: error_type.to_owned(), message: message.to_owned() })
    }

    /// 401: the credentials are not accepted.
    pub fn unauthorized() -> Self {
        Self::error(401, "authentication_error", "invalid x-api-key")
    }

    /// 529: the service has too much to do.
    pub fn overloaded() -> Self {
        Self::error(529, "overloaded_error", "Overloaded")
    }

    /// 500.
    pub fn server_error() -> Self {
        Self::error(500, "api_error", "Internal server error")
    }

    /// 429 without a word about when it will be over.
    pub fn too_many_requests() -> Self {
        Self::error(429, "rate_limit_error", "Too many requests")
    }

    /// 429 with the plan's window used up until `resets_at`. The reset time reaches the agent's output only when it
    /// runs with an OAuth token.
    pub fn usage_limit(window: Window, resets_at: Timestamp) -> Self {
        let wait = resets_at.as_second().saturating_sub(Timestamp::now().as_second()).max(0);
        Self::error(429, "rate_limit_error", "This request would exceed your account's rate limit")
            .retry_after(Duration::from_secs(wait.unsigned_abs()))
            .rate_limit(&RateLimit::new(RateLimitStatus::Rejected, window, resets_at))
    }

    /// 400: the conversation does not fit into the model's window.
    pub fn context_too_long() -> Self {
        Self::error(400, "invalid_request_error", "prompt is too long: 1200000 tokens > 1000000 maximum")
    }

    /// 400: the account has no money left.
    pub fn out_of_credit() -> Self {
        let message = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to \
                       upgrade or purchase credits.";
        Self::error(400, "invalid_request_error", message)
    }

    /// 404: no such model.
    pub fn unknown_model(model: &str) -> Self {
        Self::error(404, "not_found_error", &format!("model: {model}"))
    }

    /// Status 200 and an overload reported inside the stream.
    pub fn overloaded_in_stream() -> Self {
        Self::of(Kind::StreamError {
            error_type: "overloaded_error".to_owned(),
            message: "Overloaded".to_owned(),
        })
    }

    /// Accepts the request and never answers.
    pub fn stall_before_headers() -> Self {
        Self::of(Kind::Silent(Break::Stall))
    }

    /// Accepts the request and resets the connection.
    pub fn reset_before_headers() -> Self {
        Self::of(Kind::Silent(Break::Reset))
    }

    /// Starts to say `text` and falls silent in the middle, the connection open.
    pub fn stall_mid_stream(text: impl Into<String>) -> Self {
        Self::text(text).broken(Break::Stall)
    }

    /// Starts to say `text` and resets the connection in the middle.
    pub fn reset_mid_stream(text: impl Into<String>) -> Self {
        Self::text(text).broken(Break::Reset)
    }

    fn broken(mut self, how: Break) -> Self {
        if let Kind::Message(message) = self.kind {
            self.kind = Kind::Broken(message, how);
        }
        self
    }

    /// A reply made from its request.
    pub fn computed(answer: impl Fn(&Request) -> Self + Send + Sync + 'static) -> Self {
        Self::of(Kind::Computed(Arc::new(answer)))
    }

    /// Waits so long before anything is sent.
    pub fn delayed(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// A further header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The header `retry-after`, in whole seconds. The agent gives up at once where it says more than 60.
    pub fn retry_after(self, wait: Duration) -> Self {
        self.header("retry-after", &wait.as_secs().to_string())
    }

    /// What the service says about the plan; seen with an OAuth token only.
    pub fn rate_limit(mut self, limit: &RateLimit) -> Self {
        self.headers.extend(limit.headers());
        self
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(message) => formatter.debug_tuple("Message").field(message).finish(),
            Self::Broken(message, how) => formatter.debug_tuple("Broken").field(message).field(how).finish(),
            Self::Silent(how) => formatter.debug_tuple("Silent").field(how).finish(),
            Self::Error { status, message, .. } => write!(formatter, "Error({status}, {message:?})"),
            Self::StreamError { message, .. } => write!(formatter, "StreamError({message:?})"),
            Self::Computed(_) => formatter.write_str("Computed(…)"),
        }
    }
}
