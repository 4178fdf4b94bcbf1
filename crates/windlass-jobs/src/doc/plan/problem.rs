//! What is wrong with a plan, in sentences.

use std::collections::HashSet;
use std::sync::Arc;

use windlass_core::tasks::cycles::cycles;
use windlass_core::values::TaskState;

use super::Plan;
use super::order::Waiting;
use super::specs::SpecNames;
use crate::doc::problem::{NAMED, shorten};
use crate::doc::tasks::sources::reference;
use crate::doc::tasks::{Contents, Task};
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// Tasks that others depend on and that no file of the plan has.
pub(super) fn unknown_dependencies(contents: &Contents) -> Vec<Problem> {
    if contents.tasks.iter().all(|task| task.dependencies_as_written().next().is_none()) {
        return Vec::new();
    }
    let said = |(index, name): (usize, String)| {
        let sentence = format!("depends on `{}`, which is not a task of this plan", quoted(&name));
        Some(contents.tasks.get(index)?.problem(ProblemKind::UnknownDependency, sentence))
    };
    Waiting::of(contents).unknown.into_iter().filter_map(said).collect()
}

impl Plan {
    /// All that is wrong with the plan: its [`faults`](Plan::faults), and then what a plan must not have to be valid: open
    /// tasks that name no spec (where there are specs), specs and tasks that are not there, numbers given twice, cycles.
    pub fn problems(&self, specs: &SpecNames) -> Vec<Problem> {
        let mut problems = self.faults().to_vec();
        if !self.faults().is_empty() {
            return problems;
        }
        let is_dependency = |problem: &&Problem| problem.kind == ProblemKind::UnknownDependency;
        let doubts = || self.doubts().iter();
        problems.extend(doubts().filter(|problem| !is_dependency(problem)).cloned());
        let waiting = Waiting::of(&self.contents);
        problems.extend(self.unknown_specs(specs));
        problems.extend(self.without_spec(specs));
        problems.extend(waiting.twice.iter().filter_map(|(later, first)| self.same_number(*later, *first)));
        problems.extend(doubts().filter(is_dependency).cloned());
        problems.extend(cycles(&waiting.on).first().and_then(|cycle| self.cycle(cycle)));
        shorten(&mut problems);
        problems
    }

    fn unknown_specs(&self, specs: &SpecNames) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        // What a section or a task names holds for all below it, and is said once.
        for task in self.tasks().iter().filter(|task| seen.insert(Arc::as_ptr(&task.refs).cast::<u8>())) {
            for named in task.refs.iter().filter(|named| {
                specs.is_meant(named) && specs.find(named).is_none() && !specs.is_other(named)
            }) {
                let near =
                    specs.nearest(named).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                let sentence =
                    format!("names the spec `{}`, which is not there{near}", quoted(reference::spec(named)));
                found.push(task.problem(ProblemKind::UnknownSpec, sentence));
                if found.len() > NAMED * 50 {
                    return found;
                }
            }
        }
        found
    }

    fn without_spec(&self, specs: &SpecNames) -> Vec<Problem> {
        let orphans = self.open().filter(|task| !specs.is_empty() && task.names_no_spec(specs));
        let sentence = || format!("names no spec: end the task with `(refs: {})`", specs.example());
        orphans.map(|task| task.problem(ProblemKind::NoSpec, sentence())).collect()
    }

    fn same_number(&self, later: usize, first: usize) -> Option<Problem> {
        let (later, first) = (self.tasks().get(later)?, self.tasks().get(first)?);
        let sentence = format!("has the number {} of line {}", later.id()?, first.line);
        Some(later.problem(ProblemKind::SameNumber, sentence))
    }

    fn cycle(&self, cycle: &[usize]) -> Option<Problem> {
        let tasks = || cycle.iter().filter_map(|index| self.tasks().get(*index));
        let first = tasks().next()?;
        let named: Vec<String> = tasks().chain(Some(first)).take(8).map(Task::short_name).collect();
        let rest = if cycle.len() > 7 { " → …" } else { "" };
        let sentence = format!("waits for itself: {}{rest}", named.join(" → "));
        Some(first.problem(ProblemKind::Cycle, sentence))
    }
}

impl Task {
    /// Does it name no spec, though it should? What cuts across all features, and what is done, need not.
    pub fn names_no_spec(&self, specs: &SpecNames) -> bool {
        !self.is_cross_cutting()
            && !self.refs.iter().any(|named| specs.is_meant(named) || specs.find(named).is_some())
    }

    /// Is there anything left to do?
    pub fn is_open(&self) -> bool {
        self.row.state != TaskState::Done
    }

    /// Can somebody work on it: it is open, and it is clear what it is?
    pub(super) fn is_workable(&self) -> bool {
        self.is_open() && self.row.unclear.is_none()
    }

    fn short_name(&self) -> String {
        self.id().map_or_else(|| format!("line {}", self.line), ToString::to_string)
    }
}
