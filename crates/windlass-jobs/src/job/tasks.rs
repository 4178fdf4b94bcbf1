//! A file of tasks is worked off, by their dependencies and priorities (seed 003).

use super::{Completion, Descriptor, ITEM_BY_ITEM};
use crate::doc::report::Judged;
use crate::prompt;

pub(super) const JOB: Descriptor = Descriptor {
    prompt: prompt::tasks::compose,
    template: include_str!("../prompt/templates/tasks.md"),
    pace: ITEM_BY_ITEM,
    wanted: "Work through the tasks",
    script: "builtin:tasks",
    complete_when: |_| Completion::Claim("every task is done".to_owned()),
    judged: Judged::Work,
    claimed: "Complete!",
    vouches: None,
    endings: &[],
    next: &[],
};
