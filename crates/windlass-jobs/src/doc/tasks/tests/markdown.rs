//! `DevLoop`'s form.

use super::*;

const SEED: &str = "# Shop - Requirements\n\n**Project**: Shop\n\n## Tasks\n\n### TASK-001: Set up\n- **Status**: done\n\
    - **Priority**: high\n- **Dependencies**: none\n- **Description**: Make the folders\n\n### TASK-002: Cart\n\
    - **Status**: in-progress\n- **Priority**: low\n- **Dependencies**: TASK-001\n- **Description**: Items go in\n  and out.\n\n\
    ### TASK-003: Pay\n- **Status**: pending\n- **Priority**: medium\n- **Dependencies**: TASK-001, TASK-002\n\
    - **Description**: Money\n\n## Notes\n\nNothing.\n";

// rows: 90
#[test]
fn the_form_of_the_seed() {
    let list = markdown(SEED);
    assert_eq!(
        told(&list),
        [
            "done TASK-001 Set up !1",
            "in_progress TASK-002 Cart <TASK-001 !3",
            "open TASK-003 Pay <TASK-001 TASK-002"
        ]
    );
    assert_eq!(list.problems(), []);
    assert_eq!(list.tasks()[1].description, "Items go in\nand out.");
    assert_eq!(list.tasks().iter().map(|task| task.line).collect::<Vec<_>>(), [7, 13, 20]);
    let source = list.source(&"TASK-003".into());
    assert!(source.starts_with("### TASK-003: Pay\n") && source.ends_with("Money\n\n"), "{source}");
}

#[test]
fn what_is_never_closed_hides_no_task() {
    for (begins, closed) in [("```sh", "```"), ("~~~", "~~~"), ("<!--", "-->")] {
        let text = format!(
            "### T1: a\n- **Status**: done\n\n{begins}\ncmd\n\n### T2: Encrypt\n- **Status**: pending\n"
        );
        let list = markdown(&text);
        let problems: Vec<_> = list
            .problems()
            .iter()
            .map(|one| (one.line, one.sentence.contains("hides the task `T2: Encrypt`")))
            .collect();
        assert_eq!(problems, [(Some(4), true)], "{begins}: {:?}", list.problems());
        assert!(list.tasks().iter().any(|task| task.row.unclear.is_some()), "{begins}: nothing is complete");
        // What is closed was meant to be hidden, and what is done holds nobody up.
        assert_eq!(markdown(&format!("{text}{closed}\n")).problems(), [], "{begins}");
        assert_eq!(markdown(&text.replace("pending", "done")).problems(), [], "{begins}");
    }
}

// Seed defect D3, parser/requirements.ts:4, 16: a file with CRLF had no task, and everything was done.
// rows: 90
#[test]
fn line_ends_of_windows_are_line_ends() {
    let list = markdown(&SEED.replace('\n', "\r\n"));
    assert_eq!(told(&list), told(&markdown(SEED)));
    assert_eq!(list.problems(), []);
    assert_eq!(list.tasks()[2].line, 20);
    assert_eq!(told(&markdown(&format!("\u{feff}{SEED}"))), told(&markdown(SEED)));
}

// Seed defect D3, parser/requirements.ts:30-75: headings in code were tasks, and descriptions ended with their line.
// rows: 90
#[test]
fn what_is_code_quote_or_html_is_no_task() {
    let list = markdown(
        "```\n### TASK-001: code\n- **Status**: done\n```\n\n    ### TASK-002: indented\n\n> ### TASK-003: quoted\n> - **Status**: done\n\n\
         <!--\n### TASK-004: comment\n-->\n\n<div>\n### TASK-005: html\n</div>\n\n- ### TASK-006: item\n\n\
         ### TASK-007: real\n- **Description**: it says\n\n  ```\n  ### TASK-008: code\n  - **Status**: done\n  ```\n\n\
         ~~~\n- **Status**: done\n~~~\n\n> - **Status**: done\n",
    );
    assert_eq!(told(&list), ["open TASK-007 real"]);
    // Whoever reads the file where it is shown sees that one: a person has to say what it is.
    let lines: Vec<_> = list.problems().iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [Some(16)], "{:?}", list.problems());
    let description = &list.tasks()[0].description;
    assert_eq!(description.trim_end(), "it says\n### TASK-008: code\n- **Status**: done");
}

