//! What makes claims hollow: boxes that are taken out of the plan, words that are taken back, tasks that share an id.

use windlass_core::spec::ClaimSource;

use super::{Act, Action, PlanAction, Script, Word, characters};
use crate::dice::Dice;
use crate::world::{Mark, TaskFile};

/// What these dice start from, with the seed: drawn apart, so that all else stays as it was.
const CLAIMS: u64 = 0x636C_6169_6D73_0000;

pub(super) fn draw(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ CLAIMS);
    let hides = script.mode().claim() == ClaimSource::Boxes && dice.chance(40);
    let takes_back = !script.mode().has_tasks() && dice.chance(25);
    for act in &mut script.acts {
        if hides && dice.chance(50) {
            take_out(&mut dice, act);
        }
        if takes_back && dice.chance(50) {
            take_back(&mut dice, act);
        }
    }
}

/// One task's id is given twice; the first of the two is often done.
pub(super) fn double(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ CLAIMS);
    let number = usize::try_from(dice.below(script.tasks.len() as u64)).unwrap_or(0);
    let (doubles, done) = (dice.chance(15), dice.chance(60));
    let file = TaskFile::read(script.book).filter(|_| doubles && !script.commutes);
    if let Some((mut file, task)) = file.zip(script.tasks.get_mut(number)) {
        task.has_twin = true;
        if done {
            file.marks[number] = Mark::Done;
            script.book = file.content();
        }
    }
}

fn take_out(dice: &mut Dice, act: &mut Act) {
    let what =
        dice.pick(&[(3, PlanAction::Hides), (3, PlanAction::HidesAndTicks), (2, PlanAction::PutsBack)]);
    let answers = act.actions.iter().position(|(_, action)| matches!(action, Action::Answers(_)));
    let last = answers.unwrap_or(act.actions.len()).max(1);
    let at = usize::try_from(dice.between(1, last as u64)).unwrap_or(last);
    act.actions.insert(at, (dice.number(10, 3_000), Action::Plans(what)));
}

/// After its last result there comes another one, in which there is more to do; sometimes it claims all the same.
fn take_back(dice: &mut Dice, act: &mut Act) {
    let claims = |action: &Action| {
        *action == characters::fine(Word::Done) || *action == characters::fine(Word::DoneIfSo)
    };
    if act.actions.last().is_some_and(|(_, action)| claims(action)) {
        let after = dice.pick(&[(3, Word::MoreToDo), (1, Word::Mentions), (1, Word::Done)]);
        act.actions.push((dice.number(10, 3_000), characters::fine(after)));
    }
}
