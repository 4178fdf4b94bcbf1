//! Taking first orders from the queue: a thread for each class that this worker serves.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use windlass_fleet::names::{Class, Label};
use windlass_fleet::orders::{Queue, TakenOrder};
use windlass_fleet::{Deadline, Fleet, FleetError};

use crate::threads;

/// How long one question for an order waits.
const WAIT: Duration = Duration::from_secs(2);

/// The same where other classes wait for the lane that it is asked for.
const TURN: Duration = Duration::from_millis(250);

/// How often it is looked whether a rest is over.
const PAUSE: Duration = Duration::from_millis(50);

/// Between two looks for classes, and between tries that fail.
const LOOK: Duration = Duration::from_secs(2);

/// The same where there is no class yet: the first run of a fleet opens one.
const FIRST_LOOK: Duration = Duration::from_millis(250);

/// How many lanes are free, and whether orders are taken at all. Whoever wants one waits for their turn: with fewer lanes than classes
/// each class is asked for, one after another.
#[derive(Debug)]
pub(super) struct Slots {
    line: Mutex<Line>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Line {
    free: usize,
    closed: bool,
    /// Nothing is taken until then.
    resting: Option<Instant>,
    /// Who waits, in their order.
    waiting: VecDeque<u64>,
    /// The last number that was given out.
    last: u64,
}

impl Line {
    /// How long an order may be waited for by the one who has this turn; `None` where it is not theirs yet.
    fn wait_of(&self, turn: u64, now: Instant) -> Option<Duration> {
        let is_resting = self.resting.is_some_and(|until| now < until);
        let is_theirs = self.free > 0 && !is_resting && self.waiting.front() == Some(&turn);
        let wait = if self.waiting.len() > 1 && self.free == 1 { TURN } else { WAIT };
        is_theirs.then_some(wait)
    }
}

impl Slots {
    pub fn of(lanes: usize) -> Slots {
        Slots { line: Mutex::new(Line { free: lanes, ..Line::default() }), changed: Condvar::new() }
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Line)) {
        change(&mut self.line());
        self.changed.notify_all();
    }

    /// Waits for a lane, and takes its slot. Gives how long an order may be waited for with it; `None` where none are taken any more.
    pub fn enter(&self) -> Option<Duration> {
        let mut line = self.line();
        line.last += 1;
        let turn = line.last;
        line.waiting.push_back(turn);
        while !line.closed {
            if let Some(wait) = line.wait_of(turn, Instant::now()) {
                line.waiting.pop_front();
                line.free -= 1;
                drop(line);
                self.changed.notify_all();
                return Some(wait);
            }
            line = self.changed.wait_timeout(line, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    /// Gives it back.
    pub fn leave(&self) {
        self.change(|line| line.free += 1);
    }

    /// Takes nothing for so long: what this worker has just put back goes to somebody else.
    pub fn rest(&self, pause: Duration) {
        self.change(|line| line.resting = Some(Instant::now() + pause));
    }

    /// No further orders are taken.
    pub fn close(&self) {
        self.change(|line| line.closed = true);
    }

    pub fn is_closed(&self) -> bool {
        self.line().closed
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
    while let Some(wait) = slots.enter() {
        match queue.take(class, wait) {
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn lanes_are_had_by_turns_and_the_last_one_for_a_short_time_while_others_wait() {
        let now = Instant::now();
        for (free, waiting, turn, wait) in [
            (1, &[7][..], 7, Some(WAIT)),
            (1, &[7, 8], 7, Some(TURN)),
            (1, &[7, 8], 8, None),
            (2, &[7, 8], 7, Some(WAIT)),
            (2, &[7, 8], 8, None),
            (0, &[7], 7, None),
        ] {
            let line = Line { free, waiting: waiting.iter().copied().collect(), ..Line::default() };
            assert_eq!(line.wait_of(turn, now), wait, "{free} {waiting:?} {turn}");
            let resting = Line { resting: Some(now + WAIT), ..line };
            assert_eq!(resting.wait_of(turn, now), None);
            assert_eq!(resting.wait_of(turn, now + WAIT), wait, "it is over");
        }
    }

    #[test]
    fn whoever_waits_has_the_lane_before_the_one_who_had_it() {
        let slots = Arc::new(Slots::of(1));
        assert_eq!(slots.enter(), Some(WAIT), "nobody else waits");
        let (sender, had) = channel();
        let other = Arc::clone(&slots);
        let waiting = std::thread::spawn(move || {
            let turn = other.enter();
            sender.send(turn).unwrap();
            other.leave();
        });
        while slots.line().waiting.is_empty() {
            std::thread::yield_now();
        }
        slots.line().waiting.push_back(0);
        slots.leave();
        assert_eq!(had.recv(), Ok(Some(TURN)), "a third one waits");
        slots.line().waiting.clear();
        assert_eq!(slots.enter(), Some(WAIT));
        waiting.join().unwrap();
        slots.close();
        assert_eq!(slots.enter(), None);
    }
}
