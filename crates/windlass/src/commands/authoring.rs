//! `setup` and `edit`: an agent and a person at this terminal write what a workspace's runs are told.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::Timestamp;
use windlass_core::agent::{ClaudeInvocation, ClaudeSettings, SessionFiles};
use windlass_core::config::{NotifySettings, Unlimited};
use windlass_core::fact::{Ended, ExitCodes, StopReason};
use windlass_core::notification;
use windlass_core::prompt::{Authoring, SessionParts, session};
use windlass_core::run::{AgentPlan, Mode};
use windlass_engine::interactive::{self, Interactive, Keeping};
use windlass_engine::inventory::{Change, Surveyor, as_path};
use windlass_engine::process::WORKSPACE_VARIABLE;
use windlass_engine::store::SessionFolder;
use windlass_engine::store::session_folder::SessionRecord;
use windlass_engine::workspace::{FoundMetadata, Workspace, Workspaces};
use windlass_ui::{Line, Mark, Tone, one_line, terminal_reset};

use super::configuration::Configuration;
use super::here::{Here, working_directory};
use super::workspaces::from_here;
use super::{agent, flags, launch, print, print_lines, run, telling, warn};
use crate::args::AuthoringArgs;
use crate::error::{CliError, Kind};

/// Files that are named of those that changed beside the instructions; the others are counted.
const NAMED: usize = 5;

/// Does it.
///
/// # Errors
/// Whatever keeps the session from beginning, or what it did from being noted.
pub fn author(authoring: Authoring, args: &AuthoringArgs) -> Result<ExitCode, CliError> {
    let directory = working_directory()?;
    let workspaces = Workspaces::open(&directory);
    let workspace = workspaces.find(&args.name)?;
    refuse_wrong_verb(authoring, &workspace)?;
    refuse_without_terminal(&workspace)?;
    let here = Here::at(workspaces.project().to_owned())?;
    let mode = match workspace.read_metadata()? {
        FoundMetadata::Read { metadata, .. } => metadata.mode,
        // Mended when the session is counted.
        FoundMetadata::Missing | FoundMetadata::Corrupt(_) => Mode::Loop,
    };
    let layer = flags::authoring(args)?;
    let configuration =
        Configuration::load(&here.directory, Some(workspace.folder()), mode, layer, Unlimited::Refused)?;
    let mock = args.mock.as_deref().map(|script| checked_script(authoring, script)).transpose()?;
    let wanted = agent::Wanted {
        resolved: &configuration.resolved,
        mock: mock.as_deref(),
        skip_permissions: false,
        directory: &here.directory,
    };
    let mut agent = agent::plan(&wanted)?;
    agent::check(&mut agent, configuration.resolved.exit_codes)?;
    let notify = configuration.resolved.notify;
    Session { authoring, here, workspace, agent, mode, notify }.hold()
}

/// What stands for no script plays along with the verb.
fn checked_script(authoring: Authoring, script: &str) -> Result<String, CliError> {
    let script = match (script, authoring) {
        ("builtin:default", Authoring::Setup) => "builtin:setup",
        ("builtin:default", Authoring::Edit) => "builtin:edit",
        (script, _) => script,
    };
    run::script(script)
}

fn refuse_wrong_verb(authoring: Authoring, workspace: &Workspace) -> Result<(), CliError> {
    let name = workspace.name();
    let written = has_text(&workspace.instructions())?;
    match authoring {
        Authoring::Setup if written => Err(CliError::usage(format!("{name} has instructions already"))
            .hint(format!("Change them: windlass edit {name}"))
            .hint(format!("Judge them: windlass validate {name}"))),
        Authoring::Edit if !written => Err(CliError::new(
            Kind::Stopped(StopReason::Missing, ExitCodes::Simple),
            format!("Instructions not found. Run setup first: windlass setup {name}"),
        )),
        _ => Ok(()),
    }
}

fn refuse_without_terminal(workspace: &Workspace) -> Result<(), CliError> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok(());
    }
    Err(CliError::usage("this is a conversation with the agent, and there is no terminal to have it in")
        .hint(format!("Write the instructions yourself: {}", from_here(&workspace.instructions())))
        .hint("Or run a goal instead of a workspace: windlass run -p \"what is to be done\""))
}

