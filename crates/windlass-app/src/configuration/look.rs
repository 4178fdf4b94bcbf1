//! What is configured, and in which files.

use windlass_core::config::{KeyInfo, Resolved};
use windlass_core::spec::Mode;
use windlass_core::values::Named;
use windlass_engine::workspace::{Workspace, Workspaces};
use windlass_ui::{ConfigFile, ConfigFileState};

use super::{Configuration, Source, sources};
use crate::app::App;
use crate::error::AppError;

impl App {
    /// What a run here, or of this workspace, would be told.
    ///
    /// # Errors
    /// There is no such workspace, or something is wrong in a layer.
    pub fn configuration(&self, workspace: Option<&str>) -> Result<Resolved, AppError> {
        let workspace = workspace.map(|name| named_workspace(self, name)).transpose()?;
        let mode = workspace.as_ref().map_or(Ok(Mode::Goal), mode_of)?;
        let folder = workspace.as_ref().map(Workspace::folder);
        let configuration = Configuration::read(self.directory(), folder, mode)?;
        self.notices(&configuration.notices);
        Ok(configuration.resolved)
    }

    /// The files of configuration, the strongest first; they need not be there.
    pub fn configuration_files(&self, workspace: Option<&str>) -> Result<Vec<ConfigFile>, AppError> {
        let workspace = workspace.map(|name| named_workspace(self, name)).transpose()?;
        let sources = sources(self.directory(), workspace.as_ref().map(Workspace::folder))?;
        Ok(sources.iter().rev().map(file).collect())
    }
}

/// The key of this name.
pub fn key_named(name: &str) -> Result<&'static KeyInfo, AppError> {
    KeyInfo::find(name).map_err(|error| AppError::from(error).hint("All keys: windlass config keys"))
}

pub(super) fn named_workspace(app: &App, name: &str) -> Result<Workspace, AppError> {
    Ok(Workspaces::open(app.directory()).find(name)?)
}

fn file(source: &Source) -> ConfigFile {
    let state = match source.layer() {
        Ok(Some(layer)) => ConfigFileState::There { values: layer.len() },
        Ok(None) => ConfigFileState::Missing,
        Err(error) => ConfigFileState::Broken { problem: error.message },
    };
    ConfigFile { layer: source.kind.name(), path: source.path.display().to_string(), state }
}

/// The mode of a workspace's runs; broken metadata are left as they are, since nothing is run.
fn mode_of(workspace: &Workspace) -> Result<Mode, AppError> {
    Ok(workspace.read_metadata()?.mode().unwrap_or(Mode::Loop))
}
