//! Whole nights from a seed: random agents, checks, limits, stops and crashes.

use std::time::Duration;

use proptest::prelude::*;

use super::councils::{principles, spec};
use super::world::{Act, World, check, fold, plan};
use crate::fact::Fact;
use crate::run::{Input, Phase};
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{CheckKind, Class, Conflict, Cost, Purpose, StopReason, StopSource};

/// What an agent may do in one call of a random night.
fn act() -> impl Strategy<Value = Act> {
    let tree = (0_u8..6).prop_map(|tree| format!("tree {tree}"));
    let class = prop_oneof![
        8 => Just(Class::Success),
        1 => Just(Class::TaskFailure),
        1 => Just(Class::MaxTurns),
        1 => Just(Class::Outage),
        1 => Just(Class::ContextTooLong),
        1 => Just(Class::Interrupted),
        1 => Just(Class::UsageLimit),
    ];
    let cost = prop_oneof![Just(None), Just(Some(0_u64)), (1_u64..900_000).prop_map(Some)];
    (class, tree, any::<[bool; 3]>(), cost).prop_map(|(class, tree, [claims, touches, conflicts], cost)| {
        let mut act = if claims { Act::claims(&tree) } else { Act::works(&tree) };
        act = if conflicts { act.conflicts("which?") } else { act };
        act.report.class = class;
        act.report.cost = cost.map(Cost::from_micros);
        act.tree = act.tree.filter(|_| touches);
        act
    })
}

fn night_plan() -> impl Strategy<Value = RunSpec> {
    (any::<[bool; 5]>(), 1_u32..12, 1_u64..6).prop_map(
        |([until, gate, commit, capped, councils], iterations, dollars)| {
            let mut plan = plan();
            plan.limits.iterations = Some(iterations);
            plan.limits.cost = capped.then(|| Cost::from_micros(dollars * 1_000_000));
            let checks = [(until, CheckKind::Until), (gate, CheckKind::Gate)];
            plan.checks =
                checks.iter().filter(|(on, _)| *on).map(|(_, kind)| check(*kind, "check")).collect();
            plan.principles = councils.then(principles);
            plan.council = councils.then(spec);
            plan.commit = if commit { CommitPolicy::Runner } else { CommitPolicy::None };
            plan
        },
    )
}

fn world(plan: RunSpec, acts: Vec<Act>) -> World {
    let agent = move |call: u32, _| acts[call as usize % acts.len()].clone();
    let council = |call: u32, _: &Conflict| Act::decides(Some(call % 4));
    World::new(plan, agent).counselled(council).checking(|_, tree| tree.ends_with('3') || tree.ends_with('4'))
}

/// What must hold of every journal.
fn invariants(world: &World) -> Result<(), TestCaseError> {
    prop_assert_eq!(&fold(&world.journal), &world.run, "the journal folds back to the same state");
    let mut charged = Cost::ZERO;
    let mut iterations = 0;
    let mut endings = 0;
    for fact in world.facts() {
        match fact {
            Fact::CallFinished { summary, .. } => charged += summary.cost,
            Fact::IterationFinished { iteration, .. } => {
                prop_assert_eq!(*iteration, iterations + 1, "no number is lost or counted twice");
                iterations = *iteration;
            }
            Fact::RunFinished { cost, .. } => {
                endings += 1;
                prop_assert_eq!(*cost, charged);
            }
            Fact::RunResumed { .. } => endings = 0,
            _ => {}
        }
    }
    prop_assert_eq!(endings, 1, "one stop reason per ending");
    let called =
        world.facts().filter(|fact| matches!(fact, Fact::FollowUpDue { purpose: Purpose::Council, .. }));
    prop_assert!(called.count() <= 5, "no run calls more councils");
    prop_assert!(world.run.decisions().len() <= 5);
    let plan = world.run.spec().expect("it started");
    if let Some(limit) = plan.limits.cost {
        let largest = world.facts().filter_map(|fact| match fact {
            Fact::CallFinished { summary, .. } => Some(summary.cost),
            _ => None,
        });
        let bound = limit + largest.max().unwrap_or_default();
        prop_assert!(charged <= bound, "{} of {} was spent", charged, limit);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_night_ends_and_keeps_its_books(plan in night_plan(), acts in prop::collection::vec(act(), 1..12)) {
        let mut world = world(plan, acts);
        world.finish();
        invariants(&world)?;
    }

    // rows: 75
    #[test]
    fn a_run_killed_after_any_fact_goes_on_and_keeps_its_books(
        plan in night_plan(),
        acts in prop::collection::vec(act(), 1..8),
        kills in prop::collection::vec(0_usize..60, 1..4),
    ) {
        let mut world = world(plan, acts);
        for kill in kills {
            for _ in 0..kill {
                if !world.step() { break; }
            }
            if matches!(world.run.phase(), Phase::Active) {
                world.restart(world.journal.len());
            }
        }
        world.finish();
        invariants(&world)?;
    }

}

/// So many prefixes of one journal are continued. Most nights have no more; of one that drew a thousand retries each would take as long
/// as the whole night.
const MOST_PREFIXES: usize = 400;

/// All of a journal's prefixes, or so many spread over a long one.
fn prefixes(length: usize) -> impl Iterator<Item = usize> {
    (1..length).step_by(length.div_ceil(MOST_PREFIXES).max(1))
}

proptest! {
    // Each case continues every prefix of a night, so fewer cases are as many nights.
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_prefix_of_a_journal_can_be_continued(plan in night_plan(), acts in prop::collection::vec(act(), 1..6)) {
        let mut whole = world(plan.clone(), acts.clone());
        whole.finish();
        for kept in prefixes(whole.journal.len()) {
            let mut prefix = world(plan.clone(), acts.clone());
            prefix.journal = whole.journal.clone();
            prefix.now = whole.now;
            prefix.restart(kept);
            prefix.finish();
            invariants(&prefix)?;
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_stop_at_any_moment_ends_the_run(
        acts in prop::collection::vec(act(), 1..8), steps in 0_usize..60, presses in 1_u8..4,
    ) {
        let mut world = world(plan(), acts);
        for _ in 0..steps {
            if !world.step() { break; }
        }
        let ended = matches!(world.run.phase(), Phase::Ended(_)) || world.run.is_ending();
        for _ in 0..presses {
            world.input(Input::Stop { by: StopSource::Interrupt, least: 1 });
        }
        world.pass(Duration::from_secs(1));
        let reason = world.finish();
        prop_assert!(ended || matches!(reason, StopReason::Interrupted | StopReason::Complete), "{:?}", reason);
        invariants(&world)?;
    }
}
