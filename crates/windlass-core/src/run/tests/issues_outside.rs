//! Issues whose work leaves the machine: what is told below them of its pull request, and when they are closed.

use std::time::Duration;

use super::going_out::{answer, asked, goes_out, seen, steps};
use super::lanes_world::row;
use super::waking::two_lanes;
use super::world::{Act, World};
use crate::forge::{CheckTally, PullRequestState};
use crate::report::{
    DeliveryMove, DeliveryReport, DeliveryStep, DeliveryTask, IssueReport, IssueTask, PullRequestSeen,
    WaitsFor,
};
use crate::run::{Effect, Input, IssueContext};
use crate::spec::{IssuesSpec, RunSpec};
use crate::values::{JobStatus, StatusSource, StopReason, StopSource};

const BRANCH: &str = "| branch | ` windlass/r-test0000 `: its pull request follows |\n";
const PAGE: &str = "| pull request | url |\n";

/// A run of one issue, that is closed once it is done.
fn of_an_issue() -> World {
    let out = goes_out();
    let mut plan = RunSpec { delivery: out.delivery, checks: out.checks, lanes: None, ..two_lanes() };
    let repository = plan.delivery.as_ref().unwrap().repository.clone();
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
