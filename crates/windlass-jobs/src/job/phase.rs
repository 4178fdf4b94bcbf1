//! One document of a pipeline is written, and nothing else (seed 004).

use windlass_core::values::StopReason;

use super::{Completion, Descriptor, Next, USUAL};
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: prompt::phases::compose,
    words: ModeWords {
        role: "Mode phase: you write one document of a plan, and nothing else.\n",
        ..USUAL.words
    },
    script: "builtin:phase",
    complete_when: |job| {
        let document = job.phase.as_ref().map(|phase| phase.document().display().to_string());
        Completion::Whole(format!("nothing is wrong with {} after a pass", document.unwrap_or_default()))
    },
    claimed: "The document is sound",
    vouches: Some(["Nothing is wrong with the document."; 2]),
    next: &[
        (StopReason::Complete, &[Next::Verb("pipeline list", "see how the pipelines stand")]),
        (StopReason::MaxIterations, PLAN_ON),
        (StopReason::Stagnated, PLAN_ON),
    ],
    ..USUAL
};

const PLAN_ON: &[Next] = &[Next::Verb("pipeline list", "see what is wrong with the document"), Next::Look];
