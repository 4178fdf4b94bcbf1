//! Still more styles: signs before headings, ids without a colon, numbers of parts, states in tables and in sections.

/// A name, a text, and what it holds: `state id title <dependencies`, problems after `!`.
pub(super) const OTHERS: &[(&str, &str, &[&str])] = &[
    (
        "signs-first.md",
        "### ✅ Phase 1: Parse\n### 🚧 Phase 2: Print\n### ⏳ Phase 3: Send\n### 🎯 Phase 4: Tell\n### ❌ Phase 5: Sell\n",
        &[
            "done Phase-1 Phase 1: Parse",
            "in_progress Phase-2 Phase 2: Print",
            "open Phase-3 Phase 3: Send",
            "open Phase-4 🎯 Phase 4: Tell",
            "open Phase-5 Phase 5: Sell",
            "!signs-first.md:5: has the mark `❌`: write `✅` where it is done",
        ],
    ),
    (
        "signs-first-counted.md",
        "## ✅ 1. Parse\n## ✔️ 2. Print\n## ⬜ 3. Send\n## 4. Tell\n",
        &["done 1 Parse", "done 2 Print", "open 3 Send", "open 4 Tell"],
    ),
    (
        "signs-first-boxes.md",
        "## ✅ Checklist\n- [ ] a\n## ✅ Phase 1: Parse\n- [ ] b\n- [x] c\n",
        &[
            "open L2 a",
            "open L4 b",
            "done L5 c",
            "!signs-first-boxes.md:3: says that `Phase 1: Parse` is done, and a box below it is open",
        ],
    ),
    (
        "signs-first-underlined.md",
        "Phase list\n===\n\n⏳ Phase 1: Parse\n---\n\n✅ Phase 2: Print\n---\n",
        &["open Phase-1 Phase 1: Parse", "done Phase-2 Phase 2: Print"],
    ),
    (
        "begun-behind-dash.md",
        "### 1. Parse — **DONE**\n### 2. Print — **IN PROGRESS**\n### 3. Tell\n",
        &["done 1 Parse — DONE", "in_progress 2 Print — IN PROGRESS", "open 3 Tell"],
    ),
    (
        "parts-beside.md",
        "- [-] 2. Models\n- [x] 2.1 User\n- [ ] 2.2 Session\n- [ ] 3. Page\n- [ ] 3.1 Form (depends on 3)\n",
        &[
            "in_progress 2 Models <2.1 2.2",
            "done 2.1 User",
            "open 2.2 Session",
            "open 3 Page",
            "open 3.1 Form (depends on 3) <3",
        ],
    ),
    (
        "ids-without-colon.md",
        "- [ ] **AUTH-01** Log in\n- [x] **AUTH-02**: Log out\n- [ ] AUTH-03 Ask (depends on AUTH-01)\n- [ ] UTF-8 is read\n",
        &[
            "open AUTH-01 Log in",
            "done AUTH-02 Log out",
            "open AUTH-03 Ask (depends on AUTH-01) <AUTH-01",
            "open L4 UTF-8 is read",
        ],
    ),
    (
        "ids-in-brackets.md",
        "- [ ] [W7] Parse\n- [ ] (W8) Print\n- [ ] Tell (depends on W7, W8)\n",
        &["open W7 Parse", "open W8 Print", "open L3 Tell (depends on W7, W8) <W7 W8"],
    ),
    (
        "ids-in-a-sentence.md",
        "- [ ] T020 Parse\n- [x] T021 Lex\n- [ ] T022 Port the mod, depends on T020 and T021 for now\n- [ ] Ask: depends on T022\n- [ ] Tell depends on python3, needs T020\n- [ ] Save depends on T099.\n",
        &[
            "open T020 Parse",
            "done T021 Lex",
            "open T022 Port the mod, depends on T020 and T021 for now <T020 T021",
            "open L4 Ask: depends on T022 <T022",
            "open L5 Tell depends on python3, needs T020 <T020",
            "open L6 Save depends on T099. <T099",
            "!ids-in-a-sentence.md:6: L6 depends on `T099`, which is not a task of this list",
        ],
    ),
    (
        "put-off.md",
        "- [ ] a (deferred)\n- [ ] b — DEFERRED to v2\n- [ ] c ⏸️\n- [ ] d *(skipped)*\n- [ ] e — cancelled\n- [ ] f: show orders (cancelled)\n- [ ] 1.7 Go — BLOCKED by 1.8\n- [ ] 1.8 Replace ✅ by ❌\n- [x] h (deferred)\n",
        &[
            "open L1 a (deferred)",
            "open L2 b — DEFERRED to v2",
            "open L3 c ⏸️",
            "open L4 d (skipped)",
            "open L5 e — cancelled",
            "open L6 f: show orders (cancelled)",
            "open 1.7 Go — BLOCKED by 1.8 <1.8",
            "open 1.8 Replace ✅ by ❌",
            "done L9 h (deferred)",
            "!put-off.md:1: has an open box, and its text says `deferred`",
            "!put-off.md:2: has an open box, and its text says `DEFERRED`",
            "!put-off.md:3: has an open box, and its text says `⏸`",
            "!put-off.md:4: has an open box, and its text says `skipped`",
            "!put-off.md:5: has an open box, and its text says `cancelled`",
        ],
    ),
    (
        "wide.md",
        "- ［ ］ a\n- [ ] b\n- ［x］ c\n",
        &["open L2 b", "!wide.md:1: holds `［ ］`, which is not read as a box"],
    ),
    (
        "words-beside.md",
        "- [x] a\n- TODO: b\n- DONE: c\n",
        &["done L1 a", "!words-beside.md:2: holds `- TODO: b`, which is not read as a task"],
    ),
    (
        "levels-of-sections.md",
        "## Low Priority\n- [ ] a\n## Critical\n- [ ] b\n## Nice to have\n- [ ] c\n- [ ]* d\n",
        &["open L2 a !3", "open L4 b !0", "open L6 c !250", "open L7 d !251"],
    ),
    (
        "status-of-box.md",
        "- [ ] **a**\n  - Status: In Progress\n- [ ] **b**\n  - Status: pending\n- [x] **c**\n  - Status: complete\n",
        &["in_progress L1 a", "open L3 b", "done L5 c"],
    ),
    (
        "matter-done.md",
        "---\ntitle: Plan\nstatus: done\n---\n\n- [x] a\n- [ ] b\n",
        &[
            "done L6 a",
            "open L7 b",
            "!matter-done.md:3: says of the whole file `status: done`, and 1 of it is open",
        ],
    ),
    (
        "stages-by-letters.md",
        "## Phase I: Parse\n- [ ] a\n## Phase II: Print\n- [ ] b (depends on Phase I)\n## Milestone A\n- [ ] c\n",
        &["open L2 a", "open L4 b (depends on Phase I) <L2", "open L6 c"],
    ),
    (
        "fields-in-a-table.md",
        "### TASK-1: Read\n\n| Field | Value |\n|---|---|\n| Status | Done |\n| Priority | High |\n\n### TASK-2: Write\n\n| Field | Value |\n|---|---|\n| **Status** | `todo` |\n| Depends on | TASK-1 |\n\n### TASK-3: Tell\n\n| Status | Meaning |\n|---|---|\n| Status | what it says |\n",
        &["done TASK-1 Read !1", "open TASK-2 Write <TASK-1", "open TASK-3 Tell"],
    ),
    (
        "sections-of-states.md",
        "## Pending\n\n### TASK-2: Write\ntext\n\n## Completed\n\n### TASK-1: Read\ntext\n\n### TASK-3: Tell\n- **Status**: pending\n",
        &[
            "open TASK-2 Write",
            "done TASK-1 Read",
            "open TASK-3 Tell",
            "!sections-of-states.md:11: TASK-3 is not done, and stands below `Completed`, which says that it is",
        ],
    ),
    (
        "sections-of-headings.md",
        "## Completed\n### Task 1: Read\n## Tasks\n### Task 2: Write\n",
        &[
            "open 1 Read",
            "open 2 Write",
            "!sections-of-headings.md:1: says that `Completed` is done, and a task below it is open",
        ],
    ),
    (
        "bracketed-headings.md",
        "### [TASK-1] Read\n- Status: done\n\n### [TASK-2] Write\n- Status: todo\n- Depends on: [TASK-1]\n",
        &["done TASK-1 Read", "open TASK-2 Write <TASK-1"],
    ),
    (
        "stories-with-criteria.md",
        "### US-001: Log in\n\nAs a person I log in.\n\n**Acceptance Criteria:**\n- [ ] a form\n- [ ] a session\n\n### US-002: Log out\n\n**Acceptance Criteria:**\n- [x] a button\n",
        &["open US-001 Log in", "done US-002 Log out"],
    ),
    (
        "boxes-in-a-column.md",
        "| | Task |\n|---|---|\n| [x] | Read |\n| [ ] | Write |\n",
        &["done L3 Read", "open L4 Write"],
    ),
    (
        "boxes-and-numbers.md",
        "| ✓ | # | Task |\n|---|---|---|\n| [x] | 1 | Read |\n| [ ] | 2 | Write |\n",
        &["done 1 Read", "open 2 Write"],
    ),
    (
        "todos.json",
        "{\"todos\": [{\"id\": 1, \"text\": \"Read\", \"done\": true}, {\"id\": 2, \"text\": \"Write\", \"done\": false}]}",
        &["done 1 Read", "open 2 Write"],
    ),
    (
        "verified.json",
        "{\"requirements\": [{\"id\": \"R1\", \"text\": \"Read\", \"verified\": true}, {\"id\": \"R2\", \"text\": \"Write\", \"isDone\": false}]}",
        &["done R1 Read", "open R2 Write"],
    ),
    (
        "no-list-items.md",
        "# Plan\n\n[ ] Read\n[x] Write\n",
        &[
            "!no-list-items.md has no task: its 2 boxes that begin no list item (line 3) cannot be read as tasks",
        ],
    ),
    (
        "sprint.md",
        "state:\n  epic-1: in-progress\n  1-1-log-in: done\n",
        &["!sprint.md has no task: its 2 lines with states (line 2) cannot be read as tasks"],
    ),
    (
        "answers.md",
        "| ID | Task | Ready? |\n|---|---|---|\n| A1 | Read | yes |\n",
        &["!answers.md has no task: its 1 row of a table (line 3) cannot be read as tasks"],
    ),
    (
        "get-things-done.md",
        "<tasks>\n\n<task type=\"auto\">\n  <name>Task 1: Read</name>\n</task>\n\n</tasks>\n\n<verification>\n- [ ] it builds\n</verification>\n\n<success_criteria>\n\n- [ ] it reads\n</success_criteria>\n",
        &["!get-things-done.md has no task: its 1 `<task>` element (line 3) cannot be read as tasks"],
    ),
    (
        "tagged.md",
        "<tasks>\n- [ ] Read\n- [x] Write\n</tasks>\n\n<success_criteria>\n- [ ] it reads\n</success_criteria>\n\n<out_of_scope>\n- [ ] Print\n</out_of_scope>\n",
        &["open L2 Read", "done L3 Write", "open L7 it reads <L2 L3 !255"],
    ),
    (
        "folded.md",
        "<details>\n<summary>Phase 1</summary>\n\n- [ ] Read\n\n</details>\n\n<details open>\n<summary>Acceptance Criteria</summary>\n\n- [ ] it reads\n\n</details>\n",
        &["open L4 Read", "open L11 it reads <L4 !255"],
    ),
    (
        "bold-labels.md",
        "**Tasks**\n\n- [ ] Read\n\n**Acceptance Criteria**\n\n- [ ] it reads\n\n**More**\n\n- [ ] Write\n",
        &["open L3 Read", "open L11 Write", "open L7 it reads <L3 L11 !255"],
    ),
    (
        "sections-that-wait.md",
        "## 1. Read\n- [ ] 1.1 Name\n\n## 2. Write (depends on 1)\n- [ ] 2.1 Ask\n\n## 3. Print (requires Node 18)\n- [ ] 3.1 Ink\n",
        &["open 1.1 Name", "open 2.1 Ask <1.1", "open 3.1 Ink"],
    ),
    (
        "squares.md",
        "# x\n\n- ☐ Read\n- ☑ Write\n",
        &["!squares.md has no task: its 2 lines that begin with a sign (line 3)"],
    ),
    (
        "wrapped.json",
        "{\"prd\": {\"title\": \"x\", \"userStories\": [{\"id\": \"A\", \"title\": \"Read\", \"passes\": false}]}}",
        &["open A Read"],
    ),
    (
        "renwu.md",
        "- [ ] 1.1 读\n- [ ] 1.2 写（依赖 1.1）\n- [ ] 1.3 印 (依赖：1.2)\n",
        &["open 1.1 读", "open 1.2 写（依赖 1.1） <1.1", "open 1.3 印 (依赖：1.2) <1.2"],
    ),
    (
        "status-of-somebody.md",
        "### T-1: Read\n**Status:** done-by-code | **Domain:** Security\n",
        &["open T-1 Read", "!status-of-somebody.md:2: T-1 has the status `done-by-code`: write pending"],
    ),
    (
        "kriterien.md",
        "## Aufgaben\n\n- [ ] Lesen\n\n## Akzeptanzkriterien\n\n- [ ] es liest\n",
        &["open L3 Lesen", "open L7 es liest <L3 !255"],
    ),
    (
        "milestones.json",
        "{\"name\": \"x\", \"milestones\": [{\"name\": \"M1\", \"tasks\": [{\"id\": \"A\", \"title\": \"Read\", \"done\": true}, {\"id\": \"B\", \"title\": \"Write\", \"done\": false}]}]}",
        &["done A Read", "open B Write"],
    ),
];
