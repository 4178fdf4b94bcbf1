//! `tasks`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use windlass_testkit::environment::TestEnv;

use super::{ask, document, go, start, told, windlass};

const FILE: &str = "# Shop\r\n\r\n### TASK-001: Set up\r\n- **Status**: done\r\n\r\n### TASK-010: Ship\r\n- **Dependencies**: TASK-001\r\n\r\n\
    ### TASK-9: Pay\r\n- **Status**: pending\r\n- **Dependencies**: TASK-001\r\n\r\n## Notes\r\n";

fn shop() -> TestEnv {
    let env = TestEnv::new();
    env.write("requirements.md", FILE);
    env
}

fn text(env: &TestEnv) -> String {
    fs::read_to_string(env.project().join("requirements.md")).unwrap()
}

// Seed defect D3, parser/requirements.ts:102: TASK-10 came before TASK-9.
// rows: 94
#[test]
fn the_next_box_of_a_plan_is_its_first_open_one() {
    let env = TestEnv::with_git();
    env.write("TODO.md", "- [ ] T002 second\n- [ ] unnamed\n- [ ] A1 another\n");
    assert!(told(&env, &["tasks", "next", "-f", "TODO.md"]).contains("T002"));
    assert!(told(&env, &["verify", "--plan=TODO.md"]).contains("second"));
    assert!(told(&env, &["continue"]).contains("windlass continue -f TODO.md"));
}

#[test]
fn tasks_are_listed_and_the_next_is_named() {
    let env = shop();
    let list = told(&env, &["tasks"]);
    assert_eq!(list, told(&env, &["tasks", "list"]));
    assert_eq!(list, told(&env, &["tasks", "--file", "requirements.md"]));
    assert_eq!(document(&env, &["tasks", "--json"]), document(&env, &["tasks", "list", "--json"]));
    assert!(
        list.starts_with("requirements.md\n  3 tasks · 1 done · 2 ready\n\n✓ TASK-001  done   Set up\n"),
        "{list}"
    );
    assert!(list.ends_with("next task   TASK-9  Pay\n"), "{list}");
    let next = told(&env, &["tasks", "next"]);
    assert!(
        next.starts_with(
            "○ TASK-9  Pay\n  requirements.md:9 · ready · priority medium\n\n  ### TASK-9: Pay\n"
        ),
        "{next}"
    );
    let json = document(&env, &["tasks", "next", "--json"]);
    assert_eq!((&json["type"], &json["task"]["id"]), (&"next_task".into(), &"TASK-9".into()));
    let json = document(&env, &["tasks", "list", "--json"]);
    assert_eq!(
        (&json["type"], &json["total"], &json["next"]),
        (&"tasks".into(), &3.into(), &"TASK-9".into())
    );
    assert_eq!(text(&env), FILE, "looking changes nothing");
}

// rows: 91
#[test]
fn the_graph_is_drawn_in_three_ways() {
    let env = shop();
    let tree = told(&env, &["tasks", "graph"]);
    assert!(tree.ends_with("✓ TASK-001  Set up\n├─ ○ TASK-010  Ship\n└─ ○ TASK-9  Pay\n"), "{tree}");
    let dot = told(&env, &["tasks", "graph", "--format", "dot"]);
    assert!(dot.starts_with("digraph tasks {\n") && dot.contains("  t0 -> t1;\n"), "{dot}");
    let mermaid = told(&env, &["tasks", "graph", "--format", "mermaid"]);
    assert!(mermaid.starts_with("flowchart LR\n") && mermaid.contains("  t0 --> t2\n"), "{mermaid}");
    assert_eq!(document(&env, &["tasks", "graph", "--json"])["tasks"][1]["dependencies"][0], "TASK-001");
}

