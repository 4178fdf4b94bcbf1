//! What agents are like.

use super::natures::file;
use super::{Act, Action, End, Failure, Judgement, OnTerm, ResultEvent, Word};
use crate::dice::Dice;

/// Nights are mostly those of one or two kinds of agent, and sometimes of anything.
pub(super) fn acts(dice: &mut Dice) -> Vec<Act> {
    let how_many = dice.between(1, 9);
    let usual = dice.pick(CHARACTERS);
    let honesty = dice.pick(&[(3, 30), (2, 70), (1, 0)]);
    let draw_one = |dice: &mut Dice| {
        let draw = match dice.below(100) {
            roll if roll < honesty => honest,
            roll if roll < honesty + (100 - honesty) / 2 => usual,
            _ => dice.pick(CHARACTERS),
        };
        let mut act = draw(dice);
        act.straggler = dice.chance(4);
        act.on_term = dice.pick(&[(4, OnTerm::Dies), (2, OnTerm::Answers), (1, OnTerm::Ignores)]);
        act
    };
    (0..how_many).map(|_| draw_one(dice)).collect()
}

pub(super) type Draw = fn(&mut Dice) -> Act;

const CHARACTERS: &[(u32, Draw)] = &[
    (6, honest),
    (4, lying),
    (2, lazy),
    (3, looping),
    (4, destructive),
    (2, chatty),
    (2, silent),
    (4, dying),
    (3, burning),
    (3, answering_after_the_end),
    (2, out_of_turns),
    (2, denied),
    (2, too_long),
    (1, logged_out),
    (4, limited),
    (4, cut_off_from_the_api),
    (1, beyond_the_plan),
    (3, careless),
];

pub(super) fn act(character: &'static str, dice: &mut Dice, middle: Vec<(u32, Action)>, end: End) -> Act {
    let mut actions =
        vec![(dice.number(100, 900), Action::Starts), (dice.number(500, 20_000), Action::Thinks)];
    actions.extend(middle);
    let response = dice.between(10_000, 400_000);
    Act { character, actions, response, end, on_term: OnTerm::Dies, straggler: false }
}

/// Works, answers and goes.
fn working(dice: &mut Dice, last: Action) -> Vec<(u32, Action)> {
    let mut actions = vec![
        (dice.number(200, 60_000), Action::UsesTool),
        (dice.number(50, 5_000), Action::Works),
        (dice.number(50, 90_000), Action::Spends),
    ];
    if dice.chance(40) {
        actions.push((dice.number(50, 900), Action::Writes(file(dice))));
    }
    if dice.chance(40) {
        let bytes = dice.pick(&[(6, 200), (1, 40_000)]);
        actions.push((300, Action::Notes { bytes, phrase: dice.chance(20) }));
    }
    if dice.chance(12) {
        actions.push((300, Action::Commits));
    }
    actions.push((dice.number(50, 3_000), last));
    actions
}

pub(super) fn fine(word: Word) -> Action {
    Action::Answers(ResultEvent::Fine(word))
}

pub(super) fn honest(dice: &mut Dice) -> Act {
    let middle = working(dice, fine(Word::DoneIfSo));
    act("an honest agent", dice, middle, End::Exits(0))
}

fn lying(dice: &mut Dice) -> Act {
    let mut middle = vec![(2_000, Action::Spends)];
    if dice.chance(30) {
        middle.push((100, Action::Writes(file(dice))));
    }
    middle.push((500, fine(Word::Done)));
    act("a liar", dice, middle, End::Exits(0))
}

pub(super) fn lazy(dice: &mut Dice) -> Act {
    let word = dice.pick(&[(2, Word::Nothing), (1, Word::MoreToDo), (1, Word::Mentions)]);
    act("a lazy agent", dice, vec![(900, Action::Spends), (100, fine(word))], End::Exits(0))
}

fn looping(dice: &mut Dice) -> Act {
    let word = dice.pick(&[(3, Word::MoreToDo), (1, Word::Done)]);
    let middle =
        vec![(4_000, Action::UsesTool), (100, Action::Flips(2)), (100, Action::Spends), (500, fine(word))];
    act("an agent that goes round in circles", dice, middle, End::Exits(0))
}

