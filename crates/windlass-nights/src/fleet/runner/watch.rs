//! The watch: renews the run's lease, and sees what becomes of the leases of its lanes.

use std::time::Duration;

use windlass_core::fleet::leases::{Lease, LeaseEpoch};
use windlass_core::fleet::placement::{Loss, Seen};
use windlass_core::values::LaneId;

use super::{PATIENCE, Stage, Told};
use crate::fleet::agenda::Event;
use crate::fleet::network::{Fate, ONE_TRY, Who};
use crate::fleet::night::{LEASE, Night};
use crate::fleet::plant::FleetPlant;
use crate::fleet::record::What;
use crate::fleet::servers::Place;

/// Between two looks at leases.
const LOOK: u64 = 1_000;

/// How often a holder renews its lease.
const RENEWED_EVERY: u64 = 3_000;

impl Night<'_> {
    /// One round: the run's own lease where that is due, then those of its lanes.
    pub(super) fn watch(&mut self, runner: usize) {
        if !matches!(self.runners[runner].stage, Stage::Runs) {
            return;
        }
        let due = self.runners[runner].renewed.is_none_or(|renewed| self.now >= renewed + RENEWED_EVERY);
        if !due {
            return self.look_around(runner);
        }
        let began = self.now;
        let same = self.is(FleetPlant::SameBeat);
        let Some(held) = &mut self.runners[runner].held else { return };
        // Another write than the one before, whatever became of that.
        let value = held.clone();
        held.beat += u64::from(!same);
        self.runners[runner].renewing = Some(began);
        let (there, back) = (self.way(), self.way());
        let fate = self.asks(Who::Runner(runner));
        let fails = Event::RenewalFailed { began };
        if fate == Fate::Lost {
            return self.later(runner, ONE_TRY, fails);
        }
        // It is written when it arrives; what comes between the two sees it.
        let written = self.servers.renew(self.now + there, Place::Run, &value);
        if fate == Fate::Answered && there + back < ONE_TRY {
            self.later(runner, there + back, Event::Renewed(written));
        } else {
            self.later(runner, ONE_TRY, fails);
        }
    }

    pub(super) fn renewed(&mut self, runner: usize, revision: Option<u64>) {
        let Some(began) = self.runners[runner].renewing.take() else { return };
        let Some(revision) = revision else {
            self.runners[runner].told.clear();
            return self.tell(runner, Told::Left);
        };
        let since_start = Duration::from_millis(began - self.runners[runner].began);
        let known = &mut self.runners[runner];
        if let Some(held) = &mut known.held {
            held.revision = revision;
        }
        known.renewed = Some(began);
        known.counts_from = Some(began);
        known.silence.wrote(since_start);
        if known.without_contact.take().is_some() {
            known.is_cut_off = false;
        }
        self.wake(runner);
        self.look_around(runner);
    }

    pub(super) fn renewal_failed(&mut self, runner: usize, began: u64) {
        if self.runners[runner].renewing != Some(began) {
            return;
        }
        let known = &mut self.runners[runner];
        known.renewing = None;
        known.silence.lost_contact();
        known.is_cut_off = true;
        let since = *known.without_contact.get_or_insert(began);
        if began - since >= PATIENCE {
            return self.tell(runner, Told::Left);
        }
        self.wake(runner);
        self.look_around(runner);
    }

    fn look_around(&mut self, runner: usize) {
        if self.runners[runner].without_contact.is_none() {
            for lane in self.runners[runner].placements.watched() {
                self.look_at(runner, lane);
            }
        }
        self.later(runner, LOOK, Event::Watch);
    }

    fn look_at(&mut self, runner: usize, lane: LaneId) {
        if self.asks(Who::Runner(runner)) != Fate::Answered {
            return;
        }
        let lease = self.servers.look(Place::Lane(lane));
        self.see(runner, lane, lease.as_ref());
        if lease
            .as_ref()
            .and_then(Lease::holder)
            .is_some_and(|holder| holder.name == self.runners[runner].name)
        {
            return self.free(runner, lane, lease.map_or(0, |lease| lease.revision.0));
        }
        let has_tenant = self.runners[runner].placements.tenant(lane).is_some();
        let Some(lease) = lease.filter(|_| has_tenant) else { return };
        let key = &self.keys[usize::from(lane.0)];
        let now = Duration::from_millis(self.now - self.runners[runner].began);
        let silence = &mut self.runners[runner].silence;
        silence.saw(key, lease.revision, now);
        let impatient = self.is(FleetPlant::ImpatientWatch);
        let silence = &mut self.runners[runner].silence;
        let is_stale =
            silence.is_stale(key) || (impatient && silence.of(key) >= Duration::from_millis(LEASE / 4));
        if is_stale {
            self.take_over(runner, lane, lease.revision.0);
        }
    }

    /// A worker that is silent has lost its lane.
    fn take_over(&mut self, runner: usize, lane: LaneId, seen: u64) {
        let place = Place::Lane(lane);
        let fate = self.asks(Who::Runner(runner));
        if fate == Fate::Lost {
            return;
        }
        let silent = self.now.saturating_sub(self.servers.written_at(place).unwrap_or(0));
        let (nonce, name) = (self.number(), self.runners[runner].name.clone());
        let Some(held) = self.servers.take(self.now, place, Some(seen), &name, nonce) else { return };
        self.note(What::TakenOver { lane, silent });
        if fate == Fate::Unheard {
            return;
        }
        let key = place.key(&self.script.plan.run);
        self.runners[runner].silence.forget(&key);
        self.lose(runner, lane, "has been silent for too long and has lost it");
        // Free for the next one, where that arrives.
        if self.asks(Who::Runner(runner)) != Fate::Lost {
            self.servers.release(self.now, place, &held);
        }
    }

    /// Makes a lane free that this runner has taken over, where that had not arrived.
    fn free(&mut self, runner: usize, lane: LaneId, seen: u64) {
        if self.is(FleetPlant::UnfreedLane) || self.asks(Who::Runner(runner)) != Fate::Answered {
            return;
        }
        let (nonce, name, place) = (self.number(), self.runners[runner].name.clone(), Place::Lane(lane));
        if let Some(held) = self.servers.take(self.now, place, Some(seen), &name, nonce)
            && self.asks(Who::Runner(runner)) != Fate::Lost
        {
            self.servers.release(self.now, place, &held);
        }
    }

    /// How a lane's lease was seen, and what follows from it.
    pub(super) fn see(&mut self, runner: usize, lane: LaneId, lease: Option<&Lease>) {
        let before = self.runners[runner].placements.tenant(lane).map(|tenant| tenant.epoch.0);
        let known = &mut self.runners[runner];
        match known.placements.saw(lane, lease, &known.name) {
            Seen::Same => {}
            Seen::Taken => self.changed(runner),
            Seen::Lost(loss) => {
                self.changed(runner);
                self.note(What::Lost { runner, lane, lease: before.unwrap_or(0) });
                if !self.is(FleetPlant::UnsaidLoss) {
                    self.tell(runner, Told::Lost(loss));
                }
            }
            // Taken from it, and free.
            Seen::Stray => self.free(runner, lane, lease.map_or(0, |lease| lease.revision.0)),
        }
    }

    /// A lane's worker has not got it any more.
    fn lose(&mut self, runner: usize, lane: LaneId, why: &str) {
        let before = self.runners[runner].placements.tenant(lane).map(|tenant| tenant.epoch.0);
        let loss = self.runners[runner].placements.lose(lane, why);
        self.lost(runner, lane, before.unwrap_or(0), loss);
    }

    /// It says so itself.
    pub(super) fn given_up(&mut self, runner: usize, lane: LaneId, lease: u64) {
        let loss = self.runners[runner].placements.given_up(lane, LeaseEpoch(lease), "gives it up");
        self.lost(runner, lane, lease, loss);
    }

    fn lost(&mut self, runner: usize, lane: LaneId, lease: u64, loss: Option<Loss>) {
        self.changed(runner);
        if let Some(loss) = loss {
            self.note(What::Lost { runner, lane, lease });
            if !self.is(FleetPlant::UnsaidLoss) {
                self.tell(runner, Told::Lost(Box::new(loss)));
            }
        }
    }
}
