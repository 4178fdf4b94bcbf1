//! A plan is worked off, one open task per iteration (seed 002).

use windlass_core::claim;
use windlass_core::values::StopReason;

use super::{Completion, Descriptor, Next, RUN_ON, USUAL};
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: prompt::plans::compose,
    words: ModeWords {
        role: "Mode build: one task of a plan in each iteration, whole, with its box ticked at the end, and no other.\n",
        template: include_str!("../prompt/templates/build.md"),
        ..USUAL.words
    },
    wanted: "Work through the plan.",
    script: "builtin:build",
    complete_when: |job| {
        if claim::ends_by_itself(job) {
            return Completion::Claim("no box of the plan is open".to_owned());
        }
        Completion::Whole("never by itself: smart termination is off (build.smart_termination)".to_owned())
    },
    vouches: Some([
        "No box of the plan is open; no gate checked the work (--gate CMD would).",
        "No box of the plan is open, and every gate passed.",
    ]),
    next: &[
        (StopReason::MaxIterations, &[Next::Verb("build", RUN_ON), Next::RaiseIterations, Next::Look]),
        (StopReason::NoChanges, &[Next::Look, Next::Verb("build", "go on with the plan: another run")]),
        (StopReason::Missing, &[Next::Verb("plan", "have a plan written"), Next::Look]),
    ],
    ..USUAL
};
