//! Tasks of a task file: how each stands, which is next, what waits for what, what is wrong.

mod graph;
mod json;
#[cfg(test)]
mod tests;

use strum::{EnumIter, IntoEnumIterator, IntoStaticStr};
use windlass_core::tasks::{Schedule, TaskProgress};
use windlass_core::values::{Named, TaskId, TaskState};
use windlass_core::words::some_of;
use windlass_jobs::doc::Problem;
use windlass_jobs::doc::tasks::{Meaning, Task, TaskList};

use crate::format;
use crate::harmless::{harmless, one_line};
use crate::line::{Line, Mark, Tone, rendered, width};
use crate::narrate::labelled;
use crate::terminal::Terminal;

pub use graph::{tasks_dot, tasks_mermaid, tasks_tree};
pub use json::{next_task_json, tasks_json};

/// Tasks, and what became of looking at them.
#[derive(Clone, Copy, Debug)]
pub struct TasksShown<'a> {
    /// Where they are: a file or a folder.
    pub place: &'a str,
    /// What says to a command of ours that they are meant: `-f TODO.md`, `--source github:acme/anvil`.
    pub flags: &'a str,
    /// What it says.
    pub list: &'a TaskList,
    /// The same as a schedule.
    pub schedule: &'a Schedule,
    /// What the process ends with.
    pub exit_code: u8,
}

/// How a task stands, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum Look {
    Done,
    InProgress,
    Ready,
    Waiting,
    /// A person has to mend its file first.
    Unclear,
}

impl Look {
    fn word(self) -> &'static str {
        if self == Look::InProgress { "in progress" } else { self.name() }
    }

    const fn mark(self) -> (Tone, Mark) {
        match self {
            Look::Done => (Tone::Good, Mark::Passed),
            Look::InProgress => (Tone::Warn, Mark::Again),
            Look::Ready => (Tone::Plain, Mark::Nothing),
            Look::Waiting => (Tone::Dim, Mark::Waiting),
            Look::Unclear => (Tone::Warn, Mark::Warning),
        }
    }

    /// Of what is told of it.
    const fn tone(self) -> Tone {
        match self {
            Look::Done | Look::Waiting => Tone::Dim,
            Look::InProgress | Look::Ready | Look::Unclear => Tone::Plain,
        }
    }
}

impl<'a> TasksShown<'a> {
    fn look(&self, task: &Task) -> Look {
        match task.row.state {
            TaskState::Done => Look::Done,
            _ if task.row.unclear.is_some() => Look::Unclear,
            TaskState::InProgress => Look::InProgress,
            TaskState::Open if self.unmet(task).next().is_none() => Look::Ready,
            TaskState::Open => Look::Waiting,
        }
    }

    /// The dependencies that are not done.
    fn unmet(&self, task: &'a Task) -> impl Iterator<Item = &'a TaskId> + use<'a> {
        let schedule = self.schedule;
        task.row.dependencies.iter().filter(move |id| schedule.standing(id) != Some(TaskProgress::Done))
    }

    /// So many tasks look so.
    fn number(&self, look: Look) -> u64 {
        self.list.tasks().iter().filter(|task| self.look(task) == look).count() as u64
    }

    fn counts(&self) -> Line {
        let total = self.list.tasks().len() as u64;
        let named = Look::iter().map(|look| (self.number(look), look));
        let shown = named.filter(|(number, look)| *number > 0 || *look == Look::Done);
        let words: Vec<String> = shown.map(|(number, look)| format!("{number} {}", look.word())).collect();
        let line = Line::hanging(2).plain(format!("  {}", format::count(total, "task")));
        if total == 0 { line } else { line.dim(format!(" · {}", words.join(" · "))) }
    }
}

