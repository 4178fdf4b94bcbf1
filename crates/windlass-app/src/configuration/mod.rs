//! Configuration: what comes of the files, the environment and the flags; looking at it, changing a value of a file.

mod change;
pub mod default_project;
mod look;
mod scope;

use std::env;
use std::path::{Path, PathBuf};

use windlass_core::config::fresher::{FresherEnvironment, container_in_container, fresher_environment};
use windlass_core::config::{FileKind, Layer, Resolved, Unlimited};
use windlass_core::spec::Mode;
use windlass_core::values::ExitCodes;
use windlass_core::workspace::Beneath;
use windlass_engine::config_file;
use windlass_engine::store::{StoreError, paths};
use windlass_engine::workspace::{CONFIG_FILE, PROJECT_FOLDER, project_folder};
use windlass_host::process::RUN_VARIABLE;

use crate::app::App;
use crate::error::{AppError, Kind};

pub use change::{ValueChange, ValueSet, ValueUnset};
pub use look::key_named;
pub use scope::Scope;

/// The resolved configuration, and the files it was read from.
#[derive(Debug)]
pub struct Configuration {
    /// What comes of all layers.
    pub resolved: Resolved,
    /// Files that were read, with their bytes: a run records their digests.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// What a person should know before it is used, one sentence each.
    pub notices: Vec<String>,
}

impl Configuration {
    /// The same without flags, where nothing is about to run.
    ///
    /// # Errors
    /// As for [`Configuration::load`].
    pub fn read(directory: &Path, workspace: Option<&Path>, mode: Mode) -> Result<Configuration, AppError> {
        Configuration::load(directory, workspace, mode, Layer::default(), Unlimited::NotAsked)
    }

    /// Reads the user's, the project's and the workspace's file and the environment (Fresher's variables first, ours after
    /// them), and puts the flags on top.
    /// `workspace` is the workspace's folder.
    ///
    /// # Errors
    /// Files that cannot be read, and whatever is wrong in a layer.
    pub fn load(
        directory: &Path,
        workspace: Option<&Path>,
        mode: Mode,
        flags: Layer,
        unlimited: Unlimited,
    ) -> Result<Configuration, AppError> {
        let mut files = Vec::new();
        let mut layers = Vec::new();
        for source in sources(directory, workspace)? {
            let Some(text) = config_file::read(&source.path)? else {
                continue;
            };
            layers.push(Layer::parse(source.kind, &source.path, &text)?);
            files.push((source.path, text.into_bytes()));
        }
        let FresherEnvironment { layer, mut notices, container } = fresher()?;
        layers.push(layer);
        layers.push(Layer::from_environment(variables(|name| name.starts_with("WINDLASS_"))?)?);
        layers.push(flags);
        let resolved = Resolved::merge(&layers, mode, unlimited)?;
        notices
            .extend(container.and_then(|variable| container_in_container(&resolved.sandbox.kind, variable)));
        Ok(Configuration { resolved, files, notices })
    }
}

/// The exit codes that are configured in a directory; `None` where that cannot be read.
pub fn exit_codes_in(directory: &Path) -> Option<ExitCodes> {
    let configuration = Configuration::read(directory, None, Mode::Goal);
    configuration.ok().map(|configuration| configuration.resolved.exit_codes)
}

/// The exit codes that are configured where the process was started; the usual ones where that cannot be read.
pub(crate) fn exit_codes_here() -> ExitCodes {
    env::current_dir().ok().as_deref().and_then(exit_codes_in).unwrap_or_default()
}

/// A file that may hold configuration; it need not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Whose it is.
    pub kind: FileKind,
    /// Where it is.
    pub path: PathBuf,
}

impl Source {
    /// Its layer; `None` where there is no file.
    pub fn layer(&self) -> Result<Option<Layer>, AppError> {
        let text = config_file::read(&self.path)?;
        Ok(text.map(|text| Layer::parse(self.kind, &self.path, &text)).transpose()?)
    }
}

/// The files of configuration, the weakest first. `workspace` is the workspace's folder. Where nothing says where home
/// is, there is none of the user's.
pub fn sources(directory: &Path, workspace: Option<&Path>) -> Result<Vec<Source>, AppError> {
    let user = user_folder()?;
    let project = project_folder(directory).join(PROJECT_FOLDER);
    let source = |kind, folder: PathBuf| Source { kind, path: folder.join(CONFIG_FILE) };
    let files = user.map(|folder| source(FileKind::User, folder)).into_iter();
    let files = files.chain([source(FileKind::Project, project)]);
    Ok(files.chain(workspace.map(|folder| source(FileKind::Workspace, folder.to_owned()))).collect())
}

/// What holds in a workspace of a project that says nothing itself, whatever the environment says of this moment.
pub(crate) fn beneath(directory: &Path) -> Beneath {
    let layers = || sources(directory, None).ok()?.iter().map(|source| source.layer().ok()).collect();
    let read: Option<Vec<Option<Layer>>> = layers();
    read.map_or(Beneath::Open, |layers| Beneath::Known(layers.into_iter().flatten().collect()))
}

/// The folder of the user's own configuration; `None` where nothing says where home is.
pub(crate) fn user_folder() -> Result<Option<PathBuf>, AppError> {
    match paths::config_root(|name| env::var_os(name)) {
        Ok(folder) => Ok(Some(folder)),
        Err(StoreError::NoHome { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What a person's own file says of a key, whatever a project's files say.
fn value_of_user(app: &App, key: &str) -> Result<Option<toml::Value>, AppError> {
    let user = sources(app.directory(), None)?.into_iter().find(|source| source.kind == FileKind::User);
    let layer = user.as_ref().map(Source::layer).transpose()?.flatten();
    Ok(layer.as_ref().and_then(|layer| layer.value(key)).cloned())
}

/// What a person says of a key: the environment goes before their own file, and a project's files have no say.
pub(crate) fn of_person(app: &App, key: &str) -> Result<Option<toml::Value>, AppError> {
    let variable = format!("WINDLASS_{}", key.to_uppercase().replace('.', "__"));
    let environment = Layer::from_environment(variables(|name| name == variable)?)?;
    match environment.value(key) {
        Some(value) => Ok(Some(value.clone())),
        None => value_of_user(app, key),
    }
}

/// What Fresher's variables say. Within a run they are those that its hooks are given, and say nothing.
fn fresher() -> Result<FresherEnvironment, AppError> {
    if env::var_os(RUN_VARIABLE).is_some_and(|run| !run.is_empty()) {
        return Ok(FresherEnvironment::default());
    }
    let wanted = |name: &str| name.starts_with("FRESHER_") || name == "DEVCONTAINER";
    Ok(fresher_environment(&variables(wanted)?)?)
}

/// Variables of the environment, in the order of their names, so that complaints come in the same order each time.
fn variables(wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, String)>, AppError> {
    let mut variables = Vec::new();
    for (name, value) in env::vars_os() {
        let Some(name) = name.to_str().filter(|name| wanted(name)) else {
            continue;
        };
        match value.into_string() {
            Ok(value) => variables.push((name.to_owned(), value)),
            Err(_) => {
                return Err(AppError::new(Kind::Configuration, format!("{name}: its value is not UTF-8")));
            }
        }
    }
    variables.sort();
    Ok(variables)
}
