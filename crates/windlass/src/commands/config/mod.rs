//! `config`: shows and changes the configuration.

mod change;
mod scope;

use std::process::ExitCode;

use windlass_core::config::{KeyInfo, Layer, Resolved, Unlimited, ValueOrigin, key_reference};
use windlass_core::spec::Mode;
use windlass_engine::workspace::{FoundMetadata, Workspace, Workspaces};
use windlass_ui::{
    ConfigFile, ConfigFileState, OriginTold, config_files_json, config_files_text, config_json, config_table,
    config_value, config_value_json, keys_json, keys_text,
};

use super::{print, print_bytes, stdout, warn};
use crate::args::{ConfigArgs, ConfigGetArgs, ConfigKeysArgs, ConfigListArgs, ConfigPathArgs, ConfigVerb};
use crate::commands::app;
use windlass_app::configuration::{Configuration, Source, sources};
use windlass_app::{AppError, Kind};

/// Does it.
pub fn run(args: &ConfigArgs) -> Result<ExitCode, AppError> {
    match &args.verb {
        ConfigVerb::List(args) => list(args),
        ConfigVerb::Get(args) => get(args),
        ConfigVerb::Set(args) => change::set(args),
        ConfigVerb::Unset(args) => change::unset(args),
        ConfigVerb::Keys(args) => keys(args),
        ConfigVerb::Path(args) => path(args),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn list(args: &ConfigListArgs) -> Result<(), AppError> {
    let resolved = resolved(args.workspace.as_deref())?;
    let wanted = |value: &&ValueOrigin| !(args.set && value.origin.is_default());
    let values: Vec<ValueOrigin> = resolved.origins().iter().filter(wanted).cloned().collect();
    if args.json { print_bytes(&config_json(&values)) } else { print(&config_table(&values, &stdout())) }
}

fn get(args: &ConfigGetArgs) -> Result<(), AppError> {
    let key = key_named(&args.key)?;
    let resolved = resolved(args.workspace.as_deref())?;
    let Some(value) = resolved.origins().iter().find(|value| value.name == key.name) else {
        return Err(AppError::new(Kind::Internal, format!("`{}` is in no layer", key.name)));
    };
    if args.json {
        return print_bytes(&config_value_json(value));
    }
    let terminal = stdout();
    let told = if args.origin || terminal.interactive { OriginTold::Yes } else { OriginTold::No };
    match config_value(value, told, &terminal) {
        Some(text) => print(&text),
        None => Err(AppError::new(Kind::System, format!("`{}` has no value", key.name))
            .hint(format!("Set it: windlass config set {} VALUE", key.name))),
    }
}

fn key_named(name: &str) -> Result<&'static KeyInfo, AppError> {
    KeyInfo::find(name).map_err(|error| AppError::from(error).hint("All keys: windlass config keys"))
}

fn keys(args: &ConfigKeysArgs) -> Result<(), AppError> {
    let keys = key_reference()?;
    if args.json { print_bytes(&keys_json(&keys)) } else { print(&keys_text(&keys, &stdout())) }
}

fn path(args: &ConfigPathArgs) -> Result<(), AppError> {
    let directory = app()?.directory().to_owned();
    let workspace = named_workspace(args.workspace.as_deref())?;
    let sources = sources(&directory, workspace.as_ref().map(Workspace::folder))?;
    let files: Vec<ConfigFile> = sources.iter().rev().map(file).collect();
    if args.json {
        print_bytes(&config_files_json(&files))
    } else {
        print(&config_files_text(&files, &stdout()))
    }
}

fn file(source: &Source) -> ConfigFile {
    let state = match source.layer() {
        Ok(Some(layer)) => ConfigFileState::There { values: layer.len() },
        Ok(None) => ConfigFileState::Missing,
        Err(error) => ConfigFileState::Broken { problem: error.message },
    };
    ConfigFile { layer: scope::layer_name(source.kind), path: source.path.display().to_string(), state }
}

/// What a run here, or of this workspace, would be told.
fn resolved(workspace: Option<&str>) -> Result<Resolved, AppError> {
    let workspace = named_workspace(workspace)?;
    let mode = workspace.as_ref().map_or(Ok(Mode::Goal), mode_of)?;
    let folder = workspace.as_ref().map(Workspace::folder);
    let configuration =
        Configuration::load(app()?.directory(), folder, mode, Layer::default(), Unlimited::NotAsked)?;
    configuration.notices.iter().for_each(|notice| warn(notice));
    Ok(configuration.resolved)
}

fn named_workspace(name: Option<&str>) -> Result<Option<Workspace>, AppError> {
    let Some(name) = name else { return Ok(None) };
    Ok(Some(Workspaces::open(app()?.directory()).find(name)?))
}

/// The mode of a workspace's runs; broken metadata are left as they are, since nothing is run.
fn mode_of(workspace: &Workspace) -> Result<Mode, AppError> {
    Ok(match workspace.read_metadata()? {
        FoundMetadata::Read { metadata, .. } => metadata.mode,
        FoundMetadata::Missing | FoundMetadata::Corrupt(_) => Mode::Loop,
    })
}
