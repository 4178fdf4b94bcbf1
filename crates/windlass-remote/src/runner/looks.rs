//! When a lane's lease is looked at: rarely while nothing can have happened to it, and often where a renewal is due, so that its
//! silence is known from its beginning and its end. Pure: all times are of the runner's own monotonic clock.

use std::collections::BTreeMap;
use std::time::Duration;

use windlass_core::values::LaneId;
use windlass_fleet::leases::{RENEWED_EVERY, Revision};

/// The longest that a lease is not looked at: it may have been taken, or given back.
const RARELY: Duration = Duration::from_secs(1);

/// The same where a renewal is due.
const OFTEN: Duration = Duration::from_millis(100);

/// The looks at all lanes.
#[derive(Debug)]
pub(super) struct Looks {
    lease: Duration,
    lanes: BTreeMap<LaneId, Look>,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    at: Duration,
    /// `None` where nobody holds it.
    revision: Option<Revision>,
    /// When it was so for the first time.
    since: Duration,
    /// When it was not so for the last time: it came to be so between the two.
    before: Duration,
}

impl Looks {
    /// At leases that are stale after so long a silence.
    pub const fn until(lease: Duration) -> Looks {
        Looks { lease, lanes: BTreeMap::new() }
    }

    /// A lease was looked at; the call began at `now`.
    pub fn saw(&mut self, lane: LaneId, revision: Option<Revision>, now: Duration) {
        let look = self.lanes.entry(lane).or_insert(Look { at: now, revision, since: now, before: now });
        *look = if look.revision == revision {
            Look { at: now, ..*look }
        } else {
            Look { at: now, revision, since: now, before: look.at }
        };
    }

    /// A look came to nothing.
    pub fn put_off(&mut self, lane: LaneId, now: Duration) {
        let never = Look { at: now, revision: None, since: now, before: now };
        self.lanes.entry(lane).or_insert(never).at = now;
    }

    /// Nobody waits for anything of other lanes than these, which are in their order.
    pub fn retain(&mut self, lanes: &[LaneId]) {
        self.lanes.retain(|lane, _| lanes.binary_search(lane).is_ok());
    }

    /// What was seen before counts no more.
    pub fn forget_all(&mut self) {
        self.lanes.clear();
    }

    /// When a lane's lease is to be looked at; nothing where it was not yet.
    pub fn due(&self, lane: LaneId) -> Duration {
        self.lanes.get(&lane).map_or(Duration::ZERO, |look| look.next(self.lease))
    }

    /// Was nobody seen to hold it?
    pub fn is_free(&self, lane: LaneId) -> bool {
        self.lanes.get(&lane).is_some_and(|look| look.revision.is_none())
    }

    /// Was a held lease not renewed for as long as it is respected?
    pub fn is_silent(&self, lane: LaneId) -> bool {
        let look = self.lanes.get(&lane).filter(|look| look.revision.is_some());
        look.is_some_and(|look| look.at.saturating_sub(look.since) >= self.lease)
    }
}

impl Look {
    fn next(&self, lease: Duration) -> Duration {
        if self.revision.is_none() {
            return self.at + RARELY;
        }
        let (renewal, end) = (self.before + RENEWED_EVERY, self.since + lease);
        let next = if self.at < renewal { (self.at + RARELY).min(renewal) } else { self.at + OFTEN };
        if self.at < end { next.min(end) } else { next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANE: LaneId = LaneId(1);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// The looks at a lease that is renewed at these times, until `end`.
    fn looks(renewed: &[u64], end: u64) -> (Vec<u64>, Looks) {
        let mut looks = Looks::until(ms(9000));
        let mut times = Vec::new();
        loop {
            let now = looks.due(LANE);
            if now > ms(end) {
                return (times, looks);
            }
            let revision = renewed.iter().filter(|at| ms(**at) <= now).count() as u64;
            looks.saw(LANE, Some(Revision(revision)), now);
            times.push(u64::try_from(now.as_millis()).unwrap());
        }
    }

    #[test]
    fn a_lease_is_looked_at_often_only_where_its_renewal_is_due() {
        let (times, looks) = looks(&[0, 3050, 6120], 7000);
        assert_eq!(times, [0, 1000, 2000, 3000, 3100, 4100, 5100, 6000, 6100, 6200]);
        assert!(!looks.is_silent(LANE));
    }

    #[test]
    fn what_was_first_seen_late_is_seen_soon_the_next_time() {
        // Taken at 100, and seen at 1000.
        let (times, _) = looks(&[100, 3150, 6200], 6300);
        assert_eq!(times, [0, 1000, 2000, 3000, 3100, 3200, 4200, 5200, 6100, 6200]);
    }

    #[test]
    fn the_end_of_a_silence_is_seen_when_it_comes() {
        let (times, looks) = looks(&[0, 3050], 3100 + 9000);
        assert_eq!(times.last(), Some(&12_100));
        assert!(looks.is_silent(LANE));
    }

    #[test]
    fn a_free_lease_is_looked_at_rarely_and_is_never_silent() {
        let mut looks = Looks::until(ms(9000));
        looks.saw(LANE, None, ms(0));
        assert_eq!(looks.due(LANE), ms(1000));
        looks.saw(LANE, None, ms(20_000));
        assert_eq!(looks.due(LANE), ms(21_000));
        assert!(!looks.is_silent(LANE) && looks.is_free(LANE));
        // Taken: it begins anew.
        looks.saw(LANE, Some(Revision(7)), ms(21_000));
        assert!(!looks.is_silent(LANE));
        looks.put_off(LANE, ms(22_000));
        assert_eq!(looks.due(LANE), ms(23_000));
        looks.retain(&[LANE]);
        assert_eq!(looks.due(LANE), ms(23_000));
        looks.retain(&[]);
        assert_eq!(looks.due(LANE), ms(0));
    }
}
