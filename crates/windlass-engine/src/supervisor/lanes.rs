//! Lanes with checkouts of their own, as the worker sees them: made, committed in, merged with the branch, landed, parked.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::fact::{
    CommitNotes, LandOutcome, LaneId, MergeOutcome, SnapshotId, StopReason, TaskEnd, TaskId, TaskState,
};
use windlass_core::run::{CommitKind, Effect, Input, RunPlan, TurnKey};

use super::commit::{self, Subject};
use super::event::WorkError;
use super::tasks;
use super::withhold::{self, Scene};
use super::worker::{Known, Work, Worked};
use super::world::World;
use crate::file::AtPath as _;
use crate::git::lane::{
    Landed, Landing, Lane, LaneError, Merged, Outcome, OwnFile, Squash, Target, land, park,
};
use crate::git::{self, CommitHooks, CommitOutcome, ObjectId, Repository};
use crate::inventory::{Place, Surveyor, as_path, is_own};
use crate::snapshot::{Side, Store};
use crate::store::Project;
use crate::worktree::bootstrap::{Copied, copy_included};

/// So many conflicting paths are named.
const NAMED: usize = 20;

/// The plan as it is for a lane: the same in another directory.
pub(super) fn plan_in(plan: &RunPlan, main: Option<&Repository>, lane: LaneId) -> Option<RunPlan> {
    let (lanes, main) = (plan.lanes.as_ref()?, main?);
    if lane == LaneId::default() {
        return None;
    }
    let directory = Lane::top_of(main, &home(&lanes.folder, lane)).join(&lanes.below);
    Some(RunPlan { directory, ..plan.clone() })
}

fn home(folder: &Path, lane: LaneId) -> PathBuf {
    folder.join(lane.to_string())
}

/// The user's directory, and what lanes have beside it.
#[derive(Debug)]
pub(super) struct Worlds {
    main: World,
    project: Project,
    /// What landings advance; known once it was asked for.
    target: Option<Target>,
    lanes: BTreeMap<LaneId, Checkout>,
}

/// A lane's checkout.
#[derive(Debug)]
struct Checkout {
    world: World,
    lane: Lane,
}

impl Worlds {
    /// Those of a session.
    pub fn new(main: World, project: Project) -> Worlds {
        Worlds { main, project, target: None, lanes: BTreeMap::new() }
    }

