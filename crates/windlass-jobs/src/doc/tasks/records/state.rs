//! How far a record is, in all members that say so: where they contradict one another nobody knows.

use serde_json::value::RawValue;
use windlass_core::values::TaskState;

use super::members::Members;
use super::{ID, Records, TITLE};
use crate::doc::ProblemKind;
use crate::doc::tasks::task::{Insertion, StatePlace, Task};
use crate::doc::tasks::{ReadFile, spelling, status};
use crate::doc::text::quoted;

/// Where its state is: what is true or false, and words.
pub(in crate::doc::tasks) const TICK: &[&str] = &["passes"];
pub(super) const STATUS: &[&str] = &["status", "state"];
pub(in crate::doc::tasks) const OTHER_TICK: &[&str] =
    &["completed", "complete", "done", "passed", "implemented", "tested"];

/// What says so only where nothing else does: beside another member it may mean something else.
pub(in crate::doc::tasks) const ONLY_TICK: &[&str] = &[
    "isDone",
    "is_done",
    "isComplete",
    "is_complete",
    "isCompleted",
    "is_completed",
    "finished",
    "checked",
    "verified",
];

/// A member that says how far its record is.
struct Said<'a> {
    key: &'a str,
    value: &'a RawValue,
    /// `None` where it is not clear.
    state: Option<TaskState>,
}

/// All members that say how far a record is. A `state` beside a `status`, and a tick that is neither true nor false beside
/// another member, may mean something else.
fn said<'m>(members: &'m Members<'m>) -> Vec<Said<'m>> {
    let find = |names: &[&str]| -> Vec<Said<'m>> {
        let named = |name: &&str| members.0.iter().find(|(key, _)| key == name);
        let say = |(key, value): &'m (String, &'m RawValue)| Said { key, value, state: meant(value) };
        names.iter().filter_map(named).map(say).collect()
    };
    let mut all = find(TICK);
    let words = find(STATUS).into_iter().filter(|said| said.value.get().starts_with('"')).enumerate();
    all.extend(words.filter(|(index, said)| *index == 0 || said.state.is_some()).map(|(_, said)| said));
    for tick in find(OTHER_TICK) {
        if all.is_empty() || matches!(tick.value.get(), "true" | "false") {
            all.push(tick);
        }
    }
    if all.is_empty() {
        all.extend(find(ONLY_TICK).into_iter().next());
    }
    all
}

/// What a value means by itself.
fn meant(value: &RawValue) -> Option<TaskState> {
    match value.get() {
        "true" => Some(TaskState::Done),
        "false" => Some(TaskState::Open),
        text if text.starts_with('"') => status::state_of(text.trim_matches('"')),
        _ => None,
    }
}

/// The state of a record; open where it is not clear, `None` where nothing says it.
pub(super) fn state(members: &Members<'_>) -> Option<TaskState> {
    let said = said(members);
    if said.is_empty() { None } else { Some(together(&said).unwrap_or_default()) }
}

