//! Taking first orders from the queue: a thread for each class that this worker serves.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use windlass_fleet::names::{Class, Label};
use windlass_fleet::orders::{Queue, TakenOrder};
use windlass_fleet::{Deadline, Fleet, FleetError};

/// How long one question for an order waits.
const WAIT: Duration = Duration::from_secs(2);

/// Between two looks for classes, and between tries that fail.
const LOOK: Duration = Duration::from_secs(2);

/// How many lanes are free, and whether orders are taken at all.
#[derive(Debug)]
pub(super) struct Room {
    free: AtomicUsize,
    closed: AtomicBool,
}

impl Room {
    pub fn of(lanes: usize) -> Room {
        Room { free: AtomicUsize::new(lanes), closed: AtomicBool::new(false) }
    }

    /// Takes a place for a lane, if there is one.
    pub fn enter(&self) -> bool {
        !self.is_closed()
            && self
                .free
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(1))
                .is_ok()
    }

    /// Gives it back.
    pub fn leave(&self) {
        self.free.fetch_add(1, Ordering::Relaxed);
    }

    /// No further orders are taken.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Looks for classes that are served with these labels, and takes their orders. Each that is taken has its place in the room.
pub(super) fn take_all(
    fleet: &Fleet,
    labels: &BTreeSet<Label>,
    room: &Arc<Room>,
    told: &(impl Fn(Result<TakenOrder, FleetError>) + Clone + Send + 'static),
) {
    let queue = Queue::of(fleet);
    let mut served: BTreeSet<Class> = BTreeSet::new();
    let mut failed = None;
    while !room.is_closed() {
        match queue.classes(Deadline::after(LOOK)) {
            Ok(classes) => {
                failed = None;
                let ours = classes.into_iter().map(|state| state.class);
                for class in ours.filter(|class| class.is_served_with(labels)) {
                    if served.insert(class.clone()) {
                        let (queue, room, told) = (queue.clone(), Arc::clone(room), told.clone());
                        let taking = move || take_class(&queue, &class, &room, &told);
                        let _ = std::thread::Builder::new().name("fleet-orders".to_owned()).spawn(taking);
                    }
                }
            }
            // Said once: who holds leases says it as well.
            Err(error) => {
                if failed.replace(error.to_string()).is_none()
                    && !matches!(error, FleetError::TimedOut { .. })
                {
                    told(Err(error));
                }
            }
        }
        std::thread::sleep(LOOK);
    }
}

fn take_class(queue: &Queue, class: &Class, room: &Room, told: &impl Fn(Result<TakenOrder, FleetError>)) {
    while !room.is_closed() {
        if !room.enter() {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        }
        match queue.take(class, WAIT) {
            // Its place is given back with its lane.
            Ok(Some(order)) => told(Ok(order)),
            Ok(None) => room.leave(),
            Err(error @ FleetError::Garbled { .. }) => {
                room.leave();
                told(Err(error));
            }
            Err(_) => {
                room.leave();
                std::thread::sleep(LOOK);
            }
        }
    }
}
