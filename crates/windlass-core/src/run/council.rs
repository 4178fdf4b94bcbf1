//! Councils: when a fresh agent is asked about a conflict of principles, and what follows from its answer.

use super::apply::Applied;
use crate::council::conflict_in;
use crate::fact::Fact;
use crate::report::Noticed;
use crate::run::lane::{AttemptOutcome, Candidate, Council, Judged, LaneState, Turn};
use crate::run::verdict::Course;
use crate::run::{Run, TurnKey};
use crate::spec::{CouncilSpec, Due};
use crate::values::{
    CallReport, CallSummary, Class, Conflict, Decision, Evidence, LaneId, Now, Purpose, SettledConflict,
    Verdict,
};

/// What councils of a run have decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Councils {
    /// How many were called.
    pub(super) called: u32,
    /// What was decided, in this order.
    settled: Vec<SettledConflict>,
    /// The SHA-256 of the project's log after the runner last wrote into it.
    log: Option<String>,
}

impl Run {
    /// What councils have decided so far, in this order: the rules of every later call.
    pub fn decisions(&self) -> &[SettledConflict] {
        &self.councils.settled
    }

    /// The SHA-256 of the log of decisions as the runner left it; `None` = it wrote none.
    pub fn decision_log(&self) -> Option<&str> {
        self.councils.log.as_deref()
    }

    /// The conflict that a lane's council is asked about.
    pub fn conflict(&self, lane: LaneId) -> Option<&Conflict> {
        let turn = self.lane(lane)?.turn()?;
        match &turn.council {
            Council::Asked(candidate) => turn.conflict(&candidate.outcome),
            Council::Unasked | Council::Over => None,
        }
    }

    /// What is to be written into the log of decisions.
    pub(super) fn to_be_logged(&self, turn: TurnKey) -> Option<&SettledConflict> {
        self.councils
            .settled
            .last()
            .filter(|last| (last.iteration, last.attempt) == (turn.iteration, turn.attempt))
    }

    /// The conflict that an agent at work reports in its last words. Who was cut off has not said its last.
    pub(super) fn reported_conflict(&self, turn: &Turn, report: &CallReport) -> Option<Conflict> {
        let works = self.spec.as_ref().is_some_and(|spec| turn.purpose == spec.job.mode.purpose());
        let is_meant = works && report.class == Class::Success && self.principles().is_some();
        self.council_spec().filter(|_| is_meant)?;
        conflict_in(report.results.last()?)
    }

    fn council_spec(&self) -> Option<&CouncilSpec> {
        self.follow_up(Due::ConflictStands)?;
        self.spec.as_ref()?.council.as_ref()
    }

    /// The call of a council that has to be made before an iteration ends with this verdict. Where nothing follows it, there
    /// is nobody to go by what would be decided.
    pub(super) fn council_before(
        &self,
        lane: LaneId,
        now: Now,
        turn: &Turn,
        outcome: &AttemptOutcome,
        verdict: Verdict,
    ) -> Option<Fact> {
        let spec = self.council_spec()?;
        let is_open = turn.council == Council::Unasked && turn.conflict(outcome).is_some();
        let may_ask = self.councils.called < spec.per_run && self.goes_on_after(verdict);
        let may_ask = may_ask
            && self.consequence(self.call_for(lane, turn.purpose), outcome, now).is_empty()
            && !self.has_to_end(now);
        (is_open && may_ask).then_some(Fact::FollowUpDue {
            lane,
            iteration: turn.iteration,
            attempt: turn.attempt,
            purpose: Purpose::Council,
        })
    }

    /// What is said of a conflict that is put before nobody, since all councils of the run were called.
    pub(super) fn without_council(&self, turn: &Turn, outcome: &AttemptOutcome) -> Option<Fact> {
        let most = self.council_spec()?.per_run;
        let is_open = turn.council == Council::Unasked && turn.conflict(outcome).is_some();
        (is_open && self.councils.called >= most).then(|| {
            let (iteration, called) = (turn.iteration, self.councils.called);
            let text = format!(
                "the agent of iteration {iteration} reports a conflict of principles, which is left to it: councils called \
                 in this run: {called}; council.per_run would allow more"
            );
            Noticed { text }.into()
        })
    }

