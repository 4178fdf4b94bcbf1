//! What the agent can do in a call: one type per step.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use windlass_core::config::parse_fine_duration;

use super::shorthand::text_or_table;

/// One step of a call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Write a text.
    Say(String),
    /// Think it.
    Think(String),
    /// Ask the person at the terminal; what they type, without the line end, is `{{answer}}` from now on.
    Ask(String),
    /// A tool call that happens on paper only.
    Tool(Tool),
    /// Really read a file.
    Read(String),
    /// Really write a file.
    Write(FileText),
    /// Really append to a file.
    Append(FileText),
    /// Really replace a text in a file.
    Edit(Edit),
    /// Really delete a file or a directory.
    #[serde(deserialize_with = "text_or_table")]
    Delete(PathStep),
    /// Really move a file or a directory.
    Move(Move),
    /// Really run a shell command.
    #[serde(deserialize_with = "text_or_table")]
    Bash(Bash),
    /// Write a small plan where the prompt asks for one and there is none.
    DraftPlan,
    /// Write the document that the prompt of a pipeline's phase asks for, so that it holds.
    DraftDocument,
    /// Tick the box of the task that the prompt names.
    TickTask,
    /// Commit that, with what the built-in script writes.
    CommitTask,
    /// Do nothing for a while.
    Sleep(Pause),
    /// Start a process that outlives this step.
    Spawn(Spawn),
    /// Ignore signals: `HUP`, `INT`, `TERM`.
    Ignore(Vec<Signal>),
    /// Exit with a code on a signal, as Claude Code does (143 on TERM).
    Trap(Trap),
    /// Print a line as it stands.
    Raw(String),
    /// Print to standard error.
    Stderr(String),
    /// Print so many bytes that are not JSON, line ends among them.
    Noise(u64),
    /// Print one line of so many bytes.
    LongLine(LongLine),
    /// Print many events.
    Events(Events),
    /// Another session begins.
    Init,
    /// The agent speaks of usage limits and goes on.
    LimitNotice(LimitNotice),
    /// A usage limit refuses the call; ends it.
    UsageLimit(UsageLimit),
    /// The agent retries a request.
    Retry(Retry),
    /// The API refuses for good; ends the call.
    ApiError(ApiError),
    /// Permissions refuse a tool call.
    Deny(Deny),
    /// So many background tasks are running now.
    Background(u32),
    /// The agent compacts its context.
    Compact,
    /// A result.
    Result(CallResult),
    /// Exit now with this code, without a result if there was none.
    Exit(u8),
    /// End by this signal.
    Die(Death),
    /// Close standard output and go on.
    CloseStdout,
    /// Do nothing until somebody ends the process (an hour at most).
    Hang,
    /// Read the terminal's keys one by one, unseen, as a full-screen program does.
    RawTerminal,
    /// Stop this process, as a program does that reads Ctrl-Z itself.
    Suspend,
}

/// A tool call that happens on paper only.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The tool: `Grep`, `WebFetch`, …
    pub name: String,
    /// What it is to do.
    #[serde(default)]
    pub input: Value,
    /// What it answers.
    #[serde(default)]
    pub output: String,
    /// It fails.
    #[serde(default)]
    pub is_error: bool,
    /// A sub-agent calls it.
    #[serde(default)]
    pub nested: bool,
}

/// A file and a text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    /// The file; missing directories are made.
    pub path: String,
    /// The text.
    #[serde(default)]
    pub text: String,
    /// Behind the stream's back: no event.
    #[serde(default)]
    pub silent: bool,
}

/// A text in a file, and what comes in its place.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file.
    pub path: String,
    /// The text to find; where it is missing the tool fails, the call goes on.
    pub old: String,
    /// The text to put there.
    pub new: String,
}

/// A path, alone or in a table with `silent`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathStep {
    /// The path.
    pub path: String,
    /// Behind the stream's back: no event.
    #[serde(default)]
    pub silent: bool,
}

/// A file or directory and its new place.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Where it is.
    pub from: String,
    /// Where it goes.
    pub to: String,
    /// Behind the stream's back: no event.
    #[serde(default)]
    pub silent: bool,
}

/// A shell command, alone or in a table with options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bash {
    /// For `sh -c`.
    pub command: String,
    /// What the agent says it does.
    #[serde(default)]
    pub description: String,
    /// In a session of its own, as Claude Code does it.
    #[serde(default)]
    pub setsid: bool,
    /// Behind the stream's back: no event.
    #[serde(default)]
    pub silent: bool,
}

impl From<&str> for Bash {
    fn from(command: &str) -> Bash {
        Bash { command: command.to_owned(), ..Bash::default() }
    }
}

impl From<&str> for PathStep {
    fn from(path: &str) -> PathStep {
        PathStep { path: path.to_owned(), ..PathStep::default() }
    }
}

/// A process that outlives its step.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spawn {
    /// In a session of its own.
    #[serde(default)]
    pub setsid: bool,
    /// Signals it ignores.
    #[serde(default)]
    pub ignore: Vec<Signal>,
    /// It keeps the agent's standard output open.
    #[serde(default)]
    pub hold_stdout: bool,
    /// It is started by a process that ends at once, so that nobody is its parent.
    #[serde(default)]
    pub orphan: bool,
    /// How long it lives.
    #[serde(default = "one_minute", rename = "for", deserialize_with = "duration")]
    pub lives: Duration,
    /// Where it writes its process id.
    #[serde(default)]
    pub pid_file: Option<PathBuf>,
    /// How many of them.
    #[serde(default = "one")]
    pub count: u32,
}

