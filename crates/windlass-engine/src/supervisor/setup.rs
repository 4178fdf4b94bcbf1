//! The project's setup command in the fresh checkout of a lane: once for each, before its first task.

use std::path::PathBuf;
use std::time::Duration;

use windlass_core::environment::Heir;
use windlass_core::report;
use windlass_core::run::{Effect, Input, LaneState};
use windlass_core::spec::BootstrapSpec;
use windlass_core::values::{Ended, LaneId, StopReason};

use super::event::{Event, WorkError};
use super::lane::Live;
use super::{EngineError, Supervisor, keeper_gone, lanes};
use crate::sandbox::{Guest, SandboxError};
use crate::worktree::bootstrap::{End, SetupAttempt, SetupCommand, SetupError};
use windlass_host::environment::inherited;
use windlass_host::file::{read_beginning, replace};
use windlass_host::process::SpawnRequest;

/// The longest command that is compared, in bytes.
const LONGEST: usize = 1 << 20;

/// A setup command under way.
#[derive(Debug)]
pub(super) struct LiveSetup {
    attempt: SetupAttempt,
    began: Duration,
    end: Option<End>,
    /// Everything below the keeper is being killed; the end follows.
    pub sweeping: bool,
}

impl LiveSetup {
    /// It ended.
    pub fn exited(&mut self, ended: Ended) {
        self.end.get_or_insert(End::Ended(ended));
    }

    /// Has it ended, or has it to be ended now?
    pub fn is_due(&mut self, now: Duration) -> bool {
        if self.end.is_none() && self.left(now).is_zero() {
            self.end = Some(End::TimedOut);
        }
        self.end.is_some()
    }

    /// How much of its time is left.
    pub fn left(&self, now: Duration) -> Duration {
        (self.began + self.attempt.timeout).saturating_sub(now)
    }

    /// How it ended.
    pub fn end(self) -> Result<(), SetupError> {
        self.attempt.end(self.end.unwrap_or(End::Ended(Ended::Lost)))
    }

    /// It could not be started.
    pub fn not_started(self, why: String) -> Result<(), SetupError> {
        self.attempt.end(End::NotStarted(why))
    }
}

impl Supervisor {
    /// Is the lane's checkout fresh, and is there a command that makes it ready?
    pub(super) fn wants_setup(&self, lane: LaneId) -> bool {
        let Some((_, folder, command)) = self.setup_of_lanes() else { return false };
        let file = lanes::set_up_by(&folder, lane);
        // outside: the state folder.
        let by = read_beginning(&file, LONGEST).ok().flatten();
        let opening = matches!(self.run.lane(lane), Some(LaneState::Opening(_)));
        opening && by.as_deref() != Some(command.as_bytes())
    }

    /// The plan for fresh checkouts with the folder of the lanes, and the command.
    fn setup_of_lanes(&self) -> Option<(BootstrapSpec, PathBuf, String)> {
        let lanes = self.run.plan()?.lanes.as_ref()?;
        let bootstrap = lanes.bootstrap.clone()?;
        let command = bootstrap.setup.clone()?;
        Some((bootstrap, lanes.folder.clone(), command))
    }

    /// Runs the command in the lane, locked in as the lane is. What was opened is opened again afterwards: what the
    /// command made is no work.
    pub(super) fn begin_setup(&mut self, lane: LaneId) -> Result<(), EngineError> {
        if self.run.stop().is_some() || self.run.is_ending() {
            // A resume opens it again.
            return Ok(());
        }
        let Some((bootstrap, _, command)) = self.setup_of_lanes() else { return Ok(()) };
        self.take(Input::notice(format!("lane {lane} is being set up: {command}")))?;
        let (attempt, request, id) = match self.prepare_setup(lane, &bootstrap, &command) {
            Ok(prepared) => prepared,
            Err(error) => {
                let _ = self.events.send(Event::WorkFailed(error));
                return Ok(());
            }
        };
        let began = self.clock.monotonic();
        let held = self.lane(lane)?;
        held.live = Live::Setup(LiveSetup { attempt, began, end: None, sweeping: false });
        held.id = Some(id);
        held.keeper.as_ref().map_or(Ok(()), |keeper| keeper.spawn(request)).or_else(keeper_gone)?;
        Ok(())
    }

    fn prepare_setup(
        &mut self,
        lane: LaneId,
        bootstrap: &BootstrapSpec,
        command: &str,
    ) -> Result<(SetupAttempt, SpawnRequest, u64), WorkError> {
        self.wall_in(lane)?;
        self.checks_run += 1;
        let id = self.checks_run * 2 + 1;
        let run = self.folder.run().clone();
        let broken = || WorkError::of(StopReason::Internal, &"this run has no lanes");
        let plan = self.run.plan().cloned().ok_or_else(broken)?;
        let site = lanes::site(&plan, self.repository.as_ref(), lane);
        let directory = site.ok_or_else(broken)??.tree;
        let setting = SetupCommand {
            command,
            timeout: bootstrap.setup_timeout,
            directory: &directory,
            environment: &inherited(self.environment_of(lane), &Heir::check(&plan)),
            run: &run,
            id,
        };
        let not_opened = |error| WorkError::of(StopReason::Internal, &error);
        let (attempt, request) = SetupAttempt::prepare(&setting).map_err(not_opened)?;
        let guest = Guest::Command { variables: &plan.environment };
        let not_entered = |error: SandboxError| WorkError::new(error.is_disk_full(), &error);
        let request = self.walls.of_lane(lane).enter(guest, request).map_err(not_entered)?;
        Ok((attempt, request, id))
    }

    /// The command is over: the lane is opened as it is to be worked in, or the run ends.
    pub(super) fn setup_ended(
        &mut self,
        lane: LaneId,
        ended: Result<(), SetupError>,
    ) -> Result<(), EngineError> {
        if self.is_missing(lane) {
            return self.take(Input::from(report::LaneLost { lane }));
        }
        let Err(error) = ended else { return self.is_set_up(lane) };
        if let SetupError::Failed { tail, .. } = &error {
            for said in tail.lines().filter(|said| !said.trim().is_empty()) {
                let said = said.replace(char::is_control, " ");
                self.take(Input::notice(format!("lane {lane}: {}", said.trim_end())))?;
            }
        }
        let detail = format!("lane {lane} is not ready: {error}");
        self.take(Input::from(report::Failed { stop_reason: StopReason::SetupFailed, detail }))
    }

    fn is_set_up(&mut self, lane: LaneId) -> Result<(), EngineError> {
        let Some((_, folder, command)) = self.setup_of_lanes() else { return Ok(()) };
        // outside: the state folder.
        if let Err(error) = replace(&lanes::set_up_by(&folder, lane), command.as_bytes(), 0o600) {
            let _ = self.events.send(Event::WorkFailed(error.into()));
            return Ok(());
        }
        let opens = |effect: &Effect| matches!(effect, Effect::Open { lane: opened, .. } if *opened == lane);
        let open = self.run.outstanding().into_iter().find(opens);
        match open.and_then(|open| self.orders.order(&self.run, open, self.clock.now())) {
            Some(order) => self.begin(order),
            // The run is being stopped.
            None => Ok(()),
        }
    }
}
