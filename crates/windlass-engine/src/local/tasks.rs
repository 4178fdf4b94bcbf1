//! The tasks of a job as their file says, and what an agent says of its own task there.

use std::collections::BTreeSet;
use std::sync::Arc;
use windlass_core::words::some_of;

use windlass_core::run::{OrderContext, TaskAtHand};
use windlass_core::spec::{JobTasks, RunSpec};
use windlass_core::tasks::{self as schedule, Schedule};
use windlass_core::values::{
    Items, JobStatus, Named, StatusSource, StopReason, Suspicion, SuspicionKind, TaskId, TaskRow, TaskState,
};
use windlass_jobs::doc::tasks::TaskList;
use windlass_jobs::prompt::TaskWork;

use super::work::WorkError;
use crate::progress::read_progress;
use crate::tasks::read_tasks;
use windlass_git::inventory::{Inventory, Place};
use windlass_host::tree::{TreePath, at};

/// So many changes of somebody else's are named.
const NAMED: usize = 5;

/// Where the tasks of a job are; `None` in other modes.
pub(super) fn of(plan: &RunSpec) -> Option<&JobTasks> {
    plan.job.tasks.as_ref().filter(|_| plan.job.mode.has_tasks())
}

/// Removes what a runner that was killed had half written of the runner's own files.
pub(super) fn tidy(plan: &RunSpec) {
    for file in plan.own_files().map(|file| plan.directory.join(file)) {
        let file = at(&file);
        let folder = if file.holds_folder() { Some(file) } else { file.parent() };
        folder.iter().for_each(TreePath::remove_half_written);
    }
}

/// Those of the runner's own files that are there, relative to the repository's top. Of a folder of tasks it is not known here which
/// files are tasks.
pub(super) fn own_paths(plan: &RunSpec, place: &Place, there: &Inventory) -> Vec<Vec<u8>> {
    let own: Vec<Vec<u8>> = plan.own_files().filter_map(|file| place.relative(&file)).collect();
    let is_own = |path: &Vec<u8>| own.contains(path);
    there.entries.iter().filter(|entry| is_own(&entry.path)).map(|entry| entry.path.clone()).collect()
}

/// What the tasks' file says.
pub(super) fn read(plan: &RunSpec) -> Option<Arc<TaskList>> {
    Some(read_tasks(&plan.directory, &of(plan)?.file).list)
}

/// The tasks as they are to be worked off; `None` where they cannot be read: those that are known stay.
pub(super) fn rows(plan: &RunSpec) -> Option<Vec<TaskRow>> {
    let list = read(plan)?;
    (!list.is_missing() && !list.is_unusable()).then(|| list.rows())
}

/// Before anybody is paid: where nothing of the run's tasks is in their file, none could be claimed, nor be written down as done.
pub(super) fn refuse_lost(plan: &RunSpec, context: &OrderContext) -> Result<(), WorkError> {
    // A worker of a fleet has a lane's checkout alone; where the file is, its run looks.
    let is_worker = plan.lanes.as_ref().is_some_and(|lanes| lanes.worker.is_some());
    let (Some(places), Some(schedule), false) = (of(plan), context.schedule(), is_worker) else {
        return Ok(());
    };
    let found = read_tasks(&plan.directory, &places.file).list;
    if schedule.rows().is_empty() || schedule.rows().iter().any(|row| found.task(&row.id).is_some()) {
        return Ok(());
    }
    let file = places.file.display();
    let what = if found.is_missing() {
        format!("there is no {file} any more")
    } else {
        format!("{file} holds none of this run's tasks any more")
    };
    let todo = "put it back as it was, then `windlass resume`";
    Err(WorkError::of(StopReason::NeedsHuman, &format!("{what}: {todo}")))
}

/// How the tasks stand in the file: `complete` says whether the task at hand is done there.
pub(super) fn standing(plan: &RunSpec, at: Option<&TaskId>) -> Option<JobStatus> {
    let list = read(plan)?;
    if list.is_missing() {
        return Some(JobStatus::default());
    }
    let rows = list.tasks();
    let done = rows.iter().filter(|task| task.row.state == TaskState::Done).count();
    let at_hand = at.and_then(|id| list.task(id));
    Some(JobStatus {
        source: StatusSource::TaskFile,
        mark: "read".to_owned(),
        complete: at_hand.is_some_and(|task| task.row.state == TaskState::Done),
        items: (!rows.is_empty()).then_some(Items { done: done as u64, total: rows.len() as u64 }),
        summary: at_hand.map_or_else(String::new, |task| task.row.title.chars().take(200).collect()),
        blockers: list.hidden_work().into_iter().collect(),
        problem: list.problems().first().filter(|_| list.is_unusable()).map(ToString::to_string),
        ..JobStatus::default()
    })
}

