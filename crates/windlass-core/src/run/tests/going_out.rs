//! What simulated nights found about the way out, about principles, and about reports that come too late.

use std::time::Duration;

use super::guarding::verdicts;
use super::world::{Act, World, check, fold, plan};
use crate::fact::Fact;
use crate::forge::{
    CheckTally, MergeBlock, MergeStrategy, Mergeability, PullRequestState, RepositoryName, Review,
};
use crate::report::{
    self, DeliveryMove, DeliveryReport, DeliveryStep, DeliveryTask, PrinciplesProposed, PullRequestSeen,
    WaitsFor,
};
use crate::run::{Effect, Epoch, Input, OrderContext, Orders, Phase, Reported};
use crate::spec::{
    CommitPolicy, DeliverySpec, Depth, NoChecks, PrinciplesSpec, PullRequestPer, Readiness, ReviewSpec,
    RunSpec, Verification,
};
use crate::values::{Assessed, CheckKind, LaneId, StopReason, StopSource, Verdict};

const LANE: LaneId = LaneId(0);

pub(super) fn goes_out() -> RunSpec {
    let mut plan = plan();
    plan.job.completion_threshold = 1;
    plan.commit = CommitPolicy::Runner;
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    plan.delivery = Some(DeliverySpec {
        remote: "origin".to_owned(),
        remote_digest: String::new(),
        repository: RepositoryName {
            host: "github.com".to_owned(),
            owner: "acme".to_owned(),
            name: "anvil".to_owned(),
        },
        branch: "windlass/r-test0000".to_owned(),
        base: "main".to_owned(),
        per: PullRequestPer::Run,
        readiness: Readiness::Ready,
        merge: Some(MergeStrategy::Squash),
        no_checks: NoChecks::Leave,
        ci_retries: 1,
        review_rounds: 1,
        checks_appear: Duration::from_mins(5),
        checks_wait: Duration::from_hours(1),
        review_wait: Duration::from_mins(30),
        poll: Duration::from_secs(15),
    });
    plan
}

pub(super) fn steps(world: &World) -> Vec<&DeliveryStep> {
    let deliveries = world.facts().filter_map(|fact| match fact {
        Fact::Delivery(step) => Some(step),
        _ => None,
    });
    deliveries.collect()
}

/// Up to where this is asked of the forge.
pub(super) fn asked(world: &mut World, wanted: DeliveryTask) {
    world.until(|effect| matches!(effect, Effect::Deliver { task, .. } if *task == wanted));
}

pub(super) fn answer(world: &mut World, report: DeliveryReport) {
    world.input(Input::from(report));
}

/// Up to the first look.
pub(super) fn opened(plan: RunSpec) -> World {
    let mut world = World::new(plan, |call, _| Act::claims(&format!("tree {call}")));
    asked(&mut world, DeliveryTask::Push);
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    asked(&mut world, DeliveryTask::Open);
    answer(&mut world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false });
    asked(&mut world, DeliveryTask::View);
    world
}

pub(super) fn seen() -> PullRequestSeen {
    PullRequestSeen {
        state: PullRequestState::Open,
        head: "c1".to_owned(),
        mergeability: Mergeability::Mergeable,
        block: MergeBlock::Clear,
        review: Review::Approved,
        checks: CheckTally { passed: 1, ..CheckTally::default() },
        ..PullRequestSeen::default()
    }
}

// Seed 402261 of the nights: the run was complete, and nothing had left the machine.
#[test]
fn verified_work_goes_out_although_so_little_changed_that_nobody_reviewed_it() {
    let mut plan = goes_out();
    plan.review = Some(ReviewSpec { skip_below_lines: 10, ..ReviewSpec::default() });
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 1 });
    let act = |call, _| if call == 1 { Act::claims("tree") } else { Act::judges(Assessed::Pass) };
    let mut world = World::new(plan, act);
    world.few_lines = Some(3);
    asked(&mut world, DeliveryTask::Push);
    assert_eq!(verdicts(&world), [Verdict::ClaimAccepted]);
}

