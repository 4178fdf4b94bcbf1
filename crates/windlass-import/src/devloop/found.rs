//! What has to be readable before anything is done.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use windlass_core::config::devloop::{DevloopCommits, DevloopSession, devloop_commits, devloop_object};

use super::{DevloopError, FOLDER};
use windlass_git::git::Repository;
use windlass_host::file::read_beginning;

/// A longer file of its is none.
const LONGEST: usize = 1024 * 1024;
/// So many features are looked at.
const MOST_FEATURES: usize = 1000;
/// So many commits are looked at.
pub(super) const MOST_COMMITS: u32 = 10_000;

/// All that it noted as JSON, and what of its is in git.
#[derive(Debug, Default)]
pub(super) struct FoundFiles {
    pub configuration: Option<Map<String, Value>>,
    pub session: Option<DevloopSession>,
    /// The names of the files of its features, and what they say.
    pub features: Vec<(String, DevloopSession)>,
    pub commits: Option<DevloopCommits>,
}

impl FoundFiles {
    /// Reads it.
    pub fn read(source: &Path) -> Result<FoundFiles, DevloopError> {
        let folder = source.join(FOLDER);
        let mut found = FoundFiles {
            configuration: read_object(&folder.join("config.json"))?,
            session: read_object(&folder.join("session.json"))?.as_ref().map(DevloopSession::read),
            commits: commits(source),
            ..FoundFiles::default()
        };
        for name in features(&folder.join("features"))? {
            let session = read_object(&folder.join("features").join(&name))?;
            found.features.extend(session.map(|fields| (name, DevloopSession::read(&fields))));
        }
        Ok(found)
    }
}

/// Reads a file that has to be a JSON object; `None` where there is none.
pub(super) fn read_object(path: &Path) -> Result<Option<Map<String, Value>>, DevloopError> {
    let malformed = |why: String| DevloopError::Malformed { path: path.to_owned(), why };
    let Some(bytes) = read_beginning(path, LONGEST)? else { return Ok(None) };
    if bytes.len() > LONGEST {
        return Err(malformed("is longer than 1 MiB".to_owned()));
    }
    devloop_object(&bytes).map(Some).map_err(malformed)
}

fn features(folder: &Path) -> Result<Vec<String>, DevloopError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "json"))
        .take(MOST_FEATURES + 1)
        .collect();
    if names.len() > MOST_FEATURES {
        let why = format!("holds more than {MOST_FEATURES} features");
        return Err(DevloopError::Malformed { path: folder.to_owned(), why });
    }
    names.sort();
    Ok(names)
}

/// The commits of its in the history of the current branch. Where git says nothing there are none.
fn commits(source: &Path) -> Option<DevloopCommits> {
    let repository = repository(source)?;
    let subjects = repository.subjects(MOST_COMMITS).ok()?;
    let commits = devloop_commits(subjects.iter().map(String::as_str));
    (commits.total() > 0).then_some(commits)
}

pub(super) fn repository(source: &Path) -> Option<Repository> {
    Repository::find(source).ok()?.worktree()
}

/// The names of what is in a folder, in order; none where it cannot be read.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names.iter().map(|name| name.to_string_lossy().into_owned()).collect()
}
