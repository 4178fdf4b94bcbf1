//! Task files as nobody should have them: each is refused with one sentence, or read as what it is, and no byte of it changes.
//!
//! | what | shown by |
//! |---|---|
//! | 1 GB | `a_gigabyte_is_refused` |
//! | 50,000 tasks | `of_fifty_thousand_tasks_one_is_done`; in the core of the reader `windlass-jobs`, `judging::`, `plan::`; in a build `loop`, `plans::fifty_thousand` |
//! | 1,000 files in a folder | `of_a_thousand_files_one_changes` |
//! | half-written JSON, merge marks, UTF-16, NUL bytes, bytes that are no text | `what_is_damaged_is_refused_with_one_sentence`; in every form `windlass-jobs`, `broken::` |
//! | one id in two files, cycles | `what_contradicts_itself_is_named_and_not_worked_on` |
//! | line ends of Windows with tabs and a byte order mark | `line_ends_tabs_and_marks_stay` |
//! | links out of the tree, in a circle, to nothing; a pipe, a device, a folder | `what_is_no_file_is_named` |
//! | files that change while they are read | `what_changes_while_it_is_read_is_read_as_one_of_both` |
//! | two writers | `of_several_who_write_at_once_nothing_is_lost`; against programs of others `windlass-engine`, `tasks::write` |

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use windlass_testkit::environment::{Outcome, TestEnv};

use super::ends::sentence;
use super::{PATIENCE, ask, told, windlass};

/// What reads or writes tasks, and what works on them.
const VERBS: [&[&str]; 6] = [
    &["tasks", "list"],
    &["tasks", "next"],
    &["tasks", "validate"],
    &["tasks", "done", "T1"],
    &["run", "--mode", "tasks", "--mock"],
    &["build", "--mock"],
];

/// All files below a folder, without following links or opening pipes.
fn bytes_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(bytes_below(&path));
        } else if kind.is_file() && entry.metadata().unwrap().len() < 1 << 26 {
            found.insert(path.clone(), fs::read(path).unwrap());
        } else {
            found.insert(path, Vec::new());
        }
    }
    found
}

fn about(env: &TestEnv, verb: &[&str], place: &str) -> Outcome {
    let arguments: Vec<&str> = verb.iter().copied().chain(["-f", place]).collect();
    ask(env, &arguments)
}

/// Every verb refuses a place with the same sentence, said once, with exit code 2, and changes nothing.
fn refused(env: &TestEnv, place: &str, says: &str) {
    let before = bytes_below(env.project());
    for verb in VERBS {
        let outcome = about(env, verb, place);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert_eq!(outcome.code, Some(2), "{verb:?} {place}: {said}");
        assert!(sentence(&outcome).contains(says), "{verb:?} {place}: {said}");
        assert_eq!(said.matches(says).count(), 1, "{verb:?} {place}: {said}");
        assert!(bytes_below(env.project()) == before, "{verb:?} {place} changed something");
    }
}

#[test]
fn a_gigabyte_is_refused() {
    let env = TestEnv::new();
    fs::File::create(env.project().join("huge.md")).unwrap().set_len(1 << 30).unwrap();
    refused(&env, "huge.md", "huge.md is longer than a list of tasks may be, which is 16 MiB");
}

#[test]
fn of_fifty_thousand_tasks_one_is_done() {
    let env = TestEnv::new();
    let feature =
        |number: u32| format!("{{\"id\": \"T{number}\", \"description\": \"x\", \"passes\": false}}");
    let text = format!("[{}]\n", (1..=50_000).map(feature).collect::<Vec<_>>().join(",\n"));
    env.write("feature_list.json", &text);
    assert!(told(&env, &["tasks", "next", "-f", "feature_list.json"]).contains("○ T1  x"));
    told(&env, &["tasks", "done", "T40000", "-f", "feature_list.json"]);
    let done = feature(40_000).replace("false", "true");
    assert!(env.read("feature_list.json") == text.replace(&feature(40_000), &done));
}