// An agent that moves the branch and makes the files what they were has not made that commit what was gated.
#[test]
fn a_commit_that_the_gates_did_not_see_is_not_shown_by_files_that_are_the_same() {
    let mut plan = goes_out();
    plan.limits.iterations = Some(2);
    let act = |call, _| if call == 1 { Act::works("tree") } else { Act::claims("tree") };
    let mut world = World::new(plan, act);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.commits, 1);
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    world.commits = 7;
    asked(&mut world, DeliveryTask::Push);
    let pushed = world.run.outstanding();
    assert!(matches!(&pushed[..], [Effect::Deliver { head, .. }] if head == "c1"), "{pushed:?}");
}

#[test]
fn what_a_pull_request_says_is_told_where_it_is_opened_and_nowhere_else() {
    let mut world = World::new(goes_out(), |call, _| Act::claims(&format!("tree {call}")));
    for (task, report, title) in [
        (DeliveryTask::Push, DeliveryReport::Pushed { head: "c1".to_owned() }, None),
        (
            DeliveryTask::Open,
            DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false },
            Some("a job"),
        ),
        (DeliveryTask::View, DeliveryReport::Viewed(seen()), None),
    ] {
        asked(&mut world, task);
        let context = OrderContext::of(&world.run, &world.run.outstanding()[0], world.now);
        assert_eq!(context.delivery.as_ref().map(|told| told.title.as_str()), title, "{task:?}");
        answer(&mut world, report);
    }
}

// There is nothing left for the runner to commit, and the branch has the work all the same.
#[test]
fn what_an_agent_committed_itself_goes_out() {
    let mut world = World::new(goes_out(), |_, _| Act::claims("tree"));
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    world.commits = 7;
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    nothing_is_committed(&mut world);
    asked(&mut world, DeliveryTask::Push);
    let pushed = world.run.outstanding();
    assert!(matches!(&pushed[..], [Effect::Deliver { head, .. }] if head == "c7"), "{pushed:?}");
}

/// The runner finds nothing that it could commit.
pub(super) fn nothing_is_committed(world: &mut World) {
    let (evidence, notes) = (world.evidence(), crate::values::CommitNotes::default());
    let committed =
        report::Committed { lane: LANE, commit: None, evidence, altered: false, refused: None, notes };
    world.input(Input::from(committed));
}

// Seed 402527 of the nights: the forge brings branches up to date in its own time, and was told to again and again.
#[test]
fn a_branch_is_brought_up_to_date_once() {
    let mut world = opened(goes_out());
    let behind = || PullRequestSeen { block: MergeBlock::Behind, ..seen() };
    answer(&mut world, DeliveryReport::Viewed(behind()));
    asked(&mut world, DeliveryTask::Update);
    answer(&mut world, DeliveryReport::Done);
    asked(&mut world, DeliveryTask::View);
    answer(&mut world, DeliveryReport::Viewed(behind()));
    let last = steps(&world).pop().cloned();
    let Some(DeliveryStep::Viewed { next: DeliveryMove::Wait { waits_for, .. }, .. }) = last else {
        panic!("{last:?}")
    };
    assert_eq!(waits_for, WaitsFor::Rules);
    asked(&mut world, DeliveryTask::View);
    let head_parents = vec!["c1".to_owned(), "base".to_owned()];
    answer(
        &mut world,
        DeliveryReport::Viewed(PullRequestSeen { head: "merged".to_owned(), head_parents, ..behind() }),
    );
    // The base has moved once more.
    asked(&mut world, DeliveryTask::Update);
}

// Seed 400755 of the nights: after Ctrl-C a pull request was opened.
#[test]
fn a_stop_lets_a_push_end_and_begins_nothing_after_it() {
    let mut world = World::new(goes_out(), |call, _| Act::claims(&format!("tree {call}")));
    asked(&mut world, DeliveryTask::Push);
    world.input(Input::Stop { by: StopSource::Interrupt, least: 1 });
    let pushes = |effect: &Effect| matches!(effect, Effect::Deliver { task: DeliveryTask::Push, .. });
    assert!(world.run.outstanding().iter().any(pushes), "it is seen through");
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    let opens = |effect: &Effect| matches!(effect, Effect::Deliver { .. });
    assert!(!world.run.outstanding().iter().any(opens));
    assert_eq!(world.finish(), StopReason::Interrupted);
    let kept = world.journal.len();
    world.restart(kept);
    asked(&mut world, DeliveryTask::Open);
}

