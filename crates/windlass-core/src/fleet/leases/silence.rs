//! When a lease is stale: counted by its silence, as seen by whoever waits for it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{LeaseKey, Revision};

/// Counts how long leases were not renewed. Pure: all times are of the observer's own monotonic clock, and no clock of anybody else
/// is ever compared with it.
///
/// Silence counts only while the observer could itself write the bucket: a holder that cannot be heard because the servers are
/// gone is not silent. After contact was lost every lease starts anew. So does everything after a gap between two writes that is as
/// long as a lease: whoever was frozen meanwhile has not listened.
#[derive(Clone, Debug)]
pub struct Silence {
    lease: Duration,
    contact: Option<Contact>,
    seen: BTreeMap<LeaseKey, Seen>,
}

#[derive(Clone, Copy, Debug)]
struct Contact {
    since: Duration,
    /// The last write that succeeded.
    until: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    revision: Revision,
    /// When it had this revision for the first time.
    since: Duration,
    /// When it had it last.
    until: Duration,
}

impl Silence {
    /// A lease is stale after so long a silence.
    pub const fn longer_than(lease: Duration) -> Silence {
        Silence { lease, contact: None, seen: BTreeMap::new() }
    }

    /// The observer wrote the bucket; the call that did so began at `now`.
    pub fn wrote(&mut self, now: Duration) {
        self.contact = Some(match self.contact {
            Some(contact) if now.saturating_sub(contact.until) < self.lease => {
                Contact { until: now.max(contact.until), ..contact }
            }
            _ => Contact { since: now, until: now },
        });
    }

    /// The observer could not write the bucket.
    pub fn lost_contact(&mut self) {
        self.contact = None;
        self.seen.clear();
    }

    /// The observer saw a lease that is held; the call that looked began at `now`.
    pub fn saw(&mut self, key: &LeaseKey, revision: Revision, now: Duration) {
        let seen = self.seen.entry(key.clone()).or_insert(Seen { revision, since: now, until: now });
        if seen.revision == revision {
            seen.until = seen.until.max(now);
        } else {
            *seen = Seen { revision, since: now, until: now };
        }
    }

    /// Nobody waits for this lease any longer, or it is free.
    pub fn forget(&mut self, key: &LeaseKey) {
        self.seen.remove(key);
    }

    /// How long a lease has been silent, as far as the observer can know.
    pub fn of(&self, key: &LeaseKey) -> Duration {
        let (Some(contact), Some(seen)) = (self.contact, self.seen.get(key)) else { return Duration::ZERO };
        // As long as it was both looked at and could have been heard.
        seen.until.min(contact.until).saturating_sub(seen.since.max(contact.since))
    }

    /// May this lease be taken over, at the revision that was seen last?
    pub fn is_stale(&self, key: &LeaseKey) -> bool {
        self.of(key) >= self.lease
    }
}

#[cfg(test)]
mod tests {
    use crate::values::RunId;
    use proptest::prelude::*;

    use super::*;

