//! A workspace's metadata, its name, and the options that claude-iterate kept in its metadata.

use std::path::Path;

use windlass_agents::refuses;
use windlass_core::config::{FileKind, Layer};
use windlass_core::workspace::{Beneath, Metadata, WorkspaceName, options_text, seed_options, text_says};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    check_name(&text);
    match Metadata::parse(data) {
        Ok((metadata, problems)) => {
            assert!(problems.iter().all(|problem| !problem.trim().is_empty()));
            check_metadata(&metadata);
        }
        Err(corrupt) => assert!(!corrupt.to_string().is_empty()),
    }
}

fn check_metadata(metadata: &Metadata) {
    let json = metadata.to_json();
    assert!(json.ends_with(b"\n"));
    match Metadata::parse(&json) {
        Ok((again, problems)) => {
            assert_eq!(problems, [""; 0], "what was written cannot be read: {}", json.escape_ascii());
            assert_eq!(again.to_json(), json, "written, read, written");
        }
        Err(corrupt) => panic!("what was written cannot be read: {corrupt}"),
    }
    let found = seed_options(metadata.mode, &metadata.other, refuses, &Beneath::Open);
    let text = options_text(&found.options);
    let layer = Layer::parse(FileKind::Workspace, Path::new("config.toml"), &text);
    assert!(layer.is_ok(), "{layer:?}\n{text}");
    for (key, value) in &found.options {
        assert!(text_says(&text, key, value), "{key} is not said in\n{text}");
    }
}

fn check_name(text: &str) {
    match WorkspaceName::parse(text) {
        Ok(name) => {
            assert_eq!(name.as_str(), text);
            let mut parts = Path::new(text).components();
            assert!(matches!(parts.next(), Some(std::path::Component::Normal(_))) && parts.next().is_none());
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.contains(char::is_control), "{sentence:?}");
            let suggested = sentence.rsplit('`').nth(1).unwrap_or_default();
            assert!(WorkspaceName::parse(suggested).is_ok(), "{sentence}");
        }
    }
}
