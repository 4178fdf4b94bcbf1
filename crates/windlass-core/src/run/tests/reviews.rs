//! A fresh agent looks over the work of each iteration before it counts.

use super::guarding::{detail, verdicts};
use super::lanes_world::row;
use super::waking::two_lanes;
use super::workspace::{complete, workspace};
use super::world::{Act, World, check, fold, plan, planned};
use crate::fact::Fact;
use crate::run::{Effect, Input, Phase};
use crate::spec::{CommitPolicy, Depth, Mode, ReviewSpec, RunSpec, Verification};
use crate::values::{
    Assessed, CheckKind, Class, Cost, JobStatus, LaneId, Purpose, ReviewVerdict, StatusSource, StopReason,
    TaskEnd, TaskState, Verdict,
};

fn reviewed() -> RunSpec {
    let mut plan = plan();
    plan.job.completion_threshold = 1;
    RunSpec { review: Some(ReviewSpec::default()), commit: CommitPolicy::Runner, ..plan }
}

fn gated() -> RunSpec {
    RunSpec { checks: vec![check(CheckKind::Gate, "make test")], ..reviewed() }
}

fn purposes(world: &World) -> Vec<Purpose> {
    let purpose = |fact: &Fact| match fact {
        Fact::CallReserved { purpose, .. } => Some(*purpose),
        _ => None,
    };
    world.facts().filter_map(purpose).collect()
}

fn is_review(effect: &Effect) -> bool {
    matches!(effect, Effect::Prepare { purpose: Purpose::Review, .. })
}

fn claims(call: u32) -> Act {
    Act::claims(&format!("tree {call}"))
}

#[test]
fn work_is_looked_over_before_it_is_committed_and_counts() {
    let mut world = World::new(gated(), |call, _| claims(call));
    world.until(is_review);
    assert_eq!(world.count("committed"), 0);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Review]);
    assert_eq!(world.run.counters().finished, 1, "it belongs to the same iteration");
    assert_eq!(world.run.ledger().spent(), Cost::from_micros(200_000), "and is charged");
    assert_eq!(world.commits, 1);
    assert_eq!(
        world.count("check_finished"),
        2,
        "before the run, and once for what nobody has changed since"
    );
}

#[test]
fn what_is_rejected_is_not_committed_and_completes_nothing() {
    let mut world = World::new(gated(), |call, _| claims(call)).reviewed(|review, _| {
        if review <= 2 { Act::rejects(["a", "b"][review as usize - 1]) } else { Act::passes() }
    });
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.commits, 0);
    let told = world.run.rejection(LaneId(0)).map(|review| review.findings[0].text.as_str());
    assert_eq!(told, Some("a"), "for the next prompt");
    assert_eq!(world.finish(), StopReason::Complete);
    let refused = Verdict::ClaimRefused;
    assert_eq!(verdicts(&world), [refused, refused, Verdict::ClaimAccepted]);
    assert_eq!(world.commits, 1);
    assert_eq!(world.run.rejection(LaneId(0)), None);
}

#[test]
fn work_without_a_claim_is_looked_over_with_its_gates() {
    let mut plan = gated();
    plan.limits.iterations = Some(1);
    plan.commit = CommitPolicy::None;
    let mut world = World::new(plan, |_, _| Act::works("tree"));
    world.until(is_review);
    assert_eq!(world.count("check_finished"), 2, "the reviewer is told what the gates said");
    world.finish();
    assert_eq!(verdicts(&world), [Verdict::Worked]);
}

#[test]
fn nobody_is_asked_about_red_gates_or_an_unchanged_tree() {
    let mut plan = gated();
    plan.limits.iterations = Some(2);
    let mut world =
        World::new(plan, |call, _| if call == 1 { Act::works("red") } else { Act::works("start") })
            .checking(|_, tree| tree != "red");
    world.few_lines = Some(0);
    world.finish();
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Work]);
    let mut plan = gated();
    plan.limits.iterations = Some(1);
    let mut world = World::new(plan, |_, _| Act::idles());
    world.finish();
    assert_eq!(purposes(&world), [Purpose::Work]);
}

#[test]
fn what_was_not_looked_over_is_not_committed_with_what_comes_next() {
    let mut plan = gated();
    plan.limits.iterations = Some(2);
    // The second iteration changes nothing; what the first one left is there, rejected.
    let act = |call, _| if call == 1 { Act::works("bad") } else { Act::claims("bad") };
    let mut world = World::new(plan, act).reviewed(|_, _| Act::rejects("a"));
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.commits, 0);
    assert_eq!(
        purposes(&world),
        [Purpose::Work, Purpose::Review, Purpose::Work],
        "the same tree is not asked about"
    );
    assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::ClaimRefused]);
}

