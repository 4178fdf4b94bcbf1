//! Why a run ended, and what that means to whoever called it.

use serde::{Deserialize, Serialize};

/// What becomes of what is being done when a run cannot go on. Agents are ended in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnderWay {
    /// It comes to its end before the run does.
    #[default]
    SeenThrough,
    /// It failed, and will never be answered: a resumed run takes it up again.
    GivenUp,
    /// As before, but nobody can take it up: the run's own folder is gone.
    Lost,
}

impl UnderWay {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(crate) fn is_seen_through(&self) -> bool {
        *self == UnderWay::SeenThrough
    }
}

/// Why a run ended; exactly one per ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The claim stood and every gate was green.
    Complete,
    /// There was nothing to do before the first iteration.
    NothingToDo,
    /// `--max-iterations`.
    MaxIterations,
    /// `--max-cost`, or the agent used up the budget that was left.
    MaxCost,
    /// `--max-tokens`.
    MaxTokens,
    /// `--max-duration`.
    MaxDuration,
    /// Too many iterations in a row without progress.
    Stagnated,
    /// Build mode: neither HEAD nor tree nor plan moved.
    NoChanges,
    /// Every open task waits or is parked.
    Blocked,
    /// `windlass stop`.
    StopRequested,
    /// Only a person can decide what comes next.
    NeedsHuman,
    /// Ctrl-C.
    Interrupted,
    /// SIGTERM.
    Terminated,
    /// `--max-failures` iterations in a row failed.
    ConsecutiveFailures,
    /// The agent is missing, not logged in, refused, or out of reach for longer than the run may wait.
    AgentUnavailable,
    /// A usage limit resets later than `--max-wait` allows.
    LimitWaitExceeded,
    /// Five claims in a row were refused for the same failures.
    GatesFailing,
    /// Another run holds this working directory.
    Locked,
    /// A hook said abort.
    HookAbort,
    /// A hook skipped ten iterations in a row.
    HookSkips,
    /// The disk is full.
    DiskFull,
    /// The agent destroyed what it must not touch.
    DestructiveChange,
    /// The project's setup command failed in a fresh checkout.
    SetupFailed,
    /// A defect of Windlass.
    Internal,
    /// Instructions or plan are missing.
    Missing,
}

/// What the end of a run rests on, where it ended as complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounds {
    /// The runner, or a fresh agent, has looked as well.
    #[default]
    Shown,
    /// The claims of the agents that worked, and nothing else.
    Claimed,
}

impl Grounds {
    /// Was it more than claimed?
    pub fn is_shown(&self) -> bool {
        *self == Grounds::Shown
    }
}

/// Which exit codes a run ends with (`--exit-codes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitCodes {
    /// 0 for every orderly stop, 1 for errors, 2 for usage, 130 and 143 for signals.
    Simple,
    /// 0 where the job's own rule of completion holds, a code of its own for each other stop reason.
    #[default]
    Detailed,
}

impl StopReason {
    /// Every stop reason, in the order of the documentation.
    pub const ALL: [StopReason; 25] = [
        StopReason::Complete,
        StopReason::NothingToDo,
        StopReason::MaxIterations,
        StopReason::MaxCost,
        StopReason::MaxTokens,
        StopReason::MaxDuration,
        StopReason::Stagnated,
        StopReason::NoChanges,
        StopReason::Blocked,
        StopReason::StopRequested,
        StopReason::NeedsHuman,
        StopReason::Interrupted,
        StopReason::Terminated,
        StopReason::ConsecutiveFailures,
        StopReason::AgentUnavailable,
        StopReason::LimitWaitExceeded,
        StopReason::GatesFailing,
        StopReason::Locked,
        StopReason::HookAbort,
        StopReason::HookSkips,
        StopReason::DiskFull,
        StopReason::DestructiveChange,
        StopReason::SetupFailed,
        StopReason::Internal,
        StopReason::Missing,
    ];

