//! Repairing a repository from a snapshot: HEAD, references, index, settings, hooks, what was under way, and the objects
//! that all of it needs.
//!
//! Branches, tags and stashes that the snapshot does not know stay, unless they stand in the way; so do those that have gone on
//! since, and branches of other working trees. What is replaced or removed is kept first. Each step can be repeated; a repair that was killed is finished by another one.

mod moved;
mod other_trees;
mod permissions;
mod standing;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use windlass_core::values::{RunId, SnapshotId};

pub use moved::MovedReference;
use standing::Standing;

use super::name::SnapshotName;
use super::repository::{AnotherTree, KeptPlace, OwnFile, beside_head, is_linked_list, location, walk};
use super::restore::RestoreError;
use super::{Snapshot, SnapshotError, Store, objects};
use crate::git::{ObjectId, PackedRefs, RefValue, Repository};
use crate::inventory::{EntryKind, Place, Surveyor, as_path};
use windlass_host::file::FileError;
use windlass_host::tree;
use windlass_host::tree::{Attributes, TreePath, at};

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
    /// A file that is missing or differs: configuration, `packed-refs`, index, HEAD, a hook.
    WriteFile {
        /// Where.
        path: PathBuf,
        /// What.
        content: Vec<u8>,
        /// A file, an executable one, or a link.
        kind: EntryKind,
    },
    /// A file that the snapshot does not have: a hook, what is under way now, a lock whose maker is gone.
    Remove(PathBuf),
    /// Something that is not a repository lies where the repository was: it gets a name beside it.
    MoveAside(PathBuf),
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
    /// How many steps were done, with permissions that were given back.
    pub done: usize,
    /// The references among them.
    pub moved: Vec<MovedReference>,
    /// How many could not be done; what was left alone says why.
    pub failed: usize,
    /// What it did not touch, and what it could not do, one sentence each.
    pub left_alone: Vec<String>,
    /// The snapshot of what was there before; `None` when there was nothing to do.
    pub before: Option<(SnapshotName, SnapshotId)>,
}

impl Snapshot {
    /// Where the snapshot belongs, also when the repository is not there any more.
    pub fn place(&self) -> Place {
        let KeptPlace { root, git_dir, common_dir, object_format, .. } = self.place.clone();
        let directory = root.clone();
        let repository = git_dir.zip(common_dir);
        let repository = repository.map(|(git_dir, common_dir)| Repository {
            top: root.clone(),
            git_dir,
            common_dir,
            object_format,
            closed_filters: None,
        });
        tree::hold(&root);
        repository.as_ref().inspect(|repository| repository.hold());
        Place { root, directory, repository }
    }
}

/// What is to be repaired.
#[derive(Clone, Copy, Debug)]
pub enum RepairScope<'a> {
    /// All that the snapshot has.
    Everything,
    /// These files and references, by their names in a snapshot, and locks whose makers are gone.
    Only(&'a BTreeSet<Vec<u8>>),
}

impl RepairScope<'_> {
    fn has(self, name: &[u8]) -> bool {
        match self {
            RepairScope::Everything => true,
            RepairScope::Only(names) => names.contains(name),
        }
    }

    fn is_everything(self) -> bool {
        matches!(self, RepairScope::Everything)
    }
}

/// Finds out what it takes to make the repository again what it was. Changes nothing.
pub fn plan_repair(
    store: &Store,
    target: &Snapshot,
    scope: RepairScope<'_>,
) -> Result<RepairPlan, SnapshotError> {
    let mut plan = RepairPlan::default();
    let place = target.place();
    let Some(repository) = &place.repository else {
        return Ok(plan);
    };
    plan.place_of_the_repository(repository);
    plan.folders(repository);
    plan.linked_worktree(repository)?;
    plan.entrance(repository)?;
    plan.missing_objects(store, repository)?;
    plan.files(store, target, scope)?;
    plan.other_trees(store, target, scope)?;
    plan.references(store, target, repository, scope)?;
    plan.head_and_index(store, target, scope)?;
    if scope.is_everything() {
        plan.newer_files(target, repository);
    } else if target.place.is_complete {
        plan.newer_hooks(target, repository, scope);
    }
    if target.place.is_complete {
        plan.newer_steering(target, repository, scope);
    }
    plan.locks(repository);
    Ok(plan)
}