    /// The same for another thread, which works in a lane of its own: nothing has been looked at there.
    pub fn another(&self) -> Worlds {
        let World { plan, folder, surveyor, guard, said, .. } = &self.main;
        let surveyor = Surveyor::new(surveyor.place().clone());
        let main = World::new(Arc::clone(plan), folder.clone(), surveyor, None).guarding(guard.search_path());
        Worlds::new(World { said: Arc::clone(said), ..main }, self.project.clone())
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
    pub fn carry_out(&mut self, work: &Work) -> Worked {
        let Some(lane) = self.own_lane(&work.effect) else {
            return self.main.carry_out(work);
        };
        match &work.effect {
            Effect::Open { turn, .. } => self.open(lane, *turn, &work.known),
            Effect::Commit { turn, since, what, .. } => {
                self.commit(lane, *turn, since.as_ref(), *what, &work.known)
            }
            Effect::Merge { commit, .. } => self.merge(lane, commit.as_deref()),
            Effect::Land { turn, commit, tip, .. } => {
                self.land(lane, *turn, commit.as_deref(), tip, &work.known)
            }
            Effect::CloseTask { turn, task, end, .. } => self.close(lane, *turn, task, end, &work.known),
            _ => self.checkout(lane)?.world.carry_out(work),
        }
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
                None => Target::of(&main.head()?),
            };
        }
        let Some(target) = &self.target else {
            return Err(WorkError::of(StopReason::NeedsHuman, &"lanes need a first commit to begin with"));
        };
        target.tip(main)?.map_err(|why| WorkError::of(StopReason::NeedsHuman, &why))
    }

    /// Brings a lane to the tip for a task that it has just taken up; otherwise takes it as it was left.
    fn open(&mut self, lane: LaneId, turn: TurnKey, known: &Known) -> Worked {
        let main = self.repository()?;
        let tip = self.tip(&main)?;
        let mut inputs = Vec::new();
        let fresh = known.at_task.as_ref().is_none_or(|at| at.fresh);
        let found = if fresh { None } else { self.find(lane, &main)? };
        let checkout = if let Some(lane) = found {
            lane
        } else {
            if !fresh {
                let text =
                    format!("the checkout of lane {lane} was gone: it is made anew, at the branch's tip");
                inputs.push(Input::Notice(text));
            }
            self.make(lane, &main, tip, &mut inputs)?
        };
        let base = checkout.repository().head()?.commit().unwrap_or(tip).to_string();
        self.enter(lane, checkout)?;
        let world = &mut self.checkout(lane)?.world;
        let look = world.look()?;
        let evidence = world.evidence(&look);
        let name = world.name(turn, Side::Before);
        let snapshot = world.keep_look(&look.inventory, &name)?.map(|kept| kept.id);
        world.latest = Some(super::world::Look { snapshot: snapshot.clone(), ..look });
        inputs.push(Input::Opened { lane, base, evidence, snapshot });
        Ok(inputs)
    }

    fn find(&self, lane: LaneId, main: &Repository) -> Result<Option<Lane>, WorkError> {
        let lanes = self.main.plan.lanes.as_ref();
        lanes.map_or(Ok(None), |lanes| Ok(Lane::find(main, &home(&lanes.folder, lane))?))
    }

    fn make(
        &self,
        lane: LaneId,
        main: &Repository,
        tip: ObjectId,
        inputs: &mut Vec<Input>,
    ) -> Result<Lane, WorkError> {
        let Some(lanes) = &self.main.plan.lanes else {
            return Err(WorkError::of(StopReason::Internal, &"this run has no lanes"));
        };
        let opened = Lane::open(main, &home(&lanes.folder, lane), tip)?;
        if let Some(bootstrap) = &lanes.bootstrap {
            let copied = copy_included(&main.top, opened.lane.top(), bootstrap);
            let may_be_work = copied.as_ref().map_or(true, holds_more_than_ours);
            if let Err(error) = copied {
                inputs.push(Input::Notice(format!("lane {lane} lacks what .worktreeinclude names: {error}")));
            }
            if may_be_work {
                leave_work_out(&opened.lane, tip)?;
            }
        }
        Ok(opened.lane)
    }

    /// From now on the lane's effects take place there.
    fn enter(&mut self, lane: LaneId, checkout: Lane) -> Result<(), WorkError> {
        let Some(plan) = plan_in(&self.main.plan, self.main.surveyor.place().repository.as_ref(), lane)
        else {
            return Err(WorkError::of(StopReason::Internal, &"this run has no lanes"));
        };
        let repository = checkout.repository().clone();
        let format = repository.object_format;
        let place = Place::new(&plan.directory, Some(repository));
        // What is known of its files is still true of those that are the same.
        let former = self.lanes.remove(&lane).filter(|former| *former.world.surveyor.place() == place);
        let (surveyor, store) = match former {
            Some(Checkout { world: World { surveyor, snapshots: Some(store), .. }, .. }) => (surveyor, store),
            _ => (Surveyor::new(place), Store::open(self.project.path(), format)?),
        };
        let world = World::new(Arc::new(plan), self.main.folder.clone(), surveyor, Some(store))
            .guarding(self.main.guard.search_path());
        self.lanes.insert(lane, Checkout { world, lane: checkout });
        Ok(())
    }

    /// A lane's checkout; after a restart as the former session had left it.
    fn checkout(&mut self, lane: LaneId) -> Result<&mut Checkout, WorkError> {
        if !self.lanes.contains_key(&lane) {
            let main = self.repository()?;
            let tip = self.tip(&main)?;
            let found = match self.find(lane, &main)? {
                Some(found) => found,
                None => self.make(lane, &main, tip, &mut Vec::new())?,
            };
            self.enter(lane, found)?;
        }
        self.lanes.get_mut(&lane).ok_or_else(|| WorkError::of(StopReason::Internal, &"a lane is gone"))
    }

    /// Commits the lane's work in the lane.
    fn commit(
        &mut self,
        lane: LaneId,
        turn: TurnKey,
        since: Option<&SnapshotId>,
        kind: CommitKind,
        known: &Known,
    ) -> Worked {
        let work =
            work_of(known).filter(|_| known.at_task.as_ref().is_some_and(|at| !at.conflicts.is_empty()));
        let Checkout { world, lane: checkout } = self.checkout(lane)?;
        let mut notes = CommitNotes::default();
        let mut inputs = Vec::new();
        let subject = Subject { kind, task: known.at_task.as_ref().map(|at| &at.row) };
        let unresolved = match work {
            Some(work) => checkout.unresolved(work)?,
            None => Vec::new(),
        };
        let outcome = if unresolved.is_empty() {
            let (outcome, held) = squash(world, checkout, turn, since, subject)?;
            inputs.extend(world.say_once(withhold::notice(&held).into_iter().collect()));
            notes.held_back = withhold::named(&held);
            outcome
        } else {
            CommitOutcome::Refused(format!("marks of the conflict are left in {}", listed(&unresolved)))
        };
        let look = world.look()?;
        let evidence = world.evidence(&look);
        world.remember(look);
        let (commit, altered, refused) = match outcome {
            CommitOutcome::Committed { commit, altered } => (Some(commit.to_string()), altered, None),
            CommitOutcome::NothingToCommit => (None, false, None),
            CommitOutcome::Refused(why) => (None, false, Some(why)),
            CommitOutcome::RefusedByHook(said) => {
                let last = commit::last_line(&said);
                notes.hook_output = Some(said);
                (None, false, Some(format!("a hook of the repository refused: {last}")))
            }
        };
        inputs.push(Input::CommitEnded { lane, commit, evidence, altered, refused, notes });
        Ok(inputs)
    }

    fn merge(&mut self, lane: LaneId, commit: Option<&str>) -> Worked {
        let main = self.repository()?;
        let tip = self.tip(&main)?;
        let Checkout { world, lane: checkout } = self.checkout(lane)?;
        let outcome = match commit.and_then(|commit| ObjectId::from_hex(commit.as_bytes())) {
            None => MergeOutcome::Clean { commit: None, retest: false },
            Some(work) => match checkout.merge(work, tip)? {
                Outcome::Clean { commit, merged, .. } => {
                    MergeOutcome::Clean { commit: Some(commit.to_string()), retest: merged == Merged::Anew }
                }
                Outcome::Conflict(conflicts) => {
                    let paths = conflicts.iter().flat_map(|conflict| &conflict.paths).take(NAMED);
                    let shown = |path: &Vec<u8>| String::from_utf8_lossy(path).replace(char::is_control, "?");
                    MergeOutcome::Conflict { paths: paths.map(shown).collect() }
                }
            },
        };
        let look = world.look()?;
        let evidence = world.evidence(&look);
        world.remember(look);
        Ok(vec![Input::Merged { lane, tip: tip.to_string(), outcome, evidence }])
    }

    /// Brings the lane's work to the branch, with what the runner says of its task.
    fn land(
        &mut self,
        lane: LaneId,
        turn: TurnKey,
        commit: Option<&str>,
        tip: &str,
        known: &Known,
    ) -> Worked {
        let main = self.repository()?;
        let now = self.tip(&main)?;
        let commit = commit.and_then(|commit| ObjectId::from_hex(commit.as_bytes()));
        let tip = ObjectId::from_hex(tip.as_bytes()).unwrap_or(now);
        let here = self.is_checked_out(&main)?;
        let mut inputs = Vec::new();
        let mut files = Vec::new();
        if here {
            inputs = self.main.write_states(known, Some(TaskState::Done))?;
            inputs.extend(self.main.note_progress(known, turn, &TaskEnd::Done)?);
            files = self.own_files(known);
        } else {
            let text = "another branch is checked out here: tasks land without their status in the task file";
            inputs.extend(self.main.say_once(vec![text.to_owned()]));
        }
        let subject = Subject { kind: CommitKind::Complete, task: known.at_task.as_ref().map(|at| &at.row) };
        let plan = Arc::clone(&self.main.plan);
        let said = commit::message(&plan, turn, subject);
        let (message, trailers) = (said.text(&plan.message), said.key());
        let target = self.target.clone();
        let checkout = self.checkout(lane)?;
        let since = checkout.lane.since(commit)?;
        let Some(target) = &target else {
            return Err(WorkError::of(StopReason::Internal, &"it is not known where to land"));
        };
        let landing = Landing {
            lane: &checkout.lane,
            commit,
            message: &message,
            tip,
            since,
            target,
            trailers: &trailers,
            files: &files,
        };
        let outcome = match land(&main, &landing)? {
            Landed::Landed { commit, behind, .. } => {
                inputs
                    .extend(behind.map(|why| {
                        Input::Notice(format!("landed, but the files here are of before: {why}"))
                    }));
                LandOutcome::Landed { commit: commit.to_string() }
            }
            Landed::Nothing => LandOutcome::Landed { commit: now.to_string() },
            Landed::Moved { .. } => LandOutcome::Moved,
            Landed::Refused(why) => LandOutcome::Refused { why },
        };
        inputs.push(Input::Landed { lane, outcome });
        Ok(inputs)
    }

    /// Is what the landings go to checked out in the user's directory? Otherwise its task file is another one.
    fn is_checked_out(&mut self, main: &Repository) -> Result<bool, WorkError> {
        self.tip(main)?;
        Ok(Target::of(&main.head()?) == self.target)
    }

    /// The runner's own files as they are in the user's directory now.
    fn own_files(&self, known: &Known) -> Vec<OwnFile> {
        let plan = &self.main.plan;
        let place = self.main.surveyor.place();
        let list = tasks::read(plan);
        let at = known.at_task.as_ref().and_then(|at| list.as_ref()?.task(&at.row.id));
        let task_file = at.map(|task| PathBuf::from(&*task.file));
        let progress = tasks::of(plan).and_then(|places| places.progress.clone());
        let files = task_file.into_iter().chain(progress);
        let read = |file: PathBuf| {
            let content = std::fs::read(plan.directory.join(&file)).ok()?;
            Some(OwnFile { path: place.relative(&file)?, content })
        };
        files.filter_map(read).collect()
    }

    fn close(&mut self, lane: LaneId, turn: TurnKey, task: &TaskId, end: &TaskEnd, known: &Known) -> Worked {
        let main = self.repository()?;
        let run = self.main.plan.run.0.clone();
        let state = match end {
            TaskEnd::Done => TaskState::Done,
            TaskEnd::Again { .. } => TaskState::InProgress,
            TaskEnd::Parked { .. } => TaskState::Open,
        };
        let mut inputs = Vec::new();
        if self.is_checked_out(&main)? {
            inputs = self.main.write_states(known, Some(state))?;
            if *end != TaskEnd::Done {
                inputs.extend(self.main.note_progress(known, turn, end)?);
            }
        }
        let checkout = self.checkout(lane)?;
        let mut branch = None;
        if matches!(end, TaskEnd::Parked { .. }) {
            let parked = park(&main, &checkout.lane, work_of(known), &run, &task.0)?;
            branch = parked.branch.or(parked.merging);
        }
        checkout.lane.mend()?;
        let look = checkout.world.look()?;
        let evidence = checkout.world.evidence(&look);
        checkout.world.remember(look);
        inputs.push(Input::TaskClosed { lane, branch, evidence, snapshot: None });
        Ok(inputs)
    }
}

