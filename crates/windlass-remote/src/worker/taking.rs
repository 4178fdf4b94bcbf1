//! Taking first orders from the queue: a thread for each class that this worker serves.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use windlass_fleet::names::{Class, Label};
use windlass_fleet::orders::{Queue, TakenOrder};
use windlass_fleet::{Deadline, Fleet, FleetError};

use crate::threads;

/// How long one question for an order waits.
const WAIT: Duration = Duration::from_secs(2);

/// Between two looks for classes, and between tries that fail.
const LOOK: Duration = Duration::from_secs(2);

/// The same where there is no class yet: the first run of a fleet opens one.
const FIRST_LOOK: Duration = Duration::from_millis(250);

/// How many lanes are free, and whether orders are taken at all.
#[derive(Debug)]
pub(super) struct Slots {
    free: AtomicUsize,
    closed: AtomicBool,
    /// Nothing is taken until then.
    resting: Mutex<Option<Instant>>,
}

impl Slots {
    pub fn of(lanes: usize) -> Slots {
        Slots { free: AtomicUsize::new(lanes), closed: AtomicBool::new(false), resting: Mutex::default() }
    }

    /// Takes one for a lane, if there is one.
    pub fn enter(&self) -> bool {
        !self.is_closed()
            && !self.is_resting()
            && self
                .free
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(1))
                .is_ok()
    }

    /// Gives it back.
    pub fn leave(&self) {
        self.free.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes nothing for so long: what this worker has just put back goes to somebody else.
    pub fn rest(&self, pause: Duration) {
        *self.resting.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + pause);
    }

    fn is_resting(&self) -> bool {
        let resting = *self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        resting.is_some_and(|until| Instant::now() < until)
    }

    /// No further orders are taken.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Looks for classes that are served with these labels, and takes their orders. Each that is taken has its slot.
pub(super) fn take_all(
    fleet: &Fleet,
    labels: &BTreeSet<Label>,
    slots: &Arc<Slots>,
    told: &(impl Fn(Result<TakenOrder, FleetError>) + Clone + Send + 'static),
) {
    let queue = Queue::of(fleet);
    let mut served: BTreeSet<Class> = BTreeSet::new();
    let mut failed = None;
    while !slots.is_closed() {
        match queue.classes(Deadline::after(LOOK)) {
            Ok(classes) => {
                failed = None;
                let ours = classes.into_iter().map(|state| state.class);
                let unserved = ours.filter(|class| class.is_served_with(labels) && !served.contains(class));
                for class in unserved.collect::<Vec<_>>() {
                    let (queue, slots, told) = (queue.clone(), Arc::clone(slots), told.clone());
                    let taken = class.clone();
                    let taking = move || take_class(&queue, &taken, &slots, &told);
                    // Where the system has no room for a thread, the next look tries again.
                    if threads::start("fleet-orders", taking).is_ok() {
                        served.insert(class);
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
        std::thread::sleep(if served.is_empty() { FIRST_LOOK } else { LOOK });
    }
}

fn take_class(queue: &Queue, class: &Class, slots: &Slots, told: &impl Fn(Result<TakenOrder, FleetError>)) {
    while !slots.is_closed() {
        if !slots.enter() {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        }
        match queue.take(class, WAIT) {
            // Its place is given back with its lane.
            Ok(Some(order)) => told(Ok(order)),
            Ok(None) => slots.leave(),
            Err(error @ FleetError::Garbled { .. }) => {
                slots.leave();
                told(Err(error));
            }
            Err(_) => {
                slots.leave();
                std::thread::sleep(LOOK);
            }
        }
    }
}