#[test]
fn of_a_thousand_files_one_changes() {
    let env = TestEnv::new();
    for number in 1..=1000 {
        let text =
            format!("---\nid: T{number}\ntitle: Thing {number}\nstatus: pending\n---\n\nWhat to do.\n");
        env.write(format!("tasks/t{number}.md"), text);
    }
    let mut expected = bytes_below(env.project());
    assert!(told(&env, &["tasks", "-f", "tasks"]).contains("1000 tasks · 0 done · 1000 ready"));
    told(&env, &["tasks", "done", "T777", "-f", "tasks"]);
    let changed = expected.get_mut(&env.project().join("tasks/t777.md")).unwrap();
    *changed = String::from_utf8(changed.clone()).unwrap().replace("pending", "done").into_bytes();
    assert!(bytes_below(env.project()) == expected);
}

#[test]
fn what_is_damaged_is_refused_with_one_sentence() {
    let utf_16 = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}- [ ] T1 a\n".encode_utf16().flat_map(bytes).collect()
    };
    let merge = "- [ ] T1 a\n<<<<<<< HEAD\n- [x] T2 b\n=======\n- [ ] T2 b\n>>>>>>> other\n";
    let json = "is not JSON";
    for (name, bytes, says) in [
        ("half/prd.json", b"{\"userStories\": [\n{\"id\": \"T1\", \"pas".to_vec(), json),
        ("half/feature_list.json", b"[\n{\"id\": \"T1\", \"description\": \"a\"".to_vec(), json),
        (".taskmaster/tasks/tasks.json", b"{\"master\": {\"tasks\": [\n{\"id\": 1, \"title\"".to_vec(), json),
        ("merge.md", merge.into(), "merge.md:2: holds a merge that was not settled"),
        (
            "merge/prd.json",
            format!("{{\"userStories\": [\n{merge}").into(),
            "holds a merge that was not settled",
        ),
        ("little.md", utf_16(u16::to_le_bytes), "little.md:1: is UTF-16: save it as UTF-8"),
        ("big.md", utf_16(u16::to_be_bytes), "big.md:1: is UTF-16: save it as UTF-8"),
        ("latin.md", b"- [ ] T1 a\n- [ ] T2 caf\xe9\n".to_vec(), "latin.md:2: is not UTF-8"),
    ] {
        let env = TestEnv::new();
        env.write(name, bytes);
        refused(&env, name, says);
    }
    // Of a file with a line per task the others are shown; nothing begins with them.
    let env = TestEnv::new();
    let half = "{\"id\": \"T1\", \"title\": \"a\", \"status\": \"open\"}\n{\"id\": \"T2\", \"ti";
    env.write(".beads/issues.jsonl", half);
    for verb in [&VERBS[2], &VERBS[4]] {
        let outcome = about(&env, verb, ".beads/issues.jsonl");
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr_text());
        assert!(sentence(&outcome).contains(".beads/issues.jsonl:2: is not JSON"), "{verb:?}");
    }
    assert_eq!(env.read(".beads/issues.jsonl"), half);
    // A NUL byte is a sign like another: the task is read, and marked, with it.
    let env = TestEnv::new();
    env.write("nul.md", "- [ ] T1 a\0b\n- [ ] T2 c\n");
    let listed = told(&env, &["tasks", "-f", "nul.md"]);
    assert!(listed.contains("2 tasks") && !listed.contains('\0'), "{listed}");
    told(&env, &["tasks", "done", "T1", "-f", "nul.md"]);
    assert_eq!(env.read("nul.md"), "- [x] T1 a\0b\n- [ ] T2 c\n");
}

