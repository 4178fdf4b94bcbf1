//! What an agent says, for the core and for whoever watches.

use windlass_core::observation::Observation;
use windlass_core::price::ModelUsage;
use windlass_core::values::{Denial, Tokens, UsageLimit, WindowShare};

/// What a line means to the core; text and tool calls are not among it.
#[derive(Clone, Debug, PartialEq)]
pub enum Digest {
    /// A session began (several can).
    Started {
        /// The model it uses.
        model: String,
    },
    /// A sign of life, and of what kind.
    Activity(Activity),
    /// A tool was called.
    ToolUse,
    /// The agent itself retries a request.
    Retry {
        /// HTTP status, where there was an answer.
        status: Option<u16>,
        /// The agent's word for it: `authentication_failed`, `overloaded`, …
        error: String,
    },
    /// The agent marked its message as an error: `rate_limit`, `billing_error`, …
    ApiError(String),
    /// The agent spoke about usage limits. `Some` when it refused to go on (`status:"rejected"`).
    Limit {
        /// The limit that was hit.
        rejected: Option<UsageLimit>,
        /// The account is being charged beyond its plan.
        overage: bool,
    },
    /// So much of a window of usage is used.
    Window(WindowShare),
    /// So many background tasks are running now.
    Background(u32),
    /// The model thought about it: a request was answered, though nothing was said yet.
    Thought,
    /// What a message of the model has used so far was said; the same message can come several times.
    Usage(Box<MessageUsage>),
    /// So many dollars the call has cost so far, as the agent says while it works.
    Total(f64),
    /// The model wrote so many bytes of a message that is under way.
    Wrote(MessageId, u64),
    /// A line of text from an agent that marks no results: all of them together are its result, where it ends well.
    Said(String),
    /// A turn's result; several can come, the last totals count.
    Result(Box<ResultDigest>),
    /// A line that was not JSON, or no object with a known shape.
    Garbage,
}

/// Which message of the model: a number made of its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageId(pub u64);

/// What one message of the model has used, as far as it is known yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageUsage {
    /// Which.
    pub message: MessageId,
    /// The model; empty where only an earlier line says it.
    pub model: String,
    /// Its tokens; those written count once it is `whole`.
    pub tokens: Tokens,
    /// How many of those put into the cache were put there for an hour.
    pub cached_for_an_hour: u64,
    /// Bytes of the block of text that came with it.
    pub written: u64,
    /// The message is over.
    pub whole: bool,
}

/// The kind of thing an agent is doing, for the progress line: no details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It started up.
    Starting,
    /// It waits for the model.
    Thinking,
    /// It writes.
    Writing,
    /// It reads or searches files.
    Reading,
    /// It changes files.
    Editing,
    /// It runs a command.
    Running,
    /// It uses another tool.
    UsingTool,
    /// A sub-agent works.
    Delegating,
    /// It compacts its context.
    Compacting,
    /// It retries a request.
    Retrying,
}

/// A result event, reduced to the fields that judge it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultDigest {
    /// `is_error`; missing counts as true.
    pub is_error: bool,
    /// `subtype`.
    pub subtype: String,
    /// `terminal_reason`.
    pub terminal_reason: String,
    /// `stop_reason` of its last answer: `refusal` where the model would not.
    pub stop_reason: String,
    /// `api_error_status`.
    pub status: Option<u16>,
    /// `api_error`.
    pub api_error: String,
    /// `api_error_type`.
    pub api_error_type: String,
    /// `startup_failure_reason`: why it did not even begin.
    pub startup_failure: String,
    /// `num_turns`: none where the model was asked nothing.
    pub turns: Option<u32>,
    /// `result`, or `errors` joined by lines; its last 64 KiB.
    pub text: String,
    /// `total_cost_usd`: cumulative over the process.
    pub cost_usd: Option<f64>,
    /// `modelUsage` summed over the models: cumulative over the process, sub-agents included (`usage` is neither).
    pub tokens: Tokens,
    /// The same, model by model.
    pub models: Vec<ModelUsage>,
    /// `permission_denials`.
    pub denials: Vec<Denial>,
    /// `structured_output`, where a schema was given: its JSON, at most 64 KiB.
    pub structured: Option<String>,
}

/// How much a decoder has to make of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Digests only: nobody is watching.
    Digests,
    /// Digests and observations.
    Everything,
}

/// Where a decoder puts what it found.
pub trait Sink {
    /// For the core.
    fn digest(&mut self, digest: Digest);
    /// For whoever watches.
    fn observation(&mut self, observation: Observation);
}

/// Decodes one agent's output, line by line.
pub trait Decoder: Send {
    /// Decodes one line (without its `\n`). Never fails: what cannot be read becomes [`Digest::Garbage`].
    fn line(&mut self, line: &[u8], detail: Detail, sink: &mut dyn Sink);
}
