//! Drawing a night of tasks: the tasks and what they wait for, lanes, and what agents do to the task file.

use std::time::Duration;

use windlass_core::spec::{CommitPolicy, JobTasks, LanesSpec};
use windlass_core::values::{Check, CheckKind, CriterionOf};

use super::characters::{Draw, act, dying, fine, lazy, limited, silent};
use super::natures::{self, file};
use super::{
    Act, Action, CheckNature, CheckRule, End, Event, Happening, Hook, Leaves, Script, TaskAction, TaskNature,
    Word,
};
use crate::dice::Dice;
use crate::world::{MOST_TASKS, Mark, TaskFile, task_id};

/// The last seed whose journal is kept as a hash.
const HASHED: u64 = 100_000;

/// Makes a night one of tasks.
pub(super) fn draw(script: &mut Script, dice: &mut Dice) {
    let count = usize::try_from(dice.between(1, MOST_TASKS as u64)).unwrap_or(1);
    script.tasks = (0..count).map(|number| nature(dice, number, count)).collect();
    let mut file = TaskFile::default();
    for mark in file.marks.iter_mut().take(count) {
        *mark = dice.pick(&[(12, Mark::Open), (2, Mark::Begun), (2, Mark::Done)]);
    }
    script.book = if dice.chance(2) { 0 } else { file.content() };
    let attempts = dice.pick(&[(4, 2), (1, 1), (1, 3)]);
    let plan = &mut script.plan;
    // Dice of its own, so that other nights are what they were.
    let commits_attempts = Dice::new(script.seed ^ 0x5eed_0003).chance(30);
    plan.job.tasks = Some(JobTasks {
        file: "requirements.md".into(),
        progress: None,
        feature: None,
        attempts,
        commits_attempts,
        issues: None,
    });
    plan.job.workspace = None;
    plan.job.verification = None;
    plan.job.notes_file = None;
    plan.limits.iterations = Some(dice.number(1, 14));
    if dice.chance(60) {
        plan.git = true;
        plan.commit = CommitPolicy::Runner;
        let lanes = u16::try_from(dice.between(2, 4)).unwrap_or(2);
        plan.lanes = Some(LanesSpec::of(lanes, "/state/lanes".into()));
    }
    gates(script, dice);
    // Dice of its own, and none in nights that are kept as hashes: these are what they were.
    if script.seed > HASHED {
        criteria(script, &mut Dice::new(script.seed ^ 0x5eed_0004), count);
    }
    for act in &mut script.acts {
        work_on_tasks(dice, act, count);
    }
    script.mergers = (0..dice.between(1, 3)).map(|_| merging(dice)).collect();
    if script.plan.lanes.is_some() {
        people(script, dice);
        if dice.chance(15) {
            commute(script, dice);
        }
    }
}

/// Most wait for some that come before them; some for themselves, or for what is not there.
fn nature(dice: &mut Dice, number: usize, count: usize) -> TaskNature {
    let mut dependencies = Vec::new();
    for other in 0..count {
        let often = if other < number { 30 } else { 2 };
        if dice.chance(often) {
            dependencies.push(u8::try_from(other).unwrap_or(0));
        }
    }
    if dice.chance(3) {
        dependencies.push(99);
    }
    TaskNature { priority: dice.pick(&[(1, 1), (4, 2), (1, 3)]), dependencies, has_twin: false, agent: None }
}

fn gates(script: &mut Script, dice: &mut Dice) {
    let kept = script.plan.checks.iter().map(|check| check.kind == CheckKind::Gate).collect::<Vec<_>>();
    let mut of = kept.iter();
    script.checks.retain(|_| of.next().copied().unwrap_or(false));
    script.plan.checks.retain(|check| check.kind == CheckKind::Gate);
    for check in &mut script.checks {
        let one = dice.number(0, 5);
        let apart = CheckRule::Apart(one, dice.number(0, 5));
        check.rule = dice.pick(&[
            (6, CheckRule::Whole),
            (4, CheckRule::Always),
            (4, apart),
            (2, CheckRule::Flaky(70)),
            (1, CheckRule::Never),
            (1, CheckRule::Slow),
        ]);
    }
}

/// In some nights tasks have criteria: most hold, some only on a whole tree, some never.
fn criteria(script: &mut Script, dice: &mut Dice, count: usize) {
    if !dice.chance(25) {
        return;
    }
    for number in 0..count {
        if dice.chance(50) {
            let criterion = Some(CriterionOf { task: task_id(number), lookup: None, to_the_end: true });
            let words = format!("criterion of task {number}");
            let check = Check::new(CheckKind::Criterion, words, Duration::from_mins(10));
            let rule = dice.pick(&[
                (8, CheckRule::Always),
                (4, CheckRule::Whole),
                (3, CheckRule::Flaky(60)),
                (1, CheckRule::Never),
            ]);
            script.plan.checks.push(Check { criterion, ..check });
            script.checks.push(CheckNature { rule, ..natures::check(dice, 1) });
        }
    }
}

