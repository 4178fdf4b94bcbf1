//! Configuration: a file, or variables.

use std::fmt::Write as _;
use std::path::Path;

use windlass_core::config::{ConfigError, FileKind, KEYS, KeyInfo, Layer, Resolved, Secrecy, Unlimited};
use windlass_core::spec::Mode;

const PLACE: &str = "config.toml";

pub(crate) fn run_file(data: &[u8]) {
    // Whoever reads the file refuses what is not UTF-8.
    let Ok(text) = std::str::from_utf8(data) else { return };
    let layer = Layer::parse(FileKind::User, Path::new(PLACE), text);
    let project = Layer::parse(FileKind::Project, Path::new(PLACE), text);
    assert_eq!(layer.is_ok(), project.is_ok(), "it matters whose file it is");
    match layer {
        Ok(layer) => check_layer(&layer),
        Err(error) => {
            assert_eq!(project, Err(error.clone()));
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
            for problem in check_problems(&error) {
                let rest = problem.strip_prefix(PLACE).unwrap_or_default();
                if let Some((line, sentence)) = rest.strip_prefix(':').and_then(|rest| rest.split_once(": "))
                {
                    let line = line.parse().unwrap_or(0);
                    assert!((1..=lines).contains(&line), "{problem}");
                    assert!(!sentence.trim().is_empty(), "nothing is said: {problem:?}");
                } else {
                    assert!(rest.starts_with(": "), "no place: {problem:?}");
                }
            }
        }
    }
}

/// Variables stand between empty lines, as `NAME=value`; so a value may have several lines.
pub(crate) fn run_environment(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let variables: Vec<(String, String)> = text
        .split("\n\n")
        .filter_map(|part| part.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let ours = |name: &str| name.strip_prefix("WINDLASS_").is_some_and(|rest| rest.contains("__"));
    match Layer::from_environment(variables.clone()) {
        Ok(layer) => check_layer(&layer),
        Err(error) => {
            for problem in check_problems(&error) {
                let (name, sentence) = problem.split_once(": ").unwrap_or_default();
                assert!(name.starts_with("WINDLASS_") && !sentence.trim().is_empty(), "{problem:?}");
            }
        }
    }
    let others = variables.into_iter().filter(|(name, _)| !ours(name));
    assert_eq!(Layer::from_environment(others), Ok(Layer::default()), "it looks at what is not its own");
}

fn check_problems(error: &ConfigError) -> &[String] {
    assert!(!error.problems.is_empty());
    for problem in &error.problems {
        assert!(!problem.contains(['\n', '\r']), "more than a line: {problem:?}");
    }
    &error.problems
}

fn check_layer(layer: &Layer) {
    let merged = Resolved::merge(std::slice::from_ref(layer), Mode::Goal, Unlimited::Allowed);
    let Ok(resolved) = merged else { panic!("what was read alone cannot be merged: {merged:?}") };
    let twice = Resolved::merge(&[layer.clone(), layer.clone()], Mode::Goal, Unlimited::Allowed);
    assert_eq!(twice.as_ref(), Ok(&resolved), "said twice is something else");
    if let Ok(limited) = Resolved::merge(std::slice::from_ref(layer), Mode::Goal, Unlimited::Refused) {
        let limits = &limited.limits;
        let bounded = limits.iterations.is_some() || limits.cost.is_some() || limits.tokens.is_some();
        assert!(bounded || limits.duration.is_some(), "nothing would end the run");
    }
    check_printed(&resolved);
}

/// What is shown as a value can be written into a file and means the same there.
fn check_printed(resolved: &Resolved) {
    assert_eq!(resolved.origins().len(), KEYS.len());
    let mut text = String::new();
    for value in resolved.origins() {
        let Some((table, key)) = value.name.split_once('.') else { panic!("{} has no table", value.name) };
        if let (Some(printed), false) = (&value.value, value.origin.is_default() || is_secret(value.name)) {
            let _ = writeln!(text, "{table}.{key} = {printed}");
        }
    }
    let again = Layer::parse(FileKind::User, Path::new(PLACE), &text)
        .and_then(|layer| Resolved::merge(&[layer], Mode::Goal, Unlimited::Allowed));
    let Ok(again) = again else { panic!("what was printed cannot be read: {again:?}\n{text}") };
    let values = |resolved: &Resolved| {
        let open = resolved.origins().iter().filter(|value| !is_secret(value.name));
        let values = open.map(|value| (value.name, value.value.clone()));
        values.collect::<Vec<_>>()
    };
    assert_eq!(values(&again), values(resolved), "printed and read:\n{text}");
    assert_eq!(again.limits, resolved.limits);
}

/// Its value is never shown.
fn is_secret(name: &str) -> bool {
    let secret = |key: &&KeyInfo| key.name == name && key.secrecy == Secrecy::Secret;
    KEYS.iter().find(secret).is_some()
}
