//! Kinds of values that are one of a few words.

use std::str::FromStr;

use serde_json::{Value as Json, json};
use strum::{EnumString, VariantNames};
use toml::Value;

use super::{NetworkChoice, Refusal, Setting};
use crate::forge::MergeStrategy;
use crate::principles::Collection;
use crate::spec::{
    BudgetScope, CommitPolicy, Depth, GuardAction, Judge, NoChecks, PullRequestPer, SandboxLogin,
    TestsAction, UndoPolicy,
};
use crate::values::ExitCodes;

/// A value that is one of a few words: the names of its variants.
pub trait Choice: FromStr + VariantNames {
    /// What is expected, for messages: `one`, `two` or `three`.
    const EXPECTED: &'static str;
}

impl<T: Choice> Setting for T {
    const EXPECTED: &'static str = <T as Choice>::EXPECTED;

    fn read(value: &Value) -> Result<Self, Refusal> {
        value.as_str().and_then(|text| text.parse().ok()).ok_or(Refusal::Kind)
    }

    fn schema() -> Json {
        json!({ "enum": T::VARIANTS })
    }
}

/// How much is shown of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum OutputLevel {
    /// Errors only.
    Quiet,
    /// One living line.
    Progress,
    /// Every tool call and its result.
    Verbose,
}

/// How a pull request is opened, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum OpenPullRequest {
    /// Not at all.
    Never,
    /// Not meant to be merged yet.
    Draft,
    /// For review.
    Ready,
}

macro_rules! choices {
    ($($choice:ty: $expected:literal;)*) => {
        $(impl Choice for $choice {
            const EXPECTED: &'static str = $expected;
        })*
    };
}

choices! {
    OutputLevel: "`quiet`, `progress` or `verbose`";
    ExitCodes: "`simple` or `detailed`";
    CommitPolicy: "`none`, `agent` or `runner`";
    UndoPolicy: "`ask` or `auto`";
    BudgetScope: "`run` or `job`";
    Depth: "`quick`, `standard` or `deep`";
    Judge: "`agent` or `off`";
    Collection: "`never` or `agent`";
    GuardAction: "`refuse`, `hold`, `flag` or `off`";
    TestsAction: "`hold`, `flag` or `off`";
    NetworkChoice: "`on`, `off` or `hosts`";
    SandboxLogin: "`environment` or `mount`";
    OpenPullRequest: "`never`, `draft` or `ready`";
    PullRequestPer: "`run`, `iteration` or `task`";
    MergeStrategy: "`squash`, `merge` or `rebase`";
    NoChecks: "`wait`, `merge` or `leave`";
}
