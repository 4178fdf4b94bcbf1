mod deleting;
mod hostile;
mod property;
mod restoring;
mod saving;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use windlass_core::workspace::WorkspaceName;

use super::contents::Contents;
use super::{Afterwards, ArchiveError, Archived, Archives, Limits};
use crate::store;
use crate::workspace::Workspaces;
use windlass_host::file::remove_folder;

/// A project with a `.windlass` folder, gone when the test ends.
struct Project {
    windlass: PathBuf,
    state: store::Project,
    _folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Project {
        let folder = tempfile::Builder::new().prefix("windlass-test-").tempdir().unwrap();
        let windlass = folder.path().canonicalize().unwrap().join("project 🚀/.windlass");
        fs::create_dir_all(windlass.join("workspaces")).unwrap();
        let state = folder.path().join("state");
        fs::create_dir(&state).unwrap();
        let state = store::Project::locate(&state, windlass.parent().unwrap(), None).unwrap();
        Project { windlass, state, _folder: folder }
    }

    fn archives(&self) -> Archives {
        Archives::of(&self.all())
    }

    fn all(&self) -> Workspaces {
        Workspaces::open(self.windlass.parent().unwrap())
    }

    fn try_save(&self, name: &str, afterwards: Afterwards) -> Result<Archived, ArchiveError> {
        self.archives().save(&self.all().find(name).unwrap(), &self.state, afterwards, now())
    }

    fn workspace(&self, name: &str) -> PathBuf {
        self.windlass.join("workspaces").join(name)
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.windlass.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// A workspace as it is after some work.
    fn worked(&self, name: &str) -> PathBuf {
        let at = |file: &str| format!("workspaces/{name}/{file}");
        let metadata = format!("{{\n  \"name\": \"{name}\",\n  \"totalIterations\": 7,\n  \"x\": 1.50\n}}\n");
        self.write(&at(".metadata.json"), metadata);
        self.write(&at("INSTRUCTIONS.md"), "# Port it\n\nAll of it.\n");
        self.write(&at(".status.json"), "{\"complete\":false,\"progress\":{\"completed\":3,\"total\":9}}");
        self.write(&at("iterate-20260301-120000.log"), "Iteration 1\n");
        self.write(&at("working/.hidden"), b"\x00\xff");
        let script = self.write(&at("working/run.sh"), "#!/bin/sh\n");
        fs::set_permissions(script, fs::Permissions::from_mode(0o750)).unwrap();
        symlink("../INSTRUCTIONS.md", self.workspace(name).join("working/link")).unwrap();
        fs::create_dir_all(self.workspace(name).join("reports")).unwrap();
        self.workspace(name)
    }

    fn save(&self, name: &str, afterwards: Afterwards) -> Archived {
        self.try_save(name, afterwards).unwrap()
    }

    /// What is in the archive folder.
    fn archived(&self) -> Vec<String> {
        names_in(&self.windlass.join("archive"))
    }

    /// What is in the folder of workspaces, hidden things included.
    fn workspaces(&self) -> Vec<String> {
        names_in(&self.windlass.join("workspaces"))
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn now() -> Timestamp {
    "2026-03-01T12:00:05Z".parse().unwrap()
}

fn name(text: &str) -> WorkspaceName {
    WorkspaceName::parse(text).unwrap()
}

fn contents(folder: &Path) -> Contents {
    Contents::of_folder(&windlass_host::tree::at(folder), &[], Limits::default()).unwrap()
}
