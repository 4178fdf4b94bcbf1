//! Features: parts of a project with a task file and a journal of their own (seed row 8).

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use thiserror::Error;

use crate::workspace::WorkspaceName;

/// Where the task files of features are.
const FOLDER: &str = "requirements";

/// A feature's name: 1 to 64 ASCII letters, digits, `_` and `-`, as a workspace's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct FeatureName(String);

/// What is not a name of a feature.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{shown}` cannot be a feature's name: a name has 1 to 64 ASCII letters, digits, `_` and `-`, such as `pay-by-card`"
)]
pub struct FeatureNameError {
    shown: String,
}

impl FeatureName {
    /// Reads a name, or the path of its task file: `requirements/NAME.md`.
    pub fn parse(text: &str) -> Result<FeatureName, FeatureNameError> {
        let within = text.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
        let name = within.and_then(|file| file.strip_suffix(".md")).unwrap_or(text);
        WorkspaceName::parse(name).map(|name| FeatureName(name.as_str().to_owned())).map_err(|_| {
            let shown: String = text.chars().take(64).collect();
            FeatureNameError { shown: shown.replace(char::is_control, "\u{fffd}") }
        })
    }

    /// The folder of the task files of all features, below the project's.
    pub const fn folder() -> &'static str {
        FOLDER
    }

    /// The feature whose task file this is; `None` where it is another file.
    pub fn of_requirements(file: &str) -> Option<FeatureName> {
        let name = file.strip_prefix(FOLDER)?.strip_prefix('/')?.strip_suffix(".md")?;
        FeatureName::parse(name).ok()
    }

    /// Its task file, below the project's folder.
    pub fn requirements(&self) -> PathBuf {
        PathBuf::from(FOLDER).join(format!("{self}.md"))
    }

    /// Its journal, below the project's folder.
    pub fn progress(&self) -> PathBuf {
        PathBuf::from("progress").join(format!("{self}.md"))
    }
}

impl fmt::Display for FeatureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    // rows: 8
    #[test]
    fn a_name_or_its_file_is_meant() {
        for text in ["pay_by-card2", "requirements/pay_by-card2.md"] {
            let name = FeatureName::parse(text).unwrap();
            assert_eq!(name.to_string(), "pay_by-card2");
            assert_eq!(name.requirements(), Path::new("requirements/pay_by-card2.md"));
            assert_eq!(name.progress(), Path::new("progress/pay_by-card2.md"));
            assert_eq!(FeatureName::of_requirements("requirements/pay_by-card2.md"), Some(name));
        }
        for text in [
            "",
            "a b",
            "../x",
            "requirements/../x.md",
            "requirements/x",
            "x.md",
            "-x",
            "\u{1b}[2J",
            "ä",
            "con",
        ] {
            let error = FeatureName::parse(text).unwrap_err().to_string();
            assert!(error.contains("cannot be a feature's name") && !error.contains('\u{1b}'), "{error}");
        }
    }
}
