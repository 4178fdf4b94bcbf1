//! Keeping what a lane holds in a stash, in repositories inside it, and in files too large for a snapshot: no commit has it, and the lane is
//! about to be another task's, or gone.

use std::path::PathBuf;

use windlass_core::report::Report;
use windlass_core::values::LaneId;

use super::{Checkout, WorkingTrees};
use crate::local::work::WorkError;
use windlass_git::inventory::{LARGEST_KEPT, as_path};
use windlass_git::loan::keep_put_away;
use windlass_host::tree::at;

impl WorkingTrees {
    /// Makes branches of the first, moves the others below the run's folder, and says where they are.
    pub(super) fn put_unkept_aside(&mut self, lane: LaneId) -> Result<Vec<Report>, WorkError> {
        let (home, main) = (self.main.folder.put_aside(), self.repository()?);
        let run = self.main.plan.run.0.clone();
        let Checkout { world, lane: checkout, .. } = self.checkout(lane)?;
        let put_away = keep_put_away(&main, checkout, (&run, &format!("lane-{lane}")))?;
        let mut reports: Vec<Report> = put_away.into_iter().map(Report::notice).collect();
        let look = world.look()?;
        let place = world.surveyor.place();
        let mut found: Vec<(Vec<u8>, bool)> = place
            .nested_folders(&look.inventory)?
            .into_iter()
            .map(|folder| (folder.path, folder.is_submodule))
            .collect();
        for entry in look.inventory.entries.iter().filter(|entry| !entry.ignored && entry.size > LARGEST_KEPT)
        {
            if checkout.repository().committed_size(&entry.path)?.is_none() {
                found.push((entry.path.clone(), false));
            }
        }
        if found.is_empty() {
            return Ok(reports);
        }
        let folders = (1..).map(|number: u32| at(&home).join(format!("lane-{lane}-{number}")));
        let Some(aside) = folders.into_iter().find(|folder| !folder.is_taken()) else {
            return Ok(reports);
        };
        let mut moved = Vec::new();
        for (path, is_submodule) in found {
            let from = at(&place.root).join(as_path(&path));
            let to = aside.join(as_path(&path));
            if let Some(above) = to.parent() {
                above.make_folders_with(0o700)?;
            }
            from.rename_to_free(&to)?;
            if is_submodule {
                // Without it, it would count as removed.
                from.make_folders()?;
            }
            moved.push(to.shown());
        }
        let named: Vec<String> = moved.iter().map(|path: &PathBuf| path.display().to_string()).collect();
        reports.push(Report::notice(format!(
            "what lane {lane} held in repositories of their own, or in files over 50 MB, is in no commit and no branch: it is kept in {}",
            named.join(", ")
        )));
        Ok(reports)
    }
}
