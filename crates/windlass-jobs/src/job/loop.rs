//! A workspace, one item per iteration (seed 000).

use windlass_core::spec::Job;

use super::{Completion, Descriptor, USUAL};
use crate::prompt::{self, ModeWords};

pub(super) const JOB: Descriptor = Descriptor {
    prompt: prompt::workspace::compose,
    words: ModeWords {
        role: "Mode loop: one item of a workspace's instructions in each iteration, whole and verified, and no more; its status file says how \
               far the job is.\n",
        template: include_str!("../prompt/templates/loop.md"),
        ..USUAL.words
    },
    script: "builtin:workspace",
    complete_when: |job| Completion::Claim(by_status_file(job)),
    ..USUAL
};

pub(super) fn by_status_file(job: &Job) -> String {
    let fallback = job.workspace.as_ref().is_some_and(|workspace| workspace.todo_fallback);
    let or_list = if fallback { ", or without one TODO.md," } else { "" };
    format!("the status file{or_list} says so")
}
