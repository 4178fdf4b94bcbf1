//! Agents of several lanes that cannot work: what two lanes meet is told and counted once, and how long is waited.

use std::time::Duration;

use super::sharing::{ended, open};
use super::waking::{at_work_with, two_lanes};
use super::world::{Act, World};
use crate::fact::Fact;
use crate::report;
use crate::run::{Input, RESET_MARGIN};
use crate::spec::AgentSpec;
use crate::values::{AgentIndex, LaneId, Purpose, between, later};

const MINUTE: Duration = Duration::from_mins(1);
const ONE: LaneId = LaneId(1);
const TWO: LaneId = LaneId(2);

/// Claude works in both lanes, and Codex takes over.
fn at_work() -> World {
    let agent = |name: &str| AgentSpec::new(name, format!("/usr/bin/{name}").into());
    let mut plan = two_lanes();
    (plan.agent, plan.substitutes) = (agent("claude"), vec![agent("codex")]);
    let mut world = at_work_with(plan, &["T1", "T2"]);
    for lane in [ONE, TWO] {
        open(&mut world, lane);
    }
    for lane in [ONE, TWO] {
        prepared(&mut world, lane);
    }
    world
}

/// The next call of a lane begins.
fn prepared(world: &mut World, lane: LaneId) {
    world.input(Input::from(report::Prepared { lane }));
}

/// A lane's agent is refused; the limit names a time in so many minutes, or none.
fn refused(world: &mut World, lane: LaneId, minutes: Option<u32>) {
    let resets_at = minutes.map(|minutes| later(world.now.wall, MINUTE * minutes));
    ended(world, lane, Act::limited(resets_at).report, None);
}

/// The agents that cannot work, and for how long.
fn away(world: &World) -> Vec<(u16, Duration)> {
    let away = world.run.agents_away();
    away.map(|(agent, until, _)| (agent.0, between(world.now.wall, until.unwrap()))).collect()
}

/// How long was to be waited, each time that a wait began.
fn waits(world: &World) -> Vec<Duration> {
    let wait = |fact: &Fact| match fact {
        Fact::BackoffStarted { until, .. } => Some(between(world.now.wall, *until)),
        _ => None,
    };
    world.facts().filter_map(wait).collect()
}

fn until(minutes: u32) -> Duration {
    MINUTE * minutes + RESET_MARGIN
}

#[test]
fn what_a_second_lane_meets_is_told_once_more_only_where_it_lasts_longer() {
    for (second, told, lasts) in [(60, 1, 60), (30, 1, 60), (90, 2, 90)] {
        let mut world = at_work();
        refused(&mut world, ONE, Some(60));
        refused(&mut world, TWO, Some(second));
        assert_eq!((world.count("agent_away"), away(&world)), (told, vec![(0, until(lasts))]), "{second}");
        assert_eq!(waits(&world), [], "somebody can work");
    }
}

#[test]
fn what_two_lanes_meet_is_one_refusal() {
    for second in [60, 30, 90] {
        let mut world = at_work();
        refused(&mut world, ONE, Some(60));
        refused(&mut world, TWO, Some(second));
        world.pass(until(90));
        world.input(Input::Tick);
        assert_eq!(away(&world), [], "its time has come");
        prepared(&mut world, ONE);
        refused(&mut world, ONE, None);
        assert_eq!(away(&world), [(0, 5 * MINUTE)], "{second}: after a second refusal, and no third one");
    }
}

#[test]
fn where_nobody_can_work_the_first_who_is_back_is_waited_for_and_nobody_is_asked_before() {
    let mut world = at_work();
    refused(&mut world, ONE, Some(60));
    prepared(&mut world, ONE);
    refused(&mut world, ONE, Some(120));
    assert_eq!(away(&world), [(0, until(60)), (1, until(120))]);
    assert_eq!(waits(&world), [until(60)]);
    // The other lane is told that it takes longer: now the substitute is back first.
    refused(&mut world, TWO, Some(180));
    assert_eq!(waits(&world), [until(60), until(120)]);
    world.pass(until(60));
    world.input(Input::Tick);
    assert!(world.run.outstanding().is_empty(), "{:?}", world.run.outstanding());
    world.pass(until(60));
    world.input(Input::Tick);
    let asked = [ONE, TWO].map(|lane| world.run.agent_for(lane, Purpose::Work));
    assert_eq!((asked, world.run.outstanding().len()), ([AgentIndex(1); 2], 2));
}

#[test]
fn what_is_waited_for_already_is_not_waited_for_once_more() {
    let mut world = at_work();
    for lane in [ONE, TWO] {
        refused(&mut world, lane, Some(60));
        prepared(&mut world, lane);
    }
    refused(&mut world, ONE, Some(120));
    refused(&mut world, TWO, Some(150));
    assert_eq!(away(&world), [(0, until(60)), (1, until(150))]);
    assert_eq!(waits(&world), [until(60)]);
}
