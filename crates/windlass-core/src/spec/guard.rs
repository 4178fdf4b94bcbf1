//! What a run guards, as it was resolved when it started.

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

use crate::values::{Suspicion, SuspicionKind};
use crate::words::quoted;

/// So many commands that cannot be followed are named.
const NAMED: usize = 3;

/// What a run guards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardSpec {
    /// What becomes of changes to protected files.
    pub action: GuardAction,
    /// What becomes of tests that are fewer, skipped, emptied or deselected.
    pub tests: TestsAction,
    /// Patterns beyond the built-in ones (`guard.protected`); the last one that fits decides, `!` lets through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// The files of the project that its checks name, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<GuardedFile>,
    /// The programs that its checks call, where they were found; only with folders of the project in the search path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<GuardedTool>,
    /// The scripts of a `package.json` that its checks call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<String>,
    /// What its checks start and nobody can follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfollowed: Vec<Unfollowed>,
    /// Scripts outside of the project that its checks start, and whoever runs them may write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// Findings that a person has accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Suspicion>,
}

impl GuardSpec {
    /// Is nothing guarded? So it is in runs from before there was a guard.
    pub fn is_off(&self) -> bool {
        self.action == GuardAction::Off && self.tests == TestsAction::Off
    }

    /// Is nothing known and nothing guarded?
    pub fn is_default(&self) -> bool {
        *self == GuardSpec::default()
    }

    /// What is said before the first iteration of what its checks start and nobody can follow; `None` where there is nothing.
    pub fn unfollowed_notice(&self) -> Option<String> {
        let named = self.unfollowed.iter().take(NAMED).map(|found| {
            let pattern = found.pattern.as_deref().unwrap_or("PATTERN");
            let pattern = quoted(pattern.as_ref());
            format!("`{}` (to cover it: windlass config set guard.protected --add {pattern})", found.command)
        });
        let named: Vec<String> = named.collect();
        let more = self.unfollowed.len().saturating_sub(NAMED);
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        let why = "the guard cannot follow what the checks start here, and does not protect it";
        (!named.is_empty()).then(|| format!("{why}: {}{more}", named.join(", ")))
    }

    /// What is said before the first iteration of scripts outside of the project, where no sandbox keeps agents from them; `None`
    /// where there are none.
    pub fn outside_notice(&self) -> Option<String> {
        let named: Vec<String> = self.outside.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
        let more = self.outside.len().saturating_sub(NAMED);
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        let why = "what the checks start outside of the project is not protected, and no sandbox keeps the agent from it";
        (!named.is_empty()).then(|| format!("{why}: {}{more}", named.join(", ")))
    }

    /// Does this finding keep a claim from being accepted?
    pub fn holds(&self, suspicion: &Suspicion) -> bool {
        let holds = match suspicion.kind {
            // What is left of the job is no matter of configuration.
            SuspicionKind::Undone
            | SuspicionKind::Vanished
            | SuspicionKind::Nested
            | SuspicionKind::TaskGone => true,
            SuspicionKind::Protected | SuspicionKind::Tool => {
                matches!(self.action, GuardAction::Refuse | GuardAction::Hold)
            }
            SuspicionKind::Tests
            | SuspicionKind::Skipped
            | SuspicionKind::Assertions
            | SuspicionKind::Deselected => self.tests == TestsAction::Hold,
            SuspicionKind::Unexamined => false,
        };
        holds && !self.accepted.contains(suspicion)
    }
}

/// A file that a check names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardedFile {
    /// Relative to the repository's top, or to the working directory without one.
    pub path: String,
    /// What names its content, or says that nothing was there.
    pub digest: Option<String>,
}

/// A program that a check calls by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardedTool {
    /// The name.
    pub name: String,
    /// Where it was found; `None` = nowhere.
    pub path: Option<String>,
    /// What names its content, where it lies in the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// What becomes of changes to protected files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum GuardAction {
    /// They are undone.
    Refuse,
    /// They stay, and no claim is accepted until a person has.
    Hold,
    /// They stay and are told of.
    Flag,
    /// Nobody looks.
    #[default]
    Off,
}

/// What becomes of tests that are fewer, skipped, emptied or deselected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TestsAction {
    /// No claim is accepted until they are back or a person has accepted it.
    Hold,
    /// It is told.
    Flag,
    /// Nobody looks.
    #[default]
    Off,
}

/// A command of a check that starts something which cannot be told by its words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unfollowed {
    /// The command, its words as they are read.
    pub command: String,
    /// What of the project it most likely means, as a pattern; `None` where that cannot be guessed.
    pub pattern: Option<String>,
}