#[test]
fn what_contradicts_itself_is_named_and_not_worked_on() {
    let task = |id: &str, more: &str| format!("---\nid: {id}\ntitle: a\nstatus: pending\n{more}---\n");
    let env = TestEnv::new();
    for (name, text) in [("a.md", task("T1", "")), ("b.md", task("t1", "")), ("c.md", task("T2", ""))] {
        env.write(format!("twice/{name}"), text);
    }
    for (name, id, on) in [("a.md", "T1", "T2"), ("b.md", "T2", "T3"), ("c.md", "T3", "T1")] {
        env.write(format!("circle/{name}"), task(id, &format!("dependencies: [{on}]\n")));
    }
    env.write("circle.md", "- [ ] T1 a (depends on T2)\n- [ ] T2 b (depends on T1)\n- [x] T3 c\n");
    let before = bytes_below(env.project());
    for (place, says, next) in [
        ("twice", "twice/b.md:1: has the id t1 of twice/a.md:1", 0),
        ("circle", "these wait for one another", 1),
        ("circle.md", "these wait for one another", 1),
    ] {
        let outcome = about(&env, &["tasks", "validate"], place);
        let said = outcome.stdout_text();
        assert!(outcome.code == Some(23) && said.matches(says).count() == 1, "{place}: {said}");
        let outcome = about(&env, &["tasks", "next"], place);
        assert_eq!(outcome.code, Some(next), "{place}: {}", outcome.stdout_text());
        assert!(!outcome.stdout_text().contains("○ T1"), "{place}: {}", outcome.stdout_text());
    }
    let done = about(&env, &["tasks", "done", "T1"], "twice");
    assert!(
        done.code == Some(2) && done.stderr_text().contains("2 tasks have its id"),
        "{}",
        done.stderr_text()
    );
    assert!(bytes_below(env.project()) == before);
}

#[test]
fn line_ends_tabs_and_marks_stay() {
    for (text, id, from, to) in [
        (
            "\u{feff}# Plan\r\n\r\n-\t[ ]\tT1 a\r\n\t-\t[ ]\tT2 b\r\n*\t[x]\tT3 c\t \r\n",
            "T2",
            "[ ]\tT2",
            "[x]\tT2",
        ),
        ("\u{feff}### T1: a\r\n-\t**Status**:\tpending\t \r\n\r\n### T2: b\r\n", "T1", "pending", "done"),
        (
            "\u{feff}| ID\t| Task | Status |\r\n|--|--|--|\r\n|\tT1\t|\ta\t|\ttodo\t|\r\n",
            "T1",
            "todo",
            "completed",
        ),
    ] {
        let env = TestEnv::new();
        env.write("list.md", text);
        told(&env, &["tasks", "done", id, "-f", "list.md"]);
        assert_eq!(env.read("list.md"), text.replacen(from, to, 1));
        told(&env, &["tasks", "reopen", id, "-f", "list.md"]);
        assert_eq!(env.read("list.md"), text);
    }
}