fn destructive(dice: &mut Dice) -> Act {
    let one = file(dice);
    let worst = dice.pick(&[
        (4, Action::Deletes(one)),
        (1, Action::Deletes(0)),
        (2, Action::DeletesAll),
        (3, Action::Resets),
        (1, Action::DestroysGit),
        (1, Action::DestroysAll),
    ]);
    let word = dice.pick(&[(1, Word::MoreToDo), (1, Word::Done)]);
    let middle = vec![(3_000, Action::UsesTool), (200, worst), (100, Action::Spends), (700, fine(word))];
    act("a destructive agent", dice, middle, End::Exits(0))
}

fn chatty(dice: &mut Dice) -> Act {
    let mut middle = Vec::new();
    for _ in 0..dice.between(3, 12) {
        let action = dice.pick(&[
            (2, Action::Thinks),
            (2, Action::UsesTool),
            (1, Action::Garbage),
            (1, Action::Prints),
        ]);
        middle.push((dice.number(10, 30_000), action));
    }
    middle.push((100, Action::Notes { bytes: 60_000, phrase: true }));
    middle.extend(working(dice, fine(Word::DoneIfSo)));
    act("a chatty agent", dice, middle, End::Exits(0))
}

pub(super) fn silent(dice: &mut Dice) -> Act {
    let mut middle = vec![(1_000, Action::Spends)];
    if dice.chance(50) {
        middle.push((1_000, Action::Works));
    }
    act("a silent agent", dice, middle, End::Hangs)
}

pub(super) fn dying(dice: &mut Dice) -> Act {
    let mut middle = working(dice, Action::Thinks);
    middle.truncate(usize::try_from(dice.between(0, 5)).unwrap_or(0));
    let end =
        dice.pick(&[(2, End::Exits(1)), (1, End::Exits(0)), (2, End::Signalled(9)), (1, End::Signalled(11))]);
    act("a dying agent", dice, middle, end)
}

fn burning(dice: &mut Dice) -> Act {
    let mut middle: Vec<(u32, Action)> =
        (0..dice.between(2, 12)).map(|_| (dice.number(1_000, 60_000), Action::Spends)).collect();
    middle.extend(working(dice, fine(Word::DoneIfSo)));
    let mut act = act("an agent that burns money", dice, middle, End::Exits(0));
    act.response = dice.between(200_000, 2_500_000);
    act
}

fn answering_after_the_end(dice: &mut Dice) -> Act {
    let mut middle = working(dice, fine(Word::MoreToDo));
    if dice.chance(30) {
        middle.push((100, Action::Background(1)));
        middle.push((dice.number(100, 400_000), Action::Background(0)));
    }
    if dice.chance(70) {
        middle.push((dice.number(100, 15_000), Action::UsesTool));
        middle.push((100, Action::Writes(file(dice))));
        middle.push((100, Action::Spends));
        middle.push((dice.number(100, 15_000), fine(Word::DoneIfSo)));
    }
    let end = dice.pick(&[(1, End::Exits(0)), (2, End::Hangs)]);
    act("an agent that lingers", dice, middle, end)
}

fn out_of_turns(dice: &mut Dice) -> Act {
    let fails = Action::Answers(ResultEvent::Fails(Failure::MaxTurns));
    let middle =
        if dice.chance(60) { working(dice, fails) } else { vec![(900, Action::Spends), (100, fails)] };
    act("an agent out of turns", dice, middle, End::Exits(1))
}

fn denied(dice: &mut Dice) -> Act {
    let middle = vec![
        (900, Action::UsesTool),
        (100, Action::Denied),
        (900, Action::Spends),
        (50, fine(Word::MoreToDo)),
    ];
    act("an agent without permission", dice, middle, End::Exits(0))
}

fn too_long(dice: &mut Dice) -> Act {
    let fails = Action::Answers(ResultEvent::Fails(Failure::TooLong));
    let middle = if dice.chance(30) { working(dice, fails) } else { vec![(100, fails)] };
    act("an agent whose context is full", dice, middle, End::Exits(1))
}

