//! Hooks of the run: the commands of a person's at its turns.

use std::time::Duration;

use windlass_core::report;
use windlass_core::run::{Effect, Input};
use windlass_core::values::{CheckResult, HookDecision, HookName, HookOutcome, LaneId};

use super::live::{Live, LiveHook};
use super::{Runner, Step};
use crate::plant::Plant;
use crate::record::What;
use crate::script::{HookWord, Leaves, SIGNAL};
use crate::world::Actor;

impl Runner<'_> {
    pub(super) fn begin_hook(&mut self, lane: LaneId, hook: HookName, effect: Effect) -> Step {
        self.step()?;
        let Some(at) = self.plan.hooks.iter().position(|one| one.name == hook) else { return Ok(()) };
        let timeout = self.plan.hooks[at].timeout;
        let nature = &self.script.hooks[at];
        let calls = self.hook_calls.entry(hook).or_default();
        let word = nature.says[*calls % nature.says.len()];
        *calls += 1;
        let seconds = Duration::from_secs(nature.seconds.into());
        self.note(What::HookBegan { hook });
        if hook == HookName::Finished && self.plant == Some(Plant::SecondFarewell) {
            self.note(What::HookBegan { hook });
        }
        let began = self.world.clock.monotonic();
        let ends_at = began + if word == HookWord::Hangs { timeout } else { seconds.min(timeout) };
        self.live = Live::Hook(LiveHook { lane, hook, effect, began, ends_at, word, lost: false });
        self.step()
    }

    /// A hook that nobody waits for any more is ended.
    pub(super) fn end_hook_unless(&mut self, outstanding: &[Effect]) {
        if let Live::Hook(live) = &self.live
            && !outstanding.contains(&live.effect)
        {
            self.live = Live::Nothing;
        }
    }

    pub(super) fn hook_over(&mut self) -> Step {
        let now = self.world.clock.monotonic();
        let Live::Hook(live) = std::mem::replace(&mut self.live, Live::Nothing) else {
            return Ok(());
        };
        if let Some(at) = self.plan.hooks.iter().position(|one| one.name == live.hook) {
            self.hook_leaves(self.script.hooks[at].leaves);
        }
        self.step()?;
        let (result, decision) = said(&live);
        let prompt =
            if live.word == HookWord::Prompts { format!("Mind this.\n{SIGNAL}\n") } else { String::new() };
        self.note(What::HookSaid { decision });
        let outcome = HookOutcome {
            result,
            decision,
            reason: String::new(),
            prompt,
            duration: now.saturating_sub(live.began),
            log: String::new(),
        };
        self.take(Input::from(report::HookFinished { lane: live.lane, hook: live.hook, outcome }))
    }

    fn hook_leaves(&mut self, leaves: Leaves) {
        let (file, content) = match leaves {
            Leaves::Nothing => return,
            Leaves::Same(file) => (file, 901),
            Leaves::New(file) => (file, self.world.new_content()),
            Leaves::Removes(file) => (file, 0),
        };
        self.world.change(Actor::Hook, |tree| tree.put(file, content));
    }
}

/// How a hook's command ended, and what that means.
fn said(live: &LiveHook) -> (CheckResult, HookDecision) {
    let asks = live.hook == HookName::NextIteration;
    match live.word {
        _ if live.lost => (CheckResult::Lost, HookDecision::Warn),
        HookWord::Continues | HookWord::Prompts => (CheckResult::Passed, HookDecision::Continue),
        HookWord::Skips if asks => (CheckResult::Failed(1), HookDecision::Skip),
        HookWord::Aborts if live.hook != HookName::Finished => (CheckResult::Failed(2), HookDecision::Abort),
        HookWord::Skips => (CheckResult::Failed(1), HookDecision::Warn),
        HookWord::Aborts => (CheckResult::Failed(2), HookDecision::Warn),
        HookWord::Fails => (CheckResult::Failed(3), HookDecision::Warn),
        HookWord::Hangs => (CheckResult::TimedOut, HookDecision::Warn),
    }
}
