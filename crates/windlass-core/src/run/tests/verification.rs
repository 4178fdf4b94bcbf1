//! A fresh agent is asked before a claim completes the job; and runs that are a judgement and nothing else.

use super::workspace::{complete, workspace};
use super::world::{Act, World, check, fold};
use crate::fact::Fact;
use crate::run::{Phase, REFUSED_CLAIMS};
use crate::spec::{Depth, Mode, RunSpec, Verification};
use crate::values::{Assessed, CheckKind, Class, Cost, JobStatus, Purpose, StopReason, Verdict};

pub(super) fn verified() -> RunSpec {
    let mut plan = workspace(Mode::Loop);
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 2 });
    plan
}

fn world(plan: RunSpec, agent: impl FnMut(u32, crate::values::Now) -> Act + 'static) -> World {
    World::new(plan, agent).with_status(JobStatus::default())
}

fn purposes(world: &World) -> Vec<Purpose> {
    let purpose = |fact: &Fact| match fact {
        Fact::CallReserved { purpose, .. } => Some(*purpose),
        _ => None,
    };
    world.facts().filter_map(purpose).collect()
}

fn works(call: u32) -> Act {
    Act::works(&format!("tree {call}")).writes(complete(&call.to_string()))
}

// rows: 132, 133
#[test]
fn a_job_is_complete_once_a_fresh_agent_says_so() {
    let agent = |call: u32, _| if call == 1 { works(call) } else { Act::judges(Assessed::Pass) };
    let mut world = world(verified(), agent);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Verify]);
    assert_eq!(world.run.counters().finished, 1, "it belongs to the same iteration");
    assert_eq!(world.run.ledger().spent(), Cost::from_micros(200_000), "and is charged");
}

#[test]
fn a_refusal_sends_the_work_back_and_its_findings_with_it() {
    let agent = |call: u32, _| match call {
        2 => Act::judges(Assessed::Fail),
        4 => Act::judges(Assessed::Pass),
        call => works(call),
    };
    let mut world = world(verified(), agent);
    world.until(|effect| matches!(effect, crate::run::Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.run.findings().map(|found| found.summary.as_str()), Some("looked at it"));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.findings(), None);
}

#[test]
fn refused_too_often_it_needs_a_person() {
    for verdict in [Assessed::Fail, Assessed::NeedsReview] {
        let agent = move |call: u32, _| if call % 2 == 1 { works(call) } else { Act::judges(verdict) };
        let mut world = world(verified(), agent);
        assert_eq!(world.finish(), StopReason::NeedsHuman);
        assert_eq!(world.run.counters().unverified, 2);
    }
}

// With all checks green there are none that could have refused it.
#[test]
fn what_a_verifying_agent_refuses_is_not_refused_by_checks() {
    let mut plan = RunSpec { checks: vec![check(CheckKind::Gate, "make test")], ..verified() };
    let attempts = REFUSED_CLAIMS + 2;
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts });
    let agent = move |call: u32, _| if call % 2 == 1 { works(call) } else { Act::judges(Assessed::Fail) };
    let mut world = world(plan, agent);
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(world.run.counters().unverified, attempts);
}

// Without a judgement nothing is shown: an agent that never gives one must not complete the job.
#[test]
fn no_judgement_is_a_refusal() {
    let agent =
        |call: u32, _| if call % 2 == 1 { works(call) } else { Act::claims("tree 1").leaves("tree 1") };
    let mut world = world(verified(), agent);
    assert_eq!(world.finish(), StopReason::NeedsHuman);
}

// It had said yes, worked on, and was ended, or came to an error, before it could say something else.
#[test]
fn a_yes_of_a_call_that_failed_is_no_judgement() {
    for class in [Class::TaskFailure, Class::Outage, Class::MaxTurns, Class::BudgetExhausted] {
        let yes = move || {
            let mut act = Act::judges(Assessed::Pass);
            act.report.class = class;
            act
        };
        let agent = move |call: u32, _| if call % 2 == 1 { works(call) } else { yes() };
        assert_ne!(world(verified(), agent).finish(), StopReason::Complete, "{class:?}");
        let mut plan = workspace(Mode::Verify);
        plan.limits.iterations = Some(1);
        assert_ne!(world(plan, move |_, _| yes()).finish(), StopReason::Complete, "{class:?}");
    }
}

#[test]
fn gates_judge_again_what_the_verifying_agent_wrote() {
    let mut plan = verified();
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    let agent = |call: u32, _| match call {
        1 => works(call),
        2 => Act::judges(Assessed::Pass).leaves("spoilt"),
        3 => Act::works("mended"),
        _ => Act::judges(Assessed::Pass),
    };
    let mut world = world(plan, agent).checking(|_, tree| tree != "spoilt");
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.counters().finished, 2);
    assert_eq!(world.tree, "mended");
}

