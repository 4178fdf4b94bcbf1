//! A fresh agent settles what an agent at work could not, by the project's principles.

use std::collections::BTreeSet;

use strum::{IntoEnumIterator, VariantNames};

use super::guarding::verdicts;
use super::waking::two_lanes;
use super::workspace::{complete, workspace};
use super::world::{Act, World, check, fold, plan};
use crate::fact::{Entry, Fact};
use crate::principles::{Preset, Principles};
use crate::run::{Effect, Input, Phase, PromptContext, TurnKey};
use crate::spec::{
    CommitPolicy, CouncilSpec, Depth, LanesSpec, Mode, PrinciplesSpec, ReviewSpec, RunSpec, Verification,
};
use crate::values::{
    Assessed, CheckKind, Class, Cost, JobStatus, LaneId, Named, Purpose, ReviewVerdict, StopReason,
    StopSource, Suspicion, SuspicionKind, Verdict,
};

const LANE: LaneId = LaneId(0);

pub(super) fn principles() -> PrinciplesSpec {
    let (file, digest) = (".windlass/principles.yaml".into(), "0".repeat(64));
    PrinciplesSpec::File { file, digest, principles: Principles::of(Preset::Startup) }
}

pub(super) fn spec() -> CouncilSpec {
    CouncilSpec { model: None, per_run: 5, logs: true }
}

/// Goal mode with principles and councils, of so many iterations.
fn counselled(iterations: u32) -> RunSpec {
    let mut plan = plan();
    plan.limits.iterations = Some(iterations);
    plan.limits.stagnation = None;
    RunSpec { principles: Some(principles()), council: Some(spec()), ..plan }
}

fn conflicts(call: u32) -> Act {
    Act::works(&format!("tree {call}")).conflicts(&format!("question {call}"))
}

fn first_conflicts(call: u32) -> Act {
    if call == 1 { conflicts(1) } else { Act::works(&format!("tree {call}")) }
}

fn purposes(world: &World) -> Vec<Purpose> {
    let purpose = |fact: &Fact| match fact {
        Fact::CallReserved { purpose, .. } => Some(*purpose),
        _ => None,
    };
    world.facts().filter_map(purpose).collect()
}

fn is_asked(effect: &Effect) -> bool {
    matches!(effect, Effect::Prepare { purpose: Purpose::Council, .. })
}

fn questions(world: &World) -> Vec<&str> {
    world.run.decisions().iter().map(|settled| settled.conflict.question.as_str()).collect()
}

fn notices(world: &World) -> Vec<&str> {
    fn text(fact: &Fact) -> Option<&str> {
        if let Fact::Noticed(noticed) = fact { Some(&noticed.text) } else { None }
    }
    world.facts().filter_map(text).collect()
}

// rows: 102
// Seed defect D4, loop/executor.go:219-246: what the council decided was logged, and no agent was told.
#[test]
fn what_is_decided_is_logged_once_and_stands_in_every_later_prompt() {
    let mut world = World::new(counselled(3), |call, _| first_conflicts(call));
    world.until(is_asked);
    assert_eq!(world.run.conflict(LANE).map(|conflict| conflict.question.as_str()), Some("question 1"));
    assert_eq!(world.count("iteration_finished"), 0, "it belongs to the iteration");
    assert_eq!(world.run.decision_log(), None, "nothing was written yet");
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(questions(&world), ["question 1"]);
    assert_eq!(world.run.decisions()[0].chosen(), Some("x"));
    assert_eq!(world.run.decision_log(), Some("d".repeat(64).as_str()), "as the runner left it");
    world.finish();
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Council, Purpose::Work, Purpose::Work]);
    assert_eq!(world.log, [TurnKey { iteration: 1, attempt: 2 }]);
    assert_eq!(questions(&world), ["question 1"]);
    assert_eq!(verdicts(&world), [Verdict::Worked; 3]);
    assert_eq!(world.run.ledger().spent(), Cost::from_micros(400_000), "and it is charged");
}

