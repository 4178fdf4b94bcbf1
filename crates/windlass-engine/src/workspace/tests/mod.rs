//! A scratch project with workspaces, and runs that worked on them.

mod creating;
mod finding;
mod metadata;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use tempfile::TempDir;
use windlass_core::spec::Mode;
use windlass_core::values::{Cost, Grounds, RunId, StopReason, Tokens};
use windlass_core::workspace::WorkspaceName;

use super::create::{Created, Creation};
use super::{Workspace, Workspaces};
use crate::store::summary::RunEnding;
use crate::store::{Project, RunFolder, RunSummary, RunWorkspace, index};

struct Scratch {
    _root: TempDir,
    directory: PathBuf,
    project: Project,
    workspaces: Workspaces,
}

impl Scratch {
    fn new() -> Scratch {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("work");
        fs::create_dir_all(directory.join(".git")).unwrap();
        let directory = directory.canonicalize().unwrap();
        let project = Project::locate(&root.path().join("state"), &directory, None).unwrap();
        let workspaces = Workspaces::open(&directory);
        Scratch { _root: root, directory, project, workspaces }
    }

    fn create(&self, name: &str, creation: &Creation) -> Created {
        self.workspaces.create(&WorkspaceName::parse(name).unwrap(), &self.project, creation).unwrap()
    }

    fn workspace(&self, name: &str) -> Workspace {
        self.create(name, &Creation::default()).workspace
    }

    /// An ended run of a workspace, in the index.
    fn run(
        &self,
        workspace: &Workspace,
        iterations: u32,
        ended: Timestamp,
        reason: StopReason,
    ) -> RunSummary {
        let folder = RunFolder::create(&self.project).unwrap();
        let summary = RunSummary {
            items: None,
            run: folder.run().clone(),
            title: workspace.name().to_string(),
            directory: self.directory.clone(),
            mode: Mode::Iterative,
            workspace: Some(Box::new(RunWorkspace {
                name: workspace.name().to_string(),
                folder: workspace.folder().to_owned(),
            })),
            pipeline: None,
            about: None,
            started: ended - Duration::from_mins(1),
            last: ended,
            called: iterations > 0,
            iterations,
            cost: Cost::ZERO,
            reserved: Cost::ZERO,
            estimated: false,
            estimated_cost: Cost::ZERO,
            tokens: Tokens::default(),
            ending: Some(RunEnding {
                stop_reason: reason,
                grounds: Grounds::Shown,
                duration: Duration::from_mins(1),
                exit_code: 0,
            }),
        };
        index::record_ending(&self.project, &summary).unwrap();
        summary
    }
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + 60 * minute).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn run_id(run: &RunSummary) -> RunId {
    run.run.clone()
}
