//! The log of a run in its workspace (seed 000, "Log File Format"): what the verbose view shows, as plain text, with the
//! parts that never change once, at the top.
//!
//! Times are in UTC. What an agent said stands indented, so that nothing in it can be taken for a section of the log.

use std::mem;
use std::sync::mpsc::Sender;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::fact::{Entry, Fact};
use windlass_core::spec::RunSpec;
use windlass_core::values::{LaneId, Named, Verdict};
use windlass_jobs::follow_up;

use crate::board::Board;
use crate::event::{Event, View};
use crate::format;
use crate::harmless::{harmless, one_line};
use crate::line::Line;
use crate::narrate;
use crate::terminal::{Glyphs, Terminal};
use crate::tool::{Narrator, Places};
use crate::words;

/// So much is held back before it is written.
const HELD_BACK: usize = 10 * 1024;

/// What stands above and below the title of a section.
const RULER: &str = "================================================================================";

/// Where a log is written to: a file, or memory in tests.
pub trait LogSink: Send {
    /// Writes all of it.
    fn write(&mut self, text: &[u8]) -> Result<(), String>;

    /// Is it still where people look for it, and can it be written on? Makes it so where that can be done.
    fn renew(&mut self) -> Result<LogState, String>;
}

/// What a log holds already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogState {
    /// What was written on it before.
    Same,
    /// Nothing.
    Blank,
}

/// The parts of a log that no fact holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogParts {
    /// What is to be done, word for word.
    pub instructions: String,
    /// The agent's system prompt.
    pub system_prompt: String,
    /// What the workspace's `.status-instructions.md` says; `None` where there is none.
    pub status_instructions: Option<String>,
}

/// Writes a log.
pub struct LogView {
    board: Board,
    narrator: Narrator,
    parts: LogParts,
    /// When this session began, and how; `None` before.
    session: Option<Session>,
    terminal: Terminal,
    sink: Box<dyn LogSink>,
    held_back: String,
    /// The last line was blank.
    after_blank: bool,
    /// What is written is lost until the sink is renewed.
    broken: bool,
    /// It was told.
    said: bool,
    trouble: Sender<String>,
}

#[derive(Clone, Copy)]
struct Session {
    began: Timestamp,
    resumes: bool,
}

impl LogView {
    /// A log that begins empty. When it cannot be written, that is said there once; it is tried again at each iteration.
    pub fn new(parts: LogParts, sink: Box<dyn LogSink>, trouble: Sender<String>) -> LogView {
        let terminal = Terminal { glyphs: Glyphs::Unicode, ..Terminal::plain() };
        LogView {
            board: Board::default(),
            narrator: Narrator::default(),
            parts,
            session: None,
            terminal,
            sink,
            held_back: String::new(),
            after_blank: true,
            broken: false,
            said: false,
            trouble,
        }
    }

    fn fact(&mut self, entry: &Entry) {
        let at = entry.at.wall;
        match &entry.fact {
            Fact::RunStarted { plan } | Fact::RunResumed { plan } => {
                self.narrator.set_places(Places::of(plan));
                let resumes = matches!(entry.fact, Fact::RunResumed { .. });
                self.session = Some(Session { began: at, resumes });
                self.preamble();
            }
            Fact::IterationStarted { iteration, .. } => {
                self.renew();
                self.section(&[format!("ITERATION {iteration}"), format!("Started: {}", stamp(at))]);
                // Whoever follows the log sees what it is waiting for.
                self.write_out();
            }
            Fact::CallReserved { attempt, purpose, agent, .. } => {
                let usual = || self.board.speaker(*agent).about().words.log_heading;
                let own = follow_up::of(*purpose).and_then(|call| call.log_heading);
                let output = own.unwrap_or_else(usual);
                let again = if *attempt > 1 { format!(" (attempt {attempt})") } else { String::new() };
                self.text(&format!("\n{output}{again}:\n"));
            }
            Fact::CallFinished { .. } => self.narrator.forget(),
            Fact::IterationFinished { lane, iteration, verdict, .. } => {
                self.narrated(entry);
                self.ended(*lane, *iteration, *verdict, at);
                self.write_out();
            }
            Fact::RunFinished { .. } => {
                self.section(&["RUN FINISHED".to_owned(), format!("Completed: {}", stamp(at))]);
                for line in narrate::summary(&self.board) {
                    self.line(&line);
                }
                self.write_out();
            }
            _ => self.narrated(entry),
        }
    }

    /// The lines that people see of it.
    fn narrated(&mut self, entry: &Entry) {
        for line in narrate::lines(&self.board, entry, &TimeZone::UTC) {
            self.line(&line);
        }
    }

    fn ended(&mut self, lane: LaneId, iteration: u32, verdict: Verdict, at: Timestamp) {
        let failed = verdict == Verdict::Failed;
        if failed {
            let call = self.board.lanes.get(&lane).and_then(|lane| lane.last_call.as_ref());
            let message = call.map(|call| match one_line(&call.detail) {
                detail if detail.is_empty() => words::class(call.class).to_owned(),
                detail => detail,
            });
            let message = message.unwrap_or_default();
            self.text(&format!(
                "\nERROR (Iteration {iteration}):\nTime: {}\nMessage: {message}\n",
                stamp(at)
            ));
        }
        let status = if failed { "error" } else { "success" };
        self.text(&format!("\nSTATUS: {status}\nCompleted: {}\n", stamp(at)));
        if let Some(left) = self.board.status.remaining() {
            self.text(&format!("Remaining: {left}\n"));
        }
    }

