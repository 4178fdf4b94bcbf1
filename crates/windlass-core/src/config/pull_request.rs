//! What configuration says about branches and pull requests.

use std::time::Duration;

use super::error::ConfigError;
use super::keys::{self, Key};
use super::setting::{Count, FineSpan, OpenPullRequest, PositiveSpan, Text, TextOrNothing};
use super::values::Values;
use crate::forge::MergeStrategy;
use crate::spec::{NoChecks, PullRequestPer, Readiness};

/// What configuration says about branches and pull requests; the rest of a `DeliverySpec` is found on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequestSettings {
    /// How one is opened; `None` = none is.
    pub open: Option<Readiness>,
    /// What has one of its own.
    pub per: PullRequestPer,
    /// It is merged once it may be.
    pub merge: bool,
    /// How.
    pub merge_strategy: MergeStrategy,
    /// What the name of the run's own branch begins with; `None` = the run stays on the branch that is checked out.
    pub branch_prefix: Option<String>,
    /// The remote that is pushed to.
    pub remote: String,
    /// The branch that it is to be merged into; `None` = the forge's default.
    pub base: Option<String>,
    /// Who owns the repository, where the remote does not say it.
    pub owner: Option<String>,
    /// Its name there, likewise.
    pub repository: Option<String>,
    /// What happens where no check appears.
    pub no_checks: NoChecks,
    /// So often red checks go back to the agent.
    pub ci_retries: u32,
    /// So often conversations do.
    pub review_rounds: u32,
    /// How long checks may take to appear.
    pub checks_appear: Duration,
    /// How long they may take to end.
    pub checks_wait: Duration,
    /// How long a review is waited for.
    pub review_wait: Duration,
    /// The first pause between two looks.
    pub poll: Duration,
}

impl Values {
    /// What is said of branches and pull requests.
    pub(super) fn pull_request(&self) -> Result<PullRequestSettings, ConfigError> {
        let text = |key: &Key<TextOrNothing>| self.get(key).map(|TextOrNothing(text)| text);
        let count = |key: &Key<Count<0, 20>>| self.get(key).map(|Count(number)| number);
        let span = |key: &Key<PositiveSpan>| self.get(key).map(|PositiveSpan(span)| span);
        Ok(PullRequestSettings {
            open: match self.get(&keys::PULL_REQUEST_OPEN)? {
                OpenPullRequest::Never => None,
                OpenPullRequest::Draft => Some(Readiness::Draft),
                OpenPullRequest::Ready => Some(Readiness::Ready),
            },
            per: self.get(&keys::PULL_REQUEST_PER)?,
            merge: self.get(&keys::PULL_REQUEST_MERGE)?,
            merge_strategy: self.get(&keys::PULL_REQUEST_MERGE_STRATEGY)?,
            branch_prefix: text(&keys::PULL_REQUEST_BRANCH_PREFIX)?,
            remote: self.get(&keys::PULL_REQUEST_REMOTE).map(|Text(text)| text)?,
            base: text(&keys::PULL_REQUEST_BASE)?,
            owner: text(&keys::PULL_REQUEST_OWNER)?,
            repository: text(&keys::PULL_REQUEST_REPOSITORY)?,
            no_checks: self.get(&keys::PULL_REQUEST_NO_CHECKS)?,
            ci_retries: count(&keys::PULL_REQUEST_CI_RETRIES)?,
            review_rounds: count(&keys::PULL_REQUEST_REVIEW_ROUNDS)?,
            checks_appear: span(&keys::PULL_REQUEST_CHECKS_APPEAR)?,
            checks_wait: span(&keys::PULL_REQUEST_CHECKS_WAIT)?,
            review_wait: span(&keys::PULL_REQUEST_REVIEW_WAIT)?,
            poll: self.get(&keys::PULL_REQUEST_POLL).map(|FineSpan(span)| span)?,
        })
    }
}
