//! A checkout follows its branch: files and index of a person's working tree become those of a commit that landed.
//!
//! As when git switches branches, what a person has staged or changed elsewhere stays. A file is touched only if it is as
//! the branch had it, byte for byte as far as git is concerned; one that is already as it should be counts as done, which
//! is how an interrupted landing goes on. New contents are written aside first, with the user's filters, and put in place
//! by renaming: whoever reads a file sees the old one or the new one, and a full disk stops it before anything has changed.

mod change;
mod check;
mod lock;

use std::collections::BTreeSet;
use std::io;

use self::change::{Change, is_submodule, line};
use self::check::{Check, FileStatus, Version};
use self::lock::IndexLock;
use super::steps::Step;
use super::{LONG, LaneError};
use crate::git::as_path;
use crate::git::call::{Call, zero_ended};
use crate::git::obstacle::half_done;
use crate::git::{GitError, ObjectId, Repository, is_disk_full};
use windlass_core::words::quoted;
use windlass_host::file::FileError;
use windlass_host::tree::{Attributes, Kind, Stamps, TreePath, at};

/// What is written aside lies here, beside the checkout's index; it is left over only after a power failure.
const STAGE: &str = "windlass-landing";

/// What about files that are somebody's own.
#[derive(Clone, Copy, Debug)]
pub enum Strictness<'a> {
    /// They refuse the landing, but for these: they stay as they are.
    AllBut(&'a [&'a [u8]]),
    /// They stay as they are: the branch has advanced already.
    WhatGoes,
}

/// Why a checkout cannot follow, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// What is to be put there would change what is somebody's own.
    Work(String),
    /// Whatever is to be put there.
    Place(String),
    /// The same, as long as another git is at work there.
    AnotherGit(String),
}

impl Obstacle {
    /// The sentence.
    pub fn why(self) -> String {
        match self {
            Obstacle::Work(why) | Obstacle::Place(why) | Obstacle::AnotherGit(why) => why,
        }
    }
}

/// A checkout that can follow: nothing of a person's is in the way, and nobody but us changes its index.
#[derive(Debug)]
pub(super) struct Follower {
    checkout: Repository,
    changes: Vec<(Change, FileStatus)>,
    left: Vec<Vec<u8>>,
    stage: Stage,
    lock: IndexLock,
}

/// A folder for what is written aside; gone when it is dropped.
#[derive(Debug)]
struct Stage(TreePath);

impl Stage {
    fn make(checkout: &Repository) -> Result<Self, FileError> {
        let folder = at(&checkout.git_dir.join(STAGE));
        folder.remove_folder()?;
        folder.join("files").make_folders_with(0o700)?;
        Ok(Self(folder))
    }

    fn file(&self, path: &[u8]) -> TreePath {
        self.0.join("files").join(as_path(path))
    }

    /// The checkout's index as it will be.
    fn index(&self) -> TreePath {
        self.0.join("index")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.0.remove_folder();
    }
}

