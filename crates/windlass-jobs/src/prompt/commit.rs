//! What the repository's own hook had against the latest commit: the next agent mends it.

use windlass_core::inert::Inert;

use super::parts::PromptParts;
use super::text::without_signal;

/// The most that is passed on, in bytes: the end of it.
const LONGEST: usize = 2 * 1024;

/// The section, or nothing.
pub(crate) fn section(parts: &PromptParts<'_>) -> Inert {
    let Some(said) = parts.refused_commit else { return Inert::empty() };
    let said = said.trim_end();
    let from = said.ceil_char_boundary(said.len().saturating_sub(LONGEST));
    let tail = without_signal(said.get(from..).unwrap_or_default(), &parts.plan.job.completion_signal);
    Inert::fill(
        "\n## The commit was refused\n\nWhat is there was not committed: a hook of this repository refused it. Fix what \
         it complains about; leave the hook itself as it is. The end of its output:\n\n{{tail}}",
        &[("tail", Inert::block(&tail))],
    )
}
