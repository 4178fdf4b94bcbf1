//! What `restore` has put back since the run's last commit: that is the run's as well. A file in the run's folder, a line for
//! each restore or, where only some paths were asked for, for each of these: the snapshot, or `-` for what is nobody's
//! any more, and after a tab the path. Before each restore the record is kept beside it under the restore's number: who
//! takes the restore back has the former record, too.

use std::path::PathBuf;

use crate::store::RunFolder;
use windlass_core::values::SnapshotId;
use windlass_git::inventory::is_within;
use windlass_git::snapshot::Moment;
use windlass_git::snapshot::quoting::{quote, unquote};
use windlass_host::file::{FileError, read_if_there, replace};
use windlass_host::tree::at;

/// What was put back, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutBack {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// To what; `None` where somebody's own files were put back.
    to: Option<SnapshotId>,
    /// This path, and what is below it; everything where it is empty.
    path: Vec<u8>,
}

impl PutBack {
    /// As the run's folder has it; empty where nothing was put back.
    ///
    /// # Errors
    /// There is a record, and it cannot be read.
    pub fn read(folder: &RunFolder) -> Result<PutBack, FileError> {
        Self::read_at(&file(folder))
    }

    /// Keeps it as what it was before the restore of this number.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_before(&self, folder: &RunFolder, restore: u32) -> Result<(), FileError> {
        replace(&file_before(folder, restore), self.to_text().as_bytes(), 0o600)
    }

    /// Writes it down as what is so now.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, folder: &RunFolder) -> Result<(), FileError> {
        if self.parts.is_empty() {
            forget_put_back(folder)
        } else {
            replace(&file(folder), self.to_text().as_bytes(), 0o600)
        }
    }

    /// The record after a restore to this moment, of these paths alone or, without any, of everything. Only what an iteration
    /// began with or left is the run's; a restore that is taken back leaves what was before it.
    ///
    /// # Errors
    /// The record from before the restore that is taken back cannot be read.
    pub fn after(
        &self,
        folder: &RunFolder,
        (moment, snapshot): (Moment, &SnapshotId),
        paths: &[Vec<u8>],
    ) -> Result<PutBack, FileError> {
        let former = match moment {
            Moment::Iteration { .. } => PutBack::whole(snapshot),
            Moment::BeforeRestore { number } => PutBack::read_at(&file_before(folder, number))?,
            Moment::SessionStart { .. } => PutBack::default(),
        };
        if paths.is_empty() {
            return Ok(former);
        }
        let part = |path: &Vec<u8>| Part { to: former.snapshot_of(path).cloned(), path: path.clone() };
        Ok(PutBack { parts: self.parts.iter().cloned().chain(paths.iter().map(part)).collect() })
    }

    /// The snapshot that the newest restore has put back.
    pub fn latest(&self) -> Option<&SnapshotId> {
        self.parts.last()?.to.as_ref()
    }

    /// The snapshot that a path was put back to.
    pub fn snapshot_of(&self, path: &[u8]) -> Option<&SnapshotId> {
        self.parts.iter().rev().find(|part| is_within(path, &part.path))?.to.as_ref()
    }

    fn whole(snapshot: &SnapshotId) -> PutBack {
        PutBack { parts: vec![Part { to: Some(snapshot.clone()), path: Vec::new() }] }
    }

    fn read_at(path: &std::path::Path) -> Result<PutBack, FileError> {
        let bytes = read_if_there(path)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let part = |line: &str| {
            let (to, path) = line.split_once('\t').unwrap_or((line, ""));
            Part { to: (to != "-").then(|| SnapshotId(to.trim().to_owned())), path: unquote(path) }
        };
        Ok(PutBack { parts: text.lines().filter(|line| !line.is_empty()).map(part).collect() })
    }

    fn to_text(&self) -> String {
        let line = |part: &Part| {
            let to = part.to.as_ref().map_or("-", |to| to.0.as_str());
            format!("{to}\t{}\n", quote(&part.path))
        };
        self.parts.iter().map(line).collect()
    }
}

/// The run has committed: what is otherwise from here on nobody has put back.
///
/// # Errors
/// The record cannot be removed.
pub fn forget_put_back(folder: &RunFolder) -> Result<(), FileError> {
    // outside: the state folder.
    let file = at(&file(folder));
    if file.is_taken() { file.remove_file() } else { Ok(()) }
}

fn file(folder: &RunFolder) -> PathBuf {
    folder.path().join("restored")
}

fn file_before(folder: &RunFolder, restore: u32) -> PathBuf {
    folder.path().join(format!("restored-before-{restore}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_git::snapshot::Side;

    #[test]
    fn what_is_taken_back_leaves_what_was_put_back_before_it() {
        let place = tempfile::tempdir().unwrap();
        let project = crate::store::Project::locate(place.path(), place.path(), None).unwrap();
        let folder = RunFolder::create(&project).unwrap();
        let [one, two] = ["aaaa", "bbbb"].map(|id| SnapshotId(id.to_owned()));
        let iteration = |iteration| Moment::Iteration { iteration, attempt: 1, side: Side::After };
        let path = |path: &str| vec![path.as_bytes().to_vec()];
        let restore = |number, (moment, snapshot): (Moment, &SnapshotId), paths: &[Vec<u8>]| {
            let former = PutBack::read(&folder).unwrap();
            former.keep_before(&folder, number).unwrap();
            former.after(&folder, (moment, snapshot), paths).unwrap().write(&folder).unwrap();
            PutBack::read(&folder).unwrap()
        };
        let taken_back = |number| (Moment::BeforeRestore { number }, &two);

        let put_back = restore(1, (iteration(1), &one), &[]);
        assert_eq!((put_back.snapshot_of(b"a/b"), put_back.latest()), (Some(&one), Some(&one)));
        let put_back = restore(2, (iteration(2), &two), &path("a"));
        for (path, snapshot) in [(&b"a"[..], &two), (b"a/b", &two), (b"ab", &one)] {
            assert_eq!(put_back.snapshot_of(path), Some(snapshot));
        }
        // Of a part of what was put back alone.
        let put_back = restore(3, taken_back(2), &path("a/b"));
        assert_eq!((put_back.snapshot_of(b"a/b"), put_back.snapshot_of(b"a/c")), (Some(&one), Some(&two)));
        let put_back = restore(4, taken_back(1), &path("a"));
        assert_eq!((put_back.snapshot_of(b"a/c"), put_back.snapshot_of(b"c")), (None, Some(&one)));
        assert_eq!(restore(5, taken_back(1), &[]), PutBack::default());
        assert!(!folder.path().join("restored").exists());
        // And back again.
        assert_eq!(restore(6, taken_back(5), &[]).snapshot_of(b"a/c"), None);
        assert_eq!(restore(7, (Moment::SessionStart { number: 1 }, &one), &[]), PutBack::default());
    }
}
