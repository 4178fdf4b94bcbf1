//! The store: a bare repository that only Windlass writes to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use windlass_core::values::{RunId, SnapshotId};

use super::keep::{Caps, Snapshot};
use super::loose::{self, LooseObjects};
use super::name::{Moment, Side, SnapshotName};
use super::objects::ObjectCopies;
use super::repository::{CapturedFiles, OwnFile};
use super::{SnapshotError, tree};
use crate::git::{ObjectFormat, ObjectId, ObjectKind};
use windlass_host::file::{
    AtPath, Replacement, clear_half_written, create_private_folder, read_if_there, replace,
};

/// Where snapshots are kept.
#[derive(Debug)]
pub struct Store {
    pub(super) folder: PathBuf,
    pub(super) objects: LooseObjects,
    pub(super) copies: ObjectCopies,
    pub(super) captured: CapturedFiles,
    /// The newest snapshot that was taken or asked about, with its files of the repository.
    pub(super) latest: Option<(SnapshotId, Vec<OwnFile>)>,
    pub(super) caps: Caps,
}

impl Store {
    /// The store `snapshots.git` below a folder; it is created unless it is there. `format` matters only when it is
    /// created: an older store keeps its own.
    pub fn open(state: &Path, format: ObjectFormat) -> Result<Self, SnapshotError> {
        let folder = state.join("snapshots.git");
        let format = if let Some(config) = read_if_there(&folder.join("config"))? {
            stored_format(&config)
        } else {
            create(&folder, format)?;
            format
        };
        Ok(Self {
            objects: LooseObjects::new(folder.join("objects"), format),
            copies: ObjectCopies::new(folder.join("repository-objects")),
            captured: CapturedFiles::default(),
            latest: None,
            caps: Caps::default(),
            folder,
        })
    }

    /// The same with other caps.
    #[cfg(test)]
    pub(crate) fn with_caps(mut self, caps: Caps) -> Self {
        self.caps = caps;
        self
    }

    /// Where it is.
    #[cfg(test)]
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// How it names objects.
    pub(crate) fn object_format(&self) -> ObjectFormat {
        self.objects.format()
    }

    /// Removes what a killed writer left behind. Only while no run of this project is live.
    pub fn tidy(&self) {
        for objects in ["objects", "repository-objects"] {
            loose::remove_leftovers(&self.folder.join(objects));
        }
        // Names that were not put in place.
        for run in fs::read_dir(self.folder.join("refs/windlass")).into_iter().flatten().flatten() {
            clear_half_written(&run.path());
        }
        // Private files of a commit that was cut off.
        drop(fs::remove_dir_all(self.scratch()));
    }

    /// A folder for files that are needed for a moment.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// Gives a snapshot a further name: the last iteration's “after” is the next one's “before”. This is not waited for:
    /// should a power cut take the new name, [`find`](Self::find) goes by the older one.
    pub fn name(&self, snapshot: &SnapshotId, name: &SnapshotName) -> Result<(), SnapshotError> {
        let there = read_if_there(&self.reference(&name.run, &name.moment.to_string())?)?;
        if there.is_some_and(|there| there.trim_ascii_end() == snapshot.0.as_bytes()) {
            return Ok(());
        }
        Ok(self.write_name(snapshot, name)?.put_in_place()?)
    }

