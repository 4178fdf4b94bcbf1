//! When a run has to end, and how long it waits for what.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

use crate::values::{Cost, millis};

/// When a run has to end; `None` = no such limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Iterations; failed ones count.
    pub iterations: Option<u32>,
    /// Money.
    #[serde(rename = "cost_usd")]
    pub cost: Option<Cost>,
    /// Tokens of all kinds.
    pub tokens: Option<u64>,
    /// Time, without waits for usage limits and without the time between a crash and its resume.
    pub duration: Option<Duration>,
    /// Failed iterations in a row.
    pub failures: u32,
    /// Iterations in a row without progress; `None` = never.
    pub stagnation: Option<u32>,
    /// One wait for a usage limit.
    pub wait: Duration,
    /// Retries of one outage.
    pub outage_retries: u32,
    /// Time that one outage may take.
    pub outage_time: Duration,
    /// Usage beyond the plan is allowed.
    pub overage: bool,
    /// What other runs of the same job cost; counts against `cost` (`--budget-scope job`). Nothing otherwise.
    #[serde(rename = "spent_before_usd", default, skip_serializing_if = "Cost::is_zero")]
    pub spent_before: Cost,
    /// How long sessions worked after the last that the journal says of them, since their runners were killed; counts against `duration`.
    #[serde(
        rename = "worked_unseen_ms",
        default,
        skip_serializing_if = "Duration::is_zero",
        with = "millis"
    )]
    pub worked_unseen: Duration,
    /// What `cost` is for. Journals of old do not say it.
    #[serde(default, skip_serializing_if = "BudgetScope::is_run")]
    pub budget_scope: BudgetScope,
}

/// What a budget is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BudgetScope {
    /// One run.
    #[default]
    Run,
    /// All runs of the same job in this project.
    Job,
}

impl BudgetScope {
    /// Is it for one run alone?
    pub const fn is_run(&self) -> bool {
        matches!(self, BudgetScope::Run)
    }
}

impl Limits {
    /// The money that this run may spend; `None` = no limit.
    pub fn budget(&self) -> Option<Cost> {
        self.cost.map(|cost| cost.minus(self.spent_before))
    }
}

/// How long to wait for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// Between two iterations.
    pub delay: Duration,
    /// The first pause of an outage; each further one is twice as long, up to ten minutes.
    pub backoff: Duration,
    /// Without a byte from the agent.
    pub silence: Duration,
    /// A whole call.
    pub call: Duration,
    /// From SIGTERM to SIGKILL.
    pub grace: Duration,
    /// After the last result, until the process must have ended.
    pub linger: Duration,
    /// The same while background tasks run.
    pub linger_background: Duration,
}
