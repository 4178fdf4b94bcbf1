//! Who is heard of: by looks at their leases, and never by comparing clocks.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use windlass_fleet::leases::{Holder, Lease, LeaseEpoch, LeaseKey, Leases, Revision};
use windlass_fleet::{Deadline, FleetError};
use windlass_ui::{Heard, Hearing};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// Leases that are held, as they were seen from the first look on. Pure: times are since the first look.
#[derive(Debug)]
pub(super) struct Looks {
    /// How long a lease that is not renewed is respected.
    lease: Duration,
    seen: BTreeMap<LeaseKey, Seen>,
}

#[derive(Debug)]
struct Seen {
    holder: Holder,
    epoch: LeaseEpoch,
    revision: Revision,
    /// When it was looked at for the first time.
    first: Duration,
    /// When it was looked at last.
    last: Duration,
    /// The last look before it was seen to be renewed; `None` while it was not.
    renewed_after: Option<Duration>,
}

impl Looks {
    pub(super) const fn respecting(lease: Duration) -> Looks {
        Looks { lease, seen: BTreeMap::new() }
    }

    /// A lease was looked at. One that is free, or is none, is nobody's.
    pub(super) fn saw(&mut self, key: &LeaseKey, lease: Option<&Lease>, now: Duration) {
        let held = lease.and_then(|lease| Some((lease, lease.holder()?)));
        let Some((lease, holder)) = held else {
            self.seen.remove(key);
            return;
        };
        let fresh = Seen {
            holder: holder.clone(),
            epoch: lease.epoch,
            revision: lease.revision,
            first: now,
            last: now,
            renewed_after: None,
        };
        let seen = self.seen.entry(key.clone()).or_insert(fresh);
        if seen.revision != lease.revision {
            seen.renewed_after = Some(seen.last);
            seen.revision = lease.revision;
            seen.holder = holder.clone();
            seen.epoch = lease.epoch;
        }
        seen.last = now;
    }

    /// Those of which it is not known yet whether anybody is there.
    pub(super) fn undecided(&self) -> Vec<LeaseKey> {
        let is_open =
            |seen: &Seen| seen.renewed_after.is_none() && seen.last.saturating_sub(seen.first) < self.lease;
        self.seen.iter().filter(|(_, seen)| is_open(seen)).map(|(key, _)| key.clone()).collect()
    }

    /// Who holds a lease, and when they were heard of; `None` for one that nobody holds.
    pub(super) fn of(&self, key: &LeaseKey, now: Duration) -> Option<(&Holder, Heard)> {
        self.seen.get(key).map(|seen| (&seen.holder, heard(seen, now)))
    }

    /// Under which epoch somebody who was heard of holds a lease.
    pub(super) fn held_under(&self, key: &LeaseKey) -> Option<LeaseEpoch> {
        self.seen.get(key).filter(|seen| seen.renewed_after.is_some()).map(|seen| seen.epoch)
    }

    /// All that are held.
    pub(super) fn all(&self, now: Duration) -> impl Iterator<Item = (&LeaseKey, &Holder, Heard)> {
        self.seen.iter().map(move |(key, seen)| (key, &seen.holder, heard(seen, now)))
    }
}

fn heard(seen: &Seen, now: Duration) -> Heard {
    match seen.renewed_after {
        Some(before) => Heard { state: Hearing::Renewed, span: now.saturating_sub(before) },
        None => Heard { state: Hearing::Silent, span: seen.last.saturating_sub(seen.first) },
    }
}

/// What came of looking, and how long it took.
#[derive(Debug)]
pub(super) struct Looked {
    pub looks: Looks,
    pub now: Duration,
}

/// Looks at leases until each was renewed, given back, or silent for as long as a lease is respected.
pub(super) fn look_at(
    leases: &Leases,
    keys: Vec<LeaseKey>,
    lease: Duration,
    one_look: Duration,
) -> Result<Looked, FleetError> {
    let began = Instant::now();
    let mut looks = Looks::respecting(lease);
    let mut open = keys;
    loop {
        for key in &open {
            let now = began.elapsed();
            looks.saw(key, leases.look(key, Deadline::after(one_look))?.as_ref(), now);
        }
        open = looks.undecided();
        if open.is_empty() {
            return Ok(Looked { looks, now: began.elapsed() });
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use windlass_fleet::leases::{LeaseEpoch, Tenure};

    use super::*;

    fn key() -> LeaseKey {
        LeaseKey::Worker("w".parse().unwrap())
    }

    fn lease(revision: u64, tenure: Tenure) -> Lease {
        Lease { revision: Revision(revision), epoch: LeaseEpoch(1), tenure }
    }

    fn held_by(revision: u64, name: &str) -> Lease {
        lease(revision, Tenure::Held(Holder::of(name.parse().unwrap())))
    }

    /// After these looks, each at a second: who is heard of, and is it decided?
    fn after(steps: &[(u64, Option<Lease>)]) -> (Option<(String, Heard)>, bool) {
        let mut looks = Looks::respecting(Duration::from_secs(9));
        for (at, lease) in steps {
            looks.saw(&key(), lease.as_ref(), Duration::from_secs(*at));
        }
        let now = Duration::from_secs(steps.last().map_or(0, |(at, _)| *at));
        let of = looks.of(&key(), now).map(|(holder, heard)| (holder.name.to_string(), heard));
        (of, looks.undecided().is_empty())
    }

    fn renewed(seconds: u64) -> (String, Heard) {
        ("a".to_owned(), Heard { state: Hearing::Renewed, span: Duration::from_secs(seconds) })
    }

    fn silent(seconds: u64) -> (String, Heard) {
        ("a".to_owned(), Heard { state: Hearing::Silent, span: Duration::from_secs(seconds) })
    }

    #[test]
    fn somebody_is_heard_of_when_their_lease_changes_between_two_looks() {
        let a = |revision| Some(held_by(revision, "a"));
        assert_eq!(after(&[(0, a(1))]), (Some(silent(0)), false));
        assert_eq!(after(&[(0, a(1)), (2, a(1))]), (Some(silent(2)), false));
        assert_eq!(after(&[(0, a(1)), (2, a(1)), (3, a(2))]), (Some(renewed(1)), true));
        assert_eq!(after(&[(0, a(1)), (8, a(1))]), (Some(silent(8)), false));
        assert_eq!(after(&[(0, a(1)), (9, a(1))]), (Some(silent(9)), true));
        // It counts from the first look at it, whenever that was.
        assert_eq!(after(&[(5, a(1)), (9, a(1))]), (Some(silent(4)), false));
    }

    #[test]
    fn what_is_given_back_or_is_none_is_nobodys() {
        let a = |revision| Some(held_by(revision, "a"));
        assert_eq!(after(&[(0, a(1)), (1, Some(lease(2, Tenure::Free)))]), (None, true));
        assert_eq!(after(&[(0, Some(lease(2, Tenure::Unknown)))]), (None, true));
        assert_eq!(after(&[(0, None)]), (None, true));
    }

    #[test]
    fn who_took_a_lease_over_is_who_holds_it() {
        let steps = [(0, Some(held_by(1, "b"))), (1, Some(held_by(2, "a")))];
        assert_eq!(after(&steps), (Some(renewed(1)), true));
    }
}