    /// Its name in messages and JSON. Ctrl-C and SIGTERM are both `manual` there; the journal tells them apart.
    pub const fn name(self) -> &'static str {
        match self {
            StopReason::Complete => "complete",
            StopReason::NothingToDo => "nothing_to_do",
            StopReason::MaxIterations => "max_iterations",
            StopReason::MaxCost => "max_cost",
            StopReason::MaxTokens => "max_tokens",
            StopReason::MaxDuration => "max_duration",
            StopReason::Stagnated => "stagnated",
            StopReason::NoChanges => "no_changes",
            StopReason::Blocked => "blocked",
            StopReason::StopRequested => "stop_requested",
            StopReason::NeedsHuman => "needs_human",
            StopReason::Interrupted | StopReason::Terminated => "manual",
            StopReason::ConsecutiveFailures => "consecutive_failures",
            StopReason::AgentUnavailable => "agent_unavailable",
            StopReason::LimitWaitExceeded => "limit_wait_exceeded",
            StopReason::GatesFailing => "gates_failing",
            StopReason::Locked => "locked",
            StopReason::HookAbort => "hook_abort",
            StopReason::HookSkips => "hook_skips",
            StopReason::DiskFull => "disk_full",
            StopReason::DestructiveChange => "destructive_change",
            StopReason::SetupFailed => "setup_failed",
            StopReason::Internal => "internal",
            StopReason::Missing => "missing",
        }
    }

    /// As people are told it: its name, and that nothing but claims speaks for it where that is so.
    pub const fn told(self, grounds: Grounds) -> &'static str {
        match (self, grounds) {
            (StopReason::Complete, Grounds::Claimed) => "complete (claimed; no gate)",
            _ => self.name(),
        }
    }

    /// Fresher's word for it (seed 002, 3.3), one of five.
    pub const fn finish_type(self) -> &'static str {
        match self {
            StopReason::Complete | StopReason::NothingToDo => "complete",
            StopReason::MaxIterations
            | StopReason::MaxCost
            | StopReason::MaxTokens
            | StopReason::MaxDuration => "max_iterations",
            StopReason::Stagnated | StopReason::NoChanges | StopReason::Blocked => "no_changes",
            StopReason::StopRequested
            | StopReason::NeedsHuman
            | StopReason::Interrupted
            | StopReason::Terminated => "manual",
            StopReason::ConsecutiveFailures
            | StopReason::AgentUnavailable
            | StopReason::LimitWaitExceeded
            | StopReason::GatesFailing
            | StopReason::Locked
            | StopReason::HookAbort
            | StopReason::HookSkips
            | StopReason::DiskFull
            | StopReason::DestructiveChange
            | StopReason::SetupFailed
            | StopReason::Internal
            | StopReason::Missing => "error",
        }
    }

    /// The exit code of a run that ended so.
    pub const fn exit_code(self, codes: ExitCodes) -> u8 {
        let (simple, detailed) = self.both_codes();
        match codes {
            ExitCodes::Simple => simple,
            ExitCodes::Detailed => detailed,
        }
    }

    const fn both_codes(self) -> (u8, u8) {
        match self {
            StopReason::Complete | StopReason::NothingToDo => (0, 0),
            StopReason::MaxIterations => (0, 10),
            StopReason::MaxCost => (0, 11),
            StopReason::MaxTokens => (0, 12),
            StopReason::MaxDuration => (0, 13),
            StopReason::Stagnated => (0, 14),
            StopReason::NoChanges => (0, 15),
            StopReason::StopRequested => (0, 16),
            StopReason::Blocked => (0, 17),
            StopReason::NeedsHuman => (0, 24),
            StopReason::Interrupted => (130, 130),
            StopReason::Terminated => (143, 143),
            StopReason::ConsecutiveFailures => (1, 20),
            StopReason::AgentUnavailable => (1, 21),
            StopReason::LimitWaitExceeded => (1, 22),
            StopReason::GatesFailing => (1, 23),
            StopReason::Locked => (1, 25),
            StopReason::HookAbort => (1, 26),
            StopReason::HookSkips => (1, 27),
            StopReason::DiskFull => (1, 28),
            StopReason::DestructiveChange => (1, 29),
            // 30 to 33 belong to reasons that are not there yet: closed_by_person, ci_failed, review_stalemate,
            // engine_unavailable.
            StopReason::SetupFailed => (1, 34),
            StopReason::Internal => (1, 1),
            StopReason::Missing => (1, 2),
        }
    }
}

/// Who asked a run to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopSource {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// `windlass stop`.
    Command,
}
