//! What a worker's agents cost in an hour, and what is set aside for those that are at work. Pure: times are of a clock that only goes
//! on; [`books`] keeps it on the disk.

mod books;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_core::run::LEAST_RESERVATION;
use windlass_core::values::{CallId, CallReport, Cost, RunId, between};

pub(super) use books::Books;
pub use books::BooksError;

/// So long a cost counts.
const HOUR: Duration = Duration::from_hours(1);

/// What the time is when a worker begins: there is an hour before it.
const BEGINNING: Duration = HOUR;

/// A call of a run.
pub(super) type Call = (RunId, CallId);

/// Costs of the last hour, and calls that are under way.
#[derive(Debug, Default)]
pub(super) struct Spending {
    spent: VecDeque<(Duration, Cost)>,
    /// With what is set aside for each.
    under_way: BTreeMap<Call, Cost>,
}

/// Whether there is money for one more task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// There is.
    Free,
    /// All of it is spent.
    Spent,
    /// What is left is set aside for what is at work.
    SetAside,
}

/// The same as it is kept: by the clock of the machine, since no other outlasts the process.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    spent: Vec<KeptCost>,
    under_way: Vec<KeptCall>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct KeptCost {
    at: Timestamp,
    cost_usd: Cost,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct KeptCall {
    run: RunId,
    call: CallId,
    set_aside_usd: Cost,
}

impl Spending {
    /// What to set aside for a call, as a run does: the mean of those that are known, and no less than a run would.
    fn reservation(&self) -> Cost {
        let spent: Cost = self.spent.iter().map(|(_, cost)| *cost).sum();
        let mean = spent.micros().checked_div(self.spent.len() as u64).unwrap_or(0);
        Cost::from_micros(mean).max(LEAST_RESERVATION)
    }

    /// A call begins.
    fn begin(&mut self, call: Call) {
        let set_aside = self.reservation();
        self.under_way.insert(call, set_aside);
    }

    /// A call has ended. One that says nothing of its cost has cost what its tokens do, and no less than was set aside for it.
    fn end(&mut self, now: Duration, call: &Call, report: &CallReport) {
        let set_aside = self.under_way.remove(call).unwrap_or_default();
        let listed = report.bill.reported.cost + report.bill.unreported.cost;
        let cost = report.cost.unwrap_or_else(|| listed.max(set_aside));
        self.spent.push_back((now, cost));
    }

    /// Nobody hears any more how the calls of these runs end: what was set aside for them is spent.
    fn lose(&mut self, now: Duration, is_lost: impl Fn(&RunId) -> bool) {
        let lost = self.under_way.extract_if(.., |(run, _), _| is_lost(run));
        self.spent.extend(lost.map(|(_, set_aside)| (now, set_aside)));
    }

    /// What is older than an hour does not count.
    fn forget(&mut self, now: Duration) {
        while self.spent.front().is_some_and(|(at, _)| now.saturating_sub(*at) >= HOUR) {
            self.spent.pop_front();
        }
    }

    /// Is there room for another task, where so many lanes are at work? Each of them may call an agent at any time. One that is alone may
    /// use what is left, however little that is.
    fn room(&mut self, now: Duration, most: Option<Cost>, lanes: usize) -> Room {
        self.forget(now);
        let Some(most) = most else { return Room::Free };
        let spent: Cost = self.spent.iter().map(|(_, cost)| *cost).sum();
        if spent >= most {
            return Room::Spent;
        }
        let waiting = lanes.saturating_sub(self.under_way.len());
        let next = self.reservation();
        let set_aside: Cost = self.under_way.values().copied().chain((0..waiting).map(|_| next)).sum();
        if set_aside.is_zero() || spent + set_aside + next <= most { Room::Free } else { Room::SetAside }
    }

    /// As it is to be kept, where it is this time by the machine's clock.
    fn kept(&self, now: Duration, clock: Timestamp) -> Kept {
        let spent = self.spent.iter().map(|(at, cost)| KeptCost {
            at: clock.checked_sub(now.saturating_sub(*at)).unwrap_or(clock),
            cost_usd: *cost,
        });
        let under_way = self.under_way.iter().map(|((run, call), set_aside)| KeptCall {
            run: run.clone(),
            call: *call,
            set_aside_usd: *set_aside,
        });
        Kept { spent: spent.collect(), under_way: under_way.collect() }
    }

    /// As a worker that begins finds it. What is from a time to come has a clock's mistake in it, and counts from now on; so does what was
    /// set aside for calls whose end nobody saw.
    fn found(kept: Kept, clock: Timestamp) -> Spending {
        let aged = |cost: KeptCost| (BEGINNING.checked_sub(between(cost.at, clock)), cost.cost_usd);
        let known = kept.spent.into_iter().map(aged).filter_map(|(at, cost)| Some((at?, cost)));
        let lost = kept.under_way.into_iter().map(|call| (BEGINNING, call.set_aside_usd));
        let mut spent: Vec<_> = known.chain(lost).collect();
        spent.sort_unstable();
        Spending { spent: spent.into(), under_way: BTreeMap::new() }
    }
}

#[cfg(test)]
mod tests;
