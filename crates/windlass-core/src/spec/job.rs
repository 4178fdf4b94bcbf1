//! What is to be done.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

use super::{IssuesSpec, JobPhase, JobWorkspace, Mode};
use crate::values::path_text;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// How an iteration is prompted and how progress is read.
    pub mode: Mode,
    /// Its first words, for lists: one line, at most 80 characters.
    pub title: String,
    /// The phrase that claims completion, on a line of its own in a result.
    pub completion_signal: String,
    /// In how many iterations in a row.
    pub completion_threshold: u32,
    /// Notes relayed between iterations, relative to the working directory; `None` = no notes.
    pub notes_file: Option<PathBuf>,
    /// What every agent of the project is told, relative to the working directory; `None` = nothing.
    #[serde(default = "usual_agents_file")]
    pub agents_file: Option<PathBuf>,
    /// The workspace it lives in; `None` for a free goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<JobWorkspace>,
    /// The plan that is written or worked off; `None` in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<JobPlan>,
    /// The tasks that are worked off; `None` in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<JobTasks>,
    /// The phase of a pipeline whose document is written; `None` in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<JobPhase>,
    /// The file that is worked off or written, by its path in the repository, or by its whole path outside of one: it says which
    /// runs are of one job, however it was named. `None` where what was asked for says it, and in journals of old.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What a fresh agent is asked before a claim completes the job; `None` = nobody is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
}

/// What runs had before they could name another one.
#[expect(clippy::unnecessary_wraps, reason = "serde fills the field with it")]
fn usual_agents_file() -> Option<PathBuf> {
    Some("AGENTS.md".into())
}

/// Where the plan of a job lies. All paths are relative to the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobPlan {
    /// The plan as one file.
    #[serde(with = "path_text")]
    pub file: PathBuf,
    /// The plan as a folder; it holds where its `README.md` exists. `None` = it is never looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The folder of the specifications; `None` = none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specs: Option<PathBuf>,
    /// Build: no open box completes the run, and an iteration without changes ends it (seed 002's smart termination).
    pub smart_termination: bool,
    /// In a folder, the file of a feature whose tasks are all done is moved to `.archive/`, by the agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archives_finished: bool,
}

impl JobPlan {
    /// The file and the folder that are looked for where nothing is said.
    pub const USUAL_PLACES: [&str; 2] = ["IMPLEMENTATION_PLAN.md", "plan"];

    /// The file or folder that was named for this job, where it is none that is looked for by itself. Where both are looked for, nobody
    /// has named one.
    pub fn named(&self) -> Option<&Path> {
        let place = self.file.as_path();
        let is_one = self.folder.as_deref().is_none_or(|folder| folder == place);
        (is_one && !Self::USUAL_PLACES.iter().any(|usual| place == Path::new(usual))).then_some(place)
    }
}

/// The tasks of a job. All paths are relative to the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobTasks {
    /// The task file, or the folder of task files.
    #[serde(with = "path_text")]
    pub file: PathBuf,
    /// Where each iteration is noted for people; `None` = nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<PathBuf>,
    /// The feature it belongs to, where a project has several task files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// So often a task may fail before it is parked.
    pub attempts: u32,
    /// What an attempt that failed has left is committed, and said to be that. Never in lanes, whose work is nobody else's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commits_attempts: bool,
    /// The issues that they are; `None` where they are nobody else's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues: Option<IssuesSpec>,
}

/// How finished work is verified by a fresh agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// How closely it looks.
    pub depth: Depth,
    /// So many verifications may refuse the work before a person is needed.
    pub attempts: u32,
}

/// How closely a verifying agent looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Depth {
    /// Are the main results there?
    Quick,
    /// Is each requirement met?
    #[default]
    Standard,
    /// Each requirement, tested, with edge cases and quality.
    Deep,
}
