//! `.metadata.json` on the disk: read by anybody, changed by one at a time, mended from the runs' journals.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::spec::Mode;
use windlass_core::workspace::{Corrupt, LONGEST_METADATA, Metadata, rebuilt};

use super::history::ended_run;
use super::{METADATA_FILE, STATUS_FILE, Workspace, WorkspaceError};
use crate::store::{Project, RunSummary, index};
use windlass_host::file::{AtPath as _, Made, digest, lock_within};
use windlass_host::tree::{Attributes, at};

/// How long to wait for another process that changes the same metadata. It takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long between two tries.
const POLL: Duration = Duration::from_millis(5);
/// What others may do with a new file of the project, where nothing says otherwise.
pub(super) const PERMISSIONS: u32 = 0o644;
/// So much is kept of broken metadata.
const KEPT_OF_METADATA: usize = 64 * 1024 * 1024;
/// So many copies of a broken file of one second have a name.
const COPIES: u32 = 1000;

/// What there is of a workspace's metadata.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum FoundMetadata {
    /// They can be read.
    Read {
        /// They are.
        metadata: Metadata,
        /// Fields that could not be read: one sentence each.
        problems: Vec<String>,
    },
    /// There are none: the workspace was not made to its end, or was made by hand.
    Missing,
    /// They are broken.
    Corrupt(Corrupt),
}

impl FoundMetadata {
    /// The workspace's own mode, where that is known.
    pub const fn mode(&self) -> Option<Mode> {
        match self {
            FoundMetadata::Read { metadata, .. } => Some(metadata.mode),
            FoundMetadata::Missing | FoundMetadata::Corrupt(_) => None,
        }
    }
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Updated {
    /// The metadata now.
    pub metadata: Metadata,
    /// What was broken, where something was.
    pub mended: Option<Mended>,
}

/// What a reset did.
#[derive(Clone, Debug, PartialEq)]
pub struct Reset {
    /// The metadata now, and what of them was broken.
    pub updated: Updated,
    /// Where the metadata as they were are kept; `None`: there were none.
    pub metadata_kept_as: Option<PathBuf>,
    /// Where the agent's status file is now; `None`: there was none.
    pub status_kept_as: Option<PathBuf>,
}

/// Metadata were broken, and are whole again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// What was wrong with them; `None`: there were none.
    pub problem: Option<String>,
    /// Where the broken ones are kept.
    pub kept_as: Option<PathBuf>,
    /// From how many ended runs they were made again; `None`: only single fields were wrong, the others were kept.
    pub runs: Option<usize>,
}

impl Mended {
    /// One sentence about it; `file` is where the metadata are.
    pub fn sentence(&self, file: &Path) -> String {
        let what = self
            .problem
            .as_ref()
            .map_or_else(|| "was missing".to_owned(), |problem| format!("was broken ({problem})"));
        let how = self.runs.map_or_else(String::new, |runs| {
            format!("; it was made again from the journals (ended runs: {runs})")
        });
        let kept = self
            .kept_as
            .as_ref()
            .map_or_else(String::new, |kept| format!("; the broken one is kept as {}", kept.display()));
        format!("{} {what}{how}{kept}", file.display())
    }
}

impl Workspace {
    /// Reads the metadata. Nothing is changed.
    pub fn read_metadata(&self) -> Result<FoundMetadata, WorkspaceError> {
        Ok(match self.metadata_bytes()? {
            None => FoundMetadata::Missing,
            Some(bytes) => match Metadata::parse(&bytes) {
                Ok((metadata, problems)) => FoundMetadata::Read { metadata, problems },
                Err(corrupt) => FoundMetadata::Corrupt(corrupt),
            },
        })
    }

    /// Changes the metadata, one process at a time; readers see the old ones or the new ones. Broken or missing ones are
    /// made again from the journals first; of broken ones a copy is kept.
    ///
    /// # Errors
    /// A file cannot be read or written; or another process does not come to an end with it.
    pub fn update_metadata(
        &self,
        project: &Project,
        change: impl FnOnce(&mut Metadata),
    ) -> Result<Updated, WorkspaceError> {
        let _lock = self.lock_metadata(project)?;
        let (before, mended) = match self.read_metadata()? {
            FoundMetadata::Read { metadata, problems } if problems.is_empty() => (Some(metadata), None),
            FoundMetadata::Read { metadata, problems } => {
                let kept_as = Some(self.keep_metadata("corrupt")?);
                (Some(metadata), Some(Mended { problem: Some(problems.join("; ")), kept_as, runs: None }))
            }
            FoundMetadata::Missing => (None, Some(Mended { problem: None, kept_as: None, runs: None })),
            FoundMetadata::Corrupt(corrupt) => {
                let kept_as = Some(self.keep_metadata("corrupt")?);
                (None, Some(Mended { problem: Some(corrupt.to_string()), kept_as, runs: None }))
            }
        };
        let (mut metadata, mended) = if let Some(metadata) = before.clone() {
            (metadata, mended)
        } else {
            let (metadata, runs) = self.rebuild(project)?;
            (metadata, mended.map(|mended| Mended { runs: Some(runs), ..mended }))
        };
        self.name().as_str().clone_into(&mut metadata.name);
        change(&mut metadata);
        if before.as_ref() != Some(&metadata) || mended.is_some() {
            self.write_metadata(&metadata)?;
        }
        Ok(Updated { metadata, mended })
    }

