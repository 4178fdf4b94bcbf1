//! The limits of pipelines, as they were last said: `pipelines/` of a project holds a file for each. They are kept before anything is
//! begun, and where nobody who edits the repository's files changes them; all working trees of a repository share them.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_core::spec::Limits;
use windlass_core::values::Cost;

use super::StoreError;
use super::files::{create_folder, read_if_present, write_atomically};
use super::paths::Project;

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

fn file(project: &Project, id: &str) -> PathBuf {
    project.pipelines().join(format!("{id}.json"))
}
