//! Repairing a repository from a snapshot: HEAD, references, index and the objects that they need.
//!
//! Nothing that is newer than the snapshot is removed: branches that it does not know stay as they are. Each step can be
//! repeated; a repair that was killed is finished by another one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use windlass_core::fact::{RunId, SnapshotId};

use super::name::SnapshotName;
use super::repository::{KeptPlace, location};
use super::restore::RestoreError;
use super::{Snapshot, SnapshotError, Store, objects};
use crate::file::{AtPath, FileError, read_if_there, remove_empty_folders, replace};
use crate::git::{ObjectId, PackedRefs, RefValue, Repository};
use crate::inventory::{Place, Surveyor, as_path};

/// What a repair would do, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairPlan {
    /// The steps.
    pub steps: Vec<RepairStep>,
    /// What it does not touch although it differs or may be in the way, one sentence each.
    pub left_alone: Vec<String>,
}

/// One step of a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepairStep {
    /// A folder that a repository must have.
    CreateFolder(PathBuf),
    /// Objects that are missing or damaged: copies of this file go there.
    CopyObjects {
        /// The copy in the store.
        from: PathBuf,
        /// Its place in the repository.
        to: PathBuf,
    },
    /// A file that is missing or differs: configuration, `packed-refs`, index, HEAD.
    WriteFile {
        /// Where.
        path: PathBuf,
        /// What.
        content: Vec<u8>,
    },
    /// A reference that is missing or points elsewhere.
    WriteReference {
        /// Its full name, `refs/heads/main`.
        name: Vec<u8>,
        /// What it says now, if anything.
        from: Option<String>,
        /// What it will say: an object, or `ref: …`.
        to: String,
        /// Where.
        path: PathBuf,
    },
}

/// What a repair did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// How many steps were done.
    pub done: usize,
    /// What it did not touch, and what it could not do, one sentence each.
    pub left_alone: Vec<String>,
    /// The snapshot of what was there before; `None` when there was nothing to do.
    pub before: Option<(SnapshotName, SnapshotId)>,
}

impl Snapshot {
    /// Where the snapshot belongs, also when the repository is not there any more.
    #[must_use]
    pub fn place(&self) -> Place {
        let KeptPlace { root, git_dir, common_dir, object_format } = self.place.clone();
        let directory = root.clone();
        let repository = git_dir.zip(common_dir);
        let repository = repository.map(|(git_dir, common_dir)| Repository {
            top: root.clone(),
            git_dir,
            common_dir,
            object_format,
        });
        Place { root, directory, repository }
    }
}

/// Finds out what it takes to make the repository again what it was. Changes nothing.
pub fn plan_repair(store: &Store, target: &Snapshot) -> Result<RepairPlan, SnapshotError> {
    let mut plan = RepairPlan::default();
    let place = target.place();
    let Some(repository) = &place.repository else {
        return Ok(plan);
    };
    plan.folders(repository);
    plan.linked_worktree(repository)?;
    plan.missing_objects(store, repository)?;
    plan.missing_files(store, target)?;
    plan.references(store, target, repository)?;
    plan.head_and_index(store, target)?;
    plan.locks(repository);
    Ok(plan)
}

/// Files that are written only when they are missing: what is there may be newer, and a person's.
const IF_MISSING: [&str; 6] =
    ["config", "config.worktree", "shallow", "info/exclude", "objects/info/alternates", "logs/refs/stash"];

impl RepairPlan {
    fn folders(&mut self, repository: &Repository) {
        let common = &repository.common_dir;
        let shared = ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"]
            .map(|below| common.join(below));
        let wanted = shared.into_iter().chain([repository.git_dir.clone()]);
        self.steps.extend(wanted.filter(|folder| !folder.is_dir()).map(RepairStep::CreateFolder));
    }

    /// The three files that tie a linked working tree to its repository.
    fn linked_worktree(&mut self, repository: &Repository) -> Result<(), FileError> {
        if !repository.is_linked() {
            return Ok(());
        }
        let link = repository.top.join(".git");
        let text = |prefix: &[u8], path: &Path| [prefix, path.as_os_str().as_bytes(), b"\n"].concat();
        let files = [
            (repository.git_dir.join("commondir"), text(b"", &repository.common_dir)),
            (repository.git_dir.join("gitdir"), text(b"", &link)),
            (link, text(b"gitdir: ", &repository.git_dir)),
        ];
        for (path, content) in files {
            if read_if_there(&path)?.is_none() {
                self.steps.push(RepairStep::WriteFile { path, content });
            }
        }
        Ok(())
    }

    fn missing_objects(&mut self, store: &Store, repository: &Repository) -> Result<(), FileError> {
        let (copies, own) = (store.copies.folder(), repository.common_dir.join("objects"));
        for folder in objects::subfolders(copies)? {
            for file in objects::wanted_files(&copies.join(&folder))? {
                let (from, to) = (copies.join(&folder).join(&file), own.join(&folder).join(&file));
                let size = |path: &Path| path.symlink_metadata().ok().map(|metadata| metadata.len());
                if size(&from) != size(&to) {
                    self.steps.push(RepairStep::CopyObjects { from, to });
                }
            }
        }
        Ok(())
    }