#[test]
fn fields_in_any_order_case_and_spacing() {
    for fields in [
        "- **Status**: done\n- **Priority**: high\n- **Dependencies**: TASK-1\n",
        "- **dependencies:** TASK-1\n- **PRIORITY:** High\n- **status:** Done\n",
        "\n* __Status__ : DONE\n\n* **Depends on**: [TASK-1]\n\n* **priority**: 1\n\n",
        "**Status:** ✅ done\n**Priority:** P1\n**Dependencies:** `TASK-1`\n",
        "  -   **Status**:completed  \n  -   **Dependencies**:\n      - TASK-1\n  -   **Priority**: **high**\n",
        "1. **Priority**: high (really)\n2. **Status**: done <!-- pending|done -->\n3. **Dependency**: task-1 (the first)\n",
        "- **Status**:\n  done\n- **Priority**:\n  high\n- **Dependencies**: TASK-1: First\n",
        "- **Owner**: me\n- **Priority**: high\n- **Status**: done\n- **Dependencies**: TASK-1.\n- **Estimate**: 3\n",
    ] {
        let list = markdown(&format!("### TASK-1: First\n\n###   TASK-2 :  Second \n{fields}\ntext\n"));
        assert_eq!(told(&list), ["open TASK-1 First", "done TASK-2 Second <TASK-1 !1"], "{fields}");
        assert_eq!(problems(&list), [""; 0], "{fields}");
    }
}

// rows: 90
#[test]
fn what_is_an_id_and_what_is_none() {
    let list = markdown(
        "# Shop 2: the return\n## V2: all new\n### TASK-001: number\n### TASK-002b: letter\n### T1: short\n### task-7: small\n\
         ### FEAT-12: with a field\n- **Priority**: low\n### UTF-8: no field\n### Step one: no id\n### TASK-ONE: no number\n\
         ### TASK-008 - dash\n### TASK-009\n### US-1.2: dotted\n- **Status**: pending\n\
         ## T-20: another level\n- **Status**: pending\n### **TASK-21**: `code` and *more* ###\n### T3 without a colon\n\
         #### T4: below\n- **Priority**: high\n- **Status**: pending\n",
    );
    assert_eq!(
        told(&list),
        [
            "open TASK-001 number",
            "open TASK-002b letter",
            "open T1 short",
            "open task-7 small",
            "open FEAT-12 with a field !3",
            "open TASK-008 dash",
            "open TASK-009 TASK-009",
            "open US-1.2 dotted",
            "open T-20 another level",
            "open TASK-21 code and more",
            "open T4 below !1",
        ]
    );
    assert_eq!(problems(&list), [""; 0]);
}

#[test]
fn a_task_ends_where_the_next_or_a_heading_of_its_level_begins() {
    let list = markdown(
        "### T1: one\n#### Notes\n- **Status**: done\nmore\n### Between\ntext\n### T2: two\nlast\n\n#### T3: inside\n- **Status**: done\n",
    );
    assert_eq!(list.source(&"T1".into()), "### T1: one\n#### Notes\n- **Status**: done\nmore\n");
    assert_eq!(list.source(&"T2".into()), "### T2: two\nlast\n\n");
    assert_eq!(told(&list), ["open T1 one", "open T2 two", "done T3 inside"]);
    assert_eq!(
        problems(&list),
        ["tasks.md:3: this status belongs to no task: a task begins with `### TASK-001: Title`"]
    );
}

#[test]
fn an_agent_is_one_word_and_shows_no_heading_to_be_a_task() {
    let list = markdown(
        "### T1: a\n- **Agent**: codex\n- **Status**: pending\n### T2: b\n- **Agent:** `opencode:openai/gpt-5`\n- **Priority**: low\n\
         ### T3: c\n- **Status**: pending\n- **Agent**: whoever is free\n### T4: d\n- **Agent**: none\n- **Status**: done\n\
         ## R2D2: a droid\n- **Agent**: codex\n",
    );
    let agents: Vec<_> = list.tasks().iter().map(|task| task.row.agent.as_deref()).collect();
    assert_eq!(agents, [Some("codex"), Some("opencode:openai/gpt-5"), None, None]);
    assert_eq!(problems(&list), [""; 0]);
}

