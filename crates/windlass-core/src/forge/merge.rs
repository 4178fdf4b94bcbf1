//! What stands for and against a merge.

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

/// Do a pull request and its base go together? Forges compute that in the background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Mergeability {
    /// They do.
    Mergeable,
    /// They do not: both changed the same.
    Conflicting,
    /// Not computed yet, or said in words that this version does not know: ask again.
    #[default]
    Unknown,
}

/// What else the forge says stands against a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MergeBlock {
    /// Nothing.
    Clear,
    /// Checks that are not required have not passed.
    Unstable,
    /// The base has moved, and its rules want the branch to have that.
    Behind,
    /// The base's rules are not met: a review, a check, something else.
    Blocked,
    /// Both changed the same.
    Conflicting,
    /// It is a draft.
    Draft,
    /// Not computed yet, or said in words that this version does not know: ask again.
    #[default]
    Unknown,
}

/// How a pull request becomes part of its base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MergeStrategy {
    /// One commit of all of it.
    #[default]
    Squash,
    /// A merge commit.
    Merge,
    /// Its commits, one after the other, on top of the base.
    Rebase,
}

impl MergeStrategy {
    /// Its name in configuration, and the forge's.
    pub const fn name(self) -> &'static str {
        match self {
            MergeStrategy::Squash => "squash",
            MergeStrategy::Merge => "merge",
            MergeStrategy::Rebase => "rebase",
        }
    }
}
