use windlass_jobs::doc::tasks::TaskFile;
use windlass_jobs::doc::tasks::sources::Markdown;

use super::*;
use crate::testing::columns;
use crate::view::check_document;

const SHOP: &str = "### TASK-001: Set up\n- **Status**: done\n- **Priority**: high\n\
    ### TASK-002: Cart\n- **Status**: in-progress\n- **Dependencies**: TASK-001\n\
    ### TASK-003: Pay\n- **Dependencies**: TASK-002, TASK-001\n\
    ### TASK-010: Ship what was paid for to wherever it is that people live these days\n- **Priority**: low\n- **Dependencies**: TASK-003\n\
    ### TASK-004: Write\u{1b}[31m the \"manual\"\n- **Dependencies**: TASK-001\n";

fn told<T>(text: &str, tell: impl Fn(&TasksShown<'_>) -> T) -> T {
    let content = Ok(text.as_bytes().to_vec());
    let list = TaskList::parse(vec![TaskFile::alone("tasks.md", &Markdown, content)]);
    let schedule = Schedule::new(list.rows());
    tell(&TasksShown {
        place: "tasks.md",
        flags: "-f tasks.md",
        list: &list,
        schedule: &schedule,
        exit_code: 0,
    })
}

#[test]
fn a_list_in_columns() {
    assert_eq!(
        told(SHOP, |shown| tasks_table(shown, &columns(80))),
        "\
tasks.md
  5 tasks · 1 done · 1 in progress · 1 ready · 2 waiting

✓ TASK-001  done         high  Set up
↻ TASK-002  in progress        Cart
◷ TASK-003  waiting            Pay  after TASK-002
◷ TASK-010  waiting      low   Ship what was paid for to wherever it is that
                               people live these days  after TASK-003
○ TASK-004  ready              Write the \"manual\"

  next task   TASK-002  Cart
"
    );
}

#[test]
fn a_task_that_nobody_can_work_on_is_not_called_ready() {
    let text =
        "### TASK-001: a\n- **Status**: blocked by Bo\n### TASK-002: b\n- **Dependencies**: TASK-001\n";
    assert_eq!(
        told(text, |shown| tasks_table(shown, &columns(80))),
        "\
tasks.md
  2 tasks · 0 done · 1 waiting · 1 unclear

⚠ TASK-001  unclear  a  its status `blocked by Bo` is none
◷ TASK-002  waiting  b  after TASK-001

⚠ no task is ready: 2 wait for what will not come
  TASK-001 is not clear: its status `blocked by Bo` is none
  problems    1  windlass tasks validate -f tasks.md
"
    );
    let json = told(text, tasks_json);
    check_document("tasks", &json);
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["ready"], &json["unclear"]), (&0.into(), &1.into()));
    assert_eq!(json["tasks"][0]["unclear"], "its status `blocked by Bo` is none");
}

#[test]
fn the_next_task_with_its_text() {
    assert_eq!(
        told(SHOP, |shown| next_task_text(shown, &columns(80))),
        "\
↻ TASK-002  Cart
  tasks.md:4 · in progress · priority medium

  ### TASK-002: Cart
  - **Status**: in-progress
  - **Dependencies**: TASK-001
"
    );
    let done = "### T1: a\n- **Status**: done\n";
    assert_eq!(told(done, |shown| next_task_text(shown, &columns(80))), "✓ all 1 task done\n");
    let blocked = "### T1: a\n- **Dependencies**: T2\n### T2: b\n- **Dependencies**: T1\n### T3: c\n- **Dependencies**: X9\n";
    assert_eq!(
        told(blocked, |shown| next_task_text(shown, &columns(80))),
        "\
⚠ no task is ready: 3 wait for what will not come
  T3 waits for X9, which is not a task here
  these wait for one another: T1, T2
"
    );
}

