//! What leaves the machine: once, as it was gated, and merged only where everything speaks for that.

use std::collections::BTreeSet;

use jiff::Timestamp;
use windlass_core::fact::Fact;
use windlass_core::forge::{CheckVerdict, PullRequestState, Review};
use windlass_core::report::{self, DeliveryBasis, DeliveryOutcome, DeliveryStep, PullRequestSeen, Returned};
use windlass_core::spec::{DeliverySpec, NoChecks};
use windlass_core::values::{LandOutcome, StopReason};

use super::Breach;
use super::tally::Tally;
use crate::record::{Out, Record, What};

/// No two pull requests, no two merges, nothing of somebody else's overwritten.
pub(super) fn once(record: &Record) -> Result<(), Breach> {
    let mut merged = false;
    for (at, moment) in record.moments.iter().enumerate() {
        let What::Out(out) = &moment.what else { continue };
        let wrong = match out {
            Out::Opened { number, others } if *others > 0 => {
                format!("pull request {number} is opened where {others} are open")
            }
            // Another one, after one that a person closed or merged.
            Out::Opened { .. } => {
                merged = false;
                continue;
            }
            Out::Pushed { overwrites: true, head, .. } => format!("{head} is pushed over what was there"),
            Out::Merged { .. } if merged => "it is merged twice".to_owned(),
            Out::Merged { .. } | Out::PersonMerged => {
                merged = true;
                continue;
            }
            _ => continue,
        };
        return Err(Breach::at(at, wrong));
    }
    Ok(())
}

/// What is known of the way out.
struct Way<'a> {
    spec: &'a DeliverySpec,
    tally: Tally,
    /// Commits whose gates were green when their iteration ended, and which their reviewer let stand.
    good: BTreeSet<String>,
    /// The newest commit of the runner's.
    newest: Option<String>,
    begun: Option<(String, DeliveryBasis)>,
    /// Heads that may be merged: what was begun, and that with the base merged into it.
    ours: BTreeSet<String>,
    looked: Option<PullRequestSeen>,
    /// Conversations that the agent was told of.
    told: BTreeSet<String>,
    /// Since when the forge has the newest head; `None` = the clock was moved since.
    there_since: Option<Timestamp>,
    closed: bool,
    merged_by_person: bool,
    /// When the run was asked to stop, and when what is being done was begun.
    stopped: Option<usize>,
    doing: usize,
}

pub(super) fn rightly(record: &Record) -> Result<(), Breach> {
    let Some(spec) = &record.plan.delivery else { return Ok(()) };
    let mut way = Way {
        spec,
        tally: Tally::default(),
        good: BTreeSet::new(),
        newest: None,
        begun: None,
        ours: BTreeSet::new(),
        looked: None,
        told: BTreeSet::new(),
        there_since: None,
        closed: false,
        merged_by_person: false,
        stopped: None,
        doing: 0,
    };
    for (at, moment) in record.moments.iter().enumerate() {
        let fine = match &moment.what {
            What::SessionBegan { .. } => {
                way.stopped = None;
                Ok(())
            }
            What::ClockMoved(_) => {
                way.there_since = None;
                Ok(())
            }
            What::Out(out) => way.happens(out, moment.wall),
            What::Fact(entry) => {
                let said = way.fact(at, &entry.fact);
                // A wrong verdict is for another invariant to say.
                let _ = way.tally.fold(entry);
                way.after(&entry.fact);
                said
            }
            _ => Ok(()),
        };
        fine.map_err(|said| Breach::at(at, said))?;
    }
    Ok(())
}

