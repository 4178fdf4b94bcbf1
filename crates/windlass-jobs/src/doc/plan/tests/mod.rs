//! What a plan's reader must get right.

mod commonmark;
mod folder;
mod judging;
mod order;
mod reading;

use super::*;
use crate::doc::tasks::StatePlace;
use crate::doc::tasks::sources::Boxes;
use crate::doc::tasks::{Complexity, InPlan, LONGEST_LIST, MOST_TASKS};
use windlass_core::values::Named;

/// A plan in one file.
pub(super) fn single(text: &str) -> Plan {
    Plan::parse(vec![file("PLAN.md", FileRole::Single, text)])
}

fn file(name: &str, role: FileRole, text: &str) -> TaskFile {
    TaskFile { role, ..TaskFile::alone(name, &Boxes, Ok(text.as_bytes().to_vec())) }
}

/// `state text` of each task.
fn told(plan: &Plan) -> Vec<String> {
    plan.tasks().iter().map(|task| format!("{} {}", task.row.state.name(), task.row.title)).collect()
}

pub(super) fn specs(names: &[&str]) -> SpecNames {
    SpecNames::new("specs", names.iter().map(|name| (*name).to_owned()).collect())
}

fn in_plan(task: &Task) -> &InPlan {
    task.plan.as_ref().expect("a plan's task")
}

/// Where its state is written: what a splice to another state replaces.
fn marker(task: &Task) -> std::ops::Range<usize> {
    match &task.place {
        StatePlace::Word(range) => range.clone(),
        place => panic!("{place:?}"),
    }
}
