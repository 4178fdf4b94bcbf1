//! The shapes of Claude Code's lines (2.1.197 to 2.1.330).

use crate::json::{self, Field, shape};

shape! {
    /// What every line has, and what messages have on top.
    Envelope {
        kind: "type", subtype, message,
        /// The tool call of the sub-agent that this belongs to.
        parent_tool_use_id,
        /// In an `assistant` line: it is not the model's but the program's own message about this error.
        error, is_api_error_message, api_error_params,
        /// In a `user` line: who let each of these calls through, or did not.
        tool_result_meta,
        /// In a `stream_event` line: what the API sent, and of which message.
        event, api_message_id,
    }

    Message {
        id, model, content, stop_reason, usage,
    }

    /// One piece of a message, as the API sent it.
    StreamEvent {
        kind: "type", message, delta, usage,
    }

    Delta {
        text, thinking, partial_json,
    }

    /// One block of a message's content.
    Block {
        kind: "type", text, thinking, id, name, input, tool_use_id, is_error, content,
    }

    /// The fields of all `system` lines that are of interest.
    System {
        model, claude_code_version, status, attempt, max_retries, retry_delay_ms, error_status,
        error, tasks, task_id, is_backgrounded, patch, tool_name, tool_use_id, message,
        decision_reason_type, workflow_progress,
    }

    /// A background task, or what changed about one.
    Task {
        id: "task_id", status, is_backgrounded,
    }

    LimitLine {
        rate_limit_info,
    }

    LimitInfo {
        status, resets_at: "resetsAt", rate_limit_type: "rateLimitType", utilization,
        is_using_overage: "isUsingOverage",
    }

    ResultLine {
        is_error, terminal_reason, stop_reason, api_error_status, api_error, api_error_type, result,
        errors, startup_failure_reason, total_cost_usd, usage, model_usage: "modelUsage", permission_denials,
        structured_output, num_turns,
    }

    /// `usage` (of one turn of the main agent), or one model's part of `modelUsage` (of the whole process, sub-agents
    /// included), which spells the same otherwise.
    Usage {
        input: "input_tokens" | "inputTokens", output: "output_tokens" | "outputTokens",
        cache_creation: "cache_creation_input_tokens" | "cacheCreationInputTokens",
        cache_read: "cache_read_input_tokens" | "cacheReadInputTokens",
        /// How long what was put into the cache stays there.
        cache_spans: "cache_creation", searches: "webSearchRequests",
        /// `fast` where it was written fast, which costs more.
        speed,
    }

    CacheSpans {
        hour: "ephemeral_1h_input_tokens",
    }

    DeniedCall {
        id: "tool_use_id", tool: "tool_name", input: "tool_input",
    }

    ToolMeta {
        id, permission_decision,
    }

    Decision {
        source, reason_type,
    }

    /// An agent of a workflow, of whose messages the stream has nothing.
    WorkflowAgent {
        id: "agentId", model, tokens,
    }

    /// What tools take, all of them together.
    Input {
        file_path, notebook_path, path, offset, limit, old_string, new_string, replace_all, content,
        command, description, pattern, url,
    }
}
