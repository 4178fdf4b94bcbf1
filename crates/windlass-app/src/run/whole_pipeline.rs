//! The limits of a pipeline where one of its runs goes on by itself: they are the pipeline's, and what is said of them holds for it.

use windlass_core::config::{Resolved, keys};
use windlass_core::spec::{BudgetScope, Limits, PipelinePart, RunSpec, WholePipeline};
use windlass_engine::store::pipelines::{self, PipelineLimits};

use super::budget::{self, HeldBudget, Spenders, SpentBefore};
use super::resume::is_flag;
use crate::error::AppError;
use crate::here::Here;

/// The part of a pipeline whose limits this run shares; `None` where it has its own.
pub(super) fn of(plan: &RunSpec) -> Option<PipelinePart> {
    let limits = &plan.limits;
    // Journals of old say it by what other runs had spent.
    let of_old = limits.budget_scope == BudgetScope::Run && !limits.spent_before.is_zero();
    plan.job.pipeline().filter(|_| of_old || limits.whole_pipeline().is_some())
}

/// Has it what the others have left by now. Nobody else spends of it while what is returned is held.
pub(super) fn share(
    here: &Here,
    plan: &mut RunSpec,
    pipeline: &str,
    resolved: &Resolved,
) -> Result<HeldBudget, AppError> {
    let spenders = Spenders::Pipeline(pipeline.to_owned());
    let known = pipelines::limits(&here.project, pipeline)?;
    let left = |spent| {
        let whole = known.unwrap_or_else(|| of_run(&plan.limits, spent));
        budget::left_in_pipeline(&plan.limits, &with_said(whole, resolved), spent)
    };
    // Which limits there are does not depend on what was spent.
    let bounds = left(SpentBefore::default());
    let held = budget::hold(here, &bounds, Some(&spenders), (Some(&plan.run), plan.exit_codes))?;
    plan.limits = left(budget::spent_within(here, &spenders, &bounds, Some(&plan.run))?);
    Ok(held)
}

/// What was said of the pipeline's limits holds for all of it from now on.
pub(super) fn keep_what_is_said(here: &Here, plan: &RunSpec, resolved: &Resolved) -> Result<(), AppError> {
    let flags = [
        is_flag(resolved, &keys::MAX_COST),
        is_flag(resolved, &keys::MAX_TOKENS),
        is_flag(resolved, &keys::MAX_DURATION),
    ];
    if let (Some(whole), Some(part), true) =
        (plan.limits.whole_pipeline(), plan.job.pipeline(), flags.contains(&true))
    {
        pipelines::keep_limits(&here.project, &part.id, &of_whole(&plan.limits, whole))?;
    }
    Ok(())
}

const fn of_whole(limits: &Limits, whole: &WholePipeline) -> PipelineLimits {
    PipelineLimits { cost: limits.cost, tokens: whole.tokens, duration: whole.duration }
}

/// The pipeline's limits as a run of it has them, while others have used so much.
pub(crate) fn of_run(limits: &Limits, by_others: SpentBefore) -> PipelineLimits {
    match limits.whole_pipeline() {
        Some(whole) => of_whole(limits, whole),
        // Its own were what was left of the pipeline's.
        None => PipelineLimits {
            cost: limits.cost,
            tokens: limits.tokens.map(|most| most.saturating_add(by_others.tokens)),
            duration: limits.duration.map(|most| most.saturating_add(by_others.duration)),
        },
    }
}

/// The same with what is said now.
pub(crate) fn with_said(whole: PipelineLimits, resolved: &Resolved) -> PipelineLimits {
    let said = &resolved.limits;
    PipelineLimits {
        cost: if is_flag(resolved, &keys::MAX_COST) { said.cost } else { whole.cost },
        tokens: if is_flag(resolved, &keys::MAX_TOKENS) { said.tokens } else { whole.tokens },
        duration: if is_flag(resolved, &keys::MAX_DURATION) { said.duration } else { whole.duration },
    }
}
