//! A workspace's finished work is judged by a fresh agent.

use windlass_core::values::StopReason;

use super::{Completion, Descriptor, Next, USUAL};
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: |parts, words| prompt::workspace::judging(parts, words, words.template),
    words: ModeWords {
        role: "Mode verify: you judge work that others did, and change nothing.\n",
        template: include_str!("../prompt/templates/verify.md"),
        ..USUAL.words
    },
    script: "builtin:workspace",
    complete_when: |_| Completion::Whole("a fresh agent has judged the work".to_owned()),
    endings: &[
        (StopReason::Complete, "The work passed verification."),
        (StopReason::GatesFailing, "The work did not pass verification."),
    ],
    next: &[
        (
            StopReason::Complete,
            &[Next::OnWorkspace("archive save", "put the finished workspace away"), Next::Look],
        ),
        (
            StopReason::GatesFailing,
            &[
                Next::OnWorkspace("run", "go on with the work"),
                Next::OnWorkspace("show", "see how the workspace stands"),
            ],
        ),
    ],
    ..USUAL
};
