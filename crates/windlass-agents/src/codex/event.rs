//! The shapes of Codex's lines (0.169.0): events of `codex exec --json`, and messages of `codex app-server`, which says the same
//! things in other spellings.

use crate::json::{self, Field, shape};

shape! {
    /// What a line can have.
    Line {
        /// An event of `codex exec`.
        kind: "type", item, message, usage,
        /// A message of the app server's, or a note of our side.
        id, method, params, result,
        /// Of both.
        error,
    }

    /// What the agent did or said.
    Item {
        id, kind: "type", text, message, command, status, changes,
        output: "aggregated_output" | "aggregatedOutput",
        /// Of a call of a server's tool, and of a search.
        server, tool, arguments, query,
        /// Of another agent that it calls.
        prompt,
    }

    /// A file that it changed.
    Change {
        path, kind,
    }

    /// What has been used; `input` has both kinds of the cache in it.
    Usage {
        input: "input_tokens" | "inputTokens", output: "output_tokens" | "outputTokens",
        cached: "cached_input_tokens" | "cachedInputTokens",
        written_to_cache: "cache_write_input_tokens" | "cacheWriteInputTokens",
    }

    /// Why a request or a turn failed.
    Failure {
        message, info: "codexErrorInfo", details: "additionalDetails",
    }

    /// What comes with a message of the app server's.
    Params {
        thread: "threadId", item, turn, error, retries: "willRetry", usage: "tokenUsage", limits: "rateLimits",
        /// Of our own notes.
        message,
    }

    /// An answer of the app server's.
    Answer {
        thread, turn, model,
    }

    /// A thread, or a turn of one.
    Named {
        id, status, error,
    }

    /// What a thread has used.
    ThreadUsage {
        total,
    }

    /// How much of an account's windows is used.
    Limits {
        primary, secondary,
    }

    /// One of them; it resets at a time of Unix's.
    Window {
        percent: "usedPercent", minutes: "windowDurationMins", resets_at: "resetsAt",
    }

    /// A kind of failure that has an answer of HTTP.
    Status {
        status: "httpStatusCode",
    }
}
