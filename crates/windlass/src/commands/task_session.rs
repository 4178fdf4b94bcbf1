//! A task file, written or changed by an agent and a person at this terminal.

use std::process::ExitCode;

use windlass_app::session::{TasksSession, WriteTasks};
use windlass_app::task_place::TaskPlace;
use windlass_app::{App, AppError};
use windlass_ui::{Line, Mark, Tone};

use super::task_lines::task_lines;
use super::{conversation, done, flags, print_lines, wanted};
use crate::args::TrustArgs;

/// A session that is about to begin.
pub struct TaskSession<'a> {
    /// The verb that it is held for.
    pub verb: &'static str,
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
    pub fn hold(&self, app: &App) -> Result<ExitCode, AppError> {
        let held = app.write_tasks(&WriteTasks {
            verb: self.verb,
            place: self.place,
            settings: flags::model(self.model)?,
            script: self.mock.map(|script| wanted::script(script)).transpose()?,
            trust: self.answers.into(),
        })?;
        print_lines(&said(&held))?;
        Ok(match (held.session.was_asked_to_end, held.place.total()) {
            (true, _) => ExitCode::from(143),
            (false, 0) => ExitCode::FAILURE,
            (false, _) => ExitCode::SUCCESS,
        })
    }
}

fn said(TasksSession { session, place }: &TasksSession) -> Vec<Line> {
    let mut lines = conversation::troubles(session);
    let shown = place.shown();
    let nothing = Line::hanging(2).mark(Tone::Warn, Mark::Nothing);
    lines.push(match (place.total(), session.own.as_deref()) {
        (0, _) => nothing.plain(format!(" there is no task in {shown} yet")),
        (_, Some([])) => nothing.plain(format!(" {shown} is as it was")),
        _ => done(&format!("the tasks are in {shown}")),
    });
    lines.extend(task_lines(place));
    lines.extend(conversation::beside(&shown, session));
    let next = if place.total() > 0 { "run --mode tasks" } else { "continue requirements" };
    lines.push(Line::new().dim("  next  ").command(place.command(next)));
    lines.extend(conversation::undo(session));
    lines
}
