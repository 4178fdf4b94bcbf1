//! What an agent prints, decoded for whoever watches. Never journalled: the raw bytes are kept, and a replay decodes
//! them again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::values::{CallId, LaneId};

/// Where an observation was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// In which lane.
    pub lane: LaneId,
    /// Of which call.
    pub call: CallId,
    /// In which line of that call's stream, from 1.
    pub line: u64,
    /// When its bytes came.
    pub at: Timestamp,
}

/// One thing an agent said or did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Observation {
    /// The agent's session began.
    Started {
        /// The model it uses.
        model: String,
        /// The agent's own version.
        version: String,
    },
    /// The agent wrote something.
    AgentText {
        /// What it wrote.
        text: String,
        /// Written by a sub-agent.
        nested: bool,
    },
    /// The agent called a tool.
    ToolUse {
        /// The call's name, by which its result finds it.
        id: String,
        /// The tool.
        name: String,
        /// What it is to do.
        input: ToolInput,
        /// Called by a sub-agent.
        nested: bool,
    },
    /// A tool answered.
    ToolResult {
        /// The call it answers.
        id: String,
        /// The tool, where the call was seen.
        name: String,
        /// It failed.
        is_error: bool,
        /// What it answered.
        output: Excerpt,
        /// Called by a sub-agent.
        nested: bool,
    },
    /// A tool was refused by permissions.
    Denied {
        /// The tool.
        name: String,
        /// The call it answers.
        id: String,
    },
    /// The agent itself retries a request.
    Retrying {
        /// Which retry.
        attempt: u32,
        /// How many it will make.
        max_attempts: u32,
        /// When, in milliseconds.
        delay_ms: u64,
        /// HTTP status, where there was an answer.
        status: Option<u16>,
        /// The agent's word for it: `overloaded`, `rate_limit`, …
        error: String,
    },
    /// The agent spoke about usage limits.
    LimitNotice {
        /// `allowed`, `allowed_warning`, `rejected`.
        status: String,
        /// `five_hour`, `seven_day`, …
        window: String,
        /// How much of it is used, 0 to 1, where said.
        utilization: Option<f64>,
        /// When it resets, in seconds since 1970, where said.
        resets_at: Option<i64>,
    },
    /// A background task started, moved or ended.
    Background {
        /// How many are running now.
        running: u32,
    },
    /// The agent compacts its context.
    Compacted,
    /// A turn's result.
    Result {
        /// `is_error`.
        is_error: bool,
        /// The text, or the errors joined.
        text: String,
        /// Dollars for the whole call so far.
        cost_usd: Option<f64>,
        /// Turns taken.
        turns: Option<u32>,
    },
    /// A line that was not JSON.
    Garbage {
        /// Its length in bytes.
        bytes: u64,
        /// Its beginning, made printable, at most 120 characters.
        start: String,
    },
}

/// What a stream says of tool calls: what an audit of them is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolTrace {
    /// A tool was called.
    Called {
        /// The call's name, by which its answer finds it.
        id: String,
        /// The tool.
        name: String,
        /// What it is to do: the JSON as the agent wrote it, whole; not known to be strict JSON.
        input: String,
        /// Called by a sub-agent.
        nested: bool,
    },
    /// A tool answered.
    Answered {
        /// The call it answers.
        id: String,
        /// It failed.
        is_error: bool,
    },
    /// Permissions refused a call.
    Refused {
        /// The call.
        id: String,
    },
}

/// What a tool is to do, for the tools people want to read; paths are as the agent gave them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolInput {
    /// Read a file.
    Read {
        /// The file.
        path: String,
        /// First line, where given.
        offset: Option<u64>,
        /// Number of lines, where given.
        limit: Option<u64>,
    },
    /// Replace text in a file.
    Edit {
        /// The file.
        path: String,
        /// The text to find, never cut.
        old: String,
        /// The text to put there, never cut.
        new: String,
        /// Every occurrence.
        all: bool,
    },
    /// Write a file.
    Write {
        /// The file.
        path: String,
        /// Length of the content in bytes.
        bytes: u64,
        /// Lines of the content.
        lines: u64,
    },
    /// Run a command.
    Bash {
        /// The command.
        command: String,
        /// What the agent says it does.
        description: String,
    },
    /// Search in files.
    Grep {
        /// What for.
        pattern: String,
        /// Where.
        path: String,
    },
    /// Search for files.
    Glob {
        /// What for.
        pattern: String,
        /// Where.
        path: String,
    },
    /// Start a sub-agent.
    Agent {
        /// What it is to do.
        description: String,
    },
    /// Any other tool: its input as compact JSON, cut to 2,000 characters.
    Other {
        /// The JSON.
        json: String,
    },
}

/// A part of an output, with the size of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The beginning, at most 64 KiB; whole for errors up to 1 MiB.
    pub text: String,
    /// Bytes of the whole (of its encoding, where it was cut).
    pub bytes: u64,
    /// Lines of the whole, where it was not cut; otherwise of the text.
    pub lines: u64,
    /// The text is not the whole.
    pub cut: bool,
}