#[test]
fn what_is_no_file_is_named() {
    let env = TestEnv::new();
    let outside = env.write(env.root().join("outside.md"), "- [ ] T1 a\n");
    let at = |name: &str| env.project().join(name);
    symlink("nowhere.md", at("dangling.md")).unwrap();
    symlink("two.md", at("one.md")).unwrap();
    symlink("one.md", at("two.md")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe.md"), rustix::fs::Mode::RWXU).unwrap();
    symlink("/dev/zero", at("zero.md")).unwrap();
    symlink(&outside, at("mine.md")).unwrap();
    for (name, says) in [
        ("dangling.md", "dangling.md is a link that leads nowhere"),
        ("one.md", "one.md cannot be read"),
        ("pipe.md", "pipe.md is not a file, but a pipe or a device"),
        ("zero.md", "zero.md is a link that leads out of the project, and is not followed"),
        ("mine.md", "mine.md is a link that leads out of the project, and is not followed"),
    ] {
        refused(&env, name, says);
    }
    // Of a folder's files those that are none are named, and the others are read.
    env.write("tasks/t1.md", "---\nid: T1\nstatus: pending\n---\n");
    symlink("/dev/zero", at("tasks/t2.md")).unwrap();
    symlink("../nowhere", at("tasks/t3.md")).unwrap();
    let outcome = about(&env, &["tasks", "validate"], "tasks");
    let said = outcome.stdout_text();
    assert!(
        outcome.code == Some(2)
            && said.contains("tasks/t2.md is a link that leads out")
            && said.contains("tasks/t3.md is a link"),
        "{said}"
    );
    // A link within the project is followed, and what it leads to is written in its place.
    env.write("kept/TODO.md", "- [ ] T1 a\n");
    symlink("kept/TODO.md", at("TODO.md")).unwrap();
    told(&env, &["tasks", "done", "T1", "-f", "TODO.md"]);
    assert_eq!(env.read("kept/TODO.md"), "- [x] T1 a\n");
    assert!(at("TODO.md").symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "- [ ] T1 a\n");
}

/// Says that it is over, however that came.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn what_changes_while_it_is_read_is_read_as_one_of_both() {
    let env = TestEnv::new();
    let few = "### T1: a\n- **Status**: pending\n\n".to_owned();
    let many = (1..=500).fold(String::new(), |mut text, number| {
        let _ = write!(text, "### T{number}: a\n- **Status**: pending\n\n");
        text
    });
    env.write("tasks.md", &few);
    let (is_over, next) = (AtomicBool::new(false), env.project().join("next"));
    thread::scope(|scope| {
        // Also where an assertion fails: the scope ends with its last thread.
        let _over = Over(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for text in [&many, &few] {
                    fs::write(&next, text).unwrap();
                    fs::rename(&next, env.project().join("tasks.md")).unwrap();
                }
            }
        });
        for _ in 0..20 {
            let outcome = ask(&env, &["tasks", "-f", "tasks.md"]);
            let said = outcome.stdout_text();
            assert!(
                said.contains("  1 task ·") || said.contains("  500 tasks ·"),
                "{said}{}",
                outcome.stderr_text()
            );
        }
        // Who writes is told that it was not possible, or has changed one of both: nothing of the two is ever mixed.
        for _ in 0..2 {
            let outcome = ask(&env, &["tasks", "done", "T1", "-f", "tasks.md"]);
            let said = outcome.stderr_text();
            assert!(outcome.code == Some(0) || said.contains("is being written by somebody else"), "{said}");
            let text = env.read("tasks.md").replacen("done", "pending", 1);
            assert!(text == few || text == many, "{text}");
        }
    });
}

#[test]
fn of_several_who_write_at_once_nothing_is_lost() {
    let env = TestEnv::new();
    let tasks = (1..=8)
        .fold(String::new(), |text, number| text + &format!("### T{number}: a\n- **Status**: pending\n\n"));
    env.write("tasks.md", &tasks);
    thread::scope(|scope| {
        for number in 1..=8 {
            let env = &env;
            scope.spawn(move || {
                let (id, title) = (format!("T{number}"), format!("More {number}"));
                for arguments in
                    [["tasks", "done", &id, "-f", "tasks.md"], ["tasks", "add", &title, "-f", "tasks.md"]]
                {
                    let outcome = env.run(&mut windlass(env, &arguments), PATIENCE);
                    outcome.expect_code(0, &format!("{arguments:?}"));
                }
            });
        }
    });
    let written = env.read("tasks.md");
    assert!(written.starts_with(&tasks.replace("pending", "done")), "{written}");
    for number in 1..=8 {
        assert_eq!(written.matches(&format!("More {number}\n")).count(), 1, "{written}");
    }
    assert!(told(&env, &["tasks", "-f", "tasks.md"]).contains("16 tasks · 8 done · 8 ready"));
    assert_eq!(fs::read_dir(env.project()).unwrap().count(), 1, "nothing is left beside it");
}
