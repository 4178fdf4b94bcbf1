//! Lanes with checkouts of their own, as the worker sees them: made, committed in, merged with the branch, landed, parked.

mod checkouts;
mod closing;
mod outside;
mod unkept;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use windlass_core::report::{self, Report};
use windlass_core::run::{CommitKind, Effect, Occasion, Order, OrderContext, TurnKey};
use windlass_core::spec::RunSpec;
use windlass_core::values::{
    CommitNotes, LandOutcome, LaneId, MergeOutcome, SnapshotId, StopReason, TaskEnd, TaskState,
};

use super::RemoteLeftovers;
use super::begun_commit;
use super::beside;
use super::commit::{self, Subject};
use super::damage;
use super::tasks;
use super::work::WorkError;
use super::work::Worked;
use super::working_tree::WorkingTree;
use crate::recovery::{HOOKS, hooks, is_own_file};
use crate::sandbox::Site;
use crate::store::Project;
use crate::tasks::with_state;
use crate::withhold::{self, Scene, StaysIn};
use checkouts::Identity;
use outside::Outside;
use windlass_git::commit::{Candidate, CommitOutcome, Made};
use windlass_git::git::{ObjectId, Repository, is_disk_full};
use windlass_git::inventory::{Place, Surveyor, is_own};
use windlass_git::lane::{
    Landed, Landing, Lane, LaneError, MergeResult, Merged, OwnFile, Target, land, landed,
};
use windlass_git::snapshot::quoting::quote;
use windlass_host::tree;
use windlass_host::tree::at;

/// So many conflicting paths are named.
const NAMED: usize = 20;

/// The longest file of the runner's own that lands.
const LONGEST_OWN: usize = 64 * 1024 * 1024;

/// The plan as it is for a lane: the same in another directory.
pub(super) fn plan_in(plan: &RunSpec, main: Option<&Repository>, lane: LaneId) -> Option<RunSpec> {
    let (lanes, main) = (plan.lanes.as_ref()?, main?);
    if lane == LaneId::default() {
        return None;
    }
    // Joined with nothing a path would end in a slash, and rules about it would fit no file.
    let directory: PathBuf =
        Lane::top_of(main, &home(&lanes.folder, lane)).join(&lanes.below).components().collect();
    Some(RunSpec { directory, ..plan.clone() })
}

/// Where a lane's agent works, with the top that names are relative to.
pub(super) fn place_in(plan: &RunSpec, main: Option<&Repository>, lane: LaneId) -> Place {
    let (directory, repository) = (plan.directory.clone(), main.cloned());
    match (&plan.lanes, main, plan_in(plan, main, lane)) {
        (Some(lanes), Some(main), Some(plan)) => {
            let root = Lane::top_of(main, &home(&lanes.folder, lane));
            Place { root, directory: plan.directory, repository: None }
        }
        _ => Place::new(&directory, repository),
    }
}

/// Where the guests of a lane's sandbox work; `None` where the lane has no checkout of its own.
pub(super) fn site(
    plan: &RunSpec,
    main: Option<&Repository>,
    lane: LaneId,
) -> Option<Result<Site, LaneError>> {
    let directory = plan_in(plan, main, lane)?.directory;
    let (lanes, main) = (plan.lanes.as_ref()?, main?);
    let home = home(&lanes.folder, lane);
    let borrowed = Lane::borrowed(main, &home);
    Some(borrowed.map(|borrowed| Site { lane, tree: Lane::top_of(main, &home), directory, borrowed }))
}

/// Has the lane a checkout of its own, and is that gone?
pub(super) fn is_missing(plan: &RunSpec, main: Option<&Repository>, lane: LaneId) -> bool {
    match (&plan.lanes, main) {
        (Some(lanes), Some(main)) if lane != LaneId::default() => {
            !Lane::is_there(main, &home(&lanes.folder, lane))
        }
        _ => false,
    }
}

/// The file that says by which command a lane's checkout was made ready. It goes with the checkout.
pub(super) fn set_up_by(folder: &Path, lane: LaneId) -> PathBuf {
    home(folder, lane).join("set-up")
}

fn home(folder: &Path, lane: LaneId) -> PathBuf {
    folder.join(lane.to_string())
}

