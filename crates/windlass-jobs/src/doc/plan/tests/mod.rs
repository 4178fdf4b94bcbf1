//! What a plan's reader must get right.

mod commonmark;
mod folder;
mod judging;
mod order;
mod reading;

use super::*;

/// A plan in one file.
pub(super) fn single(text: &str) -> Plan {
    Plan::parse(vec![file("PLAN.md", FileRole::Single, text)])
}

fn file(name: &str, role: FileRole, text: &str) -> PlanFile {
    PlanFile { name: name.to_owned(), role, content: Ok(text.as_bytes().to_vec()) }
}

/// `state text` of each task.
fn told(plan: &Plan) -> Vec<String> {
    plan.tasks().iter().map(|task| format!("{} {}", task.state.name(), task.text)).collect()
}

pub(super) fn specs(names: &[&str]) -> SpecNames {
    SpecNames::new("specs", names.iter().map(|name| (*name).to_owned()).collect())
}
