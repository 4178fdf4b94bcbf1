//! What a hook said. One that is content and silent is not spoken of.

use windlass_core::run::MOST_SKIPS;
use windlass_core::values::{CheckResult, HookDecision, HookName, HookOutcome, Named};

use super::indented;
use crate::board::Board;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};
use crate::words;

/// Characters of a text for the agent that are shown.
const SHOWN: usize = 60;

pub(super) fn finished(board: &Board, hook: HookName, outcome: &HookOutcome) -> Option<Line> {
    let (tone, mark) = look(outcome.decision);
    let line = indented(board);
    if outcome.decision == HookDecision::Continue {
        let said = content(outcome)?;
        return Some(line.mark(tone, mark).dim(format!(" hook {}: {said}", hook.name())));
    }
    let skips = (outcome.decision == HookDecision::Skip)
        .then(|| format!("{} of {MOST_SKIPS} in a row", board.skips))
        .into_iter();
    let details: Vec<String> =
        skips.chain([how(outcome.result), format::duration(outcome.duration)]).collect();
    let said = word(outcome.decision);
    Some(
        line.mark(tone, mark)
            .plain(format!(" hook {}: ", hook.name()))
            .tone(tone, said)
            .dim(format!(" ({})", details.join(", ")))
            .plain(because(&outcome.reason)),
    )
}

/// The same in a few words, for a state.
pub(crate) fn summary(decision: HookDecision, result: CheckResult, reason: &str) -> String {
    format!("{} ({}){}", word(decision), how(result), because(reason))
}

/// The colour and the mark of a decision.
pub(crate) const fn look(decision: HookDecision) -> (Tone, Mark) {
    match decision {
        HookDecision::Continue => (Tone::Dim, Mark::Passed),
        HookDecision::Skip => (Tone::Warn, Mark::Nothing),
        HookDecision::Abort => (Tone::Bad, Mark::Failed),
        HookDecision::Warn => (Tone::Warn, Mark::Notice),
    }
}

const fn word(decision: HookDecision) -> &'static str {
    match decision {
        HookDecision::Continue => "go on",
        HookDecision::Skip => "skip",
        HookDecision::Abort => "abort",
        HookDecision::Warn => "went wrong, and is passed over",
    }
}

/// How its command ended.
fn how(result: CheckResult) -> String {
    match result {
        CheckResult::Passed => "exit 0".to_owned(),
        other => words::check_result(other),
    }
}

fn because(reason: &str) -> String {
    let reason = one_line(reason);
    if reason.is_empty() { reason } else { format!(": {reason}") }
}

/// What one that goes on has to say.
fn content(outcome: &HookOutcome) -> Option<String> {
    let reason = one_line(&outcome.reason);
    let told = one_line(&outcome.prompt);
    if told.is_empty() {
        return (!reason.is_empty()).then_some(reason);
    }
    let shown: String = told.chars().take(SHOWN).collect();
    let more = if shown.len() < told.len() { "…" } else { "" };
    let gap = if reason.is_empty() { "" } else { "; " };
    Some(format!("{reason}{gap}tells the agent: {shown}{more}"))
}
