//! What tests look at: the made-up night that windlass-ui's tests look at, too.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use windlass_app::inspect::{Heading, RunSummary};
use windlass_core::fact::{Entry, Fact};
use windlass_core::spec::Mode;
use windlass_core::values::{Cost, LaneId, RunId, Spent, StopReason, TaskId, Tokens};
use windlass_ui::model::{Course, RunSeen};
use windlass_ui::{Event, RunState};

use crate::state::{AtHand, Listed, News, RunNow, RunPlace, State};

#[path = "../../windlass-ui/examples/night/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    missing_docs,
    reason = "not every program that shows a night needs all of it"
)]
mod night;

pub use night::Night;

/// The moment at which everything is looked at.
pub fn now() -> Timestamp {
    "2026-03-02T07:00:00Z".parse().unwrap()
}

/// The made-up run.
pub fn place() -> RunPlace {
    RunPlace { project: "ledger-1".to_owned(), run: RunId("r-k3v9x2aa".to_owned()) }
}

fn facts(night: &Night) -> Vec<Entry> {
    let entry = |event: &Event| match event {
        Event::Fact(entry) | Event::Past(entry) => Some((**entry).clone()),
        _ => None,
    };
    night.events.iter().filter_map(entry).collect()
}

/// The run of a night that stands so.
pub fn seen(night: &Night, state: RunState) -> RunSeen {
    Course::of(&facts(night)).seen((state, None), None, now())
}

/// The same as it is read.
pub fn run_now(night: &Night, state: RunState) -> RunNow {
    let seen = seen(night, state);
    RunNow { place: place(), made: now(), heard: None, at_hand: BTreeMap::new(), seen }
}

/// A run that has gone through the whole night.
pub fn past() -> RunNow {
    run_now(&Night::new().whole(), RunState::Interrupted)
}

/// One that is at its third iteration.
pub fn live() -> RunNow {
    let mut night = Night::beginning("2026-03-02T06:45:00Z".parse().unwrap());
    night.start().iteration(1).pass(240).called(|_| {}).kept(3);
    night.finished(
        1,
        windlass_core::values::Verdict::Worked,
        windlass_core::values::Class::Success,
        0.42,
        252,
    );
    night.pass(2).iteration(2).pass(41).called(|call| {
        call.class = windlass_core::values::Class::Outage;
        "529 overloaded".clone_into(&mut call.detail);
        call.cost = Cost::from_dollars(0.05);
    });
    night.kept(0).finished(
        2,
        windlass_core::values::Verdict::Failed,
        windlass_core::values::Class::Outage,
        0.05,
        41,
    );
    night.pass(2).iteration(3);
    let mut run = run_now(&night, RunState::Running);
    run.heard = "2026-03-02T06:59:56Z".parse().ok();
    let since = "2026-03-02T06:59:19Z".parse().ok();
    run.at_hand.insert(3, AtHand { what: "Bash cargo test -q".to_owned(), since });
    run.seen.windows.push(windlass_core::values::WindowShare {
        window: "five_hour".to_owned(),
        used_percent: 62,
        resets_at: None,
    });
    run
}

/// One in two lanes, each with its task.
pub fn lanes() -> RunNow {
    let mut night = Night::beginning("2026-03-02T06:50:00Z".parse().unwrap());
    night.start();
    for (lane, iteration, task) in [(0, 1, "login"), (1, 2, "docs")] {
        let task = Some(TaskId(task.to_owned()));
        night.pass(5).fact(Fact::IterationStarted { lane: LaneId(lane), iteration, task });
    }
    run_now(&night, RunState::Running)
}

/// A run of a thousand iterations.
pub fn long() -> RunNow {
    let mut night = Night::new();
    night.start();
    for iteration in 1..=1_000 {
        night.iteration(iteration).pass(5).called(|_| {}).kept(1);
        let verdict = if iteration % 7 == 0 {
            windlass_core::values::Verdict::Failed
        } else {
            windlass_core::values::Verdict::Worked
        };
        night.finished(iteration, verdict, windlass_core::values::Class::Success, 0.01, 5);
    }
    run_now(&night, RunState::Interrupted)
}

/// A view of this run.
pub fn view(run: RunNow) -> State {
    let mut state = State::of_run(place());
    state.take(News::Run(Box::new(run)));
    state
}

/// A list of runs.
pub fn listed() -> Vec<Listed> {
    let run = |heading, project: &str, title: &str, state, hours: i64| {
        let last = now() - std::time::Duration::from_secs(u64::try_from(hours * 3600).unwrap());
        let run = RunId(format!("r-{project}7"));
        let cost = Cost::from_dollars(4.1);
        let summary = RunSummary {
            run: run.clone(),
            title: title.to_owned(),
            directory: Path::new("/home/ada").join(project),
            items: None,
            mode: Mode::Goal,
            workspace: None,
            pipeline: None,
            about: None,
            started: last,
            last,
            called: true,
            iterations: 9,
            cost,
            reserved: Cost::ZERO,
            estimated: false,
            estimated_cost: Cost::ZERO,
            tokens: Tokens::default(),
            ending: None,
        };
        let place = RunPlace { project: project.to_owned(), run };
        Listed { place, heading, state, spent: Spent::of(cost, false), summary: summary.into() }
    };
    vec![
        run(Heading::NeedsYou, "api", "Port the \x1b[31mparser", RunState::Ended(StopReason::NeedsHuman), 4),
        run(Heading::Running, "docs", "Write the 漢字 guide", RunState::Running, 0),
        run(Heading::LastNight, "web", "Make the tests pass", RunState::Ended(StopReason::Complete), 6),
        run(Heading::Older, "old", "What was", RunState::Ended(StopReason::MaxIterations), 200),
    ]
}
