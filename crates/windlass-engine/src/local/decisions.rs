//! Writing what a council has decided into the project's log.

use jiff::Timestamp;
use windlass_core::council::DECISION_LOG;
use windlass_core::report::DecisionLogged;
use windlass_core::run::{DecisionContext, OrderContext, TurnKey};
use windlass_core::values::{LaneId, Named, RunId, written};
use windlass_jobs::doc::decision_log::Decision;

use super::work::Worked;
use super::working_tree::WorkingTree;
use crate::decisions::{is_log_of, log_decision};

/// Adds the decision, unless it stands there. It is for people, and the run's own journal has it: that it cannot be written is
/// said and ends nothing.
pub(super) fn carry_out(
    world: &mut WorkingTree,
    lane: LaneId,
    turn: TurnKey,
    context: &OrderContext,
) -> Worked {
    let (iteration, attempt) = (turn.iteration, turn.attempt);
    let mut logged = DecisionLogged { lane, iteration, attempt, digest: None, refused: String::new() };
    let Some(decision) = context.decision.as_ref() else { return Ok(vec![logged.into()]) };
    match log_decision(&world.plan.directory, &line(&world.plan.run, decision)) {
        Ok(digest) => logged.digest = Some(digest),
        Err(error) if error.is_disk_full() => return Err(error.into()),
        Err(error) => logged.refused = error.to_string(),
    }
    world.decision_log.clone_from(&logged.digest);
    Ok(vec![logged.into()])
}

fn line(run: &RunId, context: &DecisionContext) -> Decision {
    let DecisionContext { settled, preset } = context;
    Decision {
        time: written(Timestamp::now()),
        run: run.0.clone(),
        iteration: settled.iteration,
        attempt: settled.attempt,
        principles: settled.conflict.principles.clone(),
        question: settled.conflict.question.clone(),
        chosen: settled.chosen().unwrap_or_default().to_owned(),
        decision: settled.decision.decision.clone(),
        rationale: settled.decision.rationale.clone(),
        preset: preset.map(|preset| preset.name().to_owned()).unwrap_or_default(),
    }
}

/// Is it, from the repository's root, the log as the runner left it?
pub(super) fn is_logged(world: &WorkingTree, path: &[u8]) -> bool {
    let Some(digest) = &world.decision_log else { return false };
    let is_it = world.surveyor.place().relative(DECISION_LOG.as_ref()).is_some_and(|log| log == path);
    is_it && is_log_of(&world.plan.directory, digest)
}
