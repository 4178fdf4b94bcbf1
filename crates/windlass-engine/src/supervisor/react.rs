//! What happens outside the loop: keepers, signals, the worker's answers, clocks that run out.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use windlass_agents::close_own_files;
use windlass_core::environment::{Heir, hint};
use windlass_core::report::{self, LaneOpened, Report};
use windlass_core::run::{Input, LaneState};
use windlass_core::values::{
    Bill, CallReport, CheckOutcome, CheckStage, Class, Cost, Cut, Ended, LaneId, StopReason, StopSource,
    Tokens,
};

use super::event::{Event, WorkError};
use super::hook::not_started;
use super::lane::{Ending, Live};
use super::prepare::read_end;
use super::{EngineError, Supervisor, keeper_gone};
use windlass_host::environment::withheld_from;
use windlass_host::process::signals;
use windlass_host::process::signals::Signal;
use windlass_host::process::{CommandSignal, KeeperEvent, adopt_and_kill, signal_commands};

/// How much of what a check printed is looked through for the names of variables, in bytes.
const SAID: u64 = 64 * 1024;

impl Supervisor {
    pub(super) fn event(&mut self, event: Event) -> Result<(), EngineError> {
        match event {
            Event::Stirred => Ok(()),
            Event::Worked(Report::LaneOpened(LaneOpened { lane, .. })) if self.wants_setup(lane) => {
                self.begin_setup(lane)
            }
            Event::Worked(report) => self.take(report.into()),
            // Whatever failed, this is why.
            Event::WorkFailed(_) | Event::LogFailed(_) if !self.journal.is_in_place() => self.record_lost(),
            Event::WorkFailed(WorkError { stop_reason, detail }) => {
                if stop_reason == StopReason::DiskFull {
                    self.release_reserve()?;
                }
                self.take(Input::from(report::Broken { stop_reason, detail }))
            }
            Event::StatusSeen(lane, standing) => {
                self.take(Input::from(report::StatusChanged { lane, standing }))
            }
            Event::LogFailed(error) if error.kind() == ErrorKind::StorageFull => {
                self.release_reserve()?;
                let detail = "the disk is full: what the agent prints cannot be kept".to_owned();
                self.take(Input::from(report::Failed { stop_reason: StopReason::DiskFull, detail }))
            }
            Event::LogFailed(error) => {
                self.take(Input::notice(format!("the agent's output is not kept: {error}")))
            }
            Event::Signal(signal) => self.signal(signal),
            Event::Keeper(lane, event) => self.keeper_event(lane, event),
        }
    }

