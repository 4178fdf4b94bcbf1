//! Taking over the files of other tools.

use std::env;
use std::path::{Path, PathBuf};
use windlass_core::config::fresher::mode;
use windlass_core::spec::Mode;
use windlass_core::values::{Extent, Named};

use windlass_engine::store::paths;
use windlass_engine::trust::name_in;
use windlass_engine::workspace::CONFIG_FILE;
use windlass_host::tree::at;
use windlass_import::claude_iterate::{self, Import};
use windlass_import::claude_loop::{self, ClaudeLoopImport};
use windlass_import::devloop::{self, DevloopError, DevloopImport};
use windlass_import::fresher::{self, FresherImport};
use windlass_import::ralph;
use windlass_import::{Item, Landing, Plan, Planned};
use windlass_ui::{ImportRow, format};

use crate::app::App;
use crate::configuration::user_folder;
use crate::error::{AppError, Kind};
use crate::here::{Here, home};
use crate::trusting::{self, Coming};
use crate::workspaces::Project;

/// What is to be taken over.
#[derive(Clone, Debug, Default)]
pub struct ImportFiles {
    /// The project to take from; `None` = the nearest one that holds such files, or this one.
    pub from: Option<PathBuf>,
    /// The user's configuration as well.
    pub with_users: bool,
}

impl App {
    /// Takes over what other tools have left in a project, or says what would be taken.
    pub fn import(&self, request: &ImportFiles, extent: Extent) -> Result<Vec<ImportRow>, AppError> {
        let project = Project::find(self)?;
        let target = project.workspaces.project().to_owned();
        let here = project.here;
        let plan = Plan::of(planned(self, request, &target)?);
        let (items, coming) = match extent {
            Extent::Look => (plan.items(), Coming { texts: plan.texts(), copies: plan.copies() }),
            Extent::Act => {
                let user = user_folder()?.map(|folder| folder.join(CONFIG_FILE));
                let landing = Landing { target: target.clone(), project: here.project.clone(), user };
                (plan.carry_out(&landing).map_err(AppError::system)?, Coming::default())
            }
        };
        say_what_is_not_trusted(&here, (&items, &coming), extent);
        Ok(items.iter().map(|item| row(item, &target)).collect())
    }
}

/// What every tool has left that can be taken.
fn planned(app: &App, request: &ImportFiles, target: &Path) -> Result<Vec<Planned>, AppError> {
    let (source, target) = (source(app, request, target)?, target.to_owned());
    let (of_iterate, of_devloop) = (claude_iterate::is_there(&source), devloop::is_there(&source));
    if request.with_users && !of_iterate && !of_devloop {
        return Err(AppError::usage(
            "`--user` is for claude-iterate and DevLoop: the others have no configuration of the user's",
        ));
    }
    let mut planned = Vec::new();
    if of_devloop {
        let theirs = || home().map(|home| home.join(".devloop/config.json"));
        let user = request.with_users.then(|| user_files(theirs())).transpose()?;
        let import = DevloopImport { source: source.clone(), user, target: target.clone() };
        planned.extend(import.plan().map_err(refused)?);
    }
    if of_iterate {
        let user = request.with_users.then(|| user_files(iterate_file())).transpose()?;
        planned.extend(Import { source: source.clone(), user, target: target.clone() }.plan());
    }
    if fresher::is_there(&source) {
        planned.extend(FresherImport { source: source.clone(), target: target.clone() }.plan());
    }
    if ralph::is_there(&source) {
        planned.extend(ralph::look(&source));
    }
    if claude_loop::is_there(&source) {
        planned.extend(ClaudeLoopImport { source, target }.plan());
    }
    Ok(planned)
}

