//! What keepers say, and the clocks of what runs below them.

use windlass_agents::settle_denials;
use windlass_core::environment::{Heir, hint};
use windlass_core::report::{
    Broken, CallDue, CallSpawned, CheckFinished, Failed, HookFinished, LaneLost, LaneOpened, Report,
    StatusChanged,
};
use windlass_core::run::{Epoch, Reported};
use windlass_core::values::{
    CallReport, CheckOutcome, CheckStage, Class, Cost, Cut, Ended, LaneId, StopReason,
};
use windlass_host::environment::withheld_from;
use windlass_host::file::{is_disk_full, want_of_room};
use windlass_host::process::{Keeper, KeeperEvent, ProcessError, adopt_and_kill};

use super::event::Event;
use super::lane::{Ending, Live};
use super::live_hook::not_started;
use super::prepare::read_end;
use super::{LocalLanes, keeper_gone};
use crate::executor::EngineError;

/// How much of what a check printed is looked through for the names of variables, in bytes.
const SAID: u64 = 64 * 1024;

impl LocalLanes {
    pub(super) fn event(&mut self, event: Event) -> Result<(), EngineError> {
        match event {
            Event::Stirred => {}
            Event::Worked(order, Ok(reports)) => {
                for report in reports {
                    self.worked(order, report)?;
                }
            }
            Event::Worked(order, Err(error)) => self.broken(order, error),
            Event::StatusSeen(lane, standing) => {
                let order = self.epoch_of(lane);
                self.report(order, StatusChanged { lane, standing });
            }
            Event::LogFailed(error) if is_disk_full(&error) => {
                let detail = format!("{}: what the agent prints cannot be kept", want_of_room(&error).0);
                self.unasked(Failed { stop_reason: StopReason::DiskFull, detail });
            }
            Event::LogFailed(error) => self.notice(format!("the agent's output is not kept: {error}")),
            Event::Keeper(lane, event) => self.keeper_event(lane, event)?,
        }
        Ok(())
    }

    fn worked(&mut self, order: Epoch, report: Report) -> Result<(), EngineError> {
        match report {
            Report::LaneOpened(LaneOpened { lane, .. }) if self.wants_setup(lane) => self.begin_setup(lane),
            report => {
                self.report(order, report);
                Ok(())
            }
        }
    }

    /// The order that what runs in a lane answers.
    fn epoch_of(&self, lane: LaneId) -> Epoch {
        self.lanes.get(&lane).map(|held| held.epoch).unwrap_or_default()
    }

