//! How a call of Gemini CLI went, by its stream of events. An exit code of 0 proves nothing: refusals, lost answers, an output
//! that was cut at its end and signals end so.

use Class::{Auth, Config, ContextTooLong, MaxTurns, Outage, TaskFailure};
use windlass_core::values::{Class, Ended};

use super::ABOUT;
use super::decode::EMPTY;
use crate::acp::class;
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
    let said = &result.text;
    match result.subtype.as_str() {
        "FatalTurnLimitedError" => sentence(&ABOUT, MaxTurns, ""),
        EMPTY if said.is_empty() => without_a_word(&ABOUT, LOST),
        EMPTY => sentence(&ABOUT, of_sentence(said).unwrap_or(TaskFailure), said),
        // The stream of an answer was cut.
        _ if said == "terminated" => judged(&ABOUT, Outage, said, signs),
        kind => judged(&ABOUT, class(kind, result.status, said), said, signs),
    }
}

/// What keeps it from starting stands on standard error only; its exit code says which kind it is.
fn without_result(ending: Ending<'_>) -> Judgement {
    let signs = ending.signs;
    let lines = || signs.stderr.lines().map(str::trim);
    let last = || lines().rfind(|line| !line.is_empty()).unwrap_or_default();
    let begins = |start: &str| lines().find(|line| line.starts_with(start));
    match signs.ended {
        Ended::Exited(41) => sentence(&ABOUT, Auth, last()),
        Ended::Exited(52) => sentence(&ABOUT, Config, begins("Error in ").unwrap_or_else(last)),
        Ended::Exited(55) => sentence(&ABOUT, Config, last()),
        Ended::Exited(1) if begins("Unknown argument").is_some() => {
            sentence(&ABOUT, Config, "it does not know an argument")
        }
        _ if signs.stderr.contains("stdin input truncated") => sentence(&ABOUT, ContextTooLong, ""),
        _ => match signs.retrying {
            Some(retry) => judged(&ABOUT, of_sentence(&retry.error).unwrap_or(Outage), &retry.error, signs),
            None => ending.without_result(),
        },
    }
}