/// The user's directory, and what lanes have beside it.
#[derive(Debug)]
pub(super) struct WorkingTrees {
    main: WorkingTree,
    project: Project,
    /// What landings advance; known once it was asked for.
    target: Option<Target>,
    lanes: BTreeMap<LaneId, Checkout>,
    /// What is here of lanes whose files are on other machines.
    leftovers: RemoteLeftovers,
    /// The repository as the session has seen it last, by whichever thread; `None` where no guest can get there.
    outside: Arc<Mutex<Option<Outside>>>,
}

/// A lane's checkout.
#[derive(Debug)]
struct Checkout {
    world: WorkingTree,
    lane: Lane,
    /// Its working tree; `None` where that is not there.
    identity: Option<Identity>,
}

impl WorkingTrees {
    /// Those of a session.
    pub fn new(main: WorkingTree, project: Project, leftovers: RemoteLeftovers) -> WorkingTrees {
        let (lanes, outside) = (BTreeMap::new(), Arc::default());
        WorkingTrees { main, project, target: None, lanes, leftovers, outside }
    }

    /// The same for another thread, which works in a lane of its own: nothing has been looked at there.
    pub fn another(&self) -> WorkingTrees {
        let WorkingTree { plan, folder, surveyor, guard, said, .. } = &self.main;
        let surveyor = Surveyor::new(surveyor.place().clone());
        let path = guard.search_path();
        let mut main = WorkingTree::new(Arc::clone(plan), folder.clone(), surveyor, None, path);
        main.said = Arc::clone(said);
        main.steering.clone_from(&self.main.steering);
        let outside = Arc::clone(&self.outside);
        WorkingTrees { outside, ..WorkingTrees::new(main, self.project.clone(), self.leftovers.clone()) }
    }

    /// The lane that an effect takes place in, if that has a checkout of its own.
    pub fn own_lane(&self, effect: &Effect) -> Option<LaneId> {
        let own = effect.lane().filter(|lane| *lane != LaneId::default());
        own.filter(|_| self.main.plan.lanes.is_some())
    }

    /// Is something written in the user's directory, where others write as well?
    pub const fn is_shared(effect: &Effect) -> bool {
        matches!(effect, Effect::Land { .. } | Effect::CloseTask { .. })
    }

    /// Does what an effect says, where it takes place.
    pub fn carry_out(&mut self, order: &Order) -> Worked {
        let Some(lane) = self.own_lane(&order.effect) else {
            let reports = self.main.carry_out(order)?;
            if matches!(order.effect, Effect::Survey(Occasion::Start | Occasion::Resume)) {
                self.begin_looking_outside()?;
            }
            return Ok(reports);
        };
        // Without these no lane can be told from one that is gone, and nothing may be put back where nothing is.
        self.main.surveyor.find_root()?;
        self.find_repository()?;
        self.main.put_steering_back()?;
        // No agent works there: it is told by whoever is at work in a lane.
        let put_back = std::mem::take(&mut self.main.notices);
        let done = match &order.effect {
            Effect::Land { turn, commit, tip, .. } => {
                self.land(lane, *turn, commit.as_deref(), tip, &order.context)
            }
            Effect::CloseTask { turn, task, end, .. } => self.close(lane, *turn, task, end, &order.context),
            _ => self.carry_out_in(lane, order).and_then(|reports| self.with_outside(lane, order, reports)),
        };
        let reports = done.map_err(|error| self.with_a_way_back(self.for_want_of_room(error)))?;
        Ok(put_back.into_iter().map(Report::notice).chain(reports).collect())
    }

    /// A failure that a full disk explains is that, whatever git said.
    fn for_want_of_room(&self, error: WorkError) -> WorkError {
        if error.stop_reason != StopReason::Internal {
            return error;
        }
        let lanes = self.main.plan.lanes.as_ref().map(|lanes| lanes.folder.clone());
        let project = self.repository().ok().map(|main| main.git_dir);
        let full = lanes.into_iter().chain(project).find_map(|folder| at(&folder).has_room().err());
        full.map_or(error, WorkError::from)
    }

    fn repository(&self) -> Result<Repository, WorkError> {
        let found = self.main.surveyor.place().repository.clone();
        found.ok_or_else(|| WorkError::of(StopReason::Internal, &"lanes need a git repository"))
    }