impl Follower {
    /// Makes everything ready for a checkout to go from one commit to another; a sentence when it cannot.
    pub fn prepare(
        checkout: Repository,
        from: ObjectId,
        to: ObjectId,
        strictness: Strictness<'_>,
    ) -> Result<Result<Self, Obstacle>, LaneError> {
        let changes = Change::between(&checkout, from, to)?;
        let paths: Vec<&[u8]> = changes.iter().map(|change| change.path.as_slice()).collect();
        if let Some(why) = checkout.behind_closed_filters(&paths)? {
            return Ok(Err(Obstacle::Work(why)));
        }
        let stage = Stage::make(&checkout)?;
        if let Err(error) = write_aside(&checkout, &stage, &changes) {
            stage.0.has_room()?;
            return if is_disk_full(&error) {
                Err(error.into())
            } else {
                Ok(Err(Obstacle::Work(format!("the files cannot be written: {error}"))))
            };
        }
        Step::Staged.done();
        let lock = match IndexLock::take(&checkout, &stage.0)? {
            Ok(lock) => lock,
            Err(why) => return Ok(Err(Obstacle::AnotherGit(why))),
        };
        Step::Locked.done();
        if let Some(why) = half_done(&checkout)? {
            return Ok(Err(Obstacle::Place(format!("in {}, {why}", checkout.top.display()))));
        }
        let mut follower = Self { checkout, changes: Vec::new(), left: Vec::new(), stage, lock };
        follower.copy_index()?;
        let standings = Check::of(&follower.checkout, from, &follower.stage, &changes)?.standings();
        let pairs: Vec<(Change, FileStatus)> = changes.into_iter().zip(standings).collect();
        if let Some(why) = obstacle(&follower.checkout, &pairs, strictness) {
            return Ok(Err(Obstacle::Work(why)));
        }
        let left = pairs.iter().filter(|(_, standing)| standing.is_somebodys());
        follower.left = left.map(|(change, _)| change.path.clone()).collect();
        follower.changes = pairs;
        if let Some(why) = follower.closed_folder() {
            return Ok(Err(Obstacle::Place(why)));
        }
        follower.change_index()?;
        Ok(Ok(follower))
    }

    /// Puts files and index in place. Gives the paths whose files are somebody's own and stay.
    ///
    /// # Errors
    /// The system refuses to put a file in its place. The others are; called again, it goes on.
    pub fn follow(self) -> Result<Vec<Vec<u8>>, LaneError> {
        let mut left = self.left.clone();
        let mut failed = None;
        let (gone, there): (Vec<_>, Vec<_>) =
            self.changes.iter().partition(|(change, _)| change.after.is_none());
        for (change, standing) in gone.into_iter().chain(there) {
            match self.put_in_place(change, standing) {
                Ok(Placed::Done) => Step::OneWritten.done(),
                Ok(Placed::Nothing) => {}
                Ok(Placed::Left) => left.push(change.path.clone()),
                Err(error) => failed = Some(error),
            }
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
        Step::Written.done();
        let index = self.stage.index();
        if index.holds_file() {
            // Only so that git need not compare contents later; a file that differs is nothing to complain about.
            Call::within(&self.checkout)
                .with_index(&index.shown())
                .args(["update-index", "-q", "--refresh"])
                .timeout(LONG)
                .run()?;
            index.rename_to(&at(&self.checkout.git_dir.join("index")))?;
        }
        Step::Indexed.done();
        drop(self.lock);
        Ok(left)
    }

    fn copy_index(&self) -> Result<(), FileError> {
        let own = at(&self.checkout.git_dir.join("index"));
        match own.open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(own.failed("read", error)),
            Ok(index) => {
                let found = Attributes::of(&index).map_err(|error| own.failed("read", error))?;
                self.stage.index().copy_from(&index, found.mode)
            }
        }
    }

    /// Gives the index the new version of each path that nobody has staged otherwise.
    fn change_index(&self) -> Result<(), GitError> {
        let format = self.checkout.object_format;
        let index = self.stage.index();
        let call = || Call::within(&self.checkout).with_index(&index.shown());
        // The lines that remove go first: a file may take a folder's place.
        let (gone, there): (Vec<_>, Vec<_>) = self
            .changes
            .iter()
            .filter(|(_, standing)| standing.index == Version::Before)
            .map(|(change, _)| change)
            .partition(|change| change.after.is_none());
        for part in [gone, there] {
            let lines: Vec<u8> =
                part.iter().flat_map(|change| line(&change.path, &change.after, format)).collect();
            if !lines.is_empty() {
                let update = ["update-index", "-z", "--add", "--remove", "--replace", "--index-info"];
                call().args(update).input(lines).output()?;
            }
        }
        let left_out = self.changes.iter().filter(|(change, standing)| {
            standing.index == Version::Before && standing.is_left_out && change.after.is_some()
        });
        let left_out: Vec<u8> =
            left_out.flat_map(|(change, _)| [&change.path, &b"\0"[..]].concat()).collect();
        if left_out.is_empty() {
            return Ok(());
        }
        call().args(["update-index", "-z", "--skip-worktree", "--stdin"]).input(left_out).output().map(drop)
    }

