//! What a run may spend of what its job may, once other runs have spent some of it.

use std::fs::File;
use std::time::Duration;

use windlass_core::spec::{BudgetScope, Limits};
use windlass_core::values::{Cost, ExitCodes, RunId, StopReason};
use windlass_engine::local::{Unsettled, unsettled};
use windlass_engine::store::lock::{hold_budget, holders};
use windlass_engine::store::{RunFolder, RunSummary, StoreError, index, journal};

use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::run::prepared::Prepared;
use crate::run::same_job::SameJob;

/// What other runs used of what this one may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpentBefore {
    /// Money.
    pub cost: Cost,
    /// Tokens of all kinds.
    pub tokens: u64,
    /// Time, as far as they have ended.
    pub duration: Duration,
}

/// A job's budget, which is one run's alone for as long as this is held; nothing for a run with a budget of its own.
#[derive(Debug, Default)]
pub struct HeldBudget(#[expect(dead_code, reason = "the lock is held while the file is open")] Option<File>);

/// What earlier runs of the same goal cost, where the budget is for the whole job; what the other runs of its pipeline used.
/// Changes nothing.
pub fn spent_before(here: &Here, request: &Prepared) -> Result<SpentBefore, AppError> {
    if let Some(pipeline) = &request.part_of {
        return spent_in_pipeline(here, pipeline, None);
    }
    if request.configuration.resolved.limits.budget_scope == BudgetScope::Run {
        return Ok(SpentBefore::default());
    }
    spent_on(here, &request.assignment.same_job(), None)
}

/// What the runs of a pipeline used, but for this one. Changes nothing.
pub fn spent_in_pipeline(here: &Here, pipeline: &str, but: Option<&RunId>) -> Result<SpentBefore, AppError> {
    let is_its = |run: &RunSummary| run.pipeline.as_ref().is_some_and(|part| part.id == pipeline);
    let all = index::look(&here.project)?;
    Ok(spent_by(here, all.iter().filter(|run| Some(&run.run) != but && is_its(run))))
}

/// What these runs used. Changes nothing.
pub fn spent_by<'a>(here: &Here, runs: impl Iterator<Item = &'a RunSummary>) -> SpentBefore {
    runs.fold(SpentBefore::default(), |spent, run| {
        let used = used(here, run);
        SpentBefore {
            cost: spent.cost + used.cost,
            tokens: spent.tokens.saturating_add(used.tokens.total()),
            duration: spent.duration + run.ending.map_or(Duration::ZERO, |ending| ending.duration),
        }
    })
}

/// What the runs of a job cost by their journals, but for this one. Changes nothing.
///
/// # Errors
/// A run that has called agents cannot be read: what it cost, and for which job, nobody knows.
pub fn spent_on(here: &Here, job: &SameJob, but: Option<&RunId>) -> Result<SpentBefore, AppError> {
    let all = index::look(&here.project)?;
    let folder = |run: &RunId| RunFolder::of(&here.project, run);
    // outside: the run's folder.
    let has_called = |run: &RunId| Some(run) != but && folder(run).iterations().exists();
    if let Some((run, error)) = all.unreadable.iter().find(|(run, _)| has_called(run)) {
        return Err(unknown(&folder(run), error));
    }
    let mut cost = Cost::ZERO;
    for run in all.iter().filter(|run| Some(&run.run) != but && job.includes(run, &here.project)) {
        // The index is there to be quick: money is counted by what is kept for certain.
        let folder = folder(&run.run);
        let run = index::summarize(&folder).map_err(|error| unknown(&folder, &error))?;
        cost += used(here, &run).cost;
    }
    Ok(SpentBefore { cost, ..SpentBefore::default() })
}

fn unknown(folder: &RunFolder, error: &StoreError) -> AppError {
    AppError::usage(format!("what run {} has cost cannot be read: {error}", folder.run()))
        .hint("A budget for the whole job (--budget-scope job) cannot be kept without it.")
        .hint("A budget for this run alone: --budget-scope run")
        .hint(format!(
            "Or put its folder somewhere else, and its money does not count: {}",
            folder.path().display()
        ))
}

/// What a run used. Of one that was killed, what was set aside for its calls says little: their recorded streams say more.
fn used(here: &Here, run: &RunSummary) -> Unsettled {
    let known = Unsettled { cost: run.cost, tokens: run.tokens };
    if run.reserved.is_zero() {
        return known;
    }
    let folder = RunFolder::of(&here.project, &run.run);
    let entries = journal::read(&folder.journal()).unwrap_or_default();
    match unsettled(&folder, &entries) {
        Ok(mut open) => {
            open.cost += run.cost.minus(run.reserved);
            open.tokens += run.tokens;
            open
        }
        // Whoever goes on with it is told that it cannot be read.
        Err(_) => known,
    }
}

/// Takes the budget of a job for a run that shares it. Two at once would each spend all that is left: the second one is refused.
pub fn hold(
    here: &Here,
    limits: &Limits,
    job: Option<&SameJob>,
    (own, codes): (Option<&RunId>, ExitCodes),
) -> Result<HeldBudget, AppError> {
    let Some(job) = job.filter(|_| limits.cost.is_some() && limits.budget_scope == BudgetScope::Job) else {
        return Ok(HeldBudget::default());
    };
    let held = hold_budget(&here.project, &job.key())?;
    let live = live_run(here, job, own)?;
    match (held, live) {
        (Some(held), None) => Ok(HeldBudget(Some(held))),
        (_, live) => Err(refusal(live.as_ref(), codes)),
    }
}

/// Another run of the job that is at work.
fn live_run(here: &Here, job: &SameJob, own: Option<&RunId>) -> Result<Option<RunSummary>, AppError> {
    let holders = holders(&here.project)?;
    let others = holders.iter().filter(|holder| Some(&holder.run) != own && holder.is_alive());
    let summaries =
        others.filter_map(|holder| index::summarize(&RunFolder::of(&here.project, &holder.run)).ok());
    Ok(summaries.into_iter().find(|run| job.includes(run, &here.project)))
}

fn refusal(live: Option<&RunSummary>, codes: ExitCodes) -> AppError {
    let kind = Kind::stopped(StopReason::Locked, codes);
    let two = "Two runs at once would each spend what is left of the job's budget (--budget-scope job).";
    match live {
        Some(run) => {
            let (run, directory) = (&run.run, run.directory.display());
            AppError::new(kind, format!("run {run} is at work on the same job, in {directory}"))
                .hint(two)
                .hint(format!("Wait for it: windlass status {run}"))
                .hint(format!("Or end it after its iteration: windlass -C '{directory}' stop {run}"))
        }
        None => AppError::new(kind, "another run begins on the same job at this moment")
            .hint(two)
            .hint("See which one it is: windlass runs"),
    }
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
