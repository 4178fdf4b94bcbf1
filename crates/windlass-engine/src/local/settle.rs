//! What an attempt left that nobody has judged: what a resumed run does about it, done for whoever begins another run in the directory,
//! so that this one believes nothing of it.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::fact::Entry;
use windlass_core::recovery::{Unjudged, unjudged};
use windlass_core::report::{Noticed, Report};
use windlass_core::run::{Effect, OrderContext, Run, TurnKey};
use windlass_core::spec::RunSpec;
use windlass_core::values::{LaneId, Now, TaskState};
use windlass_core::words::some_of;
use windlass_jobs::doc::tasks::Task;

use super::tasks_before::{Since, persons};
use super::work::{Cause, WorkError};
use super::working_tree::WorkingTree;
use super::{boxes, refuse, task_states};
use crate::executor::EngineError;
use crate::recovery::Uncommitted;
use crate::recovery::record::{add_settled, note_settled_at, settled_at};
use crate::store::RunFolder;
use windlass_git::inventory::{Place, Surveyor, changes};
use windlass_git::snapshot::{Side, Store};
use windlass_host::file::FileError;

/// So many files are named.
const NAMED: usize = 5;

/// A run that nobody drives, in a directory that is held for it.
#[derive(Debug)]
pub struct Abandoned<'a> {
    /// Its folder.
    pub folder: &'a RunFolder,
    /// Its journal.
    pub entries: &'a [Entry],
    /// Looks at the tree.
    pub surveyor: Surveyor,
    /// Where its snapshots are; `None` without a git repository.
    pub snapshots: Option<Store>,
    /// Where the guard looks for programs.
    pub search_path: OsString,
}

/// Puts right what its last attempt left and nobody has judged: files that it may not change, lost tasks, what it wrote of tasks, and
/// how far they are. What a person has written since stays. Says what was done; once is enough.
///
/// # Errors
/// The tree cannot be looked at, kept or changed.
pub fn settle(abandoned: Abandoned<'_>) -> Result<Vec<String>, EngineError> {
    let Abandoned { folder, entries, surveyor, snapshots, search_path } = abandoned;
    let run = Run::folded(entries)?;
    let last = entries.last().map(|entry| entry.seq);
    let (Some(plan), Some((turn, what))) = (run.spec(), unjudged(&run)) else { return Ok(Vec::new()) };
    if settled_at(folder)? == last {
        return Ok(Vec::new());
    }
    let plan = Arc::new(RunSpec::clone(plan));
    let keep = Effect::Keep { lane: LaneId::default(), turn };
    let now = Now { wall: Timestamp::now(), monotonic: Duration::ZERO };
    let context = OrderContext::of(&run, &keep, now);
    let place = surveyor.place().clone();
    let mut world = WorkingTree::new(Arc::clone(&plan), folder.clone(), surveyor, snapshots, search_path);
    let unsettled = |error: WorkError| {
        EngineError::Unsettled(format!("what run {} left cannot be put right: {}", plan.run, error.detail))
    };
    // Before anything is written here.
    let theirs = persons(&world, turn).map_err(unsettled)?;
    let mut said = Vec::new();
    if what == Unjudged::Attempt {
        said = match world.look_over(turn, &context) {
            Ok(said) => said,
            // Nothing brings them back: a person is told, and is not kept from beginning anew.
            Err(error) if error.cause == Cause::SnapshotGone => vec![not_looked_over(&plan, &error.detail)],
            Err(error) => return Err(unsettled(error)),
        };
    }
    let is_free = |task: &Task| match theirs.get(&*task.file) {
        Some(Since::All) => false,
        Some(Since::Tasks(tasks)) => !tasks.contains(&task.row.id),
        Some(Since::Nothing) | None => true,
    };
    said.extend(write_states_as_known((&plan, folder), &place, &context, &is_free)?);
    if let Some(last) = last {
        note_settled_at(folder, last)?;
    }
    Ok(said)
}

fn not_looked_over(plan: &RunSpec, why: &str) -> String {
    format!(
        "what the interrupted attempt of run {} left is as it is, and nobody has looked over it ({why}): see \
         `git status` and `git diff`",
        plan.run
    )
}

/// Lets tasks stand in their files as the run knows them, where what is to be tried again is called done; what the files are then is
/// noted as the run's.
pub(super) fn write_states_as_known(
    (plan, folder): (&RunSpec, &RunFolder),
    place: &Place,
    context: &OrderContext,
    may_write: &dyn Fn(&Task) -> bool,
) -> Result<Vec<String>, FileError> {
    let written = task_states::write_states(plan, context, Some(TaskState::InProgress), may_write)?;
    let paths = written.files.iter().filter_map(|file| place.relative(file));
    note(folder, place, paths)?;
    Ok(written.said)
}

fn note(folder: &RunFolder, place: &Place, paths: impl Iterator<Item = Vec<u8>>) -> Result<(), FileError> {
    let now = |path: Vec<u8>| {
        let content = place.content_now(&path).map(|(_, content)| content);
        (path, content)
    };
    let found: Uncommitted = paths.map(now).collect();
    add_settled(folder, &found)
}

impl WorkingTree {
    /// What an attempt left is kept, and what of it nobody lets stand is made what it was.
    fn look_over(&mut self, turn: TurnKey, context: &OrderContext) -> Result<Vec<String>, WorkError> {
        let look = self.look()?;
        let forbidden = refuse::find(self, turn, &look.inventory, context)?;
        boxes::missing(self, turn)?;
        let name = self.name(turn, Side::After);
        let mut said: Vec<String> = self.set_aside(&name, &look.inventory)?.into_iter().collect();
        self.keep_look(&look.inventory, &name)?;
        let mut reports = self.put_tasks_back(turn, context)?;
        if forbidden > 0 {
            reports.extend(refuse::carry_out(self, LaneId::default(), turn, context)?);
        }
        said.append(&mut self.notices);
        let (run, moment) = (&self.plan.run, name.moment);
        said.extend(reports.into_iter().filter_map(|report| match report {
            Report::Noticed(Noticed { text }) => Some(text),
            Report::ForbiddenChangesReverted(reverted) => {
                let named = some_of(reverted.files.iter(), NAMED);
                Some(if reverted.undone {
                    format!(
                        "made what it was before the interrupted attempt of run {run}: {named}; how it was since is kept: \
                         `windlass restore {run} {moment}`"
                    )
                } else {
                    format!("run {run} has changed what it may not, and not all of it can be undone: {named}")
                })
            }
            _ => None,
        }));
        let now = self.look()?.inventory;
        let place = self.surveyor.place().clone();
        note(&self.folder, &place, changes(&look.inventory, &now).into_iter())?;
        Ok(said)
    }

    /// Brings back what is gone of the tasks, and takes out what else an attempt wrote of them.
    pub(super) fn put_tasks_back(
        &mut self,
        turn: TurnKey,
        context: &OrderContext,
    ) -> Result<Vec<Report>, WorkError> {
        let back = self.bring_tasks_back(turn, context)?;
        let right = self.put_attempts_tasks_right(turn)?;
        Ok(back.into_iter().chain(right).collect())
    }
}