/// Was anything copied that windlass does not know as its own?
fn holds_more_than_ours(copied: &Copied) -> bool {
    copied.files.iter().any(|file| !is_own(file.path.as_os_str().as_bytes()))
}

/// What was copied and git does not ignore would be taken for work: it is not taken along.
fn leave_work_out(checkout: &Lane, tip: ObjectId) -> Result<(), WorkError> {
    let tracked = checkout.repository().files_of(&tip.to_string())?;
    let is_work = |path: &&Vec<u8>| !tracked.contains_key(*path) && !is_own(path) && !path.ends_with(b"/");
    for path in checkout.repository().list_files()?.iter().filter(is_work) {
        let path = checkout.top().join(as_path(path));
        std::fs::remove_file(&path).at("remove", &path)?;
    }
    Ok(())
}

fn squash(
    world: &World,
    checkout: &Lane,
    turn: TurnKey,
    since: Option<&SnapshotId>,
    subject: Subject<'_>,
) -> Result<(CommitOutcome, withhold::Held), WorkError> {
    let message = commit::message(&world.plan, turn, subject);
    if let Some(commit) = git::marked_commit(checkout.repository(), &message.key())? {
        return Ok((CommitOutcome::Committed { commit, altered: false }, Vec::new()));
    }
    let (Some(store), Some(candidate), Some(since)) = (&world.snapshots, &world.latest, since) else {
        return Ok((CommitOutcome::NothingToCommit, Vec::new()));
    };
    let inventory = &candidate.inventory;
    let since = store.load(since)?;
    let mut changed = commit::changed_paths(&since, inventory);
    let scene = Scene { repository: checkout.repository(), store, since: &since, candidate: inventory };
    let held = withhold::hold_back(&scene, &world.plan.withholding, &mut changed)?;
    let place = world.surveyor.place();
    let mut without: Vec<Vec<u8>> = held.iter().map(|(path, _)| path.clone()).collect();
    // Neither the runner's own files nor what was copied into the checkout is work.
    let stands_at = checkout.repository().head()?.commit();
    let stands_at = stands_at.map(|commit| commit.to_string()).unwrap_or_default();
    let tracked = checkout.repository().files_of(&stands_at)?;
    let there = inventory.entries.iter().map(|entry| &entry.path);
    let is_left = |path: &&Vec<u8>| {
        tasks::is_own_file(&world.plan, place, path) || (is_own(path) && !tracked.contains_key(*path))
    };
    without.extend(there.chain(tracked.keys()).filter(is_left).cloned());
    let text = message.text(&world.plan.message);
    let hooks = if world.plan.sandbox.is_on() { CommitHooks::Skip } else { CommitHooks::Run };
    let squash = Squash {
        inventory,
        changed: &changed,
        without: &without,
        message: &text,
        hooks,
        timeout: commit::HOOKS,
    };
    Ok((checkout.squash(store, &squash)?, held))
}

/// The lane's work as it was before its agent was asked to put it together with the branch.
fn work_of(known: &Known) -> Option<ObjectId> {
    ObjectId::from_hex(known.at_task.as_ref()?.work.as_ref()?.as_bytes())
}

fn listed(paths: &[Vec<u8>]) -> String {
    windlass_core::recovery::listed(paths.iter().map(Vec::as_slice))
}

impl From<LaneError> for WorkError {
    fn from(error: LaneError) -> WorkError {
        WorkError::new(error.is_disk_full(), &error)
    }
}
