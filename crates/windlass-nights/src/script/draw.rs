//! Drawing a night from its seed.

use windlass_core::spec::{ClaimSource, Mode};

use super::characters::{acts, verifiers};
use super::natures::{check, run_hook};
use super::outside::{events, pauses};
use super::{Act, Action, Hook, PlanAction, Script, StatusWord, claims, money, plan, tasks};
use crate::dice::Dice;
use crate::world::{Book, PLAN};

/// What the dice of tasks start from, with the seed.
const TASKS: u64 = 0x7461_736B_7300_0000;

impl Script {
    /// The night of this seed.
    pub fn draw(seed: u64, mode: Option<Mode>) -> Script {
        let mut dice = Dice::new(seed);
        let drawn = dice.pick(&[
            (5, Mode::Goal),
            (4, Mode::Loop),
            (4, Mode::Iterative),
            (2, Mode::Plan),
            (4, Mode::Build),
            (1, Mode::Verify),
            (1, Mode::Validate),
        ]);
        // Drawn apart, so that the nights of other modes are what they were.
        let mut apart = Dice::new(seed ^ TASKS);
        let drawn = if apart.chance(20) { Mode::Tasks } else { drawn };
        let drawn = super::phase::mode(seed, drawn);
        let plan = plan::draw(&mut dice, mode.unwrap_or(drawn));
        let goal = dice.number(1, 5);
        let checks = plan.checks.iter().map(|_| check(&mut dice, goal)).collect();
        let hook = dice.pick(&[
            (5, Hook::None),
            (2, Hook::Formats),
            (1, Hook::Breaks),
            (1, Hook::Litters),
            (1, Hook::Refuses),
            (1, Hook::FormatsAndRefuses),
        ]);
        let hooks = plan.hooks.iter().map(|_| run_hook(&mut dice)).collect();
        let mut acts = acts(&mut dice);
        let book = book(&mut dice, plan.job.mode);
        if plan.job.mode.has_plan() || plan.job.mode.writes_document() {
            for act in &mut acts {
                work_on_plan(&mut dice, act, plan.job.mode);
            }
        }
        let status = if plan.job.mode.works_on_workspace() {
            for act in &mut acts {
                report_status(&mut dice, act);
            }
            dice.pick(&[
                (3, None),
                (2, Some(StatusWord::Done)),
                (1, Some(StatusWord::MoreToDo)),
                (1, Some(StatusWord::NoWork)),
                (1, Some(StatusWord::Broken)),
            ])
        } else {
            None
        };
        let verifiers = verifiers(&mut dice);
        let mut script = Script {
            seed,
            receiver: super::receiver::draw(seed),
            tasks: Vec::new(),
            commutes: false,
            mergers: Vec::new(),
            status,
            verifiers,
            reviewers: Vec::new(),
            councils: Vec::new(),
            forge: None,
            plan,
            goal,
            checks,
            hook,
            hooks,
            book,
            acts,
            events: events(&mut dice),
            pauses: pauses(&mut dice),
        };
        if script.mode().has_tasks() {
            tasks::draw(&mut script, &mut apart);
            claims::double(&mut script);
        }
        claims::draw(&mut script);
        super::reviews::draw(&mut script);
        super::councils::draw(&mut script);
        super::forge::draw(&mut script);
        super::principles::draw(&mut script);
        money::draw(&mut script);
        super::chain::draw(&mut script);
        super::chain::draw_reviewer(&mut script);
        super::chain::draw_named(&mut script);
        script
    }
}

/// The plan before the run.
fn book(dice: &mut Dice, mode: Mode) -> u32 {
    let boxes = dice.number(1, 5);
    let plan = Book::new(boxes, dice.number(0, boxes), 1, dice.chance(80)).content();
    let done = Book::new(boxes, boxes, 1, true).content();
    let empty = Book::new(0, 0, 1, false).content();
    match mode {
        Mode::Build => dice.pick(&[(8, plan), (1, done), (1, empty), (1, 0)]),
        Mode::Plan | Mode::Phase => dice.pick(&[(1, plan), (1, done), (1, empty), (4, 0)]),
        _ => 0,
    }
}

/// Where there is a plan, an agent works on it: in the way of its mode, and sometimes in another.
fn work_on_plan(dice: &mut Dice, act: &mut Act, mode: Mode) {
    let boxes = dice.number(1, 5);
    let builds = dice.pick(&[
        (10, PlanAction::Ticks),
        (1, PlanAction::TicksAll),
        (1, PlanAction::Unticks),
        (2, PlanAction::Flips),
        (1, PlanAction::Adds),
        (1, PlanAction::Rewords),
        (1, PlanAction::Writes { boxes, sound: true }),
        (1, PlanAction::Empties),
    ]);
    let makes = dice.pick(&[
        (5, PlanAction::Writes { boxes, sound: true }),
        (2, PlanAction::Writes { boxes, sound: false }),
        (2, PlanAction::Rewords),
        (1, PlanAction::Flips),
        (1, PlanAction::Empties),
    ]);
    let last = act.actions.iter().rposition(|(_, action)| matches!(action, Action::Answers(_)));
    let at = last.filter(|_| dice.chance(85)).unwrap_or(2).min(act.actions.len());
    let action = if mode.claim() == ClaimSource::Boxes { builds } else { makes };
    let action = if dice.chance(4) { Action::Deletes(PLAN) } else { Action::Plans(action) };
    // Whoever makes a plan is done when there is nothing to mend; he leaves the sources alone, as a rule.
    if mode.writes_only_plan() {
        let lets_alone = dice.chance(75);
        act.actions.retain(|(_, action)| !lets_alone || !matches!(action, Action::Works | Action::Writes(_)));
    }
    let at = at.min(act.actions.len());
    if dice.chance(if mode.claim() == ClaimSource::Boxes { 80 } else { 55 }) {
        act.actions.insert(at, (dice.number(10, 4_000), action));
    }
}

/// In a workspace, an agent says in the status file how it stands; most do, and not all of them tell the truth.
fn report_status(dice: &mut Dice, act: &mut Act) {
    if dice.chance(20) {
        return;
    }
    let word = match act.character {
        "a liar" => StatusWord::Done,
        "a lazy agent" => StatusWord::NoWork,
        _ => dice.pick(&[
            (8, StatusWord::DoneIfSo),
            (2, StatusWord::MoreToDo),
            (1, StatusWord::NoWork),
            (1, StatusWord::Broken),
            (1, StatusWord::Same),
        ]),
    };
    // Most write it at the end, some at the beginning.
    let last = act.actions.iter().rposition(|(_, action)| matches!(action, Action::Answers(_)));
    let at = last.filter(|_| dice.chance(85)).unwrap_or(2).min(act.actions.len());
    act.actions.insert(at, (dice.number(10, 4_000), Action::Reports(word)));
}
