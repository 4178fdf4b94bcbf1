//! Which of the files and index entries that a landing is about are as the branch had them, which are as they will be
//! already, and which are somebody's own.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::change::{Change, Content, is_submodule, line};
use super::{Stage, left_out};
use crate::git::as_path;
use crate::git::call::Call;
use crate::git::{GitError, ObjectId, Repository};
use crate::lane::LONG;
use windlass_host::tree::{Kind, Stamps, TreePath, at};

/// Which version of a path an index has, or a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Version {
    /// The one of before: the new one is due.
    Before,
    /// The new one already, or none is wanted.
    #[default]
    After,
    /// Somebody's own, or something else is in its way.
    Somebodys,
}

/// How a path stands in a checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileStatus {
    /// In the index.
    pub index: Version,
    /// In the folder.
    pub file: Version,
    /// What is in its way, if that is not the path itself.
    pub in_the_way: Option<Vec<u8>>,
    /// A sparse checkout has no file of it.
    pub is_left_out: bool,
    /// What the system said about the file.
    pub stamps: Option<Stamps>,
}

impl FileStatus {
    pub fn is_somebodys(&self) -> bool {
        self.index == Version::Somebodys || self.file == Version::Somebodys
    }

    /// What somebody has staged otherwise is not taken from under it.
    pub fn file_is_due(&self) -> bool {
        self.file == Version::Before && self.index != Version::Somebodys
    }
}

/// Everything that has to be known about a checkout.
pub(super) struct Check<'a> {
    checkout: &'a Repository,
    changes: &'a [Change],
    stage: &'a Stage,
    /// How the index differs from the commit that it is to leave.
    staged: BTreeMap<Vec<u8>, Content>,
    /// Folders that staged paths are in.
    above_staged: HashSet<Vec<u8>>,
    left_out: BTreeSet<Vec<u8>>,
    /// Paths whose files are not as they were.
    not_before: BTreeSet<Vec<u8>>,
    /// Paths whose files are not as they will be; looked at only where they are not as they were.
    not_after: BTreeSet<Vec<u8>>,
    by_path: BTreeMap<&'a [u8], usize>,
}

impl<'a> Check<'a> {
    pub fn of(
        checkout: &'a Repository,
        from: ObjectId,
        stage: &'a Stage,
        changes: &'a [Change],
    ) -> Result<Self, GitError> {
        let index = stage.index();
        let staged = Change::of_index(Call::within(checkout).with_index(&index.shown()), from)?;
        let by_path = changes.iter().enumerate().map(|(at, change)| (change.path.as_slice(), at)).collect();
        let mut check = Self {
            checkout,
            changes,
            stage,
            above_staged: staged
                .iter()
                .flat_map(|change| folders(&change.path))
                .map(<[u8]>::to_vec)
                .collect(),
            staged: staged.into_iter().map(|change| (change.path, change.after)).collect(),
            left_out: left_out(checkout, &index, changes)?,
            not_before: BTreeSet::new(),
            not_after: BTreeSet::new(),
            by_path,
        };
        check.not_before = check.differing("before", |change| &change.before)?;
        if changes.iter().any(|change| check.may_be_done(change)) {
            check.not_after = check.differing("now", |change| &change.after)?;
        }
        Ok(check)
    }

    /// Is something there that is not as it was?
    fn may_be_done(&self, change: &Change) -> bool {
        let is_there = || matches!(at(&self.checkout.top).join(as_path(&change.path)).look(), Ok(Some(_)));
        change.after.is_some() && !self.is_as_before(change) && is_there()
    }

    /// How each of the changes stands, in their order.
    pub fn standings(&self) -> Vec<FileStatus> {
        self.changes.iter().map(|change| self.standing(change)).collect()
    }

    fn standing(&self, change: &Change) -> FileStatus {
        let mut standing =
            FileStatus { is_left_out: self.left_out.contains(&change.path), ..FileStatus::default() };
        self.look_at_index(change, &mut standing);
        if !standing.is_left_out {
            self.look_at_file(change, &mut standing);
        }
        standing
    }

    fn look_at_index(&self, change: &Change, standing: &mut FileStatus) {
        let now = self.staged.get(&change.path).unwrap_or(&change.before);
        standing.index = match now {
            now if *now == change.before => Version::Before,
            now if *now == change.after => Version::After,
            _ => Version::Somebodys,
        };
        if change.after.is_none() || standing.index == Version::Somebodys {
            return;
        }
        // A file cannot be staged where a folder is to be, nor the other way round.
        let is_file = |path: &[u8]| self.staged.get(path).is_some_and(Option::is_some);
        let file = folders(&change.path).find(|folder| is_file(folder));
        let below = || {
            let is_below = |(path, content): (&Vec<u8>, &Content)| {
                content.is_some() && folders(path).any(|folder| folder == change.path)
            };
            self.staged.iter().any(is_below)
        };
        if file.is_some() || (self.above_staged.contains(&change.path) && below()) {
            standing.in_the_way = file.map(<[u8]>::to_vec);
            standing.index = Version::Somebodys;
        }
    }

