//! Composing the prompt of a call, of what its job or its follow-up call says, and of sections that any may have.

use crate::prompt::{
    ModeWords, PromptParts, Texts, commit, council, damage, guard, hook, principles, returned, review,
};
use crate::{follow_up, job};

/// The two texts of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// For `--append-system-prompt-file`: byte for byte the same in every iteration of a run, so that it is cached.
    pub system: String,
    /// For standard input.
    pub user: String,
}

/// Composes the prompt of a call.
pub fn compose(parts: &PromptParts<'_>) -> Prompt {
    let Texts { system, user: own } = prompt_of(parts)(parts, &job::of(parts.plan.job.mode).words);
    let mut user = principles::section(parts);
    user.push(&council::section(parts));
    user.push(&own);
    if !parts.purpose.judges() {
        let sections = [
            commit::section,
            damage::section,
            guard::section,
            review::section,
            returned::section,
            hook::section,
        ];
        for section in sections {
            user.push(&section(parts));
        }
    }
    Prompt { system: system.into_prompt(), user: user.into_prompt() }
}

/// What writes it: the job's mode, or the follow-up call.
fn prompt_of(parts: &PromptParts<'_>) -> fn(&PromptParts<'_>, &ModeWords) -> Texts {
    let mode = parts.plan.job.mode;
    let follow_up = follow_up::of(parts.purpose).filter(|_| parts.purpose != mode.purpose());
    follow_up.map_or(job::of(mode).prompt, |call| call.prompt)
}
