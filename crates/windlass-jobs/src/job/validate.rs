//! A workspace's instructions are judged.

use windlass_core::values::StopReason;

use super::{Completion, Descriptor, Next, USUAL};
use crate::doc::report::Judged;
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: |parts, words| prompt::workspace::judging(parts, words, words.template),
    words: ModeWords {
        role: "Mode validate: you judge instructions that others will work by, and change nothing.\n",
        template: include_str!("../prompt/templates/validate.md"),
        ..USUAL.words
    },
    script: "builtin:workspace",
    complete_when: |_| Completion::Whole("a fresh agent has judged the instructions".to_owned()),
    judged: Judged::Instructions,
    endings: &[
        (StopReason::Complete, "The instructions are ready."),
        (StopReason::GatesFailing, "The instructions need work."),
    ],
    next: &[
        (StopReason::Complete, &[Next::OnWorkspace("run", "begin with the work")]),
        (StopReason::GatesFailing, &[Next::OnWorkspace("edit", "revise the instructions"), Next::Look]),
    ],
    ..USUAL
};
