//! Beginning what runs below a lane's keeper: calls and checks; and ending calls.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::sync::Arc;

use windlass_agents::of;
use windlass_core::environment::Heir;
use windlass_core::report::{CallEnded, CheckFinished, LaneLost};
use windlass_core::run::{Effect, EndCall, Epoch, Order};
use windlass_core::spec::{PortPlace, RunSpec};
use windlass_core::values::{CallId, CallReport, CheckStage, Cut, LaneId};
use windlass_host::environment::{inherited, with};
use windlass_host::process::{Keeper, SpawnRequest};

use super::call::{CallError, CallSetting, LiveCall};
use super::check::{CheckSetting, LiveCheck};
use super::event::Event;
use super::keepers::not_set_up;
use super::lane::{Live, LiveLane};
use super::lookup;
use super::work::WorkError;
use super::{LocalLanes, keeper_gone, prepare, standing, working_trees};
use crate::executor::EngineError;
use crate::sandbox::Guest;
use crate::watch::FileWatch;
use crate::worktree::Worktree;
use crate::worktree::bootstrap::variables;

impl LocalLanes {
    pub(super) fn begin_call(&mut self, order: &Order) -> Result<(), EngineError> {
        let (Effect::Call { lane, call, turn, purpose, agent, budget }, Some(clocks)) =
            (&order.effect, &order.context.clocks)
        else {
            return Err(EngineError::Broken);
        };
        let (lane, call, epoch) = (*lane, *call, order.epoch);
        let plan = self.plan_in(lane).of_call(*purpose, *agent);
        let heir = Heir::agent(&plan, &of(&plan.agent).about().variables.inherited);
        let environment = inherited(self.environment_of(lane), &heir);
        if self.is_missing(lane) {
            // What follows the call finds out, and has the task begun again.
            self.call_ended(epoch, lane, call, not_set_up());
            return Ok(());
        }
        if let Err(error) = self.lock_in(lane) {
            self.call_not_set_up(epoch, lane, call, error);
            return Ok(());
        }
        let plan = match self.without_untrusted(lane, plan) {
            Ok(plan) => plan,
            Err(error) => {
                self.call_not_set_up(epoch, lane, call, error);
                return Ok(());
            }
        };
        let setting = CallSetting {
            program: &self.program,
            plan: &plan,
            folder: self.folder.call(turn.iteration, turn.attempt, *purpose),
            settings: self.folder.settings_of(lane),
            sandbox: self.sandboxes.of_lane(lane),
            lane,
            call,
            purpose: *purpose,
            budget: *budget,
            clocks: clocks.clone(),
            environment: &environment,
            clock: Arc::clone(&self.clock),
            audience: Arc::clone(&self.audience),
            events: self.events.clone(),
        };
        let (mut live, request) = match LiveCall::set_up(setting) {
            Ok(set_up) => set_up,
            Err(error @ (CallError::Store(_) | CallError::Sandbox(_))) => {
                self.call_not_set_up(epoch, lane, call, WorkError::new(&error));
                return Ok(());
            }
            Err(CallError::Process(error)) => return Err(error.into()),
        };
        live.status = self.watch_status(lane, &plan);
        self.spawn(lane, epoch, Live::Call(live), request)
    }

    /// Hands what is to run to the lane's keeper.
    pub(super) fn spawn(
        &mut self,
        lane: LaneId,
        epoch: Epoch,
        live: Live,
        request: SpawnRequest,
    ) -> Result<(), EngineError> {
        let held = self.lane(lane)?;
        held.live = live;
        held.sweeping = false;
        held.epoch = epoch;
        held.id = Some(request.id);
        Ok(held.keeper.as_ref().map_or(Ok(()), |keeper| keeper.spawn(request)).or_else(keeper_gone)?)
    }

    /// The plan for a call, without the repository's settings where they would start what nobody has trusted.
    fn without_untrusted(&mut self, lane: LaneId, plan: Arc<RunSpec>) -> Result<Arc<RunSpec>, WorkError> {
        let place = working_trees::place_in(&self.plan, self.repository.as_ref(), lane);
        let Some(left_out) = self.starters.left_out(&plan, &place) else { return Ok(plan) };
        let mut plan = RunSpec::clone(&plan);
        plan.agent.repository_settings = left_out.settings;
        prepare::write_settings(&plan, &self.folder, lane)?;
        if let Some(notice) = left_out.notice {
            self.notice(notice);
        }
        Ok(Arc::new(plan))
    }

    pub(super) fn call_ended(&mut self, epoch: Epoch, lane: LaneId, call: CallId, report: CallReport) {
        self.report(epoch, CallEnded { lane, call, report: Box::new(report) });
    }

    /// Nobody else will say that it is over, and until then the run could not end.
    fn call_not_set_up(&mut self, epoch: Epoch, lane: LaneId, call: CallId, error: WorkError) {
        self.broken(epoch, error);
        self.call_ended(epoch, lane, call, not_set_up());
    }

    /// Watches the job's own file. Where that cannot be, it is said once: the file is read after each call all the same.
    fn watch_status(&mut self, lane: LaneId, plan: &RunSpec) -> Option<FileWatch> {
        match standing::watch(plan, lane, self.events.clone()) {
            Ok(watch) => return watch,
            Err(_) if self.unwatched => {}
            Err(error) => {
                self.unwatched = true;
                self.notice(format!(
                    "the job's own file is not watched, and read after each call only: {error}"
                ));
            }
        }
        None
    }

