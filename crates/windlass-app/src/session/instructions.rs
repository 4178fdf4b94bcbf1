//! What a workspace's runs are told, written or changed in a session.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use windlass_agents::Permissions;
use windlass_core::config::{Layer, NotifySettings, Unlimited};
use windlass_core::notification;
use windlass_core::spec::Mode;
use windlass_core::values::StopReason;
use windlass_core::workspace::Metadata;
use windlass_engine::workspace::{Workspace, Workspaces};
use windlass_host::process::WORKSPACE_VARIABLE;
use windlass_host::tree;
use windlass_jobs::job;
use windlass_jobs::prompt::{Authoring, SessionParts, session};

use super::{Conversation, SessionEnd, agent, require_terminal};
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Codes, Kind};
use crate::here::{Here, state_root};
use crate::telling;
use crate::trusting::TrustAnswers;
use crate::workspaces::{from_here, tell_mended};

/// Instructions that an agent and a person are to write.
#[derive(Clone, Debug)]
pub struct WriteInstructions {
    /// For the first time, or anew.
    pub authoring: Authoring,
    /// The workspace.
    pub workspace: String,
    /// Values that go before those of the environment and of all files.
    pub settings: Layer,
    /// A scripted agent plays this instead of a real one.
    pub script: Option<String>,
    /// What is said of trust.
    pub trust: TrustAnswers,
}

/// What came of a session about instructions.
#[derive(Debug)]
pub struct InstructionsSession {
    /// How it went.
    pub session: SessionEnd,
    /// The workspace.
    pub workspace: String,
    /// Where its instructions are.
    pub instructions: PathBuf,
    /// There is something in them.
    pub are_written: bool,
    here: Here,
    notify: NotifySettings,
}

impl InstructionsSession {
    /// Tells whoever is to be told that instructions are there now, and waits until that is done.
    pub fn tell_of_setup(&self) -> Result<(), AppError> {
        let told = notification::setup_complete(&self.workspace, Timestamp::now());
        telling::tell(&self.here.app, &self.notify, &self.here.directory, &told)
    }
}

impl App {
    /// Lends the terminal to an agent that writes or changes a workspace's instructions with a person. The session is
    /// counted in the workspace's history.
    ///
    /// # Errors
    /// There are instructions already, or none to be changed; there is no terminal, or whatever keeps the agent from
    /// beginning.
    pub fn write_instructions(&self, request: &WriteInstructions) -> Result<InstructionsSession, AppError> {
        let workspaces = Workspaces::open(self.directory());
        let workspace = workspaces.find(&request.workspace)?;
        refuse_wrong_verb(request.authoring, &workspace)?;
        refuse_without_terminal(self, &workspace)?;
        let here = Here::at(self, workspaces.project().to_owned())?;
        // Broken metadata are mended when the session is counted.
        let mode = workspace.read_metadata()?.mode().unwrap_or(Mode::Loop);
        let (folder, settings) = (workspace.folder(), request.settings.clone());
        let configuration =
            Configuration::load(&here.directory, Some(folder), mode, settings, Unlimited::Refused)?;
        let script = request.script.as_deref().map(|script| match (script, request.authoring) {
            ("builtin:default", Authoring::Setup) => "builtin:setup",
            ("builtin:default", Authoring::Edit) => "builtin:edit",
            (script, _) => script,
        });
        let agent = agent(&here, &configuration, script, &request.trust)?;
        let (name, authoring, project) = (workspace.name().as_str(), request.authoring, &here.directory);
        let conversation = Conversation {
            here: &here,
            agent: &agent,
            verb: match authoring {
                Authoring::Setup => "setup",
                Authoring::Edit => "edit",
            },
            about: name,
            ours: &[workspace.instructions(), workspace.todo()],
            prompt: session(&SessionParts {
                authoring,
                name,
                workspace: folder,
                project,
                pace: job::of(mode).words.pace,
            }),
            permissions: Permissions::session(project, folder, &state_root()?),
            variable: (WORKSPACE_VARIABLE, folder.display().to_string()),
        };
        let session = conversation.hold(|| count(&here, &workspace))?;
        let instructions = workspace.instructions();
        Ok(InstructionsSession {
            session,
            workspace: name.to_owned(),
            are_written: has_text(&instructions)?,
            instructions,
            notify: configuration.resolved.notify,
            here,
        })
    }
}

/// Counts the session in the workspace's history.
fn count(here: &Here, workspace: &Workspace) -> Result<(), AppError> {
    let updated = workspace.update_metadata(&here.project, Metadata::after_setup)?;
    tell_mended(&here.app, workspace, updated.mended.as_ref());
    Ok(())
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

fn refuse_without_terminal(app: &App, workspace: &Workspace) -> Result<(), AppError> {
    require_terminal(app).map_err(|error| {
        let instructions = from_here(app, &workspace.instructions());
        error
            .hint(format!("Write the instructions yourself: {instructions}"))
            .hint("Or run a goal instead of a workspace: windlass run -p \"what is to be done\"")
    })
}

/// So much of instructions is looked at.
const LONGEST_INSTRUCTIONS: usize = 1 << 20;

/// Is there more in it than blanks, headings and comments?
fn has_text(path: &Path) -> Result<bool, AppError> {
    let read = tree::at(path).read_beginning(LONGEST_INSTRUCTIONS);
    let Some(bytes) = read.map_err(AppError::system)? else {
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
