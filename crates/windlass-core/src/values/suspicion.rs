//! What speaks against taking an agent's word that its work is checked.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

/// Something that an agent changed, and that could make checks pass without the work being right.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Suspicion {
    /// What kind of thing.
    pub kind: SuspicionKind,
    /// The file, relative to the repository's top (or the working directory without one); of several the worst.
    pub path: String,
    /// What was found there, for a person: no full stop, and without the path.
    pub sentence: String,
}

impl Suspicion {
    /// A finding about a file.
    pub fn new(kind: SuspicionKind, path: impl Into<String>, sentence: impl Into<String>) -> Suspicion {
        Suspicion { kind, path: path.into(), sentence: sentence.into() }
    }
}

impl std::fmt::Display for Suspicion {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.path, self.sentence)
    }
}

/// What kind of thing is suspicious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum SuspicionKind {
    /// A protected file was changed in this attempt; it is as before again.
    Undone,
    /// A protected file is not what it was.
    Protected,
    /// A program that a check calls is another one than before.
    Tool,
    /// There are fewer tests.
    Tests,
    /// More tests are skipped, ignored, expected to fail, or left out since others are the only ones.
    Skipped,
    /// Tests assert less.
    Assertions,
    /// The configuration lets fewer tests run.
    Deselected,
    /// A box that was open is nowhere any more, neither open nor done.
    Vanished,
    /// Work lies in a repository inside the repository, and no commit of the runner's takes it along.
    Nested,
    /// The task at hand was taken out of its file by whoever worked on it.
    TaskGone,
    /// There was more than could be looked at.
    Unexamined,
}

impl SuspicionKind {
    /// Is it the agent's alone to put right, and nothing that a person would have to look over first?
    pub const fn is_the_agents(self) -> bool {
        matches!(self, SuspicionKind::Undone | SuspicionKind::Nested | SuspicionKind::TaskGone)
    }
}
