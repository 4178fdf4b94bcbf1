//! A free goal (seed 004).

use super::{Completion, Descriptor, ITEM_BY_ITEM};
use crate::doc::report::Judged;
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: prompt::goal::compose,
    words: ModeWords {
        role: "Mode goal: every iteration brings one goal nearer by the most useful next step, finished and verified, and leaves notes that the \
               next one can go on from.\n",
        template: "",
        pace: ITEM_BY_ITEM,
    },
    wanted: "",
    script: "builtin:default",
    complete_when: |job| {
        Completion::Claim(match job.completion_threshold.max(1) {
            1 => "the agent says so".to_owned(),
            times => format!("the agent says so {times} times in a row"),
        })
    },
    judged: Judged::Work,
    claimed: "Complete!",
    vouches: None,
    endings: &[],
    next: &[],
};
