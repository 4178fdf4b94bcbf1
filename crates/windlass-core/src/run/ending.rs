//! When a run ends, and why. Where several reasons hold: complete with green gates, then manual, then fatal, then
//! limits, then stagnation.

use crate::claim;
use crate::fact::Fact;
use crate::report::{Broken, Failed};
use crate::run::delivery::BeforeEnd;
use crate::run::lane::LaneState;
use crate::run::{Phase, Run, Stop, Survey};
use crate::spec::{ClaimSource, RunSpec};
use crate::values::{CheckKind, Now, StopReason, StopSource, UnderWay};

impl Run {
    /// The fact that decides how the run ends, if it has to end now.
    pub(super) fn end(&self, now: Now) -> Option<Fact> {
        if self.phase != Phase::Active || !self.may_end() {
            return None;
        }
        let (stop_reason, detail) = self.reason(now)?;
        match self.delivery_before(stop_reason) {
            BeforeEnd::Nothing => {}
            BeforeEnd::UnderWay => return None,
            BeforeEnd::Begins(fact) => return Some(*fact),
        }
        match self.issues_before_end() {
            BeforeEnd::Nothing => {}
            BeforeEnd::UnderWay => return None,
            BeforeEnd::Begins(fact) => return Some(*fact),
        }
        let (stop_reason, detail) = match stop_reason {
            StopReason::Complete => self.untold().unwrap_or_else(|| self.delivered()),
            other => (other, self.delivered_as_it_stands(detail)),
        };
        Some(Fact::RunEnding {
            stop_reason,
            detail,
            iterations: self.counters.finished,
            cost: self.ledger.spent(),
            estimated: self.ledger.is_estimated(),
            estimated_cost: self.ledger.estimated(),
        })
    }

    /// The fact that ends the run, once its end is decided.
    pub(super) fn finished(&self, now: Now) -> Option<Fact> {
        let (stop_reason, detail) = self.ending.clone()?;
        let codes = self.spec.as_ref().map(|spec| spec.exit_codes).unwrap_or_default();
        Some(Fact::RunFinished {
            stop_reason,
            detail,
            iterations: self.counters.finished,
            cost: self.ledger.spent(),
            estimated: self.ledger.is_estimated(),
            estimated_cost: self.ledger.estimated(),
            tokens: self.ledger.tokens(),
            duration: self.active(now),
            exit_code: stop_reason.exit_code(codes),
        })
    }

    /// Is there nothing left that must be seen through? An agent must be gone, what it left must be kept and a commit
    /// that was begun must be known. Checks can be run again.
    fn may_end(&self) -> bool {
        let free = !self.is_greeting() && !self.is_delivering_for_good();
        free && self.lanes.values().all(|lane| self.may_leave(&lane.state))
    }

    fn may_leave(&self, state: &LaneState) -> bool {
        match state {
            LaneState::Idle { .. } | LaneState::Cleared | LaneState::Opening(_) | LaneState::Preparing(_) => {
                true
            }
            // Nobody knows when the other git is done; a resumed run lands it.
            LaneState::Queued(_, outcome, _) => self.ends_agents() || outcome.in_git.held,
            LaneState::Asking | LaneState::Gating(..) | LaneState::Settling(..) => self.ends_agents(),
            // What failed here does not end by itself; a resumed run takes it up again.
            LaneState::Recovering(..)
            | LaneState::Keeping(..)
            | LaneState::Refusing(..)
            | LaneState::Advancing(..)
            | LaneState::Landing(..)
            | LaneState::Recording(..)
            | LaneState::Closing(..)
            | LaneState::Undoing(..) => self.is_broken(),
            LaneState::Calling(..) | LaneState::Terminating(..) | LaneState::Judging(..) => false,
        }
    }

    /// Is there a reason to end, even if another lane must be seen through first?
    pub(super) fn has_to_end(&self, now: Now) -> bool {
        self.reason(now).is_some()
    }

    /// Has the runner itself failed, or lost what it works on, so that what it does may never end?
    pub(super) fn is_broken(&self) -> bool {
        self.failing.as_ref().is_some_and(Failure::breaks)
    }

    /// What nothing can be done after outweighs a reason that lets the rest be seen through.
    pub(super) fn fails(&self, failure: Failure) -> Option<Fact> {
        let lost = |failure: &Failure| failure.under_way == UnderWay::Lost;
        let known = self.failing.as_ref().is_some_and(lost);
        let outweighs = (failure.breaks() && !self.is_broken()) || (lost(&failure) && !known);
        let Failure { stop_reason, detail, under_way } = failure;
        (self.failing.is_none() || outweighs).then_some(Fact::Failing { stop_reason, detail, under_way })
    }