    fn keeper_event(&mut self, lane: LaneId, event: KeeperEvent) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        let Some(held) = self.lanes.get_mut(&lane) else {
            return Ok(());
        };
        let epoch = held.epoch;
        match event {
            KeeperEvent::Spawned { id, pid } if held.id == Some(id) => {
                match &mut held.live {
                    Live::Call(live) => {
                        let spawned = CallSpawned { lane, call: live.call, pid: pid.unsigned_abs() };
                        self.report(epoch, spawned);
                    }
                    Live::Hook(live) => live.timed.begin(now),
                    _ => {}
                }
                Ok(())
            }
            KeeperEvent::SpawnFailed { id, fault } if held.id == Some(id) => {
                let live = held.take();
                self.not_spawned(lane, epoch, live, fault.to_string())
            }
            KeeperEvent::Exited { id, ended } => {
                if held.id == Some(id) {
                    held.exited(ended);
                }
                Ok(())
            }
            KeeperEvent::TreeGone { left } => {
                if !left.is_empty() {
                    self.notice(format!("{} processes could not be killed: {left:?}", left.len()));
                }
                self.lane_cleared(lane, None)
            }
            KeeperEvent::Awakened => {
                self.notice("somebody had stopped this process (SIGSTOP); it goes on".to_owned());
                Ok(())
            }
            KeeperEvent::Silenced => {
                let detail =
                    format!("this process stood still for too long, and what ran in lane {lane} was ended");
                self.report(epoch, Broken { stop_reason: StopReason::NeedsHuman, detail });
                Ok(())
            }
            KeeperEvent::Died => {
                held.keeper_died();
                let _ = adopt_and_kill();
                self.lane_cleared(lane, Some("the process that keeps watch over the agent was killed"))
            }
            KeeperEvent::Spawned { .. } | KeeperEvent::SpawnFailed { .. } => Ok(()),
        }
    }

    fn not_spawned(
        &mut self,
        lane: LaneId,
        epoch: Epoch,
        live: Live,
        detail: String,
    ) -> Result<(), EngineError> {
        match live {
            Live::Call(live) => {
                let call = live.call;
                drop(live);
                let gone = self.is_missing(lane);
                let report = if gone { not_set_up() } else { never_started(detail) };
                self.call_ended(epoch, lane, call, report);
            }
            Live::Check(mut check) => {
                check.timed.exited(Ended::Lost);
                let stage = check.stage;
                let outcome = check.outcome(self.clock.monotonic());
                self.check_ended(epoch, lane, stage, outcome);
            }
            Live::Hook(live) => {
                let hook = live.hook;
                live.abandon();
                self.report(epoch, HookFinished { lane, hook, outcome: not_started(&detail) });
            }
            Live::Setup(setup) => return self.setup_ended(lane, setup.not_started(detail)),
            Live::Nothing | Live::Clearing(_) => {}
        }
        Ok(())
    }

    /// Nothing is left below a lane's keeper.
    fn lane_cleared(&mut self, lane: LaneId, lost: Option<&str>) -> Result<(), EngineError> {
        self.sandboxes.end(lane);
        self.tell_of_sandbox();
        self.swept(lane, lost)?;
        self.begin_waiting_hook(lane)
    }

    /// What ran in a lane is over, and nothing of it is left.
    fn swept(&mut self, lane: LaneId, lost: Option<&str>) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        let epoch = self.epoch_of(lane);
        match self.lanes.get_mut(&lane).and_then(|held| held.swept(now)) {
            None => {}
            Some(Ending::Check(stage, outcome)) => self.check_ended(epoch, lane, stage, outcome),
            Some(Ending::Setup(ended)) => return self.setup_ended(lane, ended),
            Some(Ending::Hook(hook, outcome)) => self.report(epoch, HookFinished { lane, hook, outcome }),
            Some(Ending::Call(call, mut report)) => {
                settle_denials(&mut report.denials, &self.plan_in(lane), self.folder.state());
                if let Some(why) = lost {
                    report.lost_with_its_keeper(why);
                }
                self.call_ended(epoch, lane, call, *report);
            }
        }
        Ok(())
    }

    /// What a check says of files that somebody has removed is said of nothing.
    fn check_ended(&mut self, epoch: Epoch, lane: LaneId, stage: CheckStage, outcome: CheckOutcome) {
        if stage != CheckStage::Baseline && self.is_missing(lane) {
            self.report(epoch, LaneLost::removed(lane));
            return;
        }
        let hint = self.hint_of_environment(stage, &outcome);
        self.report(epoch, CheckFinished { lane, stage, outcome });
        if let Some(hint) = hint {
            self.notice(hint);
        }
    }

    /// A check that fails before anything was done may want a variable that it does not get.
    fn hint_of_environment(&self, stage: CheckStage, outcome: &CheckOutcome) -> Option<String> {
        if stage != CheckStage::Baseline || outcome.passed() {
            return None;
        }
        let command = &self.plan.checks.get(usize::from(outcome.check))?.command;
        let said = read_end(&self.folder.path().join(&outcome.log), SAID).unwrap_or_default();
        let withheld = withheld_from(&self.environment, &Heir::check(&self.plan));
        hint(&withheld, command, &String::from_utf8_lossy(&said))
    }

    pub(super) fn poll_lanes(&mut self) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        for (lane, held) in &mut self.lanes {
            match held.poll(now) {
                Ok(Some(cut)) => {
                    if let Live::Call(live) = &held.live {
                        let due = CallDue { lane: *lane, call: live.call, cut };
                        self.reports.push(Reported::of(held.epoch, due));
                    }
                }
                Ok(None) => {}
                Err(error) => keeper_gone(error)?,
            }
        }
        Ok(())
    }

    pub(super) fn each_keeper(
        &self,
        tell: fn(&Keeper) -> Result<(), ProcessError>,
    ) -> Result<(), EngineError> {
        for keeper in self.lanes.values().filter_map(|held| held.keeper.as_ref()) {
            tell(keeper).or_else(keeper_gone)?;
        }
        Ok(())
    }
}

/// The report of a call whose files could not be opened. The agent is not to blame: a resumed run tries it again.
pub(super) fn not_set_up() -> CallReport {
    CallReport { class: Class::Interrupted, cut: Some(Cut::Stop), ..never_started(String::new()) }
}

/// The report of an agent that could not be started. It cost nothing.
fn never_started(detail: String) -> CallReport {
    CallReport { class: Class::Config, detail, cost: Some(Cost::ZERO), ..CallReport::default() }
}
