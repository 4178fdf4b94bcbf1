//! Which worker has which lane, and what follows from that. Pure: leases and orders come in, decisions come out.

use std::collections::BTreeMap;

use crate::fleet::leases::{Lease, LeaseEpoch};
use crate::fleet::names::WorkerName;
use crate::run::{Effect, Epoch, Order, Reported};
use crate::values::{LaneId, TaskEnd};

use crate::fleet::answers::is_answer;

/// The lanes of a run.
#[derive(Debug, Default)]
pub struct Placements {
    lanes: BTreeMap<LaneId, Placed>,
}

/// A lane.
#[derive(Debug, Default)]
struct Placed {
    place: Place,
    /// The newest order that nothing has come of yet.
    outstanding: Option<Order>,
    /// Who lost it last.
    lost_by: Option<WorkerName>,
    /// Who had it last: their lease may be there for a while yet.
    past: Option<Tenant>,
}

impl Placed {
    /// Is anything ordered for it but that it be given back?
    fn is_wanted(&self) -> bool {
        self.outstanding.as_ref().is_some_and(|order| !gives_back(&order.effect))
    }
}

/// Where a lane is.
#[derive(Debug, Default)]
enum Place {
    /// Nobody has it.
    #[default]
    Free,
    /// Its first order waits for whoever is free.
    Offered(Epoch),
    /// A worker has it.
    Held(Tenant),
    /// The same, and it is told that its task is over, or says that it has not got the lane. Nothing begins until its lease is free.
    Leaving(Tenant),
}

/// A worker that has a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// Which.
    pub worker: WorkerName,
    /// Of its lease.
    pub epoch: LeaseEpoch,
    /// The number of the last outcome that was taken from it.
    heard: u64,
}

/// Where an order goes.
#[derive(Debug, PartialEq, Eq)]
pub enum Route {
    /// To whoever is free.
    Offer,
    /// To the one who has the lane.
    Send(Tenant),
    /// Its lane was lost: that is what came of it.
    Lost,
    /// It waits for whoever takes the lane's first order.
    Wait,
    /// Nobody needs it any more.
    Nowhere,
}

/// A lane whose worker is gone.
#[derive(Debug, PartialEq)]
pub struct Loss {
    /// Which.
    pub lane: LaneId,
    /// Who had it.
    pub worker: WorkerName,
    /// Why, to be said after the worker's name.
    pub why: String,
    /// What it was to do.
    pub outstanding: Option<Order>,
}

/// What was seen of a lane's lease.
#[derive(Debug, PartialEq)]
pub enum Seen {
    /// As it was known.
    Same,
    /// A worker has taken the lane. Which order it took is not known: an older one may have been in the queue still. So the newest is
    /// sent to it, and it knows one that it has by its epoch.
    Taken,
    /// The one who had it has not got it any more.
    Lost(Box<Loss>),
    /// A worker has taken a lane for which nothing is ordered: by an order that was in the queue twice, and whose task is over. It is to
    /// hear that, since it would hold the lane for ever.
    Stray,
}

/// What an outcome is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hearing {
    /// It counts.
    New,
    /// It was taken before.
    Again,
    /// It is of somebody who has not got the lane.
    Late,
}

impl Placements {
    /// An order is given. One that ends a call is answered by the call's end.
    pub fn ordered(&mut self, lane: LaneId, order: &Order) {
        if !matches!(order.effect, Effect::EndCall { .. }) {
            self.lanes.entry(lane).or_default().outstanding = Some(order.clone());
        }
    }

    /// Where it goes as things stand.
    pub fn route(&self, lane: LaneId, order: &Order) -> Route {
        let placed = self.lanes.get(&lane);
        let is_newest = placed
            .and_then(|placed| placed.outstanding.as_ref())
            .is_some_and(|newest| newest.epoch == order.epoch);
        let ends_call = matches!(order.effect, Effect::EndCall { .. });
        // Whoever has the lane still is told so, also when its next task is ordered already: that waits for it.
        if let (true, Some(Place::Leaving(tenant))) =
            (gives_back(&order.effect), placed.map(|placed| &placed.place))
        {
            return Route::Send(tenant.clone());
        }
        if !is_newest && !ends_call {
            return Route::Nowhere;
        }
        match placed.map(|placed| &placed.place) {
            Some(Place::Held(tenant)) => Route::Send(tenant.clone()),
            // Until its lease is free.
            Some(Place::Leaving(_)) if !ends_call => Route::Wait,
            _ if ends_call => Route::Nowhere,
            Some(Place::Offered(epoch)) if *epoch == order.epoch => Route::Wait,
            _ if begins(order) => Route::Offer,
            _ => Route::Lost,
        }
    }

