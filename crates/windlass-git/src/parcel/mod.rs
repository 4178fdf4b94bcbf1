//! Commits on their way to another machine, as one file: a pack, which holds objects and names none of them. So there is no foreign
//! branch or tag in it by construction: what is expected in it is said by whoever sent it, and checked.

mod pack;
mod unpack;

#[cfg(test)]
mod tests;

pub use pack::pack;
pub(crate) use pack::{pack_objects, refuse_shallow};
pub use unpack::{Limits, ParcelError, unpack};
pub(crate) use unpack::{Quarantine, quoted};