/// Is there more in it than blanks, headings and comments?
fn has_text(path: &Path) -> Result<bool, CliError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => {
            return Err(CliError::new(Kind::System, format!("cannot read {}: {error}", path.display())));
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut visible = String::new();
    while let Some((before, comment)) = rest.split_once("<!--") {
        visible.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    visible.push_str(rest);
    Ok(visible.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')))
}

/// A session that is about to begin.
struct Session {
    authoring: Authoring,
    here: Here,
    workspace: Workspace,
    agent: AgentPlan,
    mode: Mode,
    notify: NotifySettings,
}

impl Session {
    fn hold(self) -> Result<ExitCode, CliError> {
        let record = SessionRecord {
            verb: self.verb().to_owned(),
            about: self.workspace.name().to_string(),
            directory: self.here.directory.clone(),
            started: Timestamp::now(),
        };
        let folder = SessionFolder::create(&self.here.project, &record)?;
        let taken = match launch::lock(&self.here, folder.session(), ExitCodes::Simple) {
            Ok(taken) => taken,
            Err(error) => {
                // Nothing has happened in it.
                let _ = fs::remove_dir_all(folder.path());
                return Err(error);
            }
        };
        taken.notices.iter().for_each(|notice| warn(notice));
        let (ended, taken) = launch::with_lock(taken, || self.talk(&folder))?;
        let noted = self
            .workspace
            .update_metadata(&self.here.project, windlass_core::workspace::Metadata::after_setup);
        taken.lock.release()?;
        if let Some(mended) = noted?.mended {
            warn(&mended.sentence(&self.workspace.metadata()));
        }
        self.tell(&folder, &ended)
    }

    const fn verb(&self) -> &'static str {
        match self.authoring {
            Authoring::Setup => "setup",
            Authoring::Edit => "edit",
        }
    }

    /// Hands the terminal over, and has it back.
    fn talk(&self, folder: &SessionFolder) -> Result<interactive::Ended, CliError> {
        let prompt = session(&SessionParts {
            authoring: self.authoring,
            name: self.workspace.name().as_str(),
            workspace: self.workspace.folder(),
            project: &self.here.directory,
            mode: self.mode,
        });
        let state = super::here::state_root()?;
        let settings = ClaudeSettings::session(&self.here.directory, self.workspace.folder(), &state);
        folder.write(&prompt.system, &settings.to_json())?;
        let (system, settings) = (folder.system(), folder.settings());
        let files = SessionFiles { system_prompt: &system, settings: &settings, opening: &prompt.opening };
        let mut invocation = ClaudeInvocation::interactive(&self.agent, files);
        let workspace = self.workspace.folder().display().to_string();
        invocation.environment.push((WORKSPACE_VARIABLE.to_owned(), Some(workspace)));
        invocation.environment.extend(agent::secret_variables().into_iter().map(|name| (name, None)));
        let store = launch::snapshots(&self.here, folder.session())?;
        if let Some(without) = launch::without_git(&self.here) {
            warn(&without);
        }
        print_lines(&[self.opening()])?;
        let keeping = store.map(|store| Keeping { surveyor: Surveyor::new(self.here.place()), store });
        let interactive = Interactive {
            session: folder.session(),
            invocation: &invocation,
            directory: &self.here.directory,
            keeping,
        };
        let ended = interactive.hold()?;
        if matches!(ended.handed_back.ended, Ended::Signalled(_)) {
            print(terminal_reset())?;
        }
        Ok(ended)
    }

    fn opening(&self) -> Line {
        let agent = match self.agent.version.as_str() {
            "" => self.agent.name.clone(),
            version => format!("{} {version}", self.agent.name),
        };
        Line::hanging(2)
            .strong(format!("{} {}", self.verb(), self.workspace.name()))
            .dim(format!(" · the terminal is {agent}'s until you leave it"))
    }

    /// What came of it.
    fn tell(&self, folder: &SessionFolder, ended: &interactive::Ended) -> Result<ExitCode, CliError> {
        let instructions = self.workspace.instructions();
        let written = has_text(&instructions)?;
        let mut lines = Vec::new();
        lines.extend(how_it_ended(ended.handed_back.ended));
        lines.extend(ended.handed_back.left.first().map(|pid| {
            let count = ended.handed_back.left.len();
            notice(&format!("{count} processes it started cannot be ended; the first is {pid}"))
        }));
        lines.extend(
            ended
                .trouble
                .as_ref()
                .map(|trouble| notice(&format!("the files were not kept afterwards: {trouble}"))),
        );
        let (own, others) = self.changes(ended);
        lines.push(self.headline(written, own.as_deref()));
        if !others.is_empty() {
            lines.push(notice(&format!(
                "{} beside the instructions: {}",
                changed(others.len()),
                named(&others)
            )));
        }
        let changed_anything = ended.changes.as_ref().is_some_and(|changes| !changes.is_empty());
        let labels = ["next", "", ""];
        let next = labels.iter().zip(self.next(written));
        lines
            .extend(next.map(|(label, command)| Line::new().dim(format!("  {label:<4}  ")).command(command)));
        if changed_anything || ended.trouble.is_some() && self.here.repository.is_some() {
            let undo = format!("windlass restore {} 1 --before", folder.session());
            lines.push(Line::new().dim("  undo  ").command(undo));
        }
        print_lines(&lines)?;
        if written && self.authoring == Authoring::Setup {
            let name = self.workspace.name().as_str();
            let told = notification::setup_complete(name, Timestamp::now());
            telling::tell(&self.notify, &self.here.directory, &told)?;
        }
        Ok(match ended.handed_back {
            ref back if back.asked => ExitCode::from(143),
            _ if written => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }

    /// The changed files of the workspace that the session is for (`None`: nobody looked), and all others but its own
    /// bookkeeping.
    fn changes(&self, ended: &interactive::Ended) -> (Option<Vec<PathBuf>>, Vec<PathBuf>) {
        let Some(changes) = &ended.changes else {
            return (None, Vec::new());
        };
        let root = self.here.place().root;
        let path = |change: &Change| root.join(as_path(&change.path));
        let ours = [self.workspace.instructions(), self.workspace.todo()];
        let (own, others) = changes.iter().map(path).partition::<Vec<_>, _>(|path| ours.contains(path));
        (Some(own), others)
    }

    fn headline(&self, written: bool, own: Option<&[PathBuf]>) -> Line {
        let name = self.workspace.name();
        let path = from_here(&self.workspace.instructions());
        let good = Line::hanging(2).mark(Tone::Good, Mark::Passed);
        let nothing = Line::hanging(2).mark(Tone::Warn, Mark::Nothing);
        match (self.authoring, written) {
            (Authoring::Setup, true) => {
                good.plain(format!(" the instructions of {name} are written: {path}"))
            }
            (Authoring::Setup, false) => nothing.plain(format!(" there are no instructions yet: {path}")),
            (Authoring::Edit, false) => {
                nothing.plain(format!(" the instructions of {name} are gone: {path}"))
            }
            (Authoring::Edit, true) => match own {
                Some([]) => nothing.plain(format!(" the instructions of {name} are as they were")),
                Some(_) => good.plain(format!(" the instructions of {name} are changed")),
                None => good.plain(format!(" the instructions of {name}: {path}")),
            },
        }
    }

    fn next(&self, written: bool) -> Vec<String> {
        let name = self.workspace.name();
        if written {
            vec![format!("windlass validate {name}"), format!("windlass run {name}")]
        } else {
            vec![format!("windlass setup {name}")]
        }
    }
}

fn how_it_ended(ended: Ended) -> Option<Line> {
    match ended {
        Ended::Exited(0) => None,
        Ended::Exited(code) => Some(notice(&format!("the agent ended with exit code {code}"))),
        Ended::Signalled(signal) => Some(notice(&format!("the agent was ended by signal {signal}"))),
        Ended::Lost => Some(notice("the agent's end was not seen")),
    }
}

fn notice(sentence: &str) -> Line {
    Line::hanging(2).mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
}

fn changed(count: usize) -> String {
    if count == 1 { "1 file changed".to_owned() } else { format!("{count} files changed") }
}

fn named(paths: &[PathBuf]) -> String {
    let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    if paths.len() > NAMED {
        names.push(format!("{} more", paths.len() - NAMED));
    }
    names.join(", ")
}
