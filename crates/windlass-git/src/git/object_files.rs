//! The files that a repository's objects are in. That one of them is gone is seen without asking git; whether it was needed is not.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::time::{Duration, SystemTime};

use super::call::Call;
use super::{GitError, Repository};
use windlass_host::tree::{Folder, Stamps, at};

/// Where it takes longer to go through all history, nothing is known of it.
const PATIENCE: Duration = Duration::from_mins(2);

/// Those of one repository as they were last seen.
#[derive(Debug, Default)]
pub struct ObjectFiles {
    folders: BTreeMap<OsString, Seen>,
    /// Was one gone, and nobody has found yet that it was not needed?
    is_in_doubt: bool,
}

#[derive(Debug)]
struct Seen {
    /// `None` where what is in the folder may have changed since without being seen by these.
    stamps: Option<Stamps>,
    files: BTreeSet<OsString>,
}

impl ObjectFiles {
    /// What a reference, the index or a commit of history lacks, if files of objects are gone that an earlier look has seen; what was
    /// packed anew, or needed by nothing, is no loss. One look takes a system call for each folder that has not changed.
    ///
    /// # Errors
    /// There is no git, or no directory to run it in.
    pub fn find_loss(&mut self, repository: &Repository) -> Result<Option<String>, GitError> {
        self.is_in_doubt |= self.look(repository);
        if !self.is_in_doubt {
            return Ok(None);
        }
        let lost = repository.lacks()?;
        self.is_in_doubt = lost.is_some();
        Ok(lost)
    }

    /// Looks again. Is one of them gone?
    fn look(&mut self, repository: &Repository) -> bool {
        let objects = at(&repository.common_dir).join("objects").open_real_folder().ok();
        let entries = objects.as_ref().and_then(|objects| objects.entries().ok()).unwrap_or_default();
        let names = entries.into_iter().map(|entry| entry.name).filter(|name| holds_objects(name));
        let names: BTreeSet<OsString> = names.collect();
        let were_here = |(name, seen): (&OsString, &Seen)| !names.contains(name) && !seen.files.is_empty();
        let mut is_gone = self.folders.iter().any(were_here);
        self.folders.retain(|name, _| names.contains(name));
        for name in names {
            is_gone |= objects.as_ref().is_some_and(|objects| self.look_into(objects, name));
        }
        is_gone
    }

    fn look_into(&mut self, objects: &Folder, name: OsString) -> bool {
        let now = SystemTime::now();
        let stamps = objects.look(&name).ok().flatten().map(Stamps::of);
        let before = self.folders.get(&name);
        if stamps.is_some() && before.is_some_and(|before| before.stamps == stamps) {
            return false;
        }
        let entries = objects.enter(&name).and_then(|folder| folder.entries()).unwrap_or_default();
        let files: BTreeSet<OsString> =
            entries.into_iter().map(|entry| entry.name).filter(|file| is_of_objects(file)).collect();
        let is_gone = before.is_some_and(|before| !before.files.is_subset(&files));
        let stamps = stamps.filter(|stamps| !stamps.are_fresh(now));
        self.folders.insert(name, Seen { stamps, files });
        is_gone
    }
}

/// Is it a folder of an object database that holds objects: `00` to `ff`, or `pack`?
pub(crate) fn holds_objects(name: &OsStr) -> bool {
    name == "pack" || name.len() == 2 && name.as_bytes().iter().all(u8::is_ascii_hexdigit)
}

/// What is written for a moment, and what only makes reading faster, comes and goes.
fn is_of_objects(name: &OsStr) -> bool {
    let is_of_pack = name.as_bytes().ends_with(b".pack") || name.as_bytes().ends_with(b".idx");
    is_of_pack || is_loose(name)
}

/// Is it the file of one object?
pub(crate) fn is_loose(name: &OsStr) -> bool {
    name.len() >= 38 && name.as_bytes().iter().all(u8::is_ascii_hexdigit)
}

impl Repository {
    /// A call that fails where objects are gone of what it is told; what a partial clone leaves out is not missing, and what is written
    /// of commits elsewhere does not stand for them.
    pub(super) fn call_for_all_objects(&self) -> Call {
        let call = Call::within(self).option("core.commitGraph=false");
        call.args(["rev-list", "--objects", "--quiet", "--exclude-promisor-objects"])
    }

    /// What git says that a reference, the index or a commit of history lacks; `None` where all is there, or that takes too long.
    fn lacks(&self) -> Result<Option<String>, GitError> {
        let call = self.call_for_all_objects().args(["--all", "--indexed-objects"]);
        match call.timeout(PATIENCE).output() {
            Ok(_) | Err(GitError::TimedOut { .. } | GitError::Interrupted { .. }) => Ok(None),
            Err(GitError::Failed { said, .. }) => Ok(Some(said.trim_end().to_owned())),
            Err(error) => Err(error),
        }
    }
}