    /// Its first order waits for whoever is free.
    pub fn offered(&mut self, lane: LaneId, order: Epoch) {
        self.lanes.entry(lane).or_default().place = Place::Offered(order);
    }

    /// The orders that wait for whoever is free.
    pub fn waiting(&self) -> impl Iterator<Item = &Order> {
        let offered = self.lanes.values().filter(|placed| matches!(placed.place, Place::Offered(_)));
        offered.filter_map(|placed| placed.outstanding.as_ref())
    }

    /// The lanes whose leases say something: those that are offered or held.
    pub fn watched(&self) -> Vec<LaneId> {
        let watched = self.lanes.iter().filter(|(_, placed)| !matches!(placed.place, Place::Free));
        watched.map(|(lane, _)| *lane).collect()
    }

    /// How a lane's lease is when a runner begins: whoever has it has gone on without one.
    pub fn found(&mut self, lane: LaneId, lease: Option<&Lease>, own: &WorkerName) {
        if let Some((worker, epoch)) = worker_of(lease, own) {
            let tenant = Tenant { worker: worker.clone(), epoch, heard: 0 };
            self.lanes.entry(lane).or_default().place = Place::Held(tenant);
        }
    }

    /// How a lane's lease is; `None` where nobody ever held it. `own` is the name that the runner itself takes leases by.
    pub fn saw(&mut self, lane: LaneId, lease: Option<&Lease>, own: &WorkerName) -> Seen {
        let placed = self.lanes.entry(lane).or_default();
        match (&placed.place, worker_of(lease, own)) {
            (Place::Held(tenant) | Place::Leaving(tenant), Some((_, epoch))) if tenant.epoch == epoch => {
                Seen::Same
            }
            // It is back, and somebody else may have taken it since.
            (Place::Leaving(_), _) => {
                placed.place = Place::Free;
                placed.past = None;
                self.saw(lane, lease, own)
            }
            // Whoever has it now took it without having been asked.
            (Place::Held(_), _) => match self.lose(lane, "gave it up") {
                Some(loss) => Seen::Lost(Box::new(loss)),
                None => Seen::Same,
            },
            // It has been given back, and that has not arrived, or does not.
            (Place::Free | Place::Offered(_), Some((_, epoch)))
                if placed.past.as_ref().is_some_and(|past| past.epoch == epoch) =>
            {
                placed.place = placed.past.take().map(Place::Leaving).unwrap_or_default();
                Seen::Same
            }
            (Place::Free, Some(_)) if !placed.is_wanted() => Seen::Stray,
            (Place::Free | Place::Offered(_), Some((worker, epoch))) => {
                placed.place = Place::Held(Tenant { worker: worker.clone(), epoch, heard: 0 });
                Seen::Taken
            }
            (Place::Free | Place::Offered(_), None) => Seen::Same,
        }
    }

    /// Its worker has not got it any more. `None` where nobody had it. A first order that has waited for its lease to be free goes to
    /// whoever is free.
    pub fn lose(&mut self, lane: LaneId, why: &str) -> Option<Loss> {
        let placed = self.lanes.get_mut(&lane)?;
        match std::mem::take(&mut placed.place) {
            Place::Held(tenant) => {
                let worker = tenant.worker.clone();
                placed.lost_by = Some(worker.clone());
                placed.past = Some(tenant);
                Some(Loss { lane, worker, why: why.to_owned(), outstanding: placed.outstanding.take() })
            }
            Place::Leaving(tenant) => {
                let worker = tenant.worker.clone();
                placed.lost_by = Some(worker.clone());
                placed.past = Some(tenant);
                let outstanding = placed.outstanding.take_if(|order| !begins(order));
                Some(Loss { lane, worker, why: why.to_owned(), outstanding })
            }
            other => {
                placed.place = other;
                None
            }
        }
    }

    /// Its task is over, and its worker is told so.
    pub fn leaves(&mut self, lane: LaneId) {
        let Some(placed) = self.lanes.get_mut(&lane) else { return };
        placed.place = match std::mem::take(&mut placed.place) {
            Place::Held(tenant) => Place::Leaving(tenant),
            other => other,
        };
    }

    /// Its worker says that it has not got it, or not under this lease: it has given it back, or was started anew and knows nothing of
    /// it. Where the lease is not free yet it will be, or is found to be stale.
    pub fn refused(&mut self, lane: LaneId, epoch: LeaseEpoch) {
        if self.tenant(lane).is_some_and(|tenant| tenant.epoch == epoch) {
            self.leaves(lane);
        }
    }

