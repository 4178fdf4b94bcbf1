//! Threads for what may take long: looking at the tree, keeping it, writing prompts, committing, reading old streams.
//! In each lane one thing is done at a time, in the order it was asked.

use std::collections::{BTreeMap, btree_map};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use windlass_core::run::Order;
use windlass_core::values::LaneId;

use super::event::{Event, Events};
use super::working_trees::WorkingTrees;
use crate::executor::EngineError;
use windlass_host::process::{ProcessError, start_thread};

/// How long the end of a run waits for what the worker is doing.
const PATIENCE: Duration = Duration::from_secs(5);

/// The handle of those who work: one thread for the user's directory, and one for each lane with a checkout of its own, so
/// that no lane waits for what another's checkout takes.
pub(super) struct Workers {
    /// Those who work in the user's directory, and what the others are made from.
    main: Worker,
    lanes: BTreeMap<LaneId, Worker>,
    trees: WorkingTrees,
    shared: Arc<Mutex<()>>,
    events: Events,
}

/// One thread's handle.
#[derive(Debug)]
struct Worker {
    work: Sender<Order>,
    /// Nothing is ever sent; it closes when the thread ends.
    gone: Receiver<()>,
}

impl Workers {
    /// Starts the first thread.
    pub fn start(world: WorkingTrees, events: Events) -> Result<Workers, ProcessError> {
        let (trees, shared) = (world.another(), Arc::default());
        let main = Worker::start("worker".to_owned(), world, &shared, events.clone())?;
        Ok(Workers { main, lanes: BTreeMap::new(), trees, shared, events })
    }

    /// Lets all finish what they are doing, so that nothing is left half-written, but waits no longer than that is worth.
    pub fn close(&mut self) {
        let until = Instant::now() + PATIENCE;
        self.main.dismiss();
        self.lanes.values_mut().for_each(Worker::dismiss);
        for worker in std::iter::once(&self.main).chain(self.lanes.values()) {
            let _ = worker.gone.recv_timeout(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Has a thread ended although it was not told to? Only a defect does that.
    pub fn is_gone(&self) -> bool {
        let mut all = std::iter::once(&self.main).chain(self.lanes.values());
        all.any(|worker| worker.gone.try_recv() == Err(TryRecvError::Disconnected))
    }

    /// Hands an effect to the thread of its lane.
    pub fn carry_out(&mut self, order: Order) -> Result<(), EngineError> {
        let worker = match self.trees.own_lane(&order.effect) {
            None => &self.main,
            Some(lane) => match self.lanes.entry(lane) {
                btree_map::Entry::Occupied(there) => there.into_mut(),
                btree_map::Entry::Vacant(place) => {
                    let (name, trees) = (format!("worker-{lane}"), self.trees.another());
                    place.insert(Worker::start(name, trees, &self.shared, self.events.clone())?)
                }
            },
        };
        worker.work.send(order).map_err(|_| EngineError::Broken)
    }
}

impl Worker {
    fn start(
        name: String,
        world: WorkingTrees,
        shared: &Arc<Mutex<()>>,
        events: Events,
    ) -> Result<Worker, ProcessError> {
        let (work, inbox) = channel();
        let (going, gone) = channel();
        let shared = Arc::clone(shared);
        let work_off = move || {
            work_off(world, &inbox, &shared, &events);
            drop(going);
        };
        start_thread(name, "start a thread", work_off)?;
        Ok(Worker { work, gone })
    }

    /// Without a sender its inbox ends.
    fn dismiss(&mut self) {
        self.work = channel().0;
    }
}

/// Ends when nobody orders any more.
fn work_off(mut world: WorkingTrees, inbox: &Receiver<Order>, shared: &Mutex<()>, events: &Events) {
    for order in inbox {
        // The task file and the journal of progress are written one after another. What another thread left undone when
        // it died is said by that thread's end.
        let turn = WorkingTrees::is_shared(&order.effect)
            .then(|| shared.lock().unwrap_or_else(PoisonError::into_inner));
        let carried_out = world.carry_out(&order);
        drop(turn);
        events.tell(Event::Worked(order.epoch, carried_out));
    }
}
