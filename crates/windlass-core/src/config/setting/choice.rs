//! Kinds of values that are one of a few words.

use serde_json::{Value as Json, json};
use toml::Value;

use super::{Refusal, Setting};
use crate::spec::{BudgetScope, CommitPolicy, Depth, UndoPolicy};
use crate::values::ExitCodes;

/// A value that is one of a few words.
pub trait Choice: Copy + 'static {
    /// What is expected, for messages: `one`, `two` or `three`.
    const EXPECTED: &'static str;
    /// The words and what they mean, each once.
    const WORDS: &'static [(&'static str, Self)];
}

impl<T: Choice> Setting for T {
    const EXPECTED: &'static str = <T as Choice>::EXPECTED;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = value.as_str().ok_or(Refusal::Kind)?;
        let meant = T::WORDS.iter().find(|(word, _)| *word == text);
        meant.map(|(_, choice)| *choice).ok_or(Refusal::Kind)
    }

    fn schema() -> Json {
        let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
        json!({ "enum": words })
    }
}

/// How much is shown of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    const WORDS: &'static [(&'static str, Self)] = &[
        ("quiet", OutputLevel::Quiet),
        ("progress", OutputLevel::Progress),
        ("verbose", OutputLevel::Verbose),
    ];
}

impl Choice for ExitCodes {
    const EXPECTED: &'static str = "`simple` or `detailed`";
    const WORDS: &'static [(&'static str, Self)] =
        &[("simple", ExitCodes::Simple), ("detailed", ExitCodes::Detailed)];
}

impl Choice for CommitPolicy {
    const EXPECTED: &'static str = "`none`, `agent` or `runner`";
    const WORDS: &'static [(&'static str, Self)] =
        &[("none", CommitPolicy::None), ("agent", CommitPolicy::Agent), ("runner", CommitPolicy::Runner)];
}

impl Choice for UndoPolicy {
    const EXPECTED: &'static str = "`ask` or `auto`";
    const WORDS: &'static [(&'static str, Self)] = &[("ask", UndoPolicy::Ask), ("auto", UndoPolicy::Auto)];
}

impl Choice for BudgetScope {
    const EXPECTED: &'static str = "`run` or `job`";
    const WORDS: &'static [(&'static str, Self)] = &[("run", BudgetScope::Run), ("job", BudgetScope::Job)];
}

impl Choice for Depth {
    const EXPECTED: &'static str = "`quick`, `standard` or `deep`";
    const WORDS: &'static [(&'static str, Self)] =
        &[("quick", Depth::Quick), ("standard", Depth::Standard), ("deep", Depth::Deep)];
}
