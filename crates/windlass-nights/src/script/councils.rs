//! Councils: drawn apart, and for nights of high numbers only, so that all others stay as they were.

use windlass_core::principles::{Preset, Principles};
use windlass_core::spec::{CouncilSpec, PrinciplesSpec};

use super::{Act, Action, Judgement, ResultEvent, Script, Word};
use crate::dice::Dice;

/// The first night that may have one.
const FROM: u64 = 500_000;

/// What these dice start from, with the seed.
const COUNCILS: u64 = 0x636F_756E_6369_6C00;

pub(super) fn draw(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ COUNCILS);
    let mode = script.mode();
    let works = !mode.judges() && !mode.writes_only_plan() && !mode.has_tasks();
    if script.seed < FROM || !works || !dice.chance(70) {
        return;
    }
    let (file, digest) = (".windlass/principles.yaml".into(), "0".repeat(64));
    let principles = Principles::of(Preset::Startup);
    script.plan.principles = Some(PrinciplesSpec::File { file, digest, principles });
    let per_run = dice.pick(&[(3, 5), (2, 1), (2, 2), (1, 0)]);
    script.plan.council = Some(CouncilSpec { model: None, per_run, logs: dice.chance(80) });
    let often = dice.pick(&[(1, 30), (2, 70)]);
    for act in &mut script.acts {
        reports(act, often, &mut dice);
    }
    let mut councils = super::characters::verifiers(&mut dice);
    for (_, action) in councils.iter_mut().flat_map(|act| &mut act.actions) {
        if let Action::Answers(ResultEvent::Judges(_)) = action {
            *action = Action::Answers(ResultEvent::Judges(judgement(&mut dice)));
        }
    }
    script.councils = councils;
}

/// Some that end well say that there is something they could not settle, whether they are done or not.
fn reports(act: &mut Act, often: u64, dice: &mut Dice) {
    for (_, action) in &mut act.actions {
        if let Action::Answers(ResultEvent::Fine(word)) = action
            && dice.chance(often)
        {
            *word = if matches!(word, Word::Done) { Word::ConflictAndDone } else { Word::Conflict };
        }
    }
}

fn judgement(dice: &mut Dice) -> Judgement {
    dice.pick(&[
        (6, Judgement::Chooses(1)),
        (4, Judgement::Chooses(2)),
        (1, Judgement::Chooses(0)),
        (1, Judgement::Chooses(3)),
        (2, Judgement::Prose),
    ])
}
