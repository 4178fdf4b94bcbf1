//! A configuration file of claude-iterate, and a workspace's metadata as it wrote it.

use std::path::Path;

use serde_json::{Map, Value};
use windlass_agents::refuses;
use windlass_core::config::{FileKind, Layer};
use windlass_core::spec::Mode;
use windlass_core::workspace::{
    Beneath, OptionValue, SeedOptions, SeedProject, imported_options_text, options_text, seed_options,
    seed_project, text_says,
};

pub(crate) fn run(data: &[u8]) {
    let Ok(Value::Object(file)) = serde_json::from_slice::<Value>(data) else { return };
    let project = seed_project(&file, refuses);
    let folders = &project.folders;
    for folder in [&folders.workspaces, &folders.templates, &folders.archive] {
        assert!(!folder.trim().is_empty(), "a folder without a name");
    }
    let text = imported_options_text("claude-iterate", &project.options.options);
    for kind in [FileKind::Project, FileKind::User] {
        check(&project.options, &text, kind);
    }
    check_stranger(file.clone(), &project);
    for mode in [Mode::Loop, Mode::Iterative] {
        let found = seed_options(mode, &file, refuses, &Beneath::Open);
        check(&found, &options_text(&found.options), FileKind::Workspace);
    }
}

/// What was taken is a configuration that says exactly that; the rest is named, each in one line.
fn check(found: &SeedOptions, text: &str, kind: FileKind) {
    let layer = Layer::parse(kind, Path::new("config.toml"), text);
    assert!(layer.is_ok(), "{layer:?}\n{text}");
    for (key, value) in &found.options {
        assert!(text_says(text, key, value), "{key} is not said in\n{text}");
        if *key == "agent.arguments" {
            check_arguments(found, value);
        }
    }
    for sentence in &found.left {
        assert!(!sentence.trim().is_empty() && !sentence.contains(char::is_control), "{sentence:?}");
        assert!(sentence.chars().count() < 300, "{sentence}");
    }
}

/// No run refuses them.
fn check_arguments(found: &SeedOptions, value: &OptionValue) {
    let named = found.options.iter().find(|(key, _)| *key == "agent.command");
    let program = named.and_then(|(_, command)| command.as_str()).unwrap_or("claude");
    let arguments = value.as_array().map(Vec::as_slice).unwrap_or_default();
    for argument in arguments.iter().filter_map(OptionValue::as_str) {
        assert_eq!(refuses(program, argument), None, "{argument}");
    }
}

/// A field that nobody knows is named, and changes nothing.
fn check_stranger(mut file: Map<String, Value>, project: &SeedProject) {
    if file.insert("unheardOf".to_owned(), Value::Bool(true)).is_none() {
        let again = seed_project(&file, refuses);
        assert_eq!((&again.folders, &again.options.options), (&project.folders, &project.options.options));
        assert_eq!(again.options.left.len(), project.options.left.len() + 1, "{:?}", again.options.left);
    }
}
