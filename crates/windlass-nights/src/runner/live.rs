//! What is at work in a lane.

use std::time::Duration;

use windlass_agents::CallWatch;
use windlass_core::run::Effect;
use windlass_core::values::{CallId, CheckResult, CheckStage, HookName, LaneId};

use super::agent::Agent;
use crate::script::HookWord;

/// What is at work in a lane.
#[derive(Debug, Default)]
pub(super) enum Live {
    #[default]
    Nothing,
    Call(Box<LiveCall>),
    Check(LiveCheck),
    Hook(LiveHook),
}

/// A call.
#[derive(Debug)]
pub(super) struct LiveCall {
    pub call: CallId,
    pub agent: Agent,
    pub watch: CallWatch,
    pub swept_at: Option<Duration>,
}

/// A check.
#[derive(Debug)]
pub(super) struct LiveCheck {
    pub lane: LaneId,
    pub stage: CheckStage,
    pub check: u16,
    pub began: Duration,
    pub ends_at: Duration,
    pub result: CheckResult,
}

/// A hook that runs.
#[derive(Debug)]
pub(super) struct LiveHook {
    pub lane: LaneId,
    pub hook: HookName,
    /// As the core intended it.
    pub effect: Effect,
    pub began: Duration,
    pub ends_at: Duration,
    pub word: HookWord,
    pub lost: bool,
}

impl Live {
    pub fn next_due(&self) -> Option<Duration> {
        match self {
            Live::Nothing => None,
            Live::Check(check) => Some(check.ends_at),
            Live::Hook(hook) => Some(hook.ends_at),
            Live::Call(call) => match call.swept_at {
                Some(at) => Some(at),
                None => [call.agent.at, call.watch.next_due()].into_iter().flatten().min(),
            },
        }
    }
}
