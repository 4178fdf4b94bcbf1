//! Who works, and what it may do.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::RepositorySettings;
use crate::price::Price;
use crate::values::{Purpose, path_text};

/// Who works, and what it may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// Its name: `claude`, or `mock` for the scripted one.
    pub name: String,
    /// The program, absolute.
    #[serde(with = "path_text")]
    pub program: PathBuf,
    /// Its version, as it said.
    pub version: String,
    /// The model; `None` = the agent's own choice.
    pub model: Option<String>,
    /// Turns per call; `None` = the agent's own limit.
    pub max_turns: Option<u32>,
    /// Arguments before ours: configuration's, and what followed `--`.
    pub arguments: Vec<String>,
    /// `--dangerously-skip-permissions`.
    pub skip_permissions: bool,
    /// Rules that allow tools: the gates, detected project commands, git reading, `permissions.allow`.
    pub allow: Vec<String>,
    /// Hand API keys of the environment to the agent.
    pub api_keys: bool,
    /// Let it start background tasks.
    pub background: bool,
    /// Folders beyond the working directory that it may work in: canonical.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "path_text::list")]
    pub add_dirs: Vec<PathBuf>,
    /// What becomes of the agent's settings that lie in the repository.
    #[serde(default, skip_serializing_if = "RepositorySettings::are_used")]
    pub repository_settings: RepositorySettings,
    /// What a person said that models cost; it goes before the list of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<Price>,
}

/// An agent that is asked first for calls of one purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Specialist {
    /// Which.
    pub purpose: Purpose,
    /// Who.
    pub agent: AgentSpec,
}

impl AgentSpec {
    /// Is it meant by this name, and this model where one is said?
    pub fn is_named(&self, name: &str, model: Option<&str>) -> bool {
        self.name == name && model.is_none_or(|model| self.model.as_deref() == Some(model))
    }

    /// An agent of this name that is told nothing and allowed nothing.
    pub fn new(name: &str, program: PathBuf) -> AgentSpec {
        AgentSpec { name: name.to_owned(), program, ..AgentSpec::default() }
    }
}
