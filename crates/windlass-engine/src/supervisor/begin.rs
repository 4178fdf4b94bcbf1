//! Beginning effects: what the core has decided and not yet seen done.

use std::ffi::OsString;
use std::sync::Arc;

use windlass_agents::of;
use windlass_core::environment::Heir;
use windlass_core::report::{self, Report};
use windlass_core::run::{Effect, EndCall, Input, LaneState, Order, TurnKey};
use windlass_core::spec::{PortPlace, RunSpec};
use windlass_core::values::{CallId, CheckStage, Cost, Cut, LaneId, Purpose};

use super::call::{CallError, CallSetting, LiveCall};
use super::check::{CheckSetting, LiveCheck};
use super::event::{Event, WorkError};
use super::lane::{Live, LiveLane};
use super::react::not_set_up;

use super::{EngineError, Supervisor, keeper_gone, lanes, prepare, standing};
use crate::sandbox::Guest;
use crate::store::CallFolder;
use crate::watch::FileWatch;
use crate::worktree::Worktree;
use crate::worktree::bootstrap::variables;
use windlass_host::environment::inherited;
use windlass_host::process::Keeper;

impl Supervisor {
    /// Facts first, then their effects: what leaves a trace waits until the journal is on the disk.
    pub(super) fn begin_outstanding(&mut self) -> Result<(), EngineError> {
        for order in self.orders.due(&self.run, self.clock.now()).orders {
            if order.effect.needs_journal() {
                self.sync()?;
            }
            self.begin(order)?;
        }
        Ok(())
    }

    pub(super) fn begin(&mut self, order: Order) -> Result<(), EngineError> {
        match &order.effect {
            Effect::Call { lane, call, turn, purpose, budget } => {
                let folder = self.folder.call(turn.iteration, turn.attempt, *purpose);
                self.begin_call(*lane, *call, *purpose, folder, *budget)
            }
            Effect::RunCheck { lane, stage, check, turn } => self.begin_check(*lane, *stage, *check, *turn),
            Effect::RunHook { lane, hook, iteration, .. } => self.begin_hook(*lane, *hook, *iteration),
            Effect::EndCall { lane, how, .. } => self.end_call(*lane, *how),
            Effect::Announce => self.announce(),
            _ => self.worker.carry_out(order),
        }
    }

    fn begin_call(
        &mut self,
        lane: LaneId,
        call: CallId,
        purpose: Purpose,
        folder: CallFolder,
        budget: Option<Cost>,
    ) -> Result<(), EngineError> {
        let now = self.clock.now();
        let (Some(plan), Some(clocks)) = (self.plan_in(lane), self.run.call_clocks(now)) else {
            return Err(EngineError::Broken);
        };
        let environment = inherited(
            self.environment_of(lane),
            &Heir::agent(&plan, &of(&plan.agent).about().variables.inherited),
        );
        if self.is_missing(lane) {
            // What follows the call finds out, and has the task begun again.
            let report = Box::new(not_set_up());
            return self.take(Input::from(report::CallEnded { lane, call, report }));
        }
        if let Err(error) = self.wall_in(lane) {
            self.call_not_set_up(lane, call, error);
            return Ok(());
        }
        let plan = match self.without_untrusted(lane, plan) {
            Ok(plan) => plan,
            Err(error) => {
                self.call_not_set_up(lane, call, error);
                return Ok(());
            }
        };
        let setting = CallSetting {
            plan: &plan,
            folder,
            settings: self.folder.settings_of(lane),
            sandbox: self.walls.of_lane(lane),
            lane,
            call,
            purpose,
            budget,
            clocks,
            environment: &environment,
            clock: Arc::clone(&self.clock),
            audience: Arc::clone(&self.audience),
            events: self.events.clone(),
        };
        let (mut live, request) = match LiveCall::set_up(setting) {
            Ok(set_up) => set_up,
            Err(error @ (CallError::Store(_) | CallError::Sandbox(_))) => {
                self.call_not_set_up(lane, call, WorkError::new(error.is_disk_full(), &error));
                return Ok(());
            }
            Err(CallError::Process(error)) => return Err(error.into()),
        };
        live.status = self.watch_status(lane, &plan)?;
        let id = request.id;
        let held = self.lane(lane)?;
        held.live = Live::Call(live);
        held.id = Some(id);
        held.keeper.as_ref().map_or(Ok(()), |keeper| keeper.spawn(request)).or_else(keeper_gone)?;
        Ok(())
    }

    /// The plan for a call, without the repository's settings where they would start what nobody has trusted.
    fn without_untrusted(&mut self, lane: LaneId, plan: Arc<RunSpec>) -> Result<Arc<RunSpec>, WorkError> {
        let Some(common) = self.run.plan() else { return Ok(plan) };
        let place = lanes::place_in(common, self.repository.as_ref(), lane);
        let Some(left_out) = self.starters.left_out(&plan, &place) else { return Ok(plan) };
        let mut plan = RunSpec::clone(&plan);
        plan.agent.repository_settings = left_out.settings;
        prepare::write_settings(&plan, &self.folder, lane)?;
        if let Some(notice) = left_out.notice {
            // Said with what the worker says next; nothing waits for it.
            let _ = self.events.send(Event::Worked(Report::notice(notice)));
        }
        Ok(Arc::new(plan))
    }

