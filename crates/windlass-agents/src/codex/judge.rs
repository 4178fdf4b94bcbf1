//! How a call of Codex went. Its exit code and the end of its turn prove nothing: what the model refused, and an answer that was
//! lost, end as successes without a word.

use Class::{Auth, Billing, Config, ContextTooLong, Outage, Permission, TaskFailure, Unknown, UsageLimit};
use windlass_core::values::{Class, UsageLimit as Limit};

use super::decode::EMPTY;
use super::description::ABOUT;
use super::messages::{CANNOT_GO_ON, INTERRUPTED, REFUSED, USAGE_LIMIT};
use super::prose;
use crate::ending::{Ending, LOST, sentence, without_a_word};
use crate::{Judgement, ResultDigest, Signs};

/// Judges a call.
pub(super) fn judge(signs: &Signs<'_>) -> Judgement {
    let ending = Ending { about: &ABOUT, signs };
    let failure = signs.result.filter(|result| result.is_error).map(|result| failed(signs, result));
    let said = signs.result.map_or("", |result| &result.text);
    ending.judged(failure, said, without_result)
}

fn failed(signs: &Signs<'_>, result: &ResultDigest) -> Judgement {
    let said = &result.text;
    let class = match result.subtype.as_str() {
        EMPTY => return without_a_word(&ABOUT, LOST),
        INTERRUPTED => return Judgement::new(TaskFailure, "Codex's turn was interrupted."),
        kind => class(kind, result.status, said),
    };
    let judgement = sentence(&ABOUT, class, said);
    if class != UsageLimit {
        return judgement;
    }
    let told = signs.rejected.cloned().filter(|limit| limit.resets_at.is_some());
    let by_words = || Limit { resets_at: prose::reset(said, signs.now, signs.zone), window: String::new() };
    Judgement { limit: Some(told.unwrap_or_else(by_words)), ..judgement }
}

/// By the answer of HTTP and the word for the kind, as `codex app-server` says them; by the sentence where neither says it,
/// or where one word stands for two kinds.
fn class(kind: &str, status: Option<u16>, said: &str) -> Class {
    let by_words = prose::class(said);
    match (status, kind) {
        (Some(401), _) | (_, "unauthorized") => Auth,
        (Some(402), _) => Billing,
        (Some(403), _) => Permission,
        (_, USAGE_LIMIT) => by_words.filter(|class| *class == Billing).unwrap_or(UsageLimit),
        (_, "contextWindowExceeded") => ContextTooLong,
        (_, "modelNotFound") => Config,
        (_, "cyberPolicy" | "misalignmentPolicyViolation" | "tooManyDenials" | "sandboxError") => TaskFailure,
        (_, "rateLimitExceeded" | "flexUnavailable" | "serverOverloaded" | "policyCapacityUnavailable") => {
            Outage
        }
        (_, CANNOT_GO_ON | REFUSED) => by_words.unwrap_or(Config),
        (Some(408 | 429 | 500..), _) | (_, "internalServerError") => by_words.unwrap_or(Outage),
        (_, "httpConnectionFailed" | "responseStreamConnectionFailed" | "responseStreamDisconnected") => {
            by_words.unwrap_or(Outage)
        }
        _ => by_words.unwrap_or(Unknown),
    }
}

/// What keeps it from starting stands on standard error only. Its lines of log and its warnings stand there as well.
fn without_result(ending: Ending<'_>) -> Judgement {
    let is_noise = |line: &&str| line.contains(" ERROR codex_") || line.starts_with("WARNING: ");
    let mut lines = ending.signs.stderr.lines().filter(|line| !is_noise(line));
    let found = lines.find_map(|line| Some((prose::class(line)?, line)));
    match (found, ending.signs.retrying) {
        (Some((class, line)), _) => sentence(&ABOUT, class, line),
        (None, Some(retry)) => sentence(&ABOUT, Outage, &retry.error),
        (None, None) => ending.without_result(),
    }
}
