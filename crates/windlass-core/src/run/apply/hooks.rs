//! The facts of hooks.

use super::Applied;
use crate::run::lane::LaneState;
use crate::run::{Run, Survey};
use crate::values::{HookDecision, HookName, HookOutcome, LaneId, Named, Now};

impl Run {
    pub(super) fn hook_due(&mut self, lane: LaneId, iteration: u32) -> Applied {
        self.take_state(lane, "idle", |state| matches!(state, LaneState::Idle { .. }).then_some(()))?;
        if iteration != self.counters.started + 1 || self.hook(HookName::NextIteration).is_none() {
            return Err("no hook was due".to_owned());
        }
        self.set_state(lane, LaneState::Asking);
        Ok(())
    }

    pub(super) fn hook_finished(
        &mut self,
        now: Now,
        lane: LaneId,
        hook: HookName,
        outcome: &HookOutcome,
    ) -> Applied {
        if !self.expects_hook(lane, hook) {
            return Err(format!("the hook {} was not due", hook.name()));
        }
        // Called anew for the same iteration, what it says now is what counts.
        let goes_on = matches!(outcome.decision, HookDecision::Continue | HookDecision::Warn);
        let said = if goes_on { outcome.prompt.trim().to_owned() } else { String::new() };
        match hook {
            HookName::Started => {
                self.hooks.greeted = true;
                self.hooks.greeting = said;
            }
            HookName::NextIteration => {
                self.hooks.advice = said;
                self.asked(now, lane, outcome.decision);
            }
            HookName::Finished => self.hooks.dismissed = true,
        }
        Ok(())
    }

    fn asked(&mut self, now: Now, lane: LaneId, decision: HookDecision) {
        // What it wrote is nobody's progress, whatever it said. Lanes with checkouts of their own it does not reach.
        if !self.has_lanes() {
            self.survey = Survey::Hook;
        }
        let again = now
            .monotonic
            .saturating_add(self.spec.as_ref().map_or(std::time::Duration::ZERO, |spec| spec.clocks.delay));
        let state = match decision {
            HookDecision::Continue | HookDecision::Warn => LaneState::Cleared,
            HookDecision::Skip | HookDecision::Abort => LaneState::Idle { not_before: again },
        };
        self.hooks.skips = if decision == HookDecision::Skip { self.hooks.skips + 1 } else { 0 };
        self.set_state(lane, state);
    }
}