/// All tasks in the order of their file; every line ends with a newline.
pub fn tasks_table(shown: &TasksShown<'_>, terminal: &Terminal) -> String {
    let mut lines = vec![Line::hanging(2).strong(one_line(shown.place)), shown.counts(), Line::new()];
    let tasks = shown.list.tasks();
    let ids = tasks.iter().map(|task| width(&one_line(&task.row.id.0))).max().unwrap_or(0).min(24);
    let states = tasks.iter().map(|task| shown.look(task).word().len()).max().unwrap_or(0);
    let usual =
        |task: &Task| matches!(task.row.priority, windlass_core::values::TaskRow::USUAL_PRIORITY | 250..);
    let priorities = tasks.iter().filter(|task| !usual(task));
    let priorities = priorities.map(|task| priority(task.row.priority).len()).max().unwrap_or(0);
    for task in tasks {
        let look = shown.look(task);
        let (tone, mark) = look.mark();
        let word = if usual(task) { String::new() } else { priority(task.row.priority) };
        let gap = if priorities == 0 { 0 } else { 2 };
        let before = format!("  {:<states$}  {word:<priorities$}{:gap$}", look.word(), "");
        let line = Line::hanging(2 + ids + before.len())
            .mark(tone, mark)
            .tone(Tone::Strong, format!(" {:<ids$}", one_line(&task.row.id.0)))
            .dim(before)
            .tone(look.tone(), one_line(&task.row.title));
        lines.push(line.dim(after(shown, task)));
    }
    if tasks.is_empty() {
        lines.pop();
    }
    lines.push(Line::new());
    lines.extend(last(shown));
    rendered(&lines, terminal)
}

fn after(shown: &TasksShown<'_>, task: &Task) -> String {
    if let Some(why) = task.row.unclear.as_ref().filter(|_| shown.look(task) == Look::Unclear) {
        return format!("  {}", one_line(why));
    }
    let unmet: Vec<String> = shown.unmet(task).map(|id| one_line(&id.0)).collect();
    if unmet.is_empty() || task.row.state == TaskState::Done {
        String::new()
    } else {
        format!("  after {}", named(&unmet))
    }
}

/// Some names, and how many more there are.
fn named(names: &[String]) -> String {
    some_of(names.iter(), 6)
}

/// A priority as it is written.
fn priority(number: u8) -> String {
    match number {
        1 => "high".to_owned(),
        2 => "medium".to_owned(),
        3 => "low".to_owned(),
        250.. => "last".to_owned(),
        number => number.to_string(),
    }
}

fn last(shown: &TasksShown<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(next) = shown.schedule.next() {
        lines.push(labelled("next task").plain(format!(
            "{}  {}",
            one_line(&next.id.0),
            one_line(&next.title)
        )));
    } else if !shown.list.tasks().is_empty() {
        lines.extend(nothing_ready(shown));
    }
    let problems = shown.list.problems().len() as u64;
    if problems > 0 {
        let told = labelled("problems").tone(Tone::Bad, problems.to_string()).plain("  ");
        lines.push(told.command(format!("windlass tasks validate {}", shown.flags)).unbroken());
    }
    lines
}

/// Why there is no next task.
fn nothing_ready(shown: &TasksShown<'_>) -> Vec<Line> {
    let counts = shown.schedule.counts();
    let hidden = shown.list.problems().iter().filter(|problem| problem.kind.hides_work());
    let hidden: Vec<Line> = hidden.map(problem_line).collect();
    if counts.waiting == 0 && !hidden.is_empty() {
        let all = format::count(counts.total as u64, "task");
        let text = format!(" all {all} done, and open work may stand where no task is:");
        let first = Line::hanging(2).mark(Tone::Warn, Mark::Warning).tone(Tone::Warn, text);
        return std::iter::once(first).chain(hidden).collect();
    }
    if counts.waiting == 0 {
        let line = Line::hanging(2).mark(Tone::Good, Mark::Complete);
        return vec![
            line.tone(Tone::Good, format!(" all {} done", format::count(counts.total as u64, "task"))),
        ];
    }
    let waiting = format!(" no task is ready: {} for what will not come", verb(counts.waiting));
    let mut lines = vec![Line::hanging(2).mark(Tone::Warn, Mark::Warning).tone(Tone::Warn, waiting)];
    let blocking = shown.schedule.blocking();
    let missing = blocking.unknown.iter().map(|one| {
        format!(
            "{} waits for {}, which is not a task here",
            one_line(&one.task.0),
            one_line(&one.dependency.0)
        )
    });
    let cycles = blocking.cycles.iter().map(|cycle| {
        let ids: Vec<String> = cycle.iter().map(|id| one_line(&id.0)).collect();
        format!("these wait for one another: {}", named(&ids))
    });
    let open = shown.list.tasks().iter().filter(|task| shown.look(task) == Look::Unclear);
    let unclear = open.map(|task| {
        let why = task.row.unclear.as_deref().unwrap_or_default();
        format!("{} is not clear: {}", one_line(&task.row.id.0), one_line(why))
    });
    lines.extend(
        unclear.chain(missing).chain(cycles).take(20).map(|text| Line::hanging(4).plain(format!("  {text}"))),
    );
    lines
}

