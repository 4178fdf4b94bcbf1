//! Folding facts into the state: live, at recovery and in replay alike.

use std::sync::Arc;
use std::time::Duration;

use crate::fact::{
    CallSummary, CheckOutcome, CheckStage, Class, Cost, Entry, Evidence, Fact, LaneId, Now, Purpose,
    SnapshotId, StopReason, Tokens, Verdict,
};
use crate::run::lane::{Call, Checking, Judged, Kept, LaneState, Outcome, Termination, Turn};
use crate::run::verdict::Course;
use crate::run::{Hold, Lane, NotesShare, Phase, Refused, Run, RunPlan, Stop, Survey};

/// A fact that cannot follow in this state: the journal was damaged or written by something else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("fact {seq} ({fact}) cannot follow here: {why}")]
pub struct IllegalFact {
    /// Its number.
    pub seq: u64,
    /// Its kind.
    pub fact: &'static str,
    /// What stands against it.
    pub why: String,
}

type Applied = Result<(), String>;

impl Run {
    /// Folds one fact into the state.
    ///
    /// # Errors
    /// Refuses a fact that is illegal in this state, or out of order; the state is then unchanged.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), IllegalFact> {
        let refuse = |why: String| IllegalFact {
            seq: entry.seq,
            fact: entry.fact.name(),
            why,
        };
        if entry.seq != self.next_seq() {
            return Err(refuse(format!("number {} was expected", self.next_seq())));
        }
        self.fold(entry.at, &entry.fact).map_err(refuse)?;
        self.seq = entry.seq;
        self.last = Some(entry.at);
        Ok(())
    }

    fn fold(&mut self, now: Now, fact: &Fact) -> Applied {
        match fact {
            Fact::RunStarted { plan } => return self.run_started(plan),
            Fact::RunResumed { plan } => return self.run_resumed(plan),
            _ if self.phase != Phase::Active => return Err("the run is not under way".to_owned()),
            _ => {}
        }
        match fact {
            Fact::RunStarted { .. } | Fact::RunResumed { .. } | Fact::Noticed { .. } => Ok(()),
            Fact::Surveyed {
                evidence, snapshot, ..
            } => self.surveyed(evidence, snapshot.as_ref()),
            Fact::CheckFinished { lane, stage, outcome } => self.check_finished(*lane, *stage, outcome),
            Fact::IterationStarted { lane, iteration } => self.iteration_started(now, *lane, *iteration),
            Fact::CallReserved {
                lane,
                call,
                reserved,
                budget,
                ..
            } => {
                let turn = self.take_state(*lane, "preparing", |state| match state {
                    LaneState::Preparing(turn) => Some(turn.clone()),
                    _ => None,
                })?;
                self.ledger.reserve(*call, *reserved);
                self.set_state(
                    *lane,
                    LaneState::Calling(
                        turn,
                        Call {
                            id: *call,
                            budget: *budget,
                        },
                    ),
                );
                Ok(())
            }
            Fact::CallSpawned { lane, call, .. } => self.expect_call(*lane, *call).map(|_| ()),
            Fact::CallCut {
                lane,
                call,
                cut,
                now: kill,
            } => {
                let (turn, call) = self.expect_call(*lane, *call)?;
                let termination = Termination {
                    since: now.monotonic,
                    cut: *cut,
                    kill: *kill,
                };
                self.set_state(*lane, LaneState::Terminating(turn, call, termination));
                Ok(())
            }
            Fact::CallFinished {
                lane,
                call,
                claimed,
                summary,
            } => {
                let (turn, call) = self.expect_call(*lane, *call)?;
                self.call_finished_fact(*lane, turn, call, *claimed, summary);
                Ok(())
            }
            Fact::Kept {
                lane,
                evidence,
                snapshot,
                ..
            } => self.kept(*lane, evidence, snapshot.as_ref()),
            Fact::Committed {
                lane,
                commit,
                evidence,
                altered,
                ..
            } => self.committed(*lane, commit.is_some(), evidence, *altered),
            Fact::Settled { lane, evidence } => self.settled(*lane, evidence),
            Fact::AttemptRepeats { lane, class, .. } => self.attempt_repeats(now, *lane, *class),
            Fact::IterationFinished {
                lane,
                verdict,
                class,
                progress,
                ..
            } => self.iteration_finished(now, *lane, *verdict, *class, *progress),
            Fact::Held { until, class, .. } => {
                if *class == Class::UsageLimit {
                    self.clock.wait_begins(now);
                }
                self.hold = Some(Hold {
                    until: *until,
                    class: *class,
                });
                Ok(())
            }
            Fact::Released => {
                self.hold.take().ok_or("nothing was waited for")?;
                self.clock.wait_ends(now);
                Ok(())
            }
            Fact::StopRequested { by, stage } => {
                self.stop = Some(Stop {
                    by: *by,
                    stage: *stage,
                });
                Ok(())
            }
            Fact::Failing { stop_reason, detail } => {
                self.failing = Some((*stop_reason, detail.clone()));
                Ok(())
            }
            Fact::RunFinished { stop_reason, .. } => {
                self.phase = Phase::Ended(*stop_reason);
                Ok(())
            }
        }
    }

    fn run_started(&mut self, plan: &RunPlan) -> Applied {
        if self.phase != Phase::New {
            return Err("the run has started already".to_owned());
        }
        self.phase = Phase::Active;
        self.plan = Some(Arc::new(plan.clone()));
        let lane = Lane {
            state: LaneState::Idle {
                not_before: Duration::ZERO,
            },
            latest: None,
            committed: None,
        };
        self.lanes.insert(LaneId::default(), lane);
        Ok(())
    }

    /// What was running is lost: calls are recovered, and what a person may have changed meanwhile is looked at
    /// before anything is judged again. The counter that ended the run begins anew; all others stand.
    fn run_resumed(&mut self, plan: &RunPlan) -> Applied {
        let Some(last) = self.last else {
            return Err("the run has not started".to_owned());
        };
        match self.phase {
            Phase::Ended(StopReason::ConsecutiveFailures) => self.counters.failures = 0,
            Phase::Ended(StopReason::Stagnated) => self.counters.idle = 0,
            Phase::Ended(StopReason::GatesFailing) => self.refused.in_a_row = 0,
            Phase::Ended(StopReason::AgentUnavailable) => self.outages = super::Retries::default(),
            Phase::Ended(StopReason::LimitWaitExceeded) => self.refusals = super::Retries::default(),
            _ => {}
        }
        self.counters.budget_exhausted = false;
        self.phase = Phase::Active;
        self.plan = Some(Arc::new(plan.clone()));
        self.clock.new_session(last);
        self.stop = None;
        self.failing = None;
        if self.survey == Survey::Done {
            self.survey = Survey::Again;
        }
        for lane in self.lanes.values_mut() {
            lane.state = after_restart(&lane.state);
        }
        Ok(())
    }

    fn surveyed(&mut self, evidence: &Evidence, snapshot: Option<&SnapshotId>) -> Applied {
        let first = match self.survey {
            Survey::First => true,
            Survey::Again => false,
            Survey::Baseline | Survey::Done => return Err("the world was looked at already".to_owned()),
        };
        self.history.saw(evidence);
        for lane in self.lanes.values_mut() {
            lane.latest = Some(evidence.clone());
            if first {
                lane.committed = snapshot.cloned();
            }
        }
        self.survey = Survey::Baseline;
        self.leave_baseline();
        Ok(())
    }

    /// The baseline is over once every check has been run.
    fn leave_baseline(&mut self) {
        if self.survey == Survey::Baseline && self.next_baseline_check().is_none() {
            self.survey = Survey::Done;
        }
    }

    pub(super) fn expects_check(&self, lane: LaneId, stage: CheckStage, check: u16) -> bool {
        if stage == CheckStage::Baseline {
            return self.survey == Survey::Baseline && self.next_baseline_check() == Some(check);
        }
        match self.lane(lane) {
            Some(LaneState::Gating(_, outcome, checking)) => {
                checking.stage == stage && self.next_check(outcome, &checking.done) == Some(check)
            }
            _ => false,
        }
    }

    fn check_finished(&mut self, lane: LaneId, stage: CheckStage, outcome: &CheckOutcome) -> Applied {
        if !self.expects_check(lane, stage, outcome.check) {
            return Err("this check was not due".to_owned());
        }
        let first_pass = self.history.is_first_pass(std::slice::from_ref(outcome));
        self.history.checked(outcome);
        if stage == CheckStage::Baseline {
            self.baseline.push(outcome.clone());
            self.leave_baseline();
            return Ok(());
        }
        let Some(LaneState::Gating(turn, candidate, checking)) = self.lane(lane).cloned() else {
            return Err("no check was due".to_owned());
        };
        let mut done = checking.done;
        done.push(outcome.clone());
        let checking = Checking {
            stage,
            done,
            first_pass: checking.first_pass || first_pass,
        };
        let state = self.next_after_checks(turn, candidate, checking);
        self.set_state(lane, state);
        Ok(())
    }

    fn iteration_started(&mut self, now: Now, lane: LaneId, iteration: u32) -> Applied {
        self.take_state(lane, "idle", |state| {
            matches!(state, LaneState::Idle { .. }).then_some(())
        })?;
        if iteration != self.counters.started + 1 {
            return Err(format!("iteration {} was expected", self.counters.started + 1));
        }
        self.counters.started = iteration;
        let turn = Turn {
            iteration,
            attempt: 1,
            purpose: Purpose::Work,
            began: now.wall,
            cost: Cost::ZERO,
            tokens: Tokens::default(),
            notes: NotesShare::Usual,
            progress: false,
        };
        self.set_state(lane, LaneState::Preparing(turn));
        Ok(())
    }

    fn call_finished_fact(
        &mut self,
        lane: LaneId,
        mut turn: Turn,
        call: Call,
        claimed: bool,
        summary: &CallSummary,
    ) {
        self.ledger
            .charge(call.id, summary.cost, summary.tokens, summary.estimated);
        turn.cost += summary.cost;
        turn.tokens += summary.tokens;
        let outcome = Outcome {
            summary: summary.clone(),
            claimed,
            kept: None,
        };
        self.set_state(lane, LaneState::Keeping(turn, outcome));
    }

    fn kept(&mut self, lane: LaneId, evidence: &Evidence, snapshot: Option<&SnapshotId>) -> Applied {
        let (mut turn, mut outcome) = self.take_state(lane, "keeping", |state| match state {
            LaneState::Keeping(turn, outcome) => Some((turn.clone(), outcome.clone())),
            _ => None,
        })?;
        let is_new = self.history.is_new(evidence);
        let moved = self.latest_evidence(lane) != Some(evidence);
        turn.progress |= is_new;
        outcome.kept = Some(Kept {
            evidence: evidence.clone(),
            snapshot: snapshot.cloned(),
            is_new,
            moved,
        });
        self.history.reached(evidence);
        self.remember(lane, evidence);
        let state = match self.course(&turn, &outcome) {
            Course::Repeat(_) => LaneState::Judging(turn, outcome, Judged::default()),
            Course::Finish => {
                let checking = Checking {
                    stage: CheckStage::Candidate,
                    done: Vec::new(),
                    first_pass: false,
                };
                self.next_after_checks(turn, outcome, checking)
            }
        };
        self.set_state(lane, state);
        Ok(())
    }

    /// The state after the checks run so far: the next check, the commit, a look at what the checks wrote, the verdict.
    fn next_after_checks(&self, turn: Turn, outcome: Outcome, checking: Checking) -> LaneState {
        if self.next_check(&outcome, &checking.done).is_some() {
            return LaneState::Gating(turn, outcome, checking);
        }
        let commits = checking.stage == CheckStage::Candidate
            && self.would_commit(&outcome)
            && self.gates_green(&checking.done);
        let judged = Judged {
            outcomes: checking.done,
            first_pass: checking.first_pass,
        };
        if commits {
            LaneState::Advancing(turn, outcome, judged)
        } else if judged.outcomes.is_empty() {
            LaneState::Judging(turn, outcome, judged)
        } else {
            LaneState::Settling(turn, outcome, judged)
        }
    }

    fn committed(&mut self, lane: LaneId, made: bool, evidence: &Evidence, altered: bool) -> Applied {
        let (turn, outcome, judged) = self.take_state(lane, "advancing", |state| match state {
            LaneState::Advancing(turn, outcome, judged) => {
                Some((turn.clone(), outcome.clone(), judged.clone()))
            }
            _ => None,
        })?;
        self.history.saw(evidence);
        self.remember(lane, evidence);
        if made && let Some(held) = self.lanes.get_mut(&lane) {
            held.committed = outcome.kept.as_ref().and_then(|kept| kept.snapshot.clone());
        }
        let state = if judged.outcomes.is_empty() {
            LaneState::Judging(turn, outcome, judged)
        } else if made && altered {
            let first_pass = judged.first_pass;
            LaneState::Gating(
                turn,
                outcome,
                Checking {
                    stage: CheckStage::Committed,
                    done: Vec::new(),
                    first_pass,
                },
            )
        } else {
            LaneState::Settling(turn, outcome, judged)
        };
        self.set_state(lane, state);
        Ok(())
    }

    fn settled(&mut self, lane: LaneId, evidence: &Evidence) -> Applied {
        let (turn, outcome, judged) = self.take_state(lane, "settling", |state| match state {
            LaneState::Settling(turn, outcome, judged) => {
                Some((turn.clone(), outcome.clone(), judged.clone()))
            }
            _ => None,
        })?;
        self.history.saw(evidence);
        self.remember(lane, evidence);
        self.set_state(lane, LaneState::Judging(turn, outcome, judged));
        Ok(())
    }

    fn attempt_repeats(&mut self, now: Now, lane: LaneId, class: Class) -> Applied {
        let turn = self.take_state(lane, "judging", |state| match state {
            LaneState::Judging(turn, _, _) => Some(turn.clone()),
            _ => None,
        })?;
        let notes = if class == Class::ContextTooLong {
            NotesShare::Little
        } else {
            turn.notes
        };
        self.set_state(lane, LaneState::Preparing(turn.next_attempt(notes)));
        self.count_reach(now, class);
        Ok(())
    }

    fn iteration_finished(
        &mut self,
        now: Now,
        lane: LaneId,
        verdict: Verdict,
        class: Class,
        progress: bool,
    ) -> Applied {
        let judged = self.take_state(lane, "judging", |state| match state {
            LaneState::Judging(_, _, judged) => Some(judged.clone()),
            _ => None,
        })?;
        self.count_reach(now, class);
        self.count_verdict(verdict, progress);
        self.count_claim(verdict, &judged.outcomes);
        self.counters.finished += 1;
        self.counters.budget_exhausted |= class == Class::BudgetExhausted;
        let delay = self
            .plan
            .as_ref()
            .map_or(Duration::ZERO, |plan| plan.clocks.delay);
        self.set_state(
            lane,
            LaneState::Idle {
                not_before: now.monotonic + delay,
            },
        );
        Ok(())
    }

    /// Attempts in a row that did not get through to the API.
    fn count_reach(&mut self, now: Now, class: Class) {
        match class {
            Class::Outage => self.outages.failed(now.wall),
            Class::UsageLimit => self.refusals.failed(now.wall),
            Class::Interrupted => {}
            _ => {
                self.outages = super::Retries::default();
                self.refusals = super::Retries::default();
            }
        }
    }

    fn count_verdict(&mut self, verdict: Verdict, progress: bool) {
        let counters = &mut self.counters;
        counters.failures = if verdict == Verdict::Failed {
            counters.failures + 1
        } else {
            0
        };
        counters.idle = match verdict {
            _ if progress => 0,
            // A failure is counted as a failure; a claim that stands lets the counter rest.
            Verdict::Failed | Verdict::ClaimAccepted => counters.idle,
            _ => counters.idle + 1,
        };
    }

    fn count_claim(&mut self, verdict: Verdict, outcomes: &[CheckOutcome]) {
        let by_check = self.checks(crate::fact::CheckKind::Until).next().is_some();
        let threshold = self
            .plan
            .as_ref()
            .map_or(1, |plan| plan.job.completion_threshold.max(1));
        match verdict {
            Verdict::ClaimAccepted => {
                self.counters.claims += 1;
                self.counters.complete = by_check || self.counters.claims >= threshold;
                self.refused = Refused::default();
            }
            Verdict::ClaimRefused => {
                self.counters.claims = 0;
                let red: Vec<u16> = outcomes
                    .iter()
                    .filter(|one| !one.passed())
                    .map(|one| one.check)
                    .collect();
                let same = self.refused.in_a_row > 0 && self.refused.checks == red;
                let in_a_row = if same { self.refused.in_a_row + 1 } else { 1 };
                self.refused = Refused {
                    in_a_row,
                    checks: red,
                    outcomes: outcomes.to_vec(),
                };
            }
            _ => self.counters.claims = 0,
        }
    }

    fn expect_call(&self, lane: LaneId, call: crate::fact::CallId) -> Result<(Turn, Call), String> {
        match self.lane(lane).and_then(LaneState::call) {
            Some((turn, running)) if running.id == call => Ok((turn.clone(), running)),
            _ => Err(format!("call {call} is not under way in lane {lane}")),
        }
    }

    fn take_state<T>(
        &self,
        lane: LaneId,
        wanted: &str,
        pick: impl FnOnce(&LaneState) -> Option<T>,
    ) -> Result<T, String> {
        let state = self
            .lane(lane)
            .ok_or_else(|| format!("there is no lane {lane}"))?;
        pick(state).ok_or_else(|| format!("lane {lane} is {}, not {wanted}", state.name()))
    }

    fn set_state(&mut self, lane: LaneId, state: LaneState) {
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.state = state;
        }
    }

    fn remember(&mut self, lane: LaneId, evidence: &Evidence) {
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.latest = Some(evidence.clone());
        }
    }
}

/// A lane's state after the runner that held it is gone: its clocks are void, a call is to be recovered, and what was
/// to be judged is kept and judged anew, since the tree may have changed meanwhile.
fn after_restart(state: &LaneState) -> LaneState {
    match state {
        LaneState::Idle { .. } => LaneState::Idle {
            not_before: Duration::ZERO,
        },
        LaneState::Calling(turn, call) | LaneState::Terminating(turn, call, _) => {
            LaneState::Recovering(turn.clone(), *call)
        }
        LaneState::Gating(turn, outcome, _)
        | LaneState::Advancing(turn, outcome, _)
        | LaneState::Settling(turn, outcome, _) => LaneState::Keeping(
            turn.clone(),
            Outcome {
                kept: None,
                ..outcome.clone()
            },
        ),
        LaneState::Preparing(_)
        | LaneState::Recovering(..)
        | LaneState::Keeping(..)
        | LaneState::Judging(..) => state.clone(),
    }
}