/// Where there are tasks, an agent works on its own and says when that is done; some say it of others.
fn work_on_tasks(dice: &mut Dice, act: &mut Act, count: usize) {
    for (_, action) in &mut act.actions {
        if *action == Action::Works {
            *action = Action::Tasks(TaskAction::Works);
        }
    }
    let any = u8::try_from(dice.below(count as u64)).unwrap_or(0);
    let honest = dice.pick(&[(12, TaskAction::ClaimsIfSo), (2, TaskAction::Claims)]);
    let says = if act.character == "a liar" { TaskAction::Claims } else { honest };
    let meddles = dice.pick(&[
        (2, TaskAction::ClaimsAnother(any)),
        (1, TaskAction::Reopens(any)),
        (1, TaskAction::Deletes(any)),
        (1, TaskAction::Adds),
        (2, TaskAction::Rewords),
        (5, TaskAction::Shares),
    ]);
    let last = act.actions.iter().rposition(|(_, action)| matches!(action, Action::Answers(_)));
    let at = last.unwrap_or(2).min(act.actions.len());
    if dice.chance(80) {
        act.actions.insert(at, (dice.number(10, 3_000), Action::Tasks(says)));
    }
    if dice.chance(25) {
        act.actions.insert(at, (dice.number(10, 3_000), Action::Tasks(meddles)));
    }
}

/// A person does not stay away from the project while lanes work at it.
fn people(script: &mut Script, dice: &mut Dice) {
    for _ in 0..dice.pick(&[(3, 0), (2, 1), (1, 3)]) {
        let file = file(dice);
        let what = dice.pick(&[(3, Happening::TipMoves(file)), (1, Happening::Dirties(file))]);
        script.events.push(Event { step: dice.number(1, 300), part: 128, what });
    }
    // Dice of its own, so that other nights are what they were.
    let mut dice = Dice::new(script.seed ^ 0x5eed_0004);
    let lanes = script.plan.lanes.as_ref().map_or(1, |lanes| u64::from(lanes.count));
    for _ in 0..dice.pick(&[(6, 0), (2, 1), (1, 4)]) {
        let what = Happening::LaneGoes(u8::try_from(dice.between(1, lanes)).unwrap_or(1));
        script.events.push(Event { step: dice.number(1, 300), part: 128, what });
    }
    let mut dice = Dice::new(script.seed ^ 0x5eed_0006);
    for _ in 0..dice.pick(&[(6, 0), (2, 1), (1, 2)]) {
        let what = Happening::Locks(dice.pick(&[(3, 1), (2, 5), (1, 200)]));
        script.events.push(Event { step: dice.number(1, 300), part: 128, what });
    }
    script.events.sort_by_key(|event| event.step);
}

/// Nothing goes wrong, and no task has to do with another: it does not matter how many lanes there are.
fn commute(script: &mut Script, dice: &mut Dice) {
    script.commutes = true;
    script.events.clear();
    script.pauses.clear();
    script.hook = Hook::None;
    script.hooks.clear();
    script.plan.hooks.clear();
    script.acts = vec![diligent(dice)];
    script.book = TaskFile::default().content();
    let count = script.tasks.len();
    for (number, task) in script.tasks.iter_mut().enumerate() {
        task.dependencies.retain(|other| usize::from(*other) < number && usize::from(*other) < count);
    }
    for check in &mut script.checks {
        *check = CheckNature { rule: CheckRule::Whole, leaves: Leaves::Nothing, ..check.clone() };
    }
    let limits = &mut script.plan.limits;
    (limits.iterations, limits.cost, limits.tokens, limits.duration) = (Some(40), None, None, None);
    (limits.stagnation, limits.overage) = (None, true);
}

/// Works on its task, says so, and that is all.
fn diligent(dice: &mut Dice) -> Act {
    let middle = vec![
        (dice.number(200, 60_000), Action::UsesTool),
        (dice.number(50, 5_000), Action::Tasks(TaskAction::Works)),
        (900, Action::Spends),
        (300, Action::Tasks(TaskAction::Claims)),
        (dice.number(50, 3_000), fine(Word::MoreToDo)),
    ];
    act("a diligent agent", dice, middle, End::Exits(0))
}

/// Is to put its work together with what the branch has got meanwhile.
fn merging(dice: &mut Dice) -> Act {
    let trouble: Draw = dice.pick(&[(2, limited as Draw), (1, dying), (1, silent), (1, lazy)]);
    if dice.chance(20) {
        return trouble(dice);
    }
    let mut middle = vec![(dice.number(100, 30_000), Action::UsesTool), (900, Action::Spends)];
    if dice.chance(80) {
        middle.push((500, Action::Tasks(TaskAction::Resolves)));
    }
    if dice.chance(60) {
        middle.push((500, Action::Tasks(TaskAction::Glues)));
    }
    middle.push((200, fine(Word::MoreToDo)));
    act("an agent that is to merge", dice, middle, End::Exits(0))
}
