//! What Fresher was told, as any of its files and as variables.

use std::path::Path;

use windlass_core::config::fresher::{FresherSettings, fresher_environment, fresher_state};
use windlass_core::config::{FileKind, Layer};
use windlass_core::workspace::{imported_options_text, text_says};

pub(crate) fn run(data: &[u8]) {
    // What is not UTF-8 is refused before, but for the state.
    one_line(&fresher_state(&String::from_utf8_lossy(data)).sentence());
    let Ok(text) = std::str::from_utf8(data) else { return };
    match FresherSettings::parse_toml(text) {
        Ok(settings) => check(&settings),
        Err(sentence) => one_line(&sentence),
    }
    let script = FresherSettings::parse_script(text);
    check(&script);
    for gate in &script.gates {
        assert!(text.contains(gate.as_str()), "a command that nobody wrote: {gate:?}");
    }
    variables(text);
}

/// What was taken is a configuration that says exactly that; the rest is named, each in one line.
fn check(settings: &FresherSettings) {
    let text = imported_options_text("Fresher", &settings.options);
    let layer = Layer::parse(FileKind::Project, Path::new("config.toml"), &text);
    assert!(layer.is_ok(), "{layer:?}\n{text}");
    for (key, value) in &settings.options {
        assert!(text_says(&text, key, value), "{key} is not said in\n{text}");
    }
    let folders = settings.options.iter().filter(|(key, _)| *key == "plan.folder").count();
    assert_eq!(folders, 1, "where its plans lie is always said, since ours lie elsewhere");
    settings.notes.iter().for_each(|sentence| one_line(sentence));
    assert!(settings.gates.iter().all(|gate| !gate.trim().is_empty()));
}

/// Every line a variable.
fn variables(text: &str) {
    let split = text.lines().filter_map(|line| line.split_once('='));
    let all: Vec<(String, String)> = split.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    match fresher_environment(&all) {
        Ok(read) => {
            let is_theirs = |name: &str| name.starts_with("FRESHER_");
            let theirs = all.iter().filter(|(name, _)| is_theirs(name)).count();
            assert!(read.layer.len() <= theirs && read.notices.len() <= theirs + 1, "{read:?}");
            read.notices.iter().for_each(|sentence| one_line(sentence));
        }
        Err(error) => error.problems.iter().for_each(|problem| {
            assert!(problem.starts_with("FRESHER_"), "no variable is named: {problem:?}");
            one_line(problem);
        }),
    }
}

fn one_line(sentence: &str) {
    assert!(!sentence.trim().is_empty() && !sentence.contains(char::is_control), "{sentence:?}");
    assert!(sentence.chars().count() < 400, "{sentence}");
}
