//! The pulse of a worker: keepers hear that its process does not stand still, and end what is below them where they do not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use windlass_core::values::LaneId;
use windlass_host::process::{Keeper, ProcessError, Pulse, start_thread};

type Pulses = Mutex<BTreeMap<LaneId, Pulse>>;

/// Beats for each keeper, in a thread that ends with it.
pub(super) struct Pacemaker {
    patience: Duration,
    pulses: Arc<Pulses>,
}

impl Pacemaker {
    /// Keepers wait so long for the next beat.
    pub fn start(patience: Duration) -> Result<Pacemaker, ProcessError> {
        let pulses: Arc<Pulses> = Arc::default();
        let beaten = Arc::downgrade(&pulses);
        let beat = move || {
            while let Some(pulses) = beaten.upgrade() {
                for pulse in pulses.lock().unwrap_or_else(PoisonError::into_inner).values() {
                    // One that is gone needs none.
                    let _ = pulse.beat(patience);
                }
                drop(pulses);
                thread::sleep(patience / 4);
            }
        };
        start_thread("pulse", "start a thread for the pulse", beat)?;
        Ok(Pacemaker { patience, pulses })
    }

    /// From now on a lane's keeper waits for beats.
    pub fn begin(&self, lane: LaneId, keeper: &Keeper) -> Result<(), ProcessError> {
        let pulse = keeper.pulse();
        pulse.beat(self.patience)?;
        self.pulses.lock().unwrap_or_else(PoisonError::into_inner).insert(lane, pulse);
        Ok(())
    }
}
