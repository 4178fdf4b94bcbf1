//! Issues whose work leaves the machine: what is told below them of its pull request, and when they are closed.

use std::time::Duration;

use super::going_out::{answer, asked, goes_out, seen, steps};
use super::lanes_world::row;
use super::waking::two_lanes;
use super::world::{Act, World};
use crate::fact::Fact;
use crate::forge::{CheckTally, PullRequestState};
use crate::report::{
    DeliveryMove, DeliveryReport, DeliveryStep, DeliveryTask, IssueReport, IssueStep, IssueTask,
    PullRequestSeen, Report, WaitsFor,
};
use crate::run::{Effect, Input, IssueContext, Orders};
use crate::spec::{CommitPolicy, DeliverySpec, IssuesSpec, RunSpec};
use crate::values::{JobStatus, StatusSource, StopReason, StopSource};

const BRANCH: &str = "| branch | ` windlass/r-test0000 `: its pull request follows |\n";
const PAGE: &str = "| pull request | url |\n";

/// A run of one issue, that is closed once it is done.
fn of_an_issue() -> World {
    of_an_issue_and(goes_out().delivery, CommitPolicy::Runner)
}

fn of_an_issue_and(delivery: Option<DeliverySpec>, commit: CommitPolicy) -> World {
    let DeliverySpec { repository, .. } = goes_out().delivery.unwrap();
    let mut plan = RunSpec { delivery, commit, checks: goes_out().checks, lanes: None, ..two_lanes() };
    plan.job.tasks.as_mut().unwrap().issues =
        Some(IssuesSpec { repository, lease: Duration::from_mins(30), closes: true });
    let status = |complete| JobStatus { source: StatusSource::TaskFile, complete, ..JobStatus::default() };
    let mut world = World::new(plan, move |_, _| Act::works("tree").writes(status(true)));
    world.tasks = Some(vec![row("#1", &[])]);
    world.status = Some(status(false));
    issue(&mut world, IssueTask::Lease);
    let (task, lasts) = ("#1".into(), Duration::from_mins(30));
    world.input(IssueReport::Leased { task, lasts }.into());
    world
}

/// Up to where this is asked about the issue.
fn issue(world: &mut World, wanted: IssueTask) {
    world.until(|effect| matches!(effect, Effect::Issue { what, .. } if *what == wanted));
}

/// What is told next below the issue: that it is done.
fn told(world: &mut World) -> IssueContext {
    issue(world, IssueTask::TellDone);
    let told = world.run.issue_text(&"#1".into(), IssueTask::TellDone).unwrap();
    world.input(IssueReport::Done { task: "#1".into(), what: IssueTask::TellDone }.into());
    told
}

#[test]
fn an_issue_is_told_of_its_pull_request_and_closed_once_that_is_merged() {
    let by_person = || PullRequestSeen { state: PullRequestState::Merged, ..seen() };
    let left = || PullRequestSeen { state: PullRequestState::Closed, ..seen() };
    for (seen, reason, closes) in [
        (seen(), StopReason::Complete, true),
        (by_person(), StopReason::Complete, true),
        (left(), StopReason::ClosedByPerson, false),
    ] {
        let mut world = of_an_issue();
        let IssueContext { text, closes: at_once } = told(&mut world);
        assert!(text.contains(BRANCH) && !text.contains(PAGE), "{text}");
        assert!(!at_once, "nobody has merged it");
        asked(&mut world, DeliveryTask::Push);
        assert_eq!(world.run.pull_request(), None);
        answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
        answer(&mut world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false });
        assert_eq!(world.run.pull_request(), Some((7, "url")));
        asked(&mut world, DeliveryTask::View);
        answer(&mut world, DeliveryReport::Viewed(seen));
        if reason == StopReason::Complete && !world.run.is_merged() {
            asked(&mut world, DeliveryTask::Merge);
            answer(&mut world, DeliveryReport::Merged { commit: "m1".to_owned() });
        }
        let then = told(&mut world);
        assert!(then.text.contains(PAGE) && !then.text.contains(BRANCH), "{}", then.text);
        assert_eq!(then.closes, closes, "{reason:?}");
        assert_eq!(world.finish(), reason);
    }
}

