use std::fs;

use windlass_core::spec::Mode;
use windlass_core::workspace::{OptionValue, WorkspaceName};

use super::super::create::Creation;
use super::super::{FoundMetadata, WorkspaceError};
use super::{Scratch, names};
use windlass_host::file::Made;

fn options(options: &[(&'static str, OptionValue)]) -> Creation {
    Creation { options: options.to_vec(), ..Creation::default() }
}

// rows: 126
// Seed defect D1, core/workspace.ts:65: a delay of 0 was ignored.
// Seed defect D1, core/config-manager.ts:242: every default was stored.
#[test]
fn a_new_workspace_has_its_files_and_exactly_the_options_that_were_given() {
    let scratch = Scratch::new();
    let creation =
        Creation { mode: Some(Mode::Iterative), ..options(&[("clocks.delay", OptionValue::Integer(0))]) };
    let created = scratch.create("port", &creation);
    assert_eq!((created.folder, created.mode, created.kept.len()), (Made::Anew, Mode::Iterative, 0));
    let workspace = created.workspace;
    assert_eq!(names(workspace.folder()), [".metadata.json", "TODO.md", "config.toml", "reports", "working"]);
    let config = fs::read_to_string(workspace.config()).unwrap();
    assert!(config.ends_with("\n[clocks]\ndelay = 0\n") && config.matches('=').count() == 1, "{config}");
    let FoundMetadata::Read { metadata, problems } = workspace.read_metadata().unwrap() else { panic!() };
    assert_eq!((metadata.name.as_str(), metadata.mode, problems.len()), ("port", Mode::Iterative, 0));
    assert!(metadata.created.is_some() && metadata.other.is_empty());
    assert!(!workspace.has_instructions());
}

#[test]
fn one_that_was_cut_off_half_way_is_completed() {
    let scratch = Scratch::new();
    let creation = options(&[("limits.max_iterations", OptionValue::Integer(7))]);
    let whole = scratch.create("port", &creation).workspace;
    // Every prefix of what is made, in the order it is made.
    let order = ["working", "reports", "TODO.md", "config.toml", ".metadata.json"];
    for there in 0..order.len() {
        for name in &order[there..] {
            let path = whole.folder().join(name);
            if path.is_dir() { fs::remove_dir(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        let created = scratch.create("port", &creation);
        assert_eq!(created.made, order[there..], "after {there}");
        assert_eq!(created.kept.len(), there);
        assert!(fs::read_to_string(created.workspace.config()).unwrap().contains("max_iterations = 7"));
    }
    let again = scratch.create("port", &creation);
    assert_eq!((again.made.len(), again.kept.len(), again.mended), (0, 5, None));
}

#[test]
fn what_is_there_is_kept_byte_for_byte() {
    let scratch = Scratch::new();
    let folder = scratch.workspaces.root().join("mine");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [
        ("INSTRUCTIONS.md", "do it\r\n"),
        ("TODO.md", "- [ ] x\r\n"),
        ("config.toml", "# mine\n"),
        ("notes.txt", ""),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let created = scratch.create("mine", &Creation::default());
    assert_eq!(created.kept, ["INSTRUCTIONS.md", "TODO.md", "config.toml", "notes.txt"]);
    assert_eq!(created.made, ["working", "reports", ".metadata.json"]);
    assert_eq!(fs::read_to_string(folder.join("TODO.md")).unwrap(), "- [ ] x\r\n");
    assert_eq!(fs::read_to_string(folder.join("config.toml")).unwrap(), "# mine\n");
}

#[test]
fn options_that_are_there_are_not_replaced_by_others() {
    let scratch = Scratch::new();
    let seven = options(&[("limits.max_iterations", OptionValue::Integer(7))]);
    scratch.create("port", &seven);
    let eight = options(&[("limits.max_iterations", OptionValue::Integer(8))]);
    let name = WorkspaceName::parse("port").unwrap();
    let error = scratch.workspaces.create(&name, &scratch.project, &eight).unwrap_err();
    assert!(matches!(&error, WorkspaceError::OtherOptions { key: "limits.max_iterations", .. }), "{error}");
    assert_eq!(scratch.create("port", &seven).made.len(), 0);
}

// rows: 126
#[test]
fn the_options_of_a_claude_iterate_workspace_become_a_file_once() {
    let scratch = Scratch::new();
    let folder = scratch.workspaces.root().join("old");
    fs::create_dir_all(&folder).unwrap();
    let old = r#"{"name":"old","created":"2025-10-15T14:00:00Z","status":"completed","mode":"iterative",
        "totalIterations":3,"setupIterations":1,"executionIterations":2,"maxIterations":9,"delay":2,"stagnationThreshold":2}"#;
    fs::write(folder.join(".metadata.json"), old).unwrap();
    let created = scratch.create("old", &Creation::default());
    assert_eq!((created.adopted, created.mode), (vec!["limits.max_iterations"], Mode::Iterative));
    let config = fs::read_to_string(folder.join("config.toml")).unwrap();
    assert!(config.contains("max_iterations = 9"), "{config}");
    // The history is as it was, and what it does not know stays in it.
    let FoundMetadata::Read { metadata, .. } = created.workspace.read_metadata().unwrap() else { panic!() };
    assert_eq!((metadata.execution_iterations, &metadata.other["maxIterations"]), (2, &9.into()));
    let again = scratch.create("old", &Creation { mode: Some(Mode::Loop), ..Creation::default() });
    assert_eq!((again.adopted.len(), again.former_mode), (0, Some(Mode::Iterative)));
}

#[test]
fn something_else_in_its_place_is_left_alone() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.workspaces.root()).unwrap();
    let path = scratch.workspaces.root().join("taken");
    fs::write(&path, "mine").unwrap();
    let name = WorkspaceName::parse("taken").unwrap();
    let error = scratch.workspaces.create(&name, &scratch.project, &Creation::default()).unwrap_err();
    assert!(matches!(error, WorkspaceError::NotAFolder { .. }), "{error}");
    assert_eq!(fs::read_to_string(path).unwrap(), "mine");
}
