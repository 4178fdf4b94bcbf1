//! The boxes of a job: what was open before an attempt is there after it, or is held for a person. What was open is kept in the
//! run's folder, so that a runner that was started anew knows it as well.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use windlass_core::run::TurnKey;
use windlass_core::spec::{ClaimSource, RunSpec};
use windlass_core::values::{JobStatus, Suspicion, SuspicionKind};
use windlass_jobs::doc::ProblemKind;
use windlass_jobs::doc::plan::{Plan, WorkItem, vanished};
use windlass_jobs::doc::tasks::sources::Boxes;

use super::since_heard::SinceHeard;
use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::plan::find_plan;
use crate::store::RunFolder;
use crate::tasks::read::alone;
use crate::workspace::TODO_FILE;

/// So many boxes are named.
const MOST_NAMED: usize = 50;

/// What is remembered of the job's boxes.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Remembered {
    /// All of them, as they were when it was written.
    items: Vec<WorkItem>,
    /// Those that had vanished before.
    missing: Vec<WorkItem>,
    /// An attempt has begun since.
    attempted: bool,
    /// Which plan they are of; `None` where it was written before that was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<PlanPlace>,
}

/// A plan of a project, by which its runs know that it is the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PlanPlace {
    directory: PathBuf,
    /// As findings name it.
    file: String,
}

impl PlanPlace {
    fn of(run: &RunSpec, file: String) -> Self {
        PlanPlace { directory: run.directory.clone(), file }
    }
}

/// A run begins: what the latest run of the same plan was held for is missing in this one as well, until it is back or a person has
/// said that it may go.
pub(super) fn begin_run(world: &WorkingTree) -> Result<(), WorkError> {
    let Some((file, items)) = read(&world.plan) else { return Ok(()) };
    let plan = PlanPlace::of(&world.plan, file);
    let runs = world.folder.beside();
    let is_same = |one: &Remembered| one.plan.as_ref() == Some(&plan);
    let mut former: Vec<_> = runs
        .iter()
        .map(|folder| (folder.boxes_written(), recall(folder)))
        .filter(|(_, remembered)| is_same(remembered))
        .collect();
    former.sort_by_key(|(written, _)| *written);
    let missing = former.pop().map(|(_, latest)| latest.missing).unwrap_or_default();
    let missing = vanished(&missing, &items).into_iter().cloned().collect();
    write(world, &Remembered { items, missing, attempted: false, plan: Some(plan) })
}

/// How the job stands, where boxes are missing that an earlier session or run has missed: it is not complete, and where nothing
/// else is open a person has to look before anybody is paid.
pub(super) fn without_missing(world: &WorkingTree, standing: Option<JobStatus>) -> Option<JobStatus> {
    let mut standing = standing?;
    let found = vanished_boxes(&world.folder);
    let Some(first) = found.first().filter(|_| standing.complete) else { return Some(standing) };
    standing.complete = false;
    let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
    let run = &world.plan.run;
    standing.blockers.push(format!(
        "{first}, which was open before{more}: put it back where it stood, ticked if it is done, or let it go with \
         `windlass resume {run} --accept-findings`"
    ));
    Some(standing)
}

/// What a run misses of its boxes, as findings: a person may accept them.
pub fn vanished_boxes(folder: &RunFolder) -> Vec<Suspicion> {
    let remembered = recall(folder);
    let file = remembered.plan.map(|plan| plan.file).unwrap_or_default();
    findings(&file, &remembered.missing)
}

fn findings(file: &str, missing: &[WorkItem]) -> Vec<Suspicion> {
    let more = missing.len().saturating_sub(MOST_NAMED);
    let named = missing.iter().take(MOST_NAMED).map(gone);
    let more = (more > 0).then(|| format!("{more} more open boxes are gone"));
    named.chain(more).map(|text| Suspicion::new(SuspicionKind::Vanished, file, text)).collect()
}

fn gone(item: &WorkItem) -> String {
    format!("the open box `{}` is gone", item.name())
}

/// Those that no person has accepted.
fn not_accepted(world: &WorkingTree, file: &str, missing: Vec<WorkItem>) -> Vec<WorkItem> {
    let accepted = &world.plan.guard.accepted;
    let is_accepted =
        |item: &WorkItem| accepted.contains(&Suspicion::new(SuspicionKind::Vanished, file, gone(item)));
    missing.into_iter().filter(|item| !is_accepted(item)).collect()
}

