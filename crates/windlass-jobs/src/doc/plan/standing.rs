//! What a run is told of its plan.

use windlass_core::values::{JobStatus, StatusSource, TaskState};

use super::Plan;
use super::specs::SpecNames;
use crate::doc::problem::{Problem, first_of};
use crate::doc::tasks::Task;
use crate::doc::text::cut;

/// A summary's length in characters.
const LINE: usize = 200;

/// A phase's length in characters.
const PHASE: usize = 80;

/// So many of the specs that a task names, and of the tasks that it waits for, are said.
const NAMES: usize = 20;

/// What a prompt says of the next task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextTask {
    /// One line with all that is known of it: number, text, place, section, specs, what it waits for.
    pub words: String,
    /// The task as it stands in the plan with all that is nested in it.
    pub source: String,
}

impl Plan {
    /// What a prompt says of the [`next`](Plan::next) task.
    pub fn next_task(&self) -> Option<NextTask> {
        let task = self.next()?;
        let source = self.source(task).trim_end().to_owned();
        Some(NextTask { words: in_words(task), source })
    }
}

fn in_words(task: &Task) -> String {
    let number = task.id().map_or_else(String::new, |id| format!("{id} "));
    let mut said = vec![task.place()];
    if task.row.state == TaskState::InProgress {
        said.push("begun by an earlier iteration".to_owned());
    }
    let few = |names: &mut dyn Iterator<Item = &str>| {
        names.take(NAMES).map(|name| cut(name, LINE)).collect::<Vec<_>>().join(", ")
    };
    let complexity = task.complexity.map_or("", <&str>::from);
    let known = [
        ("section", cut(&task.section, PHASE)),
        ("refs", few(&mut task.refs.iter().map(String::as_str))),
        ("depends on", few(&mut task.dependencies_as_written())),
        ("complexity", complexity.to_owned()),
    ];
    said.extend(
        known.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name}: {value}")),
    );
    let title: String = task.row.title.chars().filter(|letter| !letter.is_control()).collect();
    format!("{number}{title} ({})", said.join("; "))
}

/// How a run of mode build stands: complete when there are tasks and none is open. What nobody can work on before a person has
/// mended it blocks it, where nothing else is left. `mark` is a digest of all the plan's
/// bytes, empty where there is no plan.
pub fn standing_for_build(plan: &Plan, mark: &str) -> JobStatus {
    let standing = standing(plan, mark, plan.faults());
    let is_stuck = standing.problem.is_none() && plan.next().is_none();
    let is_left = plan.open().chain(plan.criteria().iter().filter(|one| one.is_open())).next().is_some();
    JobStatus {
        complete: standing.problem.is_none()
            && plan.doubts().is_empty()
            && !plan.tasks().is_empty()
            && !is_left,
        blockers: first_of(plan.doubts()).filter(|_| is_stuck).into_iter().collect(),
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
        problem: first_of(problems),
        ..JobStatus::default()
    }
}

fn summary(task: &Task) -> String {
    cut(&task.row.title, LINE)
}
