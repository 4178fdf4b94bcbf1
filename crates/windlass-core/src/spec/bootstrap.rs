//! What makes a fresh checkout of a project one that can be worked in.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a fresh checkout (a worktree, a lane's clone) is made ready: what is copied into it, what is run in it, and
/// which ports are its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootstrapSpec {
    /// The file that names what is copied, relative to the checkout's top; `None` = only `.windlass` is.
    pub include_file: Option<PathBuf>,
    /// So many bytes may be copied; `None` = no limit.
    pub include_bytes: Option<u64>,
    /// A command for `sh -c` that is run in the checkout once it is there; `None` = none.
    pub setup: Option<String>,
    /// Time that it may take.
    pub setup_timeout: Duration,
    /// Which ports belong to which checkout.
    pub ports: PortSpec,
}

/// Blocks of ports: the same number for each place where something of a project may listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortSpec {
    /// The first port of the first block.
    pub base: u16,
    /// Ports in a block; 0 = there are no blocks.
    pub size: u16,
}

/// Blocks that belong to one checkout: its own, and one for each of its lanes.
const BLOCKS_PER_CHECKOUT: u32 = 32;

/// Where something of a project may listen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PortPlace {
    /// 0 = the user's own checkout, from 1 its worktrees.
    pub checkout: u32,
    /// 0 = the checkout itself, from 1 the lanes of a run there.
    pub lane: u32,
}

impl PortSpec {
    /// The first port of a place's block, distinct for each place; `None` where there are no blocks, or no such high ones.
    pub fn first(&self, place: PortPlace) -> Option<u16> {
        if self.size == 0 || place.lane >= BLOCKS_PER_CHECKOUT {
            return None;
        }
        let block = place.checkout.checked_mul(BLOCKS_PER_CHECKOUT)?.checked_add(place.lane)?;
        let first = block.checked_mul(u32::from(self.size))?.checked_add(u32::from(self.base))?;
        let last = first.checked_add(u32::from(self.size) - 1)?;
        u16::try_from(last).ok()?;
        u16::try_from(first).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const PORTS: PortSpec = PortSpec { base: 20_000, size: 10 };

    #[test]
    fn no_two_places_share_a_port() {
        let places = (0..40).flat_map(|checkout| (0..32).map(move |lane| PortPlace { checkout, lane }));
        let mut taken = BTreeSet::new();
        for place in places {
            let first = PORTS.first(place).unwrap();
            for port in first..first + PORTS.size {
                assert!(taken.insert(port), "{place:?} has {port} as well");
            }
        }
        assert_eq!(PORTS.first(PortPlace::default()), Some(20_000));
        assert_eq!(PORTS.first(PortPlace { checkout: 2, lane: 3 }), Some(20_670));
    }

    #[test]
    fn there_are_no_ports_beyond_the_last() {
        let highest = PortSpec { base: 65_526, size: 10 };
        assert_eq!(highest.first(PortPlace::default()), Some(65_526));
        assert_eq!(highest.first(PortPlace { checkout: 0, lane: 1 }), None);
        assert_eq!(PORTS.first(PortPlace { checkout: u32::MAX, lane: 0 }), None);
        assert_eq!(PORTS.first(PortPlace { checkout: 0, lane: 32 }), None, "it would be another checkout's");
        assert_eq!(PortSpec { base: 20_000, size: 0 }.first(PortPlace::default()), None);
    }
}
