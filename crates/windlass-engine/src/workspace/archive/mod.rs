//! Archives of workspaces: made, listed, looked into, restored, deleted.
//!
//! An archive is a `.tar.gz` with `.archived.json` and the workspace's folder in it; the folders that claude-iterate made
//! are archives as well. One is only believed after all of it was read back, and only then is a workspace removed.

mod contents;
mod error;
mod found;
mod limits;
mod links;
mod reader;
pub(in crate::workspace) mod removal;
mod restore;
mod save;
mod unpack;
mod writer;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use jiff::Timestamp;
use windlass_jobs::doc::archived::{ArchiveRecord, read_archive_name};

pub use error::ArchiveError;
pub use found::{Archive, Form};
pub use limits::{LARGEST_ARCHIVE, Limits, MOST_ENTRIES};
pub use restore::{OutsideLinks, Restored};
pub use save::{Afterwards, Archived};

use found::{ENDING, Extent, RECORD};

use super::Workspaces;
use windlass_host::tree::{Kind, at};

/// The longest name of an archive, in bytes, so that its file's name has room for an ending.
const LONGEST_NAME: usize = 200;

/// The archives of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archives {
    folder: PathBuf,
    workspaces: PathBuf,
    limits: Limits,
}

/// A row of the list.
#[derive(Debug)]
pub struct Listed {
    /// The archive.
    pub archive: Archive,
    /// Its size on disk, in bytes; of a folder, of the files in it.
    pub bytes: u64,
    /// What it says of itself, or why it does not.
    pub told: Result<ArchiveHeader, ArchiveError>,
}

/// What an archive says of itself, without all of it having been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveHeader {
    /// The workspace's name.
    pub workspace: String,
    /// When it was made.
    pub at: Option<Timestamp>,
    /// The folder it was made of; for people.
    pub from: String,
    /// The workspace's `.metadata.json`.
    pub metadata: Option<Vec<u8>>,
}

/// What is in an archive. To know it, all of it was read, so it is whole.
#[derive(Debug)]
pub struct Shown {
    /// What it says of itself.
    pub told: ArchiveHeader,
    /// The workspace's `INSTRUCTIONS.md`.
    pub instructions: Option<Vec<u8>>,
    /// The workspace's `.status.json`.
    pub status: Option<Vec<u8>>,
    /// Its size on disk, in bytes.
    pub bytes: u64,
    /// Files in the workspace.
    pub files: u64,
    /// Their size together, in bytes.
    pub unpacked: u64,
    /// Links that lead out of the workspace, each with its target.
    pub outside: Vec<(PathBuf, PathBuf)>,
}

impl Archives {
    /// Those of the project that has these workspaces. Nothing is created.
    pub fn of(workspaces: &Workspaces) -> Archives {
        Archives {
            folder: workspaces.root().with_file_name("archive"),
            workspaces: workspaces.root(),
            limits: Limits::default(),
        }
    }

    /// The same with other bounds.
    pub fn with_limits(self, limits: Limits) -> Archives {
        Archives { limits, ..self }
    }

    /// All of them, newest first.
    ///
    /// # Errors
    /// The folder cannot be read. An archive that cannot be is a row that says so.
    pub fn list(&self) -> Result<Vec<Listed>, ArchiveError> {
        let mut rows: Vec<Listed> = self.all()?.into_iter().map(|archive| self.row(archive)).collect();
        rows.sort_by(|left, right| (right.at(), &right.archive.name).cmp(&(left.at(), &left.archive.name)));
        Ok(rows)
    }

    fn row(&self, archive: Archive) -> Listed {
        let bytes = size(&archive, self.limits);
        let told = self.identify(&archive);
        Listed { archive, bytes: bytes.unwrap_or(0), told }
    }

    fn all(&self) -> Result<Vec<Archive>, ArchiveError> {
        if !self.is_there()? {
            return Ok(Vec::new());
        }
        let (folder, mut archives) = (at(&self.folder), Vec::new());
        for entry in folder.entries()? {
            let path = self.folder.join(&entry.name);
            let Ok(name) = entry.name.into_string() else {
                continue;
            };
            let (name, form) = match (name.strip_suffix(ENDING), entry.kind) {
                (Some(stem), Kind::File) => (stem.to_owned(), Form::Compressed),
                (None, Kind::Folder) if at(&path).join(RECORD).holds_file() => (name, Form::Folder),
                _ => continue,
            };
            if is_name(&name) {
                archives.push(Archive { name, path, form });
            }
        }
        Ok(archives)
    }

    /// The archive of this name, with or without `.tar.gz`.
    ///
    /// # Errors
    /// What can be no archive's name, no archive of this name, or something else of this name.
    pub fn find(&self, name: &str) -> Result<Archive, ArchiveError> {
        let stem = name.strip_suffix(ENDING).unwrap_or(name);
        if !is_name(stem) {
            return Err(ArchiveError::BadName(name.chars().filter(|c| !c.is_control()).take(60).collect()));
        }
        if self.is_there()? {
            let path = self.folder.join(format!("{stem}{ENDING}"));
            if let Some(archive) = as_archive(stem, path, Form::Compressed)? {
                return Ok(archive);
            }
            if let Some(archive) = as_archive(stem, self.folder.join(stem), Form::Folder)? {
                return Ok(archive);
            }
        }
        Err(ArchiveError::NoSuch { name: stem.to_owned(), near: self.near(stem)? })
    }