#[test]
fn at_most_one_is_asked_in_an_iteration_and_so_many_in_a_run() {
    let mut plan = counselled(4);
    plan.council = Some(CouncilSpec { per_run: 2, ..spec() });
    let mut world = World::new(plan, |call, _| conflicts(call));
    world.finish();
    let (work, council) = (Purpose::Work, Purpose::Council);
    assert_eq!(purposes(&world), [work, council, work, council, work, work]);
    let said = notices(&world);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("iteration 3") && said[0].contains("council.per_run"), "{said:?}");
}

#[test]
fn without_principles_or_a_council_nobody_is_asked_and_whoever_judges_or_plans_reports_none() {
    let plan = counselled(1);
    for plan in [
        RunSpec { council: None, ..plan.clone() },
        RunSpec { principles: None, ..plan.clone() },
        RunSpec { principles: Some(PrinciplesSpec::Collected { file: "p.yaml".into() }), ..plan.clone() },
    ] {
        let mut world = World::new(plan, |call, _| conflicts(call));
        world.finish();
        assert_eq!(purposes(&world), [Purpose::Work]);
        let said =
            |fact: &Fact| matches!(fact, Fact::CallFinished { summary, .. } if summary.conflict.is_some());
        assert!(!world.facts().any(said));
    }
    let asks = |plan: &RunSpec| plan.follow_ups().any(|call| call.purpose == Purpose::Council);
    for (mode, expected) in [
        (Mode::Goal, true),
        (Mode::Build, true),
        (Mode::Tasks, true),
        (Mode::Plan, false),
        (Mode::Verify, false),
    ] {
        let mut plan = plan.clone();
        plan.job.mode = mode;
        assert_eq!(asks(&plan), expected, "{mode:?}");
        let (folder, below) = ("/lanes".into(), "".into());
        plan.lanes = Some(LanesSpec { below, ..LanesSpec::of(2, folder) });
        assert!(!asks(&plan), "{mode:?} in lanes");
    }
}

#[test]
fn an_answer_that_cannot_be_used_decides_nothing_and_stops_nothing() {
    let failed = Act { report: Act::of(Class::TaskFailure).report, ..Act::decides(Some(1)) };
    for act in [
        Act::decides(Some(3)),
        Act::decides(None),
        Act::of(Class::Success).says("I would take the first one."),
        Act::idles(),
        Act::of(Class::ContextTooLong),
        failed,
    ] {
        let mut world =
            World::new(counselled(2), |call, _| first_conflicts(call)).counselled(move |_, _| act.clone());
        assert_eq!(world.finish(), StopReason::MaxIterations);
        assert_eq!(purposes(&world), [Purpose::Work, Purpose::Council, Purpose::Work]);
        assert_eq!((questions(&world), &world.log), (Vec::new(), &Vec::new()));
        assert_eq!(verdicts(&world), [Verdict::Worked; 2]);
    }
}

#[test]
fn a_council_is_waited_for_as_every_call_is_and_asked_again() {
    let answers = |call| if call <= 1 { Act::limited(None) } else { Act::decides(Some(2)) };
    let mut calls = 0;
    let mut world = World::new(counselled(1), |call, _| first_conflicts(call)).counselled(move |_, _| {
        calls += 1;
        answers(calls)
    });
    world.finish();
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Council, Purpose::Council]);
    assert_eq!(world.run.councils.called, 1, "it is the same council");
    assert_eq!(world.run.decisions()[0].chosen(), Some("y"));
    assert_eq!(world.log, [TurnKey { iteration: 1, attempt: 3 }]);
}

#[test]
fn nobody_is_asked_where_nothing_follows() {
    let mut plan = counselled(5);
    plan.job.completion_threshold = 1;
    let claims = |_, _| Act::claims("done").conflicts("which?");
    let mut world = World::new(plan.clone(), claims);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Purpose::Work]);
    plan.limits.cost = Some(Cost::from_micros(100_000));
    let mut world = World::new(plan, |call, _| conflicts(call));
    assert_eq!(world.finish(), StopReason::MaxCost);
    assert_eq!(purposes(&world), [Purpose::Work]);
    assert_eq!(verdicts(&world), [Verdict::Worked], "its iteration is over all the same");
}