#[test]
fn what_nothing_came_of_before_is_not_held_against_what_goes_back() {
    let mut plan = goes_out();
    (plan.limits.stagnation, plan.limits.iterations) = (Some(2), Some(9));
    let act = |call, _| match call {
        1 => Act::works("tree"),
        3 => Act::claims("tree"),
        _ => Act::idles(),
    };
    let mut world = World::new(plan, act);
    asked(&mut world, DeliveryTask::Push);
    assert_eq!(world.run.counters().idle, 1);
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    answer(&mut world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false });
    let red = CheckTally { failed: 1, ..CheckTally::default() };
    answer(&mut world, DeliveryReport::Viewed(PullRequestSeen { checks: red, ..seen() }));
    answer(&mut world, DeliveryReport::Read { findings: Vec::new() });
    assert_eq!(world.run.counters().idle, 0);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 5));
    assert_eq!(world.run.counters().idle, 1);
}

// A hook undid what was committed, and the agent did it again: that was in no commit, and the commit before it was pushed.
#[test]
fn work_that_is_in_no_commit_does_not_show_the_commit_before_it() {
    let mut world = World::new(goes_out(), |_, _| Act::claims("good"));
    world = world.checking(|_, tree| tree == "good");
    world.hook = Some("bad".to_owned());
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    nothing_is_committed(&mut world);
    assert_eq!(world.finish(), StopReason::Complete);
    assert!(steps(&world).is_empty(), "{:?}", steps(&world));
}

// The machine slept between a look and its next one: both were the same order, and the second was never given.
#[test]
fn a_look_that_is_due_at_once_is_another_order() {
    let mut world = opened(goes_out());
    let look = world.run.outstanding();
    let pending = CheckTally { pending: 1, ..CheckTally::default() };
    answer(&mut world, DeliveryReport::Viewed(PullRequestSeen { checks: pending, ..seen() }));
    world.pass(Duration::from_mins(1));
    world.input(Input::Tick);
    let again = world.run.outstanding();
    assert_ne!(again, look);
    assert!(matches!(&again[..], [Effect::Deliver { task: DeliveryTask::View, .. }]), "{again:?}");
}

// A proposal that was refused before the runner died is not held against the agent once more.
#[test]
fn an_attempt_is_asked_for_principles_once() {
    let principles = PrinciplesSpec::Collected { file: ".windlass/principles.yaml".into() };
    let mut world = World::new(RunSpec { principles: Some(principles), ..plan() }, |_, _| Act::works("tree"));
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    let proposed = || PrinciplesProposed { lane: LANE, principles: None, refused: "it is empty".to_owned() };
    world.input(Input::from(proposed()));
    assert_eq!(world.run.collected().in_vain.len(), 1);
    let kept = world.journal.len();
    world.restart(kept);
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    world.input(Input::from(proposed()));
    assert_eq!(world.run.collected().in_vain.len(), 1);
    assert_eq!(world.run.collected(), fold(&world.journal).collected());
}

// What an executor says of an order of an earlier session is about a world that nobody has looked at since.
#[test]
fn a_report_on_an_order_of_an_earlier_session_is_late() {
    let mut world = World::new(plan(), |_, _| Act::works("tree"));
    let mut orders = Orders::default();
    let order = orders.due(&world.run, world.now).orders.swap_remove(0);
    let evidence = world.evidence();
    let baseline = report::BaselineCaptured { evidence, snapshot: None, left_out: 0, standing: None };
    let surveyed = report::Surveyed { baseline, tasks: None };
    let of = |epoch| Reported::of(epoch, surveyed.clone());
    assert!(!orders.is_late(&of(order.epoch)));
    let session = Orders::of_session(&world.run);
    let kept = world.journal.len();
    world.restart(kept);
    assert_eq!(world.run.phase(), Phase::Active);
    assert!(!session.is_late(&of(Epoch(world.run.next_seq()))));
    let later = Orders::of_session(&world.run);
    assert!(later.is_late(&of(order.epoch)));
}