// Seed defect D3, parser/requirements.ts:106-113: a missing or cyclic dependency only showed as "no available tasks".
// rows: 90
#[test]
fn the_exit_code_says_whether_the_file_is_valid() {
    let env = shop();
    assert!(told(&env, &["tasks", "validate"]).starts_with("✓ valid  requirements.md\n"));
    env.write(
        "requirements.md",
        "### T1: a\n- **Dependencies**: T2\n### T2: b\n- **Dependencies**: T1, GONE-1\n",
    );
    let judged = ask(&env, &["tasks", "validate"]);
    assert_eq!(judged.code, Some(23));
    let said = judged.stdout_text();
    assert!(
        said.contains("requirements.md:1: these wait for one another: T1 (line 1) → T2 (line 3) → T1"),
        "{said}"
    );
    assert!(
        said.contains("requirements.md:4: T2 depends on `GONE-1`, which is not a task of this list"),
        "{said}"
    );
    let next = ask(&env, &["tasks", "next"]);
    assert_eq!(next.code, Some(1), "tasks are left, and none is ready");
    assert!(next.stdout_text().contains("these wait for one another: T1, T2"), "{}", next.stdout_text());
    env.write(".windlass/config.toml", "[output]\nexit_codes = \"simple\"\n");
    assert_eq!(ask(&env, &["tasks", "validate", "-q"]).code, Some(1));
    fs::write(env.project().join("requirements.md"), b"### T1: \xff").unwrap();
    for arguments in [&["tasks", "validate"][..], &["tasks", "list"], &["tasks", "next"]] {
        let unreadable = ask(&env, arguments);
        assert_eq!(unreadable.code, Some(2), "{arguments:?}");
        assert!(unreadable.stdout_text().contains("requirements.md:1: is not UTF-8"), "{arguments:?}");
    }
    fs::remove_file(env.project().join("requirements.md")).unwrap();
    for verb in [&["list"][..], &["next"], &["validate"], &["done", "T1"], &["add", "x"]] {
        let missing = ask(&env, &[&["tasks"], verb].concat());
        assert_eq!(missing.code, Some(2), "{verb:?}");
        assert!(missing.stderr_text().contains("there is no task file: none of requirements.md"), "{verb:?}");
    }
}

