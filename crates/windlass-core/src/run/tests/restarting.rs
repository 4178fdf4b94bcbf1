//! What a resumed run must not have forgotten, and must look at again.

use super::workspace::{complete, status, worked, workspace};
use super::world::{Act, World, check, plan};
use crate::fact::Fact;
use crate::report;
use crate::run::{Effect, Input, LaneState, Occasion};
use crate::spec::{CommitPolicy, Mode, ReviewSpec, RunSpec};
use crate::values::{
    CheckKind, CheckStage, Class, CommitNotes, JobStatus, LaneId, Purpose, ReviewVerdict, Verdict,
};

fn gated() -> RunSpec {
    RunSpec { checks: vec![check(CheckKind::Gate, "make test")], ..plan() }
}

/// The rest of the baseline's checks could delete what a person wrote meanwhile.
#[test]
fn the_tree_is_looked_at_and_kept_before_the_baseline_goes_on() {
    let mut world = World::new(gated(), |_, _| Act::idles());
    world.until(|effect| matches!(effect, Effect::RunCheck { stage: CheckStage::Baseline, .. }));
    world.restart(world.journal.len());
    assert_eq!(world.run.outstanding(), [Effect::Survey(Occasion::Start)]);
    world.finish();
    assert_eq!(world.count("surveyed"), 3, "at first, after the restart, after the baseline");
}

#[test]
fn a_check_that_passed_for_the_first_time_is_progress_over_a_restart() {
    let until =
        RunSpec { checks: vec![check(CheckKind::Until, "one"), check(CheckKind::Until, "two")], ..plan() };
    let mut baseline = 2;
    let mut world = World::new(until, |_, _| Act::idles()).checking(move |check, _| {
        let before = baseline > 0;
        baseline -= i32::from(before);
        !before && check == 0
    });
    world.until(|effect| matches!(effect, Effect::RunCheck { stage: CheckStage::Candidate, check: 1, .. }));
    world.restart(world.journal.len());
    world.finish();
    let first = world.facts().find_map(|fact| match fact {
        Fact::IterationFinished { verdict, progress, .. } => Some((*verdict, *progress)),
        _ => None,
    });
    assert_eq!(first, Some((Verdict::Worked, true)));
}

/// The reviewer's attempts begin after that word, and the tree is kept once more as one of theirs.
#[test]
fn an_agent_that_found_nothing_to_do_is_believed_over_a_restart_behind_its_reviewer() {
    let checks = vec![check(CheckKind::Gate, "make test")];
    let review = Some(ReviewSpec::default());
    let iterative = RunSpec { review, checks, commit: CommitPolicy::Runner, ..workspace(Mode::Iterative) };
    let mut world = World::new(iterative, |_, _| Act::works("found").writes(worked("1", false)))
        .with_status(JobStatus::default())
        .reviewed(|review, _| match review {
            1 => Act::of(Class::Interrupted),
            _ => Act::reviews(ReviewVerdict::Changed, &[]).leaves("mended"),
        });
    world.until(|effect| matches!(effect, Effect::Prepare { purpose: Purpose::Review, .. }));
    world.until(|effect| matches!(effect, Effect::RunCheck { stage: CheckStage::Candidate, .. }));
    assert_eq!(world.tree, "mended");
    world.restart(world.journal.len());
    world.finish();
    let first = world.facts().find_map(|fact| match fact {
        Fact::IterationFinished { verdict, progress, .. } => Some((*verdict, *progress)),
        _ => None,
    });
    assert_eq!(first, Some((Verdict::Idle, false)));
}

/// What the reviewer changed is being judged when the runner dies, and a person takes the claim out of the file meanwhile.
#[test]
fn a_claim_that_is_taken_back_while_no_runner_lives_is_none_although_the_reviewer_let_it_stand() {
    for (mark, stands) in [("1", true), ("2", false)] {
        let checks = vec![check(CheckKind::Gate, "make test")];
        let plan = RunSpec { review: Some(ReviewSpec::default()), checks, ..workspace(Mode::Loop) };
        let mut world = World::new(plan, |_, _| Act::works("whole").writes(complete("1")))
            .with_status(JobStatus::default())
            .reviewed(|_, _| Act::reviews(ReviewVerdict::Changed, &[]).leaves("mended"));
        let judges =
            |effect: &Effect| matches!(effect, Effect::RunCheck { stage: CheckStage::Candidate, .. });
        world.until(|effect| matches!(effect, Effect::Prepare { purpose: Purpose::Review, .. }));
        world.until(judges);
        world.status = Some(JobStatus { complete: stands, ..status(mark) });
        world.restart(world.journal.len());
        world.until(judges);
        while world.count("iteration_finished") == 0 {
            assert!(world.step());
        }
        assert_eq!(world.run.counters().complete, stands);
    }
}

/// A hook that formats files and then refuses: the checks did not see that tree.
#[test]
fn what_a_hook_changed_is_checked_again_although_it_refused_the_commit() {
    let plan = RunSpec { commit: CommitPolicy::Runner, ..gated() };
    let mut world = World::new(plan, |_, _| Act::claims("whole"));
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    world.tree = "formatted by a hook".to_owned();
    let (evidence, lane) = (world.evidence(), LaneId::default());
    let refused = Some("look at what was formatted".to_owned());
    let notes = CommitNotes::default();
    world.input(Input::from(report::Committed {
        lane,
        commit: None,
        evidence,
        altered: true,
        refused,
        notes,
    }));
    let checks_again =
        |effect: &Effect| matches!(effect, Effect::RunCheck { stage: CheckStage::Committed, .. });
    assert!(world.run.outstanding().iter().any(checks_again), "{:?}", world.run.outstanding());
}

/// Between the last look and the verdict the runner can be killed, and a person can change what was judged.
#[test]
fn what_a_person_changed_before_the_verdict_is_checked_again() {
    let until = RunSpec { checks: vec![check(CheckKind::Until, "make test")], ..plan() };
    let mut world = World::new(until, |call, _| match call {
        1 => Act::works("whole"),
        _ => Act::idles(),
    })
    .checking(|_, tree| tree == "whole");
    world.until(|effect| matches!(effect, Effect::Settle { .. }));
    world.step();
    let settled = world.facts().position(|fact| matches!(fact, Fact::TreeRechecked(_))).unwrap();
    world.tree = "broken by a person".to_owned();
    world.restart(settled + 1);
    world.finish();
    let verdict = world.facts().find_map(|fact| match fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    });
    assert_ne!(verdict, Some(Verdict::ClaimAccepted));
}

/// A person may have written into the tree meanwhile: what was kept before counts no more.
#[test]
fn what_was_kept_before_a_restart_is_forgotten_until_it_is_kept_again() {
    for is_reached in [
        (|effect: &Effect| matches!(effect, Effect::RunCheck { stage: CheckStage::Candidate, .. }))
            as fn(&Effect) -> bool,
        |effect| matches!(effect, Effect::Commit { .. }),
        |effect| matches!(effect, Effect::Refuse { .. }),
    ] {
        let plan = RunSpec { commit: CommitPolicy::Runner, ..gated() };
        let mut calls = 0;
        let mut world = World::new(plan, move |_, _| {
            calls += 1;
            Act::works(&format!("tree {calls}"))
        });
        world.strays = vec![("tree 2".to_owned(), "tree 2, without what is not allowed".to_owned())];
        world.until(is_reached);
        world.restart(world.journal.len());
        let Some(LaneState::Keeping(_, outcome)) = world.run.lane(LaneId::default()) else {
            panic!("{:?}", world.run.lane(LaneId::default()))
        };
        assert_eq!(outcome.kept, None);
    }
}
