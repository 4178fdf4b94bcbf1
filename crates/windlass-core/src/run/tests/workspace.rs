//! The modes of a workspace: claims from the status file, and what is not progress.

use super::world::{Act, World, check, plan};
use crate::fact::Fact;
use crate::report;
use crate::run::Input;
use crate::spec::{JobWorkspace, Mode, RunSpec};
use crate::values::{CheckKind, Class, Items, JobStatus, StatusSource, StopReason, Verdict};

pub(super) fn workspace(mode: Mode) -> RunSpec {
    let mut plan = plan();
    plan.job.mode = mode;
    plan.job.notes_file = None;
    plan.job.workspace = Some(JobWorkspace {
        name: "api".to_owned(),
        folder: "/project/.windlass/workspaces/api".into(),
        trust_existing_status: false,
        todo_fallback: false,
        watch: None,
        log: None,
    });
    if mode == Mode::Iterative {
        plan.limits.stagnation = Some(2);
    }
    plan
}

fn trusting(mode: Mode) -> RunSpec {
    let mut plan = workspace(mode);
    if let Some(workspace) = &mut plan.job.workspace {
        workspace.trust_existing_status = true;
    }
    plan
}

/// A status file; the mark tells when it was written.
pub(super) fn status(mark: &str) -> JobStatus {
    JobStatus { source: StatusSource::StatusFile, mark: mark.to_owned(), ..JobStatus::default() }
}

fn counts(mark: &str, done: u64) -> JobStatus {
    JobStatus { items: Some(Items { done, total: 3 }), complete: done == 3, ..status(mark) }
}

pub(super) fn worked(mark: &str, worked: bool) -> JobStatus {
    JobStatus { worked: Some(worked), ..status(mark) }
}

pub(super) fn complete(mark: &str) -> JobStatus {
    JobStatus { complete: true, ..status(mark) }
}

fn verdicts(world: &World) -> Vec<Verdict> {
    let verdict = |fact: &Fact| match fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    };
    world.facts().filter_map(verdict).collect()
}

// rows: 2, 46
#[test]
fn a_status_file_that_says_so_completes_the_job_at_once() {
    let agent =
        |call: u32, _| Act::works(&format!("tree {call}")).writes(counts(&call.to_string(), call.into()));
    let mut world = World::new(workspace(Mode::Loop), agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.counters().finished, 3);
}

// rows: 51
#[test]
fn what_the_agent_says_in_words_is_no_claim() {
    let agent = |call: u32, _| Act::claims(&format!("tree {call}")).writes(counts("0", 1));
    let mut plan = workspace(Mode::Loop);
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

// Seed defect D1, commands/run.ts:431: `complete:true` of an earlier run ended the next one at once.
#[test]
fn yesterdays_status_file_counts_only_once_it_is_written_anew() {
    let idle = |_: u32, _| Act::idles();
    let mut world = World::new(workspace(Mode::Loop), idle).with_status(complete("yesterday"));
    assert_eq!(world.finish(), StopReason::Stagnated);
    // The same words, written today.
    let confirms = |_: u32, _| Act::idles().writes(complete("today"));
    let mut world = World::new(workspace(Mode::Loop), confirms).with_status(complete("yesterday"));
    assert_eq!(world.finish(), StopReason::Complete);
    let mut world = World::new(trusting(Mode::Loop), idle).with_status(complete("yesterday"));
    assert_eq!(world.finish(), StopReason::NothingToDo);
    assert_eq!(world.count("call_reserved"), 0);
}

#[test]
fn yesterdays_status_file_is_not_written_anew_by_what_stood_in_its_place_for_a_while() {
    let unreadable = JobStatus { problem: Some("it is empty".to_owned()), ..status("cut short") };
    let boxes = JobStatus { source: StatusSource::TodoFile, ..status("boxes") };
    for meanwhile in [unreadable, boxes, JobStatus::default()] {
        let agent = move |call: u32, _| match call {
            1 => Act::idles().writes(meanwhile.clone()),
            _ => Act::idles().writes(complete("yesterday")),
        };
        let mut world = World::new(workspace(Mode::Loop), agent).with_status(complete("yesterday"));
        assert_eq!(world.finish(), StopReason::Stagnated);
    }
}

#[test]
fn a_trusted_status_file_is_checked_by_the_gates_before_anything_is_called_done() {
    let mut plan = trusting(Mode::Loop);
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    let agent = |_: u32, _| Act::works("good");
    let mut world = World::new(plan, agent).checking(|_, tree| tree == "good").with_status(complete("old"));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.counters().finished, 1);
}

