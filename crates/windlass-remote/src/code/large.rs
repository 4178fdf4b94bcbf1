//! Large files of a run's commits, each as a file of the object store: it names files as Git LFS does. They are not named on the way:
//! whoever has commits finds the pointers in them.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use windlass_fleet::layout::Store;
use windlass_fleet::store::Files;
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_git::git::{ObjectId, Repository};
use windlass_git::large_files::{LargeFile, LargeFiles};
use windlass_git::parcel::ParcelError;
use windlass_host::file::create_private_folder;

use super::{CARRYING, CodeError};

/// The largest of them that travels, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024 * 1024;

/// So many bytes of them has a commit that comes at most.
const MOST: u64 = 16 * 1024 * 1024 * 1024;

/// One end of their way.
pub(crate) struct LargeFileExchange {
    /// Where it puts what others need.
    to: Files,
    /// Where it finds what others have put there.
    from: Files,
    state: Mutex<State>,
}

struct State {
    files: LargeFiles,
    sent: BTreeSet<String>,
    /// Commits whose files were sent: the branch's tip is offered with each order.
    sent_of: BTreeSet<ObjectId>,
}

impl LargeFileExchange {
    /// The runner's end. Files are kept beside the objects of `main`.
    pub fn of_runner(fleet: &Fleet, main: &Repository) -> LargeFileExchange {
        Self::between(Files::of(fleet, Store::Code), Files::of(fleet, Store::Results), main)
    }

    /// A worker's end.
    pub fn of_worker(fleet: &Fleet, main: &Repository) -> LargeFileExchange {
        Self::between(Files::of(fleet, Store::Results), Files::of(fleet, Store::Code), main)
    }

    fn between(to: Files, from: Files, main: &Repository) -> LargeFileExchange {
        let state = State { files: LargeFiles::of(main), sent: BTreeSet::new(), sent_of: BTreeSet::new() };
        LargeFileExchange { to, from, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores those that a commit names and that are here. `repository` has the commit.
    pub fn send(&self, repository: &Repository, commit: ObjectId) -> Result<(), CodeError> {
        let mut state = self.state();
        if state.sent_of.contains(&commit) {
            return Ok(());
        }
        for file in state.files.named_by(repository, commit)? {
            if state.sent.contains(&file.hash) || !state.files.has(&file) {
                continue;
            }
            self.to.put(&state.files.path(&file), LARGEST, Deadline::after(CARRYING))?;
            state.sent.insert(file.hash);
        }
        state.sent_of.insert(commit);
        Ok(())
    }

    /// Brings those that a commit names and that are not here; a pointer to what nobody has sent stays one. Gives those that it names.
    pub fn bring(&self, repository: &Repository, commit: ObjectId) -> Result<Vec<LargeFile>, CodeError> {
        let mut state = self.state();
        let named = state.files.named_by(repository, commit)?;
        let missing: Vec<&LargeFile> = named.iter().filter(|file| !state.files.has(file)).collect();
        let size = missing.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
        if size > MOST {
            return Err(ParcelError::TooLarge { what: "bytes of large files", size, limit: MOST }.into());
        }
        for file in missing {
            let path = state.files.path(file);
            if let Some(folder) = path.parent() {
                create_private_folder(folder)?;
            }
            match self.from.get(&file.hash.parse()?, &path, LARGEST, Deadline::after(CARRYING)) {
                Ok(()) | Err(FleetError::NoSuchFile { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(named)
    }
}

/// Brings those that a landed commit names, for whoever goes on with its run on another machine.
pub(crate) fn bring_landed(fleet: &Fleet, main: &Repository, commit: ObjectId) -> Result<(), CodeError> {
    LargeFileExchange::of_worker(fleet, main).bring(main, commit).map(drop)
}
