//! What a commit of the runner says: subject, body, trailers.
//!
//! Titles come from files that agents and people write, so they are cleaned and cut here; the trailers name the run and
//! its iteration for whoever reads the history, and are the commit's idempotency key.

mod layout;
mod template;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use template::{Template, TemplateError};

use layout::{cleaned, tidied, wrapped};
use template::Placeholder;

/// How commits are worded: `commit.message`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Wording {
    /// `Windlass iteration 3: TASK-1 - title`.
    #[default]
    Windlass,
    /// The texts of seed 003: `DevLoop iteration 3: Complete TASK-1 - title`.
    DevLoop,
    /// Conventional commits: `feat: TASK-1 - title`.
    Conventional,
    /// The project's own line.
    Own(Template),
}

/// What the line of a commit's message begins with that says which run has made it.
pub const RUN_TRAILER: &str = "Windlass-Run:";

/// The presets by name.
const PRESETS: [(&str, Wording); 3] =
    [("windlass", Wording::Windlass), ("devloop", Wording::DevLoop), ("conventional", Wording::Conventional)];

impl Wording {
    /// Reads a preset's name, or a template with placeholders.
    ///
    /// # Errors
    /// It is neither: one sentence that says what was probably meant.
    pub fn parse(text: &str) -> Result<Wording, TemplateError> {
        let text = text.trim();
        if let Some((_, preset)) = PRESETS.into_iter().find(|(name, _)| *name == text) {
            return Ok(preset);
        }
        Template::parse(text, PRESETS.map(|(name, _)| name)).map(Wording::Own)
    }

    /// Is it what holds where nobody chose?
    pub fn is_usual(&self) -> bool {
        *self == Wording::Windlass
    }
}

impl fmt::Display for Wording {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wording::Own(template) => formatter.write_str(template.source()),
            preset => {
                let name = PRESETS.into_iter().find(|(_, one)| one == preset).map_or("", |(name, _)| name);
                formatter.write_str(name)
            }
        }
    }
}

impl From<Wording> for String {
    fn from(wording: Wording) -> String {
        wording.to_string()
    }
}

impl TryFrom<String> for Wording {
    type Error = TemplateError;

    fn try_from(text: String) -> Result<Wording, TemplateError> {
        Wording::parse(&text)
    }
}

/// What became of the work that is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkOutcome {
    /// The iteration went well; where it has a task, the task is done.
    Complete,
    /// The iteration went well; its task goes on.
    Progress,
    /// The iteration failed; its work is kept all the same.
    Attempted,
    /// The iteration was cut off, and its work was found later.
    Interrupted,
}

/// The task of an iteration, as its file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskText<'a> {
    /// `TASK-1`.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// `feat`, `fix`, …; `None` = not said.
    pub kind: Option<&'a str>,
    /// What it breaks; `None` = nothing.
    pub breaking: Option<&'a str>,
}

/// What a commit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// What became of the work.
    pub outcome: WorkOutcome,
    /// The run's name.
    pub run: &'a str,
    /// The iteration's number.
    pub iteration: u32,
    /// The job's first words, for iterations without a task.
    pub job: &'a str,
    /// The sub-project that is worked on; `None` = the whole project.
    pub feature: Option<&'a str>,
    /// The iteration's task.
    pub task: Option<TaskText<'a>>,
}

impl Message<'_> {
    /// The whole message, trailers included; it ends with a line break.
    pub fn text(&self, wording: &Wording) -> String {
        let words = Words::of(self);
        let line = match wording {
            Wording::Windlass => words.windlass(),
            Wording::DevLoop => words.devloop(),
            Wording::Conventional => words.conventional(),
            Wording::Own(template) => tidied(&template.fill(|placeholder| words.value(placeholder))),
        };
        let line = if line.is_empty() { words.windlass() } else { line };
        let (subject, rest) = layout::cut(&line);
        let names_type = match wording {
            Wording::Conventional => true,
            Wording::Own(template) => template.names(Placeholder::Type),
            Wording::Windlass | Wording::DevLoop => false,
        };
        let breaking = words.breaking.as_ref().filter(|_| names_type);
        let breaking = breaking.map(|what| wrapped(&format!("BREAKING CHANGE: {what}")));
        let paragraphs = [Some(subject), rest.map(|rest| wrapped(&rest)), breaking, Some(self.trailers())];
        let mut text = paragraphs.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        text.push('\n');
        text
    }

    /// The last lines. Those of run and iteration come first and are the same whatever is known of the task.
    pub fn trailers(&self) -> String {
        let key = self.key();
        match self.task.map(|task| cleaned(task.id)).filter(|id| !id.is_empty()) {
            Some(id) => format!("{key}\nWindlass-Task: {id}"),
            None => key,
        }
    }

    /// The two lines that a commit of this iteration is found by.
    pub fn key(&self) -> String {
        format!("{RUN_TRAILER} {}\nWindlass-Iteration: {}", cleaned(self.run), self.iteration)
    }
}

/// The message of a repository's first commit, made by nobody's iteration.
pub fn initial_commit(wording: &Wording) -> String {
    beside_iterations(wording, "Initial commit", "initial")
}

/// The message of a commit with what Windlass wrote at a person's command, and the job's own files, before the first
/// iteration.
pub fn preparing_commit(wording: &Wording) -> String {
    beside_iterations(wording, "Prepare the run", "prepare")
}