    /// Archives that may have been meant: of the workspace of this name, or beginning alike.
    fn near(&self, name: &str) -> Result<Vec<String>, ArchiveError> {
        let mut near: Vec<(Timestamp, String)> = self
            .all()?
            .into_iter()
            .filter(|archive| {
                let of = read_archive_name(&archive.name).map(|(workspace, _)| workspace);
                of == Some(name) || archive.name.starts_with(name) || name.starts_with(&archive.name)
            })
            .map(|archive| {
                let at = read_archive_name(&archive.name).map_or(Timestamp::MIN, |(_, at)| at);
                (at, archive.name)
            })
            .collect();
        near.sort_by(|left, right| right.cmp(left));
        Ok(near.into_iter().map(|(_, name)| name).take(5).collect())
    }

    /// Whose archive it is; only the beginning of it need be read.
    pub fn identify(&self, archive: &Archive) -> Result<ArchiveHeader, ArchiveError> {
        Ok(told(archive, &archive.read(Extent::Identity, self.limits)?))
    }

    /// What is in an archive; all of it is read.
    pub fn show(&self, archive: &Archive) -> Result<Shown, ArchiveError> {
        let read = archive.read(Extent::Whole, self.limits)?;
        let contents = restore::workspace_in(&read);
        let outside = links::leading_outside(&contents)
            .into_iter()
            .map(|(path, target)| (path.to_owned(), PathBuf::from(target)))
            .collect();
        Ok(Shown {
            told: told(archive, &read),
            instructions: read.file("INSTRUCTIONS.md").map(<[u8]>::to_vec),
            status: read.file(".status.json").map(<[u8]>::to_vec),
            bytes: size(archive, self.limits)?,
            files: contents.files(),
            unpacked: contents.bytes(),
            outside,
        })
    }

    /// Deletes an archive.
    pub fn delete(&self, archive: &Archive) -> Result<(), ArchiveError> {
        // Looked for again: nothing but an archive below our folder is ever deleted.
        let archive = self.find(&archive.name)?;
        match archive.form {
            Form::Compressed => at(&archive.path).remove_file()?,
            Form::Folder => removal::remove_at_once(&at(&archive.path))?,
        }
        Ok(at(&self.folder).sync_folder()?)
    }

    /// The folder is there, and is a folder of its own: through a link anything could be deleted.
    fn is_there(&self) -> Result<bool, ArchiveError> {
        let folder = at(&self.folder);
        let found = folder.look().map_err(|error| folder.failed("read", error))?;
        let what = match found.map(|found| found.kind) {
            None => return Ok(false),
            Some(Kind::Folder) => return Ok(true),
            Some(Kind::Link) => "a link",
            Some(Kind::File | Kind::Other(_)) => "a file",
        };
        Err(ArchiveError::NoFolder { path: self.folder.clone(), what })
    }
}

impl Listed {
    /// When it was made, as far as it or its name says.
    pub fn at(&self) -> Option<Timestamp> {
        match &self.told {
            Ok(told) => told.at,
            Err(_) => read_archive_name(&self.archive.name).map(|(_, at)| at),
        }
    }
}

fn told(archive: &Archive, read: &found::Read) -> ArchiveHeader {
    let record = read.telling.get(&read.record_path()).and_then(|bytes| ArchiveRecord::parse(bytes));
    let record = record.unwrap_or_default();
    let named = read_archive_name(&archive.name);
    let workspace = match (record.original_name.is_empty(), named) {
        (true, Some((workspace, _))) => workspace.to_owned(),
        (true, None) => archive.name.clone(),
        (false, _) => record.original_name,
    };
    ArchiveHeader {
        workspace,
        at: record.archived_at.or(named.map(|(_, at)| at)),
        from: record.archived_from,
        metadata: read.file(".metadata.json").map(<[u8]>::to_vec),
    }
}

/// Letters, digits, `-`, `_` and `.`, beginning with one of the first two: nothing that leads anywhere else.
fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.len() <= LONGEST_NAME
        && name.bytes().all(allowed)
        && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn as_archive(name: &str, path: PathBuf, form: Form) -> Result<Option<Archive>, ArchiveError> {
    let place = at(&path);
    let Some(found) = place.look().map_err(|error| place.failed("read", error))? else { return Ok(None) };
    let why = match form {
        _ if found.is_link() => "it is a link",
        Form::Compressed if !found.is_regular() => "it is not a file",
        Form::Folder if !found.is_folder() => "it is a file without the ending of an archive",
        Form::Folder if !place.join(RECORD).holds_file() => "it has no `.archived.json`",
        _ => return Ok(Some(Archive { name: name.to_owned(), path, form })),
    };
    Err(ArchiveError::NoArchive { path, why })
}

fn size(archive: &Archive, limits: Limits) -> Result<u64, ArchiveError> {
    match archive.form {
        Form::Compressed => Ok(contents::attributes_of(&at(&archive.path))?.size),
        Form::Folder => {
            let found = contents::walk(&at(&archive.path), &[], limits)?;
            let sizes = found
                .iter()
                .map(|found| if let contents::FoundKind::File(size) = found.kind { size } else { 0 });
            Ok(sizes.fold(0, u64::saturating_add))
        }
    }
}