/// A session begins: what a person took out since the last one is theirs to take out.
pub(super) fn begin_session(world: &WorkingTree) -> Result<(), WorkError> {
    if world.folder.boxes_written().is_none() {
        // It was cut off before it had looked at them.
        return begin_run(world);
    }
    let former = recall(&world.folder);
    let Some((file, items)) = read(&world.plan).filter(|_| !former.attempted) else {
        return Ok(());
    };
    let missing = vanished(&former.missing, &items).into_iter().cloned().collect();
    let missing = not_accepted(world, &file, missing);
    let plan = Some(PlanPlace::of(&world.plan, file));
    write(world, &Remembered { items, missing, attempted: false, plan })
}

/// An attempt begins: until it was looked at, what vanishes counts, whenever it is looked at.
pub(super) fn begin_attempt(world: &WorkingTree) -> Result<(), WorkError> {
    let former = recall(&world.folder);
    if read(&world.plan).is_none() || former.attempted {
        return Ok(());
    }
    write(world, &Remembered { attempted: true, ..former })
}

/// What was open and is gone, as a finding for each box. A plan that cannot be read is another matter. What a person took out of it after
/// an attempt whose end nobody saw is theirs to take out.
pub(super) fn missing(world: &WorkingTree, turn: TurnKey) -> Result<Vec<Suspicion>, WorkError> {
    let Some((file, items)) = read(&world.plan) else {
        return Ok(Vec::new());
    };
    let Remembered { items: before, missing, .. } = recall(&world.folder);
    let before = if is_a_persons(world, turn)? { Vec::new() } else { before };
    let before: Vec<WorkItem> = before.into_iter().chain(missing).collect();
    let missing: Vec<WorkItem> = vanished(&before, &items).into_iter().cloned().collect();
    let missing = not_accepted(world, &file, missing);
    let found = findings(&file, &missing);
    let plan = Some(PlanPlace::of(&world.plan, file));
    write(world, &Remembered { items, missing, attempted: false, plan })?;
    Ok(found)
}

/// Has somebody written, or committed, what is in each file of the plan since an agent was last heard of whose attempt this session did
/// not see begin?
fn is_a_persons(world: &WorkingTree, turn: TurnKey) -> Result<bool, WorkError> {
    if world.began == Some(turn) {
        return Ok(false);
    }
    let since = SinceHeard::of(world, turn)?;
    let files = files(&world.plan);
    for file in &files {
        if !since.is_a_persons(file)? {
            return Ok(false);
        }
    }
    Ok(!files.is_empty())
}

/// The files that the job's boxes are in, absolute.
fn files(run: &RunSpec) -> Vec<PathBuf> {
    match (&run.job.plan, &run.job.workspace) {
        (Some(places), _) if run.job.mode.claim() == ClaimSource::Boxes => {
            let plan = find_plan(&run.directory, places).plan;
            plan.files().map(|(name, _)| run.directory.join(name)).collect()
        }
        (_, Some(workspace)) => vec![workspace.folder.join(TODO_FILE)],
        _ => Vec::new(),
    }
}

/// The boxes that the job is counted by, and the name of their file; `None` where it is not counted by boxes, or where they
/// cannot be read.
fn read(run: &RunSpec) -> Option<(String, Vec<WorkItem>)> {
    let (name, plan) = match (&run.job.plan, &run.job.workspace) {
        (Some(places), _) if run.job.mode.claim() == ClaimSource::Boxes => {
            let plan = find_plan(&run.directory, places).plan;
            let name = plan.files().next().map(|(name, _)| name.to_owned())?;
            (name, plan)
        }
        (_, Some(workspace)) if workspace.todo_fallback => {
            let file = alone(&workspace.folder, Path::new(TODO_FILE), &Boxes)?;
            (TODO_FILE.to_owned(), Arc::new(Plan::parse(vec![file])))
        }
        _ => return None,
    };
    let is_readable = plan.faults().iter().all(|fault| fault.kind == ProblemKind::NoTask);
    is_readable.then(|| (name, plan.work_items()))
}

fn recall(folder: &RunFolder) -> Remembered {
    serde_json::from_slice(&folder.read_boxes()).unwrap_or_default()
}

fn write(world: &WorkingTree, remembered: &Remembered) -> Result<(), WorkError> {
    let bytes = serde_json::to_vec(remembered).unwrap_or_default();
    Ok(world.folder.write_boxes(&bytes)?)
}
