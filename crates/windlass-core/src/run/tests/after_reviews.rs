//! What a review, or that none was made, leaves of the work that it was about.

use super::guarding::verdicts;
use super::plans::boxes;
use super::workspace::{complete, workspace};
use super::world::{Act, World, plan, planned};
use crate::fact::Fact;
use crate::report;
use crate::run::{Effect, TurnKey};
use crate::spec::{CommitPolicy, Depth, Mode, ReviewSpec, RunSpec, Verification};
use crate::values::{
    Assessed, Class, JobStatus, LaneId, Purpose, ReviewVerdict, SnapshotId, StopReason, Verdict,
};

/// One iteration, whose work is looked over and then committed.
fn reviewed() -> RunSpec {
    let mut plan = plan();
    plan.job.completion_threshold = 1;
    plan.limits.iterations = Some(1);
    RunSpec { review: Some(ReviewSpec::default()), commit: CommitPolicy::Runner, ..plan }
}

fn skipping() -> ReviewSpec {
    ReviewSpec { skip_below_lines: 10, ..ReviewSpec::default() }
}

fn is_review(effect: &Effect) -> bool {
    matches!(effect, Effect::Prepare { purpose: Purpose::Review, .. })
}

fn mends(tree: &'static str) -> Act {
    Act::reviews(ReviewVerdict::Changed, &[]).leaves(tree)
}

#[test]
fn a_review_that_is_skipped_was_no_attempt() {
    let mut plan = RunSpec { review: Some(skipping()), ..reviewed() };
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 1 });
    let agent = |call, _| if call == 1 { Act::claims("tree") } else { Act::judges(Assessed::Pass) };
    let mut world = World::new(plan, agent);
    world.few_lines = Some(9);
    let committed = TurnKey { iteration: 1, attempt: 1 };
    world.until(|effect| matches!(effect, Effect::Commit { turn, .. } if *turn == committed));
    let verified = TurnKey { iteration: 1, attempt: 2 };
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if *turn == verified));
    assert_eq!(world.finish(), StopReason::Complete);
}

#[test]
fn that_a_review_is_skipped_means_nothing_where_none_is_prepared() {
    let mut world = World::new(reviewed(), |_, _| Act::claims("tree"));
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    world.input(report::ReviewSkipped { lane: LaneId(0), iteration: 1, attempt: 1, lines: 9 }.into());
    assert_eq!(world.count("review_skipped"), 0);
    assert_eq!(world.finish(), StopReason::Complete);
}

// The configuration may name a reviewer for all modes.
#[test]
fn where_nobody_looks_work_over_none_of_it_waits_for_that() {
    let plan = RunSpec { review: Some(ReviewSpec::default()), ..planned(Mode::Plan) };
    let plan = RunSpec { commit: CommitPolicy::Runner, ..plan };
    let mut world = World::new(plan, |call, _| match call {
        1 => Act::works("one").writes(boxes(0)),
        2 => Act::works("two").writes(JobStatus { complete: true, ..boxes(0) }),
        _ => Act::idles(),
    })
    .with_status(JobStatus::default());
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.run.unreviewed_since(LaneId(0)), None);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.commits, 2);
}

#[test]
fn a_file_that_a_person_completes_before_a_review_that_is_skipped_claims_for_the_work() {
    for (writes, verdict) in
        [(complete("by hand"), Verdict::ClaimAccepted), (JobStatus::default(), Verdict::Worked)]
    {
        let mut plan = RunSpec { review: Some(skipping()), ..workspace(Mode::Loop) };
        plan.limits.iterations = Some(1);
        let mut world = World::new(plan, |_, _| Act::works("tree")).with_status(JobStatus::default());
        world.few_lines = Some(9);
        world.until(is_review);
        (world.tree, world.status) = ("tree, and more by hand".to_owned(), Some(writes));
        world.restart(world.journal.len());
        world.finish();
        assert_eq!((verdicts(&world), world.count("review_skipped")), (vec![verdict], 1));
    }
}

#[test]
fn what_either_call_uses_up_is_used_up() {
    let claims = || Act::claims("tree");
    let spent = Act::of(Class::BudgetExhausted);
    for (work, review, reason) in [
        (claims(), Act::passes(), StopReason::Complete),
        (claims().overage(), Act::passes(), StopReason::NeedsHuman),
        (claims(), Act::passes().overage(), StopReason::NeedsHuman),
        (Act::works("tree"), Act::passes(), StopReason::MaxIterations),
        (Act::works("tree"), spent, StopReason::MaxCost),
    ] {
        let mut plan = reviewed();
        plan.job.completion_threshold = if reason == StopReason::Complete { 1 } else { 2 };
        plan.limits.iterations = Some(if reason == StopReason::MaxIterations { 1 } else { 2 });
        let mut world = World::new(plan, move |_, _| work.clone()).reviewed(move |_, _| review.clone());
        assert_eq!(world.finish(), reason);
        assert_eq!(world.run.counters().finished, 1, "{reason:?}");
    }
}

#[test]
fn work_that_the_reviewer_takes_back_is_not_committed() {
    for (leaves, commits) in [("start", 0), ("mended", 1)] {
        let mut world = World::new(reviewed(), |_, _| Act::works("tree")).reviewed(move |_, _| mends(leaves));
        assert_eq!(world.finish(), StopReason::MaxIterations);
        assert_eq!(world.commits, commits, "{leaves}");
    }
}

#[test]
fn what_comes_next_is_compared_with_the_work_as_the_reviewer_left_it() {
    let mut world = World::new(reviewed(), |_, _| Act::works("tree")).reviewed(|_, _| mends("mended"));
    world.finish();
    let kept = |fact: &Fact| match fact {
        Fact::SnapshotTaken(report::SnapshotTaken { evidence, snapshot, .. })
            if evidence.tree == "mended" =>
        {
            snapshot.clone()
        }
        _ => None,
    };
    let kept: Vec<SnapshotId> = world.facts().filter_map(kept).collect();
    assert_eq!(world.run.last_commit(LaneId(0)), kept.first());
    assert_eq!(kept.len(), 1);
}
