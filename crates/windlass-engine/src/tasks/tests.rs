//! Finding and writing task files, whatever lies in their place.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use windlass_core::values::TaskState;
use windlass_jobs::doc::tasks::{NewTask, Task};

use super::*;
use windlass_git::testing::Scratch;

const TASK: &str = "### TASK-001: a\n- **Status**: pending\n";

fn usual(scratch: &Scratch) -> String {
    find_tasks(&scratch.top, Wanted::Usual)
        .map_or_else(|error| error.to_string(), |found| found.place.display().to_string())
}

// rows: 90
#[test]
fn the_first_usual_place_with_a_task_is_taken() {
    let scratch = Scratch::plain();
    let expected =
        "there is no task file: none of requirements.md, tasks.md, .devloop/tasks.md, prd.json, tasks";
    assert_eq!(usual(&scratch), expected);
    scratch.write("tasks/notes.md", "# Notes\n");
    assert_eq!(usual(&scratch), expected, "a folder without a task is none");
    scratch.write("tasks/T1.md", "---\n---\n");
    assert_eq!(usual(&scratch), "tasks");
    scratch.write("prd.json", "{\"userStories\": [{\"id\": \"US-001\"}]}");
    assert_eq!(usual(&scratch), "prd.json");
    scratch.write("requirements.md", "# We want it all\n");
    assert_eq!(usual(&scratch), "prd.json", "free text is not a task file");
    scratch.write(".devloop/tasks.md", TASK);
    assert_eq!(usual(&scratch), ".devloop/tasks.md");
    scratch.write("requirements.md", TASK);
    assert_eq!(usual(&scratch), "requirements.md");
    fs::write(scratch.top.join("requirements.md"), b"\xff").unwrap();
    assert_eq!(usual(&scratch), "requirements.md", "what cannot be read may be what was meant");
    for name in ["prd.json", ".devloop/tasks.md", "tasks/T1.md"] {
        fs::remove_file(scratch.top.join(name)).unwrap();
    }
    scratch.write("requirements.md", "# We want it all\n");
    assert_eq!(usual(&scratch), "requirements.md", "its problem is that it has no task");
}

#[test]
fn features_and_places_that_are_named() {
    let scratch = Scratch::plain();
    scratch.write("requirements/shop.md", TASK);
    for name in ["shop", "requirements/shop.md"] {
        let found = find_tasks(&scratch.top, Wanted::Feature(name)).unwrap();
        assert_eq!(found.list.tasks()[0].place(), "requirements/shop.md:1");
    }
    for name in ["", "../x", "a/b", "requirements/../x.md", "a b"] {
        let error = find_tasks(&scratch.top, Wanted::Feature(name)).unwrap_err().to_string();
        assert!(error.contains("cannot be a feature's name: a name has 1 to 64 ASCII letters"), "{error}");
    }
    let missing = find_tasks(&scratch.top, Wanted::Feature("cart")).unwrap_err();
    assert_eq!(missing.to_string(), "there is no requirements/cart.md");
    let folder = find_tasks(&scratch.top, Wanted::Place("requirements".as_ref())).unwrap();
    assert_eq!(folder.list.problems().len(), 1, "no front matter: {:?}", folder.list.problems());
}

#[test]
fn what_is_no_readable_file_is_said() {
    let scratch = Scratch::plain();
    let problem = |name: &str| {
        let found = find_tasks(&scratch.top, Wanted::Place(name.as_ref())).unwrap();
        found.list.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    symlink("nowhere", scratch.top.join("link.md")).unwrap();
    assert!(problem("link.md").starts_with("link.md is a link that leads nowhere: "));
    rustix::fs::mkfifoat(rustix::fs::CWD, scratch.top.join("pipe.md"), rustix::fs::Mode::RWXU).unwrap();
    assert_eq!(problem("pipe.md"), "pipe.md is not a file, but a pipe or a device");
    fs::create_dir(scratch.top.join("empty")).unwrap();
    assert_eq!(problem("empty"), "empty holds no file of a task");
    scratch.write("tasks/T10.md", "---\n---\n");
    scratch.write("tasks/T9.md", "---\n---\n");
    scratch.write("tasks/README.md", "# Tasks\n");
    scratch.write("tasks/_template.md", "# Template\n");
    symlink("nowhere", scratch.top.join("tasks/T11.md")).unwrap();
    let found = find_tasks(&scratch.top, Wanted::Usual).unwrap();
    let places: Vec<String> = found.list.tasks().iter().map(Task::place).collect();
    assert_eq!(places, ["tasks/T9.md:1", "tasks/T10.md:1"]);
    assert!(found.list.problems()[0].to_string().starts_with("tasks/T11.md is a link that leads nowhere"));
}

// Seed defect D3, later tasks.ts (updateTaskStatus): the file was not written in one step, and with other line ends.
// rows: 90
#[test]
fn a_state_is_written_through_a_link_and_all_else_stays() {
    let scratch = Scratch::plain();
    let text = "\u{feff}### TASK-001: a\r\n- **Status**: Pending\r\n\r\n### TASK-002: b\r\n";
    scratch.write("real/tasks.md", text);
    symlink("real/tasks.md", scratch.top.join("tasks.md")).unwrap();
    let real = scratch.top.join("real/tasks.md");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let found = find_tasks(&scratch.top, Wanted::Usual).unwrap();
    let write = |id: &str, state| set_state(&scratch.top, &found.place, &id.into(), state);
    assert_eq!(write("TASK-001", TaskState::Done).unwrap(), Written::Changed { former: TaskState::Open });
    assert_eq!(fs::read_to_string(&real).unwrap(), text.replace("Pending", "Done"));
    assert_eq!(write("TASK-001", TaskState::Done).unwrap(), Written::AsItWas);
    assert!(scratch.top.join("tasks.md").symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_eq!(fs::read_dir(scratch.top.join("real")).unwrap().count(), 1, "nothing is left beside it");
    assert_ne!(find_tasks(&scratch.top, Wanted::Usual).unwrap().mark, found.mark);
    let error = write("TASK-003", TaskState::Done).unwrap_err().to_string();
    assert_eq!(error, "there is no task TASK-003 in tasks.md");
    fs::remove_file(&real).unwrap();
    let error = write("TASK-001", TaskState::Done).unwrap_err().to_string();
    assert!(error.starts_with("tasks.md is a link that leads nowhere"), "{error}");
}

#[test]
fn a_task_is_added_to_its_file_or_as_one() {
    let scratch = Scratch::plain();
    scratch.write("tasks.md", TASK);
    let task = NewTask { title: "b".to_owned(), ..NewTask::default() };
    assert_eq!(add_task(&scratch.top, "tasks.md".as_ref(), &task).unwrap(), "TASK-002".into());
    assert!(fs::read_to_string(scratch.top.join("tasks.md")).unwrap().starts_with(TASK));
    scratch.write("tasks/T1.md", "---\n---\n");
    assert_eq!(add_task(&scratch.top, "tasks".as_ref(), &task).unwrap(), "T2".into());
    let read = find_tasks(&scratch.top, Wanted::Place("tasks".as_ref())).unwrap();
    assert_eq!((read.list.tasks().len(), read.list.problems().len()), (2, 0));
    scratch.write("tasks/T3.md", "---\nid: other\n---\n");
    let error = add_task(&scratch.top, "tasks".as_ref(), &task).unwrap_err().to_string();
    assert_eq!(error, "tasks/T3.md is there already, and nothing is overwritten");
    let refused = add_task(&scratch.top, "tasks.md".as_ref(), &NewTask::default()).unwrap_err().to_string();
    assert_eq!(refused, "a task needs a title");
}
