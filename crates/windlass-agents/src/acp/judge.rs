//! How a call by ACP went. That a turn ended well proves nothing: refusals, lost answers and, by some adapters, outages do.

use Class::{
    Auth, Billing, Config, ContextTooLong, MaxTurns, Outage, Permission, TaskFailure, Unknown, UsageLimit,
};
use windlass_core::values::Class;

use super::decode::{CANNOT_GO_ON, EMPTY, REFUSAL, SYSTEM_ERROR, UNKNOWN_END};
use crate::ending::{Ending, LOST, sentence, without_a_word};
use crate::providers::{in_vain, judged, of_sentence};
use crate::{About, Judgement, ResultDigest, Signs};

/// Judges a call.
pub(super) fn judge(about: &'static About, signs: &Signs<'_>) -> Judgement {
    let ending = Ending { about, signs };
    let failure = signs.result.filter(|result| result.is_error).map(|result| failed(about, signs, result));
    let said = signs.result.map_or("", |result| &result.text);
    in_vain(about, signs).unwrap_or_else(|| ending.judged(failure, said, without_result))
}

fn failed(about: &'static About, signs: &Signs<'_>, result: &ResultDigest) -> Judgement {
    let said = &result.text;
    match (result.subtype.as_str(), result.stop_reason.as_str()) {
        (CANNOT_GO_ON, _) => sentence(about, Config, said),
        (SYSTEM_ERROR, _) => judged(about, of_sentence(said).unwrap_or(TaskFailure), said, signs),
        (REFUSAL, _) => sentence(about, TaskFailure, "the model refused to go on"),
        (EMPTY, _) => without_words(about, result),
        (UNKNOWN_END, reason) => {
            sentence(about, Unknown, &format!("its turn ended with `{reason}`, which ACP does not know"))
        }
        (kind, _) => judged(about, class(kind, result.status, said), said, signs),
    }
}

/// A turn that ended without a word.
fn without_words(about: &'static About, result: &ResultDigest) -> Judgement {
    let why = match result.stop_reason.as_str() {
        // Nothing was written since nothing was left for it.
        "max_tokens" => return sentence(about, ContextTooLong, ""),
        "max_turn_requests" => return sentence(about, MaxTurns, ""),
        _ if !result.denials.is_empty() => "it was refused the call of a tool",
        "cancelled" => "it was cancelled",
        _ => LOST,
    };
    without_a_word(about, why)
}

/// By the status of HTTP, where its code is one; else by its own word, which adapters have of their agents; else by the
/// sentence.
pub(crate) fn class(kind: &str, status: Option<u16>, said: &str) -> Class {
    let usual = match (status, kind) {
        (Some(401), _) | (_, "-32000") => Auth,
        (Some(402), _) | (_, "billing_error") => Billing,
        (Some(403), _) => Permission,
        (Some(404), _) | (_, "model_not_found" | "-32602") => Config,
        (_, "rate_limit" | "usageLimitExceeded") => UsageLimit,
        (Some(408 | 429 | 500..), _) | (_, "server_error") => Outage,
        _ => Unknown,
    };
    // A code that is more general than what it says.
    let told = of_sentence(said).filter(|told| match usual {
        Unknown => true,
        Outage => matches!(told, UsageLimit | Billing | Config),
        UsageLimit => *told == Billing,
        _ => false,
    });
    told.or_else(|| by_words(said).filter(|_| usual == Unknown)).unwrap_or(usual)
}

/// `401 Incorrect API key provided`: some say the status before the sentence.
fn by_words(said: &str) -> Option<Class> {
    let status: u16 = said.get(..3)?.parse().ok()?;
    (400..600).contains(&status).then(|| class("", Some(status), ""))
}

/// It ended before it answered: only its standard error says why.
fn without_result(ending: Ending<'_>) -> Judgement {
    let signs = ending.signs;
    match signs.retrying {
        Some(retry) => judged(ending.about, of_sentence(&retry.error).unwrap_or(Outage), &retry.error, signs),
        None => ending.without_result(),
    }
}
