//! What a worker's agents cost in an hour.

use std::collections::VecDeque;
use std::time::Duration;

use windlass_core::values::Cost;

/// So long a cost counts.
const HOUR: Duration = Duration::from_hours(1);

/// Costs of the last hour. Pure: times are of a clock that only goes on.
#[derive(Debug, Default)]
pub(super) struct Spending {
    spent: VecDeque<(Duration, Cost)>,
}

impl Spending {
    /// A call has cost so much.
    pub fn add(&mut self, now: Duration, cost: Cost) {
        self.spent.push_back((now, cost));
    }

    /// Is the limit reached? What is older than an hour is forgotten.
    pub fn is_used_up(&mut self, now: Duration, most: Option<Cost>) -> bool {
        while self.spent.front().is_some_and(|(at, _)| now.saturating_sub(*at) >= HOUR) {
            self.spent.pop_front();
        }
        let spent: Cost = self.spent.iter().map(|(_, cost)| *cost).sum();
        most.is_some_and(|most| spent >= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_is_what_counts() {
        let minutes = |count| Duration::from_mins(count);
        let most = Some(Cost::from_dollars(2.0));
        let mut spending = Spending::default();
        assert!(!spending.is_used_up(minutes(0), most));
        spending.add(minutes(0), Cost::from_dollars(1.5));
        assert!(!spending.is_used_up(minutes(10), most));
        spending.add(minutes(30), Cost::from_dollars(0.5));
        assert!(spending.is_used_up(minutes(59), most));
        assert!(!spending.is_used_up(minutes(59), None));
        assert!(!spending.is_used_up(minutes(60), most), "the first is an hour old");
        assert!(spending.is_used_up(minutes(60), Some(Cost::ZERO)), "a limit of nothing takes nothing");
    }
}
