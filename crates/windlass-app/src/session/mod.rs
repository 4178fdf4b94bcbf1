//! Interactive sessions: an agent and a person at the front end's terminal. The working directory is locked meanwhile,
//! the files are kept before and after, and what came of it is the answer.

mod instructions;
mod tasks;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use jiff::Timestamp;
use windlass_agents::{Ability, About, Permissions, SessionFiles, of};
use windlass_core::environment::notice_of;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{Ended, RunId};
use windlass_engine::interactive::{self, Interactive, Keeping};
use windlass_engine::store::SessionFolder;
use windlass_engine::store::session_folder::SessionRecord;
use windlass_git::inventory::{Surveyor, as_path};
use windlass_host::environment::withheld_from;
use windlass_jobs::prompt::SessionPrompt;

pub use instructions::{InstructionsSession, WriteInstructions};
pub use tasks::{TasksSession, WriteTasks};
pub use windlass_jobs::prompt::Authoring;

use crate::agent;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Codes};
use crate::front_end::Borrower;
use crate::here::Here;
use crate::run::launch;
use crate::trusting::{self, Asked, Purpose, TrustAnswers};

/// A session that was held.
#[derive(Debug)]
pub struct SessionEnd {
    /// Its name.
    pub session: RunId,
    /// How the agent ended.
    pub ended: Ended,
    /// Windlass was asked to end meanwhile.
    pub was_asked_to_end: bool,
    /// Processes that it started and that cannot be ended.
    pub left: Vec<i32>,
    /// Why the files were not kept afterwards.
    pub trouble: Option<String>,
    /// Of the files that it was for those that changed; `None` = nobody looked.
    pub own: Option<Vec<PathBuf>>,
    /// Other files that changed.
    pub others: Vec<PathBuf>,
    /// There is something that restoring would undo.
    is_undoable: bool,
}

impl SessionEnd {
    /// The command that undoes all of it, where there is something to undo.
    pub fn undo(&self) -> Option<String> {
        self.is_undoable.then(|| format!("windlass restore {} 1 --before", self.session))
    }
}

/// A conversation that is about to begin.
struct Conversation<'a> {
    here: &'a Here,
    agent: &'a AgentSpec,
    /// The verb that it is held for.
    verb: &'static str,
    /// What it is about, as the verb names it.
    about: &'a str,
    /// The files that it is for.
    ours: &'a [PathBuf],
    prompt: SessionPrompt,
    permissions: Permissions,
    /// A variable beyond the usual ones.
    variable: (&'static str, String),
}

impl Conversation<'_> {
    /// Holds it. What has to be noted of it is noted while the directory is still locked.
    fn hold(self, note: impl FnOnce() -> Result<(), AppError>) -> Result<SessionEnd, AppError> {
        let About { product, .. } = of(self.agent).about();
        if !of(self.agent).about().can(Ability::HoldSessions) {
            return Err(AppError::usage(format!("{product} talks with nobody at a terminal"))
                .hint("Name another agent for this: WINDLASS_AGENT__USE=claude, and the same command"));
        }
        let record = SessionRecord {
            verb: self.verb.to_owned(),
            about: self.about.to_owned(),
            directory: self.here.directory.clone(),
            started: Timestamp::now(),
        };
        let folder = SessionFolder::create(&self.here.project, &record)?;
        let taken = match launch::lock(self.here, folder.session(), Codes::AsConfigured) {
            Ok(taken) => taken,
            Err(error) => {
                // Nothing has happened in it.
                // outside: the state folder.
                let _ = fs::remove_dir_all(folder.path());
                return Err(error);
            }
        };
        self.here.app.notices(&taken.notices);
        let (ended, taken) = launch::with_lock(taken, || self.talk(&folder))?;
        let noted = note();
        taken.lock.release()?;
        noted?;
        Ok(self.came_to(folder.session(), ended))
    }

    /// Hands the terminal over, and has it back.
    fn talk(&self, folder: &SessionFolder) -> Result<interactive::Ended, AppError> {
        let app = &self.here.app;
        let speaker = of(self.agent);
        folder.write(&self.prompt.system, &speaker.session_settings(&self.permissions))?;
        let (system, settings) = (folder.system(), folder.settings());
        let files =
            SessionFiles { system_prompt: &system, settings: &settings, opening: &self.prompt.opening };
        let mut invocation = speaker.session(self.agent, files);
        let (name, value) = &self.variable;
        invocation.environment.push(((*name).to_owned(), Some(value.clone())));
        invocation.environment.extend(agent::left_out_variables().into_iter().map(|name| (name, None)));
        let withheld = withheld_from(&agent::environment(), &agent::heir(self.agent));
        let variables = &speaker.about().variables.inherited;
        app.notices(&agent::elsewhere());
        app.notices(&notice_of(&withheld, &BTreeSet::new(), variables));
        invocation.environment.extend(withheld.into_iter().map(|name| (name, None)));
        let store = launch::snapshots(self.here, folder.session())?;
        app.notices(&launch::without_git(self.here));
        app.front_end().lend_terminal(&Borrower { agent: self.agent, verb: self.verb, about: self.about })?;
        let keeping = store.map(|store| Keeping { surveyor: Surveyor::new(self.here.place()), store });
        let interactive = Interactive {
            session: folder.session(),
            invocation: &invocation,
            directory: &self.here.directory,
            keeping,
        };
        let ended = interactive.hold()?;
        app.front_end().take_terminal_back(ended.handed_back.ended)?;
        Ok(ended)
    }

    fn came_to(&self, session: &RunId, ended: interactive::Ended) -> SessionEnd {
        let interactive::Ended { handed_back, changes, trouble } = ended;
        let root = self.here.place().root;
        let path = |path: &Vec<u8>| root.join(as_path(path));
        let is_changed = changes.as_ref().is_some_and(|changes| !changes.is_empty());
        let (own, others) = match changes {
            Some(changes) => {
                let (own, others) = changes.iter().map(path).partition(|path| self.ours.contains(path));
                (Some(own), others)
            }
            None => (None, Vec::new()),
        };
        SessionEnd {
            session: session.clone(),
            ended: handed_back.ended,
            was_asked_to_end: handed_back.asked,
            left: handed_back.left,
            own,
            others,
            is_undoable: is_changed || (trouble.is_some() && self.here.repository.is_some()),
            trouble,
        }
    }
}

/// The agent of a session: trusted with what the repository starts, there, and logged in.
fn agent(
    here: &Here,
    configuration: &Configuration,
    script: Option<&str>,
    answers: &TrustAnswers,
) -> Result<AgentSpec, AppError> {
    let resolved = &configuration.resolved;
    let trusted = trusting::require(&Asked {
        here,
        configuration,
        purpose: Purpose::Session,
        reader: Some(agent::chosen(resolved, script)),
        answers,
    })?;
    here.app.notices(&trusted.notices);
    let mut agent = agent::plan(&agent::Wanted {
        app: &here.app,
        resolved,
        mock: script,
        skip_permissions: false,
        directory: &here.directory,
    })?;
    agent::check(&here.app, &mut agent, &trusted, resolved.exit_codes)?;
    Ok(agent)
}

/// Without a terminal there is nobody to speak with.
fn require_terminal(app: &App) -> Result<(), AppError> {
    if app.front_end().has_terminal() {
        return Ok(());
    }
    Err(AppError::usage("this is a conversation with the agent, and there is no terminal to have it in"))
}