    fn tip(&mut self, main: &Repository) -> Result<ObjectId, WorkError> {
        if self.target.is_none() {
            let branch = self.main.plan.lanes.as_ref().and_then(|lanes| lanes.branch.as_ref());
            self.target = match branch {
                Some(branch) => Some(Target::Branch(branch.clone().into_bytes())),
                // It began without one; each lane's thread comes here at a time of its own, when another may be checked out.
                None => {
                    Some(Target::Detached).filter(|_| main.head().is_ok_and(|head| head.commit().is_some()))
                }
            };
        }
        let Some(target) = &self.target else {
            return Err(WorkError::of(StopReason::NeedsHuman, &"lanes need a first commit to begin with"));
        };
        target.tip(main)?.map_err(|why| WorkError::of(StopReason::NeedsHuman, &why))
    }

    /// Commits the lane's work in the lane.
    fn commit(
        &mut self,
        lane: LaneId,
        turn: TurnKey,
        since: Option<&SnapshotId>,
        kind: CommitKind,
        context: &OrderContext,
    ) -> Worked {
        let work = work_of(context).filter(|_| context.task().is_some_and(|at| !at.conflicts.is_empty()));
        let Checkout { world, lane: checkout, .. } = self.checkout(lane)?;
        let mut notes = CommitNotes::default();
        let mut reports = Vec::new();
        let subject = Subject { kind, task: context.task().map(|at| &at.row) };
        let unresolved = work.map_or(Ok(Vec::new()), |work| checkout.unresolved(work))?;
        let mut rewritten = false;
        let outcome = if unresolved.is_empty() {
            world.look_where_nobody_has()?;
            world.leave_out_what_went_back(context, turn, since)?;
            let checked = world.take_in_rewritten(context, turn, since)?;
            rewritten = world.is_work_rewritten(since)?;
            let (outcome, held) = squash(world, checkout, turn, since, subject)?;
            if let Some(checked) = &checked {
                world.note_checks(checked)?;
            }
            let command = format!("windlass restore {} {}", world.plan.run, turn.iteration);
            let notice = withhold::notice(&held, StaysIn::Snapshot(&command));
            reports.extend(world.say_once(notice.into_iter().collect()));
            notes.held_back = withhold::named(&held);
            notes.lacks = beside::lacking(world, &held, since)?;
            if world.plan.delivery.is_some() {
                notes.beside = held.iter().map(|(path, _)| quote(path)).collect();
            }
            outcome
        } else {
            notes.has_conflict_marks = true;
            CommitOutcome::Refused(format!("marks of the conflict are left in {}", listed(&unresolved)))
        };
        let has_kept = world.has_kept(turn);
        let went_back = std::mem::take(&mut world.went_back);
        let evidence = world.look_again()?;
        let kept_out = commit::kept_out_by_hooks(checkout.repository(), &outcome)?;
        let mut committed = commit::report_of((outcome, kept_out), lane, evidence, notes);
        committed.altered |= rewritten || !has_kept || went_back;
        reports.push(committed.into());
        Ok(reports)
    }

    fn merge(&mut self, lane: LaneId, commit: Option<&str>) -> Worked {
        let main = self.repository()?;
        let tip = self.tip(&main)?;
        // Where the lane's files become others, all that git does not know goes.
        let mut reports = self.put_unkept_aside(lane)?;
        let Checkout { world, lane: checkout, .. } = self.checkout(lane)?;
        let outcome = match commit.and_then(|commit| ObjectId::from_hex(commit.as_bytes())) {
            None => {
                checkout.follow(tip)?;
                MergeOutcome::Clean { commit: None, retest: false }
            }
            Some(work) => match checkout.merge(work, tip)? {
                MergeResult::Clean { commit, merged, .. } => {
                    MergeOutcome::Clean { commit: Some(commit.to_string()), retest: merged == Merged::Anew }
                }
                MergeResult::Conflict(conflicts) => {
                    let paths = conflicts.iter().flat_map(|conflict| &conflict.paths).take(NAMED);
                    let shown = |path: &Vec<u8>| String::from_utf8_lossy(path).replace(char::is_control, "?");
                    MergeOutcome::Conflict { paths: paths.map(shown).collect() }
                }
            },
        };
        let evidence = world.look_again()?;
        reports.push(report::Merged { lane, tip: tip.to_string(), outcome, evidence }.into());
        Ok(reports)
    }

