//! How the work of a run leaves this machine: a branch that is pushed, a pull request, a merge.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

use crate::forge::{MergeStrategy, RepositoryName};
use crate::values::millis;

/// What is done with the branch of a run once its job is shown to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliverySpec {
    /// The remote of git's that the branch is pushed to.
    pub remote: String,
    /// Digest of that remote's address when the run started: pushed is nowhere else. The address may hold a password.
    pub remote_digest: String,
    /// The repository there.
    pub repository: RepositoryName,
    /// The branch, which is the run's own.
    pub branch: String,
    /// What it is to be merged into.
    pub base: String,
    /// What has a branch and a pull request of its own. Of parts `branch` is what their branches' names begin with.
    #[serde(default, skip_serializing_if = "PullRequestPer::is_run")]
    pub per: PullRequestPer,
    /// Opened as a draft, or ready for review.
    pub readiness: Readiness,
    /// How it is merged; `None` = a person merges it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<MergeStrategy>,
    /// What happens where no check ever appears.
    pub no_checks: NoChecks,
    /// So often red checks may go back to the agent.
    pub ci_retries: u32,
    /// So often review comments may go back to the agent.
    pub review_rounds: u32,
    /// How long checks may take to appear after a push.
    #[serde(with = "millis")]
    pub checks_appear: Duration,
    /// How long they may take to end.
    #[serde(with = "millis")]
    pub checks_wait: Duration,
    /// How long a review, or whatever else the base's rules ask for, is waited for.
    #[serde(with = "millis")]
    pub review_wait: Duration,
    /// The first pause between two looks; later ones are longer.
    #[serde(with = "millis")]
    pub poll: Duration,
}

/// What has a branch and a pull request of its own: the whole run, or each of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PullRequestPer {
    /// The run.
    #[default]
    Run,
    /// An iteration whose work its gates passed on; the next one begins with what was merged.
    Iteration,
    /// A task that is done; the next one begins with the base as it is then.
    Task,
}

impl PullRequestPer {
    /// Is it one for all?
    pub fn is_run(&self) -> bool {
        *self == PullRequestPer::Run
    }
}

/// How a pull request is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readiness {
    /// Not meant to be merged yet.
    #[default]
    Draft,
    /// For review.
    Ready,
}

/// What happens with a pull request that no check appears for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NoChecks {
    /// They are waited for as long as for their end.
    Wait,
    /// It is merged without.
    Merge,
    /// It is left to a person.
    #[default]
    Leave,
}
