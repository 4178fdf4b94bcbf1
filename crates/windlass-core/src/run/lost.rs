//! A lane's checkout is gone: somebody removed it while its task was worked on, or git could not fill it. Nothing of that is the
//! agent's fault.

use crate::fact::Fact;
use crate::report;
use crate::run::ending::Failure;
use crate::run::lane::{LaneState, Turn};
use crate::run::retry::{Patience, Retries, after_outage};
use crate::run::{NotesShare, Run};
use crate::values::{Class, LaneId, Now, StopReason, UnderWay};

/// So often in a session the same task is begun again because its checkout was gone.
const MOST_LOSSES: u32 = 3;

/// So often in a row it is tried to fill a checkout: a filter, or the server that it asks, may be out of reach for a while.
const MOST_FILLINGS: u32 = 6;

/// The same where its worker was gone: machines of a fleet come and go.
const MOST_WORKERS_LOST: u32 = 20;

impl Run {
    /// The same iteration begins again in a checkout made anew; or, where that helps nothing, the run ends.
    pub(super) fn lane_lost(&self, now: Now, lost: report::LaneLost) -> Vec<Fact> {
        let report::LaneLost { lane, worker, unfilled } = lost;
        let Some(turn) = self.lane(lane).and_then(turn_in_checkout).filter(|_| self.has_lanes()) else {
            return Vec::new();
        };
        if let Some(why) = unfilled {
            return self.lane_unfilled(now, lane, turn, &why);
        }
        let task = turn.task.as_ref().map(|task| task.0.clone()).unwrap_or_default();
        let lost = self.lanes.get(&lane).and_then(|lane| lane.task.as_ref()).map_or(0, |at| at.lost);
        let most = if worker.is_some() { MOST_WORKERS_LOST } else { MOST_LOSSES };
        let what = match &worker {
            Some(worker) => format!("worker {worker} lost lane {lane}"),
            None => format!("the checkout of lane {lane} was removed"),
        };
        if lost >= most {
            let times = lost + 1;
            let gone = worker.map_or("the checkout of lane", |_| "the worker of lane");
            let detail = format!("{gone} {lane} was gone {times} times while {task} was worked on");
            // Whatever else ends the run, nothing more can be done in this lane.
            return Vec::from_iter(self.fails(Failure {
                stop_reason: StopReason::DestructiveChange,
                detail: format!("{detail}; nothing that had landed is lost"),
                under_way: UnderWay::GivenUp,
            }));
        }
        let text = format!("{what} while {task} was worked on: the task is begun again in a new one");
        let (iteration, attempt) = (turn.iteration, turn.attempt);
        let again = Fact::AttemptRepeats { lane, iteration, attempt, class: Class::Interrupted };
        vec![Fact::Noticed(report::Noticed { text }), again]
    }

    /// git could not fill the checkout. That may pass, and is tried again after pauses that grow; nothing is called meanwhile.
    fn lane_unfilled(&self, now: Now, lane: LaneId, turn: &Turn, why: &str) -> Vec<Fact> {
        let Some(spec) = &self.spec else { return Vec::new() };
        let count = self.lanes.get(&lane).and_then(|lane| lane.task.as_ref()).map_or(0, |at| at.unfilled);
        let tries = Retries { count, since: None };
        let patience = after_outage(&spec.run, &tries, &spec.limits, &spec.clocks, now.wall);
        let (true, Patience::Until(until)) = (count + 1 < MOST_FILLINGS, patience) else {
            return Vec::from_iter(self.fails(Failure {
                stop_reason: StopReason::SetupFailed,
                detail: format!("the checkout of lane {lane} could not be filled: {why}"),
                under_way: UnderWay::GivenUp,
            }));
        };
        let text = format!("the checkout of lane {lane} could not be filled, which is tried again: {why}");
        // Another lane may have met the same.
        let waits = (self.backoff.is_none() && self.may_begin()).then_some(Fact::BackoffStarted {
            until,
            class: Class::Outage,
            attempt: count + 1,
        });
        let (iteration, attempt) = (turn.iteration, turn.attempt);
        let again = Fact::AttemptRepeats { lane, iteration, attempt, class: Class::Outage };
        std::iter::once(Fact::Noticed(report::Noticed { text })).chain(waits).chain([again]).collect()
    }

    /// Is the lane's checkout still to be filled?
    pub(super) fn may_be_unfilled(&self, lane: LaneId) -> bool {
        self.has_lanes() && matches!(self.lane(lane), Some(LaneState::Opening(_)))
    }

    /// The same attempt is begun anew once what was in the way of its checkout may have passed.
    pub(super) fn fill_again(&mut self, lane: LaneId) -> Result<(), String> {
        let turn = self.take_state(lane, "opening", LaneState::try_as_opening)?;
        self.begin_anew(lane, &turn);
        if let Some(at) = self.lanes.get_mut(&lane).and_then(|held| held.task.as_mut()) {
            at.unfilled += 1;
        }
        Ok(())
    }

    /// Is what the lane's attempt works on still to be looked at, judged, merged or landed?
    pub(super) fn may_lose(&self, lane: LaneId) -> bool {
        self.has_lanes() && self.lane(lane).and_then(turn_in_checkout).is_some()
    }

    /// The attempt begins again with its task as it was when that was taken up.
    pub(super) fn begin_again(&mut self, lane: LaneId) -> Result<(), String> {
        let turn =
            self.take_state(lane, "at work in a checkout", |state| turn_in_checkout(&state).cloned())?;
        self.begin_anew(lane, &turn);
        if let Some(at) = self.lanes.get_mut(&lane).and_then(|held| held.task.as_mut()) {
            at.lost += 1;
        }
        Ok(())
    }

    /// The same, for whatever reason it is not gone on with where it was.
    pub(super) fn begin_anew(&mut self, lane: LaneId, turn: &Turn) {
        let purpose = self.spec.as_ref().map_or(turn.purpose, |spec| spec.job.mode.purpose());
        let again = Turn {
            purpose,
            progress: false,
            claim: None,
            review: None,
            council: turn.council.given_up(),
            ..turn.next_attempt(NotesShare::Usual)
        };
        self.standings.begin();
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.refused.clear();
            held.reviews.forget();
            held.hook_refusal = None;
            if let Some(at) = &mut held.task {
                (at.began, at.merges, at.work) = (None, 0, None);
                at.conflicts.clear();
            }
            held.state = LaneState::Opening(again);
        }
    }
}

/// The attempt of a lane whose files are needed for what comes next. What has landed needs them no more, and an agent at
/// work is waited for.
fn turn_in_checkout(state: &LaneState) -> Option<&Turn> {
    let has_landed =
        matches!(state, LaneState::Recording(..) | LaneState::Judging(..) | LaneState::Closing(..));
    state.turn().filter(|_| !has_landed && state.call().is_none())
}
