//! Which of the files and index entries that a landing is about are as the branch had them, which are as they will be
//! already, and which are somebody's own.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use super::super::super::call::Call;
use super::super::super::{GitError, ObjectId, Repository};
use super::change::{Change, Version, is_submodule, line};
use super::{Stage, left_out};
use crate::git::lane::checkout::with_index;
use crate::git::lane::{LONG, zero_ended};
use crate::inventory::{Stamps, as_path};

/// How a path stands in a checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// The index has it as it was.
    pub index_is_due: bool,
    /// Somebody has staged something else.
    pub index_is_somebodys: bool,
    /// The file is as it was.
    pub file_is_due: bool,
    /// The file is something else, or something else is in its way.
    pub file_is_somebodys: bool,
    /// What is in its way, if that is not the path itself.
    pub in_the_way: Option<Vec<u8>>,
    /// A sparse checkout has no file of it.
    pub is_left_out: bool,
    /// What the system said about the file.
    pub stamps: Option<Stamps>,
}

impl Standing {
    pub const fn is_somebodys(&self) -> bool {
        self.index_is_somebodys || self.file_is_somebodys
    }
}

/// Everything that has to be known about a checkout.
pub(super) struct Check<'a> {
    checkout: &'a Repository,
    changes: &'a [Change],
    stage: &'a Stage,
    /// How the index differs from the commit that it is to leave.
    staged: BTreeMap<Vec<u8>, Version>,
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
        let staged = Change::of_index(with_index(Call::within(checkout), &index), from)?;
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
            left_out: left_out(checkout, &index)?,
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
        let is_there = || self.checkout.top.join(as_path(&change.path)).symlink_metadata().is_ok();
        change.after.is_some() && !self.is_as_before(change) && is_there()
    }

    /// How each of the changes stands, in their order.
    pub fn standings(&self) -> Vec<Standing> {
        self.changes.iter().map(|change| self.standing(change)).collect()
    }

    fn standing(&self, change: &Change) -> Standing {
        let mut standing =
            Standing { is_left_out: self.left_out.contains(&change.path), ..Standing::default() };
        self.look_at_index(change, &mut standing);
        if !standing.is_left_out {
            self.look_at_file(change, &mut standing);
        }
        // What somebody has staged otherwise is not taken from under it.
        standing.file_is_due &= !standing.is_somebodys();
        standing
    }

    fn look_at_index(&self, change: &Change, standing: &mut Standing) {
        let now = self.staged.get(&change.path).unwrap_or(&change.before);
        standing.index_is_due = *now == change.before;
        standing.index_is_somebodys = *now != change.before && *now != change.after;
        if change.after.is_none() || standing.index_is_somebodys {
            return;
        }
        // A file cannot be staged where a folder is to be, nor the other way round.
        let is_file = |path: &[u8]| self.staged.get(path).is_some_and(Option::is_some);
        let file = folders(&change.path).find(|folder| is_file(folder));
        let below = || {
            let is_below = |(path, version): (&Vec<u8>, &Version)| {
                version.is_some() && folders(path).any(|folder| folder == change.path)
            };
            self.staged.iter().any(is_below)
        };
        if file.is_some() || (self.above_staged.contains(&change.path) && below()) {
            standing.in_the_way = file.map(<[u8]>::to_vec);
            standing.index_is_due = false;
            standing.index_is_somebodys = true;
        }
    }

    fn look_at_file(&self, change: &Change, standing: &mut Standing) {
        let full = self.checkout.top.join(as_path(&change.path));
        if let Some(folder) = self.folder_in_the_way(change) {
            standing.file_is_somebodys = change.after.is_some();
            standing.in_the_way = Some(folder);
            return;
        }
        let now = full.symlink_metadata().ok();
        standing.stamps = now.as_ref().filter(|now| !now.is_dir()).map(Stamps::of);
        if is_submodule(&change.before) || is_submodule(&change.after) {
            let free = now.as_ref().is_none_or(fs::Metadata::is_dir) || self.is_as_before(change);
            standing.file_is_due = free;
            standing.file_is_somebodys = !free;
            return;
        }
        let is_folder = now.as_ref().is_some_and(fs::Metadata::is_dir);
        let as_before = match (&change.before, &now) {
            (None, None) => true,
            (None, Some(_)) if is_folder => self.holds_only_what_goes(&change.path, &full),
            (None, Some(_)) => false,
            (Some(_), _) => self.is_as_before(change) && !is_folder,
        };
        let as_after = match &change.after {
            None => now.is_none() || (is_folder && change.before.is_some() && self.becomes_a_folder(change)),
            Some(_) => now.is_some() && !is_folder && !self.not_after.contains(&change.path) && !as_before,
        };
        standing.file_is_due = as_before && !as_after;
        standing.file_is_somebodys = !as_before && !as_after;
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
            let full = self.checkout.top.join(as_path(folder));
            full.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir())
        })?;
        let goes = self
            .by_path
            .get(found)
            .and_then(|at| self.changes.get(*at))
            .is_some_and(|other| other.after.is_none() && self.is_as_before(other));
        (!goes).then(|| found.to_vec())
    }

    /// Is everything in a folder about to go?
    fn holds_only_what_goes(&self, path: &[u8], full: &Path) -> bool {
        use std::os::unix::ffi::OsStrExt;
        let Ok(entries) = fs::read_dir(full) else { return false };
        entries.flatten().all(|entry| {
            let below = [path, b"/", entry.file_name().as_bytes()].concat();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                return self.holds_only_what_goes(&below, &entry.path());
            }
            let change = self.by_path.get(below.as_slice()).and_then(|at| self.changes.get(*at));
            change.is_some_and(|change| change.after.is_none() && self.is_as_before(change))
        })
    }

    /// The changed paths whose files are not what one of the two versions says, with the user's filters.
    fn differing(
        &self,
        name: &str,
        version: impl Fn(&Change) -> &Version,
    ) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let format = self.checkout.object_format;
        let files = self.changes.iter().filter(|change| {
            let version = version(change);
            version.is_some() && !is_submodule(version)
        });
        let lines: Vec<u8> = files.flat_map(|change| line(&change.path, version(change), format)).collect();
        if lines.is_empty() {
            return Ok(BTreeSet::new());
        }
        let index = self.stage.0.join(name);
        let call = || with_index(Call::within(self.checkout), &index);
        call().args(["update-index", "-z", "--add", "--index-info"]).input(lines).output()?;
        // Looks into each file that is there; it says so when one is not as it should be, which is why it is asked.
        call().args(["update-index", "-q", "--really-refresh"]).timeout(LONG).run()?;
        let listing = call().args(["diff-files", "-z", "--name-only"]).timeout(LONG).output()?;
        Ok(zero_ended(&listing).map(<[u8]>::to_vec).collect())
    }
}

/// The folders above a path, outermost first.
fn folders(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memchr_iter(b'/', path).filter_map(|end| path.get(..end))
}
