//! A plan's boxes and numbered headings: `- [ ] 1.1 What is to be done`.

mod attribute;
mod checkbox;
mod criteria;
mod criteria_title;
mod doubts;
pub(in crate::doc) mod heading;
mod line;
mod named_line;
mod numbering;
mod progress;
mod reader;
pub(in crate::doc) mod reference;
mod section;
mod settle;
mod state;
mod tags;
mod ticked;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

pub(in crate::doc) use self::state::{any_box_at, box_at, state_of as state_of_sign};
use crate::doc::tasks::file::too_deep;
use crate::doc::tasks::source::{NO_TASK, StateWords};
use crate::doc::tasks::{
    AboutForm, FileRole, Place, ReadFile, Reading, Task, TaskSource, plain, spelling, status,
};
use crate::doc::text::{base_name, ends_in};

/// The file that makes a folder a plan.
pub const INDEX: &str = "README.md";

/// Boxes and numbered headings, in one file or in a folder with a file per feature.
#[derive(Clone, Copy, Debug)]
pub struct Boxes;

impl TaskSource for Boxes {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "boxes",
            summary: "list items with a box, however deep; headings with a box, or with a number, or lines with a bold name, below phases or tasks; boxes below a heading or between tags that say so are criteria",
            other_places: &[
                "docs/IMPLEMENTATION_PLAN.md",
                "fix_plan.md",
                "@fix_plan.md",
                ".ralph/fix_plan.md",
                ".ralph/@fix_plan.md",
                "TASKS.md",
                "TODO.md",
                "docs/TODO.md",
                "PLAN.md",
                "docs/PLAN.md",
                "specs/*/tasks.md",
                ".kiro/specs/*/tasks.md",
                "openspec/changes/*/tasks.md",
            ],
            has_ids: false,
            worked_off_by: "`build -f`",
            most_files: 2000,
            ..AboutForm::USUAL
        }
    }

    fn recognises(&self, name: &str, text: &str) -> bool {
        let is_text = !ends_in(name, "json") && !ends_in(name, "jsonl");
        is_text && !self.read(&Arc::from(name), FileRole::Single, text).tasks.is_empty()
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        match (place, name) {
            (Place::Alone, _) => Some(FileRole::Single),
            (Place::InFolder, INDEX) => Some(FileRole::Index),
            (Place::InFolder, _) => (ends_in(name, "md") && !name.starts_with('.')).then_some(FileRole::Part),
        }
    }

    fn compare(&self, one: &str, other: &str) -> Ordering {
        one.cmp(other)
    }

    /// The features in the order in which the index links to them, then by name; the index itself last, since its tasks cut
    /// across all features.
    fn order(&self, files: &mut [(ReadFile, Vec<Task>)]) {
        let index = files.iter().find(|(file, _)| file.role == FileRole::Index);
        let mut linked = HashMap::new();
        for (place, (name, _)) in index.iter().flat_map(|(file, _)| &file.about.links).enumerate() {
            linked.entry(name.clone()).or_insert(place);
        }
        files.sort_by_cached_key(|(file, _)| {
            let place = linked.get(base_name(&file.name)).copied().unwrap_or(usize::MAX);
            (file.role == FileRole::Index, place, file.name.clone())
        });
    }

    fn read(&self, name: &Arc<str>, role: FileRole, text: &str) -> Reading {
        too_deep(name, text).unwrap_or_else(|| reader::read(name, role, &plain::plain(text)))
    }

    fn no_task(&self, role: FileRole) -> &'static str {
        match role {
            FileRole::Single => NO_TASK,
            FileRole::Index | FileRole::Part | FileRole::PutAway | FileRole::OneOfFolder => {
                "and the files beside it have no task: write each as `- [ ] what is to be done`"
            }
        }
    }

    fn state_of(&self, word: &str) -> Option<TaskState> {
        let heading = match word {
            done if heading::is_done(done) => TaskState::Done,
            begun if heading::is_begun(begun) => TaskState::InProgress,
            _ => TaskState::Open,
        };
        match state::only_sign(word) {
            Some(sign) => state::state_of(sign).or_else(|| status::state_of(word)),
            None if heading::is_mark(word) => Some(heading),
            None => status::state_of(word),
        }
    }

    /// A heading in progress cannot be written, unless a word below it says how far it is.
    fn word(&self, file: &ReadFile, state: TaskState, former: &str) -> Option<String> {
        if state::only_sign(former).is_none() && !heading::is_mark(former) {
            return spelling::word(&StateWords::default(), state, former, None);
        }
        let is_box = state::only_sign(former).is_some();
        let word = match (is_box, state) {
            (true, TaskState::Open) => " ",
            (true, TaskState::InProgress) => {
                let of_file = file.about.words.of(state).filter(|word| is_of_box(word, state));
                of_file.unwrap_or(begun(&file.name))
            }
            (true, TaskState::Done) => "x",
            (false, _) => return behind_heading(state).map(str::to_owned),
        };
        Some(word.to_owned())
    }

    /// A sign behind `Status:` is none of a box.
    fn word_at(&self, file: &ReadFile, state: TaskState, range: &Range<usize>) -> Option<String> {
        let former = file.text.get(range.clone())?;
        let before = file.text.get(..range.start)?;
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default().trim_start_matches('\u{feff}');
        let is_first = line.chars().all(|letter| matches!(letter, '#' | ' ' | '\t'));
        if is_first && status::is_sign_alone(former) {
            return spelling::word(&StateWords::default(), state, former, None);
        }
        if heading::is_begun(former) && heading::is_mark(former) && !before.ends_with('[') {
            return behind_heading(state).map(str::to_owned);
        }
        let before = before.trim_end_matches([' ', '\t', '*', '_', '`']);
        if before.ends_with(':') && status::is_sign_alone(former) {
            return spelling::word(&StateWords::default(), state, former, None);
        }
        self.word(file, state, former)
    }

    fn claim(&self, _id: &TaskId, file: &str) -> String {
        format!(
            "Then tick its box in `{file}`: `- [x]`, and each box below it that says what has to hold and does."
        )
    }
}

/// Is a word a sign of a box, and means that?
fn is_of_box(word: &str, state: TaskState) -> bool {
    state::only_sign(word).and_then(state::state_of) == Some(state)
}

/// What stands behind a heading; what is begun cannot be written there.
const fn behind_heading(state: TaskState) -> Option<&'static str> {
    match state {
        TaskState::Open => Some(""),
        TaskState::Done => Some(" ✅"),
        TaskState::InProgress => None,
    }
}

/// How a box is marked that is begun, where its file has none: Kiro has a sign of its own.
fn begun(name: &str) -> &'static str {
    if name.split(['/', '\\']).any(|part| part == ".kiro") { "-" } else { "~" }
}
