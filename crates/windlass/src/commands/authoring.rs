//! `setup` and `edit`: an agent and a person at this terminal write what a workspace's runs are told.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::Timestamp;
use windlass_agents::Permissions;
use windlass_core::config::{NotifySettings, Unlimited};
use windlass_core::notification;
use windlass_core::spec::{AgentSpec, Mode};
use windlass_core::values::StopReason;
use windlass_engine::workspace::{FoundMetadata, Workspace, Workspaces};
use windlass_host::process::WORKSPACE_VARIABLE;
use windlass_host::tree::at;
use windlass_jobs::prompt::{Authoring, SessionParts, session};
use windlass_ui::{Line, Mark, Tone};

use super::conversation::{Conversation, Held, has_terminal};
use super::wanted;
use super::{flags, print_lines, warn};
use crate::args::AuthoringArgs;
use crate::commands::app;
use crate::commands::from_here;
use windlass_app::agent;
use windlass_app::configuration::Configuration;
use windlass_app::here::Here;
use windlass_app::telling;
use windlass_app::trusting::{self, Asked, Purpose};
use windlass_app::{AppError, Codes, Kind};

/// Does it.
pub fn author(authoring: Authoring, args: &AuthoringArgs) -> Result<ExitCode, AppError> {
    let directory = app()?.directory().to_owned();
    let workspaces = Workspaces::open(&directory);
    let workspace = workspaces.find(&args.name)?;
    refuse_wrong_verb(authoring, &workspace)?;
    refuse_without_terminal(&workspace)?;
    let here = Here::at(&app()?, workspaces.project().to_owned())?;
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
        app: &here.app,
        resolved: &configuration.resolved,
        mock: mock.as_deref(),
        skip_permissions: false,
        directory: &here.directory,
    };
    let trusted = trusting::require(&Asked {
        here: &here,
        configuration: &configuration,
        purpose: Purpose::Session,
        reader: Some(agent::chosen(&configuration.resolved, mock.as_deref())),
        answers: &(&args.trust).into(),
    })?;
    trusted.notices.iter().for_each(|notice| warn(notice));
    let mut agent = agent::plan(&wanted)?;
    agent::check(&here.app, &mut agent, &trusted, configuration.resolved.exit_codes)?;
    let notify = configuration.resolved.notify;
    Session { authoring, here, workspace, agent, mode, notify }.hold()
}

/// What stands for no script plays along with the verb.
fn checked_script(authoring: Authoring, script: &str) -> Result<String, AppError> {
    let script = match (script, authoring) {
        ("builtin:default", Authoring::Setup) => "builtin:setup",
        ("builtin:default", Authoring::Edit) => "builtin:edit",
        (script, _) => script,
    };
    wanted::script(script)
}

fn refuse_wrong_verb(authoring: Authoring, workspace: &Workspace) -> Result<(), AppError> {
    let name = workspace.name();
    let written = has_text(&workspace.instructions())?;
    match authoring {
        Authoring::Setup if written => Err(AppError::usage(format!("{name} has instructions already"))
            .hint(format!("Change them: windlass edit {name}"))
            .hint(format!("Judge them: windlass validate {name}"))),
        Authoring::Edit if !written => Err(AppError::new(
            Kind::Stopped(StopReason::Missing, Codes::AsConfigured),
            format!("Instructions not found. Run setup first: windlass setup {name}"),
        )),
        _ => Ok(()),
    }
}

fn refuse_without_terminal(workspace: &Workspace) -> Result<(), AppError> {
    if has_terminal() {
        return Ok(());
    }
    Err(AppError::usage("this is a conversation with the agent, and there is no terminal to have it in")
        .hint(format!("Write the instructions yourself: {}", from_here(&workspace.instructions())))
        .hint("Or run a goal instead of a workspace: windlass run -p \"what is to be done\""))
}

/// So much of instructions is looked at.
const LONGEST_INSTRUCTIONS: usize = 1 << 20;

/// Is there more in it than blanks, headings and comments?
fn has_text(path: &Path) -> Result<bool, AppError> {
    let read = at(path).read_beginning(LONGEST_INSTRUCTIONS);
    let Some(bytes) = read.map_err(|error| AppError::new(Kind::System, error.to_string()))? else {
        return Ok(false);
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
    agent: AgentSpec,
    mode: Mode,
    notify: NotifySettings,
}

impl Session {
    fn hold(self) -> Result<ExitCode, AppError> {
        let (held, noted) = self.conversation()?.hold(|| {
            self.workspace
                .update_metadata(&self.here.project, windlass_core::workspace::Metadata::after_setup)
        })?;
        if let Some(mended) = noted?.mended {
            warn(&mended.sentence(&self.workspace.metadata_file()));
        }
        self.tell(&held)
    }

    fn conversation(&self) -> Result<Conversation<'_>, AppError> {
        let prompt = session(&SessionParts {
            authoring: self.authoring,
            name: self.workspace.name().as_str(),
            workspace: self.workspace.folder(),
            project: &self.here.directory,
            mode: self.mode,
        });
        let state = windlass_app::here::state_root()?;
        let workspace = self.workspace.folder().display().to_string();
        Ok(Conversation {
            here: &self.here,
            agent: &self.agent,
            verb: self.verb(),
            about: self.workspace.name().as_str(),
            prompt,
            permissions: Permissions::session(&self.here.directory, self.workspace.folder(), &state),
            environment: vec![(WORKSPACE_VARIABLE.to_owned(), Some(workspace))],
        })
    }

    const fn verb(&self) -> &'static str {
        match self.authoring {
            Authoring::Setup => "setup",
            Authoring::Edit => "edit",
        }
    }

    /// What came of it.
    fn tell(&self, held: &Held) -> Result<ExitCode, AppError> {
        let instructions = self.workspace.instructions();
        let written = has_text(&instructions)?;
        let mut lines = held.troubles();
        let ours = [instructions, self.workspace.todo()];
        let (own, others) = held.changes(&self.here, &ours);
        lines.push(self.headline(written, own.as_deref()));
        lines.extend(Held::beside("the instructions", &others));
        let labels = ["next", "", ""];
        let next = labels.iter().zip(self.next(written));
        lines
            .extend(next.map(|(label, command)| Line::new().dim(format!("  {label:<4}  ")).command(command)));
        lines.extend(held.undo(&self.here));
        print_lines(&lines)?;
        if written && self.authoring == Authoring::Setup {
            let name = self.workspace.name().as_str();
            let told = notification::setup_complete(name, Timestamp::now());
            telling::tell(&self.here.app, &self.notify, &self.here.directory, &told)?;
        }
        Ok(match held.ended.handed_back {
            ref back if back.asked => ExitCode::from(143),
            _ if written => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
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
