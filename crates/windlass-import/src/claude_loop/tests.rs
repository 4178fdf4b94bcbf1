use std::fs;
use std::path::Path;

use windlass_core::principles::{Preset, Principles};
use windlass_jobs::doc::principles::written;

use super::*;
use crate::testing::{files, import};
use windlass_core::values::Extent;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn yaml(preset: Preset) -> String {
    written(&Principles::of(preset), "2026-01-31")
}

/// A project as claude-loop leaves it.
fn used(folder: &Path) {
    write(folder, ".claude/principles.yaml", &yaml(Preset::Enterprise));
    write(
        folder,
        ".claude/principles-decisions.log",
        "---\ntimestamp: \"2026-01-02T03:04:05Z\"\ndecision: \"a\"\n",
    );
    write(folder, ".claude/plans/plan-1.yaml", "id: plan-1\nstatus: in_progress\nuser_prompt: x\n");
    write(
        folder,
        ".claude/tasks/T001.md",
        "---\nid: T001\ntitle: One\nstatus: completed\ndependencies: []\n---\n# T001: One\n",
    );
    write(
        folder,
        ".claude/tasks/T002.md",
        "---\nid: T002\ntitle: Two\nstatus: pending\ndependencies: [T001]\n---\n# T002: Two\n",
    );
    write(folder, NOTES, "next: the lexer\n");
}

fn run(source: &Path, target: &Path, extent: Extent) -> Vec<Item> {
    let planned = ClaudeLoopImport { source: source.to_owned(), target: target.to_owned() }.plan();
    import(planned, target, extent)
}

fn item<'a>(items: &'a [Item], name: &str) -> &'a Item {
    items.iter().find(|item| item.name.contains(name)).unwrap_or_else(|| panic!("{name}: {items:?}"))
}

// rows: 129
#[test]
fn what_is_of_another_project_is_copied_and_the_rest_is_named() {
    let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    used(source.path());
    let before = files(source.path());
    assert!(is_there(source.path()) && !is_there(target.path()));

    let looked = run(source.path(), target.path(), Extent::Look);
    assert!(files(target.path()).is_empty(), "{looked:?}");
    let items = run(source.path(), target.path(), Extent::Act);
    assert_eq!(items.len(), 7, "{items:?}");
    assert_eq!(files(source.path()), before);
    let ours = fs::read_to_string(target.path().join(".windlass/principles.yaml")).unwrap();
    assert_eq!(ours, yaml(Preset::Enterprise));
    assert_eq!(fs::read_to_string(target.path().join(NOTES)).unwrap(), "next: the lexer\n");
    let said = |name: &str| item(&items, name).notes.join("; ");
    let configuration = fs::read_to_string(target.path().join(".windlass/config.toml")).unwrap();
    assert!(
        configuration.contains("completion_signal = \"CONTINUOUS_CLAUDE_PROJECT_COMPLETE\""),
        "{configuration}"
    );
    assert!(said("permissions").starts_with("claude-loop's agents skipped all permissions"), "{items:?}");
    assert_eq!(said("principles.yaml"), "preset enterprise, version 2.3");
    assert!(said("decisions.log").starts_with("1 decision, of 2026-01-02T03:04:05Z"));
    assert!(said("plan-1").starts_with("its status is in_progress; ") && item(&items, "plan-1").to.is_none());
    assert!(said("tasks").starts_with("2 tasks, 1 done; "), "{}", said("tasks"));
    assert!(said("tasks").ends_with("windlass run --mode tasks -f .claude/tasks"));

    // Nothing of ours is replaced when it is done again.
    let again = run(source.path(), target.path(), Extent::Act);
    assert!(item(&again, "principles.yaml").notes[0].contains("already") && item(&again, NOTES).to.is_none());
}

// rows: 129
#[test]
fn in_the_same_project_everything_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    used(folder.path());
    let before = files(folder.path());
    let items = run(folder.path(), folder.path(), Extent::Act);
    let mut after = files(folder.path());
    assert!(after.remove(&folder.path().join(".windlass/config.toml")).is_some());
    assert_eq!(after, before);
    let principles = item(&items, "principles.yaml");
    assert_eq!(principles.to.as_deref(), Some(principles.from.as_path()));
}

// rows: 129
#[test]
fn principles_that_are_wrong_are_left_with_their_line() {
    let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let wrong = yaml(Preset::Startup).replace("scope_philosophy: 3", "scope_philosophy: 0");
    write(source.path(), ".claude/principles.yaml", &wrong);
    let items = run(source.path(), target.path(), Extent::Act);
    let left = item(&items, "principles.yaml");
    assert!(left.to.is_none() && left.notes[0].starts_with("line 10: `scope_philosophy` is `0`"), "{left:?}");
    assert!(!target.path().join(".windlass/principles.yaml").exists());
}