#[test]
fn what_is_required_are_labels_or_it_is_text() {
    let list = markdown(
        "### T1: a\n- **Requires**: gpu, os=linux\n- **Status**: pending\n### T2: b\n- **Requires:** `tools=node20` gpu\n- **Priority**: low\n\
         ### T3: c\n- **Status**: pending\n- **Requires**: Node 20 and a database\n### T4: d\n- **Requires**: none\n- **Status**: done\n\
         ### T5: e\n- **Requires**: T1\n- **Status**: pending\n### T6: f\n- **Requires**: a b c d e f g h\n- **Status**: pending\n\
         ## R2D2: a droid\n- **Requires**: oil\n",
    );
    let required: Vec<String> = list.tasks().iter().map(|task| task.row.requires.join("|")).collect();
    assert_eq!(required, ["gpu|os=linux", "tools=node20|gpu", "", "", "", ""]);
    assert_eq!(problems(&list), [""; 0]);
}

#[test]
fn the_later_fields_and_dependencies_as_people_write_them() {
    let list = markdown(
        "### T1: a\n- **Type**: Feature\n- **Breaking**: the **old** API\n- **Verification**: run `make test`\n  twice\n\
         ### T2: b\n- **Type**: whatever\n- **Breaking**: yes\n- **Dependencies**: None.\n### T3: c\n- **Breaking**: no\n\
         - **Dependencies**: T1 and T2\n### T4: d\n- **Dependencies**: (T1, T2 & T3)\n### T5: e\n- **Dependencies**: T1 T2; t3\n\
         ### T6: f\n- **Dependencies**: none (can begin at once)\n### T7: g\n- **Dependencies**: n/a\n",
    );
    let kinds: Vec<_> = list.tasks()[..3].iter().map(|task| task.row.kind.as_deref()).collect();
    assert_eq!(kinds, [Some("feat"), Some("chore"), None]);
    let breaking: Vec<_> = list.tasks()[..3].iter().map(|task| task.row.breaking.as_deref()).collect();
    assert_eq!(breaking, [Some("the old API"), Some("b"), None]);
    assert_eq!(list.tasks()[0].verification.as_deref(), Some("run make test\ntwice"));
    assert_eq!(
        told(&list)[2..],
        ["open T3 c <T1 T2", "open T4 d <T1 T2 T3", "open T5 e <T1 T2 T3", "open T6 f", "open T7 g"]
    );
    assert_eq!(problems(&list), [""; 0]);
}

#[test]
fn a_line_with_another_name_is_no_part_of_the_field_before_it() {
    let list = markdown(
        "### T1: a\n**Dependencies**: none\n**Owner**: Bob\n\n### T2: b\n**Status:** pending\n**Reviewed-by:** Bo\n**Type:** feat\n**Owner:** Bo\n\n\
         ### T3: c\n**Breaking:** no\n**Reviewed-by:** Bob\n**Agent:** codex\n**Owner:** Bo\n\n\
         ### T4: d\n**Files:** a.rs,\nb.rs\n**Owner:** Bo\n**Protected:** *.md\n__Owner__: Bo\n**Requires:** gpu\n**Owner:** Bo\n\n\
         ### T5: e\nDependencies: T1,\nT2\nOwner: Bob\nPriority: high\nReviewed by: Bo\n\n\
         ### T6: f\n- **Dependencies**:\n  T1: a\n- **Status**: done\n  **Note:** told\n",
    );
    assert_eq!(
        told(&list),
        ["open T1 a", "open T2 b", "open T3 c", "open T4 d", "open T5 e <T1 T2 !1", "done T6 f <T1"]
    );
    assert_eq!(problems(&list), [""; 0]);
    let tasks = list.tasks();
    assert_eq!(tasks[1].row.kind, words::kind("feat"));
    assert_eq!((&tasks[2].row.breaking, tasks[2].row.agent.as_deref()), (&None, Some("codex")));
    assert_eq!(
        (&tasks[3].touches[..], &tasks[3].row.protected[..]),
        (&["a.rs".to_owned(), "b.rs".to_owned()][..], &["*.md".to_owned()][..])
    );
    assert_eq!(tasks[3].row.requires, ["gpu"]);
}
