//! A snapshot on its way to another machine, as one file: a pack with the files, and the list of what was left out. Of the repository
//! that was worked in nothing goes with it, nor where it was: whoever takes it in says where its files belong.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use windlass_core::values::SnapshotId;

use super::keep::{FILES, KeptFile, KeptTree, LEFT_OUT, PRIVATE, paths_from_text};
use super::repository::KeptPlace;
use super::{Moment, Snapshot, SnapshotError, SnapshotName, Store, left_out};
use crate::git::call::Call;
use crate::git::contents::{Leaf, contents, leaves};
use crate::git::{GitError, ObjectId, ObjectKind, Repository};
use crate::parcel::{Limits, ParcelError, Quarantine, pack_objects, quoted};

/// A snapshot has fewer files and folders than this.
const MOST_OBJECTS: u64 = 10_000_000;

/// So many bytes of files are held at once.
const BATCH: u64 = 64 * 1024 * 1024;

/// A snapshot that could not be packed or taken in.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotParcelError {
    /// As of any snapshot.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The pack is not taken.
    #[error(transparent)]
    Parcel(#[from] ParcelError),
    /// What is in it is no snapshot.
    #[error("the snapshot is not taken: {0}")]
    Refused(String),
}

impl From<GitError> for SnapshotParcelError {
    fn from(error: GitError) -> Self {
        Self::Parcel(error.into())
    }
}

/// What the file of a snapshot on its way is called: `3-1-after-COMMIT.pack`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParcelName {
    /// Which snapshot of its run.
    pub moment: Moment,
    /// The commit in the pack.
    pub commit: ObjectId,
}

impl fmt::Display for ParcelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}.pack", self.moment, self.commit)
    }
}

/// This is no such name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is no name of a snapshot’s file")]
pub struct NotAParcel(String);

impl FromStr for ParcelName {
    type Err = NotAParcel;

    fn from_str(text: &str) -> Result<Self, NotAParcel> {
        let parts = || {
            let (moment, commit) = text.strip_suffix(".pack")?.rsplit_once('-')?;
            Some(ParcelName { moment: moment.parse().ok()?, commit: ObjectId::from_hex(commit.as_bytes())? })
        };
        parts().filter(|name| name.to_string() == text).ok_or_else(|| NotAParcel(text.to_owned()))
    }
}

impl Store {
    /// Packs a snapshot's files into a folder, without what is in commits that `main` and whoever gets it have. Where the folder has it
    /// already nothing is done. Gives the file's path.
    ///
    /// # Errors
    /// The snapshot is damaged, git fails, or the folder cannot be written.
    pub fn pack(
        &mut self,
        (name, id): (&SnapshotName, &SnapshotId),
        main: &Repository,
        known: &[ObjectId],
        folder: &Path,
    ) -> Result<PathBuf, SnapshotParcelError> {
        let snapshot = self.load(id)?;
        let Snapshot { files, left_out, private, .. } = &snapshot;
        let leaves = self.leaves(KeptTree { files, left_out, private })?;
        // The same files are the same pack, whenever it is made.
        let commit = self.write_commit(leaves, 0, "snapshot")?;
        self.objects.sync()?;
        let path = folder.join(ParcelName { moment: name.moment, commit }.to_string());
        // outside: the state folder.
        if !path.is_file() {
            let has = known.iter().map(|commit| format!("^{commit}^{{tree}}"));
            let tips: Vec<String> = std::iter::once(commit.to_string()).chain(has).collect();
            let own = quoted(&self.folder.join("objects"));
            let call = Call::within(main).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", own);
            pack_objects(call, &tips, &path)?;
        }
        Ok(path)
    }

    /// Takes in a snapshot that another machine has packed, under a name: its files belong to `root` from now on, and nothing else of
    /// it is believed. `main` has what the pack leaves out. It is looked at in a quarantine first, as any pack is.
    ///
    /// # Errors
    /// It is damaged, too large, or not what its name says; nothing was taken then.
    pub fn unpack(
        &mut self,
        (from, commit): (&Path, ObjectId),
        name: &SnapshotName,
        root: &Path,
        main: &Repository,
    ) -> Result<SnapshotId, SnapshotParcelError> {
        if main.object_format != self.object_format() {
            return Err(SnapshotParcelError::Refused(
                "snapshots here name their objects in another way than the repository does".to_owned(),
            ));
        }
        let limits = Limits { bytes: self.caps.total, objects: MOST_OBJECTS };
        let quarantine = Quarantine::take(main, from, &[commit], &limits)?;
        let leaves = self.bring(&quarantine, commit)?;
        let (mut left_out, mut private) = (None, BTreeSet::new());
        let mut files = Vec::with_capacity(leaves.len());
        for KeptFile { path, kind, content } in leaves {
            if let Some(path) = path.strip_prefix(FILES) {
                files.push(KeptFile { path: path.to_vec(), kind, content });
            } else if path == LEFT_OUT {
                left_out = Some(left_out::from_text(&self.text_of(&content)?));
            } else if path == PRIVATE {
                private = paths_from_text(&self.text_of(&content)?);
            } else {
                let path = String::from_utf8_lossy(&path).into_owned();
                return Err(SnapshotParcelError::Refused(format!("{path:?} is nothing a snapshot has")));
            }
        }
        let without = || SnapshotParcelError::Refused("it does not say what was left out".to_owned());
        let left_out = left_out.ok_or_else(without)?;
        let place = KeptPlace {
            root: root.to_owned(),
            git_dir: None,
            common_dir: None,
            object_format: main.object_format,
            is_complete: true,
        };
        let tree = KeptTree { files: &files, left_out: &left_out, private: &private };
        Ok(self.keep_as(name, tree, &[], &place)?)
    }

    fn text_of(&self, content: &ObjectId) -> Result<String, SnapshotError> {
        Ok(String::from_utf8_lossy(&self.content(content)?).into_owned())
    }

    /// Copies all contents of a commit that are not here.
    fn bring(
        &mut self,
        quarantine: &Quarantine<'_>,
        commit: ObjectId,
    ) -> Result<Vec<KeptFile>, SnapshotParcelError> {
        let (mut files, mut total) = (Vec::new(), 0);
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for Leaf { path, kind, content, size } in leaves(quarantine.call(), commit)? {
            total += size;
            if size > self.caps.file || total > self.caps.total {
                let path = String::from_utf8_lossy(&path).into_owned();
                return Err(SnapshotParcelError::Refused(format!(
                    "it is too large at {path:?}: {size} bytes"
                )));
            }
            if kind.has_bytes() && !self.objects.has(&content) {
                batch.push(content);
                bytes += size;
            }
            files.push(KeptFile { path, kind, content });
            if bytes > BATCH {
                self.copy(quarantine, &std::mem::take(&mut batch))?;
                bytes = 0;
            }
        }
        self.copy(quarantine, &batch)?;
        Ok(files)
    }

    fn copy(&mut self, quarantine: &Quarantine<'_>, wanted: &[ObjectId]) -> Result<(), SnapshotParcelError> {
        for (id, content) in contents(quarantine.call(), wanted)? {
            if self.objects.write(ObjectKind::Blob, &content)? != id {
                let why = "its content is not what its name says".to_owned();
                return Err(SnapshotError::Damaged { id: id.to_string(), why }.into());
            }
        }
        Ok(())
    }
}
