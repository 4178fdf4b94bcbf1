//! A plan as one line of JSON. The keys of Fresher's `verify --json` are all there, and more.

use serde::Serialize;
use windlass_core::values::TaskState;
use windlass_jobs::doc::Problem;
use windlass_jobs::doc::plan::{Counts, Feature, Named, RequirementKind, SpecCoverage};
use windlass_jobs::doc::tasks::Task;

use super::{PlanShown, orphans};
use crate::document::document;

#[derive(Serialize)]
struct Fields<'a> {
    plan_type: &'static str,
    place: &'a str,
    impl_dir: Option<&'a str>,
    valid: bool,
    is_complete: bool,
    total_tasks: u64,
    pending_tasks: u64,
    in_progress_tasks: u64,
    completed_tasks: u64,
    tasks_with_refs: u64,
    orphan_tasks: u64,
    set_aside: u64,
    totals: Totals,
    current_focus: Option<&'a str>,
    next: Option<TaskRow<'a>>,
    problems: &'a [Problem],
    coverage: Vec<CoverageRow<'a>>,
    features: Vec<FeatureRow<'a>>,
    cross_cutting: Option<Totals>,
    tasks: Vec<TaskRow<'a>>,
    skipped: &'a [String],
    exit_code: u8,
}

#[derive(Serialize)]
struct Totals {
    total: u64,
    pending: u64,
    in_progress: u64,
    completed: u64,
}

#[derive(Serialize)]
struct TaskRow<'a> {
    description: &'a str,
    status: &'static str,
    file: &'a str,
    line_number: usize,
    id: Option<&'a str>,
    section: &'a str,
    priority: Option<u32>,
    spec_refs: &'a [String],
    dependencies: Vec<&'a str>,
    complexity: Option<&'static str>,
    files: &'a [String],
}

#[derive(Serialize)]
struct FeatureRow<'a> {
    name: &'a str,
    file: &'a str,
    status: &'static str,
    total_tasks: u64,
    pending_tasks: u64,
    in_progress_tasks: u64,
    completed_tasks: u64,
    completion_percent: u64,
    spec_ref: Option<&'a str>,
}

#[derive(Serialize)]
struct CoverageRow<'a> {
    spec_name: &'a str,
    requirement_count: u64,
    task_count: u64,
    named_count: u64,
    covered_count: u64,
    coverage_percent: u64,
    requirements: Vec<RequirementRow<'a>>,
}

#[derive(Serialize)]
struct RequirementRow<'a> {
    id: &'a str,
    line: usize,
    kind: RequirementKind,
    text: &'a str,
    named: bool,
}

/// The plan as one line of JSON.
pub fn plan_json(shown: &PlanShown) -> Vec<u8> {
    let plan = &shown.plan;
    let counts = Counts::of(plan.tasks().iter());
    let usable = plan.faults().is_empty();
    let next = plan.next().filter(|_| usable);
    let across = || Counts::of(plan.tasks().iter().filter(|task| task.is_cross_cutting()));
    let folder = plan.is_folder();
    let fields = Fields {
        plan_type: if folder { "hierarchical" } else { "single_file" },
        place: &shown.place,
        impl_dir: folder.then_some(shown.place.as_str()),
        valid: shown.problems.is_empty(),
        is_complete: usable && counts.total() > 0 && counts.done == counts.total(),
        total_tasks: counts.total(),
        pending_tasks: counts.open,
        in_progress_tasks: counts.in_progress,
        completed_tasks: counts.done,
        tasks_with_refs: plan.tasks().iter().filter(|task| !task.refs.is_empty()).count() as u64,
        orphan_tasks: orphans(shown).count() as u64,
        set_aside: plan.set_aside(),
        totals: totals(counts),
        current_focus: next.filter(|_| folder).map(|task| &*task.file),
        next: next.map(task),
        problems: &shown.problems,
        coverage: shown.coverage.iter().map(coverage).collect(),
        features: plan.features().iter().map(feature).collect(),
        cross_cutting: folder.then(|| totals(across())),
        tasks: plan.tasks().iter().map(task).collect(),
        skipped: &shown.skipped,
        exit_code: shown.exit_code,
    };
    document("plan", &fields)
}

const fn totals(counts: Counts) -> Totals {
    let Counts { open, in_progress, done } = counts;
    Totals { total: counts.total(), pending: open, in_progress, completed: done }
}

fn task(task: &Task) -> TaskRow<'_> {
    let plan = task.plan.as_ref();
    TaskRow {
        description: &task.row.title,
        status: match task.row.state {
            TaskState::Open => "pending",
            TaskState::InProgress => "in_progress",
            TaskState::Done => "completed",
        },
        file: &task.file,
        line_number: task.line,
        id: task.id().map(|id| id.0.as_str()),
        section: &task.section,
        priority: plan.and_then(|plan| plan.priority),
        spec_refs: &task.refs,
        dependencies: task.dependencies_as_written().collect(),
        complexity: task.complexity.map(<&str>::from),
        files: &task.touches,
    }
}

fn feature<'a>(feature: &Feature<'a>) -> FeatureRow<'a> {
    let counts = feature.counts;
    FeatureRow {
        name: feature.name,
        file: feature.file,
        status: counts.status(),
        total_tasks: counts.total(),
        pending_tasks: counts.open,
        in_progress_tasks: counts.in_progress,
        completed_tasks: counts.done,
        completion_percent: counts.percent(),
        spec_ref: feature.specs.first().map(String::as_str),
    }
}

fn coverage(spec: &SpecCoverage) -> CoverageRow<'_> {
    CoverageRow {
        spec_name: &spec.name,
        requirement_count: spec.requirements.len() as u64,
        task_count: spec.tasks,
        named_count: spec.named(),
        covered_count: spec.covered,
        coverage_percent: spec.percent(),
        requirements: spec
            .requirements
            .iter()
            .map(|(one, named)| RequirementRow {
                id: &one.id,
                line: one.line,
                kind: one.kind,
                text: &one.text,
                named: *named == Named::Yes,
            })
            .collect(),
    }
}
