//! Finished work is judged by a fresh agent before it counts.

use windlass_core::values::Named as _;

use super::Descriptor;
use crate::prompt::{ModeWords, PromptParts, Texts, workspace};

const TEMPLATE: &str = include_str!("../prompt/templates/verify.md");

pub(super) const CALL: Descriptor = Descriptor {
    prompt: compose,
    due: |job| {
        let depth = job.verification.map(|asked| asked.depth).unwrap_or_default();
        Some(format!("the claim is accepted so far; a fresh agent verifies it ({})", depth.name()))
    },
    doing: Some("verifying"),
    log_heading: Some("VERIFICATION OUTPUT"),
};

fn compose(parts: &PromptParts<'_>, words: &ModeWords) -> Texts {
    workspace::judging(parts, words, TEMPLATE)
}
