//! The modes.

use serde::{Deserialize, Serialize};

/// How an iteration is prompted and how progress is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A free goal (seed 004).
    Goal,
    /// A workspace, one item per iteration (seed 000).
    Loop,
    /// A workspace, as much as possible per iteration (seed 000).
    Iterative,
    /// Specifications become a plan; nothing but the plan is written (seed 002).
    Plan,
    /// A plan is worked off, one open task per iteration (seed 002).
    Build,
    /// A file of tasks is worked off, by their dependencies and priorities (seed 003).
    Tasks,
    /// A workspace's finished work is judged by a fresh agent.
    Verify,
    /// A workspace's instructions are judged.
    Validate,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 8] = [
        Mode::Goal,
        Mode::Loop,
        Mode::Iterative,
        Mode::Plan,
        Mode::Build,
        Mode::Tasks,
        Mode::Verify,
        Mode::Validate,
    ];

    /// Its name, as in a journal.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Goal => "goal",
            Mode::Loop => "loop",
            Mode::Iterative => "iterative",
            Mode::Plan => "plan",
            Mode::Build => "build",
            Mode::Tasks => "tasks",
            Mode::Verify => "verify",
            Mode::Validate => "validate",
        }
    }
}