    /// Brings the lane's work to the branch, with what the runner says of its task.
    fn land(
        &mut self,
        lane: LaneId,
        turn: TurnKey,
        commit: Option<&str>,
        tip: &str,
        context: &OrderContext,
    ) -> Worked {
        let main = self.repository()?;
        let now = self.tip(&main)?;
        let commit = commit.and_then(|commit| ObjectId::from_hex(commit.as_bytes()));
        let tip = ObjectId::from_hex(tip.as_bytes()).unwrap_or(now);
        let plan = Arc::clone(&self.main.plan);
        let subject = Subject { kind: CommitKind::Complete, task: context.task().map(|at| &at.row) };
        let said = commit::message(&plan, turn, subject);
        let (message, trailers) = (said.text(&plan.message), said.key());
        let Some(target) = self.target.clone() else {
            return Err(WorkError::of(StopReason::Internal, &"it is not known where to land"));
        };
        let usable = self.is_usable(lane)?;
        if !usable && landed(&main, &target, tip, &trailers)?.is_none() {
            return Ok(self.lost(lane));
        }
        let here = self.is_checked_out(&main)?;
        let mut reports = damage::clear_locks(&self.main, context);
        let files;
        if here {
            reports.extend(self.main.write_state(context, TaskState::Done)?);
            reports.extend(self.main.note_progress(context, turn, &TaskEnd::Done)?);
            files = self.own_files(context);
        } else {
            files = self.status_for(&main, now, context)?;
            let text = if files.is_empty() {
                "another branch is checked out here: tasks land without their status in the task file"
            } else {
                "another branch is checked out here: tasks land with their status, and the files here stay as they are"
            };
            reports.extend(self.main.say_once(vec![text.to_owned()]));
        }
        let checkout = self.expect(lane)?;
        let since = if usable { checkout.lane.since(commit) } else { Ok(tip) };
        let landing = |since| Landing {
            lane: &checkout.lane,
            commit,
            message: &message,
            tip,
            since,
            target: &target,
            trailers: &trailers,
            files: &files,
        };
        let landed = since.and_then(|since| land(&main, &landing(since)));
        if matches!(&landed, Err(error) if !is_disk_full(error)) && !self.is_there(lane)? {
            // It was written down before it could land.
            self.main.write_state(context, TaskState::InProgress)?;
            return Ok(self.lost(lane));
        }
        let outcome = match landed? {
            Landed::Landed { commit, behind, mut left } => {
                left.retain(|path| files.iter().all(|own| own.path != *path));
                let left = (!left.is_empty()).then(|| {
                    format!("these stay as they are, since somebody wrote there: {}", listed(&left))
                });
                let said = |why| Report::notice(format!("landed, but the files here are of before: {why}"));
                reports.extend(behind.into_iter().chain(left).map(said));
                Ok(LandOutcome::Landed { commit: commit.to_string() })
            }
            Landed::Prevented(why) => {
                let said = format!("what is done cannot land: {why}; then `windlass resume {}`", plan.run);
                Err(WorkError::of(StopReason::NeedsHuman, &said))
            }
            Landed::Nothing => Ok(LandOutcome::Landed { commit: now.to_string() }),
            Landed::Moved { .. } => Ok(LandOutcome::Moved),
            Landed::Held(why) => {
                reports.extend(self.main.say_once(vec![format!("what is done waits to land: {why}")]));
                Ok(LandOutcome::Held)
            }
            Landed::Refused(why) => Ok(LandOutcome::Refused { why }),
        };
        if here && !matches!(outcome, Ok(LandOutcome::Landed { .. })) {
            // It was written down before it could land; a session after this one would take it for done.
            reports.extend(self.main.write_state(context, TaskState::InProgress)?);
        }
        reports.push(Report::from(report::Landed { lane, outcome: outcome? }));
        Ok(reports)
    }

    /// Is what the landings go to checked out in the user's directory? Otherwise its task file is another one.
    fn is_checked_out(&mut self, main: &Repository) -> Result<bool, WorkError> {
        self.tip(main)?;
        Ok(Target::of(&main.head()?) == self.target)
    }

    /// The task's file as it is on the branch, which is not checked out, with the task done in it.
    fn status_for(
        &self,
        main: &Repository,
        tip: ObjectId,
        context: &OrderContext,
    ) -> Result<Vec<OwnFile>, WorkError> {
        let plan = &self.main.plan;
        let (Some(places), Some(at)) = (tasks::of(plan), context.task()) else { return Ok(Vec::new()) };
        if places.issues.is_some() {
            return Ok(Vec::new());
        }
        let place = (plan.directory.as_path(), places.file.as_path());
        let state = (&at.row.id, TaskState::Done);
        let found = with_state(main, place, &tip.to_string(), state)?;
        let own_file = |(path, content): (PathBuf, Vec<u8>)| OwnFile {
            path: path.as_os_str().as_bytes().to_vec(),
            content,
        };
        Ok(found.map(own_file).into_iter().collect())
    }

