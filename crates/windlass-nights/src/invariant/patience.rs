//! Waits on the way out: each ends when it says and by its deadline, costs no iteration, and little goes back.

use std::time::Duration;

use jiff::Timestamp;
use windlass_core::fact::Fact;
use windlass_core::forge::CheckVerdict;
use windlass_core::report::{DeliveryMove, DeliveryStep, DeliveryTask, PullRequestSeen, Returned, WaitsFor};
use windlass_core::spec::DeliverySpec;

use super::Breach;
use super::tally::Tally;
use crate::record::{Record, What};

/// A runner looks at the clock twice a second.
const LATE: Duration = Duration::from_secs(1);

/// What is known of one way out, by the clock on the wall.
#[derive(Default)]
struct Times {
    head: String,
    looked_since: Option<Timestamp>,
    checks_since: Option<Timestamp>,
    green_since: Option<Timestamp>,
    silent_since: Option<Timestamp>,
    updated: Option<Timestamp>,
}

struct Patience<'a> {
    spec: &'a DeliverySpec,
    tally: Tally,
    times: Times,
    /// The clock was moved: what times say is nothing to go by.
    moved: bool,
    /// Until when it is waited, and whether being late says something.
    waiting: Option<(Timestamp, bool)>,
    returns: (u32, u32),
    finished: bool,
}

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let Some(spec) = &record.plan.delivery else { return Ok(()) };
    let mut patience = Patience {
        spec,
        tally: Tally::default(),
        times: Times::default(),
        moved: false,
        waiting: None,
        returns: (0, 0),
        finished: false,
    };
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::SessionBegan { .. } => {
                let head = std::mem::take(&mut patience.times.head);
                patience.times = Times { head, ..Times::default() };
                (patience.waiting, patience.moved) = (None, false);
            }
            What::ClockMoved(_) => {
                patience.moved = true;
                if let Some(waiting) = &mut patience.waiting {
                    waiting.1 = false;
                }
            }
            What::Fact(entry) => {
                // The clock was moved between the decision and its being written.
                patience.moved |= moment.wall != entry.at.wall;
                let said = patience.fact(&entry.fact, entry.at.wall);
                said.map_err(|said| Breach::at(at, said))?;
                // A wrong verdict is for another invariant to say.
                let _ = patience.tally.fold(entry);
            }
            _ => {}
        }
    }
    Ok(())
}

impl Patience<'_> {
    fn fact(&mut self, fact: &Fact, now: Timestamp) -> Result<(), String> {
        match fact {
            Fact::IterationStarted { .. } | Fact::CallReserved { .. } if self.tally.is_going_out() => {
                Err("an agent is called while the work is on its way out".to_owned())
            }
            Fact::RunFinished { .. } => {
                self.finished = true;
                Ok(())
            }
            Fact::RunResumed { .. } => {
                if std::mem::take(&mut self.finished) {
                    self.returns = (0, 0);
                }
                Ok(())
            }
            Fact::Delivery(step) => self.step(step, now),
            _ => Ok(()),
        }
    }

    fn step(&mut self, step: &DeliveryStep, now: Timestamp) -> Result<(), String> {
        match step {
            DeliveryStep::Begun { head, .. } => {
                self.times = Times { head: head.clone(), ..Times::default() };
                self.moved = false;
                Ok(())
            }
            DeliveryStep::Viewed { seen, next } => {
                self.see(seen, now);
                self.next(next, now)
            }
            DeliveryStep::Stalled { next, .. } => {
                self.times.silent_since.get_or_insert(now);
                self.next(next, now)
            }
            DeliveryStep::Due => self.due(now),
            DeliveryStep::Ordered { task: DeliveryTask::Update } => {
                let before = self.times.updated.replace(now);
                let at_once = before.is_some_and(|before| now < later(before, self.spec.poll));
                if at_once { Err("the branch is updated again and again at once".to_owned()) } else { Ok(()) }
            }
            DeliveryStep::Returned { because, .. } => {
                let (count, most) = match because {
                    Returned::Checks => (&mut self.returns.0, self.spec.ci_retries),
                    Returned::Review => (&mut self.returns.1, self.spec.review_rounds),
                };
                *count += 1;
                let said =
                    || format!("{because:?} goes back to the agent {count} times, and {most} are allowed");
                if *count > most { Err(said()) } else { Ok(()) }
            }
            _ => {
                self.times.silent_since = None;
                Ok(())
            }
        }
    }

    fn see(&mut self, seen: &PullRequestSeen, now: Timestamp) {
        let times = &mut self.times;
        let is_update = seen.head_parents.len() == 2 && seen.head_parents[0] == times.head;
        if is_update && seen.head != times.head {
            *times = Times { head: seen.head.clone(), ..Times::default() };
        }
        times.silent_since = None;
        times.looked_since.get_or_insert(now);
        if seen.head == times.head && seen.checks.total() > 0 {
            times.checks_since.get_or_insert(now);
        }
        if seen.checks.verdict() == CheckVerdict::Green {
            times.green_since.get_or_insert(now);
        } else {
            times.green_since = None;
        }
    }

    fn next(&mut self, next: &DeliveryMove, now: Timestamp) -> Result<(), String> {
        let DeliveryMove::Wait { waits_for, again, until, .. } = next else { return Ok(()) };
        self.waiting = Some((*again, !self.moved));
        if *waits_for == WaitsFor::Resumption || self.moved {
            return Ok(());
        }
        let (times, spec) = (&self.times, self.spec);
        let (since, patience) = match waits_for {
            WaitsFor::ChecksToAppear | WaitsFor::Mergeability => (times.looked_since, spec.checks_appear),
            WaitsFor::ChecksToEnd => (times.checks_since.or(times.looked_since), spec.checks_wait),
            WaitsFor::Review | WaitsFor::Rules => {
                (times.green_since.or(times.looked_since), spec.review_wait)
            }
            WaitsFor::Forge | WaitsFor::Resumption => (times.silent_since, spec.checks_wait),
        };
        // What is refused is looked at once more.
        let most = later(since.unwrap_or(now), patience).max(later(now, spec.poll));
        if *until > most || *again > *until {
            return Err(format!("it waits for {waits_for:?} until {until}, and {most} is right"));
        }
        Ok(())
    }

    fn due(&mut self, now: Timestamp) -> Result<(), String> {
        let Some((again, undisturbed)) = self.waiting.take() else {
            return Err("a look is due that nobody waited for".to_owned());
        };
        match () {
            () if now < again => Err(format!("the look at {again} comes at {now}")),
            () if undisturbed && now > later(again, LATE) => {
                Err(format!("the look at {again} comes at {now}"))
            }
            () => Ok(()),
        }
    }
}

fn later(from: Timestamp, by: Duration) -> Timestamp {
    from.checked_add(by).unwrap_or(Timestamp::MAX)
}
