//! The format of journals.

/// The one that this version writes, and the newest it reads.
pub(in crate::store) const FORMAT: u32 = 1;
