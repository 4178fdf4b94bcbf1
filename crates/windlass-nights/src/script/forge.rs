//! The way out: a forge, the people there, and what goes wrong on the way; for nights of certain numbers only.

use std::ops::Range;
use std::time::Duration;

use windlass_core::forge::{MergeStrategy, RepositoryName};
use windlass_core::spec::{CommitPolicy, DeliverySpec, Mode, NoChecks, PullRequestPer, Readiness};

use super::{Action, CheckRule, Script, characters};
use crate::dice::Dice;

/// The nights whose work may go out.
const NIGHTS: Range<u64> = 400_000..500_000;

/// What these dice start from, with the seed.
const FORGE: u64 = 0x666F_7267_6500_0000;

/// What a forge is like.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "rules that hold independently of each other")]
pub(crate) struct ForgeNature {
    /// What becomes of the checks of each head, one after another, over and over.
    pub checks: Vec<ChecksNature>,
    /// The base's rules: a review, checks that passed, a branch that has all of the base.
    pub needs_review: bool,
    pub needs_checks: bool,
    pub needs_base: bool,
    /// Somebody was asked for a review from the beginning.
    pub asks_reviewer: bool,
    /// So many seconds after it was opened somebody approves; `None` = nobody does.
    pub approves_after: Option<u32>,
    /// For so many looks it shows the head before the newest one.
    pub lag: u32,
    /// For so many looks it does not say whether it can be merged.
    pub computes_after: u32,
    /// What happens at which call of it, ascending.
    pub events: Vec<(u32, ForgeEvent)>,
}

/// What becomes of the checks of a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ChecksNature {
    /// Seconds until they are there; `None` = they never are.
    pub appear: Option<u32>,
    /// Seconds until they are over; `None` = they never are.
    pub take: Option<u32>,
    pub end: ChecksEnd,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ChecksEnd {
    Green,
    Red,
    Cancelled,
    Unknown,
    /// Red, under way again, green, and from the beginning.
    Flaps,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ForgeEvent {
    PersonMerges,
    PersonCloses,
    /// Somebody puts another commit there instead.
    PersonPushes,
    PersonDrafts,
    BaseMoves,
    /// The base has changed the same.
    Conflicts,
    /// Somebody with a say begins a conversation.
    Comments,
    ChangesRequested,
    /// It does not answer so many times; it may later, or somebody has to do something.
    Silent {
        calls: u32,
        passes: bool,
    },
    /// It asks for so many seconds of patience.
    Limited(u32),
    /// What is asked for next is done, and the answer is lost.
    LosesAnswer,
    /// What is asked for next is refused.
    Refuses,
    Kill,
    /// After what is asked for next.
    KillAfter,
    PowerCut,
    PowerCutAfter,
}

pub(super) fn draw(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ FORGE);
    if !NIGHTS.contains(&script.seed) || script.mode().judges() || script.commutes || !dice.chance(70) {
        return;
    }
    let plan = &mut script.plan;
    (plan.git, plan.commit) = (true, CommitPolicy::Runner);
    plan.delivery = Some(spec(&mut dice));
    script.forge = Some(nature(&mut dice));
    super::reviews::spare_work(script);
    // What agents commit by themselves may hold what is undone in the files: `docs/nights.md`.
    for act in &mut script.acts {
        act.actions.retain(|(_, action)| *action != Action::Commits);
    }
    let plan = &mut script.plan;
    if plan.job.mode == Mode::Goal && dice.chance(50) {
        // Most of these come to their end, so that much of it is about the way out.
        script.acts = vec![characters::honest(&mut dice)];
        plan.limits.duration = None;
        for check in &mut script.checks {
            check.rule = dice.pick(&[(3, CheckRule::WhenDone(script.goal)), (1, CheckRule::Flaky(80))]);
        }
    }
}

