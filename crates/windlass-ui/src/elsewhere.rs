//! Commands that are printed can be typed: where windlass was called with `-C DIR`, so must they be.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use windlass_core::words::quoted;

use crate::line::width;

/// `-C DIR`, as a shell takes it. It is said once, before anything is printed.
static ELSEWHERE: OnceLock<String> = OnceLock::new();

/// Where they are typed: a run may work in another directory, such as a worktree.
static TYPED_IN: OnceLock<PathBuf> = OnceLock::new();

/// What stands before a command in a sentence.
const BEFORE: [&str; 7] = [": ", ", ", "`", "or ", "then ", "with ", "and "];

/// Says that this process works in another directory than the one it was called in; `directory` is as a shell takes it.
pub fn typed_elsewhere(directory: &str) {
    let _ = ELSEWHERE.set(format!("-C {directory}"));
}

/// Says in which directory printed commands are typed, canonical; with `-C DIR`, in that. It is said once, before anything is printed.
pub fn typed_in(directory: PathBuf) {
    let _ = TYPED_IN.set(directory);
}

/// A command of a run that is refused in any directory but the run's, as it is to be typed where somebody is.
pub(crate) fn where_it_works(command: String, directory: &Path) -> String {
    let typed_in = TYPED_IN.get().map(PathBuf::as_path);
    typed_beside(command, directory, typed_in)
}

fn typed_beside(text: String, directory: &Path, typed_in: Option<&Path>) -> String {
    if typed_in.is_none_or(|typed_in| typed_in == directory) {
        return text;
    }
    let place = format!("-C {}", quoted(directory.as_os_str()));
    command(&text, Some(&place)).into_owned()
}

/// What a printed `windlass` is to be followed by.
pub(crate) fn elsewhere() -> Option<String> {
    ELSEWHERE.get().cloned()
}

/// By how much that makes commands wider.
pub(crate) fn added_width() -> usize {
    ELSEWHERE.get().map_or(0, |elsewhere| width(elsewhere) + 1)
}

/// A command as it is to be typed.
pub(crate) fn command<'a>(text: &'a str, elsewhere: Option<&str>) -> Cow<'a, str> {
    // Both programs know `-C DIR`.
    match (elsewhere, text.split_once(' ')) {
        (Some(elsewhere), Some((program @ ("windlass" | "git"), rest))) if !rest.starts_with("-C ") => {
            Cow::Owned(format!("{program} {elsewhere} {rest}"))
        }
        _ => Cow::Borrowed(text),
    }
}

/// A sentence in which commands stand as they are to be typed.
pub(crate) fn sentence<'a>(text: &'a str, elsewhere: Option<&str>) -> Cow<'a, str> {
    if elsewhere.is_none() || !text.contains("windlass ") {
        return Cow::Borrowed(text);
    }
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find("windlass ") {
        let (before, from) = rest.split_at(found);
        told.push_str(before);
        let begins = told.is_empty() || BEFORE.iter().any(|word| told.ends_with(word));
        let (name, after) = from.split_at("windlass ".len());
        told.push_str(name);
        if let (true, Some(elsewhere)) = (begins && !after.starts_with("-C "), elsewhere) {
            told.push_str(elsewhere);
            told.push(' ');
        }
        rest = after;
    }
    told.push_str(rest);
    Cow::Owned(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_typed_as_windlass_was_called() {
        let told = |text| sentence(text, Some("-C 'a b'")).into_owned();
        for (text, expected) in [
            ("windlass runs", "windlass -C 'a b' runs"),
            ("All runs: windlass runs", "All runs: windlass -C 'a b' runs"),
            (
                "Make one: windlass init N, then windlass run N",
                "Make one: windlass -C 'a b' init N, then windlass -C 'a b' run N",
            ),
            ("it is broken; `windlass init x` fixes it", "it is broken; `windlass -C 'a b' init x` fixes it"),
            ("windlass -C '/x' resume r", "windlass -C '/x' resume r"),
            ("this was started by windlass itself", "this was started by windlass itself"),
            ("windlass", "windlass"),
        ] {
            assert_eq!(told(text), expected);
            assert_eq!(sentence(text, None), text);
        }
        assert_eq!(command("windlass stop r", Some("-C x")), "windlass -C x stop r");
        assert_eq!(command("windlass stop r", None), "windlass stop r");
        assert_eq!(command("make test", Some("-C x")), "make test");
    }

    #[test]
    fn what_only_the_directory_of_a_run_takes_says_that_directory_elsewhere() {
        let told = |typed_in: Option<&str>| {
            typed_beside("windlass restore r 1".to_owned(), Path::new("/a b"), typed_in.map(Path::new))
        };
        assert_eq!(told(Some("/c")), "windlass -C '/a b' restore r 1");
        assert_eq!((told(Some("/a b")), told(None)), ("windlass restore r 1".into(), told(Some("/a b"))));
    }
}