#[test]
fn after_a_claim_that_counts_and_does_not_complete_the_job_yet_the_conflict_is_settled() {
    let claims = |call, _| {
        let act = Act::claims(&format!("tree {call}"));
        if call == 1 { act.conflicts("which?") } else { act }
    };
    let mut world = World::new(counselled(2), claims);
    world.finish();
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Council, Purpose::Work]);
    assert_eq!((questions(&world), verdicts(&world)), (vec!["which?"], vec![Verdict::ClaimAccepted; 2]));
}

#[test]
fn what_the_call_of_a_council_uses_up_is_used_up() {
    let spent = Act::of(Class::BudgetExhausted);
    for (answer, reason) in [
        (Act::decides(Some(1)), StopReason::MaxIterations),
        (Act::decides(Some(1)).overage(), StopReason::NeedsHuman),
        (spent, StopReason::MaxCost),
    ] {
        let mut world =
            World::new(counselled(2), |call, _| first_conflicts(call)).counselled(move |_, _| answer.clone());
        assert_eq!(world.finish(), reason);
        assert_eq!(verdicts(&world)[0], Verdict::Worked, "{reason:?}: the work is what it was");
    }
}

#[test]
fn a_claim_that_is_taken_back_while_a_council_is_asked_is_no_claim() {
    for (writes, verdict) in [(complete("1"), Verdict::ClaimRefused), (JobStatus::default(), Verdict::Worked)]
    {
        let (principles, council) = (Some(principles()), Some(spec()));
        let mut plan = RunSpec { principles, council, ..workspace(Mode::Loop) };
        plan.checks = vec![check(CheckKind::Gate, "make test")];
        plan.limits.iterations = Some(1);
        let mut world = World::new(plan, |_, _| Act::works("red").conflicts("which?").writes(complete("1")))
            .with_status(JobStatus::default())
            .checking(|_, tree| tree != "red")
            .counselled(move |_, _| Act::decides(Some(1)).writes(writes.clone()));
        world.finish();
        assert_eq!(purposes(&world), [Purpose::Work, Purpose::Council]);
        assert_eq!(verdicts(&world), [verdict]);
    }
}

#[test]
fn a_record_of_a_second_council_in_an_iteration_is_refused() {
    let mut world = World::new(counselled(2), |call, _| first_conflicts(call));
    world.finish();
    let is_due = |entry: &Entry| matches!(entry.fact, Fact::FollowUpDue { .. });
    let asked = world.journal.iter().find(|entry| is_due(entry)).cloned().unwrap();
    let logged = world.journal.iter().position(|entry| matches!(entry.fact, Fact::DecisionLogged(_)));
    let mut run = fold(&world.journal[..=logged.unwrap()]);
    let again = Entry { seq: run.next_seq(), ..asked };
    assert!(run.apply(&again).is_err());
    assert_eq!(run, fold(&world.journal[..=logged.unwrap()]), "and changes nothing");
}

#[test]
fn after_a_verification_that_refuses_the_claim_the_conflict_is_settled() {
    let mut plan = counselled(2);
    plan.job.completion_threshold = 1;
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 5 });
    plan.review = Some(ReviewSpec::default());
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    plan.commit = CommitPolicy::Runner;
    let mut calls = 0;
    let agent = move |_, _| {
        calls += 1;
        match calls {
            1 => Act::claims("tree 1").conflicts("which?"),
            2 => Act::judges(Assessed::Fail),
            _ => Act::works("tree 2"),
        }
    };
    let mut world = World::new(plan, agent).reviewed(|_, _| Act::reviews(ReviewVerdict::Pass, &[]));
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Review, Purpose::Verify, Purpose::Council]);
    assert_eq!(questions(&world), ["which?"]);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused]);
    assert_eq!(world.run.counters().unverified, 1);
}

