//! Hooks: which are due, and what they said.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use crate::fact::Fact;
use crate::hook::HookSetting;
use crate::report;
use crate::run::lane::LaneState;
use crate::run::{Effect, Run};
use crate::values::{Ended, Evidence, Hook, HookDecision, HookName, LaneId, Named, Now, StopReason};

/// Iterations that a hook may skip in a row (rule C5).
pub const MOST_SKIPS: u32 = 10;

/// What hooks have said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hooks {
    /// The hook of the beginning was called in this session.
    pub greeted: bool,
    /// The hook of the end was called for this ending.
    pub dismissed: bool,
    /// Iterations skipped in a row.
    pub skips: u32,
    /// What the hook of the beginning wants the next agent to be told.
    pub greeting: String,
    /// The same of the one before each iteration.
    pub advice: String,
    /// When the run began.
    pub began: Option<Timestamp>,
    /// It is being continued.
    pub resumed: bool,
    /// What they are told of the latest iteration.
    pub latest: LatestIteration,
}

/// What hooks are told of the latest iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LatestIteration {
    /// What was there when it began; `None` before the first one.
    pub before: Option<Evidence>,
    /// How its last agent ended; `None` before the first call.
    pub ended: Option<Ended>,
    /// How long the last one that ended took.
    pub duration: Duration,
}

impl Run {
    /// What the run itself knows. Commits are counted by whoever can ask git; a mode's files and the run's folder are
    /// looked for by whoever can read them. `None` before the run started.
    pub(super) fn hook_setting(&self, hook: HookName, iteration: u32, now: Now) -> Option<HookSetting> {
        let spec = self.spec()?;
        let latest = self.latest_iteration();
        let job = spec.job.plan.as_ref();
        let head = self.latest_evidence(LaneId::default());
        Some(HookSetting {
            hook,
            iteration,
            last_exit_code: latest.ended.map_or(0, exit_code),
            total_commits: 0,
            commits_made: 0,
            duration: self.active(now),
            last_duration: latest.duration,
            total_iterations: self.counters().finished,
            last_commit: head.and_then(|seen| seen.head.clone()).unwrap_or_default(),
            ending: self.ending(),
            grounds: spec.grounds(),
            project: spec.directory.clone(),
            mode: spec.job.mode,
            max_iterations: spec.limits.iterations,
            log_folder: PathBuf::new(),
            started: self.started().unwrap_or(now.wall),
            plan_file: job.map(|job| job.file.clone()),
            spec_folder: job.and_then(|job| job.specs.clone()),
            run: spec.run.clone(),
            resumed: self.is_resumed(),
        })
    }

    /// What hooks want the agent of this iteration to be told; empty = nothing.
    pub fn hook_prompt(&self) -> String {
        let said = [&*self.hooks.greeting, &*self.hooks.advice];
        said.into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// When the run began; `None` before it did.
    pub fn started(&self) -> Option<Timestamp> {
        self.hooks.began
    }

    /// Is it being continued by another process than the one that began it?
    pub fn is_resumed(&self) -> bool {
        self.hooks.resumed
    }

    /// What hooks are told of the latest iteration.
    pub fn latest_iteration(&self) -> &LatestIteration {
        &self.hooks.latest
    }

    /// What was there when the run began; `None` before it was looked at.
    pub fn first_evidence(&self) -> Option<&Evidence> {
        self.history.first()
    }

    /// How the run ends, once that is decided.
    pub fn ending(&self) -> Option<StopReason> {
        self.ending.as_ref().map(|(reason, _)| *reason)
    }

    /// Keeps what only hooks want to know of an accepted fact.
    pub(super) fn remember_for_hooks(&mut self, at: Now, fact: &Fact) {
        match fact {
            Fact::RunStarted { .. } => self.hooks.began = Some(at.wall),
            Fact::RunResumed { .. } => self.hooks.resumed = true,
            Fact::IterationStarted { lane, .. } => {
                self.hooks.latest.before = self.latest_evidence(*lane).cloned();
            }
            Fact::CallFinished { summary, .. } => self.hooks.latest.ended = Some(summary.ended),
            Fact::IterationFinished { duration, .. } => self.hooks.latest.duration = *duration,
            _ => {}
        }
    }

    /// The hook of this name, if there is one.
    pub fn hook(&self, name: HookName) -> Option<&Hook> {
        self.spec.as_ref()?.hooks.iter().find(|hook| hook.name == name)
    }

    /// Does this session still wait for the hook of its beginning? Nothing else is done before it.
    pub(super) fn is_greeting(&self) -> bool {
        !self.hooks.greeted && self.hook(HookName::Started).is_some() && !self.ends_agents()
    }

    /// Does the ending still wait for its hook?
    pub(super) fn is_dismissing(&self) -> bool {
        self.is_ending() && !self.hooks.dismissed && self.hook(HookName::Finished).is_some()
    }

    /// The effect of a hook that stands for the whole run.
    pub(super) fn run_hook(&self, hook: HookName) -> Effect {
        Effect::RunHook { lane: LaneId::default(), hook, iteration: self.counters.started, skips: 0 }
    }

    pub(super) fn expects_hook(&self, lane: LaneId, hook: HookName) -> bool {
        match hook {
            HookName::Started => !self.hooks.greeted && !self.is_ending() && self.hook(hook).is_some(),
            HookName::NextIteration => matches!(self.lane(lane), Some(LaneState::Asking)),
            HookName::Finished => self.is_dismissing(),
        }
    }

    /// The facts that follow from a hook's end.
    pub(super) fn hook_ended(&self, finished: report::HookFinished) -> Vec<Fact> {
        let report::HookFinished { lane, hook, ref outcome } = finished;
        if !self.expects_hook(lane, hook) {
            return Vec::new();
        }
        let aborts = outcome.decision == HookDecision::Abort && hook != HookName::Finished;
        let because = if outcome.reason.is_empty() { String::new() } else { format!(": {}", outcome.reason) };
        let detail = format!("the hook `{}` said abort{because}", hook.name());
        let finished = finished.into();
        let failing = Fact::failing(StopReason::HookAbort, detail);
        if aborts && self.failing.is_none() { vec![finished, failing] } else { vec![finished] }
    }

    /// Has a hook skipped so often that nothing will come of it?
    pub(super) fn skipped_too_often(&self) -> Option<(StopReason, String)> {
        (self.hooks.skips >= MOST_SKIPS).then(|| {
            (StopReason::HookSkips, format!("the hook `next_iteration` skipped {MOST_SKIPS} times in a row"))
        })
    }
}

/// As a shell has it.
const fn exit_code(ended: Ended) -> i32 {
    match ended {
        Ended::Exited(code) => code,
        Ended::Signalled(signal) => 128 + signal,
        Ended::Lost => 1,
    }
}