#[test]
fn the_gates_judge_what_the_reviewer_has_changed() {
    for (leaves, reason) in [("mended", StopReason::Complete), ("spoilt", StopReason::MaxIterations)] {
        let mut plan = gated();
        plan.limits.iterations = Some(1);
        let mut world = World::new(plan, |call, _| claims(call))
            .checking(|_, tree| tree != "spoilt")
            .reviewed(move |_, _| Act::reviews(ReviewVerdict::Changed, &[]).leaves(leaves));
        assert_eq!(world.finish(), reason);
        assert_eq!(purposes(&world), [Purpose::Work, Purpose::Review], "it is not looked over again");
        assert_eq!(world.count("check_finished"), 3);
        assert_eq!(world.commits, u32::from(reason == StopReason::Complete));
    }
}

#[test]
fn advice_rejects_nothing_and_contradictions_pass_nothing() {
    let mut plan = reviewed();
    plan.limits.iterations = Some(1);
    for (act, accepted) in [
        (Act::passes(), true),
        (Act::reviews(ReviewVerdict::Pass, &["a"]), false),
        (Act::reviews(ReviewVerdict::Reject, &[]), false),
        (Act::of(Class::Success).says("PASS: it is all fine"), false),
        (Act { report: Act::of(Class::TaskFailure).report, ..Act::passes() }, false),
    ] {
        let mut world = World::new(plan.clone(), |call, _| claims(call)).reviewed(move |_, _| act.clone());
        assert_eq!(world.finish() == StopReason::Complete, accepted);
        assert_eq!(world.commits, u32::from(accepted));
    }
}

#[test]
fn three_rejections_for_the_same_end_the_run_and_others_do_not() {
    let mut world = World::new(reviewed(), |call, _| claims(call)).reviewed(|_, _| Act::rejects("a"));
    assert_eq!(world.finish(), StopReason::ReviewStalemate);
    assert_eq!(verdicts(&world).len(), 3);
    assert_eq!(
        detail(&world).split(';').next(),
        Some("a reviewer rejected the work 3 times in a row for the same: src/main.rs: a")
    );
    let mut plan = reviewed();
    plan.limits.iterations = Some(6);
    let mut world = World::new(plan, |call, _| claims(call))
        .reviewed(|review, _| Act::rejects(if review % 3 == 0 { "b" } else { "a" }));
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

#[test]
fn a_rejection_that_the_agent_ignores_counts_again_without_a_call() {
    let mut world = World::new(reviewed(), |_, _| Act::claims("tree")).reviewed(|_, _| Act::rejects("a"));
    assert_eq!(world.finish(), StopReason::ReviewStalemate);
    let work = Purpose::Work;
    assert_eq!(purposes(&world), [work, Purpose::Review, work, work]);
}

#[test]
fn who_goes_on_after_a_stalemate_has_the_reviewer_asked_anew() {
    let mut world = World::new(reviewed(), |_, _| Act::claims("tree"))
        .reviewed(|review, _| if review == 1 { Act::rejects("a") } else { Act::passes() });
    assert_eq!(world.finish(), StopReason::ReviewStalemate);
    world.input(Input::Resume(Box::new(reviewed())));
    assert_eq!(world.finish(), StopReason::Complete);
}

// Seed defect D4, loop/executor.go:208-212: its words were a second claim in the same iteration.
#[test]
fn a_reviewer_that_says_the_phrase_has_claimed_nothing() {
    let mut plan = reviewed();
    plan.job.completion_threshold = 2;
    plan.limits.iterations = Some(1);
    let passes = || Act::passes().says("Fine.\nWINDLASS_JOB_COMPLETE");
    let mut world = World::new(plan.clone(), |call, _| claims(call)).reviewed(move |_, _| passes());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.run.counters().claims, 1);
    let claims = |fact: &&Fact| matches!(fact, Fact::CallFinished { claimed: true, .. });
    assert_eq!(world.facts().filter(claims).count(), 1, "nor does the journal say so");
    plan.job.completion_threshold = 1;
    let mut world = World::new(plan, |_, _| Act::works("tree")).reviewed(move |_, _| passes());
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

// Seed defect D4, loop/iteration.go:67-75: what a failed review cost was forgotten.
#[test]
fn a_failed_review_is_charged() {
    let mut plan = reviewed();
    plan.limits.iterations = Some(1);
    let fails = || Act::of(Class::TaskFailure).costs(Cost::from_micros(700_000));
    let mut world = World::new(plan, |call, _| claims(call)).reviewed(move |_, _| fails());
    world.finish();
    assert_eq!(world.run.ledger().spent(), Cost::from_micros(800_000));
}

// Seed defect D4, loop/executor.go:190-206: failed reviews were swallowed.
#[test]
fn three_reviews_without_a_verdict_end_the_run() {
    let mut world = World::new(reviewed(), |call, _| claims(call)).reviewed(|_, _| Act::of(Class::Success));
    assert_eq!(world.finish(), StopReason::ReviewStalemate);
    assert!(detail(&world).starts_with("3 reviews in a row gave no verdict"), "{}", detail(&world));
    assert_eq!(world.commits, 0);
}

#[test]
fn a_review_waits_for_its_limit_and_is_repeated_alone() {
    let mut world = World::new(gated(), |call, _| claims(call))
        .reviewed(|review, _| if review == 1 { Act::limited(None) } else { Act::passes() });
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Review, Purpose::Review]);
}

