//! The watch: renews the run's lease, and sees what becomes of the leases of its lanes.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use windlass_core::values::LaneId;
use windlass_fleet::leases::{Held, Lease, LeaseKey, RENEWED_EVERY, Renewed, Silence};
use windlass_fleet::{Deadline, FleetError};
use windlass_host::process::ProcessError;

use super::looks::Looks;
use super::room::{CALL, Event, GLANCE, Room, RunLeft, beside};
use crate::code::Look;

/// Between two rounds of looks.
const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(1);

pub(super) fn begin(room: &Arc<Room>, held: Held) -> Result<JoinHandle<()>, ProcessError> {
    beside(room, "fleet-watch", move |room| Watch::new(&room, held).keep())
}

/// Looks whether commits can travel, for as long as that is to be known.
pub(super) fn look_after_code(room: &Arc<Room>) -> Result<JoinHandle<()>, ProcessError> {
    beside(room, "fleet-code", move |room| {
        while !room.is_closing() && room.code.look() == Look::Again {
            room.wait(LONGEST);
        }
    })
}

struct Watch<'a> {
    room: &'a Room,
    /// The run's lease; `None` once somebody else has it.
    held: Option<Held>,
    silence: Silence,
    looks: Looks,
    began: Instant,
    renewed: Option<Duration>,
    /// Since when the servers cannot be reached.
    without_contact: Option<Duration>,
}

impl<'a> Watch<'a> {
    fn new(room: &'a Room, held: Held) -> Watch<'a> {
        Watch {
            room,
            held: Some(held),
            silence: Silence::longer_than(room.lease),
            looks: Looks::until(room.lease),
            began: Instant::now(),
            renewed: None,
            without_contact: None,
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Until the run's end, or until the run is somebody else's.
    fn keep(mut self) {
        while !self.room.is_closing() && self.held.is_some() {
            if self.now() >= self.renewal() {
                self.renew();
            }
            // Not in the loop's head: it would be locked for as long as the loop lasts.
            let watched = self.room.placements().watched();
            self.looks.retain(&watched);
            if self.without_contact.is_none() {
                for lane in &watched {
                    if self.now() >= self.looks.due(*lane) || self.was_taken(*lane) {
                        self.look_at(*lane);
                    }
                }
            }
            // What is offered meanwhile ends it.
            self.room.wait(self.patience(&watched));
        }
        // A run that is left has its lease until that is stale: workers keep what they have.
        if let Some(held) = self.held.take().filter(|_| !self.room.is_left()) {
            let _ = self.room.leases.release(held, Deadline::after(CALL));
        }
    }

    /// Has somebody been heard of who was not seen to have it?
    fn was_taken(&self, lane: LaneId) -> bool {
        self.looks.is_free(lane) && self.room.placements().tenant(lane).is_some()
    }

    /// How long there is nothing to look at, and nothing to renew.
    fn patience(&self, watched: &[LaneId]) -> Duration {
        if self.without_contact.is_some() {
            return LONGEST;
        }
        let due = watched.iter().map(|lane| self.looks.due(*lane)).chain([self.renewal()]).min();
        due.unwrap_or_default().saturating_sub(self.now()).clamp(SHORTEST, LONGEST)
    }

    /// When the run's lease is to be renewed.
    fn renewal(&self) -> Duration {
        self.renewed.map_or(Duration::ZERO, |renewed| renewed + RENEWED_EVERY)
    }

    fn renew(&mut self) {
        let (now, began) = (self.now(), Instant::now());
        let Some(held) = &mut self.held else { return };
        match self.room.leases.renew(held, Deadline::after(GLANCE)) {
            Ok(Renewed::Kept) => {
                self.renewed = Some(now);
                self.room.renewed(began);
                self.silence.wrote(now);
                if let Some(since) = self.without_contact.take() {
                    self.room.set_cut_off(false);
                    let seconds = now.saturating_sub(since).as_secs();
                    self.say(format!("the fleet's servers answer again, after {seconds} s"));
                }
            }
            Ok(Renewed::Gone(by)) => {
                self.held = None;
                let left = by.map_or(RunLeft::Forgotten, |by| {
                    let holder = by.holder().map(|holder| holder.name.to_string());
                    RunLeft::TakenOver(holder.unwrap_or_else(|| "somebody".to_owned()))
                });
                self.room.tell(Event::Left(left));
            }
            Err(error) => self.no_contact(now, &error),
        }
    }

    fn no_contact(&mut self, now: Duration, error: &FleetError) {
        self.silence.lost_contact();
        self.looks.forget_all();
        let since = *self.without_contact.get_or_insert(now);
        if since == now {
            self.room.set_cut_off(true);
            self.say(format!("{error}; lanes go on with what they have, and nothing new begins"));
        }
        if now.saturating_sub(since) >= self.room.patience {
            self.room.tell(Event::Left(RunLeft::NoServers(self.room.patience)));
            // Said once: its end is on its way.
            self.held = None;
        }
    }

    fn say(&self, text: String) {
        self.room.tell(Event::Notice(text));
    }

    fn look_at(&mut self, lane: LaneId) {
        let key = LeaseKey::Lane(self.room.run.clone(), lane);
        let now = self.now();
        let Ok(lease) = self.room.leases.look(&key, Deadline::after(GLANCE)) else {
            // The next renewal says what that means.
            self.looks.put_off(lane, now);
            return;
        };
        self.room.see(lane, lease.as_ref());
        let has_tenant = self.room.placements().tenant(lane).is_some();
        let held = lease.as_ref().filter(|_| has_tenant);
        self.looks.saw(lane, held.map(|lease| lease.revision), now);
        if let Some(lease) = lease.as_ref().filter(|lease| self.is_own(lease)) {
            // It was taken over here, and not made free: nobody renews it, and nobody else may take it.
            return self.room.free(lane, Some(lease));
        }
        let Some(lease) = lease.filter(|_| has_tenant) else { return };
        self.silence.saw(&key, lease.revision, now);
        if self.looks.is_silent(lane) && !self.silence.is_stale(&key) {
            // It counts only up to the last write of its own.
            self.renew();
        }
        if self.silence.is_stale(&key) && self.held.is_some() {
            self.take_over(lane, &key, &lease);
        }
    }

    /// A worker that is silent has lost its lane: from now on nothing that it says of it counts.
    fn take_over(&mut self, lane: LaneId, key: &LeaseKey, lease: &Lease) {
        // Otherwise the next look tells.
        let Some(held) = self.room.take(lane, Some(lease)) else { return };
        self.silence.forget(key);
        let loss = self.room.placements().lose(lane, "has been silent for too long and has lost it");
        // Free for the next one, before anybody is asked to take it.
        self.room.release(held);
        self.room.changed();
        if let Some(loss) = loss {
            self.room.tell(Event::Lost(Box::new(loss)));
        }
    }

    /// Is it this runner's?
    fn is_own(&self, lease: &Lease) -> bool {
        lease.holder().is_some_and(|holder| holder.name == self.room.name)
    }
}
