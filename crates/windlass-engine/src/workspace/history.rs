//! What runs say of a workspace.

use std::sync::Arc;

use jiff::Timestamp;
use windlass_core::values::RunId;
use windlass_core::workspace::{EndedRun, Metadata, rebuilt};

use super::{FoundMetadata, METADATA_FILE, Workspace, WorkspaceError};
use crate::store::session_folder::{find_session, is_session};
use crate::store::{Project, RunFolder, RunSummary, RunWorkspace, index, lock};

/// A run that a process works on now, and the workspace it works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRun {
    /// The run.
    pub run: RunId,
    /// Its workspace.
    pub workspace: RunWorkspace,
}

/// The runs that work on workspaces now.
pub fn live_runs(project: &Project) -> Result<Vec<LiveRun>, WorkspaceError> {
    let mut live = Vec::new();
    for holder in lock::holders(project)?.into_iter().filter(lock::Holder::is_alive) {
        // One whose journal says nothing began just now, or keeps none: it is a run of no workspace.
        let summary = index::summarize(&RunFolder::of(project, &holder.run)).ok();
        live.extend(
            summary
                .and_then(|summary| summary.workspace)
                .map(|workspace| LiveRun { run: holder.run, workspace: *workspace }),
        );
    }
    Ok(live)
}

/// What is known of a workspace's history.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkspaceHistory {
    /// Its metadata, or what they would be.
    pub metadata: Metadata,
    /// What is wrong with them; making the workspace once more mends it.
    pub problem: Option<String>,
}

impl Workspace {
    /// The run that works on it now.
    pub fn live_run(&self, project: &Project) -> Result<Option<RunId>, WorkspaceError> {
        let live = live_runs(project)?;
        Ok(live.into_iter().find(|live| live.workspace.folder == self.folder()).map(|live| live.run))
    }

    /// The interactive session that is about it now.
    fn live_session(&self, project: &Project) -> Result<Option<RunId>, WorkspaceError> {
        let mut holders = lock::holders(project)?;
        holders.retain(|holder| is_session(&holder.run) && holder.is_alive());
        let about_this = |holder: &lock::Holder| {
            find_session(project, &holder.run.0).is_ok_and(|(_, record)| {
                record.about == self.name().as_str() && self.folder().starts_with(&record.directory)
            })
        };
        Ok(holders.into_iter().find(about_this).map(|holder| holder.run))
    }

    /// Refuses to go on while a run, or an interactive session, works on it.
    ///
    /// # Errors
    /// [`WorkspaceError::Live`]; or the project's locks cannot be read.
    pub fn refuse_live(&self, project: &Project) -> Result<(), WorkspaceError> {
        if let Some(session) = self.live_session(project)? {
            return Err(WorkspaceError::InSession { name: self.name().to_string(), session });
        }
        match self.live_run(project)? {
            None => Ok(()),
            Some(run) => Err(WorkspaceError::Live { name: self.name().to_string(), run }),
        }
    }

    /// Its runs, in the order given.
    pub fn runs<'a>(&self, all: &'a [Arc<RunSummary>]) -> Vec<&'a RunSummary> {
        all.iter().map(Arc::as_ref).filter(|run| run.is_of(self.folder())).collect()
    }

    /// Metadata with everything in them that these runs did, whether it was noted at their end or not: a runner that was
    /// killed just after its run's last fact noted nothing.
    pub fn caught_up(&self, mut metadata: Metadata, all: &[Arc<RunSummary>]) -> Metadata {
        for run in self.ended(all) {
            metadata.after_run(&run);
        }
        metadata
    }

    /// What is known of its history, without changing anything: its metadata with what runs did since; where these are
    /// broken or missing, what its runs tell.
    pub fn known(&self, all: &[Arc<RunSummary>]) -> Result<WorkspaceHistory, WorkspaceError> {
        let from_runs = || {
            let began = self.runs(all).iter().map(|run| run.started).min();
            let mut metadata = rebuilt(self.name().as_str(), began, &self.ended(all), Timestamp::UNIX_EPOCH);
            metadata.created = began;
            metadata
        };
        Ok(match self.read_metadata()? {
            FoundMetadata::Read { metadata, problems } => {
                let problem =
                    (!problems.is_empty()).then(|| format!("{METADATA_FILE}: {}", problems.join("; ")));
                WorkspaceHistory { metadata: self.caught_up(metadata, all), problem }
            }
            FoundMetadata::Missing => WorkspaceHistory {
                metadata: from_runs(),
                problem: Some(format!("{METADATA_FILE} is missing")),
            },
            FoundMetadata::Corrupt(corrupt) => WorkspaceHistory {
                metadata: from_runs(),
                problem: Some(format!("{METADATA_FILE} is broken: {corrupt}")),
            },
        })
    }

    /// Its ended runs, the one that ended first at the beginning.
    pub(super) fn ended(&self, all: &[Arc<RunSummary>]) -> Vec<EndedRun> {
        let mut ended: Vec<EndedRun> = self.runs(all).into_iter().filter_map(ended_run).collect();
        ended.sort_by(|one, other| (one.ended, &one.run).cmp(&(other.ended, &other.run)));
        ended
    }
}

/// `None` for a run that has not ended.
pub(super) fn ended_run(run: &RunSummary) -> Option<EndedRun> {
    let ending = run.ending?;
    Some(EndedRun {
        run: run.run.clone(),
        mode: run.mode,
        iterations: run.iterations,
        ended: run.last,
        reason: ending.stop_reason,
    })
}
