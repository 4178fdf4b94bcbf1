//! Taking a lease that somebody may have left without giving it back.

use std::thread;
use std::time::{Duration, Instant};

use super::{Held, Holder, LeaseKey, Leases, Silence, Taken, Tenure};
use crate::call::Deadline;
use crate::error::FleetError;

/// Between two looks at a lease that is waited for.
const LOOK: Duration = Duration::from_secs(1);

/// What became of claiming a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// It is one's own, and this was before.
    Won(Held, Before),
    /// Its holder is alive; `None` where what is written there says nobody's name.
    Alive(Option<Holder>),
}

/// How a lease was that one has won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nobody had it.
    Free,
    /// Somebody had it, and is silent.
    Silent,
}

impl Leases {
    /// Takes a lease that is free, or once it was silent as long as `lease`: whoever was killed has left it so. One that is renewed
    /// meanwhile is its holder's. Each call to the servers may take `one_call`.
    pub fn claim(
        &self,
        key: &LeaseKey,
        holder: &Holder,
        lease: Duration,
        one_call: Duration,
    ) -> Result<Claimed, FleetError> {
        let began = Instant::now();
        let mut silence = Silence::longer_than(lease);
        let mut first = None;
        loop {
            let now = began.elapsed();
            let seen = self.look(key, Deadline::after(one_call))?;
            let mut before = Before::Free;
            if let Some(lease) = seen.as_ref().filter(|lease| lease.tenure != Tenure::Free) {
                // Looking is asking the servers as well: what they do not hear meanwhile, nobody says.
                silence.wrote(now);
                silence.saw(key, lease.revision, now);
                if *first.get_or_insert(lease.revision) != lease.revision {
                    return Ok(Claimed::Alive(lease.holder().cloned()));
                }
                if !silence.is_stale(key) {
                    thread::sleep(LOOK);
                    continue;
                }
                before = Before::Silent;
            }
            match self.take(key, seen.as_ref(), holder, Deadline::after(one_call))? {
                Taken::Won(held) => return Ok(Claimed::Won(held, before)),
                Taken::Lost(_) => first = None,
            }
        }
    }
}
