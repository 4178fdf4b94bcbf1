//! What is wrong with a plan, in sentences.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use super::order::Waiting;
use super::specs::SpecNames;
use super::task::{Task, TaskState};
use super::{Plan, reference};
use crate::doc::problem::NAMED;

/// Something that is wrong with a plan.
pub type Problem = crate::doc::problem::Problem<ProblemKind>;

/// What kind of problem a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// A file cannot be read.
    Unreadable,
    /// A file is not UTF-8.
    NotUtf8,
    /// The plan is too long, or has too many tasks.
    TooLong,
    /// A file nests too deeply.
    TooDeep,
    /// There is no task, or a file is empty.
    NoTask,
    /// A file that the index names is not there.
    MissingFile,
    /// A task names no spec.
    NoSpec,
    /// A task names a spec that is not there.
    UnknownSpec,
    /// A task depends on one that is not there.
    UnknownDependency,
    /// Two tasks of a file have the same number.
    SameNumber,
    /// Tasks wait for one another.
    Cycle,
}

impl Plan {
    /// All that is wrong with the plan: its [`faults`](Plan::faults), and then what a plan must not have to be valid: open
    /// tasks that name no spec (where there are specs), specs and tasks that are not there, numbers given twice, cycles.
    pub fn problems(&self, specs: &SpecNames) -> Vec<Problem> {
        let mut problems = self.faults().to_vec();
        if !self.faults().is_empty() {
            return problems;
        }
        let waiting = Waiting::of(self.tasks());
        shortened(&mut problems, self.unknown_specs(specs));
        shortened(&mut problems, self.without_spec(specs));
        let twice = waiting.twice.iter().filter_map(|(later, first)| self.same_number(*later, *first));
        shortened(&mut problems, twice.collect());
        let unknown = waiting.unknown.iter().filter_map(|(index, name)| {
            let task = self.tasks().get(*index)?;
            let sentence = format!("depends on `{}`, which is no task of this plan", one_line(name));
            Some(problem(ProblemKind::UnknownDependency, task, sentence))
        });
        shortened(&mut problems, unknown.collect());
        problems.extend(waiting.cycle().and_then(|cycle| self.cycle(&cycle)));
        problems
    }

    fn unknown_specs(&self, specs: &SpecNames) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        // What a section or a task names holds for all below it, and is said once.
        for task in self.tasks().iter().filter(|task| seen.insert(Arc::as_ptr(&task.refs).cast::<u8>())) {
            for named in task.refs.iter().filter(|named| specs.is_meant(named) && specs.find(named).is_none())
            {
                let near =
                    specs.nearest(named).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                let sentence = format!(
                    "names the spec `{}`, which is not there{near}",
                    one_line(reference::spec(named))
                );
                found.push(problem(ProblemKind::UnknownSpec, task, sentence));
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
        orphans.map(|task| problem(ProblemKind::NoSpec, task, sentence())).collect()
    }

    fn same_number(&self, later: usize, first: usize) -> Option<Problem> {
        let (later, first) = (self.tasks().get(later)?, self.tasks().get(first)?);
        let sentence = format!("has the number {} of line {}", later.id.as_ref()?, first.line);
        Some(problem(ProblemKind::SameNumber, later, sentence))
    }

    fn cycle(&self, cycle: &[usize]) -> Option<Problem> {
        let tasks = || cycle.iter().filter_map(|index| self.tasks().get(*index));
        let first = tasks().next()?;
        let named: Vec<String> = tasks().chain(Some(first)).take(8).map(Task::short_name).collect();
        let rest = if cycle.len() > 7 { " → …" } else { "" };
        let sentence = format!("waits for itself: {}{rest}", named.join(" → "));
        Some(problem(ProblemKind::Cycle, first, sentence))
    }
}

impl Task {
    /// Does it name no spec, though it should? What cuts across all features, and what is done, need not.
    pub fn names_no_spec(&self, specs: &SpecNames) -> bool {
        !self.cross_cutting
            && !self.refs.iter().any(|named| specs.is_meant(named) || specs.find(named).is_some())
    }

    /// Is there anything left to do?
    pub fn is_open(&self) -> bool {
        self.state != TaskState::Done
    }

    fn short_name(&self) -> String {
        self.id.clone().unwrap_or_else(|| format!("line {}", self.line))
    }
}

fn problem(kind: ProblemKind, task: &Task, sentence: String) -> Problem {
    Problem { kind, file: task.file.clone(), line: Some(task.line), sentence }
}

/// A thousand of the same problem are one problem.
fn shortened(problems: &mut Vec<Problem>, found: Vec<Problem>) {
    let more = found.len().saturating_sub(NAMED);
    problems.extend(found.into_iter().take(NAMED));
    if let Some(last) = problems.last_mut().filter(|_| more > 0) {
        let _ = write!(last.sentence, " (and {more} more of this kind)");
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|letter| !letter.is_control())
        .take(80)
        .collect()
}
