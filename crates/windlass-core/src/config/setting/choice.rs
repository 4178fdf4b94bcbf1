//! Kinds of values that are one of a few words.

use std::str::FromStr;

use serde_json::{Value as Json, json};
use strum::{EnumString, VariantNames};
use toml::Value;

use super::{Refusal, Setting};
use crate::principles::Collection;
use crate::spec::{BudgetScope, CommitPolicy, Depth, Judge, UndoPolicy};
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

impl Choice for OutputLevel {
    const EXPECTED: &'static str = "`quiet`, `progress` or `verbose`";
}

impl Choice for ExitCodes {
    const EXPECTED: &'static str = "`simple` or `detailed`";
}

impl Choice for CommitPolicy {
    const EXPECTED: &'static str = "`none`, `agent` or `runner`";
}

impl Choice for UndoPolicy {
    const EXPECTED: &'static str = "`ask` or `auto`";
}

impl Choice for BudgetScope {
    const EXPECTED: &'static str = "`run` or `job`";
}

impl Choice for Depth {
    const EXPECTED: &'static str = "`quick`, `standard` or `deep`";
}

impl Choice for Judge {
    const EXPECTED: &'static str = "`agent` or `off`";
}

impl Choice for Collection {
    const EXPECTED: &'static str = "`never` or `agent`";
}
