//! What the project's hooks want the agent to be told: the last part of the prompt, in every mode.

use windlass_core::inert::Inert;

use super::parts::PromptParts;
use super::text::without_signal;

/// The most that is passed on, in bytes. One hook says less; several can have something to say before one iteration.
const LONGEST: usize = 16 * 1024;

/// The section, or nothing.
pub(crate) fn section(parts: &PromptParts<'_>) -> Inert {
    let said = parts.hook.trim();
    if said.is_empty() {
        return Inert::empty();
    }
    let kept = said.get(..said.floor_char_boundary(LONGEST)).unwrap_or(said);
    let cut = if kept.len() < said.len() { "\n\n[… left out …]" } else { "" };
    let said = without_signal(kept, &parts.plan.job.completion_signal);
    Inert::fill(
        "\n## From this project's hook\n\n{{said}}",
        &[("said", Inert::block(&format!("{said}{cut}")))],
    )
}
