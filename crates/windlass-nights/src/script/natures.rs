//! What files, checks and hooks of a night are like.

use super::{CheckNature, CheckRule, HookNature, HookWord, Leaves};
use crate::dice::Dice;
use crate::world::PLAN;

pub(super) fn file(dice: &mut Dice) -> u8 {
    u8::try_from(dice.between(1, u64::from(PLAN) - 1)).unwrap_or(1)
}

pub(super) fn check(dice: &mut Dice, goal: u32) -> CheckNature {
    let some = dice.number(1, goal);
    let rule = dice.pick(&[
        (8, CheckRule::WhenDone(goal)),
        (3, CheckRule::WhenDone(some)),
        (4, CheckRule::Always),
        (2, CheckRule::Never),
        (3, CheckRule::Flaky(70)),
        (1, CheckRule::Slow),
        (1, CheckRule::Lost),
    ]);
    CheckNature { rule, leaves: leaves(dice), seconds: dice.number(0, 90) }
}

fn leaves(dice: &mut Dice) -> Leaves {
    let (one, two, three) = (file(dice), file(dice), file(dice));
    dice.pick(&[
        (6, Leaves::Nothing),
        (1, Leaves::Same(one)),
        (2, Leaves::New(two)),
        (1, Leaves::Removes(three)),
    ])
}

/// Most hooks say little; some skip for a while, and some for ever.
pub(super) fn run_hook(dice: &mut Dice) -> HookNature {
    let usual = dice.pick(&[(6, HookWord::Continues), (2, HookWord::Prompts), (2, HookWord::Skips)]);
    let one = |dice: &mut Dice| {
        let other = dice.pick(&[
            (6, HookWord::Continues),
            (3, HookWord::Skips),
            (1, HookWord::Aborts),
            (2, HookWord::Fails),
            (1, HookWord::Hangs),
        ]);
        if dice.chance(70) { usual } else { other }
    };
    let says = (0..dice.between(1, 6)).map(|_| one(dice)).collect();
    HookNature { says, leaves: leaves(dice), seconds: dice.number(0, 40) }
}
