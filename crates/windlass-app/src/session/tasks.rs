//! A task file, written or changed in a session.

use std::env::consts::{ARCH, OS};
use std::slice;

use windlass_agents::Permissions;
use windlass_core::config::{Layer, Unlimited};
use windlass_core::spec::Mode;
use windlass_jobs::prompt::{TaskSessionParts, task_session};

use super::{Conversation, SessionEnd, agent, require_terminal};
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::here::{Here, state_root};
use crate::task_place::TaskPlace;
use crate::trusting::TrustAnswers;

/// What a scripted agent is told the file by.
const FILE_VARIABLE: &str = "WINDLASS_TASK_FILE";

/// A task file that an agent and a person are to write.
pub struct WriteTasks<'a> {
    /// The verb that asks for it, as the session's record and its opening name it.
    pub verb: &'static str,
    /// The task file, which has to be there.
    pub place: &'a TaskPlace,
    /// Values that go before those of the environment and of all files.
    pub settings: Layer,
    /// A scripted agent plays this instead of a real one.
    pub script: Option<String>,
    /// What is said of trust.
    pub trust: TrustAnswers,
}

/// What came of a session about a task file.
pub struct TasksSession {
    /// How it went.
    pub session: SessionEnd,
    /// The tasks as they stand now.
    pub place: TaskPlace,
}

impl App {
    /// Lends the terminal to an agent that writes or changes the tasks of a file with a person.
    ///
    /// # Errors
    /// There is no task file or no terminal, or whatever keeps the agent from beginning.
    pub fn write_tasks(&self, request: &WriteTasks<'_>) -> Result<TasksSession, AppError> {
        let place = request.place;
        place.require_file()?;
        require_terminal(self)
            .map_err(|error| error.hint(format!("Write the tasks yourself: {}", place.shown())))?;
        let here = Here::at(self, place.directory.clone())?;
        // Of the configuration only the agent counts, which is the same in every mode.
        let settings = request.settings.clone();
        let configuration =
            Configuration::load(&here.directory, None, Mode::Goal, settings, Unlimited::NotAsked)?;
        let script = request.script.as_deref().map(|script| match (script, place.total()) {
            ("builtin:default", 0) => "builtin:task-setup",
            ("builtin:default", _) => "builtin:task-edit",
            (script, _) => script,
        });
        let agent = agent(&here, &configuration, script, &request.trust)?;
        let path = place.path();
        let prompt = task_session(&TaskSessionParts {
            file: &path,
            project: &here.directory,
            platform: &format!("{OS} {ARCH}"),
            next: &place.command("run --mode tasks"),
            tasks: place.total() as u64,
        });
        let conversation = Conversation {
            here: &here,
            agent: &agent,
            verb: request.verb,
            about: &place.shown(),
            ours: slice::from_ref(&path),
            prompt,
            permissions: Permissions::session_on_file(&here.directory, &path, &state_root()?),
            variable: (FILE_VARIABLE, path.display().to_string()),
        };
        let session = conversation.hold(|| Ok(()))?;
        Ok(TasksSession { session, place: place.again()? })
    }
}
