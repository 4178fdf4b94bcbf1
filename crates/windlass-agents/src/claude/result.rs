//! `result` lines.

use windlass_core::observation::Observation;
use windlass_core::price::ModelUsage;
use windlass_core::values::Tokens;

use super::event::ResultLine;
use super::prose::is_blocked;
use super::refusals::Refusals;
use super::usage;
use crate::decoding::Out;
use crate::json::{self, Field};
use crate::{Digest, ResultDigest};

/// So much of a result's end is kept.
const TEXT: usize = 64 * 1024;

/// So much is kept of what a hook says in its place.
const BLOCKED: usize = 2048;

/// A turn's result; several can come from one process.
pub(super) fn result(line: &str, subtype: &str, refusals: &Refusals, out: &mut Out<'_>) {
    let Some(line) = json::object::<ResultLine<'_>>(Some(line)) else { return };
    let turns = json::whole(line.num_turns);
    // What a hook says in the place of an answer is called a success, and repeats the prompt after its words.
    let blocked = json::piece(line.result, BLOCKED).filter(|said| turns == Some(0) && is_blocked(&said.text));
    let is_blocked = blocked.is_some();
    let text = match blocked {
        Some(said) => said.text.into_owned(),
        None => json::tail(line.result, TEXT).unwrap_or_else(|| errors(line.errors)),
    };
    let is_error = json::flag(line.is_error).unwrap_or(true) || is_blocked || is_contradicted(&line, subtype);
    let cost_usd = json::number(line.total_cost_usd);
    out.observe(|| Observation::Result { is_error, text: text.clone(), cost_usd, turns });
    let models = models(&line);
    out.digest(Digest::Result(Box::new(ResultDigest {
        is_error,
        subtype: subtype.to_owned(),
        terminal_reason: json::word(line.terminal_reason).into_owned(),
        stop_reason: json::word(line.stop_reason).into_owned(),
        status: json::whole(line.api_error_status),
        api_error: json::word(line.api_error).into_owned(),
        api_error_type: json::word(line.api_error_type).into_owned(),
        startup_failure: json::word(line.startup_failure_reason).into_owned(),
        turns,
        text,
        cost_usd,
        tokens: tokens(&models),
        models,
        denials: refusals.denials(line.permission_denials),
        structured: line.structured_output.filter(|json| json.len() <= TEXT).map(str::to_owned),
    })));
}

/// Reasons for which no turn ends well.
const FAILURES: &[&str] = &[
    "blocking_limit",
    "rapid_refill_breaker",
    "prompt_too_long",
    "image_error",
    "model_error",
    "api_error",
    "malformed_tool_use_exhausted",
    "aborted_streaming",
    "aborted_tools",
    "max_turns",
    "budget_exhausted",
    "structured_output_retry_exhausted",
    "tool_deferred_unavailable",
    "turn_setup_failed",
];

/// Does another field say that it failed, whatever `is_error` is? All of them are in every failure that was recorded, and
/// none in a success.
fn is_contradicted(line: &ResultLine<'_>, subtype: &str) -> bool {
    subtype.starts_with("error_")
        || json::whole::<u16>(line.api_error_status).is_some_and(|status| status >= 400)
        || !json::word(line.api_error).is_empty()
        || FAILURES.contains(&&*json::word(line.terminal_reason))
}

/// `errors`, which stands in the place of `result` where the agent broke off.
fn errors(errors: Field<'_>) -> String {
    let mut text = String::new();
    json::each(errors, |error| {
        if let Some(error) = json::tail(error, TEXT) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&error);
        }
    });
    json::last_bytes(&text, TEXT).to_owned()
}

fn tokens(models: &[ModelUsage]) -> Tokens {
    models.iter().map(|used| used.tokens).sum()
}

/// What the whole process has used.
///
/// Recordings show which field is cumulative: with two results in one process (a second message on standard input, a
/// background task that ended), `usage` is that of the last turn alone and leaves sub-agents out, while `modelUsage`
/// grows with `total_cost_usd` and has everything in it. So `modelUsage` counts; `usage`, which names no model, is taken
/// only where it is missing or empty.
fn models(line: &ResultLine<'_>) -> Vec<ModelUsage> {
    let process = json::object::<Models>(line.model_usage).unwrap_or_default().0;
    if tokens(&process).total() > 0 {
        return process;
    }
    let used = usage::Said::of(line.usage);
    if used.tokens.total() > 0 { vec![used.of_model(String::new())] } else { Vec::new() }
}

/// `modelUsage`: an object with a member for each model.
#[derive(Default)]
struct Models(Vec<ModelUsage>);

/// More models are never used by one process.
const MODELS: usize = 64;

impl<'a> json::Shape<'a> for Models {
    fn keep(&mut self, model: &str, usage: Field<'a>) {
        if self.0.len() < MODELS {
            self.0.push(usage::Said::of(usage).of_model(model.to_owned()));
        }
    }
}
