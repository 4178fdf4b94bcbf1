//! What is counted per run, in the order in which iterations end.

use crate::claim;
use crate::run::lane::{AttemptOutcome, Candidate};
use crate::run::rows::Rows;
use crate::run::{Refused, Run};
use crate::values::{AgentIndex, CheckKind, CheckOutcome, Class, LaneId, Now, TaskEnd, TaskId, Verdict};

impl Run {
    /// Attempts in a row that did not get through to the API.
    pub(super) fn count_reach(&mut self, now: Now, agent: AgentIndex, class: Class) {
        let again = class.is_of_reach() && self.backoff.is_some();
        let met = again && std::mem::replace(&mut self.backoff_counted, true);
        self.chain.count(agent, now, class, met);
    }

    pub(super) fn count_verdict(&mut self, lane: LaneId, verdict: Verdict, class: Class, progress: bool) {
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.rows.count(verdict, class, progress);
        }
        self.count_rows();
    }

    /// How often a task has failed since it was begun.
    pub(super) fn count_task(
        &mut self,
        (lane, task): (LaneId, &TaskId),
        verdict: Verdict,
        outcome: &AttemptOutcome,
        progress: bool,
    ) {
        if self.counts_against(lane, verdict, outcome, progress) {
            *self.tasks.failed.entry(task.clone()).or_default() += 1;
        }
    }

    /// A task is over in its lane, and with it what it failed at.
    pub(super) fn count_end(&mut self, lane: LaneId, task: &TaskId, end: &TaskEnd) {
        match end {
            TaskEnd::Again { .. } => return,
            // It counts once its pull request is through.
            TaskEnd::Done if self.has_parts_of_tasks() => {}
            TaskEnd::Done => (self.counters.done, self.counters.parked) = (self.counters.done + 1, 0),
            // That a person wants none of it says nothing of the others.
            TaskEnd::Parked { .. } if self.tasks.left.contains(task) => {}
            TaskEnd::Parked { .. } => self.counters.parked += 1,
        }
        self.forget_rows(lane);
    }

    pub(super) fn forget_rows(&mut self, lane: LaneId) {
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.rows = Rows::default();
        }
        self.count_rows();
    }

    /// A follow-up call that refused the work, or came to no judgement.
    pub(super) fn count_answer(&mut self, claim: Option<&Candidate>, verdict: Verdict) {
        if claim.is_some() && verdict != Verdict::ClaimAccepted {
            self.counters.unverified += 1;
        }
    }

    /// What `--until` said goes into the next prompt: nothing else would tell the agent what is missing.
    pub(super) fn tell_until(&mut self, outcomes: &[CheckOutcome]) {
        let until: Vec<u16> = self.checks(CheckKind::Until).collect();
        let red = |one: &&CheckOutcome| until.contains(&one.check) && !one.passed();
        let red: Vec<CheckOutcome> = outcomes.iter().filter(red).cloned().collect();
        if !red.is_empty() {
            self.refused.outcomes = red;
        }
    }

    pub(super) fn count_claim(
        &mut self,
        lane: LaneId,
        verdict: Verdict,
        (outcome, follows_up): (&AttemptOutcome, Option<&Candidate>),
        outcomes: &[CheckOutcome],
    ) {
        let by_check = self.checks(CheckKind::Until).next().is_some();
        let threshold = self.spec.as_ref().map_or(1, |spec| claim::claims_needed(&spec.job));
        match verdict {
            Verdict::ClaimAccepted => {
                self.counters.claims += 1;
                // A job of tasks is complete once every task is.
                let by_claims = self.counters.claims >= threshold && !self.is_of_tasks();
                self.counters.complete = by_check || by_claims;
                self.refused = Refused::default();
                self.findings = None;
                self.forget_refusals(lane);
            }
            Verdict::ClaimRefused => {
                self.counters.claims = 0;
                let red: Vec<u16> =
                    outcomes.iter().filter(|one| !one.passed()).map(|one| one.check).collect();
                let by_agent = follows_up.is_some() && self.hook_refusal(lane).is_none();
                let by_guard = !self.held(lane).is_empty();
                let otherwise = red.is_empty() && (by_agent || by_guard || self.lacks_review(lane, outcome));
                if let Some(held) = self.lanes.get_mut(&lane) {
                    held.rows.refuse(red, otherwise);
                }
                self.refused.outcomes = outcomes.to_vec();
                self.count_rows();
            }
            _ => {
                self.counters.claims = 0;
                self.tell_until(outcomes);
            }
        }
    }

    fn forget_refusals(&mut self, lane: LaneId) {
        if let Some(held) = self.lanes.get_mut(&lane) {
            (held.rows.refused, held.rows.checks) = (0, Vec::new());
        }
        self.count_rows();
    }
}
