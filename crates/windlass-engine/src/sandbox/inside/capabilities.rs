//! What root may do inside.

use rustix::io;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities,
};

/// What is left to root: to be root among files and processes, and nothing that reaches the machine. What is not shut
/// for its files stays shut: the kernel's rules for files know no root.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID);

/// Drops everything else, for this process and all that it starts. Nothing happens where there is nothing to drop.
pub fn drop_most() -> io::Result<()> {
    let now = capabilities(None)?;
    if (now.permitted | now.effective | now.inheritable).is_empty() {
        return Ok(());
    }
    clear_ambient_capability_set()?;
    if now.effective.contains(CapabilitySet::SETPCAP) {
        for capability in (CapabilitySet::all() - KEPT).iter() {
            // What this kernel does not know cannot be dropped, and not be had either.
            match remove_capability_from_bounding_set(capability) {
                Ok(()) | Err(io::Errno::INVAL) => {}
                Err(error) => return Err(error),
            }
        }
    }
    set_capabilities(
        None,
        CapabilitySets {
            effective: now.effective & KEPT,
            permitted: now.permitted & KEPT,
            inheritable: CapabilitySet::empty(),
        },
    )
}
