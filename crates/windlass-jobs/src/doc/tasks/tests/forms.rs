//! `prd.json`, and files with front matter.

use super::*;

const PRD: &str = r#"{
  "project": "Shop", "branchName": "ralph/shop",
  "userStories": [
    {
      "id": "US-001", "title": "Set up", "description": "As a user", "acceptanceCriteria": ["builds"],
      "priority": 1, "passes": true, "notes": ""
    },
    { "id": "US-002", "title": "Pay\n now", "priority": "low", "passes": false, "dependsOn": ["US-001"] },
    { "id": 3, "passes": null, "dependencies": "us-001, US-002", "type": "fix" }
  ]
}"#;

#[test]
fn stories_are_tasks() {
    let list = prd(PRD);
    assert_eq!(
        told(&list),
        ["done US-001 Set up !1", "open US-002 Pay now <US-001 !3", "open 3 3 <US-001 US-002"]
    );
    assert_eq!(problems(&list), ["prd.json:9: 3 has `passes` null: write true or false"]);
    assert_eq!(list.tasks().iter().map(|task| task.line).collect::<Vec<_>>(), [4, 8, 9]);
    assert!(list.source(&"US-002".into()).starts_with("{ \"id\": \"US-002\""));
    assert_eq!(list.tasks()[0].description, "As a user");
    assert_eq!(list.tasks()[0].verification.as_deref(), Some("builds"));
    assert_eq!(list.tasks()[2].row.kind.as_deref(), Some("fix"));
}

#[test]
fn what_is_no_such_document_is_named_with_its_line() {
    let table = [
        ("{\n \"userStories\": [,]}", "prd.json:2: is not JSON of this form: "),
        ("[]", "prd.json has no task: "),
        ("7", "prd.json:1: is not JSON of this form: "),
        ("{}", "prd.json has no list of `userStories`"),
        ("{\"userStories\": [\n1]}", "prd.json:2: is not a story: "),
        ("{\"userStories\": [\n\n{\"title\": \"x\"}]}", "prd.json:3: is a story without an `id`"),
        ("{\"userStories\": [{\"id\": \"a\", \"id\": \"b\"}]}", "prd.json:1: is not a story: "),
        ("{\"userStories\": []}", "prd.json has no task: "),
        ("", "prd.json:1: is not JSON of this form: "),
        (
            "{\"userStories\": [{\"id\": \"A1\", \"priority\": \"soon\"}]}",
            "prd.json:1: A1 has the priority `soon`",
        ),
    ];
    for (text, expected) in table {
        let problems = problems(&prd(text));
        assert!(problems.len() == 1 && problems[0].starts_with(expected), "{text}: {problems:?}");
    }
    let deep = format!("{{\"userStories\": [{}{}]}}", "[".repeat(5000), "]".repeat(5000));
    assert!(prd(&deep).is_unusable());
}

// rows: 93
#[test]
fn a_file_per_task_with_front_matter() {
    let list = folder(&[
        (
            "TASK-001.md",
            "---\nbreaking: yes\ntitle: Set up # the beginning\nstatus: done\npriority: high\nsuccess_criteria:\n  - it builds\n  - it runs\n---\n\nMake it.\n",
        ),
        (
            "pay.md",
            "---\r\nid: TASK-002\r\ntitle: \"Pay: now\"\r\nstatus: 'in-progress' # or done\r\ndepends_on:\r\n  - TASK-001\r\n- \"pack\"\r\n---\r\nBody",
        ),
        (
            "pack.md",
            "\u{feff}---\nDependencies: [task-001, TASK-002]\nAgent: codex\ntype: docs\ndescription: |\n  Two\n  lines\n...\n# Pack it all #\n",
        ),
        ("x.md", "---\nstatus:\npriority:\n---\n"),
    ]);
    assert_eq!(
        told(&list),
        [
            "done TASK-001 Set up !1",
            "in_progress TASK-002 Pay: now <TASK-001 pack",
            "open pack Pack it all <TASK-001 TASK-002",
            "open x x"
        ]
    );
    assert_eq!(list.tasks()[0].description, "Make it.");
    assert_eq!(list.tasks()[0].verification.as_deref(), Some("it builds\nit runs"));
    assert_eq!(list.tasks()[0].row.breaking.as_deref(), Some("Set up"));
    assert_eq!(list.tasks()[2].description, "Two\nlines");
    assert_eq!(list.tasks()[2].row.agent.as_deref(), Some("codex"));
    assert_eq!(
        problems(&list),
        [
            "tasks/pay.md:1: these wait for one another: TASK-002 (tasks/pay.md:1) → pack (tasks/pack.md:1) → TASK-002",
            "tasks/x.md:2: x has a status without a word: write pending, in-progress or done",
        ]
    );
}

#[test]
fn what_has_no_front_matter_is_named() {
    let list = folder(&[("a.md", "# A\n"), ("b.md", "---\nid: B\n"), ("c.md", "")]);
    assert_eq!(
        problems(&list),
        [
            "tasks/b.md:1: has front matter without an end: it ends with a line `---`",
            "tasks/a.md:1: has no front matter: a task begins with a line `---`",
            "tasks/c.md:1: has no front matter: a task begins with a line `---`",
        ]
    );
    assert!(list.is_unusable());
}

// rows: 93
#[test]
fn a_task_that_was_put_away_is_done_and_is_never_written() {
    let old = TaskFile {
        role: FileRole::PutAway,
        ..file("backlog/completed/task-1.md", &FrontMatter, "---\nid: task-1\nstatus: To Do\n---\n")
    };
    let open = "---\nid: task-2\nstatus: To Do\ndependencies: [task-1]\n---\n";
    let open = TaskFile { role: FileRole::Part, ..file("backlog/tasks/task-2.md", &FrontMatter, open) };
    let list = TaskList::parse(vec![open, old]);
    assert_eq!(told(&list), ["open task-2 task-2 <task-1", "done task-1 task-1"]);
    assert_eq!(problems(&list), [""; 0]);
    assert!(list.set_state(&"task-1".into(), TaskState::Open).is_err());
    let added = list.addition(&NewTask { title: "New".to_owned(), ..NewTask::default() }).unwrap();
    assert!(added.splice.file.starts_with("backlog/tasks/"), "{added:?}");
}

// Seed defect D4, decomposer/taskfile.go:155: criteria and the list of files were not read back, and any `---` split the file.
#[test]
fn a_task_file_of_claude_loop_has_its_criteria_and_files() {
    let text = "---\nid: T001\ntitle: \"Parse: numbers\"\nstatus: pending\ndependencies: []\nfiles: [src/a.rs, \"src/b c.rs\"]\ncomplexity: small\n---\n\n\
        # T001: Parse: numbers\n\n## Description\n\nRead them.\n\n---\n\nAnd more.\n\n## Success Criteria\n\n- [ ] `src/a.rs` contains `fn parse`\n\
        - [ ] it is fast\n\n## Files to Modify\n\n- `src/a.rs`\n";
    let list = folder(&[("T001.md", text)]);
    let task = &list.tasks()[0];
    let criteria: Vec<(&str, usize)> =
        task.criteria.iter().map(|one| (one.text.as_str(), one.line)).collect();
    assert_eq!(criteria, [("`src/a.rs` contains `fn parse`", 22), ("it is fast", 23)]);
    assert_eq!((&*task.row.title, task.complexity), ("Parse: numbers", Some(Complexity::Low)));
    assert_eq!(task.touches, ["src/a.rs", "src/b c.rs"]);
}