    fn missing_files(&mut self, store: &Store, target: &Snapshot) -> Result<(), SnapshotError> {
        for (name, content) in &target.repository {
            let optional = IF_MISSING.iter().any(|known| known.as_bytes() == name) || name == b"packed-refs";
            let Some(path) = location(&target.place, name) else {
                continue;
            };
            let there = read_if_there(&path)?.filter(|bytes| !bytes.is_empty());
            let content = store.content(content)?;
            match there {
                Some(bytes) if optional && bytes != content && name != b"packed-refs" => {
                    self.left_alone
                        .push(format!("{} differs from the snapshot; it stays as it is", path.display()));
                }
                None if optional => self.steps.push(RepairStep::WriteFile { path, content }),
                Some(bytes) if name.starts_with(b"reftable/") && bytes != content => {
                    self.steps.push(RepairStep::WriteFile { path, content });
                }
                None if name.starts_with(b"reftable/") => {
                    self.steps.push(RepairStep::WriteFile { path, content });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn references(
        &mut self,
        store: &Store,
        target: &Snapshot,
        repository: &Repository,
    ) -> Result<(), SnapshotError> {
        let packed_path = repository.common_dir.join("packed-refs");
        let kept_packed = match target.repository.iter().find(|(name, _)| name == b"packed-refs") {
            Some((_, content)) => store.content(content)?,
            None => Vec::new(),
        };
        // Where there is no such file now, the plan so far writes the snapshot's.
        let packed_now = read_if_there(&packed_path)?.filter(|bytes| !bytes.is_empty());
        let packed_now = PackedRefs::parse(packed_now.as_ref().unwrap_or(&kept_packed)).0;
        for (name, wanted) in kept_references(store, target, &kept_packed)? {
            let path = repository.common_dir.join(as_path(&name));
            let loose = if path.is_dir() { None } else { read_if_there(&path)? };
            let value = match loose {
                Some(content) => RefValue::parse(&content),
                None => packed_now.get(&name).copied().map(RefValue::Direct),
            };
            if value.as_ref() != Some(&wanted) {
                let said =
                    |value: RefValue| String::from_utf8_lossy(value.content().trim_ascii_end()).into_owned();
                self.steps.push(RepairStep::WriteReference {
                    name,
                    from: value.map(said),
                    to: said(wanted),
                    path,
                });
            }
        }
        Ok(())
    }

    fn head_and_index(&mut self, store: &Store, target: &Snapshot) -> Result<(), SnapshotError> {
        for wanted in ["index", "HEAD"] {
            let kept = target.repository.iter().find(|(name, _)| name == wanted.as_bytes());
            let Some(((name, content), path)) =
                kept.and_then(|kept| Some((kept, location(&target.place, &kept.0)?)))
            else {
                continue;
            };
            debug_assert_eq!(name, wanted.as_bytes());
            let content = store.content(content)?;
            if read_if_there(&path)?.as_ref() != Some(&content) {
                self.steps.push(RepairStep::WriteFile { path, content });
            }
        }
        Ok(())
    }

    fn locks(&mut self, repository: &Repository) {
        let folders = BTreeSet::from([&repository.git_dir, &repository.common_dir]);
        let names = ["index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"];
        let paths = folders.into_iter().flat_map(|folder| names.map(|name| folder.join(name)));
        for path in paths.filter(|path| path.symlink_metadata().is_ok()) {
            let path = path.display();
            self.left_alone
                .push(format!("{path} is there; if no git is running, remove it: git waits for it in vain"));
        }
    }
}

/// The references of a snapshot with what they said: files of their own win over packed ones.
fn kept_references(
    store: &Store,
    target: &Snapshot,
    packed: &[u8],
) -> Result<BTreeMap<Vec<u8>, RefValue>, SnapshotError> {
    let packed = PackedRefs::parse(packed).0.into_iter().filter(|(name, _)| crate::git::is_safe_name(name));
    let mut references: BTreeMap<_, _> =
        packed.map(|(name, id): (_, ObjectId)| (name, RefValue::Direct(id))).collect();
    for (name, content) in target.repository.iter().filter(|(name, _)| name.starts_with(b"refs/")) {
        if let Some(value) = RefValue::parse(&store.content(content)?) {
            references.insert(name.clone(), value);
        }
    }
    Ok(references)
}

/// Repairs the repository that a snapshot was taken of. `run` is the run of the snapshot; what is there now is kept
/// under a name in it first.
pub fn repair(store: &mut Store, target: &Snapshot, run: &RunId) -> Result<Repaired, RestoreError> {
    let plan = plan_repair(store, target)?;
    let mut repaired = Repaired { done: 0, left_alone: plan.left_alone, before: None };
    if plan.steps.is_empty() {
        return Ok(repaired);
    }
    let place = target.place();
    let name = store.next_before_restore(run)?;
    let now = Surveyor::new(place.clone()).survey(&[])?;
    let before = store.keep(&place, &now, &name)?;
    repaired.before = Some((name, before.id));
    for step in &plan.steps {
        match carry_out(step) {
            Ok(()) => repaired.done += 1,
            Err(error) if error.is_disk_full() => return Err(SnapshotError::from(error).into()),
            Err(error) => repaired.left_alone.push(error.to_string()),
        }
    }
    Ok(repaired)
}

fn carry_out(step: &RepairStep) -> Result<(), FileError> {
    match step {
        RepairStep::CreateFolder(path) => fs::create_dir_all(path).at("create", path),
        RepairStep::CopyObjects { from, to } => {
            make_room(to)?;
            objects::copy(from, to).map(drop)
        }
        RepairStep::WriteFile { path, content } => {
            make_room(path)?;
            replace(path, content, 0o644)
        }
        RepairStep::WriteReference { path, to, .. } => {
            make_room(path)?;
            replace(path, format!("{to}\n").as_bytes(), 0o644)
        }
    }
}

/// Creates the folders above a path, and removes empty folders in its place, as git leaves them behind.
fn make_room(path: &Path) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).at("create", folder)?;
    }
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        remove_empty_folders(path).at("replace", path)?;
    }
    Ok(())
}
