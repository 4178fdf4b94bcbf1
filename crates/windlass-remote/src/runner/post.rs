//! A lane's post: a thread that brings the lane's orders to where they go, one after another, so that no lane waits for what
//! another's worker does not answer.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use windlass_core::run::{Effect, Order};
use windlass_core::values::LaneId;
use windlass_engine::executor::EngineError;
use windlass_fleet::leases::LeaseKey;
use windlass_fleet::names::OrderKey;
use windlass_fleet::orders::{Answer, Delivered, Errand, OfferedCode};
use windlass_fleet::{Deadline, FleetError};
use windlass_host::process::ProcessError;

use super::placement::{Route, Tenant, begins, gives_back};
use super::room::{CALL, Event, Room, beside};
use crate::code::CodeError;
use crate::requirements::class_of;

/// How long is waited before a letter that nobody took is sent again: within a lease, its holder is back or is gone.
pub(super) const PAUSE: Duration = Duration::from_millis(500);

/// After each time of this length it is looked whether an order that nobody took is still in the queue.
const LOOKED_FOR: Duration = Duration::from_secs(5);

/// The handle of a lane's thread.
pub(super) struct Post {
    orders: Sender<Order>,
}

impl Post {
    pub fn open(room: &Arc<Room>, lane: LaneId) -> Result<Post, ProcessError> {
        let (orders, inbox) = channel();
        beside(room, &format!("lane-{lane}"), move |room| {
            for order in inbox {
                bring(&room, lane, &order);
            }
        })?;
        Ok(Post { orders })
    }

    pub fn carry(&self, order: Order) -> Result<(), EngineError> {
        self.orders.send(order).map_err(|_| EngineError::Broken)
    }
}

/// What one try came to.
enum Tried {
    /// It is where it belongs.
    Done,
    /// It is not, and may be in a while.
    Again,
}

/// Tries until the order is where it belongs, or nobody needs it.
fn bring(room: &Room, lane: LaneId, order: &Order) {
    if gives_back(&order.effect) {
        room.placements().leaves(lane);
    }
    let mut looked = Instant::now();
    let mut offers = 0;
    let mut said = Said::default();
    while !room.is_closing() {
        let route = room.placements().route(lane, order);
        let tried = match route {
            Route::Nowhere => return,
            Route::Lost => {
                let taken = room.placements().give_up(lane, order.epoch);
                if let Some(order) = taken {
                    room.tell(Event::Unplaced(lane, Box::new(order)));
                }
                return;
            }
            Route::Send(tenant) => send(room, lane, order, &tenant),
            Route::Offer => {
                (offers, looked) = (offers + 1, Instant::now());
                offer(room, lane, order, offers)
            }
            // Its holder answers it, or the watch sees what becomes of it.
            Route::Wait => {
                // Not counted in waits: whatever happens in another lane ends one.
                if looked.elapsed() >= LOOKED_FOR {
                    looked = Instant::now();
                    look_for(room, lane, order)
                } else {
                    Ok(Tried::Again)
                }
            }
        };
        match tried {
            Ok(Tried::Done) => return,
            Ok(Tried::Again) => {}
            Err(error) if is_hopeless(&error) => {
                return room.tell(Event::Failed(format!("the fleet cannot be used: {error}")));
            }
            Err(error) => said.once(room, || format!("lane {lane}: {error}; it is tried again")),
        }
        room.wait(PAUSE);
    }
}

/// Would it be the same at every try?
pub(super) fn is_hopeless(error: &CodeError) -> bool {
    match error {
        CodeError::Fleet(error) => matches!(
            error,
            FleetError::NoPermission { .. }
                | FleetError::BadCredentials { .. }
                | FleetError::TooLarge { .. }
                | FleetError::Missing { .. }
        ),
        CodeError::Remote(_) => !error.may_pass(),
        CodeError::NoRemote
        | CodeError::NoLargeFiles
        | CodeError::NoFilter(_)
        | CodeError::Git(_)
        | CodeError::Lane(_)
        | CodeError::Mirror(_)
        | CodeError::Parcel(_) => true,
        CodeError::File(_) => false,
    }
}

