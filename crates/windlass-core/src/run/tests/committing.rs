use super::verification::verified;
use super::workspace::complete;
use super::world::{Act, Refusal, World, check, fold, plan};
use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::{Effect, Input, Phase};
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{Assessed, CheckKind, Class, JobStatus, LaneId, Purpose, StopReason, Verdict};

fn committing() -> RunSpec {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.limits.iterations = Some(2);
    plan
}

fn verdicts(world: &World) -> Vec<Verdict> {
    let verdict = |fact: &Fact| match fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    };
    world.facts().filter_map(verdict).collect()
}

// rows: 74, 80
#[test]
fn what_a_failed_iteration_left_is_committed_with_the_next_good_one() {
    let mut world = World::new(committing(), |call, _| match call {
        1 => Act::of(Class::TaskFailure).leaves("half"),
        _ => Act::idles(),
    });
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(verdicts(&world), [Verdict::Failed, Verdict::Idle]);
    assert_eq!(world.commits, 1);
}

// rows: 74, 75
#[test]
fn a_kill_between_keeping_and_committing_loses_no_commit() {
    let mut world =
        World::new(committing(), |call, _| if call == 1 { Act::works("done") } else { Act::idles() });
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::Idle]);
    assert_eq!(world.commits, 1);
}

// rows: 75
#[test]
fn a_run_that_cannot_keep_what_was_done_ends_and_keeps_it_when_it_goes_on() {
    for reason in [StopReason::DiskFull, StopReason::Internal, StopReason::NeedsHuman] {
        for stuck in ["keep", "commit"] {
            let mut world = World::new(committing(), |call, _| Act::works(&format!("step {call}")));
            world.until(|effect| match effect {
                Effect::Keep { .. } => stuck == "keep",
                Effect::Commit { .. } => stuck == "commit",
                _ => false,
            });
            world.input(Input::from(report::Broken { stop_reason: reason, detail: "no room".to_owned() }));
            assert!(world.run.is_ending() && world.step());
            assert_eq!(
                world.run.phase(),
                Phase::Ended(reason),
                "{stuck}: nobody waits for what may never end"
            );
            world.restart(world.journal.len());
            assert_eq!(world.finish(), StopReason::MaxIterations, "{stuck}");
            assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::Worked], "{stuck}");
            assert_eq!(world.commits, 2, "{stuck}");
        }
    }
}

#[test]
fn what_checks_write_is_neither_progress_nor_to_be_committed() {
    let mut plan = RunSpec { checks: vec![check(CheckKind::Gate, "test")], ..committing() };
    plan.limits.iterations = Some(3);
    let mut world = World::new(plan, |call, _| if call == 1 { Act::works("done") } else { Act::idles() });
    for written in ["baseline", "candidate"] {
        world.until(|effect| matches!(effect, Effect::RunCheck { .. }));
        world.step();
        world.tree += written;
    }
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::Idle, Verdict::Idle]);
    assert_eq!(world.commits, 1);

    let mut idle =
        World::new(RunSpec { checks: vec![check(CheckKind::Gate, "test")], ..committing() }, |_, _| {
            Act::idles()
        });
    idle.until(|effect| matches!(effect, Effect::RunCheck { .. }));
    idle.step();
    idle.tree = "written by the check".to_owned();
    idle.finish();
    assert_eq!(verdicts(&idle), [Verdict::Idle, Verdict::Idle]);
    assert_eq!(idle.commits, 0);
}

// Seed 412331 of the nights: the call failed, what it left was verified as the whole job, and was in no commit.
#[test]
fn work_that_is_shown_to_be_done_is_committed_however_its_call_ended() {
    for class in [Class::TaskFailure, Class::Unknown, Class::Outage, Class::UsageLimit] {
        let agent = move |call: u32, _| match call {
            1 => Act::of(class).leaves("done").writes(complete("1")),
            _ => Act::judges(Assessed::Pass),
        };
        let plan = RunSpec { commit: CommitPolicy::Runner, ..verified() };
        let mut world = World::new(plan, agent).with_status(JobStatus::default());
        assert_eq!((world.finish(), world.commits), (StopReason::Complete, 1), "{class:?}");
    }
    for class in [Class::TaskFailure, Class::Unknown, Class::Outage] {
        let mut plan = committing();
        plan.checks = vec![check(CheckKind::Until, "make test")];
        let agent = move |_, _| Act::of(class).leaves("done");
        let mut world = World::new(plan, agent).checking(|_, tree| tree == "done");
        assert_eq!((world.finish(), world.commits), (StopReason::Complete, 1), "{class:?} by a check");
    }
}

#[test]
fn what_a_failed_call_left_is_not_committed_while_its_gates_are_red() {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..verified() };
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    plan.limits.iterations = Some(1);
    let agent = |_, _| Act::of(Class::TaskFailure).leaves("half").writes(complete("1"));
    let mut world = World::new(plan, agent).with_status(JobStatus::default()).checking(|_, _| false);
    assert_eq!((world.finish(), world.commits), (StopReason::MaxIterations, 0));
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused]);
}

