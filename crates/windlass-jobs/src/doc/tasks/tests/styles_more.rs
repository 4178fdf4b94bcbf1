//! More styles: words of state in headings and brackets, numbers of lists, phases that nobody has, tables without ids.

/// A name, a text, and what it holds: `state id title <dependencies`, problems after `!`.
pub(super) const MORE: &[(&str, &str, &[&str])] = &[
    (
        "list-numbers.md",
        "1. [x] Lexer\n2. [ ] Parser\n3. [ ] Printer (depends on 2)\n   - Depends on: 2\n4. [ ] Help\n",
        &["done 1 Lexer", "open 2 Parser", "open 3 Printer (depends on 2) <2", "open 4 Help"],
    ),
    ("list-numbers-unused.md", "1. [ ] Lexer\n2. [ ] Parser\n", &["open L1 Lexer", "open L2 Parser"]),
    (
        "list-numbers-anew.md",
        "## A\n1. [ ] Lexer\n## B\n1. [ ] Parser (depends on 1)\n",
        &["open L2 Lexer", "open L4 Parser (depends on 1) <1", "!list-numbers-anew.md:4: L4 depends on `1`"],
    ),
    (
        "states-in-headings.md",
        "# Roadmap\n### 1. Parser [DONE]\ntext\n### 2. Printer [IN PROGRESS]\n### 3. Help [TODO]\n### 4. Server [BLOCKED]\n",
        &[
            "done 1 Parser",
            "in_progress 2 Printer",
            "open 3 Help",
            "open 4 Server",
            "!states-in-headings.md:6: has the status `BLOCKED`: write `[TODO]`, `[IN PROGRESS]` or `[DONE]`",
        ],
    ),
    ("marks-in-headings.md", "## 1. Parser ✅\n\n## 2. Printer\n", &["done 1 Parser", "open 2 Printer"]),
    (
        "counted-prose.md",
        "# Design\n## 1. Overview\ntext\n## 2. Work ✅\n- [x] a\n- [ ] b\n",
        &[
            "done L5 a",
            "open L6 b",
            "!counted-prose.md:4: says that `2. Work` is done, and a box below it is open",
        ],
    ),
    (
        "words-for-boxes.md",
        "- [x] a\n- [BLOCKED: no key] b\n- [WIP] c\n- [NEW] src/d.rs\n- [ ] WONTFIX: e\n- [ ] [BLOCKED] f\n- [ ] g (ON HOLD)\n- [ ] h\n",
        &[
            "done L1 a",
            "open L5 WONTFIX: e",
            "open L6 [BLOCKED] f",
            "open L7 g (ON HOLD)",
            "open L8 h",
            "!words-for-boxes.md:5: has an open box, and its text says `WONTFIX`",
            "!words-for-boxes.md:6: has an open box, and its text says `BLOCKED`",
            "!words-for-boxes.md:7: has an open box, and its text says `ON HOLD`",
            "!words-for-boxes.md:2: holds `[BLOCKED: no key]`, which is not read as a box",
            "!words-for-boxes.md:3: holds `[WIP]`, which is not read as a box",
        ],
    ),
    (
        "phase-of-nobody.md",
        "## Phase 1: Base\n- [ ] a\n\n## Phase 2: Top\nDepends on: Phase 9\n\n- [ ] b\n\n## Rest\n**Depends on**: Phase 1\n- [ ] c\n",
        &[
            "open L2 a",
            "open L7 b <Phase 9",
            "open L11 c <L2",
            "!phase-of-nobody.md:5: L7 depends on `Phase 9`",
        ],
    ),
    (
        "phase-without-tasks.md",
        "## Phase 1: Thoughts\ntext\n\n## Phase 2: Top\nDepends on: Phase 1\n\n- [ ] b\n",
        &["open L7 b"],
    ),
    (
        "range.md",
        "- [ ] 1.1 A\n- [ ] 1.2 B\n- [ ] 1.3 C\n  - Dependencies: 1.1-1.2\n",
        &["open 1.1 A", "open 1.2 B", "open 1.3 C <1.1-1.2", "!range.md:4: 1.3 depends on `1.1-1.2`"],
    ),
    (
        "story-done.md",
        "# Story 1.3: Log out\n\nStatus: Done\n\n## Tasks\n- [x] Task 1: Button\n- [ ] Task 2: Redirect\n",
        &[
            "done 1 Button",
            "open 2 Redirect",
            "!story-done.md:3: says of the whole file `Status: Done`, and 1 of it is open: change one of them",
        ],
    ),
    (
        "story-review.md",
        "# Story 1.2: Log in\n\nStatus: Ready for Review\n\n## Tasks\n- [ ] Task 1: Button\n",
        &["open 1 Button"],
    ),
    (
        "table-tasks.md",
        "| Task | Owner | Status |\n|---|---|---|\n| Read | Ann | Done |\n| Draw | Bo | In Progress |\n| Tell | Cy | Waiting for Bo |\n",
        &[
            "done L3 Read",
            "in_progress L4 Draw",
            "open L5 Tell",
            "!table-tasks.md:5: L5 has the status `Waiting for Bo`: write pending, in-progress or done",
        ],
    ),
    (
        "table-beside.md",
        "| Task | Status |\n|---|---|\n| Read | Done |\n\n## Phase 1: Read ✅\n## Phase 2: Write\n",
        &["done Phase-1 Phase 1: Read", "open Phase-2 Phase 2: Write"],
    ),
    (
        "cursor.plan.md",
        "---\nname: n\ntodos:\n- id: a\n  content: Read\n  status: completed\n- id: b\n  content: Write\n  status: pending\n  dependencies:\n    - a\n- id: c\n  content: 'Tell'\n---\n# n\n",
        &["done a Read", "open b Write <a", "open c Tell"],
    ),
    (
        "cursor-lines.plan.md",
        "---\ntodos:\n  - id: a\n    content: >-\n      Read - all\n\n      status: of it\n    status: completed\n  - id: b\n    content: \"Write \\\"it\\\"\n  down\"\n    notes: |\n      status: completed\n    status: pending\n  - content:\n      Tell\n      them\n    id: c\n  - id: d\n    content: 'It''s\n      done'\n---\n# n\n",
        &[
            "done a Read - all status: of it",
            "open b Write \"it\" down",
            "open c Tell them",
            "open d It's done",
        ],
    ),
    (
        "cursor-boxes.plan.md",
        "---\ntodos:\n  - id: a\n    content: Read\n    status: completed\n  - content: Write\n---\n- [ ] more\n- [x] told\n",
        &[
            "done a Read",
            "open L8 more",
            "!cursor-boxes.plan.md:6: is a todo without an `id` or without `content`: write both",
            "!cursor-boxes.plan.md:8: is the first of 1 open boxes beside the `todos` above",
        ],
    ),
    (
        "deps.json",
        "{\"tasks\": [{\"id\": \"a\", \"title\": \"A\", \"done\": true}, {\"id\": \"b\", \"title\": \"B\", \"done\": false, \"deps\": [\"a\"]}, {\"id\": \"c\", \"content\": \"C\", \"done\": false, \"needs\": [\"b\"]}]}",
        &["done a A", "open b B <a", "open c C <b"],
    ),
    (
        "content.json",
        "[{\"content\": \"Read\", \"status\": \"completed\"}, {\"content\": \"Write\", \"status\": \"pending\"}]",
        &["done 1 Read", "open 2 Write"],
    ),
    (
        "languages.md",
        "### T001: 建立\n**Prerequisites**: 無\n**Status**: pending\n\n### T002: Prüfen\n**Abhängigkeiten**: T001\n**Status**: pending\n\n### T003: Tester\n**Dépendances**: aucune\n**Status**: pending\n",
        &["open T001 建立", "open T002 Prüfen <T001", "open T003 Tester"],
    ),
    (
        "languages-boxes.md",
        "## Phase 1: Grundlage\n- [x] a\n- [ ] b (abhängig von Phase 2)\n\n## Phase 2: Form\n- [ ] c\n",
        &["done L2 a", "open L3 b (abhängig von Phase 2) <L6", "open L6 c"],
    ),
    (
        "bar.md",
        "### T1: a\n**Status:** ⬜ | **Owner:** Bo\n\n### T2: b\n- **Status**: **✅** (told)\n",
        &["open T1 a", "done T2 b"],
    ),
    (
        "stuck-sections.md",
        "## Todo\n- [ ] a\n## Blocked\n- [ ] b\n- [x] c\n## On hold (legal)\n- [ ] d\n## Waiting room\n- [ ] e\n",
        &[
            "open L2 a",
            "open L4 b",
            "done L5 c",
            "open L7 d",
            "open L9 e",
            "!stuck-sections.md:3: says that `Blocked` cannot be gone on with, and a box below it is open",
            "!stuck-sections.md:6: says that `On hold (legal)` cannot be gone on with, and a box below it is open",
        ],
    ),
    (
        "begun-headings.md",
        "### Phase 1: Parse ✅\n### Phase 2: Print 🚧\n### Phase 3: Send ❌\n### Phase 4: Docs (in progress)\n### Phase 5: Tell (new)\n",
        &[
            "done Phase-1 Phase 1: Parse",
            "in_progress Phase-2 Phase 2: Print",
            "open Phase-3 Phase 3: Send ❌",
            "in_progress Phase-4 Phase 4: Docs",
            "open Phase-5 Phase 5: Tell (new)",
            "!begun-headings.md:3: has the mark `❌`: write `✅` where it is done",
        ],
    ),
    (
        "words-left.md",
        "- [x] a\n- [SKIP] b\n- [WONTFIX] c\n",
        &[
            "done L1 a",
            "!words-left.md:2: holds `[SKIP]`, which is not read as a box",
            "!words-left.md:3: holds `[WONTFIX]`, which is not read as a box",
        ],
    ),
    (
        "margin.md",
        "### Task 1: Read\n**Acceptance criteria:**\n- [ ] x\n**Dependencies:** None\n\n### Task 2: Write\n**Acceptance criteria:**\n- [ ] y\n**Dependencies:** Task 1\n",
        &["open 1 Read", "open 2 Write <1"],
    ),
    (
        "table-remark.md",
        "| # | Step | Status | Notes |\n|---|---|---|---|\n| 1 | Read | Done | |\n| 2 | Write | Todo | depends on 1 |\n",
        &["done 1 Step: Read", "open 2 Step: Write Notes: depends on 1 <1"],
    ),
    (
        "box-headings.md",
        "# Plan\n\n## [ ] Parse\n\nText.\n\n## [x] Print\n\n## [~] T3: Ship ##\n\n## [ ] Docs\n- [ ] a\n- [x] b\n",
        &[
            "open L3 Parse",
            "done L7 Print",
            "in_progress T3 Ship",
            "open L12 a",
            "done L13 b",
            "!box-headings.md:11: holds `[ ]`, which is not read as a box",
        ],
    ),
    (
        "beside.md",
        "- [x] a\n\n<task type=\"auto\">\n  <name>b</name>\n</task>\n\n* TODO c\n\n- **d** — in progress\n- **e** — done\n\nlist:\n- id: T6\n  title: f\n\n## Out of scope\n\n* TODO g\n",
        &[
            "done L1 a",
            "!beside.md:3: holds `<task`, which is not read as a task",
            "!beside.md:7: holds `* TODO`, which is not read as a task",
            "!beside.md:9: holds `- **d** — in progress`, which is not read as a task",
            "!beside.md:13: holds `- id: T6`, which is not read as a task",
        ],
    ),
    (
        "rows-beside.md",
        "- [x] **T1** a\n\n| ID | Task | Status |\n|---|---|---|\n| T1 | a | todo |\n| T2 | b | todo |\n| T3 | c | done |\n| T4 | d | wip |\n",
        &[
            "done T1 a",
            "!rows-beside.md:6: has the row `T2` and a row more with a status that is not done, and other tasks than rows",
        ],
    ),
    (
        "rows-outside.md",
        "### T1: a\n- **Status**: done\n\n## More\n\n| ID | Task | Status |\n|---|---|---|\n| T1 | a | todo |\n| T2 | b | todo |\n",
        &[
            "done T1 a",
            "open L9 b",
            "!rows-outside.md:9: has the row `T2` with a status that is not done, and other tasks than rows",
        ],
    ),
];