    /// Is there an iteration after one that ends so?
    fn goes_on_after(&self, verdict: Verdict) -> bool {
        verdict != Verdict::ClaimAccepted || self.is_of_tasks() || !self.would_complete()
    }

    pub(super) fn council_due(&mut self, lane: LaneId) -> Applied {
        let (turn, outcome, judged) = self.take_state(lane, "judging", |state| {
            state.try_as_judging().filter(|(turn, ..)| turn.council == Council::Unasked)
        })?;
        let evidence = self.latest_evidence(lane).cloned();
        let candidate = Box::new(Candidate { purpose: turn.purpose, outcome, judged, evidence });
        let turn = Turn { council: Council::Asked(candidate), ..turn.follow_up(Purpose::Council) };
        self.councils.called += 1;
        self.set_state(lane, LaneState::Preparing(turn));
        Ok(())
    }

    /// The council's call is over, and what it left is kept: the iteration goes on where it was.
    pub(super) fn after_council(&mut self, mut turn: Turn, answer: AttemptOutcome) -> LaneState {
        if let Course::Repeat(_) = self.course(&turn, &answer) {
            return LaneState::Judging(turn, answer, Judged::default());
        }
        let Council::Asked(candidate) = std::mem::replace(&mut turn.council, Council::Over) else {
            return LaneState::Judging(turn, answer, Judged::default());
        };
        let conflict = turn.conflict(&candidate.outcome).cloned().unwrap_or_default();
        let decided = Decision::of(&answer.summary, &conflict).cloned();
        let Candidate { outcome, judged, .. } = *candidate;
        let outcome = with_answer(outcome, &answer.summary, self.claim_stands());
        let Some(decision) = decided else { return LaneState::Judging(turn, outcome, judged) };
        let TurnKey { iteration, attempt } = turn.key();
        self.councils.settled.push(SettledConflict { iteration, attempt, conflict, decision });
        if self.spec.as_ref().and_then(|spec| spec.council.as_ref()).is_some_and(|council| council.logs) {
            return LaneState::Recording(turn, outcome, judged);
        }
        LaneState::Judging(turn, outcome, judged)
    }

    /// What was decided stands in the project's log, or cannot.
    pub(super) fn decision_logged(&mut self, lane: LaneId, digest: Option<&str>) -> Applied {
        let (turn, outcome, judged) = self.take_state(lane, "recording", LaneState::try_as_recording)?;
        if let Some(digest) = digest {
            self.councils.log = Some(digest.to_owned());
        }
        self.set_state(lane, LaneState::Judging(turn, outcome, judged));
        Ok(())
    }

    /// Whoever decides writes nothing that is anybody's work.
    pub(super) fn disown_what_councils_wrote(&mut self, lane: LaneId, turn: &Turn, evidence: &Evidence) {
        if matches!(turn.council, Council::Asked(_)) {
            self.disown(lane, evidence);
        }
    }
}

impl Turn {
    /// The conflict that the agent of this iteration reported; `outcome` is what its work came to, or what was said of its
    /// claim.
    fn conflict<'a>(&'a self, outcome: &'a AttemptOutcome) -> Option<&'a Conflict> {
        let work = self.claim.as_ref().map_or(outcome, |claim| &claim.outcome);
        work.summary.conflict.as_deref()
    }
}

/// The work is what it was; but what its council's call used up is used up.
fn with_answer(work: AttemptOutcome, answer: &CallSummary, stands: bool) -> AttemptOutcome {
    let spent = answer.class == Class::BudgetExhausted;
    let class = if spent { Class::BudgetExhausted } else { work.summary.class };
    let overage = work.summary.overage || answer.overage;
    let summary = CallSummary { class, overage, ..work.summary };
    AttemptOutcome { summary, claimed: work.claimed && stands, ..work }
}
