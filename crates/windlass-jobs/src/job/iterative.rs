//! A workspace, as much as possible per iteration (seed 000).

use super::{Completion, Descriptor, Pace, USUAL, r#loop};
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: prompt::workspace::compose,
    words: ModeWords {
        role: "Mode iterative: as much of a workspace's instructions as fits into one iteration, item after item, each whole and verified; its \
               status file says how far the job is.\n",
        template: include_str!("../prompt/templates/iterative.md"),
        pace: Pace {
            in_prompts: "iterative (as much as possible per iteration)",
            in_sessions: "iterative: as much as possible per iteration, item after item",
        },
    },
    script: "builtin:workspace",
    complete_when: |job| Completion::Claim(r#loop::by_status_file(job)),
    ..USUAL
};
