//! Makes an archive of a workspace, and is sure of it before anything else happens.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use windlass_jobs::doc::archived::{ArchiveRecord, archive_name};

use super::contents::{Contents, attributes_of, walk};
use super::error::ArchiveError;
use super::found::{Archive, ENDING, Extent, Form, RECORD};
use super::writer::Writer;
use super::{Archives, links};
use crate::store::Project;
use crate::workspace::Workspace;
use windlass_host::file::{AtPath, Made};
use windlass_host::tree::{Attributes, Prepared, TreePath, at};

/// What is in a workspace's folder only while somebody works in it.
const MOMENTARY: &[&str] = &[".lock"];

/// Archives of one workspace in one second.
const MOST_IN_A_SECOND: u32 = 1000;

/// What an archive that is not finished begins and ends with.
const UNFINISHED: &str = ".windlass-unfinished-";
const UNFINISHED_ENDING: &str = ".tmp";

/// An unfinished archive that nobody has written to for so long was cut off.
const ABANDONED: Duration = Duration::from_hours(24);

/// What becomes of the workspace when its archive is known to be whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// It stays.
    Keep,
    /// It is removed.
    Remove,
}

/// An archive that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// The archive; it was read back.
    pub archive: Archive,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Files in it.
    pub files: u64,
    /// Their size together, in bytes.
    pub unpacked: u64,
    /// Links that lead out of the workspace, each with its target; restoring them has to be asked for.
    pub outside: Vec<(PathBuf, PathBuf)>,
    /// Why the workspace could not be removed to the last file, though it was to be; it is safe in the archive.
    pub not_removed: Option<String>,
}

impl Archives {
    /// Archives a workspace. The archive is written beside where it will be, synced, read back whole and compared with the
    /// folder, byte for byte; then it gets its name; only then, and only if asked to, is the workspace deleted.
    ///
    /// # Errors
    /// A run works on it; it is a link, holds what no archive can hold, is too large, or changes meanwhile; the system
    /// refuses. The workspace is as it was, and no archive was made.
    pub fn save(
        &self,
        workspace: &Workspace,
        project: &Project,
        afterwards: Afterwards,
        now: Timestamp,
    ) -> Result<Archived, ArchiveError> {
        workspace.refuse_live(project)?;
        let name = workspace.name().as_str();
        let folder = self.workspaces.join(name);
        let folder = at(&folder);
        refuse_link(&folder)?;
        let store = at(&self.folder);
        if !self.is_there()? {
            store.make_folders()?;
        }
        clear_abandoned(&store);
        let mut archived = self.write_somewhere(&folder, name, now)?;
        if afterwards == Afterwards::Remove {
            let deleted = workspace.clone().delete(project);
            archived.not_removed = deleted.err().map(|error| error.to_string());
        }
        Ok(archived)
    }

    /// Under the first name that is free: several archives may be made in one second.
    fn write_somewhere(
        &self,
        folder: &TreePath,
        workspace: &str,
        now: Timestamp,
    ) -> Result<Archived, ArchiveError> {
        let first = archive_name(workspace, now);
        for number in 1..=MOST_IN_A_SECOND {
            let name = if number == 1 { first.clone() } else { format!("{first}-{number}") };
            let path = self.folder.join(format!("{name}{ENDING}"));
            if at(&self.folder).join(&name).is_taken() || at(&path).is_taken() {
                continue;
            }
            let record = ArchiveRecord {
                original_name: workspace.to_owned(),
                archive_name: name.clone(),
                archived_at: Some(now),
                archived_from: folder.display().to_string(),
            };
            let archive = Archive { name, path, form: Form::Compressed };
            if let Some(archived) = self.write(folder, archive, &record)? {
                return Ok(archived);
            }
        }
        let full = io::Error::from(io::ErrorKind::AlreadyExists);
        Err(full).at("write", &self.folder.join(first)).map_err(ArchiveError::from)
    }

    /// `None` when somebody else took the name meanwhile.
    fn write(
        &self,
        folder: &TreePath,
        archive: Archive,
        record: &ArchiveRecord,
    ) -> Result<Option<Archived>, ArchiveError> {
        let (prepared, file) = at(&archive.path).begin(UNFINISHED)?;
        self.fill(folder, &archive.path, &file, record)?;
        let path = prepared.unfinished().map_or_else(PathBuf::new, |path| path.shown());
        let kept = self.read_back(&Archive { path, ..archive.clone() }, folder, &record.original_name)?;
        let bytes = Attributes::of(&file).at("read", &archive.path)?.size;
        if !put_in_place(prepared, &at(&self.folder))? {
            return Ok(None);
        }
        let outside = links::leading_outside(&kept);
        Ok(Some(Archived {
            bytes,
            files: kept.files(),
            unpacked: kept.bytes(),
            outside: outside.into_iter().map(|(path, to)| (path.to_owned(), PathBuf::from(to))).collect(),
            not_removed: None,
            archive,
        }))
    }

    fn fill(
        &self,
        folder: &TreePath,
        path: &Path,
        file: &File,
        record: &ArchiveRecord,
    ) -> Result<(), ArchiveError> {
        let mut writer = Writer::new(path, file);
        let made = record.archived_at.and_then(|at| u64::try_from(at.as_second()).ok()).unwrap_or(0);
        writer.text(RECORD, made, record.to_text().as_bytes())?;
        for found in walk(folder, MOMENTARY, self.limits)? {
            writer.add(folder, Path::new(&record.original_name), &found)?;
        }
        writer.finish()?;
        Ok(file.sync_all().at("sync", path)?)
    }

    /// Everything that was written, compared with everything that is in the folder.
    fn read_back(&self, archive: &Archive, folder: &TreePath, top: &str) -> Result<Contents, ArchiveError> {
        let kept = archive.read(Extent::Whole, self.limits)?.contents.below(Path::new(top));
        let there = Contents::of_folder(folder, MOMENTARY, self.limits)?;
        match kept.first_difference(&there) {
            None => Ok(kept),
            Some(path) => Err(ArchiveError::Changed { path: folder.join(path).shown() }),
        }
    }
}

/// Through a link a folder would be archived that has another name.
fn refuse_link(folder: &TreePath) -> Result<(), ArchiveError> {
    if attributes_of(folder)?.is_link() {
        return Err(ArchiveError::NoFolder { path: folder.shown(), what: "a link" });
    }
    Ok(())
}

/// Gives it its name, for good; `false` when something of this name is there.
fn put_in_place(prepared: Prepared, archives: &TreePath) -> Result<bool, ArchiveError> {
    if prepared.put_where_nothing_is()? == Made::WasThere {
        return Ok(false);
    }
    archives.sync_folder()?;
    Ok(true)
}

/// Deletes what archiving that was cut off has left.
fn clear_abandoned(folder: &TreePath) {
    for entry in folder.entries().unwrap_or_default() {
        let path = folder.join(&entry.name);
        let old = || {
            let age = path
                .look()
                .ok()
                .flatten()
                .map(|found| SystemTime::now().duration_since(found.modified_at()).unwrap_or_default());
            age.is_some_and(|age| age > ABANDONED)
        };
        let name = entry.name.to_string_lossy();
        if name.starts_with(UNFINISHED) && name.ends_with(UNFINISHED_ENDING) && old() {
            // One that stays is only a file too many.
            let _ = path.remove_file();
        }
    }
}
