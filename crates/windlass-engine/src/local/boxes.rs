//! The boxes of a job: what was open before an attempt is there after it, or is held for a person. What was open is kept in the
//! run's folder, so that a runner that was started anew knows it as well.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use windlass_core::spec::{ClaimSource, RunSpec};
use windlass_core::values::{Suspicion, SuspicionKind};
use windlass_jobs::doc::ProblemKind;
use windlass_jobs::doc::plan::{Plan, WorkItem, vanished};
use windlass_jobs::doc::tasks::sources::Boxes;

use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::plan::find_plan;
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
}

/// A session begins: what a person took out since the last one is theirs to take out.
pub(super) fn begin_session(world: &WorkingTree) -> Result<(), WorkError> {
    let former = recall(world);
    let Some((_, items)) = read(&world.plan).filter(|_| !former.attempted) else {
        return Ok(());
    };
    let missing = vanished(&former.missing, &items).into_iter().cloned().collect();
    write(world, &Remembered { items, missing, attempted: false })
}

/// An attempt begins: until it was looked at, what vanishes counts, whenever it is looked at.
pub(super) fn begin_attempt(world: &WorkingTree) -> Result<(), WorkError> {
    let former = recall(world);
    if read(&world.plan).is_none() || former.attempted {
        return Ok(());
    }
    write(world, &Remembered { attempted: true, ..former })
}

/// What was open and is gone, as a finding for each box. A plan that cannot be read is another matter.
pub(super) fn missing(world: &WorkingTree) -> Result<Vec<Suspicion>, WorkError> {
    let Some((file, items)) = read(&world.plan) else {
        return Ok(Vec::new());
    };
    let Remembered { items: before, missing, .. } = recall(world);
    let before: Vec<WorkItem> = before.into_iter().chain(missing).collect();
    let missing: Vec<WorkItem> = vanished(&before, &items).into_iter().cloned().collect();
    let more = missing.len().saturating_sub(MOST_NAMED);
    let named = missing.iter().take(MOST_NAMED).map(|item| format!("the open box `{}` is gone", item.name()));
    let more = (more > 0).then(|| format!("{more} more open boxes are gone"));
    let found = named.chain(more).map(|text| Suspicion::new(SuspicionKind::Vanished, &file, text)).collect();
    write(world, &Remembered { items, missing, attempted: false })?;
    Ok(found)
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

fn recall(world: &WorkingTree) -> Remembered {
    serde_json::from_slice(&world.folder.read_boxes()).unwrap_or_default()
}

fn write(world: &WorkingTree, remembered: &Remembered) -> Result<(), WorkError> {
    let bytes = serde_json::to_vec(remembered).unwrap_or_default();
    world.folder.write_boxes(&bytes)?;
    Ok(())
}