    /// Notes what a run did, once: telling it again changes nothing. Does nothing for a run that has not ended, or that
    /// worked on something else.
    ///
    /// # Errors
    /// As for [`update_metadata`](Workspace::update_metadata).
    pub fn record_run(&self, project: &Project, run: &RunSummary) -> Result<Option<Mended>, WorkspaceError> {
        let Some(ended) = ended_run(run).filter(|_| run.is_of(self.folder())) else {
            return Ok(None);
        };
        Ok(self.update_metadata(project, |metadata| metadata.after_run(&ended))?.mended)
    }

    /// Sets the counters to zero and puts the agent's status file aside: an agent that read in it that all is done would
    /// do nothing. Every other file stays as it is; the metadata as they were are kept. What was cut off is completed by
    /// doing it again.
    ///
    /// # Errors
    /// A run works on it; or as for [`update_metadata`](Workspace::update_metadata).
    pub fn reset(&self, project: &Project, now: Timestamp) -> Result<Reset, WorkspaceError> {
        self.refuse_live(project)?;
        let there = !matches!(self.read_metadata()?, FoundMetadata::Missing);
        let metadata_kept_as = if there { Some(self.keep_metadata("before-reset")?) } else { None };
        let status_kept_as = self.put_aside(STATUS_FILE, "before-reset")?;
        let all = index::look(project)?.runs;
        let ended = self.ended(&all);
        let updated = self.update_metadata(project, |metadata| {
            // What a killed runner could not note belongs to the time before.
            for run in &ended {
                metadata.after_run(run);
            }
            metadata.reset(now);
        })?;
        Ok(Reset { updated, metadata_kept_as, status_kept_as })
    }

    /// Gives a file another name that nothing has; `None` when there is no such file.
    fn put_aside(&self, name: &str, what: &str) -> Result<Option<PathBuf>, WorkspaceError> {
        let path = self.folder().join(name);
        if !at(&path).is_taken() {
            return Ok(None);
        }
        let aside = self.free_name(name, what)?;
        at(&path).rename_to_free(&at(&aside))?;
        Ok(Some(aside))
    }

    /// A name for a former file that nothing has.
    fn free_name(&self, name: &str, what: &str) -> Result<PathBuf, WorkspaceError> {
        let time = Timestamp::now().strftime("%Y%m%d-%H%M%S");
        let base = format!("{name}.{what}-{time}");
        let numbered = (2..COPIES).map(|number| format!("{base}-{number}"));
        let mut paths = std::iter::once(base.clone()).chain(numbered).map(|name| self.folder().join(name));
        match paths.find(|path| !at(path).is_taken()) {
            Some(path) => Ok(path),
            None => {
                Err(io::Error::from(io::ErrorKind::AlreadyExists)).at("create", &self.folder().join(base))?
            }
        }
    }

    fn metadata_bytes(&self) -> Result<Option<Vec<u8>>, WorkspaceError> {
        Ok(at(&self.metadata_file()).read_beginning(LONGEST_METADATA)?)
    }

    fn rebuild(&self, project: &Project) -> Result<(Metadata, usize), WorkspaceError> {
        let all = index::look(project)?.runs;
        let ended = self.ended(&all);
        let began = self.runs(&all).iter().map(|run| run.started).min();
        Ok((rebuilt(self.name().as_str(), began, &ended, Timestamp::now()), ended.len()))
    }

    /// Keeps a copy of the file beside it, under a name that nothing has.
    fn keep_metadata(&self, what: &str) -> Result<PathBuf, WorkspaceError> {
        let bytes = at(&self.metadata_file()).read_beginning(KEPT_OF_METADATA)?.unwrap_or_default();
        loop {
            let path = self.free_name(METADATA_FILE, what)?;
            // Another process may have taken the name meanwhile.
            if at(&path).create_new(&bytes, PERMISSIONS)? == Made::Anew {
                return Ok(path);
            }
        }
    }

    fn write_metadata(&self, metadata: &Metadata) -> Result<(), WorkspaceError> {
        let path = at(&self.metadata_file());
        let found = path.look().ok().flatten().filter(Attributes::is_regular);
        path.replace(&metadata.to_json(), found.map_or(PERMISSIONS, |found| found.mode & 0o777))?;
        Ok(at(self.folder()).sync_folder()?)
    }

    fn lock_metadata(&self, project: &Project) -> Result<FileLock, WorkspaceError> {
        let short: String = digest(self.folder().as_os_str().as_bytes()).chars().take(12).collect();
        self.lock(project, &format!("workspace-{short}.lock"))
    }

    /// Keeps other deletions of the project's workspaces waiting.
    pub(super) fn lock_deletions(&self, project: &Project) -> Result<FileLock, WorkspaceError> {
        self.lock(project, "deletion.lock")
    }

    /// The lock lies outside the project: nobody commits it, and restoring files does not replace it.
    fn lock(&self, project: &Project, name: &str) -> Result<FileLock, WorkspaceError> {
        project.create()?;
        let lock = FileLock::take(&project.path().join(name))?;
        lock.ok_or_else(|| WorkspaceError::Busy { name: self.name().to_string() })
    }
}

/// Held while something is changed; given back when it is dropped, or when the process dies.
pub(super) struct FileLock {
    _file: File,
}

impl FileLock {
    /// `None` when another process has it for too long.
    fn take(path: &Path) -> Result<Option<FileLock>, WorkspaceError> {
        // outside: the state folder.
        let file = OpenOptions::new().create(true).append(true).open(path).at("open", path)?;
        Ok(lock_within(&file, PATIENCE, POLL).at("lock", path)?.then_some(FileLock { _file: file }))
    }
}
