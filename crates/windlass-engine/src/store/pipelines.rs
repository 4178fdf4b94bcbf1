//! The limits of pipelines, as they were last said: `pipelines/` of a project holds a file for each. They are kept before anything is
//! begun, and where nobody who edits the repository's files changes them; all working trees of a repository share them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_core::spec::Limits;
use windlass_core::values::Cost;

use super::StoreError;
use super::error::Attempted as _;
use super::files::{create_folder, entries, open_file, open_private, read_if_present, write_atomically};
use super::paths::Project;

/// What the name ends with of the file that whoever works on a pipeline has locked. It is never deleted.
const AT_WORK: &str = ".at-work";

/// Limits that hold for all runs of a pipeline together; `None` = no such limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelineLimits {
    /// Money.
    #[serde(rename = "cost_usd")]
    pub cost: Option<Cost>,
    /// Tokens of all kinds.
    pub tokens: Option<u64>,
    /// Time.
    pub duration: Option<Duration>,
}

impl PipelineLimits {
    /// Those that are said of a run, for all of the pipeline.
    pub const fn said(limits: &Limits) -> PipelineLimits {
        PipelineLimits { cost: limits.cost, tokens: limits.tokens, duration: limits.duration }
    }
}

/// Those of the pipeline of this id; `None` where none were kept: it is of an older version, or of another machine.
///
/// # Errors
/// They cannot be read: nobody knows what holds.
pub fn limits(project: &Project, id: &str) -> Result<Option<PipelineLimits>, StoreError> {
    let path = file(project, id);
    let Some(bytes) = read_if_present(&path)? else { return Ok(None) };
    let read = serde_json::from_slice(&bytes);
    read.map(Some).map_err(|error| StoreError::io("read", &path, io::Error::other(error)))
}

/// Keeps them.
///
/// # Errors
/// They cannot be written.
pub fn keep_limits(project: &Project, id: &str, limits: &PipelineLimits) -> Result<(), StoreError> {
    project.create()?;
    create_folder(&project.pipelines())?;
    let path = file(project, id);
    let bytes =
        serde_json::to_vec(limits).map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
    write_atomically(&path, &bytes)
}

/// Says that runs of this pipeline follow each other, for as long as the file is open: between two of them no run is at work.
///
/// # Errors
/// The file cannot be made.
pub fn be_at_work(project: &Project, id: &str) -> Result<File, StoreError> {
    project.create()?;
    create_folder(&project.pipelines())?;
    let path = project.pipelines().join(format!("{id}{AT_WORK}"));
    let file = open_private(OpenOptions::new().create(true).append(true), &path).attempted("open", &path)?;
    // Another one may be at work in another working tree.
    file.lock_shared().attempted("lock", &path)?;
    Ok(file)
}

/// Do runs of any pipeline follow each other now?
///
/// # Errors
/// Their folder cannot be read.
pub fn is_any_at_work(project: &Project) -> Result<bool, StoreError> {
    let files = entries(&project.pipelines())?.into_iter().map(|entry| entry.path());
    let mut sessions = files.filter(|path| path.as_os_str().as_encoded_bytes().ends_with(AT_WORK.as_bytes()));
    // Whoever begins meanwhile waits for the moment that this has it.
    let is_held = |path: PathBuf| {
        open_file(&path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    };
    Ok(sessions.any(is_held))
}

fn file(project: &Project, id: &str) -> PathBuf {
    project.pipelines().join(format!("{id}.json"))
}
