//! A lane's checkout: made, made ready, found again, and missed when somebody has removed it.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use windlass_core::report::{self, Report};
use windlass_core::run::{Effect, Order, OrderContext, TurnKey};
use windlass_core::values::{LaneId, StopReason};

use super::{Checkout, WorkingTrees, home, plan_in};
use crate::local::tasks;
use crate::local::work::{Cause, WorkError, Worked};
use crate::local::working_tree::{Look, WorkingTree};
use crate::tasks::put_issues;
use crate::worktree::bootstrap::{Copied, copy_included};
use windlass_git::git::{ObjectId, Repository};
use windlass_git::inventory::{Place, Surveyor, as_path, is_own};
use windlass_git::lane::Lane;
use windlass_git::snapshot::{Side, Store};
use windlass_host::tree::at;

/// Which folder it is, whatever it is called.
pub(super) type Identity = (u64, u64);

impl WorkingTrees {
    /// Does what an effect says with the files of a lane. Where they are gone, before or while it is done, that is what
    /// comes of it.
    pub(super) fn carry_out_in(&mut self, lane: LaneId, order: &Order) -> Worked {
        if matches!(order.effect, Effect::Recover { .. }) {
            // What the agent printed lies elsewhere.
            return self.expect(lane)?.world.carry_out(order);
        }
        if !matches!(order.effect, Effect::Open { .. }) && !self.is_usable(lane)? {
            return Ok(self.lost(lane));
        }
        if matches!(order.effect, Effect::Prepare { .. }) && self.is_checked_out(&self.repository()?)? {
            // What lands is written down there.
            tasks::refuse_lost(&self.main.plan, &order.context)?;
        }
        let done = match &order.effect {
            Effect::Open { turn, .. } => self.open(lane, *turn, &order.context),
            Effect::Commit { turn, since, what, .. } => {
                self.commit(lane, *turn, since.as_ref(), *what, &order.context)
            }
            Effect::Merge { commit, .. } => self.merge(lane, commit.as_deref()),
            _ => self.checkout(lane)?.world.carry_out(order),
        };
        // A lane that nobody could fill was never there: then nobody has removed it.
        let fills = matches!(order.effect, Effect::Open { .. }) && is_fresh(&order.context);
        match done.map_err(|error| self.for_want_of_room(error)) {
            Ok(_) if !self.is_there(lane)? => Ok(self.lost(lane)),
            // It may be that somebody is about to remove it, and has come as far as what was needed here. Or it cannot be made:
            // then this is what is to be known of it.
            Err(error) if !is_of_another_cause(&error) && !self.is_whole(lane)? => {
                // No checkout is whole that has borrowed from a repository which is not.
                self.find_all_objects()?;
                if fills {
                    return unfilled(lane, error);
                }
                let said = self.main.say_once(vec![format!("lane {lane}: {}", error.detail)]);
                Ok(said.into_iter().chain(self.lost(lane)).collect())
            }
            done => done,
        }
    }

    fn is_whole(&self, lane: LaneId) -> Result<bool, WorkError> {
        let Some(lanes) = &self.main.plan.lanes else { return Ok(true) };
        Ok(self.is_there(lane)? && Lane::is_whole(&self.repository()?, &home(&lanes.folder, lane))?)
    }

    /// Is the lane's checkout there, and the one that it was? One that is only about to be made is missed by nobody.
    pub(super) fn is_there(&self, lane: LaneId) -> Result<bool, WorkError> {
        let Some(lanes) = &self.main.plan.lanes else { return Ok(true) };
        let (main, home) = (self.repository()?, home(&lanes.folder, lane));
        let known = self.lanes.get(&lane).and_then(|checkout| checkout.identity);
        let now = identity(&Lane::top_of(&main, &home));
        Ok(Lane::is_there(&main, &home) && known.is_none_or(|known| now == Some(known)))
    }

    /// The same, and whether it is whole enough to go on with. After a restart it is found as the former session had left
    /// it.
    pub(super) fn is_usable(&mut self, lane: LaneId) -> Result<bool, WorkError> {
        if !self.is_there(lane)? || self.lanes.contains_key(&lane) {
            return self.is_there(lane);
        }
        let Some(found) = self.find(lane, &self.repository()?)? else { return Ok(false) };
        self.enter(lane, found, None).map(|()| true)
    }

    /// Nothing is known of the lane's checkout any more.
    pub(super) fn lost(&mut self, lane: LaneId) -> Vec<Report> {
        self.lanes.remove(&lane);
        vec![Report::from(report::LaneLost::removed(lane))]
    }

    /// Brings a lane to the tip for a task that it has just taken up; otherwise takes it as it was left.
    pub(super) fn open(&mut self, lane: LaneId, turn: TurnKey, context: &OrderContext) -> Worked {
        let main = self.repository()?;
        let tip = self.tip(&main)?;
        let mut reports = Vec::new();
        let fresh = is_fresh(context);
        // What only its setup made is nobody's work. A task on another machine is closed without its files.
        let was_worked_in = self.lanes.get(&lane).is_some_and(|former| former.world.kept_last.is_some());
        if fresh && was_worked_in && self.is_usable(lane)? {
            reports.extend(self.put_unkept_aside(lane)?);
        }
        let former = self.lanes.remove(&lane);
        let by_checks = former.as_ref().filter(|_| !fresh).map(|former| former.world.by_checks.clone());
        let checkout = if fresh {
            let (made, lacks) = self.make(lane, &main, tip)?;
            // A checkout that was set up is opened once more.
            reports.extend(self.main.say_once(lacks.into_iter().collect()));
            made
        } else {
            match self.find(lane, &main)? {
                Some(found) => found,
                // What it began with is not known of another checkout: the task begins again.
                None => return Ok(self.lost(lane)),
            }
        };
        if fresh {
            self.bring_issues(lane)?;
        }
        let base = checkout.repository().head()?.commit().unwrap_or(tip).to_string();
        self.enter(lane, checkout, former)?;
        let world = &mut self.checkout(lane)?.world;
        // What checks wrote when the task was worked on before is still there, and still no work.
        world.by_checks = by_checks.unwrap_or_default();
        let look = world.look()?;
        let evidence = world.evidence(&look);
        let name = world.name(turn, Side::Before);
        let snapshot = world.keep_look(&look.inventory, &name)?.map(|kept| kept.id);
        world.latest = Some(Look { snapshot: snapshot.clone(), ..look });
        reports.push(Report::from(report::LaneOpened { lane, base, evidence, snapshot }));
        Ok(reports)
    }