#[test]
fn what_a_verifying_agent_writes_is_no_progress() {
    let mut plan = verified();
    plan.limits.stagnation = Some(1);
    plan.job.verification = Some(Verification { depth: Depth::Quick, attempts: 9 });
    let agent = |call: u32, _| match call {
        1 => works(call),
        call if call % 2 == 0 => Act::judges(Assessed::Fail).leaves(&format!("tests {call}")),
        _ => Act::idles(),
    };
    let mut world = world(plan, agent);
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert_eq!(world.run.counters().finished, 2);
}

#[test]
fn a_verification_waits_for_its_limit_and_is_repeated_alone() {
    let agent = |call: u32, _| match call {
        1 => works(call),
        2 => Act::limited(None),
        _ => Act::judges(Assessed::Pass),
    };
    let mut world = world(verified(), agent);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Verify, Purpose::Verify]);
}

#[test]
fn killed_at_any_fact_it_goes_on_with_the_verification() {
    let agent = |call: u32, _| if call == 1 { works(call) } else { Act::judges(Assessed::Pass) };
    let mut whole = world(verified(), agent);
    whole.finish();
    for kept in 1..whole.journal.len() {
        // Whoever is called next writes the claim anew and would say yes, whatever it is asked.
        let mut again = world(verified(), |call: u32, _| {
            Act::judges(Assessed::Pass).leaves("tree 1").writes(complete(&format!("again {call}")))
        });
        again.journal = whole.journal.clone();
        again.tree.clone_from(&whole.tree);
        again.status.clone_from(&whole.status);
        again.now = whole.now;
        again.restart(kept);
        assert_eq!(again.finish(), StopReason::Complete, "after fact {kept}");
        assert_eq!(fold(&again.journal), again.run);
    }
}

#[test]
fn a_run_that_judges_ends_with_its_judgement() {
    let cases = [
        (Assessed::Pass, StopReason::Complete),
        (Assessed::NeedsReview, StopReason::GatesFailing),
        (Assessed::Fail, StopReason::GatesFailing),
    ];
    for mode in [Mode::Verify, Mode::Validate] {
        for (verdict, reason) in cases {
            let mut world = World::new(workspace(mode), move |_, _| Act::judges(verdict));
            assert_eq!(world.finish(), reason);
            assert_eq!(purposes(&world), [Purpose::Verify]);
        }
    }
}

#[test]
fn without_a_judgement_it_fails() {
    let mut plan = workspace(Mode::Verify);
    plan.limits.iterations = Some(2);
    plan.limits.failures = 2;
    let mut world = World::new(plan, |_, _| Act::of(Class::Success));
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    assert!(
        world.facts().any(|fact| matches!(fact, Fact::IterationFinished { verdict: Verdict::Failed, .. }))
    );
    assert_eq!(world.run.phase(), Phase::Ended(StopReason::ConsecutiveFailures));
}

// The gates judged a tree that an attempt before the last one changed.
#[test]
fn gates_judge_again_what_a_verification_that_was_cut_off_had_written() {
    let agent = |call: u32, _| match call {
        1 => works(call),
        2 => Act::limited(None).leaves("broken by the verifying agent"),
        _ => Act::judges(Assessed::Pass),
    };
    let mut plan = verified();
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    plan.limits.iterations = Some(1);
    let mut world = world(plan, agent).checking(|_, tree| tree == "tree 1");
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

#[test]
fn a_claim_that_is_taken_back_while_it_is_verified_completes_nothing() {
    let agent = |call: u32, _| if call == 1 { works(call) } else { Act::judges(Assessed::Pass) };
    let mut plan = verified();
    plan.limits.iterations = Some(1);
    let mut world = world(plan, agent);
    world.until(
        |effect| matches!(effect, crate::run::Effect::Prepare { purpose, .. } if *purpose == Purpose::Verify),
    );
    world.restart(world.journal.len());
    world.status = Some(JobStatus { complete: false, ..complete("a person wrote this") });
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

#[test]
fn a_fresh_agent_is_asked_by_the_claim_that_would_complete_the_job_and_by_none_before() {
    let mut plan = super::world::plan();
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 2 });
    let agent = |call: u32, _| {
        if call == 4 { Act::judges(Assessed::Pass) } else { Act::claims(&format!("tree {call}")) }
    };
    let mut world = World::new(plan, agent);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Work, Purpose::Work, Purpose::Verify]);
}