#[test]
fn what_a_reviewer_that_was_cut_off_has_changed_is_judged_by_the_gates() {
    let mut plan = gated();
    plan.limits.iterations = Some(1);
    let mut world = World::new(plan, |call, _| claims(call))
        .checking(|_, tree| tree != "spoilt")
        .reviewed(|review, _| if review == 1 { Act::limited(None).leaves("spoilt") } else { Act::passes() });
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.commits, 0);
}

#[test]
fn killed_at_any_fact_it_is_called_again_and_nothing_counts_twice() {
    let acts = |call: u32, _| claims(call);
    let mut whole = World::new(gated(), acts)
        .reviewed(|review, _| if review == 1 { Act::rejects("a") } else { Act::passes() });
    assert_eq!(whole.finish(), StopReason::Complete);
    for kept in 1..whole.journal.len() {
        let mut again = World::new(gated(), |call, _| Act::claims(&format!("again {call}")));
        again.journal = whole.journal.clone();
        again.tree.clone_from(&whole.tree);
        again.now = whole.now;
        again.restart(kept);
        assert_eq!(again.finish(), StopReason::Complete, "after fact {kept}");
        assert_eq!(fold(&again.journal), again.run);
        let commits = again.facts().filter(|fact| matches!(fact, Fact::Committed(_))).count();
        assert_eq!(commits, 1, "after fact {kept}");
    }
}

#[test]
fn too_little_is_not_looked_over_and_goes_on_as_it_is() {
    let mut plan = gated();
    plan.review = Some(ReviewSpec { skip_below_lines: 10, ..ReviewSpec::default() });
    let mut world = World::new(plan, |call, _| claims(call));
    world.few_lines = Some(9);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Purpose::Work]);
    assert_eq!((world.count("review_skipped"), world.commits), (1, 1));
}

#[test]
fn what_a_person_changed_before_a_review_that_is_skipped_is_judged_by_the_gates() {
    let mut plan = gated();
    plan.limits.iterations = Some(1);
    plan.review = Some(ReviewSpec { skip_below_lines: 10, ..ReviewSpec::default() });
    let mut world = World::new(plan, |call, _| claims(call)).checking(|_, tree| tree != "a person's");
    world.few_lines = Some(9);
    world.until(is_review);
    world.tree = "a person's".to_owned();
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!((purposes(&world), world.commits), (vec![Purpose::Work], 0));
}

#[test]
fn many_small_changes_are_looked_over_together_once_they_are_enough() {
    let mut plan = reviewed();
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    world.few_lines = Some(9);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    world.few_lines = None;
    world.until(is_review);
    let since = world.run.unreviewed_since(LaneId(0)).map(|turn| turn.iteration);
    assert_eq!(since, Some(1));
    world.finish();
    assert_eq!(world.run.unreviewed_since(LaneId(0)), None);
}

#[test]
fn a_reviewer_takes_part_in_every_mode_that_changes_files_and_in_no_other() {
    for mode in [Mode::Goal, Mode::Loop, Mode::Iterative, Mode::Build, Mode::Tasks] {
        let plan = RunSpec { review: Some(ReviewSpec::default()), ..of_mode(mode) };
        assert!(plan.follow_ups().any(|call| call.purpose == Purpose::Review), "{mode:?}");
    }
    for mode in [Mode::Plan, Mode::Verify, Mode::Validate] {
        let plan = RunSpec { review: Some(ReviewSpec::default()), ..of_mode(mode) };
        assert!(plan.follow_ups().all(|call| call.purpose != Purpose::Review), "{mode:?}");
    }
}

fn of_mode(mode: Mode) -> RunSpec {
    match mode {
        Mode::Plan | Mode::Build => planned(mode),
        Mode::Tasks => RunSpec { lanes: None, ..two_lanes() },
        mode => workspace(mode),
    }
}

