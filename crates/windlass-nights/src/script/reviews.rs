//! Reviewers: drawn apart, and for nights of high numbers only, so that all others stay as they were.

use windlass_core::spec::ReviewSpec;

use super::{Action, Judgement, Leaves, ResultEvent, Script};
use crate::dice::Dice;

/// The first night that may have one.
const FROM: u64 = 200_000;

/// The first night of tasks that may have one.
const OF_TASKS_FROM: u64 = 300_000;

/// What these dice start from, with the seed.
const REVIEWS: u64 = 0x7265_7669_6577_0000;

pub(super) fn draw(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ REVIEWS);
    let mode = script.mode();
    let works = !mode.judges() && !mode.writes_only_plan();
    let first = if mode.has_tasks() { OF_TASKS_FROM } else { FROM };
    // Where lanes are compared with one lane, nobody is asked: in one lane it would be about other work.
    if script.seed < first || !works || script.commutes || !dice.chance(60) {
        return;
    }
    let skip_below_lines = dice.pick(&[(3, 0), (1, 10)]);
    // Of a task nobody is spared: `docs/nights.md` says why.
    let skip_below_lines = if mode.has_tasks() { 0 } else { skip_below_lines };
    script.plan.review = Some(ReviewSpec { skip_below_lines, ..ReviewSpec::default() });
    let mut reviewers = super::characters::verifiers(&mut dice);
    for (_, action) in reviewers.iter_mut().flat_map(|act| &mut act.actions) {
        if let Action::Answers(ResultEvent::Judges(_)) = action {
            *action = Action::Answers(ResultEvent::Judges(judgement(&mut dice)));
        }
    }
    script.reviewers = reviewers;
    if script.seed >= OF_TASKS_FROM {
        spare_work(script);
    }
}

/// What checks write over an agent's work is left out here: `docs/nights.md` says why.
pub(super) fn spare_work(script: &mut Script) {
    for check in &mut script.checks {
        check.leaves = Leaves::Nothing;
    }
}

fn judgement(dice: &mut Dice) -> Judgement {
    dice.pick(&[
        (6, Judgement::LetsStand),
        (2, Judgement::Mends),
        (2, Judgement::Rejects(0)),
        (2, Judgement::Rejects(1)),
        (1, Judgement::Contradicts),
        (1, Judgement::RejectsNothing),
        (1, Judgement::Prose),
    ])
}