fn logged_out(dice: &mut Dice) -> Act {
    if dice.chance(50) {
        let middle = vec![(500, Action::Retries { refused: true }), (900, Action::Retries { refused: true })];
        return act("an agent with refused credentials", dice, middle, End::Hangs);
    }
    let failure = dice.pick(&[(2, Failure::NotLoggedIn), (1, Failure::NoCredit)]);
    let middle = vec![(500, Action::Answers(ResultEvent::Fails(failure)))];
    act("an agent that is not logged in", dice, middle, End::Exits(1))
}

pub(super) fn limited(dice: &mut Dice) -> Act {
    let soon = i32::try_from(dice.between(0, 9_000)).unwrap_or(0) - 300;
    let late = i32::try_from(dice.between(0, 30_000)).unwrap_or(0);
    let resets_in = dice.pick(&[(4, Some(soon)), (2, Some(late)), (3, None)]);
    let mut middle = Vec::new();
    if dice.chance(30) {
        middle.extend([(900, Action::Works), (100, Action::Spends)]);
    }
    middle.push((300, Action::Limited { resets_in }));
    if dice.chance(85) {
        middle.push((100, Action::Answers(ResultEvent::Fails(Failure::Throttled))));
    }
    act("an agent at its usage limit", dice, middle, End::Exits(1))
}

fn cut_off_from_the_api(dice: &mut Dice) -> Act {
    let mut middle = Vec::new();
    if dice.chance(25) {
        middle.extend([(900, Action::Works), (100, Action::Spends)]);
    }
    middle.push((2_000, Action::Retries { refused: false }));
    if dice.chance(20) {
        return act("an agent that retries for ever", dice, middle, End::Hangs);
    }
    let failure = dice.pick(&[(3, Failure::Overloaded), (1, Failure::Throttled)]);
    middle.push((9_000, Action::Answers(ResultEvent::Fails(failure))));
    act("an agent in an outage", dice, middle, End::Exits(1))
}

fn beyond_the_plan(dice: &mut Dice) -> Act {
    let mut middle = vec![(100, Action::Overage)];
    middle.extend(working(dice, fine(Word::DoneIfSo)));
    act("an agent that is charged beyond its plan", dice, middle, End::Exits(0))
}

/// Its result has no cost, an error without a name, or a bad exit code behind it.
fn careless(dice: &mut Dice) -> Act {
    let word = dice.pick(&[(1, Word::Done), (2, Word::DoneIfSo)]);
    let answer = dice.pick(&[
        (1, ResultEvent::Unpriced(word)),
        (1, ResultEvent::Fine(word)),
        (1, ResultEvent::Fails(Failure::Unexplained)),
    ]);
    let middle = working(dice, Action::Answers(answer));
    let code = dice.pick(&[(2, 0), (1, 1)]);
    act("a careless agent", dice, middle, End::Exits(code))
}

pub(super) fn verifiers(dice: &mut Dice) -> Vec<Act> {
    let one = |dice: &mut Dice| {
        let trouble: Draw =
            dice.pick(&[(2, limited as Draw), (2, cut_off_from_the_api), (2, dying), (1, silent)]);
        let mut act = if dice.chance(20) { trouble(dice) } else { judging(dice) };
        act.on_term = dice.pick(&[(4, OnTerm::Dies), (1, OnTerm::Ignores)]);
        act
    };
    (0..dice.between(1, 4)).map(|_| one(dice)).collect()
}

fn judging(dice: &mut Dice) -> Act {
    let judgement = dice.pick(&[
        (5, Judgement::PassIfSo),
        (4, Judgement::Pass),
        (1, Judgement::Review),
        (2, Judgement::Fail),
        (1, Judgement::Prose),
    ]);
    let mut middle = vec![(dice.number(100, 30_000), Action::UsesTool), (900, Action::Spends)];
    if dice.chance(30) {
        let action = dice.pick(&[(2, Action::Writes(6)), (1, Action::Flips(2)), (1, Action::Deletes(3))]);
        middle.push((100, action));
    }
    middle.push((200, Action::Answers(ResultEvent::Judges(judgement))));
    act("an agent that is to judge", dice, middle, End::Exits(0))
}