/// What was said of one order: each once.
#[derive(Default)]
struct Said(bool);

impl Said {
    fn once(&mut self, room: &Room, text: impl FnOnce() -> String) {
        if !std::mem::replace(&mut self.0, true) {
            room.tell(Event::Notice(text()));
        }
    }
}

fn send(room: &Room, lane: LaneId, order: &Order, tenant: &Tenant) -> Result<Tried, CodeError> {
    let errand = errand(room, order)?;
    let fences = room.fences(Some(tenant.epoch));
    match room.letters.order(&tenant.worker, &errand, fences, Deadline::after(CALL)) {
        Ok(Delivered::Answered(Answer::Accepted)) => {
            // What is left of a parked task is still to come; otherwise it has given the lane back already.
            if gives_back(&order.effect) && !order.effect.parks() {
                room.placements().left(lane, tenant.epoch);
            }
            Ok(Tried::Done)
        }
        Ok(Delivered::Answered(Answer::Refused { reason })) => {
            // It has given the lane back, or had lost it: somebody else may take it.
            room.tell(Event::Notice(format!("lane {lane}: worker {} refuses: {reason}", tenant.worker)));
            if gives_back(&order.effect) {
                room.placements().left(lane, tenant.epoch);
            } else {
                room.placements().refused(lane, tenant.epoch);
            }
            Ok(Tried::Again)
        }
        // It may be frozen, or cut off: its lease says.
        Ok(Delivered::Nobody) | Err(FleetError::TimedOut { .. }) => Ok(Tried::Again),
        Err(error) => Err(error.into()),
    }
}

fn offer(room: &Room, lane: LaneId, order: &Order, offers: u32) -> Result<Tried, CodeError> {
    let errand = errand(room, order)?;
    let class = class_of(order);
    room.open_class(&class)?;
    // Known before it can be taken: whoever takes it answers at once.
    room.placements().offered(lane, order.epoch);
    // Each time another one: whatever has had this key within two minutes would not be put there again.
    let key = format!("{}:{}:{lane}:{}:{offers}", order.run, room.fences(None).runner.0, order.epoch.0);
    let key: OrderKey = key.parse().map_err(FleetError::from)?;
    let published = room.queue.publish(&class, &key, &errand, room.fences(None), Deadline::after(CALL));
    if let Err(error) = published {
        room.placements().not_offered(lane, order.epoch);
        return Err(error.into());
    }
    // Once it is taken it is sent to whoever has taken the lane: they know it by its epoch.
    Ok(Tried::Again)
}

/// An order that is not in the queue any more, and whose lane nobody has, is offered anew: whoever took it has thrown it away, since
/// the lane's last lease was not free yet, or has died with it.
fn look_for(room: &Room, lane: LaneId, order: &Order) -> Result<Tried, CodeError> {
    let class = room.queue.class(&class_of(order), Deadline::after(CALL))?;
    if class.pending == 0 && class.taken == 0 {
        // Looked at after the queue: whoever takes an order out of it has the lease by then.
        let lease = room.leases.look(&LeaseKey::Lane(room.run.clone(), lane), Deadline::after(CALL))?;
        room.see(lane, lease.as_ref());
        room.placements().not_offered(lane, order.epoch);
    }
    Ok(Tried::Again)
}

/// An order with what its worker needs for it.
fn errand(room: &Room, order: &Order) -> Result<Errand, CodeError> {
    let code = match &order.effect {
        Effect::Open { .. } | Effect::Merge { .. } => code(room)?,
        _ => OfferedCode::default(),
    };
    // Whoever has begun a task goes on with it.
    let held_back = if begins(order) { room.accounts().held_back(Timestamp::now()) } else { Vec::new() };
    Ok(Errand { order: order.clone(), run: room.brief.clone(), code, held_back })
}

/// The tip of the branch, with all that leads to it.
fn code(room: &Room) -> Result<OfferedCode, CodeError> {
    // A branch that is gone is said when something is to land.
    let Some(tip) = room.tip()? else { return Ok(OfferedCode::default()) };
    room.large.send(&room.main, tip)?;
    room.code.offer(tip)
}
