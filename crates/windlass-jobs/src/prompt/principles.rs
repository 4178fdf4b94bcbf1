//! Decision principles, before everything else in a prompt (seed 004 §6): asked for once where an agent is to derive them,
//! and the same, byte for byte, in every iteration after that.

use std::cmp::Ordering;

use strum::IntoEnumIterator;
use windlass_core::inert::Inert;
use windlass_core::principles::{Level, PROPOSAL, Principle, PrincipleLayer, Principles, REPORTING, STEPS};
use windlass_core::run::Collected;
use windlass_core::values::Named;

use super::parts::PromptParts;
use crate::doc::principles::with_blanks;

/// What comes first: the request to derive them, or they themselves. Only who does the work decides by them.
pub(crate) fn section(parts: &PromptParts<'_>) -> Inert {
    let mode = parts.plan.job.mode;
    if parts.purpose != mode.purpose() || parts.purpose.judges() {
        return Inert::empty();
    }
    if let Some(principles) = known(parts) {
        let mut text = values(principles);
        text.say(REPORTING);
        text.say("\n");
        return text;
    }
    let spec = parts.plan.principles.as_ref();
    let never = Collected::default();
    let collected = parts.collected.unwrap_or(&never);
    let asks = mode.has_goal() && collected.is_asked_for(spec);
    if asks { collection(&collected.refused) } else { Inert::empty() }
}

/// Those that are known by now.
pub(crate) fn known<'a>(parts: &PromptParts<'a>) -> Option<&'a Principles> {
    let of_plan = parts.plan.principles.as_ref().and_then(|spec| spec.known());
    of_plan.or_else(|| parts.collected?.principles.as_ref())
}

/// The values, and the steps by which is decided.
pub(crate) fn values(principles: &Principles) -> Inert {
    let mut text = Inert::own("## Decision principles\n\nValues from 1 to 10, and what each leans to:\n");
    for layer in PrincipleLayer::iter() {
        text.push(&Inert::fill("\n{{layer}}:\n", &[("layer", Inert::own(layer.title()))]));
        for (principle, level) in principles.iter().filter(|(principle, _)| principle.layer() == layer) {
            text.push(&Inert::fill(
                "- {{name}} {{level}}{{leaning}}\n",
                &[
                    ("name", Inert::own(principle.name())),
                    ("level", Inert::number(level.get())),
                    ("leaning", leaning(principle, level)),
                ],
            ));
        }
    }
    text.say("\n");
    text.say(STEPS);
    text
}

/// The end that a value is nearer to: of 18 values both would take more room than all else that is added.
fn leaning(principle: Principle, level: Level) -> Inert {
    let end = match level.cmp(&Level::MIDDLE) {
        Ordering::Less => principle.low(),
        Ordering::Equal => return Inert::empty(),
        Ordering::Greater => principle.high(),
    };
    Inert::fill(": {{end}}", &[("end", Inert::own(end))])
}

fn collection(refused: &str) -> Inert {
    let mut text = Inert::fill(
        "## First: principles for this project\n\nThis project has no decision principles yet. Before you begin, look at the \
         repository and at the goal, and derive from them how trade-offs are to be decided here. Write the file {{file}} in \
         the working directory, with exactly these names and a whole number from 1 to 10 for each …:\n\n{{form}}\
         \n`preset` is startup, enterprise, opensource or custom, whichever is nearest. Do not commit the file: it is read \
         and put in its place for you. Then go on with the goal.\n",
        &[("file", Inert::name(PROPOSAL)), ("form", Inert::block(&with_blanks("2026-01-31")))],
    );
    if !refused.is_empty() {
        text.push(&Inert::fill(
            "What was there before is not taken: {{refused}}. Fix it.\n",
            &[("refused", Inert::words(refused))],
        ));
    }
    text.say("\n");
    text
}
