//! What is wrong, in sentences with lines.

use windlass_core::tasks::Schedule;

use super::*;

// Seed defect D3, parser/requirements.ts:106-113: a missing or cyclic dependency only showed as "no available tasks".
// rows: 92
#[test]
fn unknown_dependencies_duplicates_and_cycles_are_named_with_lines() {
    let list = markdown(
        "### TASK-001: a\n- **Dependencies**: TASK-002, TASK-1\n### TASK-002: b\n- **Dependencies**: TASK-003\n\
         ### TASK-003: c\n- **Dependencies**: TASK-001, later\n### TASK-004: d\n- **Dependencies**: TASK-004\n\
         ### task-001: again\n- **Dependencies**: TASK-009 to TASK-011\n",
    );
    assert_eq!(
        problems(&list),
        [
            "tasks.md:9: has the id task-001 of line 1: give one of them another",
            "tasks.md:8: TASK-004 depends on itself",
            "tasks.md:1: these wait for one another: TASK-001 (line 1) → TASK-002 (line 3) → TASK-003 (line 5) → TASK-001",
            "tasks.md:2: TASK-001 depends on `TASK-1`, which is not a task of this list; did you mean TASK-001?",
            "tasks.md:6: TASK-003 depends on `later`, which is not a task of this list",
            "tasks.md:10: TASK-001 depends on `TASK-009 to TASK-011`, which is not a task of this list",
        ]
    );
    assert!(!list.is_unusable());
    assert_eq!(Schedule::new(list.rows()).next(), None);
    assert_eq!(list.task(&"TASK-001".into()).map(|task| task.row.title.as_str()), Some("a"));
    assert_eq!(list.find(" task-002 ").map(|task| task.line), Some(3));
}

#[test]
fn all_from_one_task_to_another_are_waited_for() {
    let tasks = "### T001: a\n### T002: b\n### T003: c\n### T005: e\n";
    let waits_for = |written: &str| {
        let list = markdown(&format!("{tasks}### T009: last\n- **Depends on**: {written}\n"));
        let dependencies = list.task(&"T009".into()).map(|task| task.row.dependencies.clone());
        let ids = dependencies.unwrap_or_default().into_iter().map(|id| id.0).collect::<Vec<_>>().join(" ");
        (ids, problems(&list).len())
    };
    let found = |ids: &str, problems: usize| (ids.to_owned(), problems);
    for written in [
        "T001 TO T003",
        "T001 - T003",
        "T001-T003",
        "T001–T003",
        "T001 … 3",
        "T001..T003",
        "t001 through 003",
    ] {
        assert_eq!(waits_for(written), found("T001 T002 T003", 0), "{written}");
    }
    let gap = "what is not there is not missed";
    assert_eq!(waits_for("T002 to T005, T001"), found("T002 T003 T005 T001", 0), "{gap}");
    for written in ["T001 - T004", "T003 - T001", "T000-T003"] {
        assert_eq!(waits_for(written).1, 1, "{written}");
    }
    assert_eq!(waits_for("T003 - T009"), found("T003 T005", 0), "no task waits for itself");
}

// Seed defect D3, parser/requirements.ts:30-75: unknown statuses and priorities became the defaults in silence, ids could be given twice.
// rows: 90
#[test]
fn unknown_words_are_problems_and_no_silent_defaults() {
    let list = markdown(
        "### T1: a\n- **Status**: blocked\n- **Priority**: soonish\n### T2: b\n- **Status**:\n- **Status**: done\n\
         ### T3: c\n- **Status**: pending | done\n- **Priority**: 0\n### T4: d\n- **Priority**: 70000\n",
    );
    assert_eq!(
        problems(&list),
        [
            "tasks.md:2: T1 has the status `blocked`: write pending, in-progress or done",
            "tasks.md:5: T2 has a status without a word: write pending, in-progress or done",
            "tasks.md:8: T3 has the status `pending | done`: write pending, in-progress or done",
            "tasks.md:3: T1 has the priority `soonish`: write high, medium, low or a number",
            "tasks.md:6: T2 has its status twice; the first counts",
        ]
    );
    assert_eq!(told(&list), ["open T1 a", "open T2 b", "open T3 c !0", "open T4 d !255"]);
}

