//! Work that is no more what it was before the checks ran: a person's `git stash`, `git reset --hard` or `git checkout -- FILE`, or
//! that of a check. What passed then passed on another tree than the one that was to be committed.

use windlass_core::run::{OrderContext, TurnKey};
use windlass_core::values::{SnapshotId, StopReason};

use super::commit::changed_paths;
use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::recovery::is_own_file;
use crate::recovery::record::holding;

impl WorkingTree {
    /// Before a commit: work that went back while the checks ran is in no commit, and the rest is judged once more. Where all of
    /// it went back, nobody knows what the checks have judged.
    pub(super) fn leave_out_what_went_back(
        &mut self,
        context: &OrderContext,
        turn: TurnKey,
        since: Option<&SnapshotId>,
    ) -> Result<(), WorkError> {
        if self.plan.checks.is_empty() || !self.has_kept(turn) {
            return Ok(());
        }
        let (work, gone) = self.work_and_what_went_back(since)?;
        if gone.is_empty() {
            return Ok(());
        }
        let named = windlass_core::recovery::listed(gone.iter().map(Vec::as_slice));
        let (run, iteration) = (&self.plan.run, turn.iteration);
        if gone.len() == work {
            let said = format!(
                "while the checks ran, all that iteration {iteration} changed went back to what it was before (git stash, git reset?): \
                 {named}; bring it back, as by `windlass restore {run} {iteration}`, then `windlass resume`"
            );
            return Err(WorkError::of(StopReason::NeedsHuman, &said));
        }
        self.notices.push(format!(
            "while the checks ran, work went back to what it was before: {named}; it is not committed, and the rest is judged once \
             more; `windlass restore {run} {iteration}` has all of it"
        ));
        self.went_back = true;
        // The attempt's snapshot keeps its name, and what it has.
        self.put_back = Some(turn);
        let look = self.look()?;
        self.keep_to_be_committed(context, turn, look)
    }

    /// How many files are the work to be committed, and those of them that are as they were before it.
    fn work_and_what_went_back(
        &mut self,
        since: Option<&SnapshotId>,
    ) -> Result<(usize, Vec<Vec<u8>>), WorkError> {
        let (Some(since), Some(store), Some(judged)) = (since, &self.snapshots, &self.latest) else {
            return Ok((0, Vec::new()));
        };
        let since = store.load(since)?;
        let place = self.surveyor.place();
        let mut work = changed_paths(&since, &judged.inventory);
        work.retain(|path| {
            !is_own_file(&self.plan, place, path) && holding(&self.uncommitted, path).is_none()
        });
        let went_back = |path: &&Vec<u8>| {
            let now = place.content_now(path);
            let was = judged.inventory.entry(path).map(|entry| (entry.kind, entry.content));
            now == since.content(path) && now != was
        };
        let mut gone: Vec<Vec<u8>> = work.iter().filter(went_back).cloned().collect();
        let was_missing = |path: &Vec<u8>| judged.inventory.entry(path).is_none();
        if gone.iter().any(was_missing) {
            // A file that git ignores by now, and does not follow any more, was there all the time.
            let now = self.look()?.inventory;
            gone.retain(|path| now.entry(path).is_some());
        }
        Ok((work.len(), gone))
    }
}
