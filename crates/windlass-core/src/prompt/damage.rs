//! What the agent before did to the repository beyond its work: whoever comes next should know how it found things.

use super::{Inert, PromptParts, without_signal};
use crate::damage::{Damage, DamageKind};
use crate::values::Purpose;

/// One line for each; empty without damage.
pub(crate) fn damage(found: &[Damage], undone: bool) -> String {
    let told = found.iter().filter(|damage| undone || damage.kind == DamageKind::UnderWay);
    let end = if undone { "this was undone" } else { "this is still so" };
    let lines: Vec<String> = told.map(|damage| format!("- {}; {end}.\n", damage.sentence)).collect();
    lines.concat()
}

/// The section, or nothing.
pub(super) fn section(parts: &PromptParts<'_>) -> Inert {
    if parts.damage.is_empty() || parts.purpose == Purpose::Verify {
        return Inert::empty();
    }
    let told = without_signal(parts.damage, &parts.plan.job.completion_signal);
    Inert::fill(
        "\n## What the last iteration did to the repository\n\n{{told}}\nDo not reset, clean, switch branches or leave \
         anything half done: other work is kept here.\n",
        &[("told", Inert::block(&told))],
    )
}
