//! What the runner makes of an attempt: does the iteration go on, and if it ends, how?

use crate::fact::Fact;
use crate::run::decide::one;
use crate::run::lane::{AttemptOutcome, InGit, Judged, LaneState, Turn};
use crate::run::retry::{Patience, after_limit, after_outage};
use crate::run::{Backoff, CallFor, Council, Failure, NotesShare, Retries, Run};
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{CheckKind, CheckOutcome, Class, Cost, Cut, LaneId, Now, StopReason, Verdict};

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
    pub(super) fn course(&self, turn: &Turn, outcome: &AttemptOutcome) -> Course {
        let summary = &outcome.summary;
        let moved = outcome.kept.as_ref().is_some_and(|kept| kept.moved);
        match summary.class {
            _ if summary.cut.is_some_and(Cut::is_of_run) => Course::Repeat(Class::Interrupted),
            Class::Interrupted => Course::Repeat(Class::Interrupted),
            class if class.is_fatal() => Course::Repeat(class),
            // The job's own file says that it is done: that is looked at before another call is waited for.
            Class::UsageLimit | Class::Outage if outcome.claimed => Course::Finish,
            Class::UsageLimit => Course::Repeat(Class::UsageLimit),
            Class::Outage if summary.cost == Cost::ZERO && !moved => Course::Repeat(Class::Outage),
            Class::ContextTooLong
                if turn.notes == NotesShare::Usual && !moved && self.may_be_shorter(turn) =>
            {
                Course::Repeat(Class::ContextTooLong)
            }
            _ => Course::Finish,
        }
    }

    /// Is a limit that stands against one account of a fleet no reason to wait? What others look over, or put together, is in this
    /// worker's checkout alone, and waits for it.
    pub(super) fn goes_elsewhere(&self, lane: LaneId, turn: &Turn, outcome: &AttemptOutcome) -> bool {
        let is_first_work = turn.claim.is_none()
            && turn.review.is_none()
            && !matches!(turn.council, Council::Asked(_))
            && self.lanes.get(&lane).and_then(|held| held.task.as_ref()).is_some_and(|at| at.work.is_none());
        let repeats = self.course(turn, outcome) == Course::Repeat(Class::UsageLimit);
        self.has_lanes() && outcome.summary.elsewhere && repeats && is_first_work
    }

    /// Is there something that a prompt can have less of: notes, or what a reviewer is shown?
    fn may_be_shorter(&self, turn: &Turn) -> bool {
        let has_notes = || self.spec.as_ref().is_some_and(|spec| spec.job.notes_file.is_some());
        turn.review.is_some() || (has_notes() && !matches!(turn.council, Council::Asked(_)))
    }

    /// Is there work that the runner commits, if its gates are green? It need not be this attempt's own: what one that
    /// failed or was interrupted left behind is committed with the next one that ends well.
    pub(super) fn would_commit(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        if self.is_of_tasks() && outcome.claimed {
            let ours = self.spec.as_ref().is_some_and(|spec| spec.commit == CommitPolicy::Runner);
            // What the guard undid refuses the claim: the commit would say that the task is done.
            return ours && self.held(lane).is_empty() && self.is_vouched_for(lane, outcome);
        }
        if self.has_lanes() {
            // What is not finished stays in its lane.
            return false;
        }
        outcome.is_whole() && self.has_to_commit(lane, outcome)
    }

    /// Is there anything of the job that the runner has to commit?
    fn has_to_commit(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        let ours = self.spec.as_ref().is_some_and(|spec| spec.commit == CommitPolicy::Runner);
        ours && self.differs_from_commit(lane, outcome)
    }

    /// Is it committed as work that holds: green, and let stand by whoever looks it over? Work that is called done is,
    /// however its call ended: what is shown to be done is in a commit.
    pub(super) fn commits(&self, lane: LaneId, outcome: &AttemptOutcome, judged: &Judged) -> bool {
        let holds = self.is_green(lane, outcome, &judged.outcomes) && !self.lacks_review(lane, outcome);
        let called_done = || {
            let of_job = !self.is_of_tasks() && !self.has_lanes();
            of_job && self.claims(outcome, judged) && self.has_to_commit(lane, outcome)
        };
        holds && (self.would_commit(lane, outcome) || called_done())
    }

    /// Is the job called done: by its checks where they decide, and else by the agent or its files? Whatever says so, a build
    /// without its plan is not (seed defect D2, verify.rs).
    fn claims(&self, outcome: &AttemptOutcome, judged: &Judged) -> bool {
        let said = if self.is_decided_by_checks() { self.is_shown(judged) } else { outcome.claimed };
        said && !self.has_lost_its_plan()
    }

    fn is_decided_by_checks(&self) -> bool {
        self.checks(CheckKind::Until).next().is_some()
    }

    /// Do the checks that decide say that the job is done?
    fn is_shown(&self, judged: &Judged) -> bool {
        self.is_decided_by_checks() && self.all_passed(CheckKind::Until, &judged.outcomes)
    }

    /// Is it a person who has to bring the work in first, as where both have committed on the branch? In lanes what fails may be
    /// another one's.
    fn waits_for_a_person(&self) -> bool {
        let waits = |failing: &Failure| failing.stop_reason == StopReason::NeedsHuman;
        !self.has_lanes() && self.failing.as_ref().is_some_and(waits)
    }

    /// Is there anything that was not committed yet?
    pub(super) fn differs_from_commit(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        let committed = self.lanes.get(&lane).and_then(|lane| lane.committed.as_ref());
        let differs = |tree: &str| committed.is_none_or(|committed| committed.evidence.tree != tree);
        outcome.kept.as_ref().is_some_and(|kept| differs(&kept.evidence.tree))
    }

    /// Does something besides the agent speak for a task's being done: gates, or something that changed?
    fn is_vouched_for(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        let is_checked =
            self.checks(CheckKind::Gate).next().is_some() || self.criteria(lane).next().is_some();
        is_checked || self.is_judged(lane) || self.task_changed(lane, outcome)
    }

    /// Green, or nothing to be red.
    pub(super) fn gates_green(&self, outcomes: &[CheckOutcome]) -> bool {
        self.all_passed(CheckKind::Gate, outcomes)
    }

    /// Are gates green, and does each criterion hold that was asked of a claim that a task is done?
    pub(super) fn is_green(&self, lane: LaneId, outcome: &AttemptOutcome, outcomes: &[CheckOutcome]) -> bool {
        // Those of other tasks were asked where this one was the last; another lane may have made it so since.
        let of_others = || {
            self.checks(CheckKind::Criterion).filter(|check| outcomes.iter().any(|one| one.check == *check))
        };
        let holds = || self.criteria(lane).chain(of_others()).all(|check| passed(check, outcomes));
        self.gates_green(outcomes) && (!outcome.claimed || holds())
    }

    /// Did all checks of a kind pass? So they did where there are none.
    pub(super) fn all_passed(&self, kind: CheckKind, outcomes: &[CheckOutcome]) -> bool {
        self.checks(kind).all(|check| passed(check, outcomes))
    }

    /// What the runner concludes about an iteration that ends with this attempt.
    pub(super) fn verdict(
        &self,
        lane: LaneId,
        turn: &Turn,
        outcome: &AttemptOutcome,
        judged: &Judged,
    ) -> Verdict {
        if turn.claim.is_some() {
            return self.answered(lane, outcome, judged);
        }
        if self.spec.as_ref().is_some_and(|spec| spec.job.mode.judges()) {
            return assessed(outcome);
        }

        let claims = self.claims(outcome, judged);
        let progress = has_progress(turn, outcome, judged);
        let InGit { refused, dead_end, attempted, .. } = &outcome.in_git;
        let kept_out = refused.is_some() || dead_end.is_some() || *attempted;
        let kept_out = kept_out || !self.held(lane).is_empty() || self.lacks_review(lane, outcome);
        let kept_out = kept_out || self.waits_for_a_person();
        if claims && (kept_out || !self.is_green(lane, outcome, &judged.outcomes)) {
            return Verdict::ClaimRefused;
        }
        if claims && self.is_of_tasks() {
            let vouched = self.is_vouched_for(lane, outcome);
            return if vouched { Verdict::ClaimAccepted } else { Verdict::ClaimUnsupported };
        }
        if claims {
            // A file that was written in this run is itself something that changed, even with the same words.
            let by_file = self.spec.as_ref().is_some_and(|spec| spec.job.mode.reads_file());
            let vouched = self.is_shown(judged) || by_file || self.checks(CheckKind::Gate).next().is_some();
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
        let Some(LaneState::Judging(turn, outcome, judged)) = self.lane(id) else { return Vec::new() };
        let mut facts = if self.goes_elsewhere(id, turn, outcome) {
            Vec::new()
        } else {
            self.consequence(self.call_for(id, turn.purpose), outcome, now)
        };
        let follows = match self.course(turn, outcome) {
            Course::Repeat(class) => {
                Fact::AttemptRepeats { lane: id, iteration: turn.iteration, attempt: turn.attempt, class }
            }
            Course::Finish => self.conclude(id, now, turn, outcome, judged),
        };
        let ends = matches!(follows, Fact::IterationFinished { .. });
        facts.extend(self.without_council(turn, outcome).filter(|_| ends));
        facts.push(follows);
        facts
    }

    /// The iteration is over, or a follow-up call is made first.
    fn conclude(
        &self,
        lane: LaneId,
        now: Now,
        turn: &Turn,
        outcome: &AttemptOutcome,
        judged: &Judged,
    ) -> Fact {
        let verdict = self.verdict(lane, turn, outcome, judged);
        if let Some(due) = self.follow_up_before(lane, turn, verdict) {
            return due;
        }
        if let Some(due) = self.council_before(lane, now, turn, outcome, verdict) {
            return due;
        }
        let claimed = turn.claim.as_ref().map_or(outcome, |claim| &claim.outcome);
        Fact::IterationFinished {
            lane,
            iteration: turn.iteration,
            verdict,
            class: outcome.summary.class,
            progress: has_progress(turn, claimed, judged),
            cost: turn.cost,
            estimated_cost: turn.estimated,
            tokens: turn.tokens,
            duration: self.active(now).saturating_sub(turn.active),
        }
    }

    /// What a call's class means for the whole run: another agent takes over, or it waits, or ends.
    pub(super) fn consequence(&self, call_for: CallFor, outcome: &AttemptOutcome, now: Now) -> Vec<Fact> {
        let Some(spec) = self.spec.as_ref().filter(|_| self.failing.is_none()) else { return Vec::new() };
        let class = outcome.summary.class;
        let is_away = class.is_fatal() || class.is_of_reach();
        let has_others = spec.candidates(call_for).nth(1).is_some();
        if is_away
            && has_others
            && let Some(facts) = self.handed_over(spec, call_for, (outcome.agent, &outcome.summary), now)
        {
            return facts;
        }
        one(self.waits_or_ends(spec, outcome, now))
    }

    fn waits_or_ends(&self, spec: &RunSpec, outcome: &AttemptOutcome, now: Now) -> Option<Fact> {
        let AttemptOutcome { agent, summary, .. } = outcome;
        match summary.class {
            class if class.is_fatal() => {
                Some(Fact::failing(StopReason::AgentUnavailable, summary.detail.as_str()))
            }
            Class::UsageLimit => {
                let limit = summary.limit.clone().unwrap_or_default();
                // Another lane has met it as well, and is waited for already.
                let met = self.backoff.is_some_and(|backoff| backoff.class == Class::UsageLimit);
                let refusals = if met { Retries::default() } else { self.chain.refusals(*agent) };
                let patience = after_limit(&limit, &refusals, &spec.limits, now.wall);
                self.wait(
                    (Class::UsageLimit, self.chain.refusals(*agent)),
                    patience,
                    StopReason::LimitWaitExceeded,
                )
            }
            Class::Outage if self.backoff.is_some() => None,
            Class::Outage => {
                let before = self.chain.outages(*agent);
                let patience = after_outage(&spec.run, &before, &spec.limits, &spec.clocks, now.wall);
                self.wait((Class::Outage, before), patience, StopReason::AgentUnavailable)
            }
            _ if summary.overage && !spec.limits.overage => {
                let detail = "the account is being charged beyond its plan; --allow-overage would go on";
                Some(Fact::failing(StopReason::NeedsHuman, detail))
            }
            _ => None,
        }
    }

    fn wait(
        &self,
        (class, before): (Class, Retries),
        patience: Patience,
        exhausted: StopReason,
    ) -> Option<Fact> {
        match patience {
            Patience::Until(until) => {
                let longer = self.backoff.is_none_or(|Backoff { until: earlier, .. }| earlier < until);
                longer.then_some(Fact::BackoffStarted { until, class, attempt: before.count + 1 })
            }
            Patience::Exhausted(detail) => Some(Fact::failing(exhausted, detail)),
        }
    }
}

/// A judgement is all that its iteration is for.
fn assessed(outcome: &AttemptOutcome) -> Verdict {
    match &outcome.summary.assessment {
        Some(assessment) if assessment.passes() => Verdict::ClaimAccepted,
        Some(_) => Verdict::ClaimRefused,
        None => Verdict::Failed,
    }
}

/// Did the iteration leave a state that the run had not seen, or pass a check for the first time? An agent that says
/// it found nothing to do is believed (seed 000, iterative mode).
fn has_progress(turn: &Turn, outcome: &AttemptOutcome, judged: &Judged) -> bool {
    (turn.progress || judged.first_pass) && !outcome.no_work
}

fn passed(check: u16, outcomes: &[CheckOutcome]) -> bool {
    outcomes.iter().any(|outcome| outcome.check == check && outcome.passed())
}
