//! Usage limits, as runners tell of them. Pure: times are of a clock that only goes on, and clocks of machines are not compared.

use std::time::Duration;

use jiff::Timestamp;
use windlass_fleet::leases::Payer;
use windlass_fleet::orders::HeldBack;

/// The limit that holds this worker back, as it was told last.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// The runner's time of it, by which the same limit is known again, and our own.
    known: Option<(Timestamp, Duration)>,
}

impl Limits {
    /// Is this worker not to take an order that says so? An order may have waited: a limit is over as long after it was first heard
    /// of as was said then.
    pub fn hold_back(&mut self, told: &[HeldBack], payer: &Payer, now: Duration) -> bool {
        let Some(told) = told.iter().find(|held| held.payer == *payer) else { return false };
        let is_later = self.known.is_none_or(|(until, _)| told.until > until);
        if is_later {
            self.known = Some((told.until, now.saturating_add(Duration::from_millis(told.left_ms))));
        }
        self.known.is_some_and(|(_, over)| now < over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_over_when_it_was_first_said_to_be() {
        let payer = Payer::Worker("one".parse().unwrap());
        let told = |until: &str, seconds: u64| {
            let until = format!("2026-03-02T{until}Z").parse().unwrap();
            [HeldBack { payer: payer.clone(), until, left_ms: seconds * 1000 }]
        };
        let second = Duration::from_secs;
        let mut limits = Limits::default();
        assert!(!limits.hold_back(&[], &payer, second(0)), "nothing was said");
        assert!(limits.hold_back(&told("03:00:00", 60), &payer, second(10)));
        assert!(limits.hold_back(&told("03:00:00", 60), &payer, second(69)), "the same order comes again");
        assert!(!limits.hold_back(&told("03:00:00", 60), &payer, second(70)));
        assert!(!limits.hold_back(&told("02:59:00", 600), &payer, second(71)), "an older one");
        assert!(limits.hold_back(&told("04:00:00", 60), &payer, second(71)), "the next one");
        let other = Payer::Account("one".parse().unwrap());
        assert!(!limits.hold_back(&told("05:00:00", 60), &other, second(71)), "of somebody else");
    }
}
