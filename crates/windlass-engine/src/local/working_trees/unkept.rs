//! Keeping what a lane holds in a stash, in commits beside its work, in repositories inside it, and in files too large for a snapshot: no
//! commit of the lane's has it, and the lane is about to be another task's, or gone.

use std::path::Path;

use windlass_core::report::Report;
use windlass_core::values::LaneId;

use super::{Checkout, WorkingTrees};
use crate::local::work::WorkError;
use windlass_git::inventory::{LARGEST_KEPT, as_path};
use windlass_git::loan::{PutAway, has_put_away, keep_put_away};
use windlass_host::tree::{TreePath, at};

/// How something is put aside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It goes.
    Moved,
    /// It goes, and an empty folder stays: without it, a submodule would count as removed.
    Emptied,
    /// It stays as well: without it, a file of a commit would count as removed.
    Copied,
}

impl WorkingTrees {
    /// Makes branches of the first, puts the others below the run's folder, and says where they are.
    pub(super) fn put_unkept_aside(&mut self, lane: LaneId) -> Result<Vec<Report>, WorkError> {
        let mut said = self.keep_put_away(lane)?;
        said.extend(self.put_broken_aside(lane)?);
        said.extend(self.put_files_aside(lane)?);
        Ok(self.main.say_once(said))
    }

    fn keep_put_away(&mut self, lane: LaneId) -> Result<Vec<String>, WorkError> {
        let (main, run) = (self.repository()?, self.main.plan.run.0.clone());
        let worker = self.worker().map(str::to_owned);
        let checkout = &self.checkout(lane)?.lane;
        let Some(worker) = worker else {
            let PutAway { mut said, unkept } =
                keep_put_away(&main, checkout, (&run, &format!("lane-{lane}")))?;
            said.extend(
                unkept.map(|why| format!("of git in lane {lane} not all could be made branches: {why}")),
            );
            return Ok(said);
        };
        // What is a branch on its machine nobody would find, and it goes with the run's code there.
        let lost = has_put_away(checkout).then(|| {
            format!(
                "what was put away in git in lane {lane} on the worker {worker} (a stash, say) is not kept"
            )
        });
        Ok(lost.into_iter().collect())
    }

    /// Puts the agents' repositories that were broken below the run's folder: what they named may be nowhere else.
    fn put_broken_aside(&mut self, lane: LaneId) -> Result<Vec<String>, WorkError> {
        let home = self.main.folder.put_aside();
        let on = self.worker().map_or_else(String::new, |worker| format!(" on the worker {worker}"));
        let mut said = Vec::new();
        for broken in self.checkout(lane)?.lane.broken_ones() {
            let Some(aside) = free_folder(&home, lane) else { break };
            at(&home).make_folders_with(0o700)?;
            broken.rename_to_free(&aside)?;
            let shown = aside.shown().display().to_string();
            said.push(format!(
                "the git directory of the agent in lane {lane} was broken: it is kept{on} as {shown}"
            ));
        }
        Ok(said)
    }

    /// The worker of a fleet on whose machine this is.
    fn worker(&self) -> Option<&str> {
        self.main.plan.lanes.as_ref()?.worker.as_deref()
    }

    fn put_files_aside(&mut self, lane: LaneId) -> Result<Option<String>, WorkError> {
        let home = self.main.folder.put_aside();
        let on = self.worker().map_or_else(String::new, |worker| format!(" on the worker {worker}"));
        let Checkout { world, lane: checkout, .. } = self.checkout(lane)?;
        let look = world.look()?;
        let place = world.surveyor.place();
        let mut found: Vec<(Vec<u8>, Way)> = place
            .nested_folders(&look.inventory)?
            .into_iter()
            .map(|folder| (folder.path, if folder.is_submodule { Way::Emptied } else { Way::Moved }))
            .collect();
        let is_large = |size: u64| size > LARGEST_KEPT;
        for entry in look.inventory.entries.iter().filter(|entry| !entry.ignored && is_large(entry.size)) {
            match checkout.repository().committed_size(&entry.path)? {
                None => found.push((entry.path.clone(), Way::Moved)),
                Some(size) if size != entry.size => found.push((entry.path.clone(), Way::Copied)),
                Some(_) => {}
            }
        }
        let Some(aside) = free_folder(&home, lane).filter(|_| !found.is_empty()) else { return Ok(None) };
        let mut named = Vec::new();
        for (path, way) in found {
            let (from, to) = (at(&place.root).join(as_path(&path)), aside.join(as_path(&path)));
            if let Some(above) = to.parent() {
                above.make_folders_with(0o700)?;
            }
            if way == Way::Copied {
                to.copy_from(&from.open().map_err(|error| from.failed("read", error))?, 0o600)?;
            } else {
                from.rename_to_free(&to)?;
            }
            if way == Way::Emptied {
                from.make_folders()?;
            }
            named.push(to.shown().display().to_string());
        }
        Ok(Some(format!(
            "what lane {lane} held in repositories of their own, or in files over 50 MB, is in no commit and no branch: it is kept{on} in {}",
            named.join(", ")
        )))
    }
}

/// Where something of a lane can be put below this folder.
fn free_folder(home: &Path, lane: LaneId) -> Option<TreePath> {
    let mut folders = (1..).map(|number: u32| at(home).join(format!("lane-{lane}-{number}")));
    folders.find(|folder| !folder.is_taken())
}
