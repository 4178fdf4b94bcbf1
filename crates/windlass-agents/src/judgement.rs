//! How a call went: what is known at its end, and what an agent makes of it.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::escapes::without_escapes;
use windlass_core::values::{CallClocks, Class, Cut, Ended, UsageLimit};

use crate::{About, ResultDigest};

/// A detail's length in characters.
pub(crate) const DETAIL: usize = 600;

/// A request that the agent itself tries again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// The agent's word for it.
    pub error: String,
}

/// All that is known at a call's end.
#[derive(Clone, Debug)]
pub struct Signs<'a> {
    /// When that is.
    pub now: Timestamp,
    /// The time zone of the agent's process.
    pub zone: &'a TimeZone,
    /// The call's bounds.
    pub clocks: &'a CallClocks,
    /// How its process ended.
    pub ended: Ended,
    /// Why the runner ended it, if it did.
    pub cut: Option<Cut>,
    /// It was at work: there was no result yet, or work went on after the last one.
    pub working: bool,
    /// The last result.
    pub result: Option<&'a ResultDigest>,
    /// How the agent marked its last message, if as an error: `authentication_failed`, …
    pub api_error: &'a str,
    /// The last word about usage limits, if it was a refusal.
    pub rejected: Option<&'a UsageLimit>,
    /// The last thing it did was to try a request again.
    pub retrying: Option<&'a Retry>,
    /// The end of its standard error.
    pub stderr: &'a str,
}

/// What follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What kind of end it is.
    pub class: Class,
    /// Empty for a success.
    pub detail: String,
    /// For [`Class::UsageLimit`].
    pub limit: Option<UsageLimit>,
}

impl Judgement {
    /// A class with one line about it, whatever the agent's words in that hold.
    pub fn new(class: Class, detail: impl AsRef<str>) -> Judgement {
        let detail = without_escapes(detail.as_ref())
            .chars()
            .filter(|character| !character.is_control())
            .take(DETAIL)
            .collect();
        Judgement { class, detail, limit: None }
    }
}

/// What is said of a call whose worker in a fleet was lost, or gave its lane up.
pub fn lost_with_worker(about: &About) -> String {
    format!(
        "Its worker was lost or gave the task up while {} worked, so nobody saw how the call ended.",
        about.product
    )
}

/// What is said of a call whose end nobody saw.
pub fn unseen(about: &About) -> String {
    format!("The runner ended while {} worked, so nobody saw how the call ended.", about.product)
}
