//! Snapshots of attempts, packed into the run's folder: with its other files they go to the runner, where `restore` finds them.

use std::collections::BTreeSet;

use windlass_core::run::TurnKey;
use windlass_core::values::RunId;
use windlass_git::git::ObjectId;
use windlass_git::snapshot::{Moment, Side, SnapshotError, SnapshotName, SnapshotParcelError, Store};
use windlass_host::file::create_private_folder;

use super::outbox::Place;

/// What has been packed of a run.
#[derive(Debug, Default)]
pub(super) struct PackedSnapshots {
    packed: BTreeSet<Moment>,
}

impl PackedSnapshots {
    /// Packs what is new of an attempt, without what is in commits that the runner has.
    pub fn pack(
        &mut self,
        place: &Place,
        run: &RunId,
        turn: TurnKey,
        known: &[ObjectId],
    ) -> Result<(), SnapshotParcelError> {
        let TurnKey { iteration, attempt } = turn;
        let of_turn = |side| Moment::Iteration { iteration, attempt, side };
        let mut wanted = [Side::Before, Side::After].map(of_turn).to_vec();
        wanted.retain(|moment| !self.packed.contains(moment));
        if wanted.is_empty() {
            return Ok(());
        }
        let mut store = Store::open(&place.snapshots, place.main.object_format)?;
        let folder = place.folder.snapshots();
        for moment in wanted {
            let name = SnapshotName { run: run.clone(), moment };
            let Some(id) = store.find_named(&name)? else { continue };
            create_private_folder(&folder).map_err(SnapshotError::from)?;
            store.pack((&name, &id), &place.main, known, &folder)?;
            self.packed.insert(moment);
        }
        Ok(())
    }
}
