//! The project's setup command in the fresh checkout of a lane: once for each, before its first task.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::environment::Heir;
use windlass_core::report::{Failed, LaneLost};
use windlass_core::spec::BootstrapSpec;
use windlass_core::values::{LaneId, StopReason};
use windlass_host::environment::inherited;
use windlass_host::file::{read_beginning, replace};
use windlass_host::process::SpawnRequest;

use super::lane::Live;
use super::live_setup::LiveSetup;
use super::timed::Timed;
use super::work::WorkError;
use super::{LocalLanes, working_trees};
use crate::executor::EngineError;
use crate::worktree::bootstrap::{SetupAttempt, SetupCommand, SetupError};

/// The longest command that is compared, in bytes.
const LONGEST: usize = 1 << 20;

impl LocalLanes {
    /// Is the lane's checkout fresh, and is there a command that makes it ready?
    pub(super) fn wants_setup(&self, lane: LaneId) -> bool {
        let Some((_, folder, command)) = self.setup_of_lanes() else { return false };
        let file = working_trees::set_up_by(&folder, lane);
        // outside: the state folder.
        let by = read_beginning(&file, LONGEST).ok().flatten();
        by.as_deref() != Some(command.as_bytes())
    }

    /// The plan for fresh checkouts with the folder of the lanes, and the command.
    fn setup_of_lanes(&self) -> Option<(BootstrapSpec, PathBuf, String)> {
        let lanes = self.plan.lanes.as_ref()?;
        let bootstrap = lanes.bootstrap.clone()?;
        let command = bootstrap.setup.clone()?;
        Some((bootstrap, lanes.folder.clone(), command))
    }

    /// Runs the command in the lane, locked in as the lane is. What was opened is opened again afterwards: what the
    /// command made is not work.
    pub(super) fn begin_setup(&mut self, lane: LaneId) -> Result<(), EngineError> {
        let (Some(order), Some((bootstrap, _, command))) = (self.opening.get(&lane), self.setup_of_lanes())
        else {
            // The run is being stopped: a resume opens it again.
            return Ok(());
        };
        let epoch = order.epoch;
        self.notice(format!("lane {lane} is being set up: {command}"));
        match self.prepare_setup(lane, &bootstrap, &command) {
            Ok((attempt, request)) => {
                let timed = Timed::new(bootstrap.setup_timeout, Some(self.clock.monotonic()));
                self.spawn(lane, epoch, Live::Setup(LiveSetup { attempt, timed }), request)
            }
            Err(error) => {
                self.broken(epoch, error);
                Ok(())
            }
        }
    }

    fn prepare_setup(
        &mut self,
        lane: LaneId,
        bootstrap: &BootstrapSpec,
        command: &str,
    ) -> Result<(SetupAttempt, SpawnRequest), WorkError> {
        let broken = || WorkError::of(StopReason::Internal, &"this run has no lanes");
        let plan = Arc::clone(&self.plan);
        self.lock_in(lane)?;
        let site = working_trees::site(&plan, self.repository.as_ref(), lane);
        let setting = SetupCommand {
            command,
            timeout: bootstrap.setup_timeout,
            directory: &site.ok_or_else(broken)??.tree,
            environment: &inherited(self.environment_of(lane), &Heir::check(&plan)),
            run: &plan.run,
            id: self.next_command(),
        };
        let not_opened = |error| WorkError::of(StopReason::Internal, &error);
        let (attempt, request) = SetupAttempt::prepare(&setting).map_err(not_opened)?;
        Ok((attempt, self.locked_in(lane, &plan, request)?))
    }

    /// The command is over: the lane is opened as it is to be worked in, or the run ends.
    pub(super) fn setup_ended(
        &mut self,
        lane: LaneId,
        ended: Result<(), SetupError>,
    ) -> Result<(), EngineError> {
        if self.is_missing(lane) {
            self.unasked(LaneLost::removed(lane));
            return Ok(());
        }
        let Err(error) = ended else { return self.is_set_up(lane) };
        if let SetupError::Failed { tail, .. } = &error {
            for said in tail.lines().filter(|said| !said.trim().is_empty()) {
                let said = said.replace(char::is_control, " ");
                self.notice(format!("lane {lane}: {}", said.trim_end()));
            }
        }
        let detail = format!("lane {lane} is not ready: {error}");
        self.unasked(Failed { stop_reason: StopReason::SetupFailed, detail });
        Ok(())
    }

    fn is_set_up(&mut self, lane: LaneId) -> Result<(), EngineError> {
        let Some((_, folder, command)) = self.setup_of_lanes() else { return Ok(()) };
        // outside: the state folder.
        if let Err(error) = replace(&working_trees::set_up_by(&folder, lane), command.as_bytes(), 0o600) {
            self.unasked(WorkError::from(error));
            return Ok(());
        }
        // There is none where the run is being stopped.
        let order = self.opening.get(&lane).cloned();
        order.map_or(Ok(()), |order| self.workers.carry_out(order))
    }
}
