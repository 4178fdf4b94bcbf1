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
    #[serde(flatten)]
    pub budget_scope: BudgetScope,
}

/// What a budget is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString)]
#[serde(from = "ScopeFields", into = "ScopeFields")]
#[strum(serialize_all = "snake_case")]
pub enum BudgetScope {
    /// One run.
    #[default]
    Run,
    /// All runs of the same job in this project.
    Job,
    /// All runs of a pipeline, and so are tokens and time: a run's own are what the others have left of these. Nobody names it.
    #[strum(disabled)]
    Pipeline(WholePipeline),
}

impl VariantNames for BudgetScope {
    /// Those that can be named.
    const VARIANTS: &'static [&'static str] = &["run", "job"];
}

/// Limits on all runs of a pipeline, and what other runs than this one had used of them when it began, or last went on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholePipeline {
    /// Tokens of all kinds.
    pub tokens: Option<u64>,
    /// Tokens that others had used.
    pub tokens_before: u64,
    /// Time.
    pub duration: Option<Duration>,
    /// Time that others had used.
    pub duration_before: Duration,
}

/// A scope as journals have it. A program that knows of no pipelines passes their field over.
#[derive(Default, Serialize, Deserialize)]
struct ScopeFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget_scope: Option<NamedScope>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole_pipeline: Option<WholePipeline>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NamedScope {
    Run,
    Job,
}

impl From<ScopeFields> for BudgetScope {
    fn from(fields: ScopeFields) -> BudgetScope {
        match (fields.whole_pipeline, fields.budget_scope) {
            (Some(whole), _) => BudgetScope::Pipeline(whole),
            (None, Some(NamedScope::Job)) => BudgetScope::Job,
            (None, Some(NamedScope::Run) | None) => BudgetScope::Run,
        }
    }
}

impl From<BudgetScope> for ScopeFields {
    fn from(scope: BudgetScope) -> ScopeFields {
        match scope {
            BudgetScope::Run => ScopeFields::default(),
            BudgetScope::Job => ScopeFields { budget_scope: Some(NamedScope::Job), whole_pipeline: None },
            BudgetScope::Pipeline(whole) => ScopeFields { budget_scope: None, whole_pipeline: Some(whole) },
        }
    }
}

impl BudgetScope {
    /// Is it for one run alone?
    pub const fn is_run(&self) -> bool {
        matches!(self, BudgetScope::Run)
    }
}

impl Limits {
    /// Those of the whole pipeline that the run is a part of; `None` where they are its own, or its job's.
    pub const fn whole_pipeline(&self) -> Option<&WholePipeline> {
        match &self.budget_scope {
            BudgetScope::Pipeline(whole) => Some(whole),
            BudgetScope::Run | BudgetScope::Job => None,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_as_it_was_written_and_as_it_was_of_old() {
        let whole = WholePipeline { tokens: Some(5), tokens_before: 3, ..WholePipeline::default() };
        for scope in [BudgetScope::Run, BudgetScope::Job, BudgetScope::Pipeline(whole)] {
            let written = serde_json::to_value(scope).unwrap();
            assert_eq!(serde_json::from_value::<BudgetScope>(written).unwrap(), scope);
        }
        let old = |text| serde_json::from_str::<BudgetScope>(text).unwrap();
        assert_eq!((old("{}"), old(r#"{"budget_scope":"job"}"#)), (BudgetScope::Run, BudgetScope::Job));
        assert!("pipeline".parse::<BudgetScope>().is_err(), "nobody names it");
    }
}