/// Its pull request is looked at, and a person stops the run, which has that to tell below the issue.
fn stops(seen: Option<PullRequestSeen>) -> World {
    let mut world = of_an_issue();
    told(&mut world);
    asked(&mut world, DeliveryTask::Push);
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    answer(&mut world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false });
    asked(&mut world, DeliveryTask::View);
    if let Some(seen) = seen {
        answer(&mut world, DeliveryReport::Viewed(seen));
    }
    world.input(Input::Stop { by: StopSource::Interrupt, least: 1 });
    let orders = world.run.outstanding();
    assert!(matches!(&orders[..], [Effect::Issue { what: IssueTask::TellDone, .. }]), "{orders:?}");
    world
}

#[test]
fn a_stopped_run_does_not_look_at_its_pull_request_again_while_it_tells_its_issue() {
    let checks = CheckTally { pending: 1, ..CheckTally::default() };
    let mut world = stops(Some(PullRequestSeen { checks, ..seen() }));
    let looked = world.journal.len();
    world.pass(Duration::from_mins(5));
    world.input(Input::Tick);
    assert_eq!(world.journal.len(), looked);
    assert_eq!(world.run.next_due(world.now), None);
}

#[test]
fn what_a_look_shows_that_ends_after_a_stop_is_for_a_resumed_run() {
    let mut world = stops(None);
    answer(&mut world, DeliveryReport::Viewed(seen()));
    let last = steps(&world).pop().cloned();
    let Some(DeliveryStep::Viewed { next: DeliveryMove::Wait { waits_for, then, .. }, .. }) = last else {
        panic!("{last:?}")
    };
    assert_eq!((waits_for, then), (WaitsFor::Resumption, DeliveryTask::Merge));
    told(&mut world);
    assert_eq!(world.finish(), StopReason::Interrupted);
    world.restart(world.journal.len());
    asked(&mut world, DeliveryTask::Merge);
}

#[test]
fn what_is_done_is_told_with_the_run_the_commit_where_that_is_and_the_checks() {
    let of_run = "**Done**, as the runner has seen it.\n\n| | |\n|---|---|\n| run | ` r-test0000 ` |\n";
    let checks = "\nPassed on this work:\n\n- [x] ` make test `\n";
    for (delivery, commit, rows) in [
        (None, CommitPolicy::Runner, "| commit | c1 |\n| pushed | no |\n".to_owned()),
        (goes_out().delivery, CommitPolicy::Runner, format!("| commit | c1 |\n{BRANCH}")),
        // The branch is where it was: nobody's commit has the work.
        (None, CommitPolicy::None, String::new()),
    ] {
        let told = told(&mut of_an_issue_and(delivery, commit));
        assert_eq!(told.text, format!("{of_run}{rows}{checks}"), "{commit:?}");
    }
}

// The answer to what is told at first may bring the pull request about: what is told then reads like the same order.
#[test]
fn what_is_told_once_more_is_ordered_once_more() {
    let mut world = of_an_issue();
    issue(&mut world, IssueTask::TellDone);
    let mut orders = Orders::default();
    let mut ordered = |answer: &Option<Report>| {
        if let Some(answer) = answer {
            orders.answered(answer);
        }
        let due = orders.due(&world.run, world.now).orders;
        due.iter().filter(|order| matches!(order.effect, Effect::Issue { .. })).count()
    };
    let answer = |id: &str, what| Report::IssueReport(IssueReport::Done { task: id.into(), what });
    let told = IssueTask::TellDone;
    for (came, times) in [
        (None, 1),
        (None, 0),
        (Some(Report::notice("something")), 0),
        (Some(answer("#2", told)), 0),
        (Some(answer("#1", IssueTask::Lease)), 0),
        (Some(answer("#1", told)), 1),
        (None, 0),
    ] {
        assert_eq!(ordered(&came), times, "{came:?}");
    }
}

#[test]
fn what_is_told_of_a_pull_request_needs_one_and_something_that_is_done() {
    let mut world = of_an_issue_and(None, CommitPolicy::Runner);
    told(&mut world);
    assert_eq!(world.finish(), StopReason::Complete);
    let ends = |world: &World| world.facts().filter(|fact| **fact == Fact::Issue(IssueStep::Ending)).count();
    assert_eq!(ends(&world), 0, "there is none");
    let mut world = stops(None);
    assert_eq!(ends(&world), 1);
    told(&mut world);
    assert_eq!(world.finish(), StopReason::Interrupted);
    assert_eq!(ends(&world), 1, "it was told");
}
