//! How a call of opencode went. Its exit code proves nothing: what the model refused, and what a rule refused, end as successes
//! without a word.

use Class::{Auth, Billing, Config, ContextTooLong, Outage, Permission, TaskFailure, Unknown};
use windlass_core::values::{Class, Ended};

use super::description::ABOUT;
use crate::decoding::without_colours;
use crate::ending::{Ending, LOST, sentence, without_a_word};
use crate::providers::{in_vain, judged, of_sentence};
use crate::{Judgement, ResultDigest, Signs};

/// Judges a call.
pub(super) fn judge(signs: &Signs<'_>) -> Judgement {
    let stderr = without_colours(signs.stderr);
    let signs = &Signs { stderr: &stderr, ..signs.clone() };
    let ending = Ending { about: &ABOUT, signs };
    let failure = signs.result.filter(|result| result.is_error).map(|result| failed(signs, result));
    let said = signs.result.map_or("", |result| &result.text);
    in_vain(&ABOUT, signs).unwrap_or_else(|| ending.judged(failure, said, without_result))
}

fn failed(signs: &Signs<'_>, result: &ResultDigest) -> Judgement {
    let usual = match (result.subtype.as_str(), result.status) {
        ("empty", _) => {
            return without_a_word(&ABOUT, LOST);
        }
        ("ContentFilterError" | "MessageOutputLengthError" | "MessageAbortedError", _) => TaskFailure,
        ("ContextOverflowError", _) => return sentence(&ABOUT, ContextTooLong, &result.text),
        ("ProviderAuthError", _) | (_, Some(401)) => Auth,
        (_, Some(402)) => Billing,
        (_, Some(403)) => Permission,
        // Of an unknown error the cause is in its own log: it could not ask at all.
        ("UnknownError", None) | (_, Some(404)) => Config,
        (_, Some(408 | 429 | 500..)) => Outage,
        _ => Unknown,
    };
    told(signs, &result.text, usual)
}

/// What its sentence says, where that is known, else `usual`.
fn told(signs: &Signs<'_>, said: &str, usual: Class) -> Judgement {
    let class = of_sentence(said).filter(|_| matches!(usual, Outage | Unknown)).unwrap_or(usual);
    judged(&ABOUT, class, said, signs)
}

/// What keeps it from starting stands on standard error only.
fn without_result(ending: Ending<'_>) -> Judgement {
    let signs = ending.signs;
    if let Some(line) = signs.stderr.lines().find(|line| line.starts_with("Error: Config")) {
        return sentence(&ABOUT, Config, line);
    }
    // Whatever it does not know it answers with its help.
    if signs.ended == Ended::Exited(1) && signs.stderr.trim_start().starts_with("opencode run [message..]") {
        return sentence(&ABOUT, Config, "it does not know an argument");
    }
    match signs.retrying {
        Some(retry) => told(signs, &retry.error, Outage),
        None => ending.without_result(),
    }
}
