//! What a run is told of its plan.

use windlass_core::values::{JobStatus, StatusSource};

use super::Plan;
use super::problem::Problem;
use super::specs::SpecNames;
use super::task::{Complexity, Task, TaskState};

/// A summary's, a problem's length in characters.
const LINE: usize = 200;

/// A phase's length in characters.
const PHASE: usize = 80;

/// So much of a task's source goes into a prompt, in characters.
const SOURCE: usize = 4000;

/// What a prompt says of the next task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextTask {
    /// Its file, as it was named.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its number.
    pub id: Option<String>,
    /// What is to be done: one line, at most 200 characters.
    pub text: String,
    /// Was it begun already?
    pub state: TaskState,
    /// The heading it stands below: at most 80 characters; empty where there is none.
    pub section: String,
    /// The priority of its section.
    pub priority: Option<u32>,
    /// The specs it names, as written; at most 20.
    pub refs: Vec<String>,
    /// What it waits for, as written; at most 20.
    pub dependencies: Vec<String>,
    /// How hard it is said to be.
    pub complexity: Option<Complexity>,
    /// The task as it stands in the plan with all that is nested in it; the first 4,000 characters.
    pub source: String,
}

impl Plan {
    /// What a prompt says of the [`next`](Plan::next) task.
    pub fn next_task(&self) -> Option<NextTask> {
        let task = self.next()?;
        let few = |texts: &[String]| texts.iter().take(20).map(|text| cut(text, LINE)).collect();
        Some(NextTask {
            file: task.file.to_string(),
            line: task.line,
            id: task.id.clone(),
            text: cut(&task.text, LINE),
            state: task.state,
            section: cut(&task.section, PHASE),
            priority: task.priority,
            refs: few(&task.refs),
            dependencies: few(&task.dependencies),
            complexity: task.complexity,
            source: self.source(task).trim_end().chars().take(SOURCE).collect(),
        })
    }
}

/// How a run of mode build stands: complete when there are tasks and none is open. `mark` is a digest of all the plan's
/// bytes, empty where there is no plan.
pub fn standing_for_build(plan: &Plan, mark: &str) -> JobStatus {
    let standing = standing(plan, mark, plan.faults());
    JobStatus {
        complete: standing.problem.is_none() && !plan.tasks().is_empty() && plan.open().next().is_none(),
        ..standing
    }
}

/// How a run of mode plan stands: complete when the plan validates.
pub fn standing_for_planning(plan: &Plan, specs: &SpecNames, mark: &str) -> JobStatus {
    let standing = standing(plan, mark, &plan.problems(specs));
    JobStatus { complete: !plan.is_missing() && standing.problem.is_none(), ..standing }
}

fn standing(plan: &Plan, mark: &str, problems: &[Problem]) -> JobStatus {
    if plan.is_missing() {
        return JobStatus::default();
    }
    let next = plan.next();
    let usable = plan.faults().is_empty();
    JobStatus {
        source: StatusSource::PlanFile,
        mark: mark.to_owned(),
        items: usable.then(|| plan.items()),
        summary: next.filter(|_| usable).map_or_else(String::new, summary),
        phase: next.filter(|_| usable).map_or_else(String::new, |task| cut(&task.section, PHASE)),
        problem: problems.first().map(|first| said(first, problems.len())),
        ..JobStatus::default()
    }
}

fn summary(task: &Task) -> String {
    cut(&task.text, LINE)
}

fn said(first: &Problem, problems: usize) -> String {
    let rest = if problems > 1 { format!(" (and {} more)", problems - 1) } else { String::new() };
    cut(&first.to_string(), LINE - rest.len()) + &rest
}

fn cut(text: &str, longest: usize) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(longest).collect()
}
