//! Verbs parse, call and print: what jobs are made of is windlass-app's to know.

use std::path::Path;

use super::Complaint;
use super::sources::{Words, check_words};

/// Where verbs are.
const VERBS: &str = "crates/windlass/src/commands";

/// What verbs do not name.
const BELOW: &[&str] = &["windlass_engine", "windlass_git", "windlass_host", "windlass_jobs"];

/// Checks a Rust file, but for its tests at the end and its comments.
pub fn check(file: &Path, text: &str) -> Vec<Complaint> {
    if !file.starts_with(VERBS) {
        return Vec::new();
    }
    let problem = "a verb parses, calls and prints: ask windlass-app, and name no crate below it";
    check_words(file, text, &Words { named: BELOW, allowed: 0, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_names_nothing_below_the_application() {
        let code = "use windlass_engine::store::Project;\n";
        for (file, text, found) in [
            ("crates/windlass/src/commands/show.rs", code.to_owned(), 1),
            ("crates/windlass/src/commands/show.rs", format!("//! {code}"), 0),
            ("crates/windlass/src/scripted_agent/steps.rs", code.to_owned(), 0),
            ("crates/windlass-app/src/app.rs", code.to_owned(), 0),
        ] {
            assert_eq!(check(Path::new(file), &text).len(), found, "{file}: {text}");
        }
    }
}