    /// A folder in which a file is to be put in place, or removed, and that may not be written: a person has closed it.
    fn closed_folder(&self) -> Option<String> {
        let due = self.changes.iter().filter(|(_, standing)| standing.file_is_due());
        let folders = due.filter_map(|(change, _)| as_path(&change.path).parent()).collect::<BTreeSet<_>>();
        let top = at(&self.checkout.top);
        folders.into_iter().find_map(|below| {
            let folder = below.ancestors().map(|above| top.join(above)).find(TreePath::is_real_folder)?;
            let error = folder.may_be_written().err()?;
            let shown = folder.shown();
            Some(format!(
                "{} may not be written ({error}), and files are to be put there: chmod u+w {}",
                shown.display(),
                quoted(shown.as_os_str())
            ))
        })
    }

    fn put_in_place(&self, change: &Change, standing: &FileStatus) -> Result<Placed, FileError> {
        let full = at(&self.checkout.top).join(as_path(&change.path));
        if !standing.file_is_due() {
            return Ok(Placed::Nothing);
        }
        if is_submodule(&change.after) {
            // Its files are its own repository's affair, as when git switches branches.
            if matches!(full.look(), Ok(Some(found)) if !found.is_folder()) {
                full.remove_file()?;
            }
            full.make_folders()?;
            return Ok(Placed::Done);
        }
        // Somebody may have written it since it was looked at.
        let now = full.look().ok().flatten();
        let is_folder = now.is_some_and(|now| now.is_folder());
        if !is_folder && now.map(Stamps::of) != standing.stamps {
            return Ok(Placed::Left);
        }
        if change.after.is_none() {
            return self.remove(&full, is_folder);
        }
        if is_folder && remove_hollow_folder(&full).is_err() {
            return Ok(Placed::Left);
        }
        if let Some(folder) = full.parent() {
            folder.make_folders()?;
        }
        move_to(&self.stage.file(&change.path), &full)?;
        Ok(Placed::Done)
    }

    /// Removes a file, and the folders that it was the last one in.
    fn remove(&self, full: &TreePath, is_folder: bool) -> Result<Placed, FileError> {
        let gone = if is_folder { full.remove_empty_folder() } else { full.remove_file() };
        match gone {
            // A submodule's folder with something in it stays.
            Err(_) if is_folder => return Ok(Placed::Nothing),
            Err(error) if !error.is_not_found() => return Err(error),
            _ => {}
        }
        let top = at(&self.checkout.top);
        let mut above = full.parent();
        while let Some(folder) = above.filter(|folder| *folder != top) {
            if folder.remove_empty_folder().is_err() {
                break;
            }
            above = folder.parent();
        }
        Ok(Placed::Done)
    }
}

/// Removes a folder that holds nothing but folders; of any other nothing goes.
fn remove_hollow_folder(folder: &TreePath) -> Result<(), FileError> {
    let mut hollow = vec![folder.clone()];
    let mut at = 0;
    while let Some(next) = hollow.get(at).cloned() {
        for entry in next.entries()? {
            if entry.kind != Kind::Folder {
                return Err(next.failed("remove", io::Error::from(io::ErrorKind::DirectoryNotEmpty)));
            }
            hollow.push(next.join(&entry.name));
        }
        at += 1;
    }
    hollow.iter().rev().try_for_each(TreePath::remove_empty_folder)
}

/// What became of a file.
enum Placed {
    /// It is as it should be.
    Done,
    /// It was, or is not to be touched.
    Nothing,
    /// Somebody has just written it.
    Left,
}