/// What was copied was written by whoever wrote the repository, and is asked for like anything else of it that would be started. Said
/// at once: a person who goes on without a terminal would be refused.
fn say_what_is_not_trusted(here: &Here, (items, coming): (&[Item], &Coming), extent: Extent) {
    let place = here.place();
    let written: Vec<String> =
        items.iter().filter_map(|item| item.to.as_ref()).map(|path| name_in(&place, path)).collect();
    let pending = trusting::untrusted(here, coming, |item| {
        written.iter().any(|path| Path::new(&item.file).starts_with(Path::new(path)))
    });
    if pending > 0 {
        let things = format::count(pending as u64, "thing");
        here.app.notice(&match extent {
            Extent::Act => format!(
                "what was taken over would have Windlass start {things} that you have not trusted: `windlass trust` shows them and asks"
            ),
            Extent::Look => format!(
                "what would be taken over would have Windlass start {things} that you have not trusted: once it is here, \
                 `windlass trust` shows them and asks"
            ),
        });
    }
}

fn refused(error: DevloopError) -> AppError {
    match error {
        DevloopError::Malformed { .. } => {
            AppError::of(Kind::Configuration, error).hint("Fix it or move it away. Nothing was imported.")
        }
        DevloopError::File(error) => AppError::system(error),
    }
}

/// Are files of one of the tools in a folder?
fn is_there(folder: &Path) -> bool {
    let of_claude = claude_iterate::is_there(folder) || claude_loop::is_there(folder);
    of_claude || fresher::is_there(folder) || devloop::is_there(folder) || ralph::is_there(folder)
}

/// The mode that Fresher was to run in, where its variable says so.
pub fn mode_of_fresher() -> Option<Mode> {
    mode(env::var("FRESHER_MODE").ok()?.as_str())
}

/// Says how a project of Fresher's is taken over, where something of it shows that there is one.
pub(crate) fn with_command(error: AppError, directory: &Path) -> AppError {
    let is_told = || env::vars_os().any(|(name, _)| name.as_encoded_bytes().starts_with(b"FRESHER_"));
    // Where there is a configuration, it was taken over, or left.
    let is_here = at(directory).join(".windlass/config.toml").is_taken();
    if fresher::is_there(directory) && !is_here {
        return error
            .hint("Fresher was used here; take its settings, prompts and plan over: windlass import");
    }
    if at(directory).join("impl/README.md").is_taken() {
        return error
            .hint("A plan of Fresher's is in impl/; it is read after: windlass config set plan.folder impl");
    }
    if is_told() {
        return error.hint("FRESHER_* variables are set; a project of Fresher's is taken over by: windlass import --from DIR");
    }
    error
}

/// The folder that holds the other tools' files.
fn source(app: &App, request: &ImportFiles, target: &Path) -> Result<PathBuf, AppError> {
    let folder = match &request.from {
        Some(folder) => folder
            // outside: a folder that a person named.
            .canonicalize()
            .map_err(|error| AppError::usage(format!("cannot read {}: {error}", folder.display())))?,
        None => app.directory().ancestors().find(|above| is_there(above)).unwrap_or(target).to_owned(),
    };
    if is_there(&folder) {
        return Ok(folder);
    }
    let message = format!(
        "there is nothing of claude-iterate, claude-loop, Fresher, DevLoop or ralph in {}",
        folder.display()
    );
    Err(AppError::usage(message)
        .hint("They are known by .claude-iterate.json, .claude/principles.yaml, and the folders claude-iterate/, .claude/plans/, .fresher/, .devloop/, .ralph/ and .ralph-tui/.")
        .hint("Another project's: windlass import --from DIR"))
}

/// The user's configuration file of claude-iterate.
fn iterate_file() -> Option<PathBuf> {
    let configured = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = configured.or_else(|| home().map(|home| home.join(".config")))?;
    Some(folder.join("claude-iterate/config.json"))
}

/// The user's configuration file of a tool, and ours.
fn user_files(theirs: Option<PathBuf>) -> Result<(PathBuf, PathBuf), AppError> {
    let theirs = theirs
        .ok_or_else(|| AppError::usage("`--user` needs HOME: nothing says where the user's files are"))?;
    Ok((theirs, paths::config_root(|name| env::var_os(name))?.join("config.toml")))
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
