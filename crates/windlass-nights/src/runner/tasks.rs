//! What the worker does for tasks: lanes' checkouts, merges, landings, and how the task file is kept.

use windlass_core::report;
use windlass_core::run::{CommitKind, Input, TurnKey};
use windlass_core::tasks::TaskProgress;
use windlass_core::values::{
    Check, Evidence, JobStatus, LandOutcome, LaneId, MergeOutcome, SnapshotId, StatusSource, TaskEnd, TaskId,
    TaskRow, TaskState,
};

use super::worker::{Trouble, Worked};
use super::{Halt, Runner, Step};
use crate::plant::Plant;
use crate::record::What;
use crate::script::Leaves;
use crate::world::{
    Actor, Author, Mark, NAMES, PLAN, Side, TaskFile, Tree, name, rows, task_id, task_number, twins,
};

impl Runner<'_> {
    pub(super) fn is_of_tasks(&self) -> bool {
        self.plan.job.mode.has_tasks()
    }

    pub(super) fn has_lanes(&self) -> bool {
        self.plan.lanes.is_some()
    }

    /// Whose commits are made where the worker is.
    pub(super) fn author(&self, turn: TurnKey) -> Author {
        if self.has_lanes() {
            Author::Lane(turn.iteration, turn.attempt)
        } else {
            Author::Runner(turn.iteration)
        }
    }

    /// The tasks of the job, as the file in the user's directory has them.
    pub(super) fn task_rows(&self) -> Option<Vec<TaskRow>> {
        if !self.is_of_tasks() {
            return None;
        }
        let file = TaskFile::read(self.world.tree.get(PLAN)).filter(|_| !self.world.no_directory);
        let mut rows = file.map(|file| rows(&file, &self.script.tasks)).unwrap_or_default();
        if self.plant == Some(Plant::TwinIsDone) {
            self.forget_twins(&mut rows);
        }
        Some(rows)
    }

    /// The planted fault: the first task of an id stands for all of them.
    fn forget_twins(&self, rows: &mut [TaskRow]) {
        let file = TaskFile::read(self.world.tree.get(PLAN)).unwrap_or_default();
        for row in rows.iter_mut().filter(|row| row.unclear.is_some()) {
            row.unclear = None;
            if task_number(&row.id).is_some_and(|number| file.marks[number] == Mark::Done) {
                row.state = TaskState::Done;
            }
        }
    }

    /// Does the lane's task file say that its task is done?
    pub(super) fn task_standing(&self) -> JobStatus {
        let Some(file) = TaskFile::read(self.world.tree.get(PLAN)).filter(|_| !self.world.no_directory)
        else {
            return JobStatus { problem: Some("there is no task file".to_owned()), ..JobStatus::default() };
        };
        let own = self.own_task().is_some_and(|own| file.marks.get(own) == Some(&Mark::Done));
        JobStatus {
            complete: own,
            source: StatusSource::TaskFile,
            mark: self.world.tree.get(PLAN).to_string(),
            ..JobStatus::default()
        }
    }

    /// The number of the task that this lane is at.
    pub(super) fn own_task(&self) -> Option<usize> {
        task_number(&self.core.run.task_in(self.here)?.id)
    }

    /// The statuses in the user's file are made what the run knows; `own` is how the task at hand is to stand.
    fn write_states(&mut self, own: Option<Mark>) {
        let (at, Some(mut file)) = (self.own_task(), TaskFile::read(self.world.tree.get(PLAN))) else {
            return;
        };
        let schedule = self.core.run.tasks();
        // Nobody can say which of several is meant.
        for row in schedule.rows().iter().filter(|row| row.unclear.is_none()) {
            let Some(number) = task_number(&row.id) else { continue };
            let due = match schedule.standing(&row.id) {
                _ if own.is_some() && at == Some(number) => own.unwrap_or_default(),
                Some(TaskProgress::Done) => Mark::Done,
                Some(TaskProgress::Active) => Mark::Begun,
                Some(TaskProgress::Open) | None if row.state == TaskState::InProgress => Mark::Begun,
                Some(TaskProgress::Open | TaskProgress::Parked) | None => Mark::Open,
            };
            if let Some(mark) = file.marks.get_mut(number).filter(|mark| **mark != Mark::Gone) {
                *mark = due;
            }
        }
        self.world.change(Actor::Clerk, |tree| tree.put(PLAN, file.content()));
    }

    /// Before the runner commits in the user's directory: the files that it commits say that the task is done.
    pub(super) fn write_down_before_commit(
        &mut self,
        turn: TurnKey,
        what: CommitKind,
    ) -> Result<(), Trouble> {
        if !self.is_of_tasks() || self.has_lanes() {
            return Ok(());
        }
        let look = self.look()?;
        self.note_checks(&look);
        self.write_states(Some(if what == CommitKind::Complete { Mark::Done } else { Mark::Begun }));
        self.step()?;
        let look = self.look()?;
        let snapshot = self.keep_look(&look, turn, Side::After)?;
        self.remember_kept(look, snapshot);
        Ok(())
    }

    /// The tip of the branch, and what is there.
    fn tip(&mut self) -> Option<(usize, Tree)> {
        let here = self.here;
        self.enter(LaneId::default());
        let tip = self.world.git.head().map(|head| (head, self.world.git.tree_of(head)));
        self.enter(here);
        tip
    }

    fn tip_or_fail(&mut self) -> Result<(usize, Tree), Trouble> {
        self.tip().ok_or(Trouble::Halted(Halt::Broken))
    }

    /// A lane's checkout is brought to the tip, unless its task is under way there.
    pub(super) fn open_lane(&mut self, turn: TurnKey) -> Worked {
        let lane = self.here;
        let task = self.core.run.task_in(lane).map(|row| row.id.clone());
        let (tip, tree) = self.tip_or_fail()?;
        self.step()?;
        let destroyed = self.world.no_directory || !self.world.git.exists();
        if self.is_lost() && !self.core.run.task_is_fresh(lane) {
            // What it began with is not known of another checkout.
            return Ok(Vec::new());
        }
        if destroyed || self.world.task != task {
            if !destroyed && let Some((file, _)) = self.world.unprotected_work() {
                self.note(What::Unprotected {
                    file: NAMES[usize::from(file)],
                    before: "a lane is brought to the tip",
                });
            }
            self.world.no_directory = false;
            self.world.git.set_head(tip);
            self.world.change(Actor::Runner, |now| *now = tree);
            self.step()?;
            self.world.task = task;
        }
        let base = self.world.git.head_name().unwrap_or_default();
        let look = self.look()?;
        let evidence = look.evidence.clone();
        let snapshot = self.keep_look(&look, turn, Side::Before)?;
        self.remember_kept(look, snapshot.clone());
        Ok(vec![Input::from(report::LaneOpened { lane, base, evidence, snapshot })])
    }

    pub(super) fn merge(&mut self, turn: TurnKey, commit: Option<&str>) -> Worked {
        let lane = self.here;
        let (tip, theirs) = self.tip_or_fail()?;
        self.step()?;
        let outcome = match commit.and_then(|commit| self.world.git.find(commit)) {
            None => {
                if self.world.git.head() != Some(tip) {
                    self.stand_at(tip, theirs)?;
                }
                MergeOutcome::Clean { commit: None, retest: false }
            }
            Some(commit) => self.merge_commit(turn, commit, tip, theirs)?,
        };
        let look = self.look()?;
        let evidence = look.evidence.clone();
        self.remember(look);
        Ok(vec![Input::from(report::Merged { lane, tip: name(tip), outcome, evidence })])
    }

    fn merge_commit(
        &mut self,
        turn: TurnKey,
        commit: usize,
        tip: usize,
        theirs: Tree,
    ) -> Result<MergeOutcome, Trouble> {
        let ours = self.world.git.tree_of(commit);
        let base =
            self.world.git.base(commit, tip).map(|base| self.world.git.tree_of(base)).unwrap_or_default();
        let (merged, conflicts) = if self.plant == Some(Plant::LastWriterWins) {
            (ours, Vec::new())
        } else {
            Tree::merged(&base, &theirs, &ours)
        };
        // The runner keeps the task file: what agents make of it in their lanes is not work of theirs.
        let mut merged = merged;
        merged.put(PLAN, theirs.get(PLAN));
        let conflicts: Vec<u8> = conflicts.into_iter().filter(|file| *file != PLAN).collect();
        self.stand_at(tip, merged)?;
        if !conflicts.is_empty() {
            let paths = conflicts.iter().map(|file| NAMES[usize::from(*file)].to_owned()).collect();
            return Ok(MergeOutcome::Conflict { paths });
        }
        let made = self.world.git.loose(tip, merged, self.author(turn));
        self.world.git.set_head(made);
        let differs = ours.changes(&merged).any(|file| file != PLAN);
        let retest = differs && self.plant != Some(Plant::UnretestedMerge);
        Ok(MergeOutcome::Clean { commit: Some(name(made)), retest })
    }

    /// The lane gets these files, on this commit.
    fn stand_at(&mut self, tip: usize, tree: Tree) -> Step {
        if let Some((file, _)) = self.world.unprotected_work() {
            self.note(What::Unprotected { file: NAMES[usize::from(file)], before: "a merge" });
        }
        self.step()?;
        self.world.change(Actor::Runner, |now| *now = tree);
        self.world.git.set_head(tip);
        Ok(())
    }

    /// The branch gets what the lane has, with its task marked as done; the user's directory follows.
    pub(super) fn land(
        &mut self,
        lane: LaneId,
        turn: TurnKey,
        commit: Option<&str>,
        tip: &str,
        task: &TaskId,
    ) -> Worked {
        let is_lost = self.is_lost();
        self.enter(LaneId::default());
        let landed = |outcome| Ok(vec![Input::from(report::Landed { lane, outcome })]);
        if self.plant != Some(Plant::LandedTwice)
            && let Some(commit) = self.world.git.marked(Author::Runner(turn.iteration))
        {
            self.complete_checkout(&commit)?;
            return landed(LandOutcome::Landed { commit });
        }
        if is_lost {
            return Ok(vec![Input::from(report::LaneLost::removed(lane))]);
        }
        let Some(head) = self.world.git.head() else { return Err(Trouble::Halted(Halt::Broken)) };
        if name(head) != tip {
            return landed(LandOutcome::Moved);
        }
        if self.world.locked > 0 {
            self.world.locked -= 1;
            return landed(LandOutcome::Held);
        }
        let before = self.world.git.tree_of(head);
        let mut tree = commit
            .and_then(|commit| self.world.git.find(commit))
            .map_or(before, |at| self.world.git.tree_of(at));
        tree.put(PLAN, before.get(PLAN));
        done_in(&mut tree, task);
        if before.changes(&tree).any(|file| self.world.tree.get(file) != before.get(file)) {
            let why = "a file in the working directory has changes that are not committed".to_owned();
            return landed(LandOutcome::Refused { why });
        }
        self.step()?;
        if self.plant == Some(Plant::DreamtLanding) {
            return landed(LandOutcome::Landed { commit: name(head) });
        }
        let commit = self.world.git.commit(tree, Author::Runner(turn.iteration));
        let mut judged = tree;
        judged.put(PLAN, 0);
        let ungated = self.ungated(lane, task, &judged);
        self.note(What::Landed { lane, iteration: turn.iteration, task: task.clone(), ungated });
        self.landed.push(turn.iteration);
        self.step()?;
        self.complete_checkout(&commit)?;
        landed(LandOutcome::Landed { commit })
    }

    /// A gate whose newest answer in a lane was not yes, or was about another tree; what checks make does not count.
    fn ungated(&self, lane: LaneId, task: &TaskId, tree: &Tree) -> Option<u16> {
        let removed = |file: u8| self.script.checks.iter().any(|check| check.leaves == Leaves::Removes(file));
        let concerns = |check: &Check| check.criterion.is_none() || check.is_criterion_of(task);
        let checks = (0_u16..).zip(&self.plan.checks).filter(|(_, check)| concerns(check));
        checks.map(|(index, _)| index).find(|check| match self.judged.get(&(lane, *check)) {
            Some((true, judged)) => judged.changes(tree).any(|file| {
                let content = judged.get(file);
                let by_check = self.world.derived.contains(&(file, content)) || content == 0 && removed(file);
                file != PLAN && !by_check
            }),
            _ => true,
        })
    }

    /// How the branch is left.
    pub(super) fn note_branch(&mut self) {
        if !self.is_of_tasks() {
            return;
        }
        self.enter(LaneId::default());
        let lost =
            self.landed.iter().filter(|iteration| !self.world.git.holds(**iteration)).copied().collect();
        let file = TaskFile::read(self.world.tree.get(PLAN));
        let marks = file.iter().flat_map(|file| file.marks.iter().enumerate());
        let there = marks.filter(|(_, mark)| **mark != Mark::Gone);
        let twins: Vec<usize> = file.iter().flat_map(|file| twins(file, &self.script.tasks)).collect();
        let is_done = |number: &usize, mark: &Mark| *mark == Mark::Done && !twins.contains(number);
        let marks = there.map(|(number, mark)| (task_id(number), is_done(&number, mark))).collect();
        let open_twin = twins.first().copied().map(task_id);
        self.note(What::Branch { lost, marks, open_twin });
    }

    /// Files that are still as they were before a landed commit are made what they are in it.
    fn complete_checkout(&mut self, commit: &str) -> Step {
        let Some(commit) = self.world.git.find(commit) else { return Ok(()) };
        let after = self.world.git.tree_of(commit);
        let before = self.world.git.parent_tree(commit);
        for file in before.changes(&after).collect::<Vec<_>>() {
            if self.world.tree.get(file) == before.get(file) {
                self.world.change(Actor::Runner, |tree| tree.put(file, after.get(file)));
                self.step()?;
            }
        }
        Ok(())
    }

    pub(super) fn close_task(
        &mut self,
        turn: TurnKey,
        task: &TaskId,
        end: &TaskEnd,
        since: Option<&SnapshotId>,
    ) -> Worked {
        let lane = self.here;
        let (mut branch, mut kept): (Option<String>, Option<(Evidence, Option<SnapshotId>)>) = (None, None);
        self.step()?;
        if self.is_lost() {
            return self.close_lost(turn, task, end);
        }
        match end {
            TaskEnd::Again { .. } => self.close_with(Mark::Begun),
            TaskEnd::Done => {
                self.close_with(Mark::Done);
                self.world.task = None;
            }
            TaskEnd::Parked { .. } => {
                let aside = self.world.tree;
                if self.plan.git && self.world.git.exists() {
                    self.world.git.keep(aside);
                    branch = Some(format!("windlass/{task}"));
                }
                self.step()?;
                kept = self.put_back(turn, since)?;
                let mark = if self.plant == Some(Plant::ParkedIsDone) { Mark::Done } else { Mark::Open };
                self.close_with(mark);
                self.world.task = None;
            }
        }
        self.step()?;
        let (evidence, snapshot) = if let Some(kept) = kept {
            kept
        } else {
            let look = self.look()?;
            let evidence = look.evidence.clone();
            self.remember(look);
            (evidence, None)
        };
        let (iteration, task, end) = (turn.iteration, task.clone(), end.clone());
        Ok(vec![report::TaskClosed { lane, iteration, task, end, branch, evidence, snapshot }.into()])
    }

    /// Nothing is left there to be put aside.
    fn close_lost(&mut self, turn: TurnKey, task: &TaskId, end: &TaskEnd) -> Worked {
        let lane = self.here;
        self.world.task = None;
        self.enter(LaneId::default());
        let look = self.look();
        self.enter(lane);
        let (task, end, evidence) = (task.clone(), end.clone(), look?.evidence);
        let iteration = turn.iteration;
        Ok(vec![
            report::TaskClosed { lane, iteration, task, end, branch: None, evidence, snapshot: None }.into(),
        ])
    }

    fn close_with(&mut self, own: Mark) {
        if !self.has_lanes() {
            self.write_states(Some(own));
        }
    }

    /// In the user's directory, the work of a parked task is taken out again.
    fn put_back(
        &mut self,
        turn: TurnKey,
        since: Option<&SnapshotId>,
    ) -> Result<Option<(Evidence, Option<SnapshotId>)>, Trouble> {
        let commits = self.plan.commit == windlass_core::spec::CommitPolicy::Runner;
        let tree = since.and_then(|since| self.world.snapshots.tree(since)).copied();
        let Some(tree) = tree.filter(|_| commits && !self.has_lanes()) else { return Ok(None) };
        if let Some((file, _)) = self.world.unprotected_work() {
            self.note(What::Unprotected {
                file: NAMES[usize::from(file)],
                before: "a parked task's work is taken out",
            });
        }
        self.world.change(Actor::Runner, |now| *now = tree);
        let look = self.look()?;
        let evidence = look.evidence.clone();
        let snapshot = self.keep_look(&look, turn, Side::After)?;
        self.remember_kept(look, snapshot.clone());
        Ok(Some((evidence, snapshot)))
    }
}

fn done_in(tree: &mut Tree, task: &TaskId) {
    let file = TaskFile::read(tree.get(PLAN)).zip(task_number(task));
    if let Some((mut file, number)) = file
        && file.marks.get(number).is_some_and(|mark| *mark != Mark::Gone)
    {
        file.marks[number] = Mark::Done;
        tree.put(PLAN, file.content());
    }
}
