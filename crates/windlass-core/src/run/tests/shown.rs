//! Which commit leaves the machine, and when none does.

use super::evidence::{branched, per};
use super::going_out::{answer, asked, goes_out, opened, seen, steps};
use super::guarding::detail;
use super::world::{Act, World};
use crate::fact::{Entry, Fact};
use crate::forge::{CheckTally, PullRequestState};
use crate::report::{
    self, DeliveryMove, DeliveryReport, DeliveryStep, DeliveryTask, PullRequestSeen, Returned,
};
use crate::run::{Effect, Input};
use crate::spec::{
    Depth, GuardAction, GuardSpec, PullRequestPer, ReviewSpec, RunSpec, TestsAction, Verification,
};
use crate::values::{Assessed, CommitNotes, Evidence, LaneId, StopReason, Suspicion, SuspicionKind};

/// The commit that is to be pushed now.
fn pushes(world: &mut World) -> String {
    asked(world, DeliveryTask::Push);
    let orders = world.run.outstanding();
    let [Effect::Deliver { head, .. }] = orders.as_slice() else { panic!("{orders:?}") };
    head.clone()
}

/// A run of one iteration whose claim a fresh agent looks at.
fn verified() -> RunSpec {
    let guard = GuardSpec { action: GuardAction::Refuse, tests: TestsAction::Hold, ..GuardSpec::default() };
    let mut plan = RunSpec { guard, ..goes_out() };
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 2 });
    plan.limits.iterations = Some(1);
    plan
}

/// An agent claims, and another one that looks at it leaves another tree.
fn verifier_writes(plan: RunSpec) -> World {
    World::new(plan, |call, _| match call {
        1 => Act::claims("tree"),
        _ => Act::judges(Assessed::Pass).leaves("another tree"),
    })
}

// So little was claimed that nobody reviewed it, which does not speak for what its verifier has left; or that is red.
#[test]
fn the_commit_that_was_verified_goes_out_whatever_the_verifier_has_left() {
    let mut plan = verified();
    plan.review = Some(ReviewSpec { skip_below_lines: 10, ..ReviewSpec::default() });
    let mut few = verifier_writes(plan);
    few.few_lines = Some(3);
    let red = verifier_writes(verified()).checking(|_, tree| tree == "tree");
    for (mut world, reason) in [(few, StopReason::Complete), (red, StopReason::MaxIterations)] {
        assert_eq!(pushes(&mut world), "c1", "{reason:?}");
        assert_eq!((world.commits, world.tree.as_str()), (1, "another tree"));
        answer(&mut world, DeliveryReport::Nothing { why: "it is there".to_owned() });
        assert_eq!(world.finish(), reason);
    }
}

#[test]
fn nothing_goes_out_while_a_person_has_to_look_at_what_was_found_in_the_lane() {
    let mut world = verifier_writes(verified());
    let found = Suspicion::new(SuspicionKind::Tests, "tests/a.rs", "1 test fewer");
    world.suspects = vec![("another tree".to_owned(), found)];
    let reason = world.finish();
    assert!(steps(&world).is_empty(), "{reason:?}: {:?}", steps(&world));
    assert_eq!(world.commits, 1);
}

#[test]
fn a_run_that_committed_nothing_has_nothing_that_could_go_out() {
    let mut world = World::new(goes_out(), |_, _| Act::claims("start"));
    assert_eq!(world.finish(), StopReason::Complete);
    assert!(steps(&world).is_empty(), "{:?}", steps(&world));
}

/// The next commit is without this file, and its gates pass with it.
pub(super) fn commits_beside(world: &mut World) {
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    world.commits += 1;
    let (commit, evidence) = (Some(format!("c{}", world.commits)), world.evidence());
    let notes = CommitNotes { beside: vec!["settings.env".to_owned()], ..CommitNotes::default() };
    let committed =
        report::Committed { lane: LaneId(0), commit, evidence, altered: false, refused: None, notes };
    world.input(Input::from(committed));
}

#[test]
fn what_passed_with_files_that_are_in_no_commit_is_not_pushed_as_done() {
    let mut world = World::new(goes_out(), |_, _| Act::claims("tree"));
    commits_beside(&mut world);
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    let said = "branch windlass/r-test0000: the newest work was not pushed, since its gates passed with files that are in no \
                commit: settings.env";
    assert!(detail(&world).starts_with(said), "{}", detail(&world));
    assert!(steps(&world).is_empty(), "{:?}", steps(&world));
}

#[test]
fn at_a_limit_the_newest_commit_goes_out_that_passed_by_itself() {
    let mut plan = goes_out();
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    commits_beside(&mut world);
    assert_eq!(pushes(&mut world), "c1");
}