/// That the task at hand is not in the file any more, which whoever worked on it was to leave it in. It is a claim, as if its status
/// said that it is done, and none that counts: what is said of a task is said there.
pub(super) fn gone(plan: &RunSpec, at: Option<&TaskId>) -> Option<Suspicion> {
    let (places, at) = (of(plan)?, at?);
    let list = read_tasks(&plan.directory, &places.file).list;
    let file = places.file.display().to_string();
    let said = format!("{at} was taken out of it");
    list.task(at).is_none().then(|| Suspicion::new(SuspicionKind::TaskGone, file, said))
}

/// What the prompt of an attempt says of its task.
pub(super) fn work<'a>(
    plan: &RunSpec,
    context: &'a OrderContext,
    as_read: Option<&TaskList>,
) -> Option<TaskWork<'a>> {
    let (places, at) = (of(plan)?, context.task()?);
    let list = read_tasks(&plan.directory, &places.file).list;
    let id = &at.row.id;
    let file = list.task(id).map_or_else(|| places.file.display().to_string(), |task| task.file.to_string());
    // Since then other tasks' agents have had the file in their hands.
    let first = as_read.and_then(|first| first.source_in(id, list.task(id)?.row.state));
    Some(TaskWork {
        claim: list.form().claim(id, &file),
        file,
        task: &at.row,
        source: first.unwrap_or_else(|| list.source(id).to_owned()),
        failed: at.failed,
        progress: noted_in(plan, places),
        error: latest_error(plan, places, at),
        conflicts: &at.conflicts,
    })
}

/// The journal of iterations for people, where there is one.
fn noted_in(plan: &RunSpec, places: &JobTasks) -> Option<String> {
    let progress = places.progress.as_ref()?;
    at(&plan.directory).join(progress).is_taken().then(|| progress.display().to_string())
}

/// What that journal says of the latest failure of a task that has failed.
fn latest_error(plan: &RunSpec, places: &JobTasks, task: &TaskAtHand) -> Option<String> {
    let progress = places.progress.as_ref().filter(|_| task.failed > 0)?;
    let noted = read_progress(&plan.directory.join(progress)).ok()??.entries;
    let is_its = |name: &Option<String>| name.as_deref() == Some(&*task.row.id.0);
    noted.into_iter().rev().find(|entry| is_its(&entry.attempted))?.error_detail
}

/// What somebody other than the runner changed in the file beyond the task at hand: said, and not taken into this run. `vouched` is
/// what a person has said.
pub(super) fn foreign_changes(
    plan: &RunSpec,
    context: &OrderContext,
    vouched: &BTreeSet<TaskId>,
) -> Option<String> {
    let (places, schedule) = (of(plan)?, context.schedule()?);
    let list = read_tasks(&plan.directory, &places.file).list;
    let at = context.task().map(|at| &at.row.id);
    let mut said = Vec::new();
    for row in schedule.rows() {
        match list.task(&row.id).map(|task| &task.row) {
            None => said.push(format!("{} is gone", row.id)),
            Some(now) if now.title != row.title || now.dependencies != row.dependencies => {
                said.push(format!("{} reads differently", row.id));
            }
            Some(now) if now.protected != row.protected => {
                said.push(format!("{} protects other files", row.id));
            }
            Some(now)
                if !plan.keeps_to_own_task()
                    && Some(&row.id) != at
                    && !vouched.contains(&row.id)
                    && now.state != due(schedule, row, None) =>
            {
                said.push(format!("{} is called {}", row.id, now.state.name().replace('_', " ")));
            }
            Some(_) => {}
        }
    }
    said.extend(
        list.tasks()
            .iter()
            .filter(|task| schedule.row(&task.row.id).is_none())
            .map(|task| format!("{} is new", task.row.id)),
    );
    if said.is_empty() {
        return None;
    }
    Some(format!(
        "{} was changed beyond the task at hand: {}; this run goes by what it read when it began",
        places.file.display(),
        some_of(said.iter(), NAMED)
    ))
}

/// What a task's status in the file is to be; `at` is one whose end is just being written down.
pub(super) fn due(schedule: &Schedule, row: &TaskRow, at: Option<(&TaskId, TaskState)>) -> TaskState {
    if let Some((_, state)) = at.filter(|(id, _)| **id == row.id) {
        return state;
    }
    match schedule.standing(&row.id) {
        Some(schedule::TaskProgress::Done) => TaskState::Done,
        Some(schedule::TaskProgress::Active) => TaskState::InProgress,
        Some(schedule::TaskProgress::Parked) => TaskState::Open,
        Some(schedule::TaskProgress::Open) if row.state == TaskState::Done => TaskState::Open,
        Some(schedule::TaskProgress::Open) | None => row.state,
    }
}