    /// It has given the lane back.
    pub fn left(&mut self, lane: LaneId, epoch: LeaseEpoch) {
        if self.tenant(lane).is_some_and(|tenant| tenant.epoch == epoch)
            && let Some(placed) = self.lanes.get_mut(&lane)
            && let Place::Held(tenant) | Place::Leaving(tenant) = std::mem::take(&mut placed.place)
        {
            placed.past = Some(tenant);
        }
    }

    /// What was left of its task is here, and with that its worker has given it back. Gives the order to close the task, where that
    /// waits for it: the runner that asked may have died since, and this one may ask later.
    pub fn left_behind(&mut self, lane: LaneId) -> Option<Order> {
        let closes = |order: &&Order| matches!(order.effect, Effect::CloseTask { .. });
        let closing = self.outstanding(lane).filter(closes).map(|order| order.epoch);
        if let Some(lease) = self.tenant(lane).map(|tenant| tenant.epoch) {
            self.left(lane, lease);
        }
        closing.and_then(|epoch| self.give_up(lane, epoch))
    }

    /// It could not be offered.
    pub fn not_offered(&mut self, lane: LaneId, order: Epoch) {
        let Some(placed) = self.lanes.get_mut(&lane) else { return };
        if matches!(placed.place, Place::Offered(offered) if offered == order) {
            placed.place = Place::Free;
        }
    }

    /// What nothing has come of yet.
    pub fn outstanding(&self, lane: LaneId) -> Option<&Order> {
        self.lanes.get(&lane)?.outstanding.as_ref()
    }

    /// Takes an order that nothing can come of.
    pub fn give_up(&mut self, lane: LaneId, order: Epoch) -> Option<Order> {
        let placed = self.lanes.get_mut(&lane)?;
        placed.outstanding.take_if(|outstanding| outstanding.epoch == order)
    }

    /// Who lost a lane that nobody has.
    pub fn lost_by(&self, lane: LaneId) -> Option<WorkerName> {
        self.lanes.get(&lane)?.lost_by.clone()
    }

    /// The worker that has a lane.
    pub fn tenant(&self, lane: LaneId) -> Option<&Tenant> {
        match &self.lanes.get(&lane)?.place {
            Place::Held(tenant) | Place::Leaving(tenant) => Some(tenant),
            Place::Free | Place::Offered(_) => None,
        }
    }

    /// An outcome came, under this epoch of the lane's lease and with this number.
    pub fn hearing(&self, lane: LaneId, epoch: LeaseEpoch, number: u64) -> Hearing {
        match self.tenant(lane) {
            Some(tenant) if tenant.epoch == epoch && number > tenant.heard => Hearing::New,
            Some(tenant) if tenant.epoch == epoch => Hearing::Again,
            _ => Hearing::Late,
        }
    }

    /// What belongs to an outcome is here, and it is taken where it is new: what it answers is not outstanding any more. While that was
    /// brought, the same outcome may have come again and been taken, or the lane may have been lost.
    pub fn heard(&mut self, lane: LaneId, epoch: LeaseEpoch, number: u64, reported: &[Reported]) -> Hearing {
        let hearing = self.hearing(lane, epoch, number);
        let Some(placed) = self.lanes.get_mut(&lane).filter(|_| hearing == Hearing::New) else {
            return hearing;
        };
        if let Place::Held(tenant) | Place::Leaving(tenant) = &mut placed.place {
            tenant.heard = tenant.heard.max(number);
        }
        let answered = reported.iter().filter(|reported| is_answer(&reported.report));
        for epoch in answered.filter_map(|reported| reported.order) {
            placed.outstanding.take_if(|outstanding| outstanding.epoch <= epoch);
        }
        Hearing::New
    }

    /// The one who has the lane under this lease gives it up. `None` where nobody has it so: somebody else may have it by now.
    pub fn given_up(&mut self, lane: LaneId, epoch: LeaseEpoch, why: &str) -> Option<Loss> {
        self.tenant(lane).filter(|tenant| tenant.epoch == epoch)?;
        self.lose(lane, why)
    }
}

/// The worker that has a lease; `None` where nobody has, or the runner itself.
fn worker_of<'a>(lease: Option<&'a Lease>, own: &WorkerName) -> Option<(&'a WorkerName, LeaseEpoch)> {
    let lease = lease?;
    let holder = &lease.holder()?.name;
    (holder != own).then_some((holder, lease.epoch))
}

/// Does a lane begin with it, whatever was there before?
pub fn begins(order: &Order) -> bool {
    matches!(order.effect, Effect::Open { .. }) && order.context.task().is_none_or(|at| at.fresh)
}

/// Is a lane given back with it? A task that is gone on with keeps its lane, and what was made there.
pub const fn gives_back(effect: &Effect) -> bool {
    matches!(effect, Effect::CloseTask { end: TaskEnd::Done | TaskEnd::Parked { .. }, .. })
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
