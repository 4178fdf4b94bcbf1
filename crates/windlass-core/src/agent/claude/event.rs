//! The shapes of Claude Code's lines (2.1.197 to 2.1.330), every field left as its JSON text: a field of another type
//! than expected never costs more than that field.

use serde::Deserialize;

use crate::agent::json::Field;

/// What every line has, and what messages have on top.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Field<'a>,
    #[serde(borrow)]
    pub subtype: Field<'a>,
    #[serde(borrow)]
    pub message: Field<'a>,
    /// The tool call of the sub-agent that this belongs to.
    #[serde(borrow)]
    pub parent_tool_use_id: Field<'a>,
    /// In an `assistant` line: it is not the model's but the program's own message about this error.
    #[serde(borrow)]
    pub error: Field<'a>,
    #[serde(borrow)]
    pub is_api_error_message: Field<'a>,
    #[serde(borrow)]
    pub api_error_params: Field<'a>,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub content: Field<'a>,
}

/// One block of a message's content.
#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Field<'a>,
    #[serde(borrow)]
    pub text: Field<'a>,
    #[serde(borrow)]
    pub id: Field<'a>,
    #[serde(borrow)]
    pub name: Field<'a>,
    #[serde(borrow)]
    pub input: Field<'a>,
    #[serde(borrow)]
    pub tool_use_id: Field<'a>,
    #[serde(borrow)]
    pub is_error: Field<'a>,
    #[serde(borrow)]
    pub content: Field<'a>,
}

/// The fields of all `system` lines that are of interest.
#[derive(Deserialize)]
pub(super) struct System<'a> {
    #[serde(borrow)]
    pub model: Field<'a>,
    #[serde(borrow)]
    pub claude_code_version: Field<'a>,
    #[serde(borrow)]
    pub status: Field<'a>,
    #[serde(borrow)]
    pub attempt: Field<'a>,
    #[serde(borrow)]
    pub max_retries: Field<'a>,
    #[serde(borrow)]
    pub retry_delay_ms: Field<'a>,
    #[serde(borrow)]
    pub error_status: Field<'a>,
    #[serde(borrow)]
    pub error: Field<'a>,
    #[serde(borrow)]
    pub tasks: Field<'a>,
    #[serde(borrow)]
    pub task_id: Field<'a>,
    #[serde(borrow)]
    pub is_backgrounded: Field<'a>,
    #[serde(borrow)]
    pub patch: Field<'a>,
    #[serde(borrow)]
    pub tool_name: Field<'a>,
    #[serde(borrow)]
    pub tool_use_id: Field<'a>,
}

/// A background task, or what changed about one.
#[derive(Deserialize)]
pub(super) struct Task<'a> {
    #[serde(borrow, rename = "task_id")]
    pub id: Field<'a>,
    #[serde(borrow)]
    pub status: Field<'a>,
    #[serde(borrow)]
    pub is_backgrounded: Field<'a>,
}

#[derive(Deserialize)]
pub(super) struct LimitLine<'a> {
    #[serde(borrow)]
    pub rate_limit_info: Field<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LimitInfo<'a> {
    #[serde(borrow)]
    pub status: Field<'a>,
    #[serde(borrow)]
    pub resets_at: Field<'a>,
    #[serde(borrow)]
    pub rate_limit_type: Field<'a>,
    #[serde(borrow)]
    pub utilization: Field<'a>,
    #[serde(borrow)]
    pub is_using_overage: Field<'a>,
}

#[derive(Deserialize)]
pub(super) struct ResultLine<'a> {
    #[serde(borrow)]
    pub is_error: Field<'a>,
    #[serde(borrow)]
    pub terminal_reason: Field<'a>,
    #[serde(borrow)]
    pub api_error_status: Field<'a>,
    #[serde(borrow)]
    pub api_error: Field<'a>,
    #[serde(borrow)]
    pub api_error_type: Field<'a>,
    #[serde(borrow)]
    pub result: Field<'a>,
    #[serde(borrow)]
    pub errors: Field<'a>,
    #[serde(borrow)]
    pub total_cost_usd: Field<'a>,
    #[serde(borrow)]
    pub usage: Field<'a>,
    #[serde(borrow, rename = "modelUsage")]
    pub model_usage: Field<'a>,
    #[serde(borrow)]
    pub permission_denials: Field<'a>,
    #[serde(borrow)]
    pub num_turns: Field<'a>,
}

/// `usage` (of one turn of the main agent), or one model's part of `modelUsage` (of the whole process, sub-agents
/// included), which spells the same otherwise.
#[derive(Deserialize)]
pub(super) struct Usage<'a> {
    #[serde(borrow, rename = "input_tokens", alias = "inputTokens")]
    pub input: Field<'a>,
    #[serde(borrow, rename = "output_tokens", alias = "outputTokens")]
    pub output: Field<'a>,
    #[serde(
        borrow,
        rename = "cache_creation_input_tokens",
        alias = "cacheCreationInputTokens"
    )]
    pub cache_creation: Field<'a>,
    #[serde(borrow, rename = "cache_read_input_tokens", alias = "cacheReadInputTokens")]
    pub cache_read: Field<'a>,
}

#[derive(Deserialize)]
pub(super) struct DeniedCall<'a> {
    #[serde(borrow)]
    pub tool_name: Field<'a>,
    #[serde(borrow)]
    pub tool_input: Field<'a>,
}

/// What tools take, all of them together.
#[derive(Deserialize)]
pub(super) struct Input<'a> {
    #[serde(borrow)]
    pub file_path: Field<'a>,
    #[serde(borrow)]
    pub notebook_path: Field<'a>,
    #[serde(borrow)]
    pub path: Field<'a>,
    #[serde(borrow)]
    pub offset: Field<'a>,
    #[serde(borrow)]
    pub limit: Field<'a>,
    #[serde(borrow)]
    pub old_string: Field<'a>,
    #[serde(borrow)]
    pub new_string: Field<'a>,
    #[serde(borrow)]
    pub replace_all: Field<'a>,
    #[serde(borrow)]
    pub content: Field<'a>,
    #[serde(borrow)]
    pub command: Field<'a>,
    #[serde(borrow)]
    pub description: Field<'a>,
    #[serde(borrow)]
    pub pattern: Field<'a>,
    #[serde(borrow)]
    pub url: Field<'a>,
}
