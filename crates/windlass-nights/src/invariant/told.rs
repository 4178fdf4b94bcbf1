//! Who is to be told is told, and not again of what he is known to have heard.

use std::collections::BTreeSet;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::NotifyEvent;
use windlass_core::values::{Delivery, NotificationKey, StopReason};

use super::Breach;
use crate::record::{Record, What};

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    if !record.is_told {
        return Ok(());
    }
    let mut known = Receipts::default();
    for (at, moment) in record.moments.iter().enumerate() {
        known.take(&moment.what).map_err(|said| Breach::at(at, said))?;
    }
    Ok(())
}

#[derive(Default)]
struct Receipts {
    received: BTreeSet<NotificationKey>,
    /// Of these it is on the disk that they were received.
    sent: BTreeSet<NotificationKey>,
    /// The newest facts: what did not survive is told apart.
    lost: BTreeSet<u64>,
    newest: u64,
    /// The last that was told in this session.
    last: u64,
    /// What was told in this session, and the newest fact when it began.
    here: BTreeSet<NotificationKey>,
    began_with: u64,
    /// The end that is decided: why, the first fact that says so, and what became of its being told.
    ending: Option<(StopReason, u64, Option<Delivery>)>,
    disk_is_full: bool,
}

impl Receipts {
    fn take(&mut self, what: &What) -> Result<(), String> {
        match what {
            What::SessionBegan { facts } => {
                (self.last, self.disk_is_full, self.began_with) = (0, false, *facts);
                self.here.clear();
                // What was given up in an earlier session is to be told again.
                if let Some((_, _, delivery)) = &mut self.ending {
                    *delivery = delivery.filter(|delivery| *delivery == Delivery::Sent);
                }
            }
            What::Happened("the disk is full") => self.disk_is_full = true,
            What::LostFact(entry) => {
                self.newest = entry.seq;
                self.lost.insert(entry.seq);
            }
            What::Fact(entry) => {
                self.newest = entry.seq;
                self.lost.remove(&entry.seq);
                return self.fact(entry.seq, &entry.fact);
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
        if !self.here.insert(key) {
            return Err(format!("somebody is told {what} twice in a session"));
        }
        if repeated && key.about > self.began_with {
            return Err(format!("{what} is said to be repeated, and is new"));
        }
        if !self.received.insert(key) && !repeated {
            return Err(format!("somebody is told {what} again as if it were new"));
        }
        Ok(())
    }

    fn fact(&mut self, seq: u64, fact: &Fact) -> Result<(), String> {
        match fact {
            Fact::IterationStarted { .. } | Fact::CallReserved { .. } => self.ending = None,
            Fact::NotificationSettled(report::NotificationSettled { key, delivery, .. }) => {
                if let Some((_, about, settled)) = &mut self.ending
                    && *about == key.about
                    && key.event == NotifyEvent::RunEnd
                {
                    *settled = Some(*delivery);
                }
                if *delivery == Delivery::Sent {
                    self.sent.insert(*key);
                }
            }
            Fact::RunEnding { stop_reason, .. } => {
                let same = self.ending.take().filter(|(reason, _, _)| reason == stop_reason);
                self.ending = Some(same.unwrap_or((*stop_reason, seq, None)));
            }
            Fact::RunFinished { .. } => {
                let is_settled = matches!(self.ending.take(), Some((_, _, Some(_))));
                if !is_settled && !self.disk_is_full {
                    return Err("the run is over, and nobody was told or given up".to_owned());
                }
            }
            _ => {}
        }
        Ok(())
    }
}