fn spec(dice: &mut Dice) -> DeliverySpec {
    let merge = dice.pick(&[
        (2, None),
        (2, Some(MergeStrategy::Squash)),
        (2, Some(MergeStrategy::Merge)),
        (2, Some(MergeStrategy::Rebase)),
    ]);
    let no_checks = dice.pick(&[(1, NoChecks::Wait), (1, NoChecks::Merge), (1, NoChecks::Leave)]);
    let minutes = |dice: &mut Dice, choices: &[(u32, u64)]| Duration::from_mins(dice.pick(choices));
    DeliverySpec {
        remote: "origin".to_owned(),
        remote_digest: String::new(),
        repository: RepositoryName {
            host: "forge".to_owned(),
            owner: "somebody".to_owned(),
            name: "night".to_owned(),
        },
        branch: "windlass/r-night".to_owned(),
        base: "main".to_owned(),
        per: PullRequestPer::Run,
        readiness: dice.pick(&[(1, Readiness::Draft), (1, Readiness::Ready)]),
        merge,
        no_checks: if merge.is_some() { no_checks } else { NoChecks::Leave },
        ci_retries: dice.number(0, 2),
        review_rounds: dice.number(0, 2),
        checks_appear: minutes(dice, &[(1, 1), (2, 5)]),
        checks_wait: minutes(dice, &[(1, 10), (2, 60)]),
        review_wait: minutes(dice, &[(1, 5), (2, 30)]),
        poll: Duration::from_secs(15),
    }
}

fn nature(dice: &mut Dice) -> ForgeNature {
    let count = dice.between(1, 4);
    let reach = dice.pick(&[(3, 10), (2, 25), (1, 80)]);
    let how_many = dice.pick(&[(2, 0), (3, 1), (3, 3), (1, 7)]);
    let mut events: Vec<(u32, ForgeEvent)> =
        (0..how_many).map(|_| (dice.number(1, reach), event(dice))).collect();
    events.sort_by_key(|(call, _)| *call);
    ForgeNature {
        checks: (0..count).map(|_| checks(dice)).collect(),
        needs_review: dice.chance(25),
        needs_checks: dice.chance(40),
        needs_base: dice.chance(40),
        asks_reviewer: dice.chance(10),
        approves_after: dice.pick(&[(4, Some(40)), (2, Some(900)), (1, None)]),
        lag: dice.pick(&[(4, 0), (2, 1), (1, 3)]),
        computes_after: dice.pick(&[(3, 0), (2, 1), (1, 4)]),
        events,
    }
}

fn checks(dice: &mut Dice) -> ChecksNature {
    ChecksNature {
        appear: dice.pick(&[(4, Some(5)), (3, Some(50)), (1, Some(400)), (1, None)]),
        take: dice.pick(&[(4, Some(60)), (2, Some(900)), (1, Some(5_000)), (1, None)]),
        end: dice.pick(&[
            (8, ChecksEnd::Green),
            (4, ChecksEnd::Red),
            (1, ChecksEnd::Cancelled),
            (1, ChecksEnd::Unknown),
            (2, ChecksEnd::Flaps),
        ]),
    }
}

fn event(dice: &mut Dice) -> ForgeEvent {
    let calls = dice.number(1, 6);
    let patience = dice.pick(&[(3, 90), (1, 1_500), (1, 9_000)]);
    dice.pick(&[
        (2, ForgeEvent::PersonMerges),
        (2, ForgeEvent::PersonCloses),
        (2, ForgeEvent::PersonPushes),
        (1, ForgeEvent::PersonDrafts),
        (3, ForgeEvent::BaseMoves),
        (1, ForgeEvent::Conflicts),
        (2, ForgeEvent::Comments),
        (1, ForgeEvent::ChangesRequested),
        (2, ForgeEvent::Silent { calls, passes: true }),
        (1, ForgeEvent::Silent { calls, passes: false }),
        (1, ForgeEvent::Limited(patience)),
        (2, ForgeEvent::LosesAnswer),
        (1, ForgeEvent::Refuses),
        (3, ForgeEvent::Kill),
        (4, ForgeEvent::KillAfter),
        (2, ForgeEvent::PowerCut),
        (3, ForgeEvent::PowerCutAfter),
    ])
}
