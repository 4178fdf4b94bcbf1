//! The shapes of ACP's messages (version 1), as agents send them: what is not known is passed over.

use crate::json::{self, Field, shape};

shape! {
    /// What comes with a request or with news.
    Params {
        session: "sessionId", update, tool_call: "toolCall", options,
        /// Of our own notes.
        message,
    }

    /// Something that happened.
    Update {
        kind: "sessionUpdate", content, cost, meta: "_meta",
        /// Of a call of a tool.
        id: "toolCallId", title, tool_kind: "kind", status, input: "rawInput", output: "rawOutput", locations,
    }

    /// A piece of a message or of a tool's answer.
    Content {
        text, content,
    }

    /// A file.
    Location {
        path,
    }

    /// What was spent.
    Spent {
        amount, currency,
    }

    /// An answer to a request of ours.
    Answer {
        protocol: "protocolVersion", session: "sessionId", models, options: "configOptions", stop_reason: "stopReason", usage, meta: "_meta",
    }

    /// The models that there are.
    Models {
        current: "currentModelId",
    }

    /// Something that can be chosen in a session.
    Choice {
        id, value: "currentValue",
    }

    /// How a call may be answered.
    Permission {
        id: "optionId", kind,
    }

    /// What an agent adds that is none of the protocol's.
    Meta {
        quota, usage, codex, model: "_claude/model", claude: "claudeCode", jetbrains,
    }

    /// What Claude Code's adapter adds to a call of a tool.
    Claude {
        tool: "toolName",
    }

    /// An extension that says why a turn failed.
    Jetbrains {
        air,
    }

    Air {
        failure: "sessionFailure",
    }

    SessionFailure {
        title,
    }

    /// Gemini's and others' account of a turn.
    Quota {
        tokens: "token_count", models: "model_usage",
    }

    /// One model of that.
    UsedModel {
        model, tokens: "token_count",
    }

    /// Tokens, by the names that agents give them.
    Used {
        input: "inputTokens" | "input_tokens", output: "outputTokens" | "output_tokens",
        cache_read: "cachedReadTokens" | "cachedInputTokens" | "cached_tokens",
        cache_write: "cachedWriteTokens",
        thought: "thoughtTokens",
    }

    /// Codex's state, as its adapter passes it on.
    Codex {
        thread: "threadStatus", error,
    }

    ThreadStatus {
        kind: "type",
    }

    /// A request of Codex's that failed.
    CodexError {
        message, details: "additionalDetails", retries: "willRetry",
    }

    /// What failed.
    Failure {
        code, message, data,
    }

    /// More about that.
    FailureData {
        kind: "errorKind" | "codexErrorInfo" | "errorName", details: "details" | "message",
    }

    /// What Gemini passes on of an answer of its API.
    Passed {
        error,
    }

    /// What tools are given.
    Input {
        command, description, path: "file_path" | "filePath" | "filepath" | "absolute_path" | "path",
        old: "old_string" | "oldString", new: "new_string" | "newString", replace_all: "replace_all" | "replaceAll",
        content, pattern: "pattern" | "query", offset, limit, title,
    }
}