fn claims_once() -> RunSpec {
    let mut plan = committing();
    plan.job.completion_threshold = 1;
    plan.limits.iterations = Some(9);
    plan
}

#[test]
fn what_a_hook_refuses_is_not_done_until_it_is_committed() {
    let mut world = World::new(claims_once(), |call, _| Act::claims(&format!("tree {call}")));
    world.refusal = Some(Refusal::Hook);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 3));
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused, Verdict::ClaimRefused]);
    world.refusal = None;
    assert_eq!((world.finish(), world.commits), (StopReason::Complete, 1));

    let mut world = World::new(claims_once(), |call, _| Act::claims(&format!("tree {call}")));
    world.refusal = Some(Refusal::Hook);
    assert_eq!(world.finish(), StopReason::GatesFailing);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 5]);
    assert!(detail(&world).contains("5 claims in a row were refused by a hook of the repository"));
}

#[test]
fn claims_that_checks_refuse_are_said_to_be_refused_by_them_though_a_hook_refused_one_before() {
    let plan = RunSpec { checks: vec![check(CheckKind::Gate, "make test")], ..claims_once() };
    let mut world =
        World::new(plan, |call, _| Act::claims(&format!("tree {call}"))).checking(|_, tree| tree == "tree 1");
    world.refusal = Some(Refusal::Hook);
    assert_eq!(world.finish(), StopReason::GatesFailing);
    assert_eq!(verdicts(&world).len(), 6);
    assert!(
        detail(&world).contains("5 claims in a row were refused by the same checks"),
        "{}",
        detail(&world)
    );
}

#[test]
fn nobody_is_asked_to_verify_what_could_not_be_committed() {
    let plan = RunSpec { commit: CommitPolicy::Runner, ..verified() };
    let agent = |call: u32, _| Act::works(&format!("tree {call}")).writes(complete(&call.to_string()));
    let mut world = World::new(plan, agent).with_status(JobStatus::default());
    world.refusal = Some(Refusal::Hook);
    world.finish();
    let verifies = |fact: &Fact| matches!(fact, Fact::CallReserved { purpose: Purpose::Verify, .. });
    assert!(!world.facts().any(verifies));
}

#[test]
fn where_git_does_not_commit_what_is_done_a_person_has_to_look() {
    let mut world = World::new(claims_once(), |call, _| Act::claims(&format!("tree {call}")));
    world.refusal = Some(Refusal::Git);
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 2], "it may have been in the way for a moment");
    assert!(detail(&world).contains("could not be committed: nobody is named"), "{}", detail(&world));
    world.restart(world.journal.len());
    world.refusal = None;
    assert_eq!((world.finish(), world.commits), (StopReason::Complete, 1), "it is mended");
}

// What was refused before a restart is gone: a person has undone the work, and there is nothing to commit.
#[test]
fn a_refusal_is_over_where_nothing_is_left_to_commit() {
    let mut plan = claims_once();
    plan.checks = vec![check(CheckKind::Until, "true")];
    let mut world = World::new(plan, |_, _| Act::works("tree")).checking(|_, tree| tree != "start");
    world.refusal = Some(Refusal::Hook);
    world.until(|effect| matches!(effect, Effect::Settle { .. }));
    let kept = world.journal.len();
    world.tree = "start".to_owned();
    world.restart(kept);
    let mut world = world.checking(|_, _| true);
    assert_eq!(world.finish(), StopReason::Complete);
}

/// Why the run ended.
fn detail(world: &World) -> String {
    let detail = |fact: &Fact| match fact {
        Fact::RunFinished { detail, .. } => Some(detail.clone()),
        _ => None,
    };
    world.facts().find_map(detail).unwrap_or_default()
}

// An earlier release concluded without committing what a failed call had left: what it journalled is folded as it was meant.
#[test]
fn journals_in_which_the_work_of_a_failed_call_was_not_committed_are_folded() {
    for gates in [vec![], vec![check(CheckKind::Gate, "make test")]] {
        let plan = RunSpec { commit: CommitPolicy::Runner, checks: gates, ..verified() };
        let agent = |_, _| Act::of(Class::TaskFailure).leaves("done").writes(complete("1"));
        let mut world = World::new(plan, agent).with_status(JobStatus::default());
        world.until(|effect| matches!(effect, Effect::Commit { .. }));
        let mut journal = world.journal.clone();
        let (lane, evidence) = (LaneId::default(), world.evidence());
        let looked = Fact::TreeRechecked(report::TreeRechecked { lane, evidence });
        let asked = Fact::FollowUpDue { lane, iteration: 1, attempt: 1, purpose: Purpose::Verify };
        let follow = if world.count("check_finished") > 0 { vec![looked, asked] } else { vec![asked] };
        for fact in follow {
            journal.push(Entry { seq: journal.len() as u64 + 1, at: world.now, fact });
        }
        assert_eq!(fold(&journal).lane(lane).map(crate::values::Named::name), Some("preparing"));
    }
}
