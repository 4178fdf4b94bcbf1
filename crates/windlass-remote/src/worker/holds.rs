//! The leases of a worker: its name, and its lanes. A thread renews them, and sees what was lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use windlass_core::values::{LaneId, RunId};
use windlass_fleet::leases::{
    Claimed, Held, Holder, LeaseEpoch, LeaseKey, Leases, RENEWED_EVERY, Renewed, Taken, Tenure,
};
use windlass_fleet::{Deadline, FleetError};

use super::{WorkerError, WorkerSetting};

/// How long one call may take: less than a third of a lease.
pub(super) const GLANCE: Duration = Duration::from_secs(2);

/// How long the servers may say nothing to a worker that begins: three of them without a leader have one within ten seconds.
const BEGINNING: Duration = Duration::from_secs(30);

/// So many labels are said in the lease of a name: a lease is small.
const MOST_LABELS_SAID: usize = 32;

/// A lane of a run.
pub(super) type Place = (RunId, LaneId);

/// What a worker holds.
pub(super) struct Holds {
    leases: Leases,
    holder: Holder,
    name: Mutex<Option<Held>>,
    lanes: Mutex<BTreeMap<Place, Held>>,
    /// Runs that are worked on, whose own leases are looked at.
    runs: Mutex<BTreeSet<RunId>>,
    /// Held while one lane's lease is written: a renewal and a return at once would each spoil the other.
    writing: Mutex<()>,
    closing: AtomicBool,
}

/// What was seen while leases were renewed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Beat {
    /// A lane is somebody else's.
    Gone(Place),
    /// The worker's name is somebody else's.
    NameGone,
    /// Nobody has it: the servers have lost what they kept.
    Forgotten,
    /// A run has no runner and needs none: it is over.
    Over(RunId),
    /// The servers cannot be reached.
    Unreachable(String),
    /// They can.
    Reached,
}

impl Holds {
    /// Takes the worker's name.
    pub fn begin(setting: &WorkerSetting) -> Result<Holds, WorkerError> {
        let leases = Leases::of(&setting.fleet);
        let holder = setting.holder();
        let key = LeaseKey::Worker(holder.name.clone());
        // With more than a lease holds it is not said what there is.
        let labels = Some(&setting.labels).filter(|labels| labels.len() <= MOST_LABELS_SAID).cloned();
        let present = Holder { labels, ..holder.clone() };
        let name = match leases.claim(&key, &present, setting.lease, BEGINNING)? {
            Claimed::Won(held, _) => held,
            Claimed::Alive(_) => return Err(WorkerError::NameTaken(holder.name)),
        };
        Ok(Holds {
            leases,
            holder,
            name: Mutex::new(Some(name)),
            lanes: Mutex::default(),
            runs: Mutex::default(),
            writing: Mutex::default(),
            closing: AtomicBool::new(false),
        })
    }

    fn lanes(&self) -> MutexGuard<'_, BTreeMap<Place, Held>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many lanes are held.
    pub fn count(&self) -> usize {
        self.lanes().len()
    }

    /// The epoch of a lane that is held.
    pub fn epoch(&self, place: &Place) -> Option<LeaseEpoch> {
        self.lanes().get(place).map(Held::epoch)
    }

    /// Is this lane free, and taken now?
    pub fn take(&self, place: &Place) -> Result<Option<LeaseEpoch>, FleetError> {
        let key = LeaseKey::Lane(place.0.clone(), place.1);
        let seen = self.leases.look(&key, Deadline::after(GLANCE))?;
        if seen.as_ref().is_some_and(|lease| lease.tenure != Tenure::Free) {
            return Ok(None);
        }
        match self.leases.take(&key, seen.as_ref(), &self.holder, Deadline::after(GLANCE))? {
            Taken::Won(held) => {
                let epoch = held.epoch();
                self.lanes().insert(place.clone(), held);
                Ok(Some(epoch))
            }
            Taken::Lost(_) => Ok(None),
        }
    }

    /// Gives a lane back. Where that does not arrive, its lease is stale before long.
    pub fn release(&self, place: &Place) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let held = self.lanes().remove(place);
        if let Some(held) = held {
            let _ = self.leases.release(held, Deadline::after(GLANCE));
        }
    }

    /// A run is worked on from now on.
    pub fn begin_run(&self, run: &RunId) {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).insert(run.clone());
    }

    /// A run is over here; the lanes of it that are still held.
    pub fn end_run(&self, run: &RunId) -> Vec<Place> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
        self.lanes().keys().filter(|(of, _)| of == run).cloned().collect()
    }

    /// The epoch of a run's runner; `None` where nobody runs it.
    pub fn runner_of(&self, run: &RunId) -> Result<Option<LeaseEpoch>, FleetError> {
        let lease = self.leases.look(&LeaseKey::Run(run.clone()), Deadline::after(GLANCE))?;
        Ok(lease.filter(|lease| lease.holder().is_some()).map(|lease| lease.epoch))
    }

    /// Renews everything until it is told to end; `tell` hears what changed.
    pub fn keep(self: &Arc<Self>, tell: impl Fn(Beat)) {
        let mut reached = true;
        while !self.closing.load(Ordering::Relaxed) {
            let began = Instant::now();
            let failed = self.beat(&tell).err();
            if let Some(error) = &failed {
                if reached {
                    tell(Beat::Unreachable(error.to_string()));
                }
            } else if !reached {
                tell(Beat::Reached);
            }
            reached = failed.is_none();
            // In short steps, so that the end is not waited for.
            while began.elapsed() < RENEWED_EVERY && !self.closing.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }

    fn beat(&self, tell: &impl Fn(Beat)) -> Result<(), FleetError> {
        let mut name = self.name.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = name.as_mut()
            && let Renewed::Gone(by) = self.leases.renew(held, Deadline::after(GLANCE))?
        {
            *name = None;
            tell(by.map_or(Beat::Forgotten, |_| Beat::NameGone));
        }
        drop(name);
        let places: Vec<Place> = self.lanes().keys().cloned().collect();
        for place in &places {
            let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            // Not renewed under the lanes' own lock: who asks for an epoch does not wait for a server.
            let Some(mut held) = self.lanes().get(place).cloned() else { continue };
            let renewed = self.leases.renew(&mut held, Deadline::after(GLANCE));
            let mut lanes = self.lanes();
            // Also where it is not known what became of it: the next renewal is another write.
            if let Some(there) = lanes.get_mut(place) {
                *there = held;
            }
            match renewed? {
                Renewed::Kept => {}
                Renewed::Gone(_) => {
                    if lanes.remove(place).is_some() {
                        tell(Beat::Gone(place.clone()));
                    }
                }
            }
        }
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for run in runs {
            let lease = self.leases.look(&LeaseKey::Run(run.clone()), Deadline::after(GLANCE))?;
            if lease.is_none_or(|lease| lease.tenure == Tenure::Free) {
                tell(Beat::Over(run));
            }
        }
        Ok(())
    }

    /// Gives everything back.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        let places: Vec<Place> = self.lanes().keys().cloned().collect();
        for place in &places {
            self.release(place);
        }
        let name = self.name.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(held) = name {
            let _ = self.leases.release(held, Deadline::after(GLANCE));
        }
    }
}