#[test]
fn a_tree_with_each_task_once() {
    assert_eq!(
        told(SHOP, |shown| tasks_tree(shown, &columns(80))),
        "\
tasks.md
  5 tasks · 1 done · 1 in progress · 1 ready · 2 waiting

✓ TASK-001  Set up
├─ ↻ TASK-002  Cart
│  └─ ◷ TASK-003  Pay  also after TASK-001
│     └─ ◷ TASK-010  Ship what was paid for to wherever it is that people live
             these days
└─ ○ TASK-004  Write the \"manual\"
"
    );
    let knot = "### T1: a\n- **Dependencies**: T2\n### T2: b\n- **Dependencies**: T1\n### T3: c\n- **Dependencies**: T1, X9\n";
    let tree = told(knot, |shown| tasks_tree(shown, &Terminal::plain()));
    assert!(tree.ends_with("~ T1  a  after T2\n~ T2  b  after T1\n~ T3  c  after T1, X9\n"), "{tree}");
    let chain: Vec<String> =
        (1..40).map(|number| format!("### T{number}: x\n- **Dependencies**: T{}\n", number - 1)).collect();
    let tree = told(&chain.concat(), |shown| tasks_tree(shown, &columns(80)));
    assert!(tree.lines().all(|line| line.chars().count() <= 80) && tree.contains(" T39 "), "{tree}");
}

#[test]
fn graphs_for_programs_that_draw() {
    let dot = told(SHOP, tasks_dot);
    assert!(
        dot.contains("  t4 [label=\"TASK-004\\nWrite the \\\"manual\\\"\", fillcolor=\"#ffffff\"];\n"),
        "{dot}"
    );
    assert!(dot.contains("  t1 -> t2;\n  t0 -> t2;\n") && dot.ends_with("}\n"), "{dot}");
    let mermaid = told(SHOP, tasks_mermaid);
    assert!(mermaid.contains("  t4[\"TASK-004: Write the #34;manual#34;\"]:::ready\n"), "{mermaid}");
    assert!(mermaid.contains("  t1 --> t2\n  t0 --> t2\n"), "{mermaid}");
}

#[test]
fn what_is_wrong_is_listed() {
    assert!(
        told(SHOP, |shown| tasks_judged(shown, &columns(80))).starts_with("✓ valid  tasks.md\n  5 tasks")
    );
    assert_eq!(
        told("### T1: a\n- **Status**: blocked\n- **Dependencies**: T1\n", |shown| tasks_judged(
            shown,
            &columns(80)
        )),
        "\
✗ 2 problems  tasks.md
  1 task · 0 done · 1 unclear

  ✗ tasks.md:3: T1 depends on itself
  ✗ tasks.md:2: T1 has the status `blocked`: write pending, in-progress or done
"
    );
}

#[test]
fn the_documents_are_as_the_table_says() {
    for text in [
        SHOP,
        "",
        "### T1: a\n- **Status**: what\n- **Type**: fix\n- **Breaking**: all\n- **Verification**: v\n- **Protected**: a/**, [\n",
    ] {
        told(text, |shown| {
            check_document("tasks", &tasks_json(shown));
            check_document("next_task", &next_task_json(shown));
        });
    }
}

#[test]
fn what_a_task_protects_and_who_works_on_it_is_in_the_documents() {
    let text = "### T1: a\n- **Protected**: tests/**, !ci/**\n- **Agent**: codex\n";
    for document in [told(text, tasks_json), told(text, next_task_json)] {
        let document = String::from_utf8(document).unwrap();
        assert!(document.contains(r#""protected":["tests/**","!ci/**"]"#), "{document}");
        assert!(document.contains(r#""agent":"codex""#), "{document}");
    }
}

#[test]
fn what_was_done_to_a_task() {
    let line = |state, changed| {
        told(SHOP, |shown| task_marked(&shown.list.tasks()[1], state, changed).render(&columns(80)))
    };
    assert_eq!(line(TaskState::Done, true), "✓ TASK-002 is done  Cart");
    assert_eq!(line(TaskState::Done, false), "○ TASK-002 was done already  Cart");
    assert_eq!(line(TaskState::Open, true), "○ TASK-002 is open again  Cart");
}