impl RepairPlan {
    /// A link, a file or, for a linked working tree, a folder in the place of what git had there.
    fn place_of_the_repository(&mut self, repository: &Repository) {
        let is_wrong = |path: &Path, folder: bool| {
            at(path).look().is_ok_and(|found| found.is_some_and(|found| found.is_folder() != folder))
        };
        if is_wrong(&repository.git_dir, true) {
            self.steps.push(RepairStep::MoveAside(repository.git_dir.clone()));
        }
        let entrance = repository.top.join(".git");
        if lies_elsewhere(repository) && is_wrong(&entrance, false) {
            self.steps.push(RepairStep::MoveAside(entrance));
        }
    }

    fn folders(&mut self, repository: &Repository) {
        let common = &repository.common_dir;
        let shared = ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"]
            .map(|below| common.join(below));
        let wanted = shared.into_iter().chain([repository.git_dir.clone()]);
        self.steps.extend(wanted.filter(|folder| !at(folder).holds_folder()).map(RepairStep::CreateFolder));
    }

    /// What says where the git directory of a working tree is that lies elsewhere. The one of a submodule, or one that was
    /// made with `--separate-git-dir`; a link was as good.
    fn entrance(&mut self, repository: &Repository) -> Result<(), FileError> {
        let path = repository.top.join(".git");
        if !lies_elsewhere(repository) || repository.is_linked() || there(&path)?.is_some() {
            return Ok(());
        }
        let content = [b"gitdir: ", repository.git_dir.as_os_str().as_bytes(), b"\n"].concat();
        self.steps.push(RepairStep::WriteFile { path, content, kind: EntryKind::File });
        Ok(())
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
            if there(&path)?.is_none() {
                self.steps.push(RepairStep::WriteFile { path, content, kind: EntryKind::File });
            }
        }
        Ok(())
    }

    fn missing_objects(&mut self, store: &Store, repository: &Repository) -> Result<(), FileError> {
        let (copies, own) = (store.copies.folder(), repository.common_dir.join("objects"));
        for folder in objects::subfolders(objects::own_names(copies)?) {
            for file in objects::wanted_files(objects::own_names(&copies.join(&folder))?) {
                let (from, to) = (copies.join(&folder).join(&file), own.join(&folder).join(&file));
                // outside: the store of snapshots.
                let kept = from.symlink_metadata().ok().map(|metadata| metadata.len());
                let there = at(&to).look().ok().flatten().filter(Attributes::is_regular);
                if kept != there.map(|found| found.size) {
                    self.steps.push(RepairStep::CopyObjects { from, to });
                }
            }
        }
        Ok(())
    }

    /// Settings, hooks, what was under way, the stash: as they were. Packed references are written where they are missing:
    /// they are looked at one by one.
    fn files(
        &mut self,
        store: &Store,
        target: &Snapshot,
        scope: RepairScope<'_>,
    ) -> Result<(), SnapshotError> {
        let is_own = |name: &[u8]| name.starts_with(b"refs/") || name == b"HEAD" || name == b"index";
        let apart = |name: &[u8]| is_own(name) || AnotherTree::of(name).is_some();
        for OwnFile { name, kind, content } in &target.repository {
            // Where history ends is said for what was fetched since, too: it is put back with all the rest alone.
            let is_due = scope.has(name) && (scope.is_everything() || name != b"shallow");
            let Some(path) = location(&target.place, name).filter(|_| !apart(name) && is_due) else {
                continue;
            };
            let content = store.content(content)?;
            let same = match there(&path)? {
                // git reads nothing at all where one line of it is none.
                Some((_, bytes)) if name == b"packed-refs" => {
                    !bytes.is_empty() && PackedRefs::is_sound(&bytes)
                }
                Some((found, bytes)) => bytes == content && found == *kind,
                None => false,
            };
            if !same {
                self.steps.push(RepairStep::WriteFile { path, content, kind: *kind });
            }
        }
        Ok(())
    }

    fn references(
        &mut self,
        store: &Store,
        target: &Snapshot,
        repository: &Repository,
        scope: RepairScope<'_>,
    ) -> Result<(), SnapshotError> {
        let packed_path = repository.common_dir.join("packed-refs");
        let kept_packed = store.content_of(&target.repository, b"packed-refs")?.unwrap_or_default();
        // Where there is no such file now, the plan so far writes the snapshot's.
        let is_sound = |bytes: &Vec<u8>| !bytes.is_empty() && PackedRefs::is_sound(bytes);
        let packed_now = read_loose(&packed_path)?.filter(is_sound);
        let packed_now = PackedRefs::parse(packed_now.as_ref().unwrap_or(&kept_packed)).0;
        let kept = references(store, &target.repository, &kept_packed)?;
        let mut standing = Standing::of(store, target, repository)?;
        for (name, wanted) in kept.iter().filter(|(name, _)| scope.has(name)) {
            let path = repository.common_dir.join(as_path(name));
            let loose = read_loose(&path)?;
            let value = match loose {
                Some(content) => RefValue::parse(&content),
                None => packed_now.get(name).copied().map(RefValue::Direct),
            };
            if value.as_ref() != Some(wanted) && !standing.stays(name, value.as_ref(), wanted) {
                self.make_way(&repository.common_dir, name);
                let said =
                    |value: &RefValue| String::from_utf8_lossy(value.content().trim_ascii_end()).into_owned();
                self.steps.push(RepairStep::WriteReference {
                    name: name.clone(),
                    from: value.as_ref().map(said),
                    to: said(wanted),
                    path,
                });
            }
        }
        standing.say(self);
        Ok(())
    }

    /// A newer branch `a` stands in the way of `a/b`, and `a/b` in the way of `a`.
    fn make_way(&mut self, common_dir: &Path, name: &[u8]) {
        let path = common_dir.join(as_path(name));
        let above = path.ancestors().skip(1).take_while(|folder| *folder != common_dir);
        // A link that a person has there is as good as the folder that it leads to.
        let is_file = |folder: &TreePath| !folder.holds_folder() && matches!(folder.look(), Ok(Some(_)));
        let files = above.filter(|folder| is_file(&at(folder)));
        let mut in_the_way: Vec<PathBuf> = files.map(Path::to_path_buf).collect();
        if at(&path).is_real_folder() {
            in_the_way.extend(walk(&path, name).into_iter().map(|(_, path)| path));
        }
        for path in in_the_way {
            let step = RepairStep::Remove(path.clone());
            if !self.steps.contains(&step) {
                let name = path.strip_prefix(common_dir).unwrap_or(&path).display();
                self.left_alone.push(format!("{name} was made since and stood in the way: it was removed"));
                self.steps.push(step);
            }
        }
    }

    fn head_and_index(
        &mut self,
        store: &Store,
        target: &Snapshot,
        scope: RepairScope<'_>,
    ) -> Result<(), SnapshotError> {
        for wanted in ["index", "HEAD"].into_iter().filter(|wanted| scope.has(wanted.as_bytes())) {
            let kept = target.repository.iter().find(|file| file.name == wanted.as_bytes());
            let Some((file, path)) = kept.and_then(|kept| Some((kept, location(&target.place, &kept.name)?)))
            else {
                continue;
            };
            let content = store.content(&file.content)?;
            if read_loose(&path)?.as_ref() != Some(&content) {
                self.steps.push(RepairStep::WriteFile { path, content, kind: EntryKind::File });
            }
        }
        Ok(())
    }

    /// Hooks, an index, and what is under way, that the snapshot knows nothing of.
    fn newer_files(&mut self, target: &Snapshot, repository: &Repository) {
        if !target.place.is_complete {
            return;
        }
        self.newer_hooks(target, repository, RepairScope::Everything);
        let mut newer = beside_head(&repository.git_dir);
        newer.push((b"index".to_vec(), repository.git_dir.join("index")));
        self.remove_unknown(target, newer);
        let folders = ["rebase-merge", "rebase-apply", "sequencer"];
        let empty = folders.map(|folder| repository.git_dir.join(folder)).into_iter();
        let known = |folder: &PathBuf| {
            let name = folder.file_name().unwrap_or_default().as_bytes();
            target.repository.iter().any(|file| file.name.starts_with(name))
        };
        self.steps.extend(
            empty.filter(|folder| at(folder).is_real_folder() && !known(folder)).map(RepairStep::Remove),
        );
        let own = if repository.is_linked() {
            walk(&repository.git_dir.join("refs"), b"worktree-refs")
        } else {
            // What a bisection marks is part of what is under way.
            walk(&repository.common_dir.join("refs/bisect"), b"refs/bisect")
        };
        self.remove_unknown(target, own);
    }

    fn newer_hooks(&mut self, target: &Snapshot, repository: &Repository, scope: RepairScope<'_>) {
        let mut hooks = walk(&repository.common_dir.join("hooks"), b"hooks");
        hooks.retain(|(name, _)| scope.has(name));
        self.remove_unknown(target, hooks);
    }

    /// What has git read other objects, or stop at commits, that the snapshot knows nothing of.
    fn newer_steering(&mut self, target: &Snapshot, repository: &Repository, scope: RepairScope<'_>) {
        let common = &repository.common_dir;
        let mut newer = walk(&common.join("refs/replace"), b"refs/replace");
        let shallow = common.join("shallow");
        // Where a commit's parents are not there, git needs to be told so.
        if repository.ends_early_for_nothing() {
            newer.push((b"shallow".to_vec(), shallow));
        }
        newer.retain(|(name, _)| scope.has(name));
        self.remove_unknown(target, newer);
    }

    fn remove_unknown(&mut self, target: &Snapshot, files: Vec<(Vec<u8>, PathBuf)>) {
        let is_known = |name: &[u8]| target.repository.iter().any(|file| file.name == name);
        let newer = files.into_iter().filter(|(name, path)| !is_known(name) && at(path).is_taken());
        self.steps.extend(newer.map(|(_, path)| RepairStep::Remove(path)));
    }

    fn locks(&mut self, repository: &Repository) {
        let locks = repository.locks();
        self.steps.extend(locks.abandoned.into_iter().map(RepairStep::Remove));
        for path in locks.perhaps_held {
            let path = path.display();
            self.left_alone
                .push(format!("{path} is there; if no git is running, remove it: git waits for it in vain"));
        }
    }
}

