//! Task files in each form: read, judged, a state changed, a task added.

use windlass_core::guard::Protected;
use windlass_core::tasks::Schedule;
use windlass_core::values::{TaskRow, TaskState};
use windlass_jobs::doc::tasks::sources::SOURCES;
use windlass_jobs::doc::tasks::{Layout, NewTask, TaskFile, TaskForm, TaskList};

pub(crate) fn run(data: &[u8]) {
    for form in SOURCES {
        let list = parse(form, data);
        assert!(list.tasks().len() <= data.len(), "a task has a byte at least");
        let schedule = Schedule::new(list.rows());
        assert!(schedule.rows().len() <= list.tasks().len());
        let patterns: Vec<&String> = list.tasks().iter().flat_map(|task| &task.row.protected).collect();
        assert!(patterns.iter().all(|pattern| Protected::check(pattern).is_ok()), "{patterns:?}");
        for problem in list.problems() {
            assert!(!problem.sentence.contains(char::is_control), "{problem:?}");
        }
        if let Ok(text) = std::str::from_utf8(data) {
            check_splices(form, &list, text);
            check_addition(form, &list, text);
        }
    }
}

fn parse(form: TaskForm, data: &[u8]) -> TaskList {
    TaskList::parse(vec![TaskFile::alone("tasks/T1.md", form, Ok(data.to_vec()))])
}

/// The rows of a list. What has to hold of the whole, which comes last, waits for the one before it that does not hold yet: that
/// follows from states.
fn rows_of(list: &TaskList) -> Vec<TaskRow> {
    let mut rows = list.rows();
    for row in rows.iter_mut().filter(|row| !list.form().about().has_ids && row.priority == u8::MAX) {
        row.dependencies.clear();
    }
    rows
}

/// A change of a state changes that state and nothing else.
fn check_splices(form: TaskForm, list: &TaskList, text: &str) {
    for (index, task) in list.tasks().iter().enumerate().take(10) {
        assert!(text.get(task.block().clone()).is_some(), "{task:?}");
        let is_first = list.task(&task.row.id).is_some_and(|first| std::ptr::eq(first, task));
        for state in [TaskState::Open, TaskState::InProgress, TaskState::Done] {
            let Some(splice) = list.set_state(&task.row.id, state).ok().filter(|_| is_first) else {
                continue;
            };
            let Some(changed) = splice.apply(text.as_bytes()) else {
                panic!("{splice:?} is outside of the text")
            };
            assert!(changed.starts_with(&text.as_bytes()[..splice.range.start]));
            assert!(changed.ends_with(&text.as_bytes()[splice.range.end..]));
            let mut expected = rows_of(list);
            let former = text.get(splice.range.clone()).unwrap_or_default();
            if !splice.is_empty() {
                expected[index].state = form.kept(state, former);
            }
            let rows = rows_of(&parse(form, &changed));
            // What was not a state may be one now, or stands a second time and is none still. Nothing becomes unclear but what is
            // open again in a plan, below a heading that says that it is done.
            let unclear = rows.get(index).and_then(|row| row.unclear.clone());
            let is_taken_back = task.plan.is_some() && state == TaskState::Open;
            assert!(
                unclear.is_none() || unclear == task.row.unclear || is_taken_back,
                "{splice:?} in {text:?}"
            );
            expected[index].unclear = unclear;
            assert_eq!(rows, expected, "{splice:?} in {text:?}");
        }
    }
}

/// An added task is one more, and open.
fn check_addition(form: TaskForm, list: &TaskList, text: &str) {
    let dependencies = list.tasks().first().map(|task| task.row.id.0.clone()).into_iter().collect();
    let task = NewTask { title: "New: one".to_owned(), dependencies, ..NewTask::default() };
    let Ok(addition) = list.addition(&task) else { return };
    if form.about().layout == Layout::FilePerTask {
        return;
    }
    let Some(changed) = addition.splice.apply(text.as_bytes()) else { panic!("{addition:?}") };
    let after = parse(form, &changed);
    assert_eq!(after.tasks().len(), list.tasks().len() + 1, "{addition:?} in {text:?}");
    let added = after.task(&addition.id);
    assert!(added.is_some_and(|task| task.row.state == TaskState::Open), "{addition:?} in {text:?}");
}
