//! A task's agent puts its work together with what the branch has got meanwhile.

use super::Descriptor;
use crate::prompt::{ModeWords, PromptParts, Texts, tasks};

const TEMPLATE: &str = include_str!("../prompt/templates/merge.md");

pub(super) const CALL: Descriptor =
    Descriptor { prompt: compose, due: |_| None, doing: None, log_heading: None };

fn compose(parts: &PromptParts<'_>, words: &ModeWords) -> Texts {
    tasks::filled(parts, words, TEMPLATE, None)
}