impl Way<'_> {
    fn happens(&mut self, out: &Out, now: Timestamp) -> Result<(), String> {
        match out {
            Out::Looked(seen) => {
                self.looked = Some((**seen).clone());
                return Ok(());
            }
            Out::PersonMerged => self.merged_by_person = true,
            Out::PersonClosed => self.closed = true,
            Out::PersonPushed => {}
            _ if self.stopped.is_some_and(|stopped| self.doing > stopped) => {
                return Err(format!("{out:?} is begun after the run was asked to stop"));
            }
            Out::Pushed { head, ungated, .. } => {
                self.there_since = Some(now);
                if let Some(gate) = ungated {
                    return Err(format!("{head} is pushed, and gate {gate} has never passed on it"));
                }
                let begun = self.begun.as_ref().is_some_and(|(begun, _)| begun == head);
                return if begun {
                    Ok(())
                } else {
                    Err(format!("{head} is pushed, and nobody decided that"))
                };
            }
            Out::Updated { from, head } => {
                self.there_since = Some(now);
                if self.ours.contains(from) {
                    self.ours.insert(head.clone());
                }
            }
            Out::Merged { head } => return self.merges(head, now),
            Out::Opened { .. } | Out::MarkedReady => {}
        }
        Ok(())
    }

    /// Does everything that was seen speak for a merge?
    fn merges(&self, head: &str, now: Timestamp) -> Result<(), String> {
        let wrong = |why: &str| Err(format!("{head} is merged, and {why}"));
        let Some(seen) = &self.looked else { return wrong("nobody has looked") };
        let waited = self
            .there_since
            .is_none_or(|since| now.duration_since(since).unsigned_abs() >= self.spec.checks_appear);
        let checked = match seen.checks.verdict() {
            CheckVerdict::Green => true,
            CheckVerdict::Absent => self.spec.no_checks == NoChecks::Merge && waited,
            _ => false,
        };
        let reviewed = match seen.review {
            Review::Approved => true,
            Review::NotRequired => seen.requested_reviewers == 0,
            _ => false,
        };
        match () {
            () if self.spec.merge.is_none() => wrong("nobody wants that"),
            () if !self.ours.contains(head) => wrong("it is not what was gated"),
            () if self.begun.as_ref().is_none_or(|(_, basis)| *basis != DeliveryBasis::Shown) => {
                wrong("it is not shown to be done")
            }
            () if seen.head != head || seen.state != PullRequestState::Open => {
                wrong("something else was seen")
            }
            () if !checked => wrong("its checks were not seen to pass"),
            () if !reviewed => wrong("its review is missing"),
            () if seen.threads.iter().any(|thread| !self.told.contains(thread)) => {
                wrong("nobody was told of a conversation")
            }
            () => Ok(()),
        }
    }

    fn fact(&mut self, at: usize, fact: &Fact) -> Result<(), String> {
        match fact {
            Fact::StopRequested { .. } => {
                self.stopped.get_or_insert(at);
            }
            Fact::Delivery(step) => {
                self.doing = at;
                return self.step(step);
            }
            Fact::RunEnding { stop_reason, .. } => return self.ends(*stop_reason),
            _ => {}
        }
        Ok(())
    }

    fn step(&mut self, step: &DeliveryStep) -> Result<(), String> {
        match step {
            DeliveryStep::Begun { head, basis } => {
                self.begun = Some((head.clone(), *basis));
                self.ours = [head.clone()].into();
                if *basis == DeliveryBasis::Shown && self.tally.done_reason().is_none() {
                    return Err(format!("{head} is to go out as shown to be done, and it is not"));
                }
                if !self.good.contains(head) {
                    return Err(format!("{head} is to go out, and its gates or its reviewer did not let it"));
                }
            }
            DeliveryStep::Returned { because: Returned::Review, .. } => {
                let seen = self.looked.iter().flat_map(|seen| seen.threads.iter().cloned());
                self.told.extend(seen);
            }
            _ => {}
        }
        Ok(())
    }

    /// What is known once a fact is folded.
    fn after(&mut self, fact: &Fact) {
        match fact {
            Fact::IterationFinished { .. } | Fact::FollowUpDue { .. } if !self.tally.is_beside() => {
                self.good.extend(self.tally.shows());
            }
            Fact::Landed(report::Landed { outcome: LandOutcome::Landed { commit }, .. }) => {
                self.good.insert(commit.clone());
                self.newest = Some(commit.clone());
            }
            // What is in no commit does not go out, nor does the commit before it stand for that.
            Fact::Committed(report::Committed { commit, .. }) if self.tally.is_alone() => {
                self.newest.clone_from(commit);
            }
            _ => {}
        }
    }

    fn ends(&self, reason: StopReason) -> Result<(), String> {
        let ended = self.tally.outcome_outside();
        let good = self.newest.as_ref().is_some_and(|newest| self.good.contains(newest));
        let red = self.looked.as_ref().is_some_and(|seen| seen.checks.failed > 0);
        let merged = self.looked.as_ref().is_some_and(|seen| seen.state == PullRequestState::Merged);
        match reason {
            StopReason::Complete if self.tally.is_going_out() => {
                Err("the run ends while its work is on its way out".to_owned())
            }
            StopReason::Complete if good && ended.is_none() => {
                Err("the run is complete, and its work is not out".to_owned())
            }
            StopReason::ClosedByPerson if !self.closed => Err("nobody has closed it".to_owned()),
            StopReason::CiFailed if !red => Err("no check was seen to fail".to_owned()),
            StopReason::Complete
                if ended == Some(DeliveryOutcome::MergedByPerson) && !(self.merged_by_person && merged) =>
            {
                Err("it is said that a person merged it, and nobody has".to_owned())
            }
            _ => Ok(()),
        }
    }
}
