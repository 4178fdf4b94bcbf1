//! Makes an archive of a workspace, and is sure of it before anything else happens.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use tempfile::NamedTempFile;
use windlass_core::doc::archived::{ArchiveRecord, archive_name};

use super::contents::{Contents, walk};
use super::error::ArchiveError;
use super::found::{Archive, ENDING, Extent, Form, RECORD};
use super::writer::Writer;
use super::{Archives, links};
use crate::file::{AtPath, sync_folder};
use crate::store::Project;
use crate::workspace::Workspace;

/// What is in a workspace's folder only while somebody works in it.
const MOMENTARY: &[&str] = &[".lock"];

/// Archives of one workspace in one second.
const MOST_IN_A_SECOND: u32 = 1000;

/// What an archive that is not finished begins and ends with.
const UNFINISHED: (&str, &str) = (".windlass-unfinished-", ".tmp");

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
        refuse_link(&folder)?;
        if !self.is_there()? {
            fs::create_dir_all(&self.folder).at("create", &self.folder)?;
        }
        clear_abandoned(&self.folder);
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
        folder: &Path,
        workspace: &str,
        now: Timestamp,
    ) -> Result<Archived, ArchiveError> {
        let first = archive_name(workspace, now);
        for number in 1..=MOST_IN_A_SECOND {
            let name = if number == 1 { first.clone() } else { format!("{first}-{number}") };
            let path = self.folder.join(format!("{name}{ENDING}"));
            if self.folder.join(&name).symlink_metadata().is_ok() || path.symlink_metadata().is_ok() {
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
        folder: &Path,
        archive: Archive,
        record: &ArchiveRecord,
    ) -> Result<Option<Archived>, ArchiveError> {
        let temporary = tempfile::Builder::new()
            .prefix(UNFINISHED.0)
            .suffix(UNFINISHED.1)
            .tempfile_in(&self.folder)
            .at("write in", &self.folder)?;
        self.fill(folder, &archive.path, temporary.as_file(), record)?;
        let unfinished = Archive { path: temporary.path().to_owned(), ..archive.clone() };
        let kept = self.read_back(&unfinished, folder, &record.original_name)?;
        let bytes = temporary.as_file().metadata().at("read", &archive.path)?.len();
        if !put_in_place(temporary, &archive.path)? {
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
        folder: &Path,
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
    fn read_back(&self, archive: &Archive, folder: &Path, top: &str) -> Result<Contents, ArchiveError> {
        let kept = archive.read(Extent::Whole, self.limits)?.contents.below(Path::new(top));
        let there = Contents::of_folder(folder, MOMENTARY, self.limits)?;
        match kept.first_difference(&there) {
            None => Ok(kept),
            Some(path) => Err(ArchiveError::Changed { path: folder.join(path) }),
        }
    }
}

/// Through a link a folder would be archived that has another name.
fn refuse_link(folder: &Path) -> Result<(), ArchiveError> {
    if folder.symlink_metadata().at("read", folder)?.is_symlink() {
        return Err(ArchiveError::NoFolder { path: folder.to_owned(), what: "a link" });
    }
    Ok(())
}

/// Gives it its name, for good; `false` when something of this name is there.
fn put_in_place(temporary: NamedTempFile, path: &Path) -> Result<bool, ArchiveError> {
    match temporary.persist_noclobber(path) {
        Ok(_) => {}
        Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(failed) => return Err(failed.error).at("write", path).map_err(ArchiveError::from),
    }
    sync_folder(path.parent().unwrap_or(Path::new(".")))?;
    Ok(true)
}

/// Deletes what archiving that was cut off has left.
fn clear_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let old = || {
            let age = entry.metadata().and_then(|file| file.modified()).map(|at| at.elapsed());
            age.is_ok_and(|age| age.is_ok_and(|age| age > ABANDONED))
        };
        if name.starts_with(UNFINISHED.0) && name.ends_with(UNFINISHED.1) && old() {
            // One that stays is only a file too many.
            let _ = fs::remove_file(entry.path());
        }
    }
}