fn beside_iterations(wording: &Wording, action: &str, status: &str) -> String {
    let line = match wording {
        Wording::Windlass => action.to_owned(),
        Wording::DevLoop => format!("DevLoop: {action}"),
        Wording::Conventional => format!("chore: {}", action.to_lowercase()),
        Wording::Own(template) => tidied(&template.fill(|placeholder| match placeholder {
            Placeholder::Action | Placeholder::Title => action.to_owned(),
            Placeholder::Type => "chore".to_owned(),
            Placeholder::Status => status.to_owned(),
            Placeholder::Iteration | Placeholder::Task | Placeholder::Feature | Placeholder::Run => {
                String::new()
            }
        })),
    };
    let line = if line.is_empty() { action.to_owned() } else { line };
    let (subject, rest) = layout::cut(&line);
    rest.map_or(format!("{subject}\n"), |rest| format!("{subject}\n\n{}\n", wrapped(&rest)))
}

/// The types of conventional commits. Another word becomes the last one.
const TYPES: [&str; 11] =
    ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "revert", CHORE];

const CHORE: &str = "chore";

/// A message's parts, cleaned.
struct Words {
    outcome: WorkOutcome,
    run: String,
    iteration: u32,
    feature: String,
    task: String,
    title: String,
    kind: &'static str,
    breaking: Option<String>,
}

impl Words {
    fn of(message: &Message<'_>) -> Words {
        let complete = message.outcome == WorkOutcome::Complete;
        let task = message.task;
        let breaking = task.and_then(|task| task.breaking).filter(|_| complete).map(cleaned);
        let title = cleaned(task.map_or(message.job, |task| task.title));
        Words {
            outcome: message.outcome,
            run: cleaned(message.run),
            iteration: message.iteration,
            feature: message.feature.map(cleaned).unwrap_or_default(),
            task: task.map(|task| cleaned(task.id)).unwrap_or_default(),
            title,
            kind: task.filter(|_| complete).map_or(CHORE, |task| task.kind.map_or("feat", known_type)),
            breaking: breaking.filter(|what| !what.is_empty()),
        }
    }

    /// `TASK-1 - title`, or what there is of it.
    fn what(&self) -> String {
        match (self.task.as_str(), self.title.as_str()) {
            ("", title) => title.to_owned(),
            (task, "") => task.to_owned(),
            (task, title) => format!("{task} - {title}"),
        }
    }

    fn windlass(&self) -> String {
        let (iteration, what) = (self.iteration, self.what());
        let line = match self.outcome {
            WorkOutcome::Complete => format!("Windlass iteration {iteration}: {what}"),
            WorkOutcome::Progress if self.task.is_empty() => {
                format!("Windlass iteration {iteration}: {what}")
            }
            WorkOutcome::Progress | WorkOutcome::Attempted | WorkOutcome::Interrupted => {
                format!("Windlass iteration {iteration}: {}", self.action())
            }
        };
        line.trim_end_matches([' ', ':']).to_owned()
    }

    fn devloop(&self) -> String {
        match self.outcome {
            WorkOutcome::Interrupted => format!("DevLoop: {}", self.action()),
            WorkOutcome::Attempted => {
                format!("DevLoop iteration {}: {} (failed)", self.iteration, self.action())
            }
            WorkOutcome::Complete | WorkOutcome::Progress => {
                format!("DevLoop iteration {}: {}", self.iteration, self.action())
            }
        }
    }

    fn conventional(&self) -> String {
        let kind = self.value(Placeholder::Type);
        let subject = if self.task.is_empty() {
            format!("windlass iteration {}", self.iteration)
        } else {
            self.task.clone()
        };
        let state = match self.outcome {
            WorkOutcome::Complete => "",
            WorkOutcome::Progress if self.task.is_empty() => "",
            WorkOutcome::Progress => " (in progress)",
            WorkOutcome::Attempted => " (attempted)",
            WorkOutcome::Interrupted => " (interrupted)",
        };
        let title = if self.title.is_empty() { String::new() } else { format!(" - {}", self.title) };
        format!("{kind}: {subject}{state}{title}")
    }

    /// `Complete TASK-1 - title`: what seed 003 calls the action.
    fn action(&self) -> String {
        let verb = match self.outcome {
            WorkOutcome::Complete => "Complete",
            WorkOutcome::Progress => "Work on",
            WorkOutcome::Attempted => "Attempted",
            WorkOutcome::Interrupted => "Interrupted work on",
        };
        format!("{verb} {}", self.what()).trim_end().to_owned()
    }

    fn value(&self, placeholder: Placeholder) -> String {
        match placeholder {
            Placeholder::Action => self.action(),
            Placeholder::Iteration => self.iteration.to_string(),
            Placeholder::Task => self.task.clone(),
            Placeholder::Title => self.title.clone(),
            Placeholder::Type => {
                let mark = if self.breaking.is_some() { "!" } else { "" };
                format!("{}{mark}", self.kind)
            }
            Placeholder::Feature => self.feature.clone(),
            Placeholder::Status => match self.outcome {
                WorkOutcome::Complete => "done",
                WorkOutcome::Progress => "in-progress",
                WorkOutcome::Attempted => "failed",
                WorkOutcome::Interrupted => "interrupted",
            }
            .to_owned(),
            Placeholder::Run => self.run.clone(),
        }
    }
}

fn known_type(kind: &str) -> &'static str {
    let kind = kind.trim();
    TYPES.into_iter().find(|known| known.eq_ignore_ascii_case(kind)).unwrap_or(CHORE)
}
