//! How plans and task files are really written, and what each holds. All of them are written for these tests.

/// A name, a text, and what it holds: `state id title <dependencies`, problems after `!`.
pub(super) const STYLES: &[(&str, &str, &[&str])] = &[
    (
        "held.md",
        "### T004: Read\n**Prerequisites**: T005\n\n**Acceptance Criteria**:\n- [X] it runs\n- [x] it is told\n\n### T005: Write\n- [ ] it runs\n",
        &["done T004 Read <T005", "open T005 Write"],
    ),
    (
        "plain.md",
        "- [ ] one\n- [x] two\n* [X] three\n1. [~] four\n",
        &["open L1 one", "done L2 two", "done L3 three", "in_progress L4 four"],
    ),
    (
        "kiro.md",
        "- [x] 1. Form\n  - [-] 1.1 Fields\n  - [ ]* 1.2 Tests\n    _Requirements: 1.2_\n",
        &["done 1 Form <1.1 1.2", "in_progress 1.1 Fields", "open 1.2 Tests Requirements: 1.2 !251"],
    ),
    ("nested.md", "- [ ] 1.1 Parent\n  - [ ] 1.1.1 Child\n", &["open 1.1 Parent <1.1.1", "open 1.1.1 Child"]),
    (
        "spec-kit.md",
        "## Phase 1: Setup\n\n- [ ] T001 [P] [US1] Create a in a.rs\n- [ ] T002 Use it (depends on T001)\n",
        &["open T001 [P] [US1] Create a in a.rs", "open T002 Use it (depends on T001) <T001"],
    ),
    (
        "openspec.md",
        "## 1. Server\n- [x] 1.1 Route\n- [ ] 1.2 Test\n## 2. Client\n- [ ] 2.1 Page\n",
        &["done 1.1 Route", "open 1.2 Test", "open 2.1 Page"],
    ),
    (
        "unknown.md",
        "- [ ] one\n- [?] two\n",
        &["open L1 one", "open L2 two", "!unknown.md:2: has the box `[?]`: write `[ ]`, `[~]` or `[x]`"],
    ),
    (
        "done.md",
        "- [ ] **Task 1: Read** ✅ DONE (7 files)\n- [ ] next\n",
        &[
            "open 1 Read ✅ DONE (7 files)",
            "open L2 next",
            "!done.md:1: has an open box, and its text says that it is done: tick it, or change the text (`Read ✅ DONE (7 files)`)",
        ],
    ),
    (
        "numbered-beside-boxes.md",
        "# Plan\n\n### 1.1 Read numbers\n\nwork\n\n### 1.2 Write ✅\n\n### 1.3 Manual\n\n- [ ] a\n- [x] b\n",
        &["open 1.1 Read numbers", "done 1.2 Write", "open L11 a", "done L12 b"],
    ),
    (
        "prose.md",
        "# Plan\n\n## 4. Rules\n\n### 4.1 Log in once\n\ntext\n\n## Work\n\n- [ ] one\n",
        &["open L11 one"],
    ),
    (
        "heads.md",
        "## Phase 2\n\n### 2.1 Store ✅\n\ntext\n\n### 2.2 Stale — ✅ Moot\n\n### 2.3 Load\n\n### 2.4 ~~Old~~ — Not a bug\n",
        &["done 2.1 Store", "done 2.2 Stale — ✅ Moot", "open 2.3 Load", "done 2.4 ~~Old~~ — Not a bug"],
    ),
    ("twice.md", "## Tasks\n\n#### 1.1 Store\n\ntext\n\n## Boxes\n\n- [ ] 1.1 Store\n", &["open 1.1 Store"]),
    (
        "nearly.md",
        "- [] a\n- [o] b\n- [x ] c\n- [ ]**d**\n> - [ ] e\n\n[ ] no bullet\n\n- [P] tag\n- [x] done one\n\n## Archive\n- [] old\n\n## On\n```\n- [ ] never closed\n",
        &[
            "done L10 done one",
            "!nearly.md:1: holds `[]`, which is not read as a box",
            "!nearly.md:2: holds `[o]`, which is not read as a box",
            "!nearly.md:3: holds `[x ]`, which is not read as a box",
            "!nearly.md:4: holds `[ ]`, which is not read as a box",
            "!nearly.md:5: holds `[ ]`, which is not read as a box",
            "!nearly.md:7: holds `[ ]`, which is not read as a box",
            "!nearly.md:17: holds `[ ]`, which is not read as a box",
        ],
    ),
    (
        "stages-apart.md",
        "## Phase 1: Setup\n**Status:** Complete\n\n- [x] scaffold\n\n## Phase 2: Login\n- [ ] form\n- [ ] sessions\n",
        &["done L4 scaffold", "open L7 form", "open L8 sessions"],
    ),
    (
        "stage-without.md",
        "## Phase 1: Setup\n**Status:** Complete\n\n## Phase 2: Login\ntext\n",
        &[
            "done Phase-1 Setup",
            "open Phase-2 Login",
            "!stage-without.md:4: Phase-2 has no status, and others like it have one: write `**Status**: pending` below it",
        ],
    ),
    (
        "title.md",
        "- [ ] real work\n\n### T1: instance type used by CI\n- [x] chosen\n",
        &["open L1 real work", "done T1 chosen"],
    ),
    (
        "follow.md",
        "- [x] first\n\n### TASK-001: A\n- **Status**: done\n\n## Follow-ups\n- [ ] manual\n\n## Definition of done\n- [ ] told\n\n## Out of scope\n- [ ] never\n",
        &["done TASK-001 A", "open L7 manual", "!follow.md:7: is an open box in no task"],
    ),
    (
        "within.md",
        "### TASK-001: A\n- **Status**: done\n- [] told\n\n### TASK-002: B\n- **Status**: done\n",
        &["open TASK-001 A", "done TASK-002 B", "!within.md:3: holds `[]`, which is not read as a box"],
    ),
    (
        "criteria.md",
        "## Phase 1\n- [ ] one\n\n### Phase 1 Success:\n- [ ] it runs\n- [ ] it is fast\n",
        &["open L2 one", "open L5 it runs <L2 !255", "open L6 it is fast <L5 !255"],
    ),
    (
        "criterion.md",
        "- [x] T001 Login\n  Acceptance criteria:\n  - [ ] tested\n  - [x] shown\n- [x] T002 Page\n",
        &[
            "done T001 Login",
            "done T002 Page",
            "!criterion.md:3: is an open box of T001, which is done: tick it, or open T001 again",
        ],
    ),
    (
        "lists.json",
        "{\"epics\": [{\"id\": \"E1\", \"title\": \"B\", \"status\": \"done\", \"features\": [{\"id\": \"F1\", \"title\": \"o\", \"status\": \"pending\"}]}]}",
        &["done E1 B <F1", "open F1 o"],
    ),
    (
        "stages-wait.md",
        "## Phase 1: Read\n**Status**: Complete\n\n## Phase 2: Write\n**Status**: Not Started\n**Depends on**: Phase 1\n",
        &["done Phase-1 Read", "open Phase-2 Write <Phase-1"],
    ),
    (
        "choice.md",
        "### TASK-001: Order page\nShow for each order:\n- Status: done, pending or failed\n",
        &[
            "open TASK-001 Order page",
            "!choice.md:3: TASK-001 has the status `done, pending or failed`: write pending, in-progress or done",
        ],
    ),
    (
        "counted.md",
        "- [x] 1. A\n- [ ] 2. B\n  - Dependencies: 1, 7\n- [ ] 3. C (depends on 2)\n- [ ] 4. D (blocked by: T004)\n",
        &[
            "done 1 A",
            "open 2 B <1 7",
            "open 3 C (depends on 2) <2",
            "open 4 D (blocked by: T004) <T004",
            "!counted.md:3: 2 depends on `7`",
            "!counted.md:5: 4 depends on `T004`",
        ],
    ),
    (
        "counted-anew.md",
        "## One\n- [ ] 1. A\n- [ ] 2. B\n## Two\n- [ ] 1. C\n",
        &["open L2 1. A", "open L3 2. B", "open L5 1. C"],
    ),
    (
        "task-numbers.md",
        "## Tasks\n### Task 1: S\nDependencies: Task 2\n\n### Task 2: T\n\n### Task 3: U\nDependencies: Task 7\n",
        &["open 1 S <2", "open 2 T", "open 3 U <Task 7", "!task-numbers.md:8: 3 depends on `Task 7`"],
    ),
    (
        "marks.md",
        "- [ ] Replace ❌ by ✅\n- [ ] Show a ✅ (green) when saved\n- [ ] Login ✅ done items shown\n\n## Tasks\n### 1.3 Store ✅ (2025-01-02)\n",
        &[
            "open L1 Replace ❌ by ✅",
            "open L2 Show a ✅ (green) when saved",
            "open L3 Login ✅ done items shown",
            "done 1.3 Store ✅ (2025-01-02)",
        ],
    ),
    (
        "levels.md",
        "- [ ] P1: slow\n- [ ] P0: crash\n- [ ] P0: data loss\n- [ ] HTTP2: on\n- [ ] US-7: log in\n",
        &[
            "open L1 P1: slow !1",
            "open L2 P0: crash !0",
            "open L3 P0: data loss !0",
            "open L4 HTTP2: on !250",
            "open US-7 log in !250",
        ],
    ),
    ("success.md", "## Phase 1: payment success\n- [ ] charge the card\n", &["open L2 charge the card"]),
    (
        "archive.md",
        "## Archive the old logs\n- [ ] write it\n## Archived posts page\n- [ ] make it\n## Archive (2024)\n- [ ] old\n## Archived tasks\n- [ ] older\n",
        &["open L2 write it", "open L4 make it"],
    ),
    (
        "section-numbers.md",
        "## Tasks\n### 1.2 Login\n- [x] form\n- [ ] session\n### 1.3 Page\nDependencies: 1.2\n- [ ] page\n- [ ] style\n### 1.4 Help\n- [ ] text (depends on 1.3)\n",
        &[
            "done L3 form",
            "open L4 session",
            "open L7 page <L3 L4",
            "open L8 style <L3 L4",
            "open 1.4 text (depends on 1.3) <L7 L8",
        ],
    ),
    (
        "section-stages.md",
        "## Phase 1: Read\n- [ ] a\n- [x] b\n\n## Phase 2: Write\n**Depends on**: Phase 1\n\n- [ ] c\n\n## 3. Show\n- [ ] d (depends on Phase 2)\n- [ ] e\n",
        &["open L2 a", "done L3 b", "open L8 c <L2 L3", "open L11 d (depends on Phase 2) <L8", "open L12 e"],
    ),
    (
        "section-itself.md",
        "## Phase 1: Read\nDepends on: Phase 1\n- [ ] a\n- [ ] b\n",
        &["open L3 a", "open L4 b"],
    ),
    (
        "section-done.md",
        "## Phase 1: Read ✅\n- [x] a\n- [ ] b\n- [ ]* c\n## Phase 2: Write\n**Status**: Complete\n- [ ] d\n- [~] e\n## Phase 3: Show 🎉\n- [ ] f\n",
        &[
            "done L2 a",
            "open L3 b",
            "open L4 c !251",
            "open L7 d",
            "in_progress L8 e",
            "open L10 f",
            "!section-done.md:1: says that `Phase 1: Read` is done, and a box below it is open",
            "!section-done.md:6: says that `Phase 2: Write` is done, and 2 boxes below it are open",
        ],
    ),
    (
        "heading-status.md",
        "## Tasks\n### 1.1 A\n**Status**: done\n\n### 1.2 B\n- **Status:** Not Started | **Owner:** Bo\n\n### 1.3 C ✅\nStatus: complete\n\n### 1.4 D ✅\nStatus: pending\n\n### 1.5 E\nStatus: blocked by Bo\n",
        &[
            "done 1.1 A",
            "open 1.2 B",
            "done 1.3 C",
            "open 1.4 D",
            "open 1.5 E",
            "!heading-status.md:12: 1.4 has a heading that says that it is done, and another status",
            "!heading-status.md:15: 1.5 has the status `blocked by Bo`",
        ],
    ),
    (
        "box-status.md",
        "- [ ] 1.1 A\n  - Status: done\n- [x] 1.2 B\n  - Status: done\n- [ ] 1.3 C\n  Status: 200 is given\n",
        &[
            "open 1.1 A",
            "done 1.2 B",
            "open 1.3 C",
            "!box-status.md:2: says of the box of line 1 `done`, which its box does not",
        ],
    ),
    (
        "marked-markdown.md",
        "### TASK-001: Read ✅\n\n### TASK-002: b — ✅ Moot\n- **Priority**: high\n\n### TASK-003: ~~c~~\n\n### TASK-004: d ✅\n- **Status**: pending\n\n### TASK-005: e ✅\n- **Status**: done\n\n### TASK-006: Show the ✅\n",
        &[
            "done TASK-001 Read ✅",
            "done TASK-002 b — ✅ Moot !1",
            "done TASK-003 ~~c~~",
            "open TASK-004 d ✅",
            "done TASK-005 e ✅",
            "open TASK-006 Show the ✅",
            "!marked-markdown.md:8: TASK-004 has a heading that says that it is done, and another status",
        ],
    ),
    (
        "phases-shown.md",
        "## Phase 1: Read\n\nTests:\n- ✓ It reads\n- ✔ It fails\n\n```\nok ✅\n```\n\n## Phase 2: Write\n- ✅ Parse\n",
        &[
            "open Phase-1 Phase 1: Read",
            "open Phase-2 Phase 2: Write",
            "!phases-shown.md:11: has no mark, and parts of it are marked as done",
        ],
    ),
    (
        "words-for-done.md",
        "## Tasks\n### Task 1: Parse - COMPLETED\n### Task 2: Show [DONE]\n### Task 3: Tell — Completed\n### Task 4: Mark as done\n### Task 5: Say: what is done\n### Task 6: Show (done)\n",
        &[
            "done 1 Parse - COMPLETED",
            "done 2 Show",
            "done 3 Tell — Completed",
            "open 4 Mark as done",
            "open 5 Say: what is done",
            "done 6 Show",
        ],
    ),
    (
        "number-usual.md",
        "- [x] 1.1 Schema\n- [ ] 1.2 Page\n- [ ] 2.1 `validate` it\n- [ ] 2.2 tests (requires 2.1)\n",
        &["done 1.1 Schema", "open 1.2 Page", "open 2.1 validate it", "open 2.2 tests (requires 2.1) <2.1"],
    ),
    (
        "roadmap.md",
        "## Phases\n- [ ] **Phase 1: Auth** - login\n- [ ] **Phase 2: Pay**\n\n### Phase 1: Auth\n- [ ] 01-01: Form\n- [ ] 01-02: Session\n",
        &[
            "open L2 Phase 1: Auth - login <L6 L7",
            "open L3 Phase 2: Pay",
            "open L6 01-01: Form",
            "open L7 01-02: Session",
        ],
    ),
    (
        "task-boxes.md",
        "- [x] Task 1: Form (AC: 1)\n- [ ] Task 2: Session\n- [ ] T9: Page (after 1.5 seconds)\n",
        &["done 1 Form (AC: 1)", "open 2 Session", "open T9 Page (after 1.5 seconds)"],
    ),
    (
        "squares.md",
        "Signs:\n- ⬜ pending\n- ⬜ = open\n\n- [x] a\n- ⬜ b\n- [ ]\n\n## Done\n- [ ] c\n",
        &[
            "done L5 a",
            "open L7 ",
            "open L10 c",
            "!squares.md:9: says that `Done` is done, and a box below it is open",
            "!squares.md:7: is a box without a text",
            "!squares.md:6: holds `⬜`, which is not read as a box",
        ],
    ),
    (
        "checklist.md",
        "## Success Criteria\n- [x] fast\n- [ ] small\n\n## Final validation Checklist\n- [ ] tests pass\n\n## Tasks\n- [ ] one\n",
        &["open L9 one", "done L2 fast <L9 !255", "open L3 small <L9 !255", "open L6 tests pass <L3 !255"],
    ),
    (
        "named-lines.md",
        "## Phase 1: Read\n\n**T001** - Parse [P] ✅\n- **File**: a.rs\n\n**T002: Show** \n- Depends on: T001\n\n## Phase 2: Write\nDepends on: Phase 1\n\n- **T003** Store ✅\n- **T001** again\n\n## Phase 3: Tell ✅\n",
        &[
            "done T001 Parse [P]",
            "open T002 Show <T001",
            "done T003 Store <T001 T002",
            "done Phase-3 Phase 3: Tell",
        ],
    ),
    ("named-lines-beside.md", "## Phase 1\n**T001** Parse\n\n- [ ] one\n", &["open L4 one"]),
    ("named-lines-prose.md", "## Types\n**T1** a small one\n\n## Tasks\n### 1.1 Read\n", &["open 1.1 Read"]),
    (
        "only.md",
        "# Plan\n## Goals\ntext\n\n### Success criteria:\n- [ ] it runs\n",
        &[
            "open L6 it runs",
            "!only.md:6: has the first of 1 boxes that all say what has to hold: write a box for each thing that is to be done",
        ],
    ),
    (
        "named.md",
        "### Task 1.1: Read\n\ntext\n\n### Task 1.2: Write ✅\n",
        &["open 1.1 Read", "done 1.2 Write"],
    ),
    (
        "line.md",
        "## F-001: Read\n> **Priority:** P1 | **Status:** done | **Domain:** Core\n\n## F-002: Write\n> **Status:** open | **Dep:** F-001\n",
        &["done F-001 Read !1", "open F-002 Write <F-001"],
    ),
    (
        "story.md",
        "### T1: Read\n**User Story**: US-1 | **Status**: [x] completed\n\n### T2: Write\n- Status: 🟢 implemented\n- **Deps**: T1 · **Est**: S\n",
        &["done T1 Read", "done T2 Write <T1"],
    ),
    (
        "blocked.md",
        "### T1: Read\n- **Status**: done-by-code | **Domain:** Core\n\n### T2: Write\n- **blockedBy**: T1\n",
        &[
            "open T1 Read",
            "open T2 Write <T1",
            "!blocked.md:2: T1 has the status `done-by-code`: write pending, in-progress or done",
        ],
    ),
    (
        "plainfields.md",
        "### TASK-001: Read\nDepends on: TASK-002\nStatus: pending\n\n### TASK-002: Write\nPriority: critical\n",
        &["open TASK-001 Read <TASK-002", "open TASK-002 Write !0"],
    ),
    (
        "stages.md",
        "## Stage 1: Read\n**Goal**: x\n**Status**: Complete\n\n## Stage 2: Write\n**Status**: Not Started\n",
        &["done Stage-1 Read", "open Stage-2 Write"],
    ),
    (
        "stories.json",
        "{\"stories\": [{\"id\": \"S1\", \"title\": \"a\", \"priority\": 1.5, \"passes\": false}, {\"id\": \"S2\", \"title\": \"b\", \"priority\": 1, \"passes\": true}]}",
        &["open S1 a", "done S2 b !1"],
    ),
    (
        "phases.json",
        "{\"phases\": [{\"id\": \"p1\", \"name\": \"P\", \"tasks\": [{\"id\": \"1.1\", \"name\": \"a\"}]}]}",
        &["open 1.1 a"],
    ),
    ("owned.md", "## Phase 1\ntext\n\n### Phase 1 Success:\n- [ ] it runs\n", &["open Phase-1 Phase 1"]),
    (
        "loop.md",
        "### Task T001: Read\n- **Dependencies**: none\n- **Files**: a.rs\n\n### Task T002: Write\n- **Dependencies**: T001\n- **Status**: wontfix\n",
        &["open T001 Read", "done T002 Write <T001"],
    ),
    (
        "tags.json",
        "{\"master\": {\"tasks\": [{\"id\": 1, \"title\": \"a\", \"status\": \"done\", \"subtasks\": [{\"id\": 1, \"title\": \"b\", \"status\": \"done\"}]}]}, \"next\": {\"tasks\": [{\"id\": 1, \"title\": \"c\", \"status\": \"pending\"}]}}",
        &["done 1 a <1.1", "done 1.1 b", "open next:1 c"],
    ),
    (
        "beads.jsonl",
        "{\"id\": \"p-1\", \"title\": \"a\", \"status\": \"closed\"}\n{\"id\": \"p-2\", \"title\": \"b\", \"status\": \"tombstone\"}\n{\"id\": \"p-3\", \"title\": \"c\", \"status\": \"open\"}\n",
        &["done p-1 a", "open p-3 c"],
    ),
    (
        "feature_list.json",
        "[{\"description\": \"a\", \"passes\": true}, {\"description\": \"b\", \"passes\": false}]",
        &["done 1 a", "open 2 b"],
    ),
    (
        "aside.md",
        "## Tasks\n- [ ] one\n\n## Out of scope\n- [ ] two\n\n```\n- [ ] three\n```\n> - [ ] four\n",
        &["open L2 one"],
    ),
    (
        "cells.md",
        "| ID | Role | Depends-on | Acceptance |\n|---|---|---|---|\n| ✅ T01 | dev | - | it runs |\n| T02 | dev | T01 | it is told |\n",
        &["done T01 it runs", "open T02 it is told <T01"],
    ),
    (
        "numbers.md",
        "| # | Task | Status |\n|---|---|---|\n| 1 | Read | Done |\n| 2 | Write | Blocked by Bo |\n| | All | Done |\n",
        &[
            "done 1 Read",
            "open 2 Write",
            "!numbers.md:4: 2 has the status `Blocked by Bo`: write pending, in-progress or done",
            "!numbers.md:5: this row has a status and no id: write one in its column",
        ],
    ),
    ("boxed-table.md", "| ID | Status |\n|---|---|\n| T1 | Done |\n\n- [ ] one\n", &["open L5 one"]),
    (
        "phases.md",
        "# Plan\n\n## Goals\n\n## Phase 1: Read ✅\n\n**Files:**\n- a.rs\n\n## Phase 2 - Write\n\ntext\n",
        &["done Phase-1 Phase 1: Read", "open Phase-2 Phase 2 - Write"],
    ),
    (
        "phases-half.md",
        "## Phase 1: Read ✅ AS BUILT — COMPLETE\n\n## Phase 2: Write\n\n**Parse** it ✅\n\n## Phase 3\n",
        &[
            "done Phase-1 Phase 1: Read ✅ AS BUILT — COMPLETE",
            "open Phase-2 Phase 2: Write",
            "open Phase-3 Phase 3",
            "!phases-half.md:3: has no mark, and parts of it are marked as done: write a box for each part, or `✅` behind `Phase 2: Write`",
        ],
    ),
    ("phases-boxes.md", "## Phase 1: Read\n\n- [ ] one\n\n## Phase 2: Write\n\ntext\n", &["open L3 one"]),
    (
        "phases-numbers.md",
        "## Phase 1: Read\n\n### 1.1 Parse\n\n### 1.2 Show ✅\n\n## Phase 2: Write\n",
        &["open 1.1 Parse", "done 1.2 Show"],
    ),
    (
        "complete.json",
        "[{\"description\": \"a\", \"complete\": true}, {\"description\": \"b\", \"complete\": false}]",
        &["done 1 a", "open 2 b"],
    ),
    (
        "status.json",
        "{\"features\": [{\"id\": 7, \"name\": \"a\", \"status\": \"in_progress\"}, {\"id\": 8, \"name\": \"b\", \"status\": \"not_started\", \"dependencies\": [7]}]}",
        &["in_progress 7 a", "open 8 b <7"],
    ),
];
