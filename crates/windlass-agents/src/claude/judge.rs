//! How a call went: fields first, sentences last.
//!
//! The order: who ended it (the runner and by which clock, a signal, itself) → is there a result → its fields
//! (`terminal_reason`, status, `api_error`, the error that the message before it was marked with) → the last refusal
//! by a usage limit → sentences → unknown. That exit 0 and `subtype:"success"` prove nothing is the reason for all
//! of it: failed requests are reported with both.

use windlass_core::values::{Class, UsageLimit};

use super::prose::{
    Meaning, blocked_by, by_status, is_account_limit, is_api_error, is_blocked, meaning, names_a_status,
    outgrown,
};
use crate::ending::{Ending, last_line, told};
use crate::judgement::DETAIL;
use crate::reset_time::parse_reset_time;
use crate::{Judgement, ResultDigest, Signs};

/// Judges a call.
pub(super) fn judge(ending: Ending<'_>) -> Judgement {
    let signs = ending.signs;
    let failure =
        signs.result.filter(|result| is_failure(signs, result)).map(|result| failed(ending, result));
    let judgement = ending.judged(failure, &said(signs), without_result);
    match signs.result.and_then(|result| ended_by_hook(&result.terminal_reason)) {
        Some(why) if judgement.class == Class::Success => Judgement::new(Class::Success, why),
        _ => judgement,
    }
}

/// A turn that is called a success was broken off by a hook of the person's or the project's.
fn ended_by_hook(terminal_reason: &str) -> Option<&'static str> {
    match terminal_reason {
        "hook_stopped" => Some("a hook of the agent's settings ended its turn (hook_stopped)"),
        "stop_hook_prevented" => Some("a hook of the agent's settings ended its turn (stop_hook_prevented)"),
        _ => None,
    }
}

/// Does the last result say that something failed?
fn is_failure(signs: &Signs<'_>, result: &ResultDigest) -> bool {
    result.is_error || is_marked_error(signs, result)
}

/// The program's own message about an error that it did not call one: the message before it was marked, and its words are
/// the program's, which the model's never are where a message is marked.
fn is_marked_error(signs: &Signs<'_>, result: &ResultDigest) -> bool {
    !signs.api_error.is_empty() && is_api_error(&result.text)
}

/// A result that is an error.
fn failed(ending: Ending<'_>, result: &ResultDigest) -> Judgement {
    let signs = ending.signs;
    let said = said(signs);
    if let Some(judgement) = not_begun(ending, result) {
        return judgement;
    }
    if let Some(class) = ended_by_limit(result) {
        return sentence(ending, class, &said);
    }
    let throttled = result.status == Some(429)
        || result.api_error == "usage_limit_reached"
        || result.api_error_type == "rate_limit_error"
        || signs.api_error == "rate_limit";
    if throttled {
        return usage_limit(ending, &said).unwrap_or_else(|| sentence(ending, Class::Outage, &said));
    }
    if is_account_limit(&said) {
        // A request that is refused as wrong, by its status and its type: only its words say that it is none.
        return usage_limit(ending, &said).unwrap_or_else(|| sentence(ending, Class::UsageLimit, &said));
    }
    if said.contains("holding the refresh lock") {
        return sentence(ending, Class::Outage, &said); // Marked as authentication_failed, but over in a moment.
    }
    by_fields(signs.api_error, result)
        .map(|class| sentence(ending, class, &said))
        .or_else(|| signs.rejected.and_then(|_| usage_limit(ending, &said)))
        .or_else(|| by_prose(ending, &result.text))
        .unwrap_or_else(|| sentence(ending, unexplained(result, &said), &said))
}

/// It did not begin to work: something of the person's is in its way, whatever the task. What mends it is its last line, a command
/// perhaps, and said whole or not at all.
fn not_begun(ending: Ending<'_>, result: &ResultDigest) -> Option<Judgement> {
    if result.turns == Some(0) && is_blocked(&result.text) {
        let what = "A hook of the agent's settings kept the prompt from the model";
        let then = "Mend or remove that hook (UserPromptSubmit).";
        return Some(told(Class::Config, what, &blocked_by(&result.text), then));
    }
    let lines = || result.text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines().next().unwrap_or_default();
    let is_config = !result.startup_failure.is_empty() || first.starts_with("Configuration error in ");
    if !is_config {
        return None;
    }
    let product = ending.about.product;
    let mend = lines().next_back().filter(|line| *line != first);
    let whole = mend.map(|mend| format!("{product} cannot run as configured: {first}. {mend}"));
    let whole = whole.filter(|detail| detail.chars().count() <= DETAIL);
    Some(match whole {
        Some(detail) => Judgement::new(Class::Config, detail),
        None => sentence(ending, Class::Config, first),
    })
}

/// Limits of the call itself.
fn ended_by_limit(result: &ResultDigest) -> Option<Class> {
    match (result.terminal_reason.as_str(), result.subtype.as_str()) {
        ("max_turns", _) | (_, "error_max_turns") => Some(Class::MaxTurns),
        ("budget_exhausted", _) | (_, "error_max_budget_usd") => Some(Class::BudgetExhausted),
        _ => None,
    }
}

fn by_fields(marked: &str, result: &ResultDigest) -> Option<Class> {
    by_reason(&result.terminal_reason)
        // What the model will not answer is the task's, whatever else the program calls it.
        .or_else(|| (result.stop_reason == "refusal").then_some(Class::TaskFailure))
        .or_else(|| by_word(marked, result.status))
        .or_else(|| by_word(&result.api_error, result.status))
        .or_else(|| result.status.and_then(by_status))
        .or_else(|| by_type(&result.api_error_type))
}