/// A pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Pause(#[serde(deserialize_with = "duration")] pub Duration);

/// A signal that a process can catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// The terminal is gone.
    Hup,
    /// Ctrl-C.
    Int,
    /// Please end.
    Term,
}

/// A signal to end by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Death {
    /// The terminal is gone.
    Hup,
    /// Ctrl-C.
    Int,
    /// Please end.
    Term,
    /// The out-of-memory killer's.
    Kill,
}

/// An exit code for a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trap {
    /// On this signal …
    pub signal: Signal,
    /// … exit with this code.
    pub exit: u8,
}

/// One very long line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongLine {
    /// Its length, without the line end.
    pub bytes: usize,
    /// What it is.
    #[serde(default)]
    pub kind: LineKind,
}

/// What a long line or an event is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// A text of the agent.
    #[default]
    Text,
    /// A tool's answer.
    ToolResult,
    /// No JSON.
    Garbage,
}

/// Many events of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// How many.
    pub count: u64,
    /// Each line's length in bytes, without the line end (small ones are as small as an event can be).
    pub size: usize,
    /// What they are.
    #[serde(default)]
    pub kind: LineKind,
    /// Pause after each.
    #[serde(default, deserialize_with = "duration")]
    pub every: Duration,
}

/// The agent speaks of usage limits.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitNotice {
    /// `allowed` or `allowed_warning`.
    pub status: String,
    /// `five_hour`, `seven_day`, …
    pub window: String,
    /// How much of it is used, 0 to 1.
    pub utilization: f64,
    /// The account is being charged beyond its plan.
    pub overage: bool,
    /// In how long it resets.
    #[serde(deserialize_with = "duration")]
    pub resets_in: Duration,
}

impl Default for LimitNotice {
    fn default() -> LimitNotice {
        LimitNotice {
            status: "allowed".to_owned(),
            window: "five_hour".to_owned(),
            utilization: 0.5,
            overage: false,
            resets_in: Duration::from_hours(1),
        }
    }
}

/// A usage limit that refuses.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsageLimit {
    /// In how long it resets; without it no time is named.
    #[serde(default, deserialize_with = "some_duration")]
    pub resets_in: Option<Duration>,
    /// `five_hour`, `seven_day`, …
    #[serde(default = "five_hour")]
    pub window: String,
}

/// Retries that the agent makes itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// HTTP status; 0 = no answer came.
    pub status: u16,
    /// How many.
    #[serde(default = "one")]
    pub count: u32,
    /// The delay it speaks of.
    #[serde(default, deserialize_with = "duration")]
    pub delay: Duration,
    /// Really wait for it.
    #[serde(default = "yes")]
    pub wait: bool,
}

/// An answer of the API that ends the call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiError {
    /// HTTP status; 0 = no answer came.
    pub status: u16,
    /// Instead of what Claude Code says for this status.
    #[serde(default)]
    pub message: Option<String>,
    /// Instead of the word Claude Code marks its message with: `billing_error`, `model_not_found`, …
    #[serde(default)]
    pub error: Option<String>,
    /// What the call has cost until then, in dollars.
    #[serde(default)]
    pub cost: f64,
    /// `terminal_reason`: `api_error`, `prompt_too_long`, …
    #[serde(default = "api_error")]
    pub terminal_reason: String,
}

/// A tool call that permissions refuse.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deny {
    /// The tool.
    pub tool: String,
    /// What it was to do.
    pub input: Value,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallResult {
    /// The agent's final words; absent in results of the kinds `error_…`, whose `errors` say it instead.
    pub text: String,
    /// `success`, `error_max_turns`, `error_max_budget_usd`, `error_during_execution`.
    pub subtype: String,
    /// It is an error; by default when `subtype` is not `success`.
    pub is_error: Option<bool>,
    /// Dollars, for the whole call so far.
    pub cost: f64,
    /// Tokens, for the whole call so far.
    pub tokens: TokenCounts,
    /// Turns; by default one more than there were tool calls.
    pub turns: Option<u32>,
    /// `completed`, `max_turns`, …; by default what goes with the subtype.
    pub terminal_reason: Option<String>,
    /// `structured_output`: the answer of an agent that was asked for one.
    pub structured: Option<Value>,
}

impl Default for CallResult {
    fn default() -> CallResult {
        CallResult {
            text: "Done.".to_owned(),
            subtype: "success".to_owned(),
            is_error: None,
            cost: 0.01,
            tokens: TokenCounts::default(),
            turns: None,
            terminal_reason: None,
            structured: None,
        }
    }
}

impl CallResult {
    /// Is it an error?
    pub fn failed(&self) -> bool {
        self.is_error.unwrap_or(self.subtype != "success")
    }
}

/// Tokens of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TokenCounts {
    /// Read from the prompt, not from a cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Put into the prompt cache.
    pub cache_creation: u64,
    /// Read from the prompt cache.
    pub cache_read: u64,
}

impl Default for TokenCounts {
    fn default() -> TokenCounts {
        TokenCounts { input: 100, output: 20, cache_creation: 0, cache_read: 0 }
    }
}

const fn one() -> u32 {
    1
}

const fn one_minute() -> Duration {
    Duration::from_mins(1)
}

fn five_hour() -> String {
    "five_hour".to_owned()
}

fn api_error() -> String {
    "api_error".to_owned()
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_fine_duration(&text).map_err(serde::de::Error::custom)
}

fn some_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}

/// The default of what is on unless a script turns it off.
pub(super) const fn yes() -> bool {
    true
}
