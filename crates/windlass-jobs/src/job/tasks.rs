//! A file of tasks is worked off, by their dependencies and priorities (seed 003).

use super::{Completion, Descriptor, USUAL};
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: prompt::tasks::compose,
    words: ModeWords {
        role: "Mode tasks: one task of a file of tasks in each iteration, whole, and no other.\n",
        template: include_str!("../prompt/templates/tasks.md"),
        ..USUAL.words
    },
    wanted: "Work through the tasks",
    script: "builtin:tasks",
    complete_when: |_| Completion::Claim("every task is done".to_owned()),
    ..USUAL
};
