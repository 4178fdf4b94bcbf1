//! The facts of the way out, folded into the state.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Delivery, Stage};
use crate::report::{
    DeliveryBasis, DeliveryMove, DeliveryOutcome, DeliveryStep, DeliveryTask, PullRequestSeen, Returned,
    WaitsFor,
};
use crate::run::Run;
use crate::run::lane::{AttemptOutcome, Candidate, Judged};
use crate::spec::Readiness;
use crate::values::{Class, LaneId, Now};

impl Run {
    /// Folds a step into the state.
    pub(in crate::run) fn delivery_step(&mut self, now: Now, step: &DeliveryStep) -> Result<(), String> {
        let spec = self.delivery_spec().cloned().ok_or("nothing of this run leaves the machine")?;
        let waited = self.waits_outside();
        self.delivery.asked = self.delivery.asked.saturating_add(1);
        self.delivery.stalled = matches!(step, DeliveryStep::Stalled { .. });
        match step {
            DeliveryStep::PartBegun { part, branch, task } => {
                self.part_begun(*part, branch, task.as_ref())?;
            }
            DeliveryStep::Branched { base, evidence, snapshot } => {
                self.branched(base, evidence, snapshot.as_ref())?;
            }
            DeliveryStep::PartSeen { part, state } => self.part_seen(*part, *state)?,
            DeliveryStep::Begun { head, basis } => {
                if matches!(self.delivery.stage, Stage::Doing(_) | Stage::Waiting { .. }) {
                    return Err("another commit is on its way out".to_owned());
                }
                self.delivery.begin(head, *basis);
            }
            DeliveryStep::Pushed { head } => {
                self.delivery.expect(DeliveryTask::Push)?;
                self.delivery.pushed = Some(head.clone());
                self.delivery.stage = Stage::Doing(DeliveryTask::Open);
            }
            DeliveryStep::Opened { number, url, found } => {
                self.delivery.expect(DeliveryTask::Open)?;
                self.delivery.pull_request = Some((*number, url.clone()));
                let shown = self.delivery.basis == DeliveryBasis::Shown;
                // It may have been opened as a draft, at a limit of an earlier session.
                let was_draft = *found && spec.readiness == Readiness::Ready;
                self.delivery.stage = match spec.merge {
                    Some(_) if shown => Stage::Doing(DeliveryTask::View),
                    None if shown && was_draft => Stage::Doing(DeliveryTask::MarkReady),
                    _ => left(),
                };
            }
            DeliveryStep::Viewed { seen, next } => self.delivery.viewed(now, seen, next)?,
            DeliveryStep::Stalled { task, next, .. } => {
                self.delivery.expect(*task)?;
                self.delivery.stalled(now, next);
            }
            DeliveryStep::Due => self.delivery.due()?,
            DeliveryStep::Ordered { task } => {
                self.delivery.expect(*task)?;
                self.delivery.watch.update_ordered |= *task == DeliveryTask::Update;
                self.delivery.stage =
                    if spec.merge.is_some() { Stage::Doing(DeliveryTask::View) } else { left() };
            }
            DeliveryStep::Returned { because, findings } => {
                self.delivery.returned(*because)?;
                self.delivery.findings = Some((*because, findings.clone()));
                // What was shown is refuted from outside.
                self.counters.complete = false;
                self.counters.claims = 0;
                self.forget_idle_rows();
                self.reopen_part_task();
            }
            DeliveryStep::Merged { commit } => {
                self.delivery.expect(DeliveryTask::Merge)?;
                let detail = format!("merged as {commit}");
                self.delivery.stage = Stage::Over { outcome: DeliveryOutcome::Merged, detail };
            }
        }
        self.count_delivery_wait(now, waited);
        self.settle_part();
        self.forsake_part();
        Ok(())
    }

    /// Is something waited for outside?
    pub(in crate::run) fn waits_outside(&self) -> bool {
        matches!(self.delivery.stage, Stage::Waiting { .. })
    }

    /// Is a usage limit waited for meanwhile?
    fn is_limited(&self) -> bool {
        self.backoff.is_some_and(|backoff| backoff.class == Class::UsageLimit)
    }

    /// What is waited for outside is not work: like a wait for a usage limit it does not count against the run's time.
    fn count_delivery_wait(&mut self, now: Now, waited: bool) {
        match (waited, matches!(self.delivery.stage, Stage::Waiting { .. })) {
            (false, true) => self.clock.wait_begins(now),
            (true, false) if !self.is_limited() => self.clock.wait_ends(now),
            _ => {}
        }
    }

