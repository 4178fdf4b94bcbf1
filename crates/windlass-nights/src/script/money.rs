//! Agents that die with money spent, count wrongly, or are refused by the API.

use std::collections::BTreeSet;

use windlass_core::price::Price;
use windlass_core::values::Cost;

use super::{Act, Action, End, Failure, Miscount, ResultEvent, Script};
use crate::dice::Dice;
use crate::runner::{TOKENS_PER_RESPONSE, model_of};

/// What these dice start from, with the seed: drawn apart, so that all else stays as it was.
const MONEY: u64 = 0x6D6F_6E65_7900_0000;

/// Spoils some of the calls, and says what tokens cost: as much as the agents do.
pub(super) fn draw(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ MONEY);
    // Where lanes are compared with one lane, each call has to be what it is in both.
    if !script.commutes {
        for act in &mut script.acts {
            if dice.chance(12) {
                spoil(&mut dice, act);
            }
        }
    }
    let acts = [&script.acts, &script.verifiers, &script.mergers, &script.reviewers, &script.councils];
    let responses: BTreeSet<u64> = acts.into_iter().flatten().map(|act| act.response).collect();
    script.plan.agent.prices = responses.into_iter().map(price).collect();
}

fn price(response: u64) -> Price {
    Price {
        model: model_of(response),
        input: Cost::from_micros(response * 1_000_000 / TOKENS_PER_RESPONSE),
        output: Cost::ZERO,
        cache_write: Cost::ZERO,
        cache_write_1h: Cost::ZERO,
        cache_read: Cost::ZERO,
    }
}

fn spoil(dice: &mut Dice, act: &mut Act) {
    let resets_in = dice.number(30, 20_000);
    let answer = dice.pick(&[
        (3, None),
        (2, Some(ResultEvent::Miscounts(Miscount::Negative))),
        (2, Some(ResultEvent::Miscounts(Miscount::TooLittle))),
        (2, Some(ResultEvent::Fails(Failure::Refused))),
        (1, Some(ResultEvent::Fails(Failure::AccountLimit(resets_in)))),
        (2, Some(ResultEvent::Fails(Failure::OverloadedInWords))),
    ]);
    let last =
        act.actions.iter().rposition(|(_, action)| matches!(action, Action::Answers(ResultEvent::Fine(_))));
    let Some(last) = last else { return };
    match answer {
        // It dies with what it has spent.
        None => {
            act.actions.truncate(last);
            act.end = End::Signalled(9);
        }
        Some(answer) => {
            // After another result its totals shrink.
            let at = if dice.chance(30) { last + 1 } else { last };
            act.actions.truncate(at);
            if matches!(answer, ResultEvent::Fails(_)) {
                act.end = End::Exits(1);
            }
            act.actions.push((100, Action::Answers(answer)));
        }
    }
}
