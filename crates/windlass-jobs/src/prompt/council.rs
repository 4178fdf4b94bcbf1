//! What councils have decided: the rules of every later call, right after the principles, so that what stands before stays as
//! it is.

use windlass_core::inert::Inert;
use windlass_core::values::SettledConflict;

use super::parts::PromptParts;
use super::text::without_signal;

/// So much of a question is repeated, in characters.
const QUESTION: usize = 300;

/// The section, or nothing. Only who does the work goes by it.
pub(crate) fn section(parts: &PromptParts<'_>) -> Inert {
    if parts.settled.is_empty() || parts.purpose != parts.plan.job.mode.purpose() || parts.purpose.judges() {
        return Inert::empty();
    }
    let rules = parts.settled.iter().zip(1..).map(rule).collect::<Vec<_>>().join("\n");
    Inert::fill(
        "## Decided in this run\n\nConflicts of principles that earlier iterations reported were put before a fresh agent. Its \
         decisions hold as the principles do; go by them:\n\n{{rules}}\nReport one of these again only where something speaks \
         against it that was not known.\n\n",
        &[("rules", Inert::block(&without_signal(&rules, &parts.plan.job.completion_signal)))],
    )
}

fn rule((settled, number): (&SettledConflict, u32)) -> String {
    let question: String = settled.conflict.question.chars().take(QUESTION).collect();
    let chosen = settled.chosen().map(|option| format!("\n   Chosen: {option}")).unwrap_or_default();
    let decision = &settled.decision.decision;
    let why = match settled.decision.rationale.as_str() {
        "" => String::new(),
        why => format!("\n   Why: {why}"),
    };
    format!("{number}. {question}{chosen}\n   Decided: {decision}{why}")
}
