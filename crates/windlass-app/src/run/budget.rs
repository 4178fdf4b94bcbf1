//! What a run may spend of what its job may, once other runs have spent some of it.

use std::time::Duration;

use windlass_core::spec::{BudgetScope, Limits};
use windlass_core::values::Cost;
use windlass_engine::store::{RunSummary, index};

use crate::error::AppError;
use crate::here::Here;
use crate::run::prepared::Prepared;

/// What earlier runs used of what this one may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpentBefore {
    /// Money.
    pub cost: Cost,
    /// Tokens of all kinds.
    pub tokens: u64,
    /// Time, as far as they have ended.
    pub duration: Duration,
}

/// What earlier runs of the same goal cost, where the budget is for the whole job; what the other runs of its pipeline used.
/// Changes nothing.
pub fn spent_before(here: &Here, request: &Prepared) -> Result<SpentBefore, AppError> {
    if let Some(pipeline) = &request.part_of {
        let is_its = |run: &&RunSummary| run.pipeline.as_ref().is_some_and(|part| part.id == *pipeline);
        let runs = index::look(&here.project)?.runs;
        return Ok(runs.iter().filter(is_its).fold(SpentBefore::default(), |spent, run| SpentBefore {
            cost: spent.cost + run.cost,
            tokens: spent.tokens.saturating_add(run.tokens.total()),
            duration: spent.duration + run.ending.map_or(Duration::ZERO, |ending| ending.duration),
        }));
    }
    if request.configuration.resolved.budget_scope == BudgetScope::Run {
        return Ok(SpentBefore::default());
    }
    let runs = index::look(&here.project)?.runs;
    let same = |run: &&RunSummary| request.assignment.is_same(run, &here.project);
    Ok(SpentBefore { cost: runs.iter().filter(same).map(|run| run.cost).sum(), ..SpentBefore::default() })
}

/// What is left of limits.
pub fn left_of(limits: &Limits, spent: SpentBefore) -> Limits {
    Limits {
        spent_before: spent.cost,
        tokens: limits.tokens.map(|most| most.saturating_sub(spent.tokens)),
        duration: limits.duration.map(|most| most.saturating_sub(spent.duration)),
        ..limits.clone()
    }
}