    /// Notes the commit that an iteration left, if every gate passed on its tree, and nothing is in that which is not in the
    /// commit. Nothing else is ever pushed.
    pub(in crate::run) fn count_shown(
        &mut self,
        lane: LaneId,
        claim: Option<&Candidate>,
        outcome: &AttemptOutcome,
        judged: &Judged,
    ) {
        if self.delivery_spec().is_none() {
            return;
        }
        let beside = self.lanes.get(&lane).map_or_else(Vec::new, |held| held.beside.clone());
        if outcome.in_git.landed {
            self.note_shown(outcome.in_git.commit.clone(), beside);
            return;
        }
        let green = self.is_green(lane, outcome, &judged.outcomes) && self.held(lane).is_empty();
        // Whoever verified a claim has not reviewed it: what was said of the work before holds.
        let green = green && !self.lacks_review(lane, claim.map_or(outcome, |claim| &claim.outcome));
        let head = self.lanes.get(&lane).and_then(|held| {
            let (latest, committed) = (held.latest.as_ref()?, held.committed.as_ref()?);
            // An agent may have moved the branch, and made the files what they were.
            let is_it = (&latest.head, &latest.tree) == (&committed.evidence.head, &committed.evidence.tree);
            latest.head.clone().filter(|_| is_it)
        });
        // What whoever verified it has written since is in no commit: the one that was verified goes out.
        let verified = claim.and_then(|claim| {
            let green = self.is_green(lane, &claim.outcome, &claim.judged.outcomes);
            let stands = green && !self.lacks_review(lane, &claim.outcome) && self.held(lane).is_empty();
            claim.outcome.in_git.commit.clone().filter(|_| stands)
        });
        let shown = head.filter(|_| green).or(verified).filter(|_| !self.has_lanes());
        if shown.is_some() {
            self.note_shown(shown, beside);
        }
    }

    /// The gates passed on a commit, and on these files beside it: without them it is not what they judged.
    fn note_shown(&mut self, commit: Option<String>, beside: Vec<String>) {
        if beside.is_empty() {
            self.delivery.shown = commit;
        }
        self.delivery.beside = beside;
    }

    /// The run goes on in another process: what was being done is done again, and looks first whether it is done; what a
    /// person was needed for is looked at anew.
    pub(in crate::run) fn delivery_resumed(&mut self, last: Now) {
        if self.waits_outside() && !self.is_limited() {
            // It is looked at once, and the new session's clock has just begun.
            self.clock.wait_ends(Now { monotonic: Duration::ZERO, ..last });
        }
        self.delivery.seen_through = None;
        self.delivery.forget_times();
        self.delivery.watch.refusals = 0;
        let again = match &self.delivery.stage {
            Stage::Over { outcome, .. } if outcome.is_merged() => self.delivery.stage.clone(),
            Stage::Over { .. } if self.delivery.basis == DeliveryBasis::AsItStands => Stage::Resting,
            Stage::Over { .. } if self.delivery.part.as_ref().is_some_and(|part| part.base.is_none()) => {
                Stage::Doing(DeliveryTask::Branch)
            }
            Stage::Over { .. } => {
                self.delivery.watch.ci_returns = 0;
                self.delivery.watch.review_returns = 0;
                let opened = self.delivery.pull_request.is_some();
                Stage::Doing(if opened { DeliveryTask::View } else { DeliveryTask::Push })
            }
            Stage::Waiting { then, .. } => Stage::Doing(*then),
            stage @ (Stage::Resting | Stage::Doing(_)) => stage.clone(),
        };
        self.delivery.stage = again;
        self.look_at_parts_again();
    }
}

fn left() -> Stage {
    Stage::Over { outcome: DeliveryOutcome::Left, detail: "open, for a person to merge".to_owned() }
}

impl Delivery {
    pub(super) fn expect(&self, task: DeliveryTask) -> Result<(), String> {
        if self.stage == Stage::Doing(task) { Ok(()) } else { Err(format!("{task:?} was not asked for")) }
    }

    fn viewed(&mut self, now: Now, seen: &PullRequestSeen, next: &DeliveryMove) -> Result<(), String> {
        if !matches!(self.stage, Stage::Doing(_)) {
            return Err("nobody looked at the pull request".to_owned());
        }
        self.watch = self.watch.seeing(seen, now.wall);
        if *next == DeliveryMove::Do(DeliveryTask::ReadThreads) {
            let told: BTreeSet<String> = seen.threads.iter().cloned().collect();
            self.watch.answered.extend(told);
        }
        self.follow(next);
        Ok(())
    }

    fn stalled(&mut self, now: Now, next: &DeliveryMove) {
        match next {
            DeliveryMove::Wait { waits_for: WaitsFor::Forge, .. } => {
                self.watch.stalled_since.get_or_insert(now.wall);
            }
            _ => self.watch.refusals += 1,
        }
        self.follow(next);
    }

    fn follow(&mut self, next: &DeliveryMove) {
        self.stage = match next {
            DeliveryMove::Do(task) => Stage::Doing(*task),
            DeliveryMove::Wait { again, then, .. } => Stage::Waiting { again: *again, then: *then },
            DeliveryMove::End { outcome, detail } => {
                Stage::Over { outcome: *outcome, detail: detail.clone() }
            }
        };
    }

    fn due(&mut self) -> Result<(), String> {
        let Stage::Waiting { then, .. } = self.stage else {
            return Err("nothing of the delivery was waited for".to_owned());
        };
        self.stage = Stage::Doing(then);
        Ok(())
    }

    fn returned(&mut self, because: Returned) -> Result<(), String> {
        match because {
            Returned::Checks => {
                self.expect(DeliveryTask::ReadLogs)?;
                self.watch.ci_returns += 1;
            }
            Returned::Review => {
                self.expect(DeliveryTask::ReadThreads)?;
                self.watch.review_returns += 1;
            }
        }
        self.stage = Stage::Resting;
        Ok(())
    }
}