// Seed defect D3, later tasks.ts (updateTaskStatus): a file with CRLF was written anew with LF, and ids were prefixes and patterns.
// rows: 90
#[test]
fn tasks_are_marked_by_their_word_alone() {
    let env = shop();
    let said = told(&env, &["tasks", "done", "task-9", "TASK-001"]);
    assert_eq!(said, "✓ TASK-9 is done  Pay\n○ TASK-001 was done already  Set up\n");
    assert_eq!(text(&env), FILE.replace("pending", "done"));
    told(&env, &["tasks", "reopen", "TASK-9"]);
    assert_eq!(text(&env), FILE);
    told(&env, &["tasks", "done", "TASK-010"]);
    let expected = FILE.replace("Ship\r\n", "Ship\r\n- **Status**:  done\r\n");
    assert_eq!(text(&env), expected);
    told(&env, &["tasks", "reopen", "TASK-010"]);
    assert_eq!(text(&env), FILE, "what was put in is taken out");
    told(&env, &["tasks", "done", "TASK-010"]);
    let unknown = ask(&env, &["tasks", "done", "TASK-9", "TASK-1"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr_text().contains("there is no task TASK-1 in requirements.md"));
    assert_eq!(text(&env), expected, "all or none");
}

// rows: 90
#[test]
fn a_task_is_added_as_the_others_are_written() {
    let env = shop();
    let arguments = ["tasks", "add", "Manual", "--priority", "low", "--depends-on", "TASK-9,TASK-001"];
    let said = told(&env, &[&arguments[..], &["--description", "What it does"]].concat());
    assert_eq!(said, "✓ TASK-11 is in requirements.md  Manual\n");
    let block = "### TASK-11: Manual\r\n- **Status**: pending\r\n- **Priority**: low\r\n- **Dependencies**: TASK-9, TASK-001\r\n\
        - **Description**: What it does\r\n\r\n## Notes";
    assert_eq!(text(&env), FILE.replace("## Notes", block));
    for (arguments, message) in [
        (&["x", "--depends-on", "T-1"][..], "there is no task T-1 to depend on"),
        (&["x", "--priority", "soon"], "`soon` is not a priority: say high, medium, low or a number"),
        (&[" "], "a task needs a title"),
    ] {
        let refused = ask(&env, &[&["tasks", "add"], arguments].concat());
        assert_eq!(refused.code, Some(2), "{arguments:?}");
        assert!(refused.stderr_text().contains(message), "{arguments:?}: {}", refused.stderr_text());
    }
    env.write("prd.json", "{\"userStories\": [{\"id\": \"US-1\", \"passes\": true}]}");
    told(&env, &["tasks", "add", "--title", "More", "--file", "prd.json"]);
    let list = document(&env, &["tasks", "list", "--json", "--file", "prd.json"]);
    assert_eq!((&list["form"], &list["tasks"][1]["id"]), (&"prd".into(), &"US-2".into()));
}

// rows: 90, 93
#[test]
fn other_places_and_forms() {
    let env = shop();
    env.write("requirements/cart.md", "### T1: Basket\n");
    assert!(told(&env, &["tasks", "list", "--feature", "cart"]).contains("T1  ready  Basket"));
    env.write("tasks/T5.md", "---\ntitle: Alone\nstatus: pending\n---\n");
    env.write(".windlass/config.toml", "[tasks]\nfile = \"tasks\"\n");
    told(&env, &["tasks", "done", "T5"]);
    assert_eq!(
        fs::read_to_string(env.project().join("tasks/T5.md")).unwrap(),
        "---\ntitle: Alone\nstatus: done\n---\n"
    );
    assert_eq!(ask(&env, &["tasks", "list", "--feature", "../x"]).code, Some(2));
    let missing = ask(&env, &["tasks", "list", "--file", "none.md"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr_text().contains("there is no none.md"));
}

#[test]
fn nothing_is_changed_inside_a_run_or_beside_one() {
    let env = shop();
    let inside = |arguments: &[&str]| {
        let mut command: Command = windlass(&env, arguments);
        env.run(command.env("WINDLASS_RUN", "r-1"), super::PATIENCE)
    };
    assert_eq!(inside(&["tasks", "next"]).code, Some(0), "an agent may look");
    for arguments in
        [&["tasks", "done", "TASK-9"][..], &["tasks", "reopen", "TASK-001"], &["tasks", "add", "x"]]
    {
        let refused = inside(arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?}");
        assert!(refused.stderr_text().contains("refused: this was started by windlass itself"));
    }
    let (running, run) = start(&env, "wait", &["-m", "1"]);
    for arguments in [&["tasks", "done", "TASK-9"][..], &["tasks", "add", "x"]] {
        let refused = ask(&env, arguments);
        assert_eq!(refused.code, Some(25), "{arguments:?}");
        assert!(refused.stderr_text().contains(&run), "{}", refused.stderr_text());
    }
    assert_eq!(text(&env), FILE);
    go(&env);
    let _ = running.wait(super::PATIENCE);
    told(&env, &["tasks", "done", "TASK-9"]);
}

// What `bd` takes: beads-mcp 1.3.2.
#[test]
fn the_program_that_keeps_the_issues_is_told_what_became_of_them() {
    let env = TestEnv::new();
    let file = env.write(".beads/issues.jsonl", "{\"id\":\"b-1\",\"title\":\"Pay\",\"status\":\"open\"}\n");
    let by_hand = ask(&env, &["tasks", "done", "b-1", "-f", ".beads/issues.jsonl"]);
    assert_eq!(by_hand.code, Some(2));
    let said = by_hand.stderr_text();
    assert!(said.contains("bd keeps it: bd close b-1") && said.contains("Install bd"), "{said}");

    let programs = env.root().join("programs");
    fs::create_dir(&programs).unwrap();
    let told_by = |script: &str, arguments: &[&str]| {
        let bd = programs.join("bd");
        fs::write(&bd, format!("#!/bin/sh\necho \"$@\" >>../said\n{script}\n")).unwrap();
        fs::set_permissions(&bd, Permissions::from_mode(0o755)).unwrap();
        let mut command = windlass(
            &env,
            &[&["tasks", arguments[0], "-f", ".beads/issues.jsonl"], &arguments[1..]].concat(),
        );
        let usual = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path).unwrap();
        let path = std::env::join_paths([programs.clone()].into_iter().chain(std::env::split_paths(usual)));
        env.run(command.env("PATH", path.unwrap()), super::PATIENCE)
    };
    let failed = told_by("echo \"\n  database is locked\" >&2; exit 1", &["done", "b-1"]);
    assert_eq!(failed.code, Some(1));
    assert!(
        failed.stderr_text().contains("`bd close b-1` failed: database is locked"),
        "{}",
        failed.stderr_text()
    );
    let later = told_by("", &["done", "b-1"]);
    later.expect_code(0, "done");
    assert!(later.stderr_text().contains("bd has it; .beads/issues.jsonl says so when bd exports it next"));
    let now = told_by("sed -i s/open/closed/ .beads/issues.jsonl", &["done", "b-1"]);
    now.expect_code(0, "done");
    assert_eq!((now.stdout_text().as_ref(), now.stderr_text().as_ref()), ("✓ b-1 is done  Pay\n", ""));
    assert!(told_by("exit 1", &["done", "b-1"]).stdout_text().contains("b-1 was done already"));
    told_by("sed -i s/closed/open/ .beads/issues.jsonl", &["reopen", "b-1"]).expect_code(0, "reopen");
    fs::write(&file, "{\"id\":\"--force\",\"title\":\"Pay\",\"status\":\"in_progress\"}\n").unwrap();
    told_by("", &["reopen", "--", "--force"]).expect_code(0, "reopen");
    let said = fs::read_to_string(env.root().join("said")).unwrap();
    let commands = ["close b-1", "close b-1", "close b-1", "reopen b-1", "update --status open -- --force"];
    assert_eq!(said.lines().collect::<Vec<_>>(), commands);
}
