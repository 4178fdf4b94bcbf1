//! What every form of tasks says of itself. Bytes come in, tasks and changes to bytes go out.
//!
//! A form is a folder in [`sources`](super::sources) and its row in the table there; nothing else asks which form tasks
//! have. What forms have in common is not theirs: bounds, ids and dependencies ([`settle`](super::settle)), that a change
//! changes nothing else ([`mark`](super::mark), [`addition`](super::addition)).

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use windlass_core::tasks::natural;
use windlass_core::values::{TaskId, TaskRow, TaskState};

use super::addition::{CheckedTask, Refused};
use super::file::{FileRole, ReadFile};
use super::mark::{self, Unwritable};
use super::task::Task;
use super::{records, spelling, status};
use crate::doc::{Problem, Splice};

/// How tasks are written: a row of [`SOURCES`](super::sources::SOURCES).
pub type TaskForm = &'static dyn TaskSource;

/// What is said of a text without a task.
pub(super) const NO_TASK: &str =
    "has no task: write each as `- [ ] what is to be done` or `### TASK-001: What is to be done`";

/// What a form says of itself that depends on no file.
#[derive(Debug)]
pub struct AboutForm {
    /// As it is called in `--json`.
    pub name: &'static str,
    /// What is read and written of it, beyond what every form has: for people.
    pub summary: &'static str,
    /// Where people keep such lists: files and folders, the likeliest first.
    pub usual_places: &'static [&'static str],
    /// Where such lists are as well: looked at where there is none in a usual place. `*` is any folder.
    pub other_places: &'static [&'static str],
    /// Is such a list worked off by the ids of its tasks? A plan is worked off in its order, and is only what a job names.
    pub has_ids: bool,
    /// The command that works on such a list: Markdown.
    pub worked_off_by: &'static str,
    /// Folders beside a folder of tasks, to which tasks are moved that are done: from the folder around it.
    pub put_away: &'static [&'static str],
    /// So many files a folder may have.
    pub most_files: usize,
    /// The file in the folder around a folder of tasks that says what its states are called.
    pub settings: Option<&'static str>,
    /// What is said of a file where no task is found, as the end of a sentence that begins with it.
    pub no_task: &'static str,
    /// Can a task be added by a command?
    pub adds: bool,
    /// Where a new task goes.
    pub layout: Layout,
    /// The id before the first.
    pub id_zero: &'static str,
    /// Are its states values of JSON, which are switches or missing as well as words?
    pub is_json: bool,
}

impl AboutForm {
    /// What holds where a form says nothing else.
    pub const USUAL: AboutForm = AboutForm {
        name: "",
        summary: "",
        usual_places: &[],
        other_places: &[],
        has_ids: true,
        worked_off_by: "`run --mode tasks -f`",
        put_away: &[],
        most_files: 50_000,
        settings: None,
        no_task: NO_TASK,
        adds: false,
        layout: Layout::OneFile,
        id_zero: "TASK-000",
        is_json: false,
    };
}

/// A form in which tasks are written.
pub trait TaskSource: Sync {
    /// What it says of itself.
    fn about(&self) -> &'static AboutForm;

    /// As it is called in `--json`.
    fn name(&self) -> &'static str {
        self.about().name
    }
    /// Is a file of this name with this text written so? Asked of those that know its name.
    fn recognises(&self, _name: &str, _text: &str) -> bool {
        true
    }

    /// What a file of this name is in such a list; `None` where it is not read in this form.
    fn role(&self, name: &str, place: Place) -> Option<FileRole>;

    /// Does a file of a folder that begins so hold a task? A folder without one is something else.
    fn looks_like(&self, _beginning: &[u8]) -> bool {
        true
    }

    /// How the names of a folder's files follow one another.
    fn compare(&self, one: &str, other: &str) -> Ordering {
        natural::compare(one, other).then_with(|| one.cmp(other))
    }

    /// Puts the files of a folder in the order in which their tasks count.
    fn order(&self, _files: &mut [(ReadFile, Vec<Task>)]) {}

    /// The tasks of a file's text, and what is wrong with how they are written. All ranges are of the text as it is, a byte
    /// order mark included.
    fn read(&self, name: &Arc<str>, role: FileRole, text: &str) -> Reading;

    /// The same where its list has words of its own for states.
    fn read_with(&self, name: &Arc<str>, role: FileRole, text: &str, _own: &StateWords) -> Reading {
        self.read(name, role, text)
    }

    /// The words for states that such a file says.
    fn own_words(&self, _settings: &str) -> StateWords {
        StateWords::default()
    }

    /// What is said of a file of this role where no task is found, as the end of a sentence that begins with it. Of a text every
    /// form says the same.
    fn no_task(&self, _role: FileRole) -> &'static str {
        self.about().no_task
    }

    /// What is read again where a state was written in place of a former word: a form may have no word for one.
    fn kept(&self, state: TaskState, former: &str) -> TaskState {
        if self.about().is_json { records::kept(state, former) } else { state }
    }

    /// The state that a word in a [`StatePlace`](super::task::StatePlace) means.
    fn state_of(&self, word: &str) -> Option<TaskState> {
        if self.about().is_json { records::state_of(word) } else { status::state_of(word) }
    }

    /// A state's word in place of a former one of this file, which is empty where there was none; `None` where it cannot be
    /// written. What is done and open again has its former word again, wherever the file's other words say which it was.
    fn word(&self, file: &ReadFile, state: TaskState, former: &str) -> Option<String> {
        if self.about().is_json {
            return records::word(file, state, former);
        }
        spelling::word(&file.about.words, state, former, None)
    }

    /// The same for the former word that stands here.
    fn word_at(&self, file: &ReadFile, state: TaskState, range: &Range<usize>) -> Option<String> {
        self.word(file, state, file.text.get(range.clone())?)
    }

    /// What has to change in a file of this form for one of its tasks to be in a state: an empty splice where it is already.
    fn mark(&self, file: &ReadFile, task: &Task, state: TaskState) -> Result<Splice, Unwritable> {
        mark::splice(file, task, state)
    }

    /// How the agent that works on a task says there that it is done: one sentence.
    fn claim(&self, id: &TaskId, file: &str) -> String;

    /// What has to be written where for a task more; `last` is the last task of the file. Of a form with a file per task it
    /// is a file that must not be there.
    fn add(&self, _file: &ReadFile, _last: Option<&Task>, _task: &CheckedTask) -> Result<Splice, Refused> {
        Err(Refused::NotInThisForm(self.name()))
    }

    /// The priority of a new task of which nothing is said, among these.
    fn usual_priority(&self, _tasks: &[Task]) -> u8 {
        TaskRow::USUAL_PRIORITY
    }
}