    /// The runner's own files as they are in the user's directory now.
    fn own_files(&self, context: &OrderContext) -> Vec<OwnFile> {
        let plan = &self.main.plan;
        let place = self.main.surveyor.place();
        let list = tasks::read(plan);
        let at = context.task().and_then(|at| list.as_ref()?.task(&at.row.id));
        // Of issues the file is in no commit.
        let at = at.filter(|_| tasks::of(plan).is_some_and(|places| places.issues.is_none()));
        let task_file = at.map(|task| PathBuf::from(&*task.file));
        let progress = tasks::of(plan).and_then(|places| places.progress.clone());
        let files = task_file.into_iter().chain(progress);
        let own_file = |file: PathBuf| {
            let read = tree::at(&plan.directory).join(&file).read(LONGEST_OWN).ok()??;
            Some(OwnFile { path: place.relative(&file)?, content: read })
        };
        files.filter_map(own_file).collect()
    }
}

fn squash(
    world: &WorkingTree,
    checkout: &Lane,
    turn: TurnKey,
    since: Option<&SnapshotId>,
    subject: Subject<'_>,
) -> Result<(CommitOutcome, withhold::WithheldPaths), WorkError> {
    let message = commit::message(&world.plan, turn, subject);
    let repository = checkout.repository();
    let key = message.key();
    let objection = |made: &Made| commit::objection_to(world, repository, made);
    if let Some(outcome) = begun_commit::made_before(&world.folder, repository, turn, &key, objection)? {
        return Ok((outcome, Vec::new()));
    }
    let (Some(store), Some(candidate), Some(since)) = (&world.snapshots, &world.latest, since) else {
        return Ok((CommitOutcome::NothingToCommit, Vec::new()));
    };
    let inventory = &candidate.inventory;
    let since = store.load(since)?;
    let mut changed = checkout.to_commit(commit::changed_paths(&since, inventory))?;
    let place = world.surveyor.place();
    // Neither the runner's own files nor what was copied into the checkout is work.
    let stands_at = repository.head()?.commit();
    let stands_at = stands_at.map(|commit| commit.to_string()).unwrap_or_default();
    let tracked = repository.files_of(&stands_at)?;
    let there = inventory.entries.iter().map(|entry| &entry.path);
    let is_left = |path: &&Vec<u8>| {
        is_own_file(&world.plan, place, path) || (is_own(path) && !tracked.contains_key(*path))
    };
    let by_checks = world.by_checks.theirs(&since, inventory);
    let without: BTreeSet<&Vec<u8>> = there.chain(tracked.keys()).filter(is_left).chain(by_checks).collect();
    changed.retain(|path| !without.contains(path));
    // All that would be in the commit: what was held back from an earlier one lies here as it was.
    let scene = Scene { repository, store, candidate: inventory };
    let held = withhold::hold_back(&scene, &world.plan.withholding, &mut changed)?;
    let text = message.text(&world.plan.message);
    let (hooks, timeout) = (hooks(&world.plan), HOOKS);
    let candidate = Candidate { inventory, changed: &changed, message: &text, hooks, timeout };
    begun_commit::begin(&world.folder, repository, turn, key)?;
    let objection = |made: &Made| commit::objection_to(world, repository, made);
    Ok((checkout.squash(store, &candidate, objection)?, held))
}

/// The lane's work as it was before its agent was asked to put it together with the branch.
fn work_of(context: &OrderContext) -> Option<ObjectId> {
    ObjectId::from_hex(context.task()?.work.as_ref()?.as_bytes())
}

/// Would the system allow it if a person said so?
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn listed(paths: &[Vec<u8>]) -> String {
    windlass_core::recovery::listed(paths.iter().map(Vec::as_slice))
}

impl From<LaneError> for WorkError {
    fn from(error: LaneError) -> WorkError {
        match error {
            LaneError::Git(error) => error.into(),
            LaneError::TooOld(_) => WorkError::of(StopReason::NeedsHuman, &error),
            LaneError::File(error) if is_refused(&error.source) => {
                let way = "make it writable, and `windlass resume` goes on where this stopped";
                WorkError::of(StopReason::NeedsHuman, &format!("{error}: {way}"))
            }
            other => WorkError::new(&other),
        }
    }
}
