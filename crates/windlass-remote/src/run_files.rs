//! Files of a run's folder on their way from the worker that made them to the runner: what calls were told and said, and what
//! checks printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use windlass_core::run::TurnKey;
use windlass_engine::store::RunFolder;
use windlass_fleet::names::checked_run_file;
use windlass_fleet::orders::{MOST_FILES, RunFile, store_of};
use windlass_fleet::store::Files;
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_host::file::AtPath;

use crate::code::CodeError;

/// The largest file that travels, in bytes; larger ones stay where they are.
const LARGEST: u64 = 1024 * 1024 * 1024;

/// How long one may take.
const CARRYING: Duration = Duration::from_mins(5);

/// How deep below an iteration's folder files are looked for.
const DEEPEST: usize = 4;

/// By what a file that was sent is known to be the same.
type Stamp = (u64, Option<SystemTime>);

/// What a worker has sent of a run's folder.
#[derive(Debug, Default)]
pub(crate) struct SentFiles {
    sent: BTreeMap<PathBuf, Stamp>,
}

impl SentFiles {
    /// Stores what is new in the folder of an iteration, and its snapshots. What cannot be read or is too large is left out.
    pub fn send(
        &mut self,
        fleet: &Fleet,
        folder: &RunFolder,
        turn: TurnKey,
    ) -> Result<Vec<RunFile>, CodeError> {
        let iteration = folder.iterations().join(format!("{:04}", turn.iteration));
        let mut found = Vec::new();
        files_below(&iteration, DEEPEST, &mut found);
        files_below(&folder.snapshots(), 0, &mut found);
        let mut files = Vec::new();
        for (path, stamp) in found {
            if files.len() == MOST_FILES || stamp.0 > LARGEST || self.sent.get(&path) == Some(&stamp) {
                continue;
            }
            let Some(name) = name_below(folder, &path) else { continue };
            let sent = Files::of(fleet, store_of(&name)).put(&path, LARGEST, Deadline::after(CARRYING));
            let content = match sent {
                Ok(content) => content,
                // It is being written: it goes with what is said later.
                Err(FleetError::File { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            self.sent.insert(path, stamp);
            files.push(RunFile { path: name, content });
        }
        Ok(files)
    }
}

/// Does all of a run's folder travel? What is too large stays where it is.
pub(crate) fn travel(folder: &RunFolder) -> bool {
    let mut found = Vec::new();
    files_below(&folder.iterations(), DEEPEST + 1, &mut found);
    files_below(&folder.snapshots(), 0, &mut found);
    found.iter().all(|(_, (size, _))| *size <= LARGEST)
}

/// In their order, so that a run that is looked at twice is sent alike.
fn files_below(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, Stamp)>) {
    // outside: the state folder.
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        // outside: the state folder.
        let Ok(seen) = path.symlink_metadata() else { continue };
        if seen.is_file() {
            found.push((path, (seen.len(), seen.modified().ok())));
        } else if seen.is_dir() && depth > 0 {
            files_below(&path, depth - 1, found);
        }
    }
}

/// What a file is called on its way; `None` for one that does not travel.
fn name_below(folder: &RunFolder, path: &Path) -> Option<String> {
    let name = path.strip_prefix(folder.path()).ok()?.to_str()?;
    checked_run_file(name).ok().map(str::to_owned)
}

/// Takes files into the runner's folder of the run.
pub(crate) fn take_in(fleet: &Fleet, folder: &RunFolder, files: &[RunFile]) -> Result<(), CodeError> {
    for file in files {
        let to = folder.path().join(&file.path);
        if let Some(above) = to.parent() {
            // outside: the state folder.
            std::fs::create_dir_all(above).at("create", above)?;
        }
        Files::of(fleet, store_of(&file.path)).get(&file.content, &to, LARGEST, Deadline::after(CARRYING))?;
    }
    Ok(())
}