/// Where a file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// By itself: it is the list.
    Alone,
    /// In a folder that is the list.
    InFolder,
}

/// How tasks are divided into files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Many in one.
    OneFile,
    /// Each in its own.
    FilePerTask,
}

/// What is found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub(in crate::doc) tasks: Vec<Task>,
    pub(in crate::doc) problems: Vec<Problem>,
    /// Boxes that say what has to hold, and no task has them as its own.
    pub(in crate::doc) criteria: Vec<Task>,
    pub(in crate::doc) about: PlanNotes,
}

/// What a file of a plan says beside its tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) struct PlanNotes {
    /// Open boxes in sections that do not count.
    pub set_aside: u64,
    /// The lines of numbered headings that are taken for prose.
    pub prose: Vec<usize>,
    /// What its sections are called, in small letters: their numbers.
    pub sections: HashSet<String>,
    /// The first words that its file has for each state.
    pub words: StateWords,
    /// The other files of the folder that it links to: name and line.
    pub links: Vec<(String, usize)>,
    /// The file that its line `**Active:**` links to.
    pub focus: Option<String>,
    /// What its `Spec:` line names.
    pub specs: Arc<[String]>,
    /// Its first heading of level 1.
    pub title: String,
}

/// The words of a file for states, as they are written there, each with how many tasks have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateWords(Vec<(TaskState, String, usize)>);

/// So many different words of a file are kept.
const MOST_WORDS: usize = 16;

impl StateWords {
    /// The state that a word means here, in any case.
    pub(super) fn meaning(&self, word: &str) -> Option<TaskState> {
        self.0.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(word)).map(|(state, ..)| *state)
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes in a word that means a state.
    pub(super) fn see(&mut self, state: TaskState, word: &str) {
        if let Some((.., count)) = self.0.iter_mut().find(|(of, known, _)| *of == state && known == word) {
            *count += 1;
        } else if self.0.len() < MOST_WORDS && word.len() <= 64 {
            self.0.push((state, word.to_owned(), 1));
        }
    }

    /// The first word for a state.
    pub(super) fn of(&self, state: TaskState) -> Option<&str> {
        self.0.iter().find(|(of, ..)| *of == state).map(|(_, word, _)| word.as_str())
    }

    /// All words for a state, the one that most tasks have first.
    pub(super) fn all(&self, state: TaskState) -> Vec<&str> {
        let mut words: Vec<_> = self.0.iter().filter(|(of, ..)| *of == state).collect();
        words.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
        words.into_iter().map(|(_, word, _)| word.as_str()).collect()
    }

    /// What stands between the parts of the first word that has two.
    pub(super) fn joint(&self) -> Option<char> {
        self.0.iter().find_map(|(_, word, _)| word.chars().find(|letter| matches!(letter, '-' | '_' | ' ')))
    }

    /// The same words without one task's.
    pub(super) fn without(&self, word: &str) -> StateWords {
        let mut others = self.clone();
        if let Some(at) = others.0.iter().position(|(_, known, _)| known == word) {
            match others.0.get_mut(at) {
                Some((.., count)) if *count > 1 => *count -= 1,
                _ => drop(others.0.remove(at)),
            }
        }
        others
    }
}

impl PartialEq for dyn TaskSource {
    fn eq(&self, other: &dyn TaskSource) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn TaskSource {}

impl fmt::Debug for dyn TaskSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
