//! The pages for whoever changes Windlass: the files and items that they name are there.

use std::collections::BTreeSet;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser};

use super::Complaint;

/// These pages name the project's own code.
pub const PAGES: &[&str] =
    &["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/effects.md", "docs/glossary.md", "docs/nights.md"];

const KEYWORDS: &[&str] = &["struct", "enum", "trait", "fn", "type", "mod", "const", "static"];

/// What of the project can be named.
#[derive(Debug, Default)]
pub struct Project {
    /// Ends of the paths of all files and folders: a page may leave out the folders in front.
    paths: BTreeSet<String>,
    /// Modules, types, functions and variants.
    items: BTreeSet<String>,
}

impl Project {
    /// A file that is there, by its path below the root.
    pub fn add_file(&mut self, file: &Path) {
        let parts: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
        for end in 1..=parts.len() {
            self.paths.extend((0..end).map(|start| parts[start..end].join("/")));
        }
    }

    /// What a Rust file defines.
    pub fn add_items(&mut self, text: &str) {
        for line in text.lines() {
            let words: Vec<&str> = line.split(|letter| !is_of_word(letter)).collect();
            for pair in words.windows(2) {
                if KEYWORDS.contains(&pair[0]) {
                    self.items.insert(pair[1].to_owned());
                }
            }
            self.items.extend(variant(line).map(str::to_owned));
        }
    }

    /// What a page names that is not there.
    pub fn check(&self, file: &Path, text: &str) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            let Event::Code(named) = event else { continue };
            let problem = if is_path(&named) && !self.paths.contains(named.trim_end_matches('/')) {
                format!("`{named}` is no file or folder of the project")
            } else if item(&named).is_some_and(|item| !self.items.contains(item)) {
                format!("`{named}` is not defined anywhere")
            } else {
                continue;
            };
            let line = text[..range.start].matches('\n').count() + 1;
            complaints.push(Complaint::at(file, line, problem));
        }
        complaints
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The name of the variant that a line begins with.
fn variant(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (name, rest) = line.split_at(line.find(|letter| !is_of_word(letter)).unwrap_or(line.len()));
    let begins = name.starts_with(|letter: char| letter.is_ascii_uppercase());
    (begins && (rest.is_empty() || rest.trim_start().starts_with([',', '{', '(', '=']))).then_some(name)
}

/// A path of the project: not hidden, as those of a user's project are, and not a document of a user's.
fn is_path(named: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.chars().all(|one| is_of_word(one) || ".-".contains(one));
    let is_path = named.strip_suffix('/').unwrap_or(named).split('/').all(part);
    is_path
        && !named.starts_with('.')
        && (named.contains('/') || Path::new(named).extension().is_some_and(|ending| ending == "rs"))
}

/// The last name of `room::Item`.
fn item(named: &str) -> Option<&str> {
    let (room, item) = named.rsplit_once("::")?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_of_word);
    (room.split("::").all(is_name) && is_name(item)).then_some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_names_is_there() {
        let mut project = Project::default();
        project.add_file(Path::new("crates/windlass-core/src/run/ending.rs"));
        project.add_items("pub enum Fact {\n    BackoffStarted {\n    BackoffEnded,\n}\nimpl Fact { pub const fn name() {} }");
        for (text, named) in [
            ("`run/ending.rs`, `ending.rs`, `windlass-core/src/run/`, `src/`", None),
            ("`Fact::BackoffStarted`, `fact::Fact`, `Fact::BackoffEnded`, `Fact::name`", None),
            ("`.windlass/config.toml`, `progress.md`, `a | b`, `git ls-files`, `-j`, run/gone.rs", None),
            ("```\nrun/gone.rs\n```\n", None),
            ("a\n`run/gone.rs`", Some("`run/gone.rs`")),
            ("a\n`nding.rs`", Some("`nding.rs`")),
            ("a\n`run/apply/`", Some("`run/apply/`")),
            ("a\n`Fact::Held`", Some("`Fact::Held`")),
        ] {
            let complaints = project.check(Path::new("a.md"), text);
            let said: Vec<_> = complaints.iter().map(|one| (one.line, one.problem.as_str())).collect();
            assert_eq!(said.len(), usize::from(named.is_some()), "{text}: {said:?}");
            assert!(
                said.iter().all(|(line, problem)| *line == Some(2) && problem.starts_with(named.unwrap())),
                "{said:?}"
            );
        }
    }
}