    /// Issues are in no commit that a checkout could begin with: it gets its own copy of what was read of them.
    fn bring_issues(&self, lane: LaneId) -> Result<(), WorkError> {
        let (main, places) = (self.repository()?, tasks::of(&self.main.plan));
        let Some(places) = places.filter(|places| places.issues.is_some()) else { return Ok(()) };
        let Some(plan) = plan_in(&self.main.plan, Some(&main), lane) else { return Ok(()) };
        let kept = self.main.folder.read_issues().map_err(|error| WorkError::new(&error))?;
        Ok(put_issues(&plan.directory, &places.file, &kept)?)
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
    ) -> Result<(Lane, Option<String>), WorkError> {
        let Some(lanes) = &self.main.plan.lanes else {
            return Err(WorkError::of(StopReason::Internal, &"this run has no lanes"));
        };
        let opened = Lane::open(main, &home(&lanes.folder, lane), tip)?;
        let copied = lanes.bootstrap.as_ref().map(|plan| copy_included(&main.top, opened.top(), plan));
        let may_be_work =
            copied.as_ref().is_some_and(|copied| copied.as_ref().map_or(true, holds_more_than_ours));
        if may_be_work {
            leave_work_out(&opened, tip)?;
        }
        let lacks = copied
            .and_then(Result::err)
            .map(|error| format!("lane {lane} lacks what .worktreeinclude names: {error}"));
        Ok((opened, lacks))
    }

    /// From now on the lane's effects take place there. What is known of the files that its `former` task left is still true
    /// of those that are the same.
    fn enter(&mut self, lane: LaneId, checkout: Lane, former: Option<Checkout>) -> Result<(), WorkError> {
        let Some(plan) = plan_in(&self.main.plan, self.main.surveyor.place().repository.as_ref(), lane)
        else {
            return Err(WorkError::of(StopReason::Internal, &"this run has no lanes"));
        };
        let repository = checkout.repository().clone();
        let format = repository.object_format;
        let place = Place::new(&plan.directory, Some(repository));
        let identity = identity(checkout.top());
        let is_same = |former: &Checkout| {
            identity.is_some() && former.identity == identity && *former.world.surveyor.place() == place
        };
        let (surveyor, store) = match former.filter(is_same) {
            Some(Checkout { world: WorkingTree { surveyor, snapshots: Some(store), .. }, .. }) => {
                (surveyor, store)
            }
            _ => (Surveyor::new(place), Store::open(self.project.path(), format)?),
        };
        let (folder, path) = (self.main.folder.clone(), self.main.guard.search_path());
        let mut world = WorkingTree::new(Arc::new(plan), folder, surveyor, Some(store), path);
        world.said = Arc::clone(&self.main.said);
        self.lanes.insert(lane, Checkout { world, lane: checkout, identity });
        Ok(())
    }

    /// A lane's checkout where nothing of its files is needed, whether they are there or not.
    pub(super) fn expect(&mut self, lane: LaneId) -> Result<&mut Checkout, WorkError> {
        if !self.is_usable(lane)?
            && let Some(lanes) = &self.main.plan.lanes
        {
            let expected = Lane::expected_at(&self.repository()?, &home(&lanes.folder, lane));
            self.enter(lane, expected, None)?;
        }
        self.checkout(lane)
    }

    /// A lane's checkout, which was entered before.
    pub(super) fn checkout(&mut self, lane: LaneId) -> Result<&mut Checkout, WorkError> {
        self.lanes.get_mut(&lane).ok_or_else(|| WorkError::of(StopReason::Internal, &"a lane is gone"))
    }
}

/// What comes of a checkout that could not be made, of a repository that is whole.
fn unfilled(lane: LaneId, error: WorkError) -> Worked {
    if error.stop_reason == StopReason::Internal || error.cause == Cause::BrokenRepository {
        return Ok(vec![Report::from(report::LaneLost::unfilled(lane, error.detail))]);
    }
    Err(error)
}

/// Is a task taken up, and not gone on with?
fn is_fresh(context: &OrderContext) -> bool {
    context.task().is_none_or(|at| at.fresh)
}

/// Would it be the same in a checkout made anew?
const fn is_of_another_cause(error: &WorkError) -> bool {
    matches!(error.stop_reason, StopReason::DiskFull | StopReason::NeedsHuman)
        && !matches!(error.cause, Cause::Root)
}

fn identity(folder: &Path) -> Option<Identity> {
    let found = at(folder).look().ok()??;
    Some((found.device, found.inode))
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
        at(checkout.top()).join(as_path(path)).remove_file()?;
    }
    Ok(())
}