    /// Nobody else will say that it is over, and until then the run could not end.
    fn call_not_set_up(&self, lane: LaneId, call: CallId, error: WorkError) {
        let _ = self.events.send(Event::WorkFailed(error));
        let report = Box::new(not_set_up());
        let _ = self.events.send(Event::Worked(report::CallEnded { lane, call, report }.into()));
    }

    /// Watches the job's own file. Where that cannot be, it is said once: the file is read after each call all the same.
    fn watch_status(&mut self, lane: LaneId, plan: &RunSpec) -> Result<Option<FileWatch>, EngineError> {
        match standing::watch(plan, lane, self.events.clone()) {
            Ok(watch) => Ok(watch),
            Err(_) if self.unwatched => Ok(None),
            Err(error) => {
                self.unwatched = true;
                let text =
                    format!("the job's own file is not watched, and read after each call only: {error}");
                self.take(Input::notice(text))?;
                Ok(None)
            }
        }
    }

    /// The plan as it is for a lane: one with a checkout of its own works there.
    pub(super) fn plan_in(&self, lane: LaneId) -> Option<Arc<RunSpec>> {
        let plan = self.run.plan()?;
        let own = lanes::plan_in(plan, self.repository.as_ref(), lane);
        Some(own.map_or_else(|| Arc::clone(plan), Arc::new))
    }

    /// Has somebody removed the lane's own checkout?
    pub(super) fn is_missing(&self, lane: LaneId) -> bool {
        self.run.plan().is_some_and(|plan| lanes::is_missing(plan, self.repository.as_ref(), lane))
    }

    /// What is started in a lane is told which one it is in, and which ports are its own.
    pub(super) fn environment_of(&self, lane: LaneId) -> Vec<(OsString, OsString)> {
        let mut environment = self.environment.clone();
        let lanes = self.run.plan().and_then(|plan| plan.lanes.as_ref()?.bootstrap.clone());
        if let Some(bootstrap) = lanes.filter(|_| lane != LaneId::default()) {
            let checkout = self.repository.as_ref().and_then(Worktree::at).map_or(0, |tree| tree.checkout());
            let told = variables(bootstrap.ports, PortPlace { checkout, lane: u32::from(lane.0) });
            environment.retain(|(name, _)| told.iter().all(|(one, _)| one != name));
            environment.extend(told);
        }
        environment
    }

    fn begin_check(
        &mut self,
        lane: LaneId,
        stage: CheckStage,
        check: u16,
        turn: Option<TurnKey>,
    ) -> Result<(), EngineError> {
        let Some(plan) = self.plan_in(lane) else {
            return Err(EngineError::Broken);
        };
        let environment = inherited(self.environment_of(lane), &Heir::check(&plan));
        if stage != CheckStage::Baseline && self.is_missing(lane) {
            return self.take(Input::from(report::LaneLost { lane }));
        }
        self.checks_run += 1;
        let id = self.checks_run * 2 + 1;
        let setting = CheckSetting {
            plan: &plan,
            folder: &self.folder,
            stage,
            check,
            turn,
            environment: &environment,
            id,
            began: self.clock.monotonic(),
        };
        let (live, request) = match LiveCheck::set_up(setting) {
            Ok(Some(set_up)) => set_up,
            Ok(None) => return Err(EngineError::Broken),
            Err(error) => {
                self.fail(error.is_disk_full(), &error.to_string());
                return Ok(());
            }
        };
        if let Err(error) = self.wall_in(lane) {
            let _ = self.events.send(Event::WorkFailed(error));
            return Ok(());
        }
        let guest = Guest::Command { variables: &plan.environment };
        let request = match self.walls.of_lane(lane).enter(guest, request) {
            Ok(request) => request,
            Err(error) => {
                self.fail(error.is_disk_full(), &error.to_string());
                return Ok(());
            }
        };
        let held = self.lane(lane)?;
        held.live = Live::Check(live);
        held.id = Some(id);
        held.keeper.as_ref().map_or(Ok(()), |keeper| keeper.spawn(request)).or_else(keeper_gone)?;
        Ok(())
    }

    fn end_call(&mut self, lane: LaneId, how: EndCall) -> Result<(), EngineError> {
        let cut = match self.run.lane(lane) {
            Some(LaneState::Terminating(_, _, termination)) => termination.cut,
            _ => Cut::Stop,
        };
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
                let _ = events.send(Event::Keeper(lane, event));
            })?;
            if let Some(lock) = &self.lock {
                keeper.hold(&lock.descriptors())?;
            }
            if let Some(rites) = self.walls.of_run().last_rites() {
                keeper.set_last_rites(&rites)?;
            }
            held.keeper = Some(keeper);
        }
        Ok(held)
    }
}
