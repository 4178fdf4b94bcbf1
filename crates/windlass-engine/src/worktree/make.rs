//! Making a worktree, or finding it again.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_core::dots::without_dots;
use windlass_core::spec::BootstrapSpec;

use super::bootstrap::{Copied, copy_included};
use super::marker::{Marker, Stage};
use super::renew::{Renewed, renew};
use super::{Worktree, WorktreeError, WorktreeName, copied, locks};
use crate::store::Project;
use windlass_git::git::{Branch, FoundRepository, Head, LinkedTree, Repository};
use windlass_host::file::AtPath as _;
use windlass_host::tree::at;

/// What is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The repository, seen from the working tree that it begins at: its HEAD, and what is copied.
    pub repository: &'a Repository,
    /// Its project.
    pub project: &'a Project,
    /// Where worktrees are made: [`base_folder`].
    pub base: &'a Path,
    /// Its name.
    pub name: &'a WorktreeName,
    /// What makes it ready.
    pub bootstrap: &'a BootstrapSpec,
}

/// A worktree that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// It.
    pub worktree: Worktree,
    /// Since when.
    pub how: How,
    /// What was copied into it just now.
    pub copied: Copied,
    /// What a person should know of it.
    pub notices: Vec<String>,
}

/// How a worktree came to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is new.
    Anew,
    /// It was there; if it had not been made ready it is now.
    WasThere,
    /// Its folder was gone: it was made again with its branch, that is with what was committed.
    FromItsBranch,
}

/// Where worktrees are made: the folder that is configured, from the top of the first working tree or from the user's home
/// (`~/`); without one `../PROJECT-worktrees`. Nothing is created.
pub fn base_folder(repository: &Repository, configured: Option<&str>, home: Option<&Path>) -> PathBuf {
    let top = repository.main_top();
    match (configured, home) {
        (Some(path), Some(home)) if path.starts_with("~/") => home.join(path.trim_start_matches("~/")),
        (Some(path), _) => without_dots(&top.join(path)),
        (None, _) => {
            let mut name = top.file_name().unwrap_or_default().to_owned();
            name.push("-worktrees");
            top.parent().unwrap_or(&top).join(name)
        }
    }
}

/// Makes a worktree of this name, on a branch of its own from HEAD, and makes it ready as far as copies go; one that is
/// there is found, and finished if it is not ready. Its setup command is the caller's to run while its stage is
/// [`Stage::Setup`].
///
/// # Errors
/// Why there is none; what was made until then stays, and the next call goes on with it.
pub fn make(order: &Order<'_>) -> Result<Made, WorktreeError> {
    let listing = locks::of_repository(order.project)?;
    let (mut worktree, how) = find_or_add(order)?;
    // First the one, then the other: nobody else can take it in between.
    let _ours = locks::of_worktree(&worktree.tree.git_dir)?;
    drop(listing);
    if how == How::WasThere {
        // Whoever held it may have finished it.
        worktree = Worktree::find(order.repository, order.name.as_str())?;
        if worktree.stage() != Stage::Ready {
            order.bootstrap.clone_into(&mut worktree.marker.bootstrap);
        }
    }
    if how == How::WasThere && worktree.stage() > Stage::Copying {
        let Renewed { copied, notices } = renew(order, &worktree)?;
        return Ok(Made { worktree, how, copied, notices });
    }
    let copied = finish(order, &mut worktree)?;
    let notices = if how == How::WasThere { Vec::new() } else { notices(&worktree) };
    Ok(Made { worktree, how, copied, notices })
}

fn find_or_add(order: &Order<'_>) -> Result<(Worktree, How), WorktreeError> {
    let all = Worktree::all(order.repository)?;
    let collides = |other: &&Worktree| other.name != *order.name && other.name.collides_with(order.name);
    if let Some(other) = all.iter().find(collides) {
        let (name, other) = (order.name.to_string(), other.name.to_string());
        return Err(WorktreeError::Collides { name, other });
    }
    let checkout = free_number(&all);
    match all.into_iter().find(|worktree| worktree.name == *order.name) {
        Some(worktree) if worktree.tree.is_there() => Ok((worktree, How::WasThere)),
        Some(worktree) => add_again(order, worktree),
        None => add(order, checkout).map(|worktree| (worktree, How::Anew)),
    }
}

/// The smallest number that no worktree has.
fn free_number(all: &[Worktree]) -> u32 {
    (1..=u32::MAX)
        .find(|number| all.iter().all(|worktree| worktree.checkout() != *number))
        .unwrap_or(u32::MAX)
}

/// A new one on a new branch.
fn add(order: &Order<'_>, checkout: u32) -> Result<Worktree, WorktreeError> {
    let repository = order.repository;
    let (base, commit) = match repository.head()? {
        Head::Unborn { .. } => return Err(WorktreeError::NoCommit),
        Head::Branch { branch, commit } => (String::from_utf8(branch).ok(), commit),
        Head::Detached { commit } => (None, commit),
    };
    refuse_branches(repository, order.name)?;
    let path = free_path(order)?;
    repository.add_worktree(&path, Branch::New { name: &order.name.branch(), at: commit })?;
    mark(&path, &Marker::new(order.name.as_str(), base, checkout, order.bootstrap))
}