    /// Writes a snapshot's name, without effect until it is put in its place.
    pub(super) fn write_name(
        &self,
        snapshot: &SnapshotId,
        name: &SnapshotName,
    ) -> Result<Replacement, SnapshotError> {
        let path = self.reference(&name.run, &name.moment.to_string())?;
        if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
            create_private_folder(folder)?;
        }
        Ok(Replacement::write(&path, format!("{}\n", snapshot.0).as_bytes(), 0o600)?)
    }

    /// The names of a run's snapshots, in order.
    pub fn list(&self, run: &RunId) -> Result<Vec<(SnapshotName, SnapshotId)>, SnapshotError> {
        let folder = self.reference(run, "")?;
        let mut found = Vec::new();
        if !folder.is_dir() {
            return Ok(found);
        }
        for entry in fs::read_dir(&folder).at("read", &folder)? {
            let entry = entry.at("read", &folder)?;
            let Ok(moment) = entry.file_name().to_string_lossy().parse::<Moment>() else {
                continue;
            };
            let content = fs::read(entry.path()).at("read", &entry.path())?;
            if let Some(id) = named_in(&content) {
                found.push((SnapshotName { run: run.clone(), moment }, id));
            }
        }
        found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(found)
    }

    /// The snapshot of one end of an iteration: after its last attempt, or before its first. Where an iteration has no
    /// “before” of its own, it began as the one before it ended.
    pub fn find(
        &self,
        run: &RunId,
        iteration: u32,
        side: Side,
    ) -> Result<(SnapshotName, SnapshotId), SnapshotError> {
        let list = self.list(run)?;
        let of = |name: &SnapshotName| match name.moment {
            Moment::Iteration { iteration, attempt, side } => Some((iteration, attempt, side)),
            Moment::BeforeRestore { .. } | Moment::SessionStart { .. } => None,
        };
        let matching = |wanted: Side| {
            list.iter().filter(move |(name, _)| {
                of(name).is_some_and(|(number, _, side)| number == iteration && side == wanted)
            })
        };
        // Of the next one there may be nothing yet; whoever names a later one has mistyped it.
        let newest = list.iter().filter_map(|(name, _)| of(name)).map(|(number, ..)| number).max();
        let can_be = newest.is_some_and(|newest| iteration <= newest.saturating_add(1));
        let found = match side {
            Side::Before if !can_be => None,
            Side::After => matching(Side::After).next_back(),
            Side::Before => matching(Side::Before).next().or_else(|| {
                let earlier = |(name, _): &&(SnapshotName, SnapshotId)| {
                    of(name).is_some_and(|(number, _, side)| number < iteration && side == Side::After)
                };
                list.iter().rfind(earlier)
            }),
        };
        let side = if side == Side::Before { "before" } else { "after" };
        found
            .cloned()
            .ok_or_else(|| SnapshotError::Unknown(format!("{side} iteration {iteration} of run {run}")))
    }

    /// Both ends of each iteration of a run that has them, found as [`find`](Self::find) does, with one look.
    pub fn ends(&self, run: &RunId) -> Result<BTreeMap<u32, (SnapshotId, SnapshotId)>, SnapshotError> {
        let mut befores: BTreeMap<u32, SnapshotId> = BTreeMap::new();
        let mut afters: BTreeMap<u32, SnapshotId> = BTreeMap::new();
        for (name, id) in self.list(run)? {
            match name.moment {
                Moment::Iteration { iteration, side: Side::Before, .. } => {
                    befores.entry(iteration).or_insert(id);
                }
                Moment::Iteration { iteration, side: Side::After, .. } => drop(afters.insert(iteration, id)),
                Moment::BeforeRestore { .. } | Moment::SessionStart { .. } => {}
            }
        }
        let both = |(iteration, after): (&u32, &SnapshotId)| {
            let earlier = || afters.range(..iteration).next_back().map(|(_, id)| id);
            let before = befores.get(iteration).or_else(earlier)?;
            Some((*iteration, (before.clone(), after.clone())))
        };
        Ok(afters.iter().filter_map(both).collect())
    }

    /// The snapshot with this name.
    pub fn named(&self, name: &SnapshotName) -> Result<SnapshotId, SnapshotError> {
        let unknown = || SnapshotError::Unknown(format!("{} of run {}", name.moment, name.run));
        self.find_named(name)?.ok_or_else(unknown)
    }

    /// The same; `None` where there is none.
    pub fn find_named(&self, name: &SnapshotName) -> Result<Option<SnapshotId>, SnapshotError> {
        let content = read_if_there(&self.reference(&name.run, &name.moment.to_string())?)?;
        Ok(content.as_deref().and_then(named_in))
    }

    /// The list of files of the snapshot with this name; `None` where there is none.
    pub fn load_named(&self, name: &SnapshotName) -> Result<Option<Snapshot>, SnapshotError> {
        self.find_named(name)?.map(|id| self.load(&id)).transpose()
    }

    /// Reads a snapshot's list of files; their contents are read with [`content`](Self::content).
    pub fn load(&self, id: &SnapshotId) -> Result<Snapshot, SnapshotError> {
        let unknown = || SnapshotError::Unknown(id.0.clone());
        let commit_id = ObjectId::from_hex(id.0.as_bytes()).ok_or_else(unknown)?;
        let commit = self.objects.read(&commit_id, ObjectKind::Commit)?;
        let line = commit.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let damaged = || SnapshotError::Damaged { id: id.0.clone(), why: "it names no tree".to_owned() };
        let tree_id = line.strip_prefix(b"tree ").and_then(ObjectId::from_hex).ok_or_else(damaged)?;
        Snapshot::read(&self.objects, id.clone(), tree::read(&self.objects, &tree_id)?)
    }

    /// The bytes of a file that a snapshot holds.
    pub fn content(&self, content: &ObjectId) -> Result<Vec<u8>, SnapshotError> {
        self.objects.read(content, ObjectKind::Blob)
    }

    fn reference(&self, run: &RunId, moment: &str) -> Result<PathBuf, SnapshotError> {
        let plain =
            !run.0.is_empty() && run.0.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !plain {
            return Err(SnapshotError::BadName(run.0.clone()));
        }
        Ok(self.folder.join("refs/windlass").join(&run.0).join(moment))
    }
}

fn create(folder: &Path, format: ObjectFormat) -> Result<(), SnapshotError> {
    for below in ["objects/info", "refs/windlass", "repository-objects/pack"] {
        create_private_folder(&folder.join(below))?;
    }
    replace(&folder.join("objects/info/alternates"), b"../repository-objects\n", 0o600)?;
    replace(&folder.join("HEAD"), b"ref: refs/heads/none\n", 0o600)?;
    let version = u8::from(format != ObjectFormat::Sha1);
    let mut config =
        format!("[core]\n\trepositoryformatversion = {version}\n\tbare = true\n[gc]\n\tauto = 0\n");
    if format == ObjectFormat::Sha256 {
        config.push_str("[extensions]\n\tobjectformat = sha256\n");
    }
    // The configuration comes last: with it, the store is complete.
    Ok(replace(&folder.join("config"), config.as_bytes(), 0o600)?)
}

fn stored_format(config: &[u8]) -> ObjectFormat {
    let text = String::from_utf8_lossy(config).to_ascii_lowercase();
    let sha256 = text.lines().any(|line| line.trim().replace(' ', "") == "objectformat=sha256");
    if sha256 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 }
}

/// The snapshot that a name's file holds. A power cut can leave an empty file; its snapshot is still known to the journal.
fn named_in(content: &[u8]) -> Option<SnapshotId> {
    Some(SnapshotId(ObjectId::from_hex(content.trim_ascii_end())?.to_string()))
}