/// Is the git directory none that git finds by itself from the working tree, above it or in it?
fn lies_elsewhere(repository: &Repository) -> bool {
    !repository.top.ancestors().any(|above| above.join(".git") == repository.git_dir)
}

/// The longest file of a repository that is read: an index of millions of files.
const LONGEST: usize = 1 << 30;

/// What is at a path of the repository: its kind and its bytes, or where it leads as a link.
fn there(path: &Path) -> Result<Option<(EntryKind, Vec<u8>)>, FileError> {
    let place = at(path);
    let Ok(Some(found)) = place.look() else { return Ok(None) };
    if found.is_link() && !is_linked_list(&place) {
        let target = place.link_target().map_err(|error| place.failed("read", error))?;
        return Ok(Some((EntryKind::Symlink, target.as_os_str().as_bytes().to_vec())));
    }
    if !found.is_regular() && !found.is_link() {
        return Ok(None);
    }
    let is_hook = path.parent().is_some_and(|folder| folder.ends_with("hooks"));
    let kind = if is_hook { EntryKind::of_file(&found) } else { EntryKind::File };
    Ok(place.read(LONGEST)?.map(|bytes| (kind, bytes)))
}

/// The bytes of a plain file; what else may lie there says nothing.
fn read_loose(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    Ok(there(path)?.filter(|(kind, _)| *kind != EntryKind::Symlink).map(|(_, bytes)| bytes))
}

