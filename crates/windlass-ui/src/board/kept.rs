//! What is kept of a run.

/// What a snapshot is named by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) iteration: u32,
    pub(crate) attempt: u32,
}
