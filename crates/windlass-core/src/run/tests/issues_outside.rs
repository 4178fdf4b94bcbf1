//! Issues whose work leaves the machine: what is told below them of its pull request, and when they are closed.

use std::time::Duration;

use super::going_out::{answer, asked, goes_out, seen};
use super::lanes_world::row;
use super::waking::two_lanes;
use super::world::{Act, World};
use crate::forge::PullRequestState;
use crate::report::{DeliveryReport, DeliveryTask, IssueReport, IssueTask, PullRequestSeen};
use crate::run::{Effect, IssueContext};
use crate::spec::{IssuesSpec, RunSpec};
use crate::values::{JobStatus, StatusSource, StopReason};

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