    /// Must running agents be ended?
    pub(super) fn ends_agents(&self) -> bool {
        self.failing.is_some() || self.stop.is_some_and(|stop| stop.stage >= 2)
    }

    fn reason(&self, now: Now) -> Option<(StopReason, String)> {
        let spec = self.spec.as_ref()?;
        if self.counters.complete && !self.is_delivering() {
            return Some((StopReason::Complete, String::new()));
        }
        if let Some(stop) = self.stop {
            return Some((manual(stop), String::new()));
        }
        if let Some(failing) = &self.failing {
            return Some((failing.stop_reason, failing.detail.clone()));
        }
        if let Some(stuck) = self.stuck_on_issues() {
            return Some(stuck);
        }
        // Its work is on its way out, and there is nothing else to do.
        if self.counters.complete {
            return Some((StopReason::Complete, String::new()));
        }
        if self.survey != Survey::Done {
            return None;
        }
        if let Some(reason) = self.ended_by_part() {
            return Some((reason, String::new()));
        }
        if self.counters.started == 0
            && let Some(detail) = self.done_before_it_began(spec)
        {
            return Some((StopReason::NothingToDo, detail.to_owned()));
        }
        if let Some(reason) =
            self.skipped_too_often().or_else(|| self.without_plan(spec)).or_else(|| self.doubtful(spec))
        {
            return Some(reason);
        }
        if self.counters.failures >= spec.limits.failures.max(1) {
            let detail = match self.counters.failures {
                1 => "an iteration failed".to_owned(),
                failures => format!("{failures} iterations in a row failed"),
            };
            return Some((StopReason::ConsecutiveFailures, detail));
        }
        if let Some(reason) = self.unverified(spec).or_else(|| self.claimed_all_the_same()) {
            return Some(reason);
        }
        if let Some(reason) = self.blocked(spec).or_else(|| self.all_parked(spec)) {
            return Some(reason);
        }
        if let Some(reason) = self.review_stalemate(spec) {
            return Some(reason);
        }
        if let Some(reason) = self.uncommitted(spec).or_else(|| self.refused_too_often()) {
            return Some(reason);
        }
        self.limit(spec, now).or_else(|| self.stagnation(spec))
    }

    /// A fresh agent had its say, and what it said was not yes.
    fn unverified(&self, spec: &RunSpec) -> Option<(StopReason, String)> {
        let said = || self.findings.as_ref().map_or_else(String::new, |found| found.summary.clone());
        if spec.job.mode.judges() {
            return (self.refused.in_a_row > 0).then(|| (StopReason::GatesFailing, said()));
        }
        let most = spec.job.verification?.attempts.max(1);
        (self.counters.unverified >= most).then(|| {
            let times = self.counters.unverified;
            let said = said();
            let colon = if said.is_empty() { "" } else { ": " };
            (StopReason::NeedsHuman, format!("{times} verifications refused the finished work{colon}{said}"))
        })
    }

    /// A plan that is gone, empty or not to be read is not a plan without open boxes.
    fn without_plan(&self, spec: &RunSpec) -> Option<(StopReason, String)> {
        let problem = self.lost_plan(spec)?;
        let last = self.counters.started;
        let undo = format!("; `windlass restore {} {last} --before` brings back what was there", spec.run);
        let undo = if last > 0 && spec.git { undo } else { String::new() };
        Some((StopReason::Missing, format!("{problem}{undo}")))
    }

    /// Nothing of the plan is left that anybody could work on before a person has mended it.
    fn doubtful(&self, spec: &RunSpec) -> Option<(StopReason, String)> {
        let of_plan = spec.job.mode.claim() == ClaimSource::Boxes && claim::ends_by_itself(&spec.job);
        let doubt = self.standings.latest().filter(|_| of_plan)?.blockers.first()?;
        Some((StopReason::Blocked, format!("{doubt}; `windlass resume` goes on once it is fixed")))
    }

    pub(super) fn has_lost_its_plan(&self) -> bool {
        self.spec.as_ref().is_some_and(|spec| self.lost_plan(spec).is_some())
    }

    fn lost_plan(&self, spec: &RunSpec) -> Option<String> {
        claim::missing_plan(&spec.job, self.standings.latest()?)
    }

