//! What checks wrote is remembered, in this session and in those that follow.

use windlass_core::spec::CommitPolicy;
use windlass_git::inventory::Inventory;
use windlass_host::file::FileError;

use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::recovery::by_checks::ByChecks;

impl WorkingTree {
    /// What the checks of earlier sessions wrote.
    pub fn remember_checks(&mut self) -> Result<(), FileError> {
        if self.keeps_checks() {
            self.by_checks = ByChecks::read(&self.folder)?;
        }
        Ok(())
    }

    /// What differs from the tree that was judged, the checks wrote.
    pub fn note_checks(&mut self, now: &Inventory) -> Result<(), WorkError> {
        let Some(judged) = &self.latest else { return Ok(()) };
        if judged.inventory.entries == now.entries {
            return Ok(());
        }
        self.by_checks.note(&judged.inventory, now);
        if self.keeps_checks() {
            self.by_checks.write(&self.folder)?;
        }
        Ok(())
    }

    /// Does it matter in a later session? Lanes begin with what is committed.
    fn keeps_checks(&self) -> bool {
        self.plan.commit == CommitPolicy::Runner && self.plan.lanes.is_none()
    }
}
