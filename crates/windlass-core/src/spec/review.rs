//! How the work of each iteration is looked over by a fresh agent.

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

use crate::values::TaskId;

/// How the work of each iteration is looked over by a fresh agent before it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewSpec {
    /// What is looked over.
    #[serde(default, skip_serializing_if = "ReviewScope::is_each_iteration")]
    pub scope: ReviewScope,
    /// What a person wants looked for, beyond the usual; empty = nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The reviewer's model; `None` = that of the agent who works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Nobody is asked about fewer changed lines than this; 0 = always.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skip_below_lines: u32,
    /// Success criteria of tasks that only a judgement shows to hold: of a task that is called done they are put to the reviewer, and
    /// then it is asked about however few lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<JudgedCriterion>,
}

/// What a reviewer looks over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReviewScope {
    /// The work of each iteration.
    #[default]
    EachIteration,
    /// A task that is called done and has criteria to be judged.
    Criteria,
}

impl ReviewScope {
    /// The usual one.
    pub const fn is_each_iteration(&self) -> bool {
        matches!(self, ReviewScope::EachIteration)
    }
}

/// A success criterion that is neither looked up nor run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedCriterion {
    /// Whose it is.
    pub task: TaskId,
    /// Its words: one line, at most 500 characters.
    pub text: String,
}

/// Who judges the success criteria that the runner cannot check itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Judge {
    /// A fresh agent, before the task counts as done.
    Agent,
    /// Nobody: they are named, and count as not checked.
    Off,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(super) const fn is_zero(number: &u32) -> bool {
    *number == 0
}
