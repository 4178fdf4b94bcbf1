//! What the job's own file says, as it was told so far.

use windlass_core::values::JobStatus;

/// What the job's own file says, and what it said before.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatusBoard {
    pub(crate) latest: Option<JobStatus>,
    pub(crate) before: Option<JobStatus>,
    pub(super) looked: bool,
    /// The newest look at the tree found what an earlier one of this session had found.
    pub(crate) as_before: bool,
}

impl StatusBoard {
    /// A look at the tree read it. There can be several in a session, after checks and hooks.
    pub(super) fn find(&mut self, standing: &JobStatus) {
        let same = self.latest.as_ref().is_some_and(|latest| latest.says_the_same(standing));
        self.as_before = self.looked && same;
        self.looked = true;
        self.read(standing);
    }

    pub(super) fn read(&mut self, standing: &JobStatus) {
        self.before = self.latest.replace(standing.clone());
    }

    /// So many more items are done than before.
    pub(crate) fn more(&self) -> Option<i64> {
        self.latest.as_ref()?.items_since(self.before.as_ref())
    }

    /// So many items are left.
    pub(crate) fn remaining(&self) -> Option<u64> {
        Some(self.latest.as_ref()?.items?.remaining())
    }
}
