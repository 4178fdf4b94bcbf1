//! `verify --plan` and `migrate-plan`.

use std::fs;

use windlass_testkit::environment::TestEnv;

use super::{ask, document, told, windlass};

const PLAN: &str = "# Plan\n\nWhy.\n\n## Priority 1\n\n- [x] Form (refs: specs/auth.md#login)\n- [ ] Hash (refs: specs/auth.md)\n";

fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("specs/auth.md", "# Auth\n\n### Login\n\nIt MUST hash.\n\n### Logout\n");
    env.write("specs/logo.png", "\0");
    env.write("IMPLEMENTATION_PLAN.md", PLAN);
    env
}

fn code(env: &TestEnv, arguments: &[&str]) -> Option<i32> {
    ask(env, arguments).code
}

// Seed defect D2, src/commands/verify.rs:34: it always exited with 0, even without a plan.
// rows: 134
#[test]
fn the_exit_code_says_whether_the_plan_is_valid() {
    let env = project();
    let text = told(&env, &["verify", "--plan"]);
    assert!(text.starts_with("✓ valid  IMPLEMENTATION_PLAN.md\n"), "{text}");
    assert!(text.contains("skipped: specs/logo.png is not a Markdown file"), "{text}");
    assert!(text.contains("Hash  IMPLEMENTATION_PLAN.md:8"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    env.write("IMPLEMENTATION_PLAN.md", "- [ ] a\n");
    assert_eq!(code(&env, &["verify", "--plan", "-q"]), Some(23));
    env.write(".windlass/config.toml", "[output]\nexit_codes = \"simple\"\n");
    assert_eq!(code(&env, &["verify", "--plan"]), Some(1));
    fs::write(env.project().join("IMPLEMENTATION_PLAN.md"), b"- [x] \xff").unwrap();
    let unreadable = ask(&env, &["verify", "--plan"]);
    assert_eq!(unreadable.code, Some(2));
    assert!(unreadable.stdout_text().contains("IMPLEMENTATION_PLAN.md:1: is not UTF-8"));
    fs::remove_file(env.project().join("IMPLEMENTATION_PLAN.md")).unwrap();
    let missing = ask(&env, &["verify", "--plan"]);
    assert_eq!(missing.code, Some(2));
    let said = missing.stderr_text();
    assert!(said.contains("there is no plan: no IMPLEMENTATION_PLAN.md and no plan/README.md"), "{said}");
}

// Seed defect D2, src/commands/verify.rs:11, migrate.rs:10: a broken configuration was replaced by defaults in silence.
// rows: 134
#[test]
fn configuration_that_is_wrong_is_said() {
    let env = project();
    env.write(".windlass/config.toml", "[plan]\nmigrate_at = \"many\"\n");
    for arguments in [&["verify", "--plan"][..], &["migrate-plan", "--force"]] {
        let refused = ask(&env, arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?}");
        assert!(refused.stderr_text().contains("plan.migrate_at"), "{}", refused.stderr_text());
    }
}

// rows: 134
#[test]
fn the_document_counts_by_requirement_and_another_plan_can_be_named() {
    let env = project();
    let json = document(&env, &["verify", "--plan", "--json"]);
    assert_eq!(
        (&json["type"], &json["valid"], &json["exit_code"]),
        (&"plan".into(), &true.into(), &0.into())
    );
    let spec = &json["coverage"][0];
    assert_eq!((&spec["requirement_count"], &spec["named_count"]), (&3.into(), &2.into()));
    assert_eq!((&spec["coverage_percent"], &spec["requirements"][2]["id"]), (&100.into(), &"logout".into()));
    env.write("other.md", "- [~] other\n");
    let other = document(&env, &["verify", "--plan=other.md", "--json"]);
    assert_eq!((&other["in_progress_tasks"], &other["orphan_tasks"]), (&1.into(), &1.into()));
    assert_eq!(code(&env, &["verify", "--plan=specs"]), Some(2), "a folder without a README is not a plan");
    let mut inside = windlass(&env, &["verify", "--plan"]);
    let inside = env.run(inside.env("WINDLASS_RUN", "r-1"), super::PATIENCE);
    assert_eq!(inside.code, Some(0), "an agent may look at its plan: {}", inside.stderr_text());
}

// rows: 96
#[test]
fn a_plan_is_migrated_and_the_former_one_kept() {
    let env = project();
    let few = ask(&env, &["migrate-plan"]);
    assert_eq!(few.code, Some(2));
    assert!(
        few.stderr_text().contains("the plan has 2 tasks: a folder is worth it from 8"),
        "{}",
        few.stderr_text()
    );
    let looked = told(&env, &["migrate-plan", "--dry-run", "--force"]);
    assert!(looked.contains("plan/auth.md") && looked.contains("nothing was written"), "{looked}");
    assert!(!env.project().join("plan").exists());
    told(&env, &["migrate-plan", "--force"]);
    let kept = fs::read_to_string(env.project().join("IMPLEMENTATION_PLAN.md.backup")).unwrap();
    assert_eq!(kept, PLAN);
    let json = document(&env, &["verify", "--plan", "--json"]);
    assert_eq!((&json["plan_type"], &json["total_tasks"]), (&"hierarchical".into(), &2.into()));
    assert!(told(&env, &["migrate-plan", "--force"]).starts_with("nothing to do"));
    told(&env, &["migrate-plan", "--to", "file"]);
    assert_eq!(document(&env, &["verify", "--plan", "--json"])["total_tasks"], 2);
    let again = ask(&env, &["migrate-plan", "--force"]);
    assert_eq!(again.code, Some(2), "a backup is never overwritten");
    assert!(env.project().join("plan.backup/README.md").exists());
    let mut inside = windlass(&env, &["migrate-plan", "--force"]);
    assert_eq!(
        env.run(inside.env("WINDLASS_RUN", "r-1"), super::PATIENCE).code,
        Some(2),
        "refused inside a run"
    );
}

// attack(files): the plan's file is a list of tasks with ids and states, long enough for a folder
// holds: it is refused as every other verb refuses it, and nothing is moved
#[test]
fn a_list_of_tasks_is_not_migrated() {
    let env = TestEnv::with_git();
    let task =
        |number: u32| format!("### TASK-{number:03}: Do {number}\n**Status**: pending\n\nSome words.\n\n");
    let list = format!("# Tasks\n\n{}", (1..=40).map(task).collect::<String>());
    env.write("IMPLEMENTATION_PLAN.md", &list);
    for arguments in [&["migrate-plan"][..], &["migrate-plan", "--force"], &["migrate-plan", "--dry-run"]] {
        let refused = ask(&env, arguments);
        refused.expect_code(2, "a list of tasks");
        assert!(refused.stderr_text().contains("is not a plan"), "{}", refused.stderr_text());
    }
    assert_eq!(env.read("IMPLEMENTATION_PLAN.md"), list);
    assert!(!env.project().join("plan").exists());
}

// attack(files): a sound plan links to a document beside it, so that as a folder it would name a file that is not there
// holds: it is said that this is of its new form, that nothing is wrong with the plan, and nothing is moved
#[test]
fn a_plan_that_no_folder_can_hold_is_said_to_be_sound() {
    let env = TestEnv::with_git();
    let plan = "# Plan\n\n## Companions\n\n- [Context](./PROJECT_CONTEXT.md)\n\n## Phase 1\n\n- [ ] Do it\n- [ ] Do more\n";
    env.write("IMPLEMENTATION_PLAN.md", plan);
    env.write("PROJECT_CONTEXT.md", "# Context\n");
    let refused = ask(&env, &["migrate-plan", "--force"]);
    refused.expect_code(2, "no folder can hold it");
    let said = refused.stderr_text();
    assert!(said.contains("in its new form the plan could not be read: README.md"), "{said}");
    assert!(said.contains("Nothing is wrong with the plan") && !said.contains("verify --plan"), "{said}");
    assert_eq!(env.read("IMPLEMENTATION_PLAN.md"), plan);
}