/// The pull request of a commit is open, and is looked at.
fn opens(world: &mut World) {
    let head = pushes(world);
    answer(world, DeliveryReport::Pushed { head });
    asked(world, DeliveryTask::Open);
    answer(world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false });
}

/// How often something was begun to be pushed.
fn begun(world: &World) -> usize {
    steps(world).iter().filter(|step| matches!(step, DeliveryStep::Begun { .. })).count()
}

/// Work whose checks failed outside, in a run that may have so many iterations.
fn came_back(iterations: u32) -> World {
    let mut plan = goes_out();
    plan.limits.iterations = Some(iterations);
    let agent = |call, _| if call == 1 { Act::claims("tree 1") } else { Act::works("tree 2") };
    let mut world = World::new(plan, agent);
    opens(&mut world);
    let checks = CheckTally { failed: 1, ..CheckTally::default() };
    answer(&mut world, DeliveryReport::Viewed(PullRequestSeen { checks, ..seen() }));
    answer(&mut world, DeliveryReport::Read { findings: Vec::new() });
    world
}

#[test]
fn at_a_limit_what_is_out_already_is_not_pushed_again_and_what_is_newer_is() {
    let mut world = came_back(1);
    assert_eq!((world.finish(), begun(&world)), (StopReason::MaxIterations, 1));
    let mut world = came_back(2);
    assert_eq!(pushes(&mut world), "c2");
    opens(&mut world);
    assert_eq!((world.finish(), begun(&world)), (StopReason::MaxIterations, 2));
}

#[test]
fn what_cannot_be_pushed_at_a_limit_is_tried_once() {
    let mut plan = goes_out();
    plan.limits.iterations = Some(1);
    let mut world = World::new(plan, |_, _| Act::works("tree"));
    assert_eq!((world.finish(), begun(&world)), (StopReason::MaxIterations, 1));
}

#[test]
fn a_run_of_parts_is_complete_once_the_last_of_them_is_merged() {
    let agent = |call, _| if call == 1 { Act::works("half") } else { Act::claims("whole") };
    let mut world = World::new(per(PullRequestPer::Iteration, goes_out()), agent);
    for part in 1..=2 {
        branched(&mut world);
        assert_eq!(pushes(&mut world), format!("c{part}"));
        answer(&mut world, DeliveryReport::Pushed { head: format!("c{part}") });
        let url = format!("page {part}");
        answer(&mut world, DeliveryReport::Opened { number: part, url, found: false });
        let state = PullRequestState::Merged;
        answer(&mut world, DeliveryReport::Viewed(PullRequestSeen { state, ..seen() }));
    }
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(detail(&world), "2 pull requests, 2 merged");
}

// A journal in which something is answered that was not asked is of no run.
#[test]
fn a_step_that_answers_what_was_not_asked_is_refused() {
    let head = || "c1".to_owned();
    let stalled =
        |task| DeliveryStep::Stalled { task, why: String::new(), next: DeliveryMove::Do(DeliveryTask::Push) };
    let evidence = Evidence { head: Some(head()), tree: "tree".to_owned(), work: None };
    let answers = |because| DeliveryStep::Returned { because, findings: Vec::new() };
    let steps = [
        DeliveryStep::PartBegun { part: 1, branch: "branch".to_owned(), task: None },
        DeliveryStep::Branched { base: head(), evidence, snapshot: None },
        DeliveryStep::PartSeen { part: 1, state: PullRequestState::Merged },
        DeliveryStep::Begun { head: head(), basis: report::DeliveryBasis::Shown },
        DeliveryStep::Pushed { head: head() },
        DeliveryStep::Opened { number: 7, url: "url".to_owned(), found: false },
        DeliveryStep::Due,
        DeliveryStep::Ordered { task: DeliveryTask::MarkReady },
        DeliveryStep::Ordered { task: DeliveryTask::Update },
        DeliveryStep::Merged { commit: head() },
        answers(Returned::Checks),
        answers(Returned::Review),
        stalled(DeliveryTask::Push),
        stalled(DeliveryTask::Merge),
    ];
    let world = opened(goes_out());
    let takes = |world: &World, step: &DeliveryStep| {
        let fact = Fact::Delivery(step.clone());
        let mut run = world.run.clone();
        run.apply(&Entry { seq: run.next_seq(), at: world.now, fact }).is_ok()
    };
    for step in &steps {
        assert!(!takes(&world, step), "{step:?}");
    }
    let viewed = DeliveryStep::Viewed { seen: seen(), next: DeliveryMove::Do(DeliveryTask::Merge) };
    assert!(takes(&world, &viewed) && takes(&world, &stalled(DeliveryTask::View)));
    let worked = World::new(goes_out(), |_, _| Act::works("tree"));
    assert!(!takes(&worked, &viewed), "there is none to look at");
}
