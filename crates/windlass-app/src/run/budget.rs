//! What a run may spend of what its job, or its pipeline, may, once other runs have spent some of it.

use std::fs::File;
use std::time::Duration;

use windlass_core::spec::{BudgetScope, Limits, WholePipeline};
use windlass_core::values::{Cost, ExitCodes, RunId, StopReason};
use windlass_engine::local::{Unsettled, unsettled};
use windlass_engine::store::lock::{hold_budget, holders};
use windlass_engine::store::pipelines::PipelineLimits;
use windlass_engine::store::{Project, RunFolder, RunSummary, StoreError, index, journal};
use windlass_ui::one_line;

use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::run::prepared::Prepared;
use crate::run::same_job::SameJob;
use crate::text::quoted;

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

impl SpentBefore {
    /// And what this run used.
    pub fn and(self, here: &Here, run: &RunSummary) -> SpentBefore {
        let used = used(here, run);
        SpentBefore {
            cost: self.cost + used.cost,
            tokens: self.tokens.saturating_add(used.tokens.total()),
            duration: self.duration + run.ending.map_or(Duration::ZERO, |ending| ending.duration),
        }
    }
}

/// Runs that spend of one budget.
#[derive(Clone, Debug)]
pub enum Spenders {
    /// Those of the same job: of its money.
    Job(SameJob),
    /// Those of the pipeline of this id: of its money, tokens and time.
    Pipeline(String),
}

impl Spenders {
    /// Those that a new run is one of; `None` where its budget is its own.
    pub fn of(here: &Here, request: &Prepared) -> Option<Spenders> {
        let resolved = &request.configuration.resolved;
        match (&request.part_of, resolved.limits.budget_scope) {
            (Some(pipeline), _) => Some(Spenders::Pipeline(pipeline.clone())),
            (None, BudgetScope::Job) => Some(Spenders::Job(request.assignment.same_job(here, resolved))),
            (None, BudgetScope::Run | BudgetScope::Pipeline(_)) => None,
        }
    }

    /// Is this one of them?
    fn include(&self, run: &RunSummary, project: &Project) -> bool {
        match self {
            Spenders::Job(job) => job.includes(run, project),
            Spenders::Pipeline(id) => run.is_in_pipeline(id),
        }
    }

    /// A short name that no others of the project have.
    fn key(&self) -> String {
        match self {
            Spenders::Job(job) => job.key(),
            Spenders::Pipeline(id) => format!("pipeline-{id}"),
        }
    }

    /// Do they share what is left of these limits, one at a time? A pipeline's time at least is bounded, nearly always.
    const fn take_turns(&self, limits: &Limits) -> bool {
        match self {
            Spenders::Job(_) => limits.cost.is_some(),
            Spenders::Pipeline(_) => true,
        }
    }

    /// Has what they used to be known for certain, so that nothing is paid for twice?
    const fn are_accountable(&self, limits: &Limits) -> bool {
        match self {
            Spenders::Job(_) => true,
            Spenders::Pipeline(_) => limits.cost.is_some() || limits.tokens.is_some(),
        }
    }

    /// What they share, in words.
    fn shared(&self) -> String {
        match self {
            Spenders::Job(_) => "the job's budget (--budget-scope job)".to_owned(),
            Spenders::Pipeline(id) => format!("the limits of the pipeline {id}"),
        }
    }
}