/// One whose folder is gone: what the repository knows of it goes, its branch stays and is checked out again. Without its
/// branch it is a new one.
fn add_again(order: &Order<'_>, gone: Worktree) -> Result<(Worktree, How), WorktreeError> {
    let path = gone.tree.path.clone();
    if at(&path).is_taken() {
        return Err(WorktreeError::Broken(path));
    }
    if gone.tree.locked {
        return Err(WorktreeError::LockedAway { name: gone.name.to_string(), path });
    }
    let Worktree { marker, .. } = gone;
    order.repository.remove_worktree(&path)?;
    if order.repository.commit_of(&order.name.full_branch())?.is_none() {
        return add(order, marker.checkout).map(|worktree| (worktree, How::Anew));
    }
    let path = free_path(order)?;
    order.repository.add_worktree(&path, Branch::Existing { name: &order.name.branch() })?;
    let marker = Marker::new(order.name.as_str(), marker.base, marker.checkout, order.bootstrap);
    mark(&path, &marker).map(|worktree| (worktree, How::FromItsBranch))
}

/// Records that a working tree is ours.
fn mark(path: &Path, marker: &Marker) -> Result<Worktree, WorktreeError> {
    let FoundRepository::Worktree(repository) = Repository::find(path)? else {
        return Err(WorktreeError::Broken(path.to_owned()));
    };
    marker.write(&repository.git_dir)?;
    let tree = LinkedTree { git_dir: repository.git_dir, path: repository.top, locked: false };
    let name = WorktreeName::parse(&marker.name)?;
    Ok(Worktree { name, tree, marker: marker.clone() })
}

fn refuse_branches(repository: &Repository, name: &WorktreeName) -> Result<(), WorktreeError> {
    let full = name.full_branch();
    let branch = name.branch();
    let there = repository.branches_at("refs/heads/windlass")?;
    let folder = format!("{full}/");
    for other in there {
        let shown = other.trim_start_matches("refs/heads/").to_owned();
        if other == full {
            return Err(WorktreeError::BranchThere { branch });
        }
        if other == "refs/heads/windlass" || other.starts_with(&folder) {
            return Err(WorktreeError::BranchBlocked { branch, other: shown });
        }
        if other.eq_ignore_ascii_case(&full) {
            return Err(WorktreeError::Collides { name: branch, other: shown });
        }
    }
    Ok(())
}

/// Its place, free, in the base folder, which is made.
fn free_path(order: &Order<'_>) -> Result<PathBuf, WorktreeError> {
    let no_base = |source| WorktreeError::NoBase { base: order.base.to_owned(), source };
    // What is there of it says where it would really be.
    // outside: a folder that a person named, and that no guest can write.
    let there = order.base.ancestors().find_map(|above| above.canonicalize().ok());
    refuse_inside(order, order.base, there.as_deref().unwrap_or(order.base))?;
    // outside: the same.
    fs::create_dir_all(order.base).map_err(no_base)?;
    // outside: the same.
    let base = order.base.canonicalize().map_err(no_base)?;
    refuse_inside(order, &base, &base)?;
    let path = base.join(order.name.as_str());
    let is_free = match at(&path).look() {
        Ok(None) => true,
        Ok(Some(found)) => found.is_folder() && at(&path).names().is_ok_and(|names| names.is_empty()),
        Err(_) => false,
    };
    if !is_free {
        return Err(WorktreeError::PathTaken(path));
    }
    // outside: the same.
    tempfile::tempfile_in(&base).map_err(no_base)?;
    Ok(path)
}

fn refuse_inside(order: &Order<'_>, base: &Path, real: &Path) -> Result<(), WorktreeError> {
    let repository = order.repository;
    let (main, top, common) = (repository.main_top(), repository.top.clone(), repository.common_dir.clone());
    let around = [main, top, common].into_iter().find(|project| real.starts_with(project));
    around.map_or(Ok(()), |project| Err(WorktreeError::InsideProject { base: base.to_owned(), project }))
}

/// Takes a worktree as far as it comes without its setup command.
fn finish(order: &Order<'_>, worktree: &mut Worktree) -> Result<Copied, WorktreeError> {
    if worktree.stage() == Stage::Filling {
        let name = worktree.name.to_string();
        let filled = worktree.repository()?.fill_worktree();
        filled.map_err(|source| WorktreeError::Checkout { name, source })?;
        worktree.set_stage(Stage::Copying)?;
    }
    let mut copied = Copied::default();
    if worktree.stage() == Stage::Copying {
        copied = copy_included(&order.repository.top, &worktree.tree.path, worktree.bootstrap())?;
        copied::add(&worktree.tree.git_dir, &copied.files)?;
    }
    if worktree.stage() < Stage::Ready {
        let next = if worktree.bootstrap().setup.is_some() { Stage::Setup } else { Stage::Ready };
        worktree.set_stage(next)?;
    }
    Ok(copied)
}

/// What people expect in a checkout and git does not put there.
fn notices(worktree: &Worktree) -> Vec<String> {
    let modules = at(&worktree.tree.path.join(".gitmodules")).look();
    let has_modules =
        modules.is_ok_and(|found| found.is_some_and(|found| found.is_regular() && found.size > 0));
    let told = "the submodules are not checked out in the worktree; worktree.setup could do it: git submodule update --init";
    has_modules.then(|| told.to_owned()).into_iter().collect()
}

/// The base folder goes with its last worktree if nobody named it.
pub(super) fn tidy_base(repository: &Repository, path: &Path) {
    let base = base_folder(repository, None, None);
    // outside: a folder of ours, which no guest can write.
    if path.parent().is_some_and(|parent| Some(parent) == base.canonicalize().ok().as_deref()) {
        // outside: the same. One with something in it stays.
        let _ = fs::remove_dir(&base).at("delete", &base);
    }
}