/// Writes the new contents aside as git would check them out.
fn write_aside(checkout: &Repository, stage: &Stage, changes: &[Change]) -> Result<(), GitError> {
    let format = checkout.object_format;
    let is_file = |change: &&Change| change.after.is_some() && !is_submodule(&change.after);
    let lines = changes.iter().filter(is_file).flat_map(|change| line(&change.path, &change.after, format));
    let lines: Vec<u8> = lines.collect();
    if lines.is_empty() {
        return Ok(());
    }
    let call = || Call::within(checkout).with_index(&stage.0.join("after").shown());
    call().args(["update-index", "-z", "--add", "--index-info"]).input(lines).output()?;
    let mut prefix = std::ffi::OsString::from("--prefix=");
    prefix.push(stage.0.join("files").shown());
    prefix.push("/");
    call().args(["checkout-index", "--all", "--quiet"]).arg(prefix).timeout(LONG).output().map(drop)
}

/// Why a checkout cannot follow: which files are somebody's own.
fn obstacle(
    checkout: &Repository,
    changes: &[(Change, FileStatus)],
    strictness: Strictness<'_>,
) -> Option<String> {
    const SHOWN: usize = 5;
    let Strictness::AllBut(spared) = strictness else { return None };
    let in_the_way: BTreeSet<&[u8]> = changes
        .iter()
        .filter(|(change, standing)| standing.is_somebodys() && !spared.contains(&change.path.as_slice()))
        .map(|(change, standing)| standing.in_the_way.as_deref().unwrap_or(&change.path))
        .collect();
    let mut names: Vec<_> =
        in_the_way.iter().take(SHOWN).map(|path| String::from_utf8_lossy(path).into_owned()).collect();
    if names.is_empty() {
        return None;
    }
    if in_the_way.len() > SHOWN {
        names.push(format!("{} more", in_the_way.len() - SHOWN));
    }
    Some(format!(
        "in {}, what is about to land would overwrite changes that are not committed: {}; commit them or move them away",
        checkout.top.display(),
        names.join(", ")
    ))
}

/// Moves a file; a linked working tree may lie on another disk than its index.
fn move_to(from: &TreePath, to: &TreePath) -> Result<(), FileError> {
    match from.rename_to(to) {
        Err(error) if error.source.kind() == io::ErrorKind::CrossesDevices => copy_to(from, to),
        moved => moved.map_err(|error| to.failed("write", error.source)),
    }
}

fn copy_to(from: &TreePath, to: &TreePath) -> Result<(), FileError> {
    if let Ok(target) = from.link_target() {
        return to.link_by_way_of(".windlass-", &target);
    }
    let original = from.open_itself().map_err(|error| from.failed("read", error))?;
    let found = Attributes::of(&original).map_err(|error| from.failed("read", error))?;
    to.copy_from(&original, found.mode)
}

/// The paths that a sparse checkout leaves out: those of its index, and those that come and that its rules leave out.
fn left_out(
    checkout: &Repository,
    index: &TreePath,
    changes: &[Change],
) -> Result<BTreeSet<Vec<u8>>, GitError> {
    if !at(&checkout.git_dir).join("info/sparse-checkout").holds_file() || !index.holds_file() {
        return Ok(BTreeSet::new());
    }
    let listing =
        Call::within(checkout).with_index(&index.shown()).args(["ls-files", "-t", "-z"]).output()?;
    let left_out = zero_ended(&listing).filter_map(|line| line.strip_prefix(b"S ")).map(<[u8]>::to_vec);
    let comes = |change: &&Change| change.before.is_none() && change.after.is_some();
    let coming: BTreeSet<Vec<u8>> = changes.iter().filter(comes).map(|change| change.path.clone()).collect();
    if coming.is_empty() {
        return Ok(left_out.collect());
    }
    let lines: Vec<u8> = coming.iter().flat_map(|path| [path.as_slice(), b"\0"].concat()).collect();
    // git knows it since 2.41; an older one has such a file where it would not be.
    let asked = Call::within(checkout).args(["sparse-checkout", "check-rules", "-z"]).input(lines).run()?;
    if asked.code != 0 {
        return Ok(left_out.collect());
    }
    let wanted: BTreeSet<&[u8]> = zero_ended(&asked.output).collect();
    Ok(left_out.chain(coming.iter().filter(|path| !wanted.contains(path.as_slice())).cloned()).collect())
}
