//! Configuration files: where they are, and what comes of them with the environment and the flags.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use windlass_core::config::{FileKind, Layer, Resolved, Unlimited};
use windlass_core::run::Mode;
use windlass_engine::store::{StoreError, paths};

use crate::error::{CliError, Kind};

/// What a file of configuration is called, wherever it is.
const FILE_NAME: &str = "config.toml";

/// The resolved configuration, and the files it was read from.
#[derive(Debug)]
pub struct Configuration {
    /// What comes of all layers.
    pub resolved: Resolved,
    /// Files that were read, with their bytes: a run records their digests.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl Configuration {
    /// Reads the user's, the project's and the workspace's file and the environment, and puts the flags on top.
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
    ) -> Result<Configuration, CliError> {
        let mut files = Vec::new();
        let mut layers = Vec::new();
        let user = user_file()?.map(|path| (FileKind::User, path));
        let project = project_file(directory).map(|path| (FileKind::Project, path));
        let workspace = workspace.map(|folder| (FileKind::Workspace, folder.join(FILE_NAME)));
        for (kind, path) in user.into_iter().chain(project).chain(workspace) {
            let Some(bytes) = read_if_there(&path)? else {
                continue;
            };
            let text = str::from_utf8(&bytes).map_err(|_| {
                CliError::new(Kind::Configuration, format!("{} is not UTF-8 text", path.display()))
            })?;
            layers.push(Layer::parse(kind, &path, text)?);
            files.push((path, bytes));
        }
        layers.push(environment()?);
        layers.push(flags);
        Ok(Configuration { resolved: Resolved::merge(&layers, mode, unlimited)?, files })
    }
}

/// The user's file; `None` where nothing says where home is.
///
/// # Errors
/// A relative `WINDLASS_CONFIG_DIR`.
fn user_file() -> Result<Option<PathBuf>, CliError> {
    match paths::config_root(|name| env::var_os(name)) {
        Ok(folder) => Ok(Some(folder.join(FILE_NAME))),
        Err(StoreError::NoHome { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// `.windlass/config.toml` of the nearest directory upwards that has a `.windlass` or is a repository's root.
fn project_file(directory: &Path) -> Option<PathBuf> {
    let project = directory
        .ancestors()
        .find(|above| above.join(".windlass").is_dir() || above.join(".git").exists())?;
    Some(project.join(".windlass").join(FILE_NAME))
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, CliError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => {
            Err(CliError::new(Kind::Configuration, format!("cannot read {}: {error}", path.display())))
        }
    }
}

fn environment() -> Result<Layer, CliError> {
    let mut variables = Vec::new();
    for (name, value) in env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("WINDLASS_")) else {
            continue;
        };
        match value.into_string() {
            Ok(value) => variables.push((name.to_owned(), value)),
            Err(_) => {
                return Err(CliError::new(Kind::Configuration, format!("{name}: its value is not UTF-8")));
            }
        }
    }
    // In the order of their names, so that complaints come in the same order each time.
    variables.sort();
    Ok(Layer::from_environment(variables)?)
}
