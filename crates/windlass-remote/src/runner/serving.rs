//! Whether anybody is there who could take the orders that wait: where nobody is, that is said, and when it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use windlass_fleet::Deadline;
use windlass_fleet::leases::{Lease, Revision};
use windlass_fleet::names::{Class, Label, WorkerName};
use windlass_host::process::ProcessError;

use super::room::{Event, GLANCE, Room, beside};
use crate::requirements::class_of;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(2);

/// So long orders wait for somebody who may just be beginning.
const PATIENCE: Duration = Duration::from_secs(5);

/// Looks until the run ends, while any orders wait.
pub(super) fn begin(room: &Arc<Room>) -> Result<JoinHandle<()>, ProcessError> {
    beside(room, "fleet-serving", |room| {
        let began = Instant::now();
        let mut serving = Serving::respecting(room.lease);
        let mut looked = None;
        while !room.is_closing() {
            if looked.is_none_or(|at: Instant| at.elapsed() >= LOOK) {
                looked = Some(Instant::now());
                look(&room, &mut serving, began);
            }
            room.wait(LOOK);
        }
    })
}

fn look(room: &Room, serving: &mut Serving, began: Instant) {
    let mut waiting = BTreeMap::new();
    for order in room.placements().waiting() {
        *waiting.entry(class_of(order)).or_default() += 1;
    }
    let present =
        if waiting.is_empty() { Ok(Vec::new()) } else { room.leases.workers(Deadline::after(GLANCE)) };
    // Where the servers do not say who is there, nothing is known of that.
    if let Ok(present) = present {
        for text in serving.look(&waiting, &present, began.elapsed()) {
            room.tell(Event::Notice(text));
        }
    }
}

/// Who is there, and what nobody serves. Pure: times are of a clock that only goes on.
#[derive(Debug)]
struct Serving {
    /// How long a worker that is not heard of may be there.
    lease: Duration,
    /// How the leases of workers were seen last, and since when they are so.
    seen: BTreeMap<WorkerName, (Revision, Duration)>,
    /// Since when orders of a class wait for nobody.
    unserved: BTreeMap<Class, Duration>,
    /// What was said to be served by nobody.
    said: BTreeSet<Class>,
}

impl Serving {
    const fn respecting(lease: Duration) -> Serving {
        Serving { lease, seen: BTreeMap::new(), unserved: BTreeMap::new(), said: BTreeSet::new() }
    }

    /// So many orders of each class wait, and so the leases of workers are: what a person should know.
    fn look(&mut self, waiting: &BTreeMap<Class, usize>, workers: &[Lease], now: Duration) -> Vec<String> {
        let present: Vec<_> =
            workers.iter().filter_map(|lease| Some((lease.holder()?, lease.revision))).collect();
        self.seen.retain(|name, _| present.iter().any(|(holder, _)| holder.name == *name));
        for (holder, revision) in &present {
            let seen = self.seen.entry(holder.name.clone()).or_insert((*revision, now));
            if seen.0 != *revision {
                *seen = (*revision, now);
            }
        }
        let is_there = |name: &WorkerName| {
            self.seen.get(name).is_some_and(|(_, since)| now.saturating_sub(*since) < self.lease)
        };
        let is_served =
            |class: &Class| present.iter().any(|(holder, _)| is_there(&holder.name) && holder.serves(class));
        self.unserved.retain(|class, _| waiting.contains_key(class) && !is_served(class));
        self.said.retain(|class| waiting.contains_key(class));
        let mut told = Vec::new();
        for (class, count) in waiting {
            if is_served(class) {
                if self.said.remove(class) {
                    told.push(format!("a worker{} is there now", that_has(class)));
                }
                continue;
            }
            let since = *self.unserved.entry(class.clone()).or_insert(now);
            if now.saturating_sub(since) >= PATIENCE && self.said.insert(class.clone()) {
                let tasks =
                    if *count == 1 { "1 task waits".to_owned() } else { format!("{count} tasks wait") };
                told.push(format!(
                    "no worker{} is there: {tasks} for one; `windlass fleet status` shows who is there",
                    that_has(class)
                ));
            }
        }
        told
    }
}