/// What several members say together; `None` where one is not clear, or one is done and another is not.
fn together(said: &[Said<'_>]) -> Option<TaskState> {
    let states = said.iter().map(|said| said.state).collect::<Option<Vec<_>>>()?;
    let done = states.iter().filter(|state| **state == TaskState::Done).count();
    match done {
        0 if states.contains(&TaskState::InProgress) => Some(TaskState::InProgress),
        0 => Some(TaskState::Open),
        _ if done == states.len() => Some(TaskState::Done),
        _ => None,
    }
}

impl<'a> Records<'a> {
    pub(super) fn state(&mut self, task: &mut Task, members: &Members<'a>) {
        let said = said(members);
        let Some(first) = said.first() else { return self.no_state(task, members) };
        let line = self.line_of(first.value);
        task.place = self.place(&said);
        match together(&said) {
            Some(state) => task.row.state = state,
            None => self.unclear(task, line, &said),
        }
        if task.row.state == TaskState::Done
            && let Some(key) = members.unread()
        {
            let (id, key) = (quoted(&task.row.id.0), quoted(key));
            task.row.unclear = Some(format!("it is done, and its `{key}` holds open work"));
            task.row.state = TaskState::Open;
            let sentence = format!("{id} is done, and its `{key}` holds open work: call that list `tasks`");
            self.found.problems.push(task.problem_at(line, ProblemKind::UnknownStatus, sentence));
        }
    }

    fn place(&self, said: &[Said<'_>]) -> StatePlace {
        let range = |said: &Said<'_>| {
            let start = self.mark + self.start_of(said.value);
            let quote = usize::from(said.value.get().starts_with('"'));
            start + quote..start + said.value.get().len() - quote
        };
        let mut ranges: Vec<_> = said.iter().map(range).collect();
        ranges.sort_by_key(|range| range.start);
        match ranges.as_slice() {
            [only] => StatePlace::Word(only.clone()),
            _ => StatePlace::Words(ranges),
        }
    }

    fn unclear(&mut self, task: &mut Task, line: usize, said: &[Said<'_>]) {
        let id = quoted(&task.row.id.0);
        let (why, sentence) = match said.iter().find(|said| said.state.is_none()) {
            Some(Said { value, .. }) if value.get().starts_with('"') => {
                let word = quoted(value.get().trim_matches('"'));
                let sentence = format!("{id} has the status `{word}`: write pending, in-progress or done");
                (format!("its status `{word}` is none"), sentence)
            }
            Some(Said { key, value, .. }) => {
                let word = quoted(value.get());
                let why = format!("its `{key}` is {word}, which is neither true nor false");
                (why, format!("{id} has `{key}` {word}: write true or false"))
            }
            None => {
                let each = |said: &Said<'_>| format!("`{}` {}", said.key, quoted(said.value.get()));
                let all = said.iter().map(each).collect::<Vec<_>>().join(" and ");
                (format!("it has {all}"), format!("{id} has {all}: make them say the same"))
            }
        };
        task.row.unclear = Some(why);
        self.found.problems.push(task.problem_at(line, ProblemKind::UnknownStatus, sentence));
    }

    /// It is open, and its state would stand after what it is called by.
    fn no_state(&self, task: &mut Task, members: &Members<'a>) {
        let Some(beside) = members.first(ID).or(members.first(TITLE)) else { return };
        let at = self.mark + self.start_of(beside) + beside.get().len();
        // By its two blanks it is told from what a person wrote.
        let before = ", \"passes\":  ".to_owned();
        task.place = StatePlace::Missing(vec![Insertion { at, before, after: String::new() }]);
    }
}

/// The word of a state in place of a former one: true or false, or a status, its parts put together as those of the file's
/// other words are.
pub(in crate::doc::tasks) fn word(file: &ReadFile, state: TaskState, former: &str) -> Option<String> {
    if !is_word(former) {
        return Some((state == TaskState::Done).to_string());
    }
    let words = &file.about.words;
    let joint = words.without(former).joint().unwrap_or('_');
    spelling::word(words, state, former, Some(joint))
}

/// What a word in a place means.
pub(in crate::doc::tasks) fn state_of(word: &str) -> Option<TaskState> {
    match word {
        "true" => Some(TaskState::Done),
        "false" => Some(TaskState::Open),
        word => status::state_of(word),
    }
}

/// What is read again where a state was written in place of a former word: true and false say only whether it is done.
pub(in crate::doc::tasks) fn kept(state: TaskState, former: &str) -> TaskState {
    if state == TaskState::Done || is_word(former) { state } else { TaskState::Open }
}

/// Is what stands there a word or a sign, and not true, false or some other value?
fn is_word(former: &str) -> bool {
    let is_other = |first: char| first.is_ascii_digit() || matches!(first, '-' | '[' | '{');
    !matches!(former, "" | "true" | "false" | "null") && !former.starts_with(is_other)
}
