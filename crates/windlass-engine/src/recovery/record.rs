//! What was uncommitted when a session began: a person's work, which the runner's commits leave out, and what its first commit
//! takes along. Files in the run's folder, a line for each path: what was there, or `-` where it was deleted, a tab, the
//! path. A path that ends in `/` is a folder with all that is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::store::RunFolder;
use windlass_git::git::ObjectId;
use windlass_git::snapshot::quoting::{quote, unquote};
use windlass_host::file::{FileError, read_if_there, replace};

/// Paths, and what was there.
pub type Uncommitted = BTreeMap<Vec<u8>, Option<ObjectId>>;

fn file(folder: &RunFolder) -> PathBuf {
    folder.path().join("uncommitted")
}

fn base_file(folder: &RunFolder) -> PathBuf {
    folder.path().join("uncommitted-base")
}

fn along_file(folder: &RunFolder) -> PathBuf {
    folder.path().join("along")
}

fn between_file(folder: &RunFolder) -> PathBuf {
    folder.path().join("uncommitted-between")
}

/// What somebody wrote between two sessions of a run whose work is pushed.
pub fn between(folder: &RunFolder) -> Result<Uncommitted, FileError> {
    Ok(read_at(&between_file(folder))?.unwrap_or_default())
}

/// Adds what was found of that in this session.
pub fn add_between(folder: &RunFolder, found: &Uncommitted) -> Result<(), FileError> {
    add_at(&between_file(folder), found)
}

/// What checks wrote, as it was written down; empty where nothing was.
pub(super) fn by_checks(folder: &RunFolder) -> Result<String, FileError> {
    let bytes = read_if_there(&checks_file(folder))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
}

/// Writes down what checks wrote.
pub(super) fn write_by_checks(folder: &RunFolder, text: &str) -> Result<(), FileError> {
    replace(&checks_file(folder), text.as_bytes(), 0o600)
}

fn checks_file(folder: &RunFolder) -> PathBuf {
    folder.path().join("written-by-checks")
}

fn settled_file(folder: &RunFolder) -> PathBuf {
    folder.path().join("settled")
}

/// What was put right of the run's files without its agents, and what they are since: that is still the run's.
pub(crate) fn settled(folder: &RunFolder) -> Result<Uncommitted, FileError> {
    Ok(read_at(&settled_file(folder))?.unwrap_or_default())
}

/// Notes more of that.
pub(crate) fn add_settled(folder: &RunFolder, found: &Uncommitted) -> Result<(), FileError> {
    if found.is_empty() { Ok(()) } else { add_at(&settled_file(folder), found) }
}

fn settled_at_file(folder: &RunFolder) -> PathBuf {
    folder.path().join("settled-at")
}

/// The last fact of the run when its last attempt was settled by somebody else; `None` where nobody has.
pub(crate) fn settled_at(folder: &RunFolder) -> Result<Option<u64>, FileError> {
    let bytes = read_if_there(&settled_at_file(folder))?;
    Ok(bytes.and_then(|bytes| String::from_utf8_lossy(&bytes).trim().parse().ok()))
}

/// Notes it.
pub(crate) fn note_settled_at(folder: &RunFolder, seq: u64) -> Result<(), FileError> {
    replace(&settled_at_file(folder), seq.to_string().as_bytes(), 0o600)
}

/// What the run's first commit takes along.
pub fn along(folder: &RunFolder) -> Result<Uncommitted, FileError> {
    Ok(read_at(&along_file(folder))?.unwrap_or_default())
}

/// Writes down what this session's first commit takes along.
pub fn take_along(folder: &RunFolder, found: &Uncommitted) -> Result<(), FileError> {
    let path = along_file(folder);
    if found.is_empty() && path.symlink_metadata().is_err() {
        return Ok(());
    }
    replace(&path, to_text(found).as_bytes(), 0o600)
}

/// The entry that holds this path: its own, or that of a folder above it.
pub fn holding<'a>(all: &'a Uncommitted, path: &[u8]) -> Option<&'a Option<ObjectId>> {
    let above = || {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        ends.filter_map(|end| path.get(..end)).find_map(|folder| all.get(folder))
    };
    all.get(path).or_else(above)
}

/// What a run's sessions found; `None` where nobody has looked.
pub fn read(folder: &RunFolder) -> Result<Option<Uncommitted>, FileError> {
    read_at(&file(folder))
}

/// What of it was committed when it was found. Of a path that is missing nobody has looked: a release before this one found it.
pub fn base(folder: &RunFolder) -> Result<Uncommitted, FileError> {
    Ok(read_at(&base_file(folder))?.unwrap_or_default())
}

/// Adds what this session found, and what of it is committed.
pub(super) fn add(folder: &RunFolder, found: &Uncommitted, base: &Uncommitted) -> Result<(), FileError> {
    if !base.is_empty() {
        add_at(&base_file(folder), base)?;
    }
    add_at(&file(folder), found)
}

/// Takes out what has been committed since.
pub fn take_out(folder: &RunFolder, committed: &BTreeSet<Vec<u8>>) -> Result<(), FileError> {
    let mut all = read(folder)?.unwrap_or_default();
    all.retain(|path, _| !committed.contains(path));
    replace(&file(folder), to_text(&all).as_bytes(), 0o600)
}

fn read_at(path: &Path) -> Result<Option<Uncommitted>, FileError> {
    Ok(read_if_there(path)?.map(|bytes| parse(&String::from_utf8_lossy(&bytes))))
}

fn add_at(path: &Path, found: &Uncommitted) -> Result<(), FileError> {
    let mut all = read_at(path)?.unwrap_or_default();
    all.extend(found.clone());
    replace(path, to_text(&all).as_bytes(), 0o600)
}

fn to_text(all: &Uncommitted) -> String {
    let line = |(path, content): (&Vec<u8>, &Option<ObjectId>)| {
        let content = content.map_or_else(|| "-".to_owned(), |content| content.to_string());
        format!("{content}\t{}\n", quote(path))
    };
    all.iter().map(line).collect()
}

/// The record as it would be written anew.
#[cfg(feature = "testing")]
pub(crate) fn rewritten(text: &str) -> String {
    to_text(&parse(text))
}

fn parse(text: &str) -> Uncommitted {
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines.map(|(content, path)| (unquote(path), ObjectId::from_hex(content.as_bytes()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let project = crate::store::Project::locate(folder.path(), folder.path(), None).unwrap();
        let run = RunFolder::create(&project).unwrap();
        assert_eq!(read(&run).unwrap(), None);
        let id = ObjectId::from_hex(b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        let found: Uncommitted = [(b"a\tb\nc\xff".to_vec(), id), (b"gone".to_vec(), None)].into();
        add(&run, &found, &found).unwrap();
        add(&run, &[(b"later".to_vec(), id)].into(), &Uncommitted::new()).unwrap();
        assert_eq!(base(&run).unwrap(), found);
        let mut all = found;
        all.insert(b"later".to_vec(), id);
        assert_eq!(read(&run).unwrap(), Some(all.clone()));
        take_out(&run, &[b"gone".to_vec(), b"other".to_vec()].into()).unwrap();
        all.remove(b"gone".as_slice());
        assert_eq!(read(&run).unwrap(), Some(all));
        assert!(along(&run).unwrap().is_empty());
        let folder: Uncommitted = [(b"web/node_modules/".to_vec(), None)].into();
        take_along(&run, &folder).unwrap();
        assert_eq!(along(&run).unwrap(), folder);
        assert!(holding(&folder, b"web/node_modules/x/y.js").is_some());
        assert!(holding(&folder, b"web/node_modules2/y.js").is_none());
    }
}