    /// The plan as it is for a lane: one with a checkout of its own works there.
    pub(super) fn plan_in(&self, lane: LaneId) -> Arc<RunSpec> {
        let own = working_trees::plan_in(&self.plan, self.repository.as_ref(), lane);
        own.map_or_else(|| Arc::clone(&self.plan), Arc::new)
    }

    /// Has somebody removed the lane's own checkout?
    pub(super) fn is_missing(&self, lane: LaneId) -> bool {
        working_trees::is_missing(&self.plan, self.repository.as_ref(), lane)
    }

    /// What is started in a lane is told which one it is in, and which ports are its own.
    pub(super) fn environment_of(&self, lane: LaneId) -> Vec<(OsString, OsString)> {
        let environment = self.environment.clone();
        let lanes = self.plan.lanes.as_ref().and_then(|lanes| lanes.bootstrap.clone());
        if let Some(bootstrap) = lanes.filter(|_| lane != LaneId::default()) {
            let checkout = self.repository.as_ref().and_then(Worktree::at).map_or(0, |tree| tree.checkout());
            let told = variables(bootstrap.ports, PortPlace { checkout, lane: u32::from(lane.0) });
            return with(environment, told);
        }
        environment
    }

    pub(super) fn begin_check(&mut self, order: &Order) -> Result<(), EngineError> {
        let Effect::RunCheck { lane, stage, check, turn } = order.effect else {
            return Err(EngineError::Broken);
        };
        let plan = self.plan_in(lane);
        let environment = inherited(self.environment_of(lane), &Heir::check(&plan));
        if stage != CheckStage::Baseline && self.is_missing(lane) {
            self.report(order.epoch, LaneLost::removed(lane));
            return Ok(());
        }
        let place = working_trees::place_in(&self.plan, self.repository.as_ref(), lane);
        let setting = CheckSetting {
            plan: &plan,
            folder: &self.folder.clone(),
            place: &place,
            stage,
            check,
            turn,
            environment: &environment,
            id: self.next_command(),
            now: self.clock.monotonic(),
        };
        let set_up = match lookup::outcome(&setting) {
            Ok(Some(outcome)) => {
                self.report(order.epoch, CheckFinished { lane, stage, outcome });
                return Ok(());
            }
            Ok(None) => self.set_up_check(lane, setting),
            Err(error) => Err(error.into()),
        };
        match set_up {
            Ok(Some((live, request))) => self.spawn(lane, order.epoch, Live::Check(live), request),
            Ok(None) => Err(EngineError::Broken),
            Err(error) => {
                self.broken(order.epoch, error);
                Ok(())
            }
        }
    }

    /// The check with its command as it is inside the lane's sandbox; `None` when there is no such check.
    fn set_up_check(
        &mut self,
        lane: LaneId,
        setting: CheckSetting<'_>,
    ) -> Result<Option<(LiveCheck, SpawnRequest)>, WorkError> {
        let Some((live, request)) = LiveCheck::set_up(setting)? else { return Ok(None) };
        Ok(Some((live, self.locked_in(lane, setting.plan, request)?)))
    }

    /// A command's request as it is inside the lane's sandbox.
    pub(super) fn locked_in(
        &mut self,
        lane: LaneId,
        plan: &RunSpec,
        request: SpawnRequest,
    ) -> Result<SpawnRequest, WorkError> {
        self.lock_in(lane)?;
        let guest = Guest::Command { variables: &plan.environment };
        Ok(self.sandboxes.of_lane(lane).enter(guest, request)?)
    }

    pub(super) fn end_call(&mut self, lane: LaneId, how: EndCall, cut: Cut) -> Result<(), EngineError> {
        let Some(held) = self.lanes.get(&lane) else {
            return Ok(());
        };
        if let Live::Call(live) = &held.live {
            live.cut(cut);
        }
        let (Some(keeper), Some(id)) = (&held.keeper, held.id) else {
            return Ok(());
        };
        let sent = match how {
            EndCall::Ask => keeper.terminate(id),
            EndCall::Kill => keeper.kill_tree(),
        };
        Ok(sent.or_else(keeper_gone)?)
    }

    /// A lane with a living keeper, which keeps the run's lock for as long as it lives.
    pub(super) fn lane(&mut self, lane: LaneId) -> Result<&mut LiveLane, EngineError> {
        let held = self.lanes.entry(lane).or_default();
        if held.keeper.is_none() {
            let events = self.events.clone();
            let keeper = Keeper::start(&self.program, move |event| {
                events.tell(Event::Keeper(lane, event));
            })?;
            keeper.keep_awake()?;
            keeper.hold(&self.lock.iter().map(AsFd::as_fd).collect::<Vec<_>>())?;
            if let Some(rites) = self.sandboxes.of_run().last_rites() {
                keeper.set_last_rites(&rites)?;
            }
            if let Some(pacemaker) = &self.pacemaker {
                pacemaker.begin(lane, &keeper)?;
            }
            held.keeper = Some(keeper);
        }
        Ok(held)
    }
}
