//! Who is to be told is told, and not again of what he is known to have heard.

use std::collections::BTreeSet;

use windlass_core::config::NotifyEvent;
use windlass_core::fact::{Delivery, Fact, NotificationKey};

use super::Breach;
use crate::record::{Record, What};

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    if !record.is_told {
        return Ok(());
    }
    let mut known = Known::default();
    for (at, moment) in record.moments.iter().enumerate() {
        known.take(&moment.what).map_err(|said| Breach::at(at, said))?;
    }
    Ok(())
}

#[derive(Default)]
struct Known {
    received: BTreeSet<NotificationKey>,
    /// Of these it is on the disk that they were received.
    sent: BTreeSet<NotificationKey>,
    /// The newest facts: what did not survive is told apart.
    lost: BTreeSet<u64>,
    newest: u64,
    /// The last that was told in this session.
    last: u64,
    /// What became of the end's being told is written down.
    end_is_settled: bool,
    disk_is_full: bool,
}

impl Known {
    fn take(&mut self, what: &What) -> Result<(), String> {
        match what {
            What::SessionBegan { .. } => (self.last, self.disk_is_full) = (0, false),
            What::Happened("the disk is full") => self.disk_is_full = true,
            What::LostFact(entry) => {
                self.newest = entry.seq;
                self.lost.insert(entry.seq);
            }
            What::Fact(entry) => {
                self.newest = entry.seq;
                self.lost.remove(&entry.seq);
                return self.fact(&entry.fact);
            }
            What::Told { key, repeated } => return self.told(*key, *repeated),
            _ => {}
        }
        Ok(())
    }

    fn told(&mut self, key: NotificationKey, repeated: bool) -> Result<(), String> {
        let what = format!("{:?} of fact {}", key.event, key.about);
        if key.about > self.newest || self.lost.contains(&key.about) {
            return Err(format!("somebody is told {what}, and the journal does not have it"));
        }
        if !repeated && key.about < self.last {
            return Err(format!("somebody is told {what} after fact {}", self.last));
        }
        self.last = self.last.max(key.about);
        if self.sent.contains(&key) {
            return Err(format!("somebody is told {what} again, and is known to have heard it"));
        }
        if !self.received.insert(key) && !repeated {
            return Err(format!("somebody is told {what} again as if it were new"));
        }
        Ok(())
    }

    fn fact(&mut self, fact: &Fact) -> Result<(), String> {
        match fact {
            Fact::IterationStarted { .. } | Fact::CallReserved { .. } => self.end_is_settled = false,
            Fact::NotificationSettled { key, delivery, .. } => {
                self.end_is_settled |= key.event == NotifyEvent::RunEnd;
                if *delivery == Delivery::Sent {
                    self.sent.insert(*key);
                }
            }
            Fact::RunFinished { .. } => {
                if !self.end_is_settled && !self.disk_is_full {
                    return Err("the run is over, and nobody was told or given up".to_owned());
                }
                self.end_is_settled = false;
            }
            _ => {}
        }
        Ok(())
    }
}
