//! What is known of a project beyond the names of its files.

use std::collections::BTreeSet;

use serde_json::Value;

use super::ProjectType;

/// All that is looked at to know a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clues {
    /// The names of the files and folders at its root.
    pub files: Vec<String>,
    /// The scripts of its `package.json`; `None` = nobody could read them.
    pub scripts: Option<BTreeSet<String>>,
    /// The targets of its `Makefile`; `None` = nobody could read them.
    pub targets: Option<BTreeSet<String>>,
}

impl Clues {
    /// Could this command work? It cannot where its last word would be a script or a target that does not exist.
    pub(super) fn may_have(&self, of: ProjectType, command: &str) -> bool {
        let known = match of {
            // It runs test files itself.
            ProjectType::Bun if command == "bun test" => return true,
            ProjectType::Node | ProjectType::Bun => &self.scripts,
            ProjectType::Make => &self.targets,
            _ => return true,
        };
        let name = command.rsplit(' ').next().unwrap_or(command);
        known.as_ref().is_none_or(|names| names.contains(name))
    }
}

/// The scripts that a `package.json` has; `None` for what is not a JSON object. What npm writes into a new one to say that
/// there are no tests is not a script.
pub fn package_scripts(text: &str) -> Option<BTreeSet<String>> {
    let text = text.trim_start_matches('\u{feff}');
    let Value::Object(package) = serde_json::from_str(text).ok()? else { return None };
    let Some(Value::Object(scripts)) = package.get("scripts") else { return Some(BTreeSet::new()) };
    let is_real = |value: &Value| value.as_str().is_some_and(|text| !text.contains("no test specified"));
    Some(scripts.iter().filter(|(_, value)| is_real(value)).map(|(name, _)| name.clone()).collect())
}

/// The targets that a makefile names; `None` where it takes in other files or has pattern rules, so that nobody can
/// tell.
pub fn make_targets(text: &str) -> Option<BTreeSet<String>> {
    let mut targets = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with(['\t', '#', ' '])) {
        let first = line.split_whitespace().next().unwrap_or_default();
        if matches!(first, "include" | "-include" | "sinclude") {
            return None;
        }
        let Some((names, after)) = line.split_once(':') else { continue };
        if after.starts_with('=') || names.contains('=') {
            continue;
        }
        if names.contains(['%', '$']) {
            return None;
        }
        targets.extend(names.split_whitespace().map(str::to_owned));
    }
    Some(targets)
}
