//! What a fresh agent made of work or instructions that it was asked to judge.

use serde::{Deserialize, Serialize};
use strum::VariantNames;

/// The answer of a call whose purpose is to verify, as a structure: prose is never searched for a verdict (seed defect
/// D1, core/verification-service.ts).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// Does it hold?
    pub verdict: Assessed,
    /// How sure it is.
    pub confidence: Confidence,
    /// One paragraph, at most 1,000 characters.
    pub summary: String,
    /// What stands against it, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What holds, and how that was seen; at most 40.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub met: Vec<MetRequirement>,
    /// What should be done next, at most 500 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recommendation: String,
}

/// Does it hold?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Assessed {
    /// Yes.
    Pass,
    /// Not for sure: a person should look.
    NeedsReview,
    /// No.
    Fail,
}

/// How sure it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Confidence {
    /// Hardly.
    #[default]
    Low,
    /// Fairly.
    Medium,
    /// Very.
    High,
}

/// One thing that stands against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What, in one line of at most 200 characters.
    pub title: String,
    /// Where it was seen, what is missing: at most 500 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// It must be mended; the others are advice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// One requirement, or criterion, that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetRequirement {
    /// Which, in one line of at most 200 characters.
    pub title: String,
    /// What was run or looked at: at most 500 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

impl Assessment {
    /// Does it hold, without reservation?
    pub fn passes(&self) -> bool {
        self.verdict == Assessed::Pass
    }
}