/// In Claude Code's own mapping all three belong to the context, not to quota.
fn by_reason(terminal_reason: &str) -> Option<Class> {
    matches!(terminal_reason, "prompt_too_long" | "blocking_limit" | "rapid_refill_breaker")
        .then_some(Class::ContextTooLong)
}

/// An open set: words that are not known say nothing.
fn by_word(word: &str, status: Option<u16>) -> Option<Class> {
    Some(match word {
        "authentication_failed" if status == Some(403) => Class::Permission,
        "authentication_failed" | "cloud_credential_error" => Class::Auth,
        "oauth_org_not_allowed" | "account_on_hold" | "verification_required" => Class::Permission,
        "billing_error" => Class::Billing,
        "model_not_found" => Class::Config,
        "rate_limit" | "overloaded" | "server_error" | "connection_failed" => Class::Outage,
        "max_output_tokens" => Class::TaskFailure,
        _ => return None,
    })
}

fn by_type(api_error_type: &str) -> Option<Class> {
    Some(match api_error_type {
        "authentication_error" => Class::Auth,
        "billing_error" => Class::Billing,
        "permission_error" => Class::Permission,
        "not_found_error" => Class::Config,
        "api_error" | "overloaded_error" | "timeout_error" => Class::Outage,
        _ => return None,
    })
}

/// What the API refuses is not a failure of the task; an image that it cannot read is. Where something else answered in the
/// API's place, or nothing, no status is named and nothing was used: that passes. And no task fails whose call asked nobody.
fn unexplained(result: &ResultDigest, said: &str) -> Class {
    let used_nothing = result.tokens.total() == 0 && result.cost_usd.is_none_or(|dollars| dollars == 0.0);
    let is_unanswered = result.status.is_none() && !names_a_status(said) && used_nothing;
    if result.terminal_reason == "api_error" && is_unanswered {
        return Class::Outage;
    }
    if result.turns == Some(0) && used_nothing {
        return Class::Unknown;
    }
    let refused = result.status.is_some() || result.terminal_reason == "api_error" || is_api_error(said);
    let its_own = result.subtype.starts_with("error_") || !result.terminal_reason.is_empty();
    match result.terminal_reason.as_str() {
        "image_error" => Class::TaskFailure,
        _ if refused || !its_own => Class::Unknown,
        _ => Class::TaskFailure,
    }
}

/// Nothing was reported: what is on standard error, and what came before.
fn without_result(ending: Ending<'_>) -> Judgement {
    let signs = ending.signs;
    let said = said(signs);
    let marked = match signs.api_error {
        "rate_limit" => usage_limit(ending, &said).or_else(|| Some(sentence(ending, Class::Outage, &said))),
        word => by_word(word, None).map(|class| sentence(ending, class, &said)),
    };
    marked
        .or_else(|| signs.rejected.and_then(|_| usage_limit(ending, &said)))
        .or_else(|| by_prose(ending, signs.stderr))
        .unwrap_or_else(|| ending.without_result())
}

/// A refusal by a usage limit, if it is one: what waiting does not heal is a matter of billing.
fn usage_limit(ending: Ending<'_>, said: &str) -> Option<Judgement> {
    let signs = ending.signs;
    let meaning = meaning(said);
    let named = signs.rejected.and_then(|limit| limit.resets_at);
    let resets_at = named.or_else(|| parse_reset_time(said, signs.now, signs.zone));
    let reported = signs.rejected.is_some()
        || signs.result.is_some_and(|result| result.api_error == "usage_limit_reached");
    match meaning {
        Some(Meaning::Is(Class::Billing)) => return Some(sentence(ending, Class::Billing, said)),
        Some(Meaning::LimitIfTimed) if resets_at.is_none() => {
            return Some(sentence(ending, Class::Billing, said));
        }
        Some(Meaning::Is(Class::UsageLimit) | Meaning::LimitIfTimed) => {}
        _ if reported => {}
        _ => return None,
    }
    let window = signs.rejected.map_or_else(String::new, |limit| limit.window.clone());
    let limit = Some(UsageLimit { resets_at, window });
    Some(Judgement { limit, ..sentence(ending, Class::UsageLimit, said) })
}

/// The first line of a text that means something; on standard error too, where noise comes first and last.
fn by_prose(ending: Ending<'_>, text: &str) -> Option<Judgement> {
    text.lines().find_map(|line| match meaning(line)? {
        Meaning::Is(Class::UsageLimit) | Meaning::LimitIfTimed => usage_limit(ending, line),
        Meaning::Is(class) => Some(sentence(ending, class, line)),
    })
}

/// The agent's own sentence about its failure: the first line of its result, else the last of standard error.
fn said(signs: &Signs<'_>) -> String {
    let result = signs.result.filter(|result| is_failure(signs, result)).map_or("", |result| &result.text);
    let line = result.lines().map(str::trim).find(|line| !line.is_empty());
    line.or_else(|| last_line(signs.stderr)).unwrap_or_default().to_owned()
}

/// What happened and what to do, for a person.
fn sentence(ending: Ending<'_>, class: Class, said: &str) -> Judgement {
    match outgrown(said).filter(|_| class == Class::ContextTooLong) {
        Some((what, then)) => told(class, what, said, then),
        None => crate::ending::sentence(ending.about, class, said),
    }
}
