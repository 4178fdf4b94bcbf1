//! What the runner makes of an attempt: does the iteration go on, and if it ends, how?

use std::time::Duration;

use crate::fact::{CheckKind, CheckOutcome, Class, Cost, Cut, Fact, LaneId, Now, StopReason, Verdict};
use crate::run::lane::{Judged, LaneState, Outcome, Turn};
use crate::run::retry::{Patience, after_limit, after_outage};
use crate::run::{CommitPolicy, Hold, NotesShare, Run};

/// What follows from an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// The same iteration again.
    Repeat(Class),
    /// The iteration ends.
    Finish,
}

impl Run {
    /// Does this attempt end its iteration? The table of error classes in DESIGN.md, as code.
    pub(super) fn course(&self, turn: &Turn, outcome: &Outcome) -> Course {
        let summary = &outcome.summary;
        let moved = outcome.kept.as_ref().is_some_and(|kept| kept.moved);
        match summary.class {
            _ if summary.cut == Some(Cut::Duration) => Course::Repeat(Class::Interrupted),
            Class::Interrupted | Class::UsageLimit => Course::Repeat(summary.class),
            class if class.is_fatal() => Course::Repeat(class),
            Class::Outage if summary.cost == Cost::ZERO && !moved => Course::Repeat(Class::Outage),
            Class::ContextTooLong if turn.notes == NotesShare::Usual && !moved && self.has_notes() => {
                Course::Repeat(Class::ContextTooLong)
            }
            _ => Course::Finish,
        }
    }

    fn has_notes(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.job.notes_file.is_some())
    }

    /// Is there work that the runner commits, if its gates are green? It need not be this attempt's own: what one that
    /// failed or was interrupted left behind is committed with the next one that ends well.
    pub(super) fn would_commit(&self, lane: LaneId, outcome: &Outcome) -> bool {
        let ours = self.plan.as_ref().is_some_and(|plan| plan.commit == CommitPolicy::Runner);
        let whole =
            matches!(outcome.summary.class, Class::Success | Class::MaxTurns | Class::BudgetExhausted);
        let committed = self.lanes.get(&lane).and_then(|lane| lane.committed.as_ref());
        let differs = |tree: &str| committed.is_none_or(|committed| committed.evidence.tree != tree);
        ours && whole && outcome.kept.as_ref().is_some_and(|kept| differs(&kept.evidence.tree))
    }

    /// Green, or nothing to be red.
    pub(super) fn gates_green(&self, outcomes: &[CheckOutcome]) -> bool {
        self.checks(CheckKind::Gate).all(|check| passed(check, outcomes))
    }

    /// What the runner concludes about an iteration that ends with this attempt.
    pub(super) fn verdict(&self, turn: &Turn, outcome: &Outcome, judged: &Judged) -> Verdict {
        let has_until = self.checks(CheckKind::Until).next().is_some();
        let shown = has_until && self.checks(CheckKind::Until).all(|check| passed(check, &judged.outcomes));
        let claims = if has_until { shown } else { outcome.claimed };
        let progress = turn.progress || judged.first_pass;
        if claims && !self.gates_green(&judged.outcomes) {
            return Verdict::ClaimRefused;
        }
        if claims {
            let vouched = shown || self.checks(CheckKind::Gate).next().is_some();
            let changed = outcome.kept.as_ref().is_some_and(|kept| self.history.has_changed(&kept.evidence));
            return if vouched || changed { Verdict::ClaimAccepted } else { Verdict::ClaimUnsupported };
        }
        match outcome.summary.class {
            Class::Success | Class::BudgetExhausted | Class::MaxTurns | Class::Outage if progress => {
                Verdict::Worked
            }
            Class::Success | Class::BudgetExhausted => Verdict::Idle,
            _ => Verdict::Failed,
        }
    }

    /// The facts that follow once all is known about an attempt.
    pub(super) fn judge(&self, id: LaneId, now: Now) -> Vec<Fact> {
        let Some(LaneState::Judging(turn, outcome, judged)) = self.lane(id) else {
            return Vec::new();
        };
        let class = outcome.summary.class;
        let mut facts: Vec<Fact> = self.consequence(outcome, now).into_iter().collect();
        facts.push(match self.course(turn, outcome) {
            Course::Repeat(class) => {
                Fact::AttemptRepeats { lane: id, iteration: turn.iteration, attempt: turn.attempt, class }
            }
            Course::Finish => Fact::IterationFinished {
                lane: id,
                iteration: turn.iteration,
                verdict: self.verdict(turn, outcome, judged),
                class,
                progress: turn.progress || judged.first_pass,
                cost: turn.cost,
                tokens: turn.tokens,
                duration: Duration::try_from(now.wall.duration_since(turn.began)).unwrap_or_default(),
            },
        });
        facts
    }

    /// What a call's class means for the whole run: wait, or end.
    fn consequence(&self, outcome: &Outcome, now: Now) -> Option<Fact> {
        let plan = self.plan.as_ref()?;
        let summary = &outcome.summary;
        if self.failing.is_some() {
            return None;
        }
        match summary.class {
            class if class.is_fatal() => Some(Fact::Failing {
                stop_reason: StopReason::AgentUnavailable,
                detail: summary.detail.clone(),
            }),
            Class::UsageLimit => {
                let limit = summary.limit.clone().unwrap_or_default();
                let patience = after_limit(&limit, &self.refusals, &plan.limits, now.wall);
                self.wait(Class::UsageLimit, patience, StopReason::LimitWaitExceeded)
            }
            Class::Outage => {
                let patience = after_outage(&plan.run, &self.outages, &plan.limits, &plan.clocks, now.wall);
                self.wait(Class::Outage, patience, StopReason::AgentUnavailable)
            }
            _ if summary.overage && !plan.limits.overage => Some(Fact::Failing {
                stop_reason: StopReason::NeedsHuman,
                detail: "the account is being charged beyond its plan; --allow-overage would go on"
                    .to_owned(),
            }),
            _ => None,
        }
    }

    fn wait(&self, class: Class, patience: Patience, exhausted: StopReason) -> Option<Fact> {
        match patience {
            Patience::Until(until) => {
                let attempt = match class {
                    Class::UsageLimit => self.refusals.count,
                    _ => self.outages.count,
                };
                let longer = self.hold.is_none_or(|Hold { until: earlier, .. }| earlier < until);
                longer.then_some(Fact::Held { until, class, attempt: attempt + 1 })
            }
            Patience::Exhausted(detail) => Some(Fact::Failing { stop_reason: exhausted, detail }),
        }
    }
}

fn passed(check: u16, outcomes: &[CheckOutcome]) -> bool {
    outcomes.iter().any(|outcome| outcome.check == check && outcome.passed())
}
