//! Plans that are folders.

use windlass_core::values::Items;

use super::*;

const README: &str = "# Plan\n\n**Project:** x\n\n## Status Overview\n\n| Feature | Status | Progress | Spec |\n|---|---|---|---|\n\
    | [Users](./users.md) | ⏳ Pending | 0/2 | [users](../specs/users.md) |\n| [Auth](auth.md#tasks) | 🔄 In Progress | 1/2 | |\n\n\
    ## Current Focus\n\n**Active:** [auth.md](./auth.md)\n- [ ] no task\n\n## Cross-Cutting Tasks\n\n- [ ] **P99.1** Docs\n- [x] P99.2: CI\n\n\
    ## Archived Features\n\n- [ ] [old](.archive/old.md)\n";
const USERS: &str = "# Users\n\n**Spec:** [users.md](../specs/users.md)\n**Status:** ⏳ Pending\n\n## Dependencies\n\n- auth.md\n\n## Tasks\n\n\
    ### Priority 2: Core\n\n#### P2.1: Table\n- [ ] Make the table\n  **Dependencies:** none\n  **Complexity:** low\n\n\
    #### P2.2: Form\n- [ ] Make the form\n  **Dependencies:** P2.1\n";
const AUTH: &str =
    "# Auth\n\n**Spec:** `specs/auth.md`\n\n## Tasks\n### Priority 2\n- [x] P2.1 Login\n- [ ] P2.2 Logout\n";

fn folder(files: &[(&str, &str)]) -> Plan {
    let role = |name: &str| if name.ends_with("README.md") { FileRole::Index } else { FileRole::Part };
    Plan::parse(files.iter().map(|(name, text)| file(name, role(name), text)).collect())
}

fn usual() -> Plan {
    folder(&[
        ("plan/README.md", README),
        ("plan/auth.md", AUTH),
        ("plan/extra.md", "- [ ] x\n"),
        ("plan/users.md", USERS),
    ])
}

// Seed defect D2, src/impl_plan.rs:253-266: every box of the README counted as a cross-cutting task.
// rows: 95
#[test]
fn features_in_the_order_of_the_readme_and_its_cross_cutting_tasks_last() {
    let plan = usual();
    assert_eq!(plan.faults(), []);
    let places: Vec<_> = plan.tasks().iter().map(Task::place).collect();
    assert_eq!(
        places,
        [
            "plan/users.md:15",
            "plan/users.md:20",
            "plan/auth.md:7",
            "plan/auth.md:8",
            "plan/extra.md:1",
            "plan/README.md:19",
            "plan/README.md:20"
        ]
    );
    assert_eq!(plan.items(), Items { done: 2, total: 7 });
    let ids: Vec<_> = plan.tasks().iter().filter_map(|task| Some(task.id()?.0.as_str())).collect();
    assert_eq!(ids, ["P2.1", "P2.2", "P2.1", "P2.2", "P99.1", "P99.2"]);
    assert_eq!(plan.tasks()[0].refs[..], ["../specs/users.md"]);
    assert_eq!(plan.tasks()[2].refs[..], ["specs/auth.md"]);
    assert!(in_plan(&plan.tasks()[5]).cross_cutting && !in_plan(&plan.tasks()[4]).cross_cutting);
}

// rows: 95
#[test]
fn the_active_feature_comes_first_then_what_is_begun_then_the_one_with_the_fewest_boxes() {
    let next = |files: &[(&str, &str)]| folder(files).next().map(Task::place);
    let readme = |active: &str| README.replace("auth.md](./auth.md)", active);
    let with = |readme: &str, auth: &str| {
        next(&[
            ("plan/README.md", readme),
            ("plan/auth.md", auth),
            ("plan/extra.md", "- [ ] x\n"),
            ("plan/users.md", USERS),
        ])
    };
    assert_eq!(with(README, AUTH).as_deref(), Some("plan/auth.md:8"));
    let users = readme("users.md](./users.md)");
    assert_eq!(
        with(&users, AUTH).as_deref(),
        Some("plan/users.md:15"),
        "its dependency is the one of its file"
    );
    let done = AUTH.replace("[ ]", "[x]");
    assert_eq!(
        with(README, &done).as_deref(),
        Some("plan/extra.md:1"),
        "one box is left of it, two of the users'"
    );
    let extra = readme("extra.md](./extra.md)");
    let ticked = [
        ("plan/README.md", &*extra),
        ("plan/auth.md", AUTH),
        ("plan/extra.md", "- [x] x\n"),
        ("plan/users.md", USERS),
    ];
    assert_eq!(next(&ticked).as_deref(), Some("plan/auth.md:8"), "it is begun");
    let order = README.replace("**Active:**", "Somewhere:");
    assert_eq!(with(&order, AUTH).as_deref(), Some("plan/users.md:15"), "without a focus the index decides");
}

// rows: 95
#[test]
fn a_part_that_is_not_there_or_empty_makes_no_complete_plan() {
    let gone = folder(&[("plan/README.md", README), ("plan/auth.md", AUTH)]);
    assert_eq!(
        gone.faults().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["plan/README.md:9: names `users.md`, which is not there"]
    );
    let emptied = folder(&[
        ("plan/README.md", "# x\n"),
        ("plan/auth.md", "- [x] a\n"),
        ("plan/users.md", "\u{feff}\n"),
    ]);
    assert_eq!(emptied.faults()[0].to_string(), "plan/users.md is empty");
    assert!(!standing_for_build(&emptied, "m").complete);
    let bare = folder(&[("plan/README.md", "# Plan\n- [ ] none\n")]);
    assert!(bare.faults()[0].to_string().contains("have no task"), "{:?}", bare.faults());
}