    fn look_at_file(&self, change: &Change, standing: &mut FileStatus) {
        let full = at(&self.checkout.top).join(as_path(&change.path));
        if let Some(folder) = self.folder_in_the_way(change) {
            if change.after.is_some() {
                standing.file = Version::Somebodys;
            }
            standing.in_the_way = Some(folder);
            return;
        }
        let now = full.look().ok().flatten();
        let is_folder = now.is_some_and(|now| now.is_folder());
        standing.stamps = now.filter(|now| !now.is_folder()).map(Stamps::of);
        standing.file = if is_submodule(&change.before) || is_submodule(&change.after) {
            // What a submodule's folder holds is its own repository's, and would stay where a file is to be.
            let holds = || full.entries().map_or(true, |entries| !entries.is_empty());
            let stays = is_folder && change.after.is_some() && !is_submodule(&change.after) && holds();
            let free = !stays && (now.is_none() || is_folder || self.is_as_before(change));
            if free { Version::Before } else { Version::Somebodys }
        } else if is_folder {
            self.version_of_folder(change, &full)
        } else {
            self.version_of_file(change, now.is_some())
        };
    }

    fn version_of_file(&self, change: &Change, is_there: bool) -> Version {
        let before = if change.before.is_some() { self.is_as_before(change) } else { !is_there };
        let after = if change.after.is_some() { !self.not_after.contains(&change.path) } else { false };
        match (before, is_there) {
            (true, _) if change.before.is_none() || is_there => Version::Before,
            (_, true) if after => Version::After,
            (_, false) if change.after.is_none() => Version::After,
            _ => Version::Somebodys,
        }
    }

    /// Where a folder is: it may be about to go, or have come already.
    fn version_of_folder(&self, change: &Change, full: &TreePath) -> Version {
        let goes = || change.before.is_none() && self.holds_only_what_goes(&change.path, full);
        let has_come = || change.after.is_none() && self.becomes_a_folder(change);
        match (goes(), has_come()) {
            (true, _) => Version::Before,
            (_, true) => Version::After,
            _ => Version::Somebodys,
        }
    }

    fn is_as_before(&self, change: &Change) -> bool {
        change.before.is_some() && !self.not_before.contains(&change.path)
    }

    /// Is there anything below it that is to be?
    fn becomes_a_folder(&self, change: &Change) -> bool {
        self.changes
            .iter()
            .any(|other| other.after.is_some() && folders(&other.path).any(|folder| folder == change.path))
    }

    /// A folder above the path that is none: a file, or a link to somewhere else. One that goes, or has gone, is none.
    fn folder_in_the_way(&self, change: &Change) -> Option<Vec<u8>> {
        let found = folders(&change.path).find(|folder| {
            // What lies behind a link that leads out is in nobody's way, and is not looked at: the link is.
            let found = at(&self.checkout.top).join(as_path(folder)).look();
            found.is_ok_and(|found| found.is_some_and(|found| !found.is_folder()))
        })?;
        let goes = self
            .by_path
            .get(found)
            .and_then(|at| self.changes.get(*at))
            .is_some_and(|other| other.after.is_none() && self.is_as_before(other));
        (!goes).then(|| found.to_vec())
    }

    /// Is everything in a folder about to go?
    fn holds_only_what_goes(&self, path: &[u8], full: &TreePath) -> bool {
        use std::os::unix::ffi::OsStrExt;
        let Ok(entries) = full.entries() else { return false };
        entries.iter().all(|entry| {
            let below = [path, b"/", entry.name.as_bytes()].concat();
            if entry.kind == Kind::Folder {
                return self.holds_only_what_goes(&below, &full.join(&entry.name));
            }
            let change = self.by_path.get(below.as_slice()).and_then(|at| self.changes.get(*at));
            change.is_some_and(|change| change.after.is_none() && self.is_as_before(change))
        })
    }

    /// The changed paths whose files are not what one of the two versions says, with the user's filters.
    fn differing(
        &self,
        name: &str,
        content: impl Fn(&Change) -> &Content,
    ) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let format = self.checkout.object_format;
        let files = self.changes.iter().filter(|change| {
            let content = content(change);
            content.is_some() && !is_submodule(content)
        });
        let lines: Vec<u8> = files.flat_map(|change| line(&change.path, content(change), format)).collect();
        if lines.is_empty() {
            return Ok(BTreeSet::new());
        }
        let index = self.stage.0.join(name);
        let call = || Call::within(self.checkout).with_index(&index.shown());
        call().args(["update-index", "-z", "--add", "--index-info"]).input(lines).output()?;
        // Looks into each file that is there; it says so when one is not as it should be, which is why it is asked.
        call().args(["update-index", "-q", "--really-refresh"]).timeout(LONG).run()?;
        let listing = call().args(["diff-files", "-z", "--name-only"]).timeout(LONG).zero_ended()?;
        Ok(listing.into_iter().collect())
    }
}

/// The folders above a path, outermost first.
fn folders(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memchr_iter(b'/', path).filter_map(|end| path.get(..end))
}
