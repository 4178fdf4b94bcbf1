//! A workspace's finished work is judged by a fresh agent.

use windlass_core::values::StopReason;

use super::{Completion, Descriptor, Next, USUAL};
use crate::prompt;

const TEMPLATE: &str = include_str!("../prompt/templates/verify.md");

pub(super) const JOB: Descriptor = Descriptor {
    prompt: |parts| prompt::workspace::judging(parts, TEMPLATE),
    template: TEMPLATE,
    role: "Mode verify: you judge work that others did, and change nothing.\n",
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
