//! What `DevLoop` was told and what it noted.

use std::path::Path;

use windlass_core::config::devloop::{
    DevloopSession, DevloopSettings, devloop_commits, devloop_object, is_devloop_guidance,
    is_devloop_settings,
};
use windlass_core::config::{FileKind, Layer};
use windlass_core::workspace::{imported_options_text, text_says};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let lines = text.lines().count() as u64;
    assert!(devloop_commits(text.lines()).total() <= lines, "a subject is one commit at most");
    assert!(!is_devloop_guidance(&text) || text.contains("Platform"));
    assert!(!is_devloop_settings(data) || text.contains('{'));
    let fields = match devloop_object(data) {
        Ok(fields) => fields,
        Err(why) => return line(&why),
    };
    check(&DevloopSettings::of_project(&fields), FileKind::Project);
    check(&DevloopSettings::of_user(&fields), FileKind::User);
    let session = DevloopSession::read(&fields);
    line(&session.sentence());
    session.interrupted().iter().for_each(|sentence| line(sentence));
}

/// What was taken is a configuration that says exactly that; the rest is named.
fn check(found: &DevloopSettings, kind: FileKind) {
    let text = imported_options_text("DevLoop", &found.options);
    let layer = Layer::parse(kind, Path::new("config.toml"), &text);
    assert!(layer.is_ok(), "{layer:?}\n{text}");
    for (key, value) in &found.options {
        assert!(text_says(&text, key, value), "{key} is not said in\n{text}");
    }
    found.notes.iter().for_each(|note| line(note));
}

fn line(sentence: &str) {
    assert!(!sentence.trim().is_empty() && !sentence.contains(char::is_control), "{sentence:?}");
}
