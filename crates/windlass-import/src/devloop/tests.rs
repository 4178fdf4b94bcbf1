use std::fs;
use std::path::Path;

use super::*;
use crate::testing::{git, import};
use windlass_core::values::Extent;

const TASKS: &str = "# Ledger\n\n### TASK-001: Parse\n- **Status**: done\n\n### TASK-002: Print\n- **Status**: pending\n\
                     - **Dependencies**: TASK-001\n";
const JOURNAL: &str = "# DevLoop Progress Log\n\n## Summary\n- **Completed**: 9\n\n## Iteration Log\n\n\
                       ### Iteration 1 - 2025-01-02T03:04:05Z\n- **Task Completed**: TASK-001\n\
                       - **Tokens**: 1.234 total (1.000 in, 234 out)\n- **Cost**: $0.5000\n\n\
                       ### Iteration 2 - 2025-01-02T03:14:05Z\n- **Task Completed**: TASK-001\n- **Cost**: $0.2500\n";

struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        project.write(".devloop/session.json", r#"{"phase":"run","lastIteration":2,"activeTask":{"taskId":"TASK-002","taskTitle":"Print","iterationNumber":2}}"#);
        project.write("requirements.md", TASKS);
        project.write("progress.md", JOURNAL);
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn import(&self, extent: Extent) -> Result<Vec<Item>, DevloopError> {
        let (source, target) = (self.path().to_owned(), self.path().to_owned());
        Ok(import(DevloopImport { source, user: None, target }.plan()?, self.path(), extent))
    }

    fn all(&self) -> Vec<Item> {
        self.import(Extent::Act).unwrap()
    }
}

fn item<'a>(items: &'a [Item], name: &str) -> &'a Item {
    items.iter().find(|item| item.name == name).unwrap_or_else(|| panic!("{name}: {items:#?}"))
}

// rows: 8, 129
#[test]
fn task_files_and_journals_stay_and_are_counted_anew() {
    let project = Project::new();
    project.write(
        ".devloop/features/pay.json",
        r#"{"feature":"pay","lastIteration":1,"requirementsPath":"/elsewhere/pay.md"}"#,
    );
    project.write(".devloop/features/gone.json", "{}");
    project.write("requirements/pay.md", TASKS);
    project.write("progress/pay.md", JOURNAL);
    let items = project.all();
    let tasks = item(&items, "requirements.md");
    assert_eq!((tasks.kind, tasks.to.as_ref()), (ItemKind::TaskFile, Some(&tasks.from)));
    assert_eq!(tasks.notes, ["2 tasks, 1 done", "it stays where it is: windlass run --mode tasks"]);
    let journal = item(&items, "progress.md");
    assert_eq!(journal.notes[0], "2 iterations, 1 task done (each counted once), 1234 tokens, $0.7500");
    let session = item(&items, "session.json");
    assert!(
        session.notes[1].starts_with("work on TASK-002 - Print was interrupted in iteration 2;"),
        "{session:?}"
    );
    assert!(item(&items, "requirements/pay.md").notes[1].ends_with("--feature pay"));
    assert!(items.iter().any(|item| item.name == "progress/pay.md"));
    assert!(item(&items, "features/gone.json").notes[1].contains("requirements/gone.md is not there"));
    assert_eq!(fs::read_to_string(project.path().join("requirements.md")).unwrap(), TASKS);
    assert_eq!(fs::read_to_string(project.path().join("progress.md")).unwrap(), JOURNAL);
}

