//! Folding facts into the state: live, at recovery and in replay alike.

mod attempt;
mod committing;
mod counting;
mod damage;
mod hooks;
mod review;
mod session;
mod tasks;

use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::ending::Failure;
use crate::run::lane::{Call, LaneState, Termination};
use crate::run::ledger::Charge;
use crate::run::{Backoff, Phase, Run, Stop};
use crate::values::{Class, Named, Now};

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

pub(in crate::run) type Applied = Result<(), String>;

impl Run {
    /// Folds one fact into the state.
    ///
    /// # Errors
    /// Refuses a fact that is illegal in this state, or out of order; the state is then unchanged.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), IllegalFact> {
        let refuse = |why: String| IllegalFact { seq: entry.seq, fact: entry.fact.name(), why };
        if entry.seq != self.next_seq() {
            return Err(refuse(format!("number {} was expected", self.next_seq())));
        }
        self.fold(entry.at, &entry.fact).map_err(refuse)?;
        self.settle_queue();
        self.remember_for_hooks(entry.at, &entry.fact);
        self.seq = entry.seq;
        // Whoever asks for something after the run was cut off does not make it last longer.
        if !matches!(entry.fact, Fact::ActionAsked(_)) {
            self.last = Some(entry.at);
        }
        Ok(())
    }

    fn fold(&mut self, now: Now, fact: &Fact) -> Applied {
        match fact {
            Fact::RunStarted { plan: spec } => self.run_started(spec),
            Fact::RunResumed { plan: spec } => self.run_resumed(spec),
            Fact::ActionAsked(_) if self.phase != Phase::New => Ok(()),
            _ if self.phase != Phase::Active => Err("the run is not under way".to_owned()),
            Fact::Noticed(_) | Fact::NotificationSettled(_) => Ok(()),
            Fact::RunFinished { stop_reason, .. } => {
                self.phase = Phase::Ended(*stop_reason);
                self.ending = None;
                Ok(())
            }
            Fact::HookFinished(report::HookFinished { lane, hook, outcome }) => {
                self.hook_finished(now, *lane, *hook, outcome)
            }
            _ if self.is_ending() => Err("the run is ending".to_owned()),
            Fact::RunEnding { stop_reason, detail, .. } => {
                self.ending = Some((*stop_reason, detail.clone()));
                Ok(())
            }
            Fact::BaselineCaptured(report::BaselineCaptured { evidence, snapshot, standing, .. }) => {
                self.surveyed(evidence, snapshot.as_ref(), standing.as_ref())
            }
            Fact::TasksRead { tasks } => self.tasks_read(tasks),
            Fact::Delivery(step) => self.delivery_step(now, step),
            Fact::Issue(step) => self.issue_step(now, step),
            Fact::BackoffStarted { until, class, attempt } => {
                if *class == Class::UsageLimit {
                    self.clock.wait_begins(now);
                }
                self.backoff_counted &= self.backoff.is_some();
                self.backoff = Some(Backoff { until: *until, class: *class, attempt: *attempt });
                Ok(())
            }
            Fact::BackoffEnded => {
                self.backoff.take().ok_or("nothing was waited for")?;
                if !self.waits_outside() {
                    self.clock.wait_ends(now);
                }
                Ok(())
            }
            Fact::AgentAway { agent, class, until, detail, .. } => {
                self.agent_leaves(*agent, (*class, *until), detail)
            }
            Fact::AgentBack { agent } => self.agent_returns(*agent),
            Fact::StopRequested { by, stage } => {
                self.delivery_stops();
                self.stop = Some(Stop { by: *by, stage: *stage });
                Ok(())
            }
            Fact::ParkRequested { task, .. } => {
                self.tasks.leave(task)?;
                self.forsake_part();
                Ok(())
            }
            Fact::Failing { stop_reason, detail, under_way } => {
                let detail = detail.clone();
                self.failing = Some(Failure { stop_reason: *stop_reason, detail, under_way: *under_way });
                Ok(())
            }
            of_a_lane => self.fold_in_lane(now, of_a_lane),
        }
    }

    fn fold_in_lane(&mut self, now: Now, fact: &Fact) -> Applied {
        self.pass_over_commit(fact);
        match fact {
            Fact::IterationStarted { lane, iteration, task } => {
                self.iteration_started(now, *lane, *iteration, task.as_ref())
            }
            Fact::CallReserved { lane, call, agent, reserved, budget, .. } => {
                self.call_reserved(*lane, Call { id: *call, agent: *agent, budget: *budget }, *reserved)
            }
            Fact::CallSpawned(report::CallSpawned { lane, call, .. }) => {
                self.expect_call(*lane, *call).map(drop)
            }
            Fact::CallCut { lane, call, cut, now: kill } => {
                let (turn, call) = self.expect_call(*lane, *call)?;
                let termination = Termination { since: now.monotonic, cut: *cut, kill: *kill };
                self.set_state(*lane, LaneState::Terminating(turn, call, termination));
                Ok(())
            }
            Fact::CallFinished { lane, call, claimed, summary } => {
                let (turn, call) = self.expect_call(*lane, *call)?;
                self.call_finished(*lane, turn, call, *claimed, summary);
                Ok(())
            }
            Fact::CallRecharged { lane, call, cost, estimated, listed, tokens, .. } => {
                let charge = Charge { cost: *cost, estimated: *estimated, listed: *listed };
                self.call_recharged(*lane, *call, charge, *tokens)
            }
            Fact::StatusChanged(report::StatusChanged { lane, standing }) => {
                self.status_changed(*lane, standing)
            }
            Fact::SnapshotTaken(taken) => self.snapshot_kept(taken),
            Fact::Damaged(report::Damaged { lane, found, course, .. }) => self.damaged(*lane, found, *course),
            Fact::Undone(report::Undone { lane, evidence, standing }) => {
                self.undone(*lane, evidence, standing.as_ref())
            }
            Fact::Suspected(report::Suspected { lane, suspicions }) => self.suspected(*lane, suspicions),
            Fact::PrinciplesCollected { lane, principles, refused, .. } => {
                self.principles_collected(*lane, principles.as_ref(), refused)
            }
            Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted {
                lane,
                files,
                evidence,
                undone,
                ..
            }) => self.refused(*lane, files, *undone, evidence),
            Fact::HookDue { lane, iteration } => self.hook_due(*lane, *iteration),
            Fact::FollowUpDue { lane, purpose, .. } => self.follow_up_due(*lane, *purpose),
            Fact::ReviewSkipped(report::ReviewSkipped { lane, lines, .. }) => {
                self.review_skipped(*lane, *lines)
            }
            Fact::CheckFinished(report::CheckFinished { lane, stage, outcome }) => {
                self.check_finished(*lane, *stage, outcome)
            }
            Fact::Committed(report::Committed { lane, commit, evidence, altered, refused, notes }) => {
                self.committed(*lane, commit.as_deref(), evidence, *altered, refused.as_deref())?;
                self.note_commit(*lane, notes, refused.is_none());
                Ok(())
            }
            Fact::LaneOpened(report::LaneOpened { lane, base, evidence, snapshot }) => {
                self.lane_opened(*lane, base, evidence, snapshot.as_ref())
            }
            Fact::Merged(report::Merged { lane, tip, outcome, evidence }) => {
                self.merged(*lane, tip, outcome, evidence)
            }
            Fact::Landed(report::Landed { lane, outcome }) => self.landed(*lane, outcome),
            Fact::TaskClosed(report::TaskClosed { lane, task, end, evidence, snapshot, .. }) => {
                self.task_closed(now, *lane, task, end, evidence, snapshot.as_ref())
            }
            Fact::DecisionLogged(report::DecisionLogged { lane, digest, .. }) => {
                self.decision_logged(*lane, digest.as_deref())
            }
            Fact::TreeRechecked(report::TreeRechecked { lane, evidence }) => self.settled(*lane, evidence),
            Fact::AttemptRepeats { lane, class, .. } => self.attempt_repeats(now, *lane, *class),
            Fact::IterationFinished { lane, verdict, class, progress, .. } => {
                self.iteration_finished(now, *lane, *verdict, *class, *progress)
            }
            // Folded before it comes here.
            Fact::RunStarted { .. }
            | Fact::RunResumed { .. }
            | Fact::BaselineCaptured(_)
            | Fact::TasksRead { .. }
            | Fact::HookFinished(_)
            | Fact::Delivery(_)
            | Fact::Issue(_)
            | Fact::BackoffStarted { .. }
            | Fact::BackoffEnded
            | Fact::AgentAway { .. }
            | Fact::AgentBack { .. }
            | Fact::StopRequested { .. }
            | Fact::ParkRequested { .. }
            | Fact::Failing { .. }
            | Fact::ActionAsked(_)
            | Fact::Noticed(_)
            | Fact::NotificationSettled(_)
            | Fact::RunEnding { .. }
            | Fact::RunFinished { .. } => Err("it belongs to no lane".to_owned()),
        }
    }
}