/// To be said after `worker`.
fn that_has(class: &Class) -> String {
    let labels: Vec<&str> = class.labels().iter().map(Label::as_str).collect();
    if labels.is_empty() { String::new() } else { format!(" that has {}", labels.join(" and ")) }
}

#[cfg(test)]
mod tests {
    use windlass_fleet::leases::{Holder, LeaseEpoch, Tenure};

    use super::*;

    const NOBODY: &str = "no worker that has gpu and tpu is there: 2 tasks wait for one; `windlass fleet status` shows who is there";
    const SOMEBODY: &str = "a worker that has gpu and tpu is there now";

    fn second(second: u64) -> Duration {
        Duration::from_secs(second)
    }

    fn waiting(classes: &[(&str, usize)]) -> BTreeMap<Class, usize> {
        classes.iter().map(|(class, count)| (Class::of_token(class).unwrap(), *count)).collect()
    }

    fn worker(name: &str, labels: Option<&[&str]>, revision: u64) -> Lease {
        let labels = labels.map(|labels| labels.iter().map(|label| label.parse().unwrap()).collect());
        let holder = Holder { labels, ..Holder::of(name.parse().unwrap()) };
        Lease { revision: Revision(revision), epoch: LeaseEpoch(1), tenure: Tenure::Held(holder) }
    }

    #[test]
    fn what_nobody_serves_is_said_once_and_again_when_that_changes() {
        let orders = waiting(&[("gpu+tpu", 2)]);
        let mut serving = Serving::respecting(second(9));
        let plain = |now| worker("plain", Some(&["gpu"]), now);
        let able = |revision| worker("able", Some(&["cpu", "gpu", "tpu"]), revision);
        let nothing: [&str; 0] = [];
        assert_eq!(serving.look(&orders, &[plain(0)], second(0)), nothing, "somebody may be beginning");
        assert_eq!(serving.look(&orders, &[plain(4)], second(4)), nothing);
        assert_eq!(serving.look(&orders, &[plain(5)], second(5)), [NOBODY]);
        assert_eq!(serving.look(&orders, &[plain(60)], second(60)), nothing, "it was said");
        assert_eq!(serving.look(&orders, &[plain(62), able(1)], second(62)), [SOMEBODY]);
        assert_eq!(serving.look(&orders, &[plain(64), able(2)], second(64)), nothing);
        // It was killed: its lease is as it was for as long as one is respected.
        assert_eq!(serving.look(&orders, &[plain(72), able(2)], second(72)), nothing);
        assert_eq!(serving.look(&orders, &[plain(73), able(2)], second(73)), nothing);
        assert_eq!(serving.look(&orders, &[plain(78), able(2)], second(78)), [NOBODY]);
    }

    #[test]
    fn what_no_order_waits_for_is_not_said() {
        let mut serving = Serving::respecting(second(9));
        let orders = waiting(&[("gpu", 1), ("_any", 1)]);
        assert_eq!(serving.look(&orders, &[], second(0)).len(), 0);
        let said = serving.look(&orders, &[], second(5));
        assert!(said[0].starts_with("no worker is there: 1 task waits for one"), "{said:?}");
        assert!(said[1].starts_with("no worker that has gpu is there: 1 task waits for one"), "{said:?}");
        // They were taken, and others wait later.
        assert_eq!(serving.look(&waiting(&[]), &[], second(6)).len(), 0);
        assert_eq!(serving.look(&orders, &[], second(20)).len(), 0);
        assert_eq!(serving.look(&orders, &[], second(25)).len(), 2);
    }

    #[test]
    fn whoever_does_not_say_what_they_have_may_have_it() {
        let mut serving = Serving::respecting(second(9));
        let orders = waiting(&[("gpu", 1)]);
        for now in [0, 5, 10] {
            assert_eq!(serving.look(&orders, &[worker("older", None, now)], second(now)).len(), 0);
        }
    }
}
