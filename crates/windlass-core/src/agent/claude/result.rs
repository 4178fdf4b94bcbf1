//! `result` lines.

use super::event::{DeniedCall, ResultLine, Usage};
use super::rule;
use crate::agent::json::{self, Field};
use crate::agent::{Digest, ResultDigest, Sink};
use crate::fact::{Denial, Tokens};
use crate::observation::Observation;

/// So much of a result's end is kept.
const TEXT: usize = 64 * 1024;

/// More denials than this are not told apart.
const DENIALS: usize = 100;

/// A turn's result; several can come from one process.
pub(super) fn result(line: &str, subtype: &str, watched: bool, sink: &mut dyn Sink) {
    let Some(line) = json::object::<ResultLine<'_>>(Some(line)) else {
        return;
    };
    let text = match json::tail(line.result, TEXT) {
        Some(text) => text,
        None => errors(line.errors),
    };
    let is_error = json::flag(line.is_error).unwrap_or(true);
    let cost_usd = json::number(line.total_cost_usd);
    if watched {
        sink.observation(Observation::Result {
            is_error,
            text: text.clone(),
            cost_usd,
            turns: json::whole(line.num_turns),
        });
    }
    sink.digest(Digest::Result(Box::new(ResultDigest {
        is_error,
        subtype: subtype.to_owned(),
        terminal_reason: json::word(line.terminal_reason).into_owned(),
        status: json::whole(line.api_error_status),
        api_error: json::word(line.api_error).into_owned(),
        api_error_type: json::word(line.api_error_type).into_owned(),
        text,
        cost_usd,
        tokens: tokens(&line),
        denials: denials(line.permission_denials),
        structured: line.structured_output.filter(|json| json.len() <= TEXT).map(str::to_owned),
    })));
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

/// The tokens of the whole process.
///
/// Recordings show which field is cumulative: with two results in one process (a second message on standard input, a
/// background task that ended), `usage` is that of the last turn alone and leaves sub-agents out, while `modelUsage`
/// grows with `total_cost_usd` and has everything in it. So `modelUsage` counts, summed over the models; `usage` is
/// taken only where it is missing or empty.
fn tokens(line: &ResultLine<'_>) -> Tokens {
    let process = json::object::<Models>(line.model_usage).unwrap_or_default().0;
    if process.total() > 0 { process } else { counted(line.usage) }
}

/// `modelUsage`: an object with a member for each model.
#[derive(Default)]
struct Models(Tokens);

impl<'a> json::Shape<'a> for Models {
    fn keep(&mut self, _model: &str, usage: Field<'a>) {
        self.0 += counted(usage);
    }
}

fn counted(usage: Field<'_>) -> Tokens {
    json::object::<Usage<'_>>(usage).map_or_else(Tokens::default, |usage| Tokens {
        input: json::whole(usage.input).unwrap_or(0),
        output: json::whole(usage.output).unwrap_or(0),
        cache_creation: json::whole(usage.cache_creation).unwrap_or(0),
        cache_read: json::whole(usage.cache_read).unwrap_or(0),
    })
}

fn denials(calls: Field<'_>) -> Vec<Denial> {
    let mut denials = Vec::new();
    json::each(calls, |call| {
        let call = json::object::<DeniedCall<'_>>(call);
        if let Some(call) = call.filter(|_| denials.len() < DENIALS) {
            let denial = rule::denial(&json::word(call.tool_name), call.tool_input);
            if !denials.contains(&denial) {
                denials.push(denial);
            }
        }
    });
    denials
}