    fn keeper_event(&mut self, lane: LaneId, event: KeeperEvent) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        let Some(held) = self.lanes.get_mut(&lane) else {
            return Ok(());
        };
        match event {
            KeeperEvent::Spawned { id, pid } if held.id == Some(id) => {
                if let Live::Call(live) = &held.live {
                    let call = live.call;
                    return self.take(Input::from(report::CallSpawned {
                        lane,
                        call,
                        pid: pid.unsigned_abs(),
                    }));
                }
                if let Live::Hook(live) = &mut held.live {
                    live.began(now);
                }
                Ok(())
            }
            KeeperEvent::SpawnFailed { id, fault } if held.id == Some(id) => {
                let detail = fault.to_string();
                match std::mem::take(&mut held.live) {
                    Live::Call(live) => {
                        let call = live.call;
                        drop(live);
                        let gone = self.is_missing(lane);
                        let report = Box::new(if gone { not_set_up() } else { never_started(detail) });
                        self.take(Input::from(report::CallEnded { lane, call, report }))
                    }
                    Live::Check(mut check) => {
                        check.exited(Ended::Lost);
                        let stage = check.stage;
                        let outcome = check.outcome(now);
                        self.check_ended(lane, stage, outcome)
                    }
                    Live::Hook(live) => {
                        let hook = live.hook;
                        live.abandon();
                        self.take(Input::from(report::HookFinished {
                            lane,
                            hook,
                            outcome: not_started(&detail),
                        }))
                    }
                    Live::Setup(setup) => self.setup_ended(lane, setup.not_started(detail)),
                    Live::Nothing | Live::Clearing(..) => Ok(()),
                }
            }
            KeeperEvent::Exited { id, ended } => {
                if held.id == Some(id) {
                    held.exited(ended);
                }
                Ok(())
            }
            KeeperEvent::TreeGone { left } => {
                if !left.is_empty() {
                    let text = format!("{} processes could not be killed: {left:?}", left.len());
                    self.take(Input::notice(text))?;
                }
                self.walls.end(lane);
                self.tell_of_sandbox()?;
                self.swept(lane, None)?;
                self.begin_waiting_hook(lane)
            }
            KeeperEvent::Died => {
                held.keeper_died();
                let _ = adopt_and_kill();
                self.walls.end(lane);
                self.tell_of_sandbox()?;
                self.swept(lane, Some("the process that keeps watch over the agent was killed"))?;
                self.begin_waiting_hook(lane)
            }
            KeeperEvent::Spawned { .. } | KeeperEvent::SpawnFailed { .. } => Ok(()),
        }
    }

    /// What ran in a lane is over, and nothing of it is left.
    fn swept(&mut self, lane: LaneId, lost: Option<&str>) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        let ending = self.lanes.get_mut(&lane).and_then(|held| held.swept(now));
        match ending {
            None => Ok(()),
            Some(Ending::Check(stage, outcome)) => self.check_ended(lane, stage, outcome),
            Some(Ending::Setup(ended)) => self.setup_ended(lane, ended),
            Some(Ending::Hook(hook, outcome)) => {
                self.take(Input::from(report::HookFinished { lane, hook, outcome }))
            }
            Some(Ending::Call(call, mut report)) => {
                if let Some(plan) = self.plan_in(lane) {
                    close_own_files(&mut report.denials, &plan, self.folder.state());
                }
                if let Some(why) = lost {
                    report.lost_with_its_keeper(why);
                }
                self.take(Input::from(report::CallEnded { lane, call, report }))
            }
        }
    }

    /// What a check says of files that somebody has removed is said of nothing.
    fn check_ended(
        &mut self,
        lane: LaneId,
        stage: CheckStage,
        outcome: CheckOutcome,
    ) -> Result<(), EngineError> {
        if stage != CheckStage::Baseline && self.is_missing(lane) {
            return self.take(Input::from(report::LaneLost { lane }));
        }
        let hint = self.hint_of_environment(stage, &outcome);
        self.take(Input::from(report::CheckFinished { lane, stage, outcome }))?;
        hint.map_or(Ok(()), |hint| self.take(Input::notice(hint)))
    }

    /// A check that fails before anything was done may want a variable that it does not get.
    fn hint_of_environment(&self, stage: CheckStage, outcome: &CheckOutcome) -> Option<String> {
        if stage != CheckStage::Baseline || outcome.passed() {
            return None;
        }
        let plan = self.run.plan()?;
        let command = &plan.checks.get(usize::from(outcome.check))?.command;
        let said = read_end(&self.folder.path().join(&outcome.log), SAID).unwrap_or_default();
        let withheld = withheld_from(&self.environment, &Heir::check(plan));
        hint(&withheld, command, &String::from_utf8_lossy(&said))
    }

    pub(super) fn poll_lanes(&mut self) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        let mut due = Vec::new();
        for (lane, held) in &mut self.lanes {
            match held.poll(now) {
                Ok(Some(cut)) => due.push((*lane, cut)),
                Ok(None) => {}
                Err(error) => keeper_gone(error)?,
            }
        }
        for (lane, cut) in due {
            if let Some((_, call)) = self.run.lane(lane).and_then(LaneState::call) {
                self.take(Input::from(report::CallDue { lane, call: call.id, cut }))?;
            }
        }
        Ok(())
    }

    fn signal(&mut self, signal: Signal) -> Result<(), EngineError> {
        self.react_to(signal)?;
        // From the second stage on nothing is waited for that does not end by itself.
        self.told_to_end = Some(Instant::now());
        match self.run.stop().map(|stop| stop.stage) {
            Some(2) => signal_commands(CommandSignal::TERM),
            Some(3..) => signal_commands(CommandSignal::KILL),
            _ => {}
        }
        Ok(())
    }

    fn react_to(&mut self, signal: Signal) -> Result<(), EngineError> {
        if self.run.is_ending() && matches!(signal, Signal::Interrupt | Signal::Terminate) {
            // First the hook of the end, then those who are still told of it.
            return if self.cut_hooks()? { Ok(()) } else { self.stop_announcing() };
        }
        match signal {
            Signal::Interrupt => {
                let least = if self.terminal { 1 } else { 2 };
                self.take(Input::Stop { by: StopSource::Interrupt, least })
            }
            Signal::Terminate => self.take(Input::Stop { by: StopSource::Terminate, least: 2 }),
            Signal::HangUp => {
                self.terminal = false;
                self.take(Input::notice("the terminal is gone; the run goes on without it".to_owned()))
            }
            Signal::Suspend => self.suspend(),
            Signal::Resumed | Signal::WindowChanged => Ok(()),
        }
    }

    /// Ctrl-Z: everything stops, clocks too, until the run is continued.
    fn suspend(&mut self) -> Result<(), EngineError> {
        let keepers = || self.lanes.values().filter_map(|held| held.keeper.as_ref());
        for keeper in keepers() {
            keeper.pause().or_else(keeper_gone)?;
        }
        let stopped = Instant::now();
        signals::suspend_self()?;
        self.clock.was_stopped(stopped.elapsed());
        for keeper in keepers() {
            keeper.resume().or_else(keeper_gone)?;
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
    CallReport {
        class: Class::Config,
        detail,
        ended: Ended::Lost,
        cut: None,
        cost: Some(Cost::ZERO),
        tokens: Tokens::default(),
        bill: Bill::default(),
        results: Vec::new(),
        assessment: None,
        tool_uses: 0,
        denials: Vec::new(),
        limit: None,
        overage: false,
        garbage_lines: 0,
        duration: Duration::ZERO,
    }
}
