//! Specifications become a plan; nothing but the plan is written (seed 002).

use windlass_core::values::StopReason;

use super::{Completion, Descriptor, Next, USUAL};
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: prompt::plans::compose,
    words: ModeWords {
        role: "Mode plan: you write a plan, and nothing but the plan.\n",
        template: include_str!("../prompt/templates/plan.md"),
        ..USUAL.words
    },
    wanted: "Turn the specifications into a plan.",
    script: "builtin:plan",
    complete_when: |_| {
        Completion::Claim("the plan is valid and a further pass leaves it as it is".to_owned())
    },
    claimed: "The plan is valid",
    vouches: Some([
        "The plan is valid, and a further pass left it as it was.",
        "The plan is valid, a further pass left it as it was, and every gate passed.",
    ]),
    next: &[
        (
            StopReason::Complete,
            &[Next::Verb("verify --plan", "see what it covers"), Next::Verb("build", "work through it")],
        ),
        (StopReason::MaxIterations, PLAN_ON),
        (StopReason::Stagnated, PLAN_ON),
    ],
    ..USUAL
};

const PLAN_ON: &[Next] = &[
    Next::Verb("verify --plan", "see what is wrong with the plan"),
    Next::Verb("plan", "plan on: another run with the same limit"),
    Next::Look,
];
