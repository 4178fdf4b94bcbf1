//! A lane as the shell has it: a keeper, and what runs below it now.

use std::time::Duration;

use windlass_agents::Due;
use windlass_core::run::{Epoch, Order};
use windlass_core::values::{CallReport, CheckOutcome, CheckStage, Cut, Ended, HookName, HookOutcome};

use super::call::LiveCall;
use super::check::LiveCheck;
use super::keeper_gone;
use super::live_hook::LiveHook;
use super::live_setup::LiveSetup;
use crate::worktree::bootstrap::SetupError;
use windlass_host::process::{Keeper, ProcessError, SpawnId};

/// A lane's processes. At most one thing runs at a time, so that "everything below the keeper" is exactly what it
/// started.
#[derive(Default)]
pub(super) struct LiveLane {
    pub keeper: Option<Keeper>,
    pub live: Live,
    /// The number under which the keeper knows what runs.
    pub id: Option<SpawnId>,
    /// The order that it answers.
    pub epoch: Epoch,
    /// What ran has ended, and everything below the keeper is being killed; what became of it follows.
    pub sweeping: bool,
}

/// What runs.
#[derive(Default)]
pub(super) enum Live {
    /// Nothing.
    #[default]
    Nothing,
    /// An agent.
    Call(LiveCall),
    /// A check.
    Check(LiveCheck),
    /// A hook.
    Hook(LiveHook),
    /// The setup command of a fresh checkout.
    Setup(LiveSetup),
    /// What was abandoned is being ended; then this hook is called.
    Clearing(Box<Order>),
}

/// What has become of it.
pub(super) enum Ending {
    /// A call is over.
    Call(windlass_core::values::CallId, Box<CallReport>),
    /// A check is over.
    Check(CheckStage, CheckOutcome),
    /// A hook is over.
    Hook(HookName, HookOutcome),
    /// A setup command is over.
    Setup(Result<(), SetupError>),
}

impl LiveLane {
    /// Ends what is left of something that nobody waits for any more, so that this hook can be called. `false` where
    /// there is nothing.
    pub fn abandon_for(&mut self, hook: &Order) -> Result<bool, ProcessError> {
        let is_ending = match &self.live {
            Live::Nothing => return Ok(false),
            Live::Clearing(_) => true,
            _ => self.sweeping,
        };
        let Some(keeper) = &self.keeper else {
            self.live = Live::Nothing;
            return Ok(false);
        };
        if !is_ending {
            keeper.kill_tree().or_else(keeper_gone)?;
        }
        self.id = None;
        self.sweeping = false;
        if let Live::Hook(abandoned) =
            std::mem::replace(&mut self.live, Live::Clearing(Box::new(hook.clone())))
        {
            abandoned.abandon();
        }
        Ok(true)
    }

    /// The hook that waits for what was abandoned.
    pub fn take_waiting(&mut self) -> Option<Order> {
        match std::mem::take(&mut self.live) {
            Live::Clearing(order) => Some(*order),
            live => {
                self.live = live;
                None
            }
        }
    }

    /// What runs has ended.
    pub fn exited(&mut self, ended: Ended) {
        match &mut self.live {
            Live::Nothing | Live::Clearing(_) => {}
            Live::Call(call) => call.exited(ended),
            Live::Check(LiveCheck { timed, .. })
            | Live::Hook(LiveHook { timed, .. })
            | Live::Setup(LiveSetup { timed, .. }) => timed.exited(ended),
        }
    }

    /// Begins to sweep once what runs has ended and its output is read; returns a call's clock that has run out.
    pub fn poll(&mut self, now: Duration) -> Result<Option<Cut>, ProcessError> {
        if self.sweeping {
            return Ok(None);
        }
        self.sweeping = match &mut self.live {
            Live::Nothing | Live::Clearing(_) => false,
            Live::Call(call) => match call.due() {
                Some(Due::Cut(cut)) => return Ok(Some(cut)),
                Some(Due::Finished) => true,
                None => false,
            },
            Live::Check(LiveCheck { timed, .. })
            | Live::Hook(LiveHook { timed, .. })
            | Live::Setup(LiveSetup { timed, .. }) => timed.is_due(now),
        };
        if let (true, Some(keeper)) = (self.sweeping, &self.keeper) {
            keeper.kill_tree()?;
        }
        Ok(None)
    }

    /// Everything below the keeper is gone, or the keeper itself is: what ran is over.
    pub fn swept(&mut self, now: Duration) -> Option<Ending> {
        if !self.sweeping {
            return None;
        }
        self.id = None;
        match self.take() {
            Live::Nothing | Live::Clearing(_) => None,
            Live::Call(call) => {
                let id = call.call;
                call.report().map(|report| Ending::Call(id, Box::new(report)))
            }
            Live::Check(check) => Some(Ending::Check(check.stage, check.outcome(now))),
            Live::Hook(hook) => Some(Ending::Hook(hook.hook, hook.outcome(now))),
            Live::Setup(setup) => Some(Ending::Setup(setup.end())),
        }
    }

    /// In how long something may become due.
    pub fn next_due(&self, now: Duration) -> Option<Duration> {
        match &self.live {
            _ if self.sweeping => None,
            Live::Nothing | Live::Clearing(_) => None,
            Live::Call(call) => call.next_due(),
            Live::Check(LiveCheck { timed, .. })
            | Live::Hook(LiveHook { timed, .. })
            | Live::Setup(LiveSetup { timed, .. }) => Some(timed.left(now)),
        }
    }

    /// The keeper died: what ran below it was killed by the runner, and nobody saw its end.
    pub fn keeper_died(&mut self) {
        self.keeper = None;
        self.exited(Ended::Lost);
        self.sweeping = !matches!(self.live, Live::Nothing | Live::Clearing(_));
    }

    /// What runs, which is nobody's any more.
    pub fn take(&mut self) -> Live {
        self.sweeping = false;
        std::mem::take(&mut self.live)
    }
}