// rows: 3, 62
// Seed defect D1, commands/run.ts:435: stagnation counted as completion.
#[test]
fn no_work_in_so_many_iterations_ends_an_iterative_run() {
    let agent = |call: u32, _| match call {
        1 => Act::works("one").writes(worked("1", false)),
        2 => Act::works("two").writes(worked("2", true)),
        // Something changed, but the agent says that it found nothing to do.
        _ => Act::works(&format!("tree {call}")).writes(worked(&call.to_string(), false)),
    };
    let mut world = World::new(workspace(Mode::Iterative), agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert_eq!(world.run.counters().finished, 4);
    assert_eq!(verdicts(&world)[..2], [Verdict::Idle, Verdict::Worked]);
}

#[test]
fn a_threshold_of_nothing_never_ends_it() {
    let mut plan = workspace(Mode::Iterative);
    plan.limits.stagnation = None;
    plan.limits.iterations = Some(7);
    let agent = |call: u32, _| Act::idles().writes(worked(&call.to_string(), false));
    let mut world = World::new(plan, agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

// Seed defect D1, commands/run.ts:437: `worked:false` that nobody wrote in this iteration made a false stagnation.
#[test]
fn an_old_worked_false_says_nothing_about_this_iteration() {
    let agent = |call: u32, _| Act::works(&format!("tree {call}"));
    let mut plan = workspace(Mode::Iterative);
    plan.limits.iterations = Some(5);
    let mut world = World::new(plan, agent).with_status(worked("old", false));
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert!(verdicts(&world).iter().all(|verdict| *verdict == Verdict::Worked));
}

#[test]
fn in_loop_mode_worked_means_nothing() {
    let agent = |call: u32, _| Act::works(&format!("tree {call}")).writes(worked(&call.to_string(), false));
    let mut plan = workspace(Mode::Loop);
    plan.limits.iterations = Some(5);
    let mut world = World::new(plan, agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

// rows: 47
#[test]
fn boxes_complete_a_run_only_if_there_never_was_a_status_file() {
    let boxes = || JobStatus {
        source: StatusSource::TodoFile,
        mark: "t".to_owned(),
        complete: true,
        ..JobStatus::default()
    };
    let agent = move |_: u32, _| Act::works("done").writes(boxes());
    let mut world = World::new(workspace(Mode::Loop), agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
    let agent = move |call: u32, _| Act::works(&format!("tree {}", call.min(2))).writes(boxes());
    let mut world = World::new(workspace(Mode::Loop), agent).with_status(counts("s", 1));
    assert_eq!(world.finish(), StopReason::Stagnated);
}

#[test]
fn a_claim_stands_until_the_gates_are_green() {
    let mut plan = workspace(Mode::Loop);
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    let agent = |call: u32, _| {
        let act = Act::works(&format!("tree {call}"));
        if call == 1 { act.writes(complete("1")) } else { act }
    };
    let mut world =
        World::new(plan, agent).checking(|_, tree| tree == "tree 3").with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
    let accepted = [Verdict::ClaimRefused, Verdict::ClaimRefused, Verdict::ClaimAccepted];
    assert_eq!(verdicts(&world), accepted);
}

#[test]
fn a_job_that_is_done_is_not_waited_for() {
    let agent = |_: u32, now: crate::values::Now| {
        let resets = now.wall.checked_add(std::time::Duration::from_hours(3)).ok();
        let act = Act { status: Some(complete("1")), ..Act::limited(resets) };
        act.leaves("done")
    };
    let mut world = World::new(workspace(Mode::Loop), agent).with_status(JobStatus::default());
    let began = world.now.wall;
    assert_eq!(world.finish(), StopReason::Complete);
    let took = world.now.wall.duration_since(began);
    assert!(took.as_hours() < 1, "{took:?}");
}

// Seed defect D1, services/status-file-watcher.ts:67: the last words were lost.
// Seed defect D1, services/status-file-watcher.ts:154: `worked` was not meaningful.
#[test]
fn every_news_of_the_status_file_is_a_fact_and_its_last_words_are() {
    let agent = |call: u32, _| Act::works(&format!("tree {call}")).writes(counts(&call.to_string(), 1));
    let mut plan = workspace(Mode::Loop);
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, agent).with_status(JobStatus::default());
    world.until(|effect| matches!(effect, crate::run::Effect::Call { .. }));
    let lane = crate::values::LaneId::default();
    world.input(Input::from(report::CallSpawned { lane, call: crate::values::CallId(1), pid: 7 }));
    world.input(Input::from(report::StatusChanged { lane, standing: worked("a", true) }));
    world.input(Input::from(report::StatusChanged { lane, standing: worked("b", true) }));
    assert_eq!(world.count("status_changed"), 1, "only the time is another");
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.count("status_changed"), 2);
    world.input(Input::from(report::StatusChanged { lane, standing: worked("c", false) }));
    assert_eq!(world.count("status_changed"), 2, "nobody works");
}

#[test]
fn a_failed_call_that_left_a_claim_is_judged_by_the_gates() {
    let agent = |_: u32, _| Act::of(Class::TaskFailure).leaves("done").writes(complete("1"));
    let mut world = World::new(workspace(Mode::Loop), agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
}

/// `--until` replaces the claim: then what the file says is not a reason to look before waiting.
#[test]
fn a_usage_limit_is_waited_for_where_a_check_decides_whatever_the_file_says() {
    let mut plan = workspace(Mode::Loop);
    plan.checks = vec![check(CheckKind::Until, "make test")];
    plan.limits.iterations = Some(1);
    let agent = |call: u32, _| match call {
        1 => Act::limited(None).leaves("half").writes(complete("1")),
        _ => Act::works("whole"),
    };
    let mut world =
        World::new(plan, agent).checking(|_, tree| tree == "whole").with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(verdicts(&world), [Verdict::ClaimAccepted]);
}

#[test]
fn yesterdays_words_stay_those_of_yesterday_where_the_file_was_gone_for_a_while() {
    let mut plan = workspace(Mode::Loop);
    plan.limits.iterations = Some(3);
    let agent = |call: u32, _| match call {
        1 => Act::works("one").writes(JobStatus::default()),
        _ => Act::works(&format!("tree {call}")).writes(complete("yesterday")),
    };
    let mut world = World::new(plan, agent).with_status(complete("yesterday"));
    assert_eq!(world.finish(), StopReason::MaxIterations);
}
