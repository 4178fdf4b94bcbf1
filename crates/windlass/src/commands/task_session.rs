//! A task file, written or changed by an agent and a person at this terminal.

use std::env::consts::{ARCH, OS};
use std::process::ExitCode;

use windlass_agents::Permissions;
use windlass_core::config::Unlimited;
use windlass_core::spec::{AgentSpec, Mode};
use windlass_jobs::prompt::{TaskSessionParts, task_session};
use windlass_ui::{Line, Mark, Tone};

use super::conversation::{Conversation, Held};
use super::task_lines::task_lines;
use super::wanted;
use super::{flags, print_lines, warn};
use crate::args::TrustArgs;
use crate::commands::app;
use windlass_app::AppError;
use windlass_app::agent;
use windlass_app::configuration::Configuration;
use windlass_app::here::Here;
use windlass_app::task_place::TaskPlace;
use windlass_app::trusting::{self, Asked, Purpose};

/// What a scripted agent is told the file by.
const FILE_VARIABLE: &str = "WINDLASS_TASK_FILE";

/// A session that is about to begin.
pub struct TaskSession<'a> {
    /// The verb that it is held for.
    pub verb: &'a str,
    /// The task file, which is there.
    pub place: &'a TaskPlace,
    /// `--model`.
    pub model: Option<&'a String>,
    /// `--mock`.
    pub mock: Option<&'a String>,
    /// What it may start.
    pub answers: &'a TrustArgs,
}

impl TaskSession<'_> {
    /// Holds it, and says what came of it: success when there is a task in the end.
    ///
    /// # Errors
    /// The agent is not there, or whatever keeps it from beginning.
    pub fn hold(&self) -> Result<ExitCode, AppError> {
        let here = Here::at(&app()?, self.place.directory.clone())?;
        let agent = self.agent(&here)?;
        let path = self.place.path();
        let platform = format!("{OS} {ARCH}");
        let prompt = task_session(&TaskSessionParts {
            file: &path,
            project: &here.directory,
            platform: &platform,
            next: &self.place.command("run --mode tasks"),
            tasks: self.place.total() as u64,
        });
        let state = windlass_app::here::state_root()?;
        let about = self.place.shown();
        let conversation = Conversation {
            here: &here,
            agent: &agent,
            verb: self.verb,
            about: &about,
            prompt,
            permissions: Permissions::session_on_file(&here.directory, &path, &state),
            environment: vec![(FILE_VARIABLE.to_owned(), Some(path.display().to_string()))],
        };
        let (held, ()) = conversation.hold(|| ())?;
        self.tell(&here, &held)
    }

    fn agent(&self, here: &Here) -> Result<AgentSpec, AppError> {
        let layer = flags::model(self.model)?;
        // Of the configuration only the agent counts, which is the same in every mode.
        let configuration =
            Configuration::load(&here.directory, None, Mode::Goal, layer, Unlimited::NotAsked)?;
        let resolved = &configuration.resolved;
        let script = |script: &String| match (script.as_str(), self.place.total()) {
            ("builtin:default", 0) => wanted::script("builtin:task-setup"),
            ("builtin:default", _) => wanted::script("builtin:task-edit"),
            (script, _) => wanted::script(script),
        };
        let mock = self.mock.map(script).transpose()?;
        let wanted = agent::Wanted {
            app: &here.app,
            resolved,
            mock: mock.as_deref(),
            skip_permissions: false,
            directory: &here.directory,
        };
        let trusted = trusting::require(&Asked {
            here,
            configuration: &configuration,
            purpose: Purpose::Session,
            reader: Some(agent::chosen(&configuration.resolved, mock.as_deref())),
            answers: &self.answers.into(),
        })?;
        trusted.notices.iter().for_each(|notice| warn(notice));
        let mut agent = agent::plan(&wanted)?;
        agent::check(&here.app, &mut agent, &trusted, resolved.exit_codes)?;
        Ok(agent)
    }

    fn tell(&self, here: &Here, held: &Held) -> Result<ExitCode, AppError> {
        let now = self.place.again()?;
        let mut lines = held.troubles();
        let (own, others) = held.changes(here, &[self.place.path()]);
        let shown = now.shown();
        let good = Line::hanging(2).mark(Tone::Good, Mark::Passed);
        let nothing = Line::hanging(2).mark(Tone::Warn, Mark::Nothing);
        lines.push(match (now.total(), own.as_deref()) {
            (0, _) => nothing.plain(format!(" there is no task in {shown} yet")),
            (_, Some([])) => nothing.plain(format!(" {shown} is as it was")),
            _ => good.plain(format!(" the tasks are in {shown}")),
        });
        lines.extend(task_lines(&now));
        lines.extend(Held::beside(&shown, &others));
        let next = if now.total() > 0 { "run --mode tasks" } else { "continue requirements" };
        lines.push(Line::new().dim("  next  ").command(now.command(next)));
        lines.extend(held.undo(here));
        print_lines(&lines)?;
        Ok(match (held.ended.handed_back.asked, now.total()) {
            (true, _) => ExitCode::from(143),
            (false, 0) => ExitCode::FAILURE,
            (false, _) => ExitCode::SUCCESS,
        })
    }
}