fn verb(number: usize) -> String {
    if number == 1 { "1 waits".to_owned() } else { format!("{number} wait") }
}

/// The task to do next with its own text, or why there is none; every line ends with a newline.
pub fn next_task_text(shown: &TasksShown<'_>, terminal: &Terminal) -> String {
    let next = shown.schedule.next().and_then(|row| shown.list.task(&row.id));
    let Some(task) = next else { return rendered(&nothing_ready(shown), terminal) };
    let look = shown.look(task);
    let (tone, mark) = look.mark();
    let mut lines = vec![
        Line::hanging(2)
            .mark(tone, mark)
            .strong(format!(" {}", one_line(&task.row.id.0)))
            .plain(format!("  {}", one_line(&task.row.title))),
        Line::hanging(2).dim(format!(
            "  {} · {} · priority {}",
            one_line(&task.place()),
            look.word(),
            priority(task.row.priority)
        )),
        Line::new(),
    ];
    let source = shown.list.source(&task.row.id).trim_end();
    lines.extend(source.lines().map(|line| match harmless(line.trim_end()) {
        text if text.is_empty() => Line::new(),
        text => Line::hanging(2).plain(format!("  {text}")),
    }));
    rendered(&lines, terminal)
}

/// What is wrong with the tasks; every line ends with a newline.
pub fn tasks_judged(shown: &TasksShown<'_>, terminal: &Terminal) -> String {
    let problems = shown.list.problems();
    let mut lines = vec![verdict(shown.place, problems), shown.counts()];
    lines.extend(criteria(shown));
    if !problems.is_empty() {
        lines.push(Line::new());
    }
    lines.extend(problems.iter().map(problem_line));
    lines.extend(note_lines(&shown.list.notes()));
    rendered(&lines, terminal)
}

/// How many success criteria the runner can check, and how many are left to be judged.
fn criteria(shown: &TasksShown<'_>) -> Option<Line> {
    let all = || shown.list.tasks().iter().flat_map(|task| &task.criteria);
    let judged = all().filter(|criterion| criterion.meaning() == Meaning::Judged).count();
    let total = all().count();
    let words = format!(
        "  {total} success criteria: {} for the runner to check, {judged} to be judged",
        total - judged
    );
    (total > 0).then(|| Line::hanging(2).dim(words))
}

/// What was taken for what.
pub(super) fn note_lines(notes: &[String]) -> impl Iterator<Item = Line> {
    notes.iter().map(|note| {
        Line::hanging(4).plain("  ").mark(Tone::Dim, Mark::Nothing).dim(format!(" {}", one_line(note)))
    })
}

/// Whether a list of tasks or a plan is valid.
pub(super) fn verdict(place: &str, problems: &[Problem]) -> Line {
    let (tone, mark, verdict) = match problems.len() as u64 {
        0 => (Tone::Good, Mark::Passed, " valid".to_owned()),
        number => (Tone::Bad, Mark::Failed, format!(" {}", format::count(number, "problem"))),
    };
    Line::hanging(2).mark(tone, mark).tone(tone, verdict).plain(format!("  {}", one_line(place)))
}

/// A problem of tasks or of a plan.
pub(super) fn problem_line(problem: &Problem) -> Line {
    let text = format!(" {}", one_line(&problem.to_string()));
    Line::hanging(4).plain("  ").mark(Tone::Bad, Mark::Failed).plain(text)
}

/// One line on a task whose state was changed, or was so already.
pub fn task_marked(task: &Task, state: TaskState, changed: bool) -> Line {
    let (tone, mark) = match (state, changed) {
        (_, false) => (Tone::Dim, Mark::Nothing),
        (TaskState::Done, true) => Look::Done.mark(),
        (_, true) => Look::Ready.mark(),
    };
    let is = match (state, changed) {
        (TaskState::Done, true) => "is done",
        (TaskState::Done, false) => "was done already",
        (_, true) => "is open again",
        (_, false) => "was open already",
    };
    let line = Line::hanging(2).mark(tone, mark).strong(format!(" {}", one_line(&task.row.id.0)));
    line.plain(format!(" {is}")).dim(format!("  {}", one_line(&task.row.title)))
}