/// A budget of several runs, which is one run's alone for as long as this is held; nothing for a run with a budget of its own.
#[derive(Debug, Default)]
pub struct HeldBudget(#[expect(dead_code, reason = "the lock is held while the file is open")] Option<File>);

/// What the others have used of a budget that is not this run's alone. Changes nothing.
///
/// # Errors
/// As for [`spent_by`], where there is a limit on what is paid for.
pub fn spent_before(here: &Here, request: &Prepared) -> Result<SpentBefore, AppError> {
    match Spenders::of(here, request) {
        None => Ok(SpentBefore::default()),
        Some(spenders) => spent_within(here, &spenders, &request.configuration.resolved.limits, None),
    }
}

/// What these runs but for one have used of limits. Changes nothing.
///
/// # Errors
/// As for [`spent_by`], where there is a limit on what is paid for.
pub fn spent_within(
    here: &Here,
    spenders: &Spenders,
    limits: &Limits,
    but: Option<&RunId>,
) -> Result<SpentBefore, AppError> {
    if spenders.are_accountable(limits) {
        return spent_by(here, spenders, but);
    }
    as_far_as_known(here, spenders, but)
}

/// What these runs used, but for one, as far as it can be read. Changes nothing.
pub fn as_far_as_known(
    here: &Here,
    spenders: &Spenders,
    but: Option<&RunId>,
) -> Result<SpentBefore, AppError> {
    let all = index::look(&here.project)?;
    let its = all.iter().filter(|run| Some(&run.run) != but && spenders.include(run, &here.project));
    Ok(its.fold(SpentBefore::default(), |spent, run| spent.and(here, run)))
}

/// What these runs used by their journals, but for one. Changes nothing.
///
/// # Errors
/// A run that has called agents cannot be read: what it used, and whose it is, nobody knows.
pub fn spent_by(here: &Here, spenders: &Spenders, but: Option<&RunId>) -> Result<SpentBefore, AppError> {
    let all = index::look(&here.project)?;
    let folder = |run: &RunId| RunFolder::of(&here.project, run);
    // outside: the run's folder.
    let has_called = |run: &RunId| Some(run) != but && folder(run).iterations().exists();
    if let Some((run, error)) = all.unreadable.iter().find(|(run, _)| has_called(run)) {
        return Err(unknown(&folder(run), spenders, error));
    }
    let mut spent = SpentBefore::default();
    for run in all.iter().filter(|run| Some(&run.run) != but && spenders.include(run, &here.project)) {
        // The index is there to be quick: money is counted by what is kept for certain.
        let folder = folder(&run.run);
        let run = index::summarize(&folder).map_err(|error| unknown(&folder, spenders, &error))?;
        spent = spent.and(here, &run);
    }
    Ok(spent)
}

/// What a run has used cannot be read, and so what is left for others.
pub fn unknown(folder: &RunFolder, spenders: &Spenders, error: &StoreError) -> AppError {
    let refusal = AppError::usage(format!("what run {} has cost cannot be read: {error}", folder.run()));
    let refusal = match spenders {
        Spenders::Job(_) => refusal
            .hint("A budget for the whole job (--budget-scope job) cannot be kept without it.")
            .hint("A budget for this run alone: --budget-scope run"),
        Spenders::Pipeline(id) => {
            refusal.hint(format!("The limits of the pipeline {id} cannot be kept without it."))
        }
    };
    refusal.hint(format!(
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

/// Takes what several runs share, for one of them. Two at once would each spend all that is left: the second one is refused.
pub fn hold(
    here: &Here,
    limits: &Limits,
    spenders: Option<&Spenders>,
    (own, codes): (Option<&RunId>, ExitCodes),
) -> Result<HeldBudget, AppError> {
    let Some(spenders) = spenders.filter(|spenders| spenders.take_turns(limits)) else {
        return Ok(HeldBudget::default());
    };
    let held = hold_budget(&here.project, &spenders.key())?;
    let live = live_run(here, spenders, own)?;
    match (held, live) {
        (Some(held), None) => Ok(HeldBudget(Some(held))),
        (_, live) => Err(refusal(live.as_ref(), spenders, codes)),
    }
}

/// Another one of them that is at work.
fn live_run(here: &Here, spenders: &Spenders, own: Option<&RunId>) -> Result<Option<RunSummary>, AppError> {
    let holders = holders(&here.project)?;
    let others = holders.iter().filter(|holder| Some(&holder.run) != own && holder.is_alive());
    let summaries =
        others.filter_map(|holder| index::summarize(&RunFolder::of(&here.project, &holder.run)).ok());
    Ok(summaries.into_iter().find(|run| spenders.include(run, &here.project)))
}

fn refusal(live: Option<&RunSummary>, spenders: &Spenders, codes: ExitCodes) -> AppError {
    let kind = Kind::stopped(StopReason::Locked, codes);
    let two = format!("Two runs at once would each spend what is left of {}.", spenders.shared());
    let what = match spenders {
        Spenders::Job(_) => "same job",
        Spenders::Pipeline(_) => "same pipeline",
    };
    match live {
        Some(run) => {
            let (run, directory, typed) =
                (&run.run, one_line(&run.directory.display().to_string()), quoted(run.directory.as_os_str()));
            AppError::new(kind, format!("run {run} is at work on the {what}, in {directory}"))
                .hint(two)
                .hint(format!("Wait for it: windlass status {run}"))
                .hint(format!("Or end it after its iteration: windlass -C {typed} stop {run}"))
        }
        None => AppError::new(kind, format!("another run begins on the {what} at this moment"))
            .hint(two)
            .hint("See which one it is: windlass runs"),
    }
}

/// What is left of limits for a new run.
pub fn left(request: &Prepared, limits: &Limits, spent: SpentBefore) -> Limits {
    if request.part_of.is_some() {
        return left_in_pipeline(limits, &PipelineLimits::said(limits), spent);
    }
    Limits { spent_before: spent.cost, ..limits.clone() }
}

/// What is left of a pipeline's limits for one of its runs.
pub fn left_in_pipeline(limits: &Limits, whole: &PipelineLimits, spent: SpentBefore) -> Limits {
    Limits {
        cost: whole.cost,
        spent_before: spent.cost,
        tokens: whole.tokens.map(|most| most.saturating_sub(spent.tokens)),
        duration: whole.duration.map(|most| most.saturating_sub(spent.duration)),
        budget_scope: BudgetScope::Pipeline(WholePipeline {
            tokens: whole.tokens,
            tokens_before: spent.tokens,
            duration: whole.duration,
            duration_before: spent.duration,
        }),
        ..limits.clone()
    }
}
