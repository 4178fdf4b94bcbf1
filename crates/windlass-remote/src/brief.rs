//! What a worker has to know of a run: a file that all orders of the run name.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use windlass_core::spec::RunSpec;
use windlass_core::values::Named as _;
use windlass_engine::store::{RunFolder, StoreError};
use windlass_fleet::layout::Store;
use windlass_fleet::store::{ContentId, Files};
use windlass_fleet::{Deadline, Fleet};
use windlass_git::git::{GitError, ObjectFormat, Repository};
use windlass_git::lane::travelling_settings;
use windlass_host::file::FileError;
use windlass_jobs::prompt::Templates;

use crate::code::{CARRYING, scratch_in};
use crate::journal::JournalError;

/// The version of a run whose commits travel as packs.
const VERSION: u16 = 1;

/// That of one whose commits travel through a git remote. Whoever knows of no remotes refuses it.
const WITH_REMOTE: u16 = 2;

/// The largest brief that is taken, in bytes.
pub(crate) const LARGEST: u64 = 64 * 1024 * 1024;

/// What a worker has to know of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    v: u16,
    /// What the repository's folder is called: by this a worker's policy knows the project.
    pub project: String,
    /// How the repository names its objects: `sha1` or `sha256`.
    pub objects: String,
    /// What of its settings shapes files and names authors.
    pub settings: Vec<(String, String)>,
    /// Filters that its files go through: a worker needs them as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<String>,
    /// The run, as its runner has it: paths are of that machine.
    pub spec: RunSpec,
    /// The job's prompt.
    goal: String,
    /// The project's own prompt for the mode, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    template: Option<String>,
    /// Its addition to the system prompt, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    system_template: Option<String>,
    /// The issues that are worked off, where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    issues: Option<String>,
}

/// A brief that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BriefError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The run's folder cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// git does not say its settings.
    #[error(transparent)]
    Git(#[from] GitError),
    /// It is of another windlass.
    #[error(
        "the run is of a windlass that writes version {0} of it, and this one knows {VERSION} and {WITH_REMOTE}: update the older one"
    )]
    Version(u64),
    /// It is no brief.
    #[error("what is known of the run is not one: {0}")]
    Garbled(String),
}

impl Brief {
    /// Of a run whose folder has its texts.
    pub fn of(spec: &RunSpec, folder: &RunFolder, main: &Repository) -> Result<Brief, BriefError> {
        let name = main.top.file_name().unwrap_or_default();
        let of_issues = spec.job.tasks.as_ref().is_some_and(|tasks| tasks.issues.is_some());
        Ok(Brief {
            v: if is_packed(spec) { VERSION } else { WITH_REMOTE },
            project: name.to_string_lossy().into_owned(),
            objects: main.object_format.name().to_owned(),
            settings: travelling_settings(main)?,
            filters: main.filters_in_use()?,
            spec: spec.clone(),
            goal: folder.read_goal()?,
            template: folder.prompt_template(),
            system_template: folder.system_template(),
            issues: if of_issues { Some(folder.read_issues()?) } else { None },
        })
    }

    /// How its repository names its objects; the usual way where it says something else.
    pub fn object_format(&self) -> ObjectFormat {
        self.objects.parse().unwrap_or_default()
    }

    /// As it is stored.
    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Brings one from the fleet.
    pub(crate) fn bring(fleet: &Fleet, content: &ContentId, scratch: &Path) -> Result<Brief, JournalError> {
        let folder = scratch_in(scratch)?;
        let file = folder.path().join("brief");
        Files::of(fleet, Store::Code).get(content, &file, LARGEST, Deadline::after(CARRYING))?;
        Ok(Brief::read(&file)?)
    }

    /// Reads one.
    pub fn read(path: &Path) -> Result<Brief, BriefError> {
        #[derive(Deserialize)]
        struct Head {
            v: u64,
        }
        let bytes = windlass_host::file::read_if_there(path)?.unwrap_or_default();
        let garbled = |error: serde_json::Error| BriefError::Garbled(error.to_string());
        let head: Head = serde_json::from_slice(&bytes).map_err(garbled)?;
        if ![VERSION, WITH_REMOTE].map(u64::from).contains(&head.v) {
            return Err(BriefError::Version(head.v));
        }
        let brief: Brief = serde_json::from_slice(&bytes).map_err(garbled)?;
        brief.check()?;
        Ok(brief)
    }

    /// Do the names in it stay below the folders that a worker has for the run?
    fn check(&self) -> Result<(), BriefError> {
        let hostile =
            |path: &Path| BriefError::Garbled(format!("{} leads out of its folder", path.display()));
        let project = Path::new(&self.project);
        let is_name = project.components().count() == 1 && is_below(project) && self.project.len() < 200;
        if !is_name {
            return Err(hostile(project));
        }
        if self.filters.iter().any(|name| name.len() > 200 || name.contains(char::is_control)) {
            return Err(BriefError::Garbled("it names a filter that is none".to_owned()));
        }
        let below = self.spec.lanes.iter().map(|lanes| lanes.below.clone());
        let files = RunSpec::files_read(Path::new(""), &self.spec.job);
        match below.chain(files).find(|path| !is_below(path)) {
            Some(path) => Err(hostile(&path)),
            None => Ok(()),
        }
    }

    /// Puts its texts into the folder that a worker has for the run.
    pub fn put(&self, folder: &RunFolder) -> Result<(), StoreError> {
        folder.write_goal(&self.goal)?;
        folder.write_templates(Templates {
            user: self.template.as_deref(),
            system: self.system_template.as_deref(),
        })?;
        self.issues.as_ref().map_or(Ok(()), |issues| folder.write_issues(issues))
    }
}

/// Do its commits travel as packs?
fn is_packed(spec: &RunSpec) -> bool {
    spec.lanes.as_ref().is_none_or(|lanes| lanes.code.is_packs())
}

/// Is it a path that goes only further down?
fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_goes_down_is_below() {
        for (path, below) in [
            ("", true),
            ("a", true),
            ("a/b.md", true),
            ("..", false),
            ("a/../../b", false),
            ("/etc", false),
            ("./a", false),
        ] {
            assert_eq!(is_below(Path::new(path)), below, "{path}");
        }
    }

    #[test]
    fn what_is_no_brief_or_of_another_version_is_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("brief");
        for (text, said) in [
            ("", "is not one"),
            ("{}", "missing field `v`"),
            ("{\"v\":2}", "missing field"),
            ("{\"v\":3}", "writes version 3 of it, and this one knows 1 and 2"),
            ("{\"v\":1}", "missing field"),
            ("\u{fffd}", "is not one"),
        ] {
            std::fs::write(&file, text).unwrap();
            let error = Brief::read(&file).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
