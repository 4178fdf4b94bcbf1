//! `import`: takes over the files of other tools.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_engine::file::FileError;
use windlass_engine::import::claude_iterate::{self, Import};
use windlass_engine::import::fresher::{self, FresherImport};
use windlass_engine::import::{Extent, Item};
use windlass_engine::store::paths;
use windlass_ui::{ImportRow, ImportState, import_json, import_text};

use super::here::working_directory;
use super::workspaces::Project;
use super::{print, print_bytes, stdout};
use crate::args::ImportArgs;
use crate::error::{CliError, Kind};

/// Does it.
///
/// # Errors
/// There is nothing to take, or our own folder cannot be made.
pub fn run(args: &ImportArgs) -> Result<ExitCode, CliError> {
    let project = Project::find()?;
    let target = project.workspaces.project().to_owned();
    let source = source(args, &target)?;
    let (extent, state) =
        if args.dry_run { (Extent::Look, ImportState::LookedAt) } else { (Extent::Take, ImportState::Done) };
    let mut items = Vec::new();
    if claude_iterate::is_there(&source) {
        let user = if args.user { Some(user_files()?) } else { None };
        let project = project.here.project;
        let import = Import { source: source.clone(), user, target: target.clone(), project, extent };
        items.extend(import.run().map_err(|error| trouble(&error))?);
    } else if args.user {
        return Err(CliError::usage(
            "`--user` is for claude-iterate: Fresher has no configuration of the user's",
        ));
    }
    if fresher::is_there(&source) {
        let import = FresherImport { source, target: target.clone(), extent };
        items.extend(import.run().map_err(|error| trouble(&error))?);
    }
    let rows: Vec<ImportRow> = items.iter().map(|item| row(item, &target)).collect();
    if args.json {
        print_bytes(&import_json(&rows, state))?;
    } else {
        print(&import_text(&rows, state, &stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn trouble(error: &FileError) -> CliError {
    CliError::new(Kind::System, error.to_string())
}

fn is_there(folder: &Path) -> bool {
    claude_iterate::is_there(folder) || fresher::is_there(folder)
}

/// The folder that holds the other tools' files.
fn source(args: &ImportArgs, target: &Path) -> Result<PathBuf, CliError> {
    let folder = match &args.from {
        Some(folder) => folder
            .canonicalize()
            .map_err(|error| CliError::usage(format!("cannot read {}: {error}", folder.display())))?,
        None => working_directory()
            .map(|here| here.ancestors().find(|above| is_there(above)).unwrap_or(target).to_owned())?,
    };
    if is_there(&folder) {
        return Ok(folder);
    }
    Err(CliError::usage(format!("there is nothing of claude-iterate or Fresher in {}", folder.display()))
        .hint("They are known by .claude-iterate.json, the folder claude-iterate/ and the folder .fresher/.")
        .hint("Another project's: windlass import --from DIR"))
}

/// The user's configuration file of claude-iterate, and ours.
fn user_files() -> Result<(PathBuf, PathBuf), CliError> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".config")))
        .ok_or_else(|| CliError::usage("`--user` needs HOME: nothing says where the user's files are"))?;
    let ours = paths::config_root(|name| env::var_os(name))?.join("config.toml");
    Ok((folder.join("claude-iterate/config.json"), ours))
}

fn row(item: &Item, target: &Path) -> ImportRow {
    let within = |path: &PathBuf| path.strip_prefix(target).unwrap_or(path).display().to_string();
    ImportRow {
        kind: item.kind.name().to_owned(),
        name: item.name.clone(),
        from: item.from.display().to_string(),
        to: item.to.as_ref().map(within),
        notes: item.notes.clone(),
    }
}
