//! Headings, and which of them are tasks.

use windlass_core::values::TaskState;

use super::field::{Field, FieldName};
use crate::doc::tasks::Criterion;
use crate::doc::tasks::status::Status;
use crate::doc::tasks::words::{self, is_id};

/// A heading of the document itself, and the fields between it and the next one.
#[derive(Debug, Default)]
pub(super) struct Heading {
    /// Where it begins.
    pub start: usize,
    pub line: usize,
    pub level: usize,
    /// Empty where it has none.
    pub id: String,
    pub title: String,
    pub fields: Vec<Field>,
    /// All of its text.
    pub text: String,
    /// The boxes below it, and where each stands.
    pub boxes: Vec<(usize, Criterion)>,
    proof: Proof,
}

/// What makes a heading a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Proof {
    /// Nothing does: it has no id.
    #[default]
    Never,
    /// It is one as it stands.
    None,
    /// Any field.
    Field,
    /// Any field, or what has to hold.
    Story,
    /// Its status.
    Status,
}

/// What ids of stories begin with.
const STORIES: [&str; 3] = ["us", "story", "feat"];

/// What stands between an id and a title.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Colon,
    Other,
}

impl Heading {
    pub(super) fn read(text: &str, level: usize, start: usize, line: usize) -> Heading {
        let heading = Heading { start, line, level, text: text.to_owned(), ..Heading::default() };
        let Some((id, between, title)) = parts(text.trim()) else {
            let Some((id, title)) = stage(text.trim()) else { return heading };
            return Heading { id, title: title.to_owned(), proof: Proof::Status, ..heading };
        };
        let prefix = id.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let prefix = prefix.trim_end_matches(|letter: char| !letter.is_ascii_alphabetic());
        let proof = match between {
            _ if level == 3 && prefix.eq_ignore_ascii_case("task") => Proof::None,
            Between::Colon if level == 3 && prefix.eq_ignore_ascii_case("t") => Proof::None,
            Between::Colon if level == 3 && STORIES.iter().any(|name| prefix.eq_ignore_ascii_case(name)) => {
                Proof::Story
            }
            Between::Colon if level == 3 => Proof::Field,
            _ => Proof::Status,
        };
        let title = if title.is_empty() { id } else { title };
        Heading { id: id.to_owned(), title: title.to_owned(), proof, ..heading }
    }

    pub(super) fn is_task(&self) -> bool {
        match self.proof {
            Proof::Never => false,
            Proof::None => true,
            Proof::Field => self.fields.iter().any(|field| field.name.proves_task()),
            Proof::Story => {
                self.fields.iter().any(|field| field.name.proves_task() || field.name == FieldName::Criteria)
            }
            Proof::Status => self.status().is_some(),
        }
    }

    fn status(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == FieldName::Status)
    }

    /// Is it a task whatever else stands in its file: by its name, or by its id and its status?
    pub(super) fn is_surely_a_task(&self) -> bool {
        let is_named = self.id.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case("task"));
        let is_stage = stage(self.text.trim()).is_some();
        !is_stage && self.is_task() && (is_named || self.status().is_some())
    }

    /// The kind and level of a step on the way that says how far it is.
    pub(super) fn stage_with_status(&self) -> Option<(usize, String)> {
        self.stage().filter(|_| self.status().is_some())
    }

    /// The same of one that does not say it.
    pub(super) fn stage_without_status(&self) -> Option<(usize, String)> {
        self.stage().filter(|_| self.status().is_none())
    }

    fn stage(&self) -> Option<(usize, String)> {
        let (kind, _) = self.id.split_once('-').filter(|_| self.proof == Proof::Status)?;
        stage(self.text.trim()).map(|_| (self.level, kind.to_owned()))
    }

    /// The line of a task's status below a heading that is none.
    pub(super) fn stray_status(&self) -> Option<(usize, TaskState)> {
        let status = self.status().filter(|_| self.level >= 3)?;
        let Status::Known(_, state) = Status::read(&status.text) else { return None };
        Some((status.line, state))
    }
}

/// Id and title of `Stage 1: Title`: `Stage-1`.
fn stage(text: &str) -> Option<(String, &str)> {
    let (id, rest) = words::stage(text)?;
    let title = rest.trim_start_matches(is_between).trim();
    Some((id, if title.is_empty() { text.split(' ').next().unwrap_or(text) } else { title }))
}

/// Id and title of a heading: `TASK-001: Title`, `TASK-001 - Title`, `TASK-001 Title`; `Task T001: Title` as claude-loop has it.
fn parts(text: &str) -> Option<(&str, Between, &str)> {
    let text = match text.split_once(' ') {
        Some((word, rest)) if word.eq_ignore_ascii_case("task") => rest.trim_start(),
        _ => text,
    };
    // `[TASK-001] Title`
    let text = text.strip_prefix('[').filter(|rest| rest.contains(']')).unwrap_or(text);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let word = text.len() - text.trim_start_matches(is_part).len();
    let id = text.get(..word)?.trim_end_matches(['-', '_', '.']);
    let rest = text.get(id.len()..)?;
    let spaced =
        rest.is_empty() || rest.starts_with(|first: char| first.is_whitespace() || is_between(first));
    if !is_id(id) || !spaced {
        return None;
    }
    let rest = rest.trim_start();
    match rest.strip_prefix(':') {
        Some(title) => Some((id, Between::Colon, title.trim())),
        None => Some((id, Between::Other, rest.trim_start_matches(is_between).trim())),
    }
}

const fn is_between(letter: char) -> bool {
    matches!(letter, ':' | '-' | '–' | '—' | '.' | ')' | ']' | ' ' | '\t')
}