    fn limit(&self, spec: &RunSpec, now: Now) -> Option<(StopReason, String)> {
        let limits = &spec.limits;
        let idle = |state: &LaneState| matches!(state, LaneState::Idle { .. } | LaneState::Cleared);
        let rests = |state: &LaneState| idle(state) || self.waits_beyond_limit(state);
        let between = self.lanes.values().all(|lane| rests(&lane.state));
        let reason = if between && limits.iterations.is_some_and(|most| self.counters.started >= most) {
            StopReason::MaxIterations
        } else if self.counters.budget_exhausted
            || limits.budget().is_some_and(|most| self.ledger.spent() >= most)
        {
            StopReason::MaxCost
        } else if limits.tokens.is_some_and(|most| self.ledger.tokens().total() >= most) {
            StopReason::MaxTokens
        } else if limits.duration.is_some_and(|most| self.active(now) >= most) {
            StopReason::MaxDuration
        } else {
            return None;
        };
        Some((reason, String::new()))
    }

    fn stagnation(&self, spec: &RunSpec) -> Option<(StopReason, String)> {
        let threshold = spec.limits.stagnation?;
        let stands = self.counters.idle >= threshold;
        if spec.job.mode.claim() == ClaimSource::Boxes {
            let ends = stands && claim::ends_by_itself(&spec.job);
            let held = self.lanes.keys().find_map(|lane| self.held_for_review(*lane));
            if let Some(found) = held.filter(|_| ends) {
                let detail = format!(
                    "nothing changes any more, and it is held for review: {found}; `windlass resume {} --accept-findings` takes it \
                     as it is",
                    spec.run
                );
                return Some((StopReason::NeedsHuman, detail));
            }
            let detail =
                "commits, files and plan are as they were before it, or as they had been already".to_owned();
            return ends.then_some((StopReason::NoChanges, detail));
        }
        stands.then(|| {
            let detail = format!("{} iterations in a row made no progress", self.counters.idle);
            (StopReason::Stagnated, format!("{detail}{}", self.may_be_done(spec, threshold)))
        })
    }

    /// An agent that says every time that it is done, and changes nothing, may be right: only nobody has looked.
    fn may_be_done(&self, spec: &RunSpec, threshold: u32) -> &'static str {
        let claimed = self.lanes.values().any(|lane| lane.rows.unsupported >= threshold);
        if !claimed || spec.job.mode.has_tasks() || !spec.checks.is_empty() {
            return "";
        }
        "; the agent said each time that the job is done, and nothing had changed in this run: it may have been done \
         before. `--until CMD` shows that before anything is paid for, `--gate CMD` lets a claim without changes count"
    }

    /// Why there is nothing to do, if that is so before the first iteration.
    fn done_before_it_began(&self, spec: &RunSpec) -> Option<&'static str> {
        if !self.gates_green(&self.baseline) || self.has_lost_its_plan() {
            return None;
        }
        if spec.job.mode.has_tasks() {
            return self.all_is_done().then_some("every task is done");
        }
        let mut until = self.checks(CheckKind::Until).peekable();
        if until.peek().is_none() {
            let source = spec.job.mode.claim();
            let may_stand = spec.job.mode.reads_file() && source.may_stand_at_first();
            let claims = may_stand && self.standings.claims(&spec.job);
            return claims.then_some(match source {
                ClaimSource::Boxes => "no box of the plan is open",
                _ => "the status file says that the job is done, and it is trusted",
            });
        }
        let passed =
            |check: u16| self.baseline.iter().any(|outcome| outcome.check == check && outcome.passed());
        until.all(passed).then_some(
            "every --until command passes before the first iteration; use --gate for checks that must pass in the \
             end but prove nothing by themselves",
        )
    }
}

pub(super) fn manual(stop: Stop) -> StopReason {
    match stop.by {
        StopSource::Interrupt => StopReason::Interrupted,
        StopSource::Terminate => StopReason::Terminated,
        StopSource::Command | StopSource::Page | StopSource::Watch => StopReason::StopRequested,
    }
}

impl From<Failed> for Failure {
    fn from(Failed { stop_reason, detail }: Failed) -> Failure {
        Failure { stop_reason, detail, under_way: UnderWay::SeenThrough }
    }
}

impl From<Broken> for Failure {
    fn from(Broken { stop_reason, detail }: Broken) -> Failure {
        Failure { stop_reason, detail, under_way: UnderWay::GivenUp }
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    pub stop_reason: StopReason,
    pub detail: String,
    pub under_way: UnderWay,
}

impl Failure {
    /// The run's own folder is gone.
    pub fn lost(detail: String) -> Failure {
        Failure { stop_reason: StopReason::NeedsHuman, detail, under_way: UnderWay::Lost }
    }

    /// May what is being done never end? Either it has failed, or the runner has, or what it works on is lost.
    fn breaks(&self) -> bool {
        let lost = matches!(
            self.stop_reason,
            StopReason::DiskFull | StopReason::Internal | StopReason::DestructiveChange
        );
        lost || self.under_way != UnderWay::SeenThrough
    }
}