/// The references that files of a repository hold, with what they said: files of their own win over packed ones.
pub(super) fn references(
    store: &Store,
    files: &[OwnFile],
    packed: &[u8],
) -> Result<BTreeMap<Vec<u8>, RefValue>, SnapshotError> {
    let packed = PackedRefs::parse(packed).0.into_iter().filter(|(name, _)| crate::git::is_safe_name(name));
    let mut references: BTreeMap<_, _> =
        packed.map(|(name, id): (_, ObjectId)| (name, RefValue::Direct(id))).collect();
    for file in files.iter().filter(|file| file.name.starts_with(b"refs/")) {
        if let Some(value) = RefValue::parse(&store.content(&file.content)?) {
            references.insert(file.name.clone(), value);
        }
    }
    Ok(references)
}

/// Repairs the repository that a snapshot was taken of. `run` is the run of the snapshot; what is there now is kept
/// under a name in it first.
pub fn repair(
    store: &mut Store,
    target: &Snapshot,
    run: &RunId,
    scope: RepairScope<'_>,
) -> Result<Repaired, RestoreError> {
    let place = target.place();
    // First, since what cannot be read can neither be compared nor kept.
    let given = place.repository.as_ref().map(permissions::give_back).unwrap_or_default();
    let plan = plan_repair(store, target, scope)?;
    let failed = given.failed.len();
    let left_alone = given.failed.into_iter().chain(plan.left_alone).collect();
    let mut repaired = Repaired { done: given.done, moved: Vec::new(), failed, left_alone, before: None };
    if plan.steps.is_empty() {
        return Ok(repaired);
    }
    let name = store.next_before_restore(run)?;
    let now = Surveyor::new(place.clone()).survey(&[])?;
    let before = store.keep(&place, &now, &name)?;
    repaired.before = Some((name, before.id));
    for step in &plan.steps {
        match steps::carry_out(step) {
            Ok(()) => {
                repaired.done += 1;
                repaired.moved.extend(MovedReference::by(step));
            }
            Err(error) if error.is_disk_full() => return Err(SnapshotError::from(error).into()),
            Err(error) => {
                repaired.failed += 1;
                repaired.left_alone.push(error.to_string());
            }
        }
    }
    Ok(repaired)
}
