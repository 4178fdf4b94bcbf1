//! `import`: takes over the files of other tools.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::trust::Startable;
use windlass_engine::store::paths;
use windlass_engine::trust::name_in;
use windlass_host::file::FileError;
use windlass_import::claude_iterate::{self, Import};
use windlass_import::devloop::{self, DevloopError, DevloopImport};
use windlass_import::fresher::{self, FresherImport};
use windlass_import::{Extent, Item};
use windlass_ui::{ImportRow, ImportState, import_json, import_text};

use super::{print, print_bytes, stdout};
use crate::args::ImportArgs;
use crate::commands::app;
use windlass_app::here::Here;
use windlass_app::trusting;
use windlass_app::workspaces::Project;
use windlass_app::{AppError, Kind};

/// Does it.
///
/// # Errors
/// There is nothing to take, or our own folder cannot be made.
pub fn run(args: &ImportArgs) -> Result<ExitCode, AppError> {
    let project = Project::find(&app()?)?;
    let target = project.workspaces.project().to_owned();
    let here = project.here.clone();
    let source = source(args, &target)?;
    let (extent, state) =
        if args.dry_run { (Extent::Look, ImportState::LookedAt) } else { (Extent::Take, ImportState::Done) };
    let is_there = OfWhom::at(&source);
    if args.user && !is_there.has_users_files() {
        return Err(AppError::usage(
            "`--user` is for claude-iterate and DevLoop: Fresher has no configuration of the user's",
        ));
    }
    let mut items = Vec::new();
    // First, since it takes nothing at all where a file is broken.
    if is_there.devloop {
        let user = if args.user { Some(user_files(Tool::DevLoop)?) } else { None };
        let import = DevloopImport { source: source.clone(), user, target: target.clone(), extent };
        items.extend(import.run().map_err(|error| refused(&error))?);
    }
    if is_there.claude_iterate {
        let user = if args.user { Some(user_files(Tool::ClaudeIterate)?) } else { None };
        let project = project.here.project;
        let import = Import { source: source.clone(), user, target: target.clone(), project, extent };
        items.extend(import.run().map_err(|error| trouble(&error))?);
    }
    if is_there.fresher {
        let import = FresherImport { source, target: target.clone(), extent };
        items.extend(import.run().map_err(|error| trouble(&error))?);
    }
    if extent == Extent::Take {
        trust_taken(&here, &items, &target)?;
    }
    let rows: Vec<ImportRow> = items.iter().map(|item| row(item, &target)).collect();
    if args.json {
        print_bytes(&import_json(&rows, state))?;
    } else {
        print(&import_text(&rows, state, &stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was written at a person's command is theirs: it needs no question.
fn trust_taken(here: &Here, items: &[Item], target: &Path) -> Result<(), AppError> {
    let place = here.place();
    let written: Vec<String> = items
        .iter()
        .filter_map(|item| item.to.as_ref())
        .map(|path| name_in(&place, &target.join(path)))
        .collect();
    let is_written =
        |item: &Startable| written.iter().any(|path| Path::new(&item.file).starts_with(Path::new(path)));
    trusting::trust_files(here, is_written)
}

fn trouble(error: &FileError) -> AppError {
    AppError::new(Kind::System, error.to_string())
}

fn refused(error: &DevloopError) -> AppError {
    match error {
        DevloopError::Malformed { .. } => AppError::new(Kind::Configuration, error.to_string())
            .hint("Mend it or move it away. Nothing was taken over."),
        DevloopError::File(error) => trouble(error),
    }
}

/// Whose files are in a folder?
#[derive(Clone, Copy, Debug)]
struct OfWhom {
    claude_iterate: bool,
    fresher: bool,
    devloop: bool,
}

impl OfWhom {
    fn at(folder: &Path) -> OfWhom {
        OfWhom {
            claude_iterate: claude_iterate::is_there(folder),
            fresher: fresher::is_there(folder),
            devloop: devloop::is_there(folder),
        }
    }

    const fn anybody(self) -> bool {
        self.claude_iterate || self.fresher || self.devloop
    }

    const fn has_users_files(self) -> bool {
        self.claude_iterate || self.devloop
    }
}

fn is_there(folder: &Path) -> bool {
    OfWhom::at(folder).anybody()
}

/// The folder that holds the other tools' files.
fn source(args: &ImportArgs, target: &Path) -> Result<PathBuf, AppError> {
    let folder = match &args.from {
        Some(folder) => folder
            // outside: a folder that a person named.
            .canonicalize()
            .map_err(|error| AppError::usage(format!("cannot read {}: {error}", folder.display())))?,
        None => app()
            .map(|app| app.directory().to_owned())
            .map(|here| here.ancestors().find(|above| is_there(above)).unwrap_or(target).to_owned())?,
    };
    if is_there(&folder) {
        return Ok(folder);
    }
    let message = format!("there is nothing of claude-iterate, Fresher or DevLoop in {}", folder.display());
    Err(AppError::usage(message)
        .hint("They are known by .claude-iterate.json and the folders claude-iterate/, .fresher/ and .devloop/.")
        .hint("Another project's: windlass import --from DIR"))
}

/// A tool whose users have a configuration of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    ClaudeIterate,
    DevLoop,
}

/// The user's configuration file of a tool, and ours.
fn user_files(tool: Tool) -> Result<(PathBuf, PathBuf), AppError> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let theirs = match tool {
        Tool::ClaudeIterate => absolute("XDG_CONFIG_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".config")))
            .map(|folder| folder.join("claude-iterate/config.json")),
        Tool::DevLoop => absolute("HOME").map(|home| home.join(".devloop/config.json")),
    };
    let theirs = theirs
        .ok_or_else(|| AppError::usage("`--user` needs HOME: nothing says where the user's files are"))?;
    let ours = paths::config_root(|name| env::var_os(name))?.join("config.toml");
    Ok((theirs, ours))
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
