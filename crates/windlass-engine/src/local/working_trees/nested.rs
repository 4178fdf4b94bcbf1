//! Putting aside what a lane holds in repositories inside it: nothing of the lane can hold it, and the lane is about to be another
//! task's, or gone.

use std::path::PathBuf;

use windlass_core::report::Report;
use windlass_core::values::LaneId;

use super::WorkingTrees;
use crate::local::work::WorkError;
use windlass_git::inventory::as_path;
use windlass_host::tree::at;

impl WorkingTrees {
    /// Moves such folders below the run's folder, and says where they are.
    pub(super) fn put_nested_aside(&mut self, lane: LaneId) -> Result<Vec<Report>, WorkError> {
        let home = self.main.folder.put_aside();
        let world = &mut self.checkout(lane)?.world;
        let look = world.look()?;
        let place = world.surveyor.place();
        let found = place.nested_folders(&look.inventory)?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let folders = (1..).map(|number: u32| at(&home).join(format!("lane-{lane}-{number}")));
        let Some(aside) = folders.into_iter().find(|folder| !folder.is_taken()) else {
            return Ok(Vec::new());
        };
        let mut moved = Vec::new();
        for folder in found {
            let from = at(&place.root).join(as_path(&folder.path));
            let to = aside.join(as_path(&folder.path));
            if let Some(above) = to.parent() {
                above.make_folders_with(0o700)?;
            }
            from.rename_to_free(&to)?;
            if folder.is_submodule {
                // Without it, it would count as removed.
                from.make_folders()?;
            }
            moved.push(to.shown());
        }
        let named: Vec<String> = moved.iter().map(|path: &PathBuf| path.display().to_string()).collect();
        Ok(vec![Report::notice(format!(
            "what lane {lane} held in repositories of their own is in no commit and no branch: it is kept in {}",
            named.join(", ")
        ))])
    }
}