// The claim is in a file, the reviewer comes first, and whoever verifies has the last word.
#[test]
fn work_is_reviewed_before_it_is_verified() {
    let mut plan = RunSpec { review: Some(ReviewSpec::default()), ..workspace(Mode::Loop) };
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 2 });
    let agent = |call: u32, _| match call {
        1 => Act::works("tree").writes(complete("1")),
        _ => Act::judges(Assessed::Pass),
    };
    let mut world = World::new(plan, agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Review, Purpose::Verify]);
}

#[test]
fn a_reviewer_can_take_a_claim_back_and_not_make_one() {
    for (claims, writes, verdict) in [
        (true, JobStatus::default(), Verdict::Worked),
        (false, complete("the reviewer"), Verdict::Worked),
        (true, complete("1"), Verdict::ClaimAccepted),
    ] {
        let mut plan = RunSpec { review: Some(ReviewSpec::default()), ..workspace(Mode::Loop) };
        plan.limits.iterations = Some(1);
        let agent = move |_, _| {
            let act = Act::works("tree");
            if claims { act.writes(complete("1")) } else { act }
        };
        let mut world = World::new(plan, agent)
            .with_status(JobStatus::default())
            .reviewed(move |_, _| Act::passes().writes(writes.clone()));
        world.finish();
        assert_eq!(verdicts(&world), [verdict]);
    }
}

fn task_at(plan: RunSpec, reviewer: impl FnMut(u32, &str) -> Act + 'static) -> World {
    let agent = |call: u32, _| {
        Act::works(&format!("tree {call}")).writes(JobStatus {
            source: StatusSource::TaskFile,
            complete: true,
            ..JobStatus::default()
        })
    };
    let mut world = World::new(plan, agent).reviewed(reviewer);
    world.tasks = Some(vec![row("T1", &[])]);
    world.status = Some(JobStatus { source: StatusSource::TaskFile, ..JobStatus::default() });
    world
}

fn ends(world: &World) -> Vec<TaskEnd> {
    let end = |fact: &Fact| match fact {
        Fact::TaskClosed(closed) => Some(closed.end.clone()),
        _ => None,
    };
    world.facts().filter_map(end).collect()
}

#[test]
fn a_rejected_task_is_tried_again_and_then_parked_with_what_was_found() {
    let plan = RunSpec { review: Some(ReviewSpec::default()), lanes: None, ..two_lanes() };
    let mut world = task_at(plan, |_, _| Act::rejects("a"));
    world.finish();
    let why = "a reviewer rejected it: src/main.rs: a";
    assert_eq!(
        ends(&world),
        [
            TaskEnd::Again { why: why.to_owned() },
            TaskEnd::Parked { reason: format!("failed 2 times: {why}") }
        ]
    );
}

#[test]
fn a_reviewer_without_a_verdict_is_not_held_against_the_task() {
    let plan = RunSpec { review: Some(ReviewSpec::default()), lanes: None, ..two_lanes() };
    let mut world =
        task_at(plan, |review, _| if review < 3 { Act::of(Class::Success) } else { Act::passes() });
    assert_eq!(world.finish(), StopReason::Complete);
    let again = TaskEnd::Again { why: String::new() };
    assert_eq!(ends(&world), [again.clone(), again, TaskEnd::Done]);
    assert_eq!(world.run.tasks().rows().first().map(|row| row.state), Some(TaskState::Open));
    assert_eq!(world.run.phase(), Phase::Ended(StopReason::Complete));
}

// attack(claims): a reviewer undoes all of the work, or all that two iterations have left, and says that it may stand
// holds: its verdict counts for nothing, nothing is accepted or committed, and where the work is kept is said
#[test]
fn a_verdict_about_work_that_the_reviewer_has_undone_does_not_count() {
    let mut plan = reviewed();
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| claims(call)).reviewed(|_, _| Act::passes().leaves("start"));
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.commits, 0);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 2]);
    let said =
        |fact: &Fact| matches!(fact, Fact::Noticed(noticed) if noticed.text.contains("left nothing of it"));
    assert_eq!(world.facts().filter(|fact| said(fact)).count(), 2);
    let mut world =
        World::new(reviewed(), |call, _| claims(call)).reviewed(|_, _| Act::passes().leaves("start"));
    assert_eq!(world.finish(), StopReason::ReviewStalemate);
}

// The third tree is the first one once more: that its check passes now is all that is new about it.
#[test]
fn a_check_that_passes_for_the_first_time_is_progress_already_while_the_work_is_looked_over() {
    let mut runs = 0;
    let trees = ["one", "two", "one"];
    let mut world =
        World::new(gated(), move |call, _| Act::works(trees[call as usize - 1])).checking(move |_, _| {
            runs += 1;
            runs > 3
        });
    world.until(is_review);
    let turn = world.run.lane(LaneId(0)).and_then(|lane| lane.turn()).unwrap();
    assert_eq!((turn.iteration, turn.progress), (3, true));
}