#[test]
fn what_is_held_against_the_work_is_held_after_a_council_as_well() {
    let mut plan = counselled(2);
    plan.job.completion_threshold = 3;
    let mut world = World::new(plan.clone(), |_, _| Act::claims("bad").conflicts("which?"));
    world.strays = vec![("bad".to_owned(), "start".to_owned())];
    world.suspects = vec![("bad".to_owned(), Suspicion::new(SuspicionKind::Tests, "tests/a.rs", "gone"))];
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(purposes(&world), [Purpose::Work, Purpose::Council]);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused]);
    assert_eq!(world.run.forbidden_changes(), ["src/main.rs"], "the next prompt tells of it");
}

#[test]
fn what_a_council_writes_is_nobodys_progress() {
    let mut plan = counselled(2);
    plan.commit = CommitPolicy::Runner;
    let agent = |call: u32, _| if call == 1 { conflicts(1) } else { Act::idles() };
    let mut world = World::new(plan, agent).counselled(|_, _| Act::decides(Some(1)).leaves("scratch"));
    world.finish();
    assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::Idle]);
    assert_eq!(world.commits, 1, "and in no commit");
}

#[test]
fn a_stop_lets_the_iteration_end_without_a_council() {
    let mut world = World::new(counselled(3), |call, _| conflicts(call));
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    world.input(Input::Stop { by: StopSource::Interrupt, least: 1 });
    assert_eq!(world.finish(), StopReason::Interrupted);
    assert_eq!(purposes(&world), [Purpose::Work]);
    assert_eq!(world.run.counters().finished, 1);
}

// No kill makes two of one.
#[test]
fn killed_after_any_fact_a_decision_is_there_once() {
    let whole = || World::new(counselled(2), |call, _| first_conflicts(call));
    let mut world = whole();
    world.finish();
    for kept in 1..world.journal.len() {
        let mut world = whole();
        world.finish();
        if world.journal[..kept].iter().any(|entry| matches!(entry.fact, Fact::RunEnding { .. })) {
            break;
        }
        world.log.clear();
        world.restart(kept);
        world.finish();
        assert!(world.run.councils.called <= 1, "{kept}");
        let settled = questions(&world).len();
        assert!(settled <= 1, "{kept}");
        assert_eq!(fold(&world.journal), world.run);
        assert!(matches!(world.run.phase(), Phase::Ended(_)));
    }
}

#[test]
fn journals_and_orders_have_it_as_it_was_said() {
    let mut world = World::new(counselled(2), |call, _| first_conflicts(call));
    world.until(|effect| matches!(effect, Effect::LogDecision { .. }));
    let effect = world.run.outstanding().remove(0);
    let context = crate::run::OrderContext::of(&world.run, &effect, world.now);
    let decision = context.decision.clone().unwrap();
    assert_eq!((decision.settled.iteration, decision.settled.attempt), (1, 2));
    assert_eq!(decision.preset, Some(Preset::Startup));
    let text = serde_json::to_string(&context).unwrap();
    assert_eq!(serde_json::from_str::<crate::run::OrderContext>(&text).unwrap(), context);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    let prompt = crate::run::OrderContext::of(&world.run, &world.run.outstanding()[0], world.now).prompt;
    let PromptContext { settled, conflict, .. } = *prompt.unwrap();
    assert_eq!((settled.len(), conflict), (1, None));
}

#[test]
fn for_every_purpose_some_run_makes_calls() {
    let with_everything = |mode| {
        let (review, council) = (Some(ReviewSpec::default()), Some(spec()));
        let mut run = RunSpec { review, council, principles: Some(principles()), ..workspace(mode) };
        run.job.verification = Some(Verification { depth: Depth::Quick, attempts: 3 });
        run
    };
    let runs: Vec<RunSpec> = Mode::iter().map(with_everything).chain([two_lanes()]).collect();
    let made: BTreeSet<&str> =
        runs.iter().flat_map(RunSpec::purposes).map(|purpose| purpose.name()).collect();
    assert_eq!(made, Purpose::VARIANTS.iter().copied().collect());
}