    /// What a log begins with.
    fn preamble(&mut self) {
        let Some((plan, session)) = self.board.plan.clone().zip(self.session) else { return };
        let began = stamp(session.began);
        self.after_blank = true;
        self.section(&["WINDLASS - EXECUTION LOG".to_owned(), format!("Started: {began}")]);
        self.section(&["RUN METADATA".to_owned()]);
        self.text(&metadata(&plan, session));
        let parts = mem::take(&mut self.parts);
        let always = [("INSTRUCTIONS", &parts.instructions), ("SYSTEM PROMPT", &parts.system_prompt)];
        let status = parts.status_instructions.iter().map(|text| ("STATUS INSTRUCTIONS", text));
        for (title, text) in always.into_iter().chain(status) {
            self.section(&[title.to_owned()]);
            self.text(&unforged(text));
        }
        self.parts = parts;
        self.text("\n");
        self.write_out();
    }

    fn section(&mut self, title: &[String]) {
        if !self.after_blank {
            self.text("\n");
        }
        self.text(&format!("{RULER}\n{}\n{RULER}\n", title.join("\n")));
    }

    fn line(&mut self, line: &Line) {
        let text = self.rendered(line);
        self.text(&text);
    }

    fn rendered(&self, line: &Line) -> String {
        let mut text = line.render(&self.terminal);
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// Text that is not what the agent does: an answer that follows has to say what it answers.
    fn text(&mut self, text: &str) {
        self.narrator.interrupted();
        self.hold(text);
    }

    fn hold(&mut self, text: &str) {
        if self.broken {
            return;
        }
        self.after_blank = text == "\n" || text.ends_with("\n\n");
        self.held_back.push_str(text);
        if self.held_back.len() >= HELD_BACK {
            self.write_out();
        }
    }

    fn write_out(&mut self) {
        let text = mem::take(&mut self.held_back);
        if self.broken || text.is_empty() {
            return;
        }
        if let Err(why) = self.sink.write(text.as_bytes()) {
            self.fail(&why);
        }
    }

    /// An iteration begins: a log that could not be written, or was taken away, is tried again.
    fn renew(&mut self) {
        self.write_out();
        let was_broken = mem::take(&mut self.broken);
        match self.sink.renew() {
            Err(why) => self.fail(&why),
            Ok(LogState::Same) if !was_broken => {}
            Ok(state) => {
                if state == LogState::Blank {
                    self.preamble();
                }
                self.text(
                    "… a part of this log is missing: it could not be written; `windlass logs` has it\n",
                );
            }
        }
    }

    fn fail(&mut self, why: &str) {
        self.broken = true;
        self.held_back.clear();
        if !mem::replace(&mut self.said, true) {
            // Nobody listens any more only when the run is over.
            let _ = self.trouble.send(format!(
                "the run's log is not written any more: {why}; the run goes on, and each iteration tries again"
            ));
        }
    }
}

impl View for LogView {
    fn event(&mut self, event: &Event) {
        self.board.apply(event);
        match event {
            Event::Fact(entry) => self.fact(entry),
            Event::Observation { at, observation, .. } => {
                for line in self.narrator.lines(observation, *at, &TimeZone::UTC) {
                    let text = self.rendered(&line);
                    self.hold(&text);
                }
            }
            Event::Dropped { count } => {
                let steps = format::count(*count, "step");
                self.text(&format!(
                    "    … {steps} not logged, the disk was too slow; `windlass logs` has them\n"
                ));
            }
            Event::Past(_) | Event::Tick { .. } => {}
        }
    }

    fn finish(&mut self) {
        self.write_out();
    }
}

fn metadata(plan: &RunSpec, session: Session) -> String {
    let mut rows = vec![("Run", plan.run.0.clone())];
    if let Some(workspace) = &plan.job.workspace {
        rows.push(("Workspace", workspace.name.clone()));
    }
    rows.push(("Mode", plan.job.mode.name().to_owned()));
    let most = plan.limits.iterations.map_or("unlimited".to_owned(), |most| most.to_string());
    rows.push(("Max Iterations", most));
    if let Some(idle) = plan.limits.stagnation.filter(|_| plan.job.mode.reads_file()) {
        rows.push(("Stagnation Threshold", idle.to_string()));
    }
    rows.push(("Agent", format!("{} {}", plan.agent.name, plan.agent.version).trim_end().to_owned()));
    rows.push(("Directory", plan.directory.to_string_lossy().into_owned()));
    if session.resumes {
        rows.push(("Session", "resumed".to_owned()));
    }
    rows.push(("Start Time", stamp(session.began)));
    let rows = rows.iter().map(|(key, value)| format!("{key}: {}\n", one_line(value)));
    rows.collect()
}

/// A text of somebody else's, in which no line looks like the beginning of a section.
fn unforged(text: &str) -> String {
    let text = harmless(text.trim_end());
    let lines = text.lines().map(|line| {
        let space = if line.starts_with(RULER) { " " } else { "" };
        format!("{space}{line}\n")
    });
    lines.collect()
}

/// `2026-03-01T20:00:00.000Z`.
fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