// Seed defect D3, parser/requirements.ts:102: TASK-10 came before TASK-9.
// rows: 91
#[test]
fn nine_comes_before_ten() {
    let list = markdown("### TASK-10: b\n### TASK-9: a\n### TASK-11: c\n- **Priority**: high\n");
    let schedule = Schedule::new(list.rows());
    let order: Vec<&str> = schedule.ready().map(|row| row.id.0.as_str()).collect();
    assert_eq!(order, ["TASK-11", "TASK-9", "TASK-10"]);
}

#[test]
fn what_cannot_be_read_is_said() {
    let read = |content: Result<Vec<u8>, String>| {
        let list = TaskList::parse(vec![TaskFile::alone("tasks.md", &Markdown, content)]);
        assert!(list.is_unusable() && list.tasks().is_empty());
        problems(&list).concat()
    };
    assert_eq!(read(Err("is a folder".to_owned())), "tasks.md is a folder");
    assert_eq!(read(Ok(b"### T1: a\n\xff".to_vec())), "tasks.md:2: is not UTF-8");
    assert_eq!(
        read(Ok(vec![b'a'; LONGEST_LIST + 1])),
        "tasks.md is longer than a list of tasks may be, which is 16 MiB"
    );
    assert_eq!(read(Ok("> ".repeat(500).into_bytes())), "tasks.md:1: nests deeper than 200 levels");
    assert_eq!(
        read(Ok(b"# Requirements\n\nWords.\n".to_vec())),
        "tasks.md has no task: write each as `- [ ] what is to be done` or `### TASK-001: What is to be done`"
    );
    assert!(TaskList::parse(Vec::new()).is_missing());
}

#[test]
fn a_thousand_problems_are_some() {
    let text = |task: fn(usize) -> String| (0..1000).map(task).collect::<Vec<_>>().concat();
    let list = markdown(&text(|number| format!("### T{number}: x\n- **Dependencies**: NONE-{number}\n")));
    assert_eq!(list.problems().len(), 20);
    assert!(problems(&list)[19].ends_with(" (and 980 more of this kind)"), "{:?}", problems(&list)[19]);
    let ring = text(|number| format!("### T{number}: x\n- **Dependencies**: T{}\n", (number + 1) % 1000));
    assert!(problems(&markdown(&ring))[0].ends_with("T99 (line 199) → 900 more → T0"));
}

/// Parsed, resolved and judged: recursion would not come back from it, nor would anything quadratic before the test is
/// ended.
#[test]
fn fifty_thousand_tasks_are_no_effort() {
    let task = |number: usize| {
        let on =
            if number == 1 { "none".to_owned() } else { format!("TASK-{:05}, GONE-{number}", number - 1) };
        format!("### TASK-{number:05}: Title of {number}\n- **Status**: pending\n- **Dependencies**: {on}\n")
    };
    let list = markdown(&(1..=50_000).map(task).collect::<String>());
    assert_eq!(list.tasks().len(), 50_000);
    assert_eq!(list.problems().len(), 20);
    let splice = list.set_state(&"TASK-50000".into(), TaskState::Done).unwrap();
    assert_eq!(splice.text, "done");
    let stories: Vec<String> = (0..50_000)
        .map(|number| {
            format!("{{\"id\": \"US-{number}\", \"passes\": false, \"dependsOn\": [\"US-{}\"]}}", number + 1)
        })
        .collect();
    let list = prd(&format!("{{\"userStories\": [{}]}}", stories.join(",\n")));
    assert_eq!(list.tasks().len(), 50_000);
    assert_eq!(
        problems(&list),
        ["prd.json:50000: US-49999 depends on `US-50000`, which is not a task of this list"]
    );
}