    /// What the observer goes through, at a second.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Wrote(u64),
        Lost,
        Saw(u64, u64),
        Forgot,
    }
    use Step::{Forgot, Lost, Saw, Wrote};

    fn key() -> LeaseKey {
        LeaseKey::Run(RunId("r-00000001".to_owned()))
    }

    fn after(steps: &[Step]) -> Silence {
        let mut silence = Silence::longer_than(Duration::from_secs(9));
        for step in steps {
            match *step {
                Wrote(at) => silence.wrote(Duration::from_secs(at)),
                Lost => silence.lost_contact(),
                Saw(revision, at) => silence.saw(&key(), Revision(revision), Duration::from_secs(at)),
                Forgot => silence.forget(&key()),
            }
        }
        silence
    }

    #[test]
    fn a_lease_is_stale_after_a_silence_that_could_have_been_heard() {
        let table: &[(&str, &[Step], bool)] = &[
            ("nothing was seen", &[Wrote(0), Wrote(3), Wrote(6), Wrote(9)], false),
            (
                "silent for nine seconds",
                &[Wrote(0), Saw(5, 0), Wrote(3), Wrote(6), Wrote(9), Saw(5, 9)],
                true,
            ),
            ("silent for eight", &[Wrote(0), Saw(5, 0), Wrote(4), Wrote(8), Saw(5, 8)], false),
            ("renewed", &[Wrote(0), Saw(5, 0), Wrote(4), Saw(6, 5), Wrote(8), Wrote(10), Saw(6, 10)], false),
            (
                "renewed, then silent",
                &[Wrote(0), Saw(5, 0), Saw(6, 1), Wrote(5), Wrote(10), Saw(6, 10)],
                true,
            ),
            ("not looked at since", &[Wrote(0), Saw(5, 0), Wrote(4), Wrote(8), Wrote(12)], false),
            ("not written since", &[Wrote(0), Saw(5, 0), Saw(5, 20)], false),
            ("never written", &[Saw(5, 0), Saw(5, 20)], false),
            (
                "contact was lost on the way",
                &[Wrote(0), Saw(5, 0), Wrote(6), Lost, Wrote(7), Saw(5, 7), Wrote(10), Saw(5, 10)],
                false,
            ),
            (
                "lost, and silent for nine seconds after that",
                &[Wrote(0), Saw(5, 0), Lost, Wrote(7), Saw(5, 7), Wrote(11), Wrote(16), Saw(5, 16)],
                true,
            ),
            ("the observer was frozen", &[Wrote(0), Saw(5, 0), Wrote(100), Saw(5, 100)], false),
            (
                "frozen, then silent",
                &[Wrote(0), Saw(5, 0), Wrote(100), Saw(5, 100), Wrote(105), Wrote(109), Saw(5, 109)],
                true,
            ),
            (
                "seen long before contact",
                &[Saw(5, 0), Wrote(100), Saw(5, 100), Wrote(105), Saw(5, 105)],
                false,
            ),
            (
                "given back and held again",
                &[Wrote(0), Saw(5, 0), Forgot, Saw(7, 8), Wrote(5), Wrote(9), Saw(7, 9)],
                false,
            ),
        ];
        for (what, steps, stale) in table {
            assert_eq!(after(steps).is_stale(&key()), *stale, "{what}");
        }
    }

    #[test]
    fn leases_are_counted_one_by_one() {
        let other = LeaseKey::Worker("w".parse().unwrap());
        let mut silence = after(&[Wrote(0), Saw(5, 0), Wrote(5), Wrote(9), Saw(5, 9)]);
        silence.saw(&other, Revision(8), Duration::from_secs(9));
        assert!(silence.is_stale(&key()) && !silence.is_stale(&other));
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = (0..5_u8, 1..4_u64, 0..4_u64);
        prop::collection::vec(step, 0..60).prop_map(|steps| {
            let mut now = 0;
            let step = |(kind, pause, revision): (u8, u64, u64)| {
                now += pause;
                match kind {
                    0 | 1 => Wrote(now),
                    2 | 3 => Saw(revision / 3, now),
                    _ => Lost,
                }
            };
            steps.into_iter().map(step).collect()
        })
    }

    proptest! {
        #[test]
        fn whoever_renews_often_enough_is_never_stale(steps in steps()) {
            // Its revision changes at every look.
            let renewed: Vec<Step> = steps.iter().enumerate().map(|(index, step)| match *step {
                Saw(_, at) => Saw(index as u64, at),
                other => other,
            }).collect();
            prop_assert!(!after(&renewed).is_stale(&key()));
        }

        #[test]
        fn nothing_is_stale_within_a_lease_of_lost_contact(mut steps in steps(), more in 0..9_u64) {
            steps.extend([Lost, Wrote(1000), Saw(1, 1000), Wrote(1000 + more), Saw(1, 1000 + more)]);
            prop_assert!(!after(&steps).is_stale(&key()));
        }
    }
}
