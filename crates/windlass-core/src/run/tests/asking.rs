//! What a run answers to whoever asks: the shell for its clocks, views for what they show.

use std::time::Duration;
use strum::IntoEnumIterator;

use super::workspace::{complete, status, workspace};
use super::world::{Act, World, plan};
use crate::fact::Fact;
use crate::report;
use crate::run::{CommitKind, Effect, EndCall, Input, NotesShare, Occasion, Run, Stop, TurnKey};
use crate::spec::{Mode, StatusNews, StatusWatch};
use crate::values::{
    AgentIndex, CallId, CheckStage, Cut, HookName, JobStatus, LaneId, Named, Purpose, StopSource,
};

const LANE: LaneId = LaneId(0);

fn calling(world: &mut World) {
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    world.input(Input::from(report::CallSpawned { lane: LANE, call: CallId(1), pid: 7 }));
}

fn press(world: &mut World) {
    world.input(Input::Stop { by: StopSource::Interrupt, least: 1 });
}

// rows: 57, 59
#[test]
fn a_call_may_take_as_long_as_a_call_may_or_as_the_run_has_left() {
    let (hour, minute) = (Duration::from_hours(1), Duration::from_mins(1));
    let cases = [
        (None, (hour, Cut::WallClock)),
        (Some(hour + 2 * minute), (hour, Cut::WallClock)),
        (Some(hour + minute), (hour, Cut::WallClock)),
        (Some(hour), (Duration::from_mins(59), Cut::Duration)),
        (Some(minute), (Duration::ZERO, Cut::Duration)),
    ];
    for (duration, expected) in cases {
        let mut plan = plan();
        plan.clocks.call = hour;
        plan.limits.duration = duration;
        let mut world = World::new(plan.clone(), |_, _| Act::works("x"));
        world.pass(minute);
        let clocks = world.run.call_clocks(world.now).unwrap();
        assert_eq!((clocks.wall, clocks.wall_means), expected, "{duration:?}");
        assert_eq!(clocks.silence, plan.clocks.silence);
        assert_eq!(
            (clocks.linger, clocks.linger_background),
            (plan.clocks.linger, plan.clocks.linger_background)
        );
    }
    let now = World::new(plan(), |_, _| Act::works("x")).now;
    assert_eq!(Run::new().call_clocks(now), None);
}

#[test]
fn whoever_watches_sees_where_a_run_stands() {
    let mut world = World::new(workspace(Mode::Loop), |_, _| Act::works("x")).with_status(status("first"));
    let states =
        |world: &World| world.run.lanes().map(|(lane, state)| (lane, state.name())).collect::<Vec<_>>();
    assert_eq!(states(&world), [(LANE, "idle")]);
    assert_eq!(world.run.standings().latest(), None, "nothing was read yet");
    calling(&mut world);
    assert_eq!(states(&world), [(LANE, "calling")]);
    assert_eq!(world.run.standings().latest(), Some(&status("first")));
    assert_eq!(world.run.stop(), None);
    for stage in 1..=3 {
        press(&mut world);
        assert_eq!(world.run.stop(), Some(Stop { by: StopSource::Interrupt, stage }));
    }
}

/// Whatever leaves a trace or costs money comes after its facts are on the disk.
#[test]
fn what_leaves_a_trace_waits_for_the_journal() {
    let turn = TurnKey { iteration: 1, attempt: 1 };
    let (lane, call, purpose, agent) = (LANE, CallId(1), Purpose::Work, AgentIndex(0));
    let check = Effect::RunCheck { lane, stage: CheckStage::Baseline, check: 0, turn: None };
    let waiting = [
        Effect::Call { lane, call, turn, purpose, agent, budget: None },
        Effect::Keep { lane, turn },
        Effect::Commit { lane, turn, since: None, what: CommitKind::Complete },
        Effect::Refuse { lane, turn },
        Effect::Undo { lane, turn },
        Effect::RunHook { lane, hook: HookName::Started, iteration: 0, skips: 0 },
        Effect::RunHook { lane, hook: HookName::Started, iteration: 0, skips: 0 },
        check,
        Effect::Announce,
    ];
    assert!(waiting.iter().all(Effect::needs_journal));
    let others = [
        Effect::Survey(Occasion::Start),
        Effect::Prepare { lane, turn, purpose, notes: NotesShare::Usual, agent },
        Effect::Recover { lane, call, turn, purpose, agent },
        Effect::EndCall { lane, call, how: EndCall::Ask, cut: Cut::Stop },
        Effect::Settle { lane, turn },
    ];
    assert!(!others.iter().any(Effect::needs_journal));
}

#[test]
fn a_mode_is_called_what_a_journal_calls_it() {
    for mode in Mode::iter() {
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.name());
    }
}

// The loop would spin: what was killed ends when it ends.
#[test]
fn nothing_is_due_by_time_once_an_agent_is_killed() {
    let mut world = World::new(plan(), |_, _| Act::works("x"));
    calling(&mut world);
    press(&mut world);
    press(&mut world);
    assert_eq!(world.run.next_due(world.now), Some(plan().clocks.grace));
    press(&mut world);
    assert_eq!(world.run.next_due(world.now), None);
}

#[test]
fn what_is_told_of_a_status_file_is_what_was_asked_for() {
    let written_again = JobStatus { mark: "b".to_owned(), ..status("a") };
    for (news, told) in [(StatusNews::Meaningful, 0), (StatusNews::EveryWrite, 1)] {
        let mut plan = workspace(Mode::Loop);
        if let Some(workspace) = &mut plan.job.workspace {
            workspace.watch = Some(StatusWatch { debounce: Duration::ZERO, news });
        }
        let mut world = World::new(plan, |_, _| Act::works("x")).with_status(status("a"));
        calling(&mut world);
        world.input(Input::from(report::StatusChanged { lane: LANE, standing: status("a") }));
        assert_eq!(world.count("status_changed"), 0, "{news:?}: it was not written");
        world.input(Input::from(report::StatusChanged { lane: LANE, standing: written_again.clone() }));
        assert_eq!(world.count("status_changed"), told, "{news:?}");
        world.input(Input::from(report::StatusChanged { lane: LANE, standing: complete("c") }));
        let last = world.facts().last();
        assert!(
            matches!(last, Some(Fact::StatusChanged(report::StatusChanged { standing, .. })) if standing.complete),
            "{news:?}"
        );
    }
}
