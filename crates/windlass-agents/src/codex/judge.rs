//! How a call of Codex went. Its exit code and the end of its turn prove nothing: what the model refused, and an answer that was
//! lost, end as successes without a word.

use windlass_core::values::{Class, UsageLimit};

use super::description::ABOUT;
use super::prose;
use crate::ending::{Ending, sentence};
use crate::{Judgement, ResultDigest, Signs};

/// Judges a call.
pub(super) fn judge(signs: &Signs<'_>) -> Judgement {
    let ending = Ending { about: &ABOUT, signs };
    let failure = signs.result.filter(|result| result.is_error).map(|result| failed(signs, result));
    let said = signs.result.map_or("", |result| &result.text);
    if let Some(judgement) = ending.by_runner(failure.as_ref(), said) {
        return judgement;
    }
    ending.by_turn(failure, without_result)
}

fn failed(signs: &Signs<'_>, result: &ResultDigest) -> Judgement {
    if result.subtype == "empty" {
        return Judgement::new(
            Class::TaskFailure,
            "Codex ended its turn without a word: the model refused, or its answer was lost.",
        );
    }
    let class = prose::class(&result.text).unwrap_or(Class::Unknown);
    let judgement = sentence(&ABOUT, class, &result.text);
    if class != Class::UsageLimit {
        return judgement;
    }
    let resets_at = prose::reset(&result.text, signs.now, signs.zone);
    Judgement { limit: Some(UsageLimit { resets_at, window: String::new() }), ..judgement }
}

/// What keeps it from starting stands on standard error only. Its lines of log and its warnings stand there as well.
fn without_result(ending: Ending<'_>) -> Judgement {
    let is_noise = |line: &&str| line.contains(" ERROR codex_") || line.starts_with("WARNING: ");
    let mut lines = ending.signs.stderr.lines().filter(|line| !is_noise(line));
    let found = lines.find_map(|line| Some((prose::class(line)?, line)));
    match (found, ending.signs.retrying) {
        (Some((class, line)), _) => sentence(&ABOUT, class, line),
        (None, Some(retry)) => sentence(&ABOUT, Class::Outage, &retry.error),
        (None, None) => ending.without_result(),
    }
}
