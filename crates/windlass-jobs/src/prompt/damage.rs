//! What the agent before did to the repository beyond its work: whoever comes next should know how it found things.

use windlass_core::inert::Inert;

use super::parts::PromptParts;
use super::text::without_signal;

/// The section, or nothing.
pub(crate) fn section(parts: &PromptParts<'_>) -> Inert {
    if parts.damage.is_empty() {
        return Inert::empty();
    }
    let told = without_signal(parts.damage, &parts.plan.job.completion_signal);
    Inert::fill(
        "\n## What the last iteration did to the repository\n\n{{told}}\nDo not reset, clean, switch branches or leave \
         anything half done: other work is kept here.\n",
        &[("told", Inert::block(&told))],
    )
}