// rows: 129
#[test]
fn its_configuration_becomes_ours_and_a_second_import_changes_nothing() {
    let project = Project::new();
    project
        .write(".devloop/config.json", r#"{"devloopCommitFormat":"chore: {action}","verifyEachTask":true}"#);
    let looked = project.import(Extent::Look).unwrap();
    assert!(item(&looked, "config.json").to.is_some() && !project.path().join(".windlass").exists());
    let items = project.all();
    assert!(item(&items, "config.json").notes[0].contains("`verifyEachTask` is left out"));
    let ours = fs::read_to_string(project.path().join(".windlass/config.toml")).unwrap();
    assert!(ours.contains("[commit]\nmessage = \"chore: {action}\""), "{ours}");
    let again = project.all();
    assert!(item(&again, "config.json").notes.iter().any(|note| note.contains("says all of it already")));
    assert_eq!(fs::read_to_string(project.path().join(".windlass/config.toml")).unwrap(), ours);
}

// rows: 129
// Seed defect D3, core/config.ts:26-28, 148-151; session.ts:26-28: malformed JSON was taken for an empty file.
#[test]
fn a_broken_file_is_an_error_that_names_it_and_nothing_is_taken() {
    for broken in [".devloop/session.json", ".devloop/config.json", ".devloop/features/pay.json"] {
        let project = Project::new();
        project.write(broken, "{\"phase\": \"run\",\n  ]");
        let error = project.import(Extent::Act).unwrap_err().to_string();
        assert!(error.contains(broken) && error.contains("is not JSON: line 2"), "{error}");
        assert!(!project.path().join(".windlass").exists());
    }
    let project = Project::new();
    fs::create_dir_all(project.path().join(".devloop/config.json")).unwrap();
    assert!(project.import(Extent::Act).unwrap_err().to_string().contains("config.json"));
}

// rows: 129
#[test]
fn the_users_default_is_taken_where_it_is_there() {
    let project = Project::new();
    let user = project.path().join("home/.devloop/config.json");
    let ours = project.path().join("ours/config.toml");
    let run = || {
        let (source, target) = (project.path().to_owned(), project.path().to_owned());
        let user = Some((user.clone(), ours.clone()));
        import(DevloopImport { source, user, target }.plan().unwrap(), project.path(), Extent::Act)
    };
    run();
    assert!(!ours.exists(), "there is no such file");
    let project_file = fs::read_to_string(project.path().join(".windlass/config.toml")).unwrap();
    assert!(project_file.ends_with("\n[output]\nexit_codes = \"simple\"\n"), "{project_file}");
    let path = project.path().display();
    project.write(
        "home/.devloop/config.json",
        &format!(r#"{{"defaultWorkspace":"{path}/gone","maxIterations":10}}"#),
    );
    let gone = run();
    let notes = gone.iter().filter(|item| item.name == "config.json").flat_map(|item| &item.notes);
    assert!(notes.clone().any(|note| note.contains("there is no folder")) && !ours.exists());
    project.write(
        "home/.devloop/config.json",
        &format!(r#"{{"defaultWorkspace":"{path}","maxIterations":25}}"#),
    );
    run();
    let text = fs::read_to_string(&ours).unwrap();
    assert!(
        text.contains(&format!("default = \"{path}\"")) && text.contains("max_iterations = 25"),
        "{text}"
    );
}

#[test]
fn what_it_generated_and_left_is_named_and_left() {
    let project = Project::new();
    for arguments in [
        ["init", "-q", "-b", "main"].as_slice(),
        &["commit", "-q", "--allow-empty", "-m", "DevLoop iteration 1: Complete TASK-001 - Parse"],
        &["branch", "devloop/TASK-002"],
        &["branch", "devloop/TASK-003"],
        &["pack-refs", "--all"],
        &["branch", "devloop/TASK-004"],
    ] {
        git(project.path(), arguments);
    }
    project.write(".claude/settings.json", r#"{"restrictToWorkspace":true,"workspacePath":"/w"}"#);
    project.write("CLAUDE.md", "# CLAUDE.md\n\n## Environment\n- **Platform**: linux\n- **Workspace**: /w\n");
    project.write(".worktrees/T002/file", "work");
    project.write(".worktrees/mine/file", "mine");
    project.write(".devloop/logs/TASK-001.log", "log");
    project.write(".devloop/odd", "odd");
    let items = project.all();
    assert!(item(&items, ".claude/settings.json").notes[0].contains("rm .claude/settings.json"));
    assert!(item(&items, "CLAUDE.md").to.is_none());
    assert!(
        item(&items, "CLAUDE.md").notes[0].starts_with("beware: ")
            && item(&items, "CLAUDE.md").notes[0].contains("rm CLAUDE.md")
    );
    assert!(item(&items, "permissions").notes[0].starts_with("DevLoop's agents skipped all permissions"));
    let worktrees = &item(&items, ".worktrees").notes[0];
    assert!(worktrees.starts_with("left alone") && worktrees.ends_with(": T002"), "{worktrees}");
    let branches = &item(&items, "branches").notes[0];
    assert!(branches.ends_with(": devloop/TASK-002, devloop/TASK-003, devloop/TASK-004"), "{branches}");
    assert!(item(&items, "git history").notes[0].starts_with("commits of DevLoop's: 1 complete,"));
    assert!(item(&items, "logs").to.is_none() && item(&items, "odd").to.is_none());
    assert!(
        project.path().join(".claude/settings.json").exists() && project.path().join("CLAUDE.md").exists()
    );

    project.write(".claude/settings.json", r#"{"permissions":{}}"#);
    project.write("CLAUDE.md", "# My rules\n");
    let items = project.all();
    assert!(items.iter().all(|item| !matches!(item.name.as_str(), ".claude/settings.json" | "CLAUDE.md")));
}

#[test]
fn a_home_with_its_configuration_is_no_project_of_its() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".devloop")).unwrap();
    fs::write(folder.path().join(".devloop/config.json"), "{}").unwrap();
    assert!(!is_there(folder.path()) && is_there(Project::new().path()));
}
