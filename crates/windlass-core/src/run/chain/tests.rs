use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use proptest::prelude::*;

use super::*;
use crate::fact::Entry;
use crate::run::tests::world::{Act, World, fold, plan};
use crate::run::{Effect, Input, RESET_MARGIN};
use crate::values::{Named, Purpose, StopSource};

mod named;
mod specialists;

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

fn chain(names: &[&str]) -> RunSpec {
    let agent = |name: &&str| AgentSpec::new(name, format!("/usr/bin/{name}").into());
    let mut agents = names.iter().map(agent);
    RunSpec { agent: agents.next().unwrap(), substitutes: agents.collect(), ..plan() }
}

fn limited(now: Now, time: Duration) -> Act {
    Act::limited(Some(later(now.wall, time)))
}

/// Whose each call was.
fn callers(world: &World) -> Vec<u16> {
    let caller = |entry: &Entry| match entry.fact {
        Fact::CallReserved { agent, .. } => Some(agent.0),
        _ => None,
    };
    world.journal.iter().filter_map(caller).collect()
}

fn waits(world: &World) -> Vec<Duration> {
    let wait = |entry: &Entry| match entry.fact {
        Fact::BackoffStarted { until, .. } => Some(between(entry.at.wall, until)),
        _ => None,
    };
    world.journal.iter().filter_map(wait).collect()
}

fn failing(world: &World) -> String {
    let failing = |entry: &Entry| match &entry.fact {
        Fact::Failing { detail, .. } => Some(detail.clone()),
        _ => None,
    };
    world.journal.iter().find_map(failing).unwrap_or_default()
}

/// Each agent has a script of its own: what it does at a time. `by` says whose turn it is in the world's own words.
struct Agents(World, Rc<Cell<u16>>);

impl Agents {
    fn new(spec: RunSpec, mut act: impl FnMut(u16, Now) -> Act + 'static) -> Agents {
        let turn = Rc::new(Cell::new(0));
        let told = Rc::clone(&turn);
        Agents(World::new(spec, move |_, now| act(told.get(), now)), turn)
    }

    fn play(spec: RunSpec, act: impl FnMut(u16, Now) -> Act + 'static) -> Agents {
        let mut agents = Agents::new(spec, act);
        agents.go_on(|_| false);
        agents
    }

    /// To this point, or to the end.
    fn go_on(&mut self, is_there: impl Fn(&World) -> bool) {
        let Agents(world, turn) = self;
        while !is_there(world) {
            for effect in world.run.outstanding() {
                if let Effect::Call { agent, .. } = effect {
                    turn.set(agent.0);
                }
            }
            if !world.step() {
                break;
            }
        }
    }
}

#[test]
fn at_a_limit_the_next_agent_takes_over_the_same_iteration_and_the_first_returns_at_its_time() {
    let mut refused = false;
    let mut works = 0;
    let played = Agents::play(chain(&["claude", "codex"]), move |agent, now| {
        if agent == 0 && !std::mem::replace(&mut refused, true) {
            return limited(now, Duration::from_mins(10));
        }
        works += 1;
        if works < 20 { Act::works(&format!("tree {works}")) } else { Act::claims(&format!("tree {works}")) }
    });
    let world = &played.0;
    assert_eq!(world.run.phase(), crate::run::Phase::Ended(StopReason::Complete));
    assert_eq!(waits(world), [], "nobody waits while somebody can work");
    let callers = callers(world);
    let by_codex = callers.iter().filter(|agent| **agent == 1).count();
    assert_eq!(callers[0], 0);
    assert!((5..=10).contains(&by_codex), "{callers:?}");
    assert!(callers[1..=by_codex].iter().all(|agent| *agent == 1), "{callers:?}");
    assert!(callers[1 + by_codex..].iter().all(|agent| *agent == 0), "{callers:?}");
    assert_eq!(
        world.run.counters().finished as usize,
        callers.len() - 1,
        "the refused attempt took no number"
    );
    assert_eq!(world.run.counters().failures, 0);
    let second = world.journal.iter().find_map(|entry| match entry.fact {
        Fact::CallReserved { iteration, attempt, agent: AgentIndex(1), .. } => Some((iteration, attempt)),
        _ => None,
    });
    assert_eq!(second, Some((1, 2)));
}

#[test]
fn where_all_are_limited_the_first_who_is_back_is_waited_for() {
    let mut calls = 0;
    let played = Agents::play(chain(&["claude", "codex"]), move |agent, now| {
        calls += 1;
        match (calls, agent) {
            (1, 0) => limited(now, 3 * HOUR),
            (2, 1) => limited(now, HOUR),
            _ => Act::claims(&format!("{calls}")),
        }
    });
    let world = &played.0;
    assert_eq!(callers(world)[..3], [0, 1, 1]);
    assert_eq!(waits(world).len(), 1);
    assert_eq!(waits(world)[0], Duration::from_mins(59) + RESET_MARGIN);
    assert!(world.run.active(world.now) < Duration::from_mins(10), "the wait does not count");
}

#[test]
fn who_would_be_back_later_is_asked_at_once_where_a_person_wants_that() {
    let mut calls = 0;
    let mut agents = Agents::new(chain(&["claude", "codex"]), move |agent, now| {
        calls += 1;
        match (calls, agent) {
            (1, 0) => limited(now, 3 * HOUR),
            (_, 1) => Act::of(Class::Auth),
            _ => Act::claims(&format!("{calls}")),
        }
    });
    agents.go_on(|world| !waits(world).is_empty());
    let before = agents.0.now.wall;
    agents.0.input(Input::TryNow);
    let away: Vec<AgentIndex> = agents.0.run.agents_away().map(|(agent, ..)| agent).collect();
    assert_eq!((away, agents.0.run.backoff()), (vec![AgentIndex(1)], None), "a person has to log in first");
    agents.go_on(|_| false);
    assert_eq!(callers(&agents.0)[..3], [0, 1, 0]);
    assert!(between(before, agents.0.now.wall) < HOUR, "it was not waited for");
}

#[test]
fn who_is_not_logged_in_is_not_asked_again_before_a_person_goes_on() {
    for class in [Class::Auth, Class::Billing, Class::Permission, Class::Config] {
        let mut works = 0;
        let played = Agents::play(chain(&["claude", "codex"]), move |agent, _| {
            works += 1;
            if agent == 0 { Act::of(class) } else { Act::claims(&format!("{works}")) }
        });
        let mut world = played.0;
        assert_eq!(callers(&world), [0, 1, 1, 1], "{class:?}");
        assert_eq!(world.run.agents_away().count(), 1);
        world.input(Input::Resume(Box::new(chain(&["claude", "codex"]))));
        assert_eq!(world.run.agents_away().count(), 0);
    }
}

#[test]
fn where_nobody_can_work_the_run_ends_and_says_why_of_each() {
    let mut spec = chain(&["claude", "codex"]);
    spec.limits.wait = HOUR;
    let act = |agent: u16, now| {
        let mut act = if agent == 0 { Act::of(Class::Auth) } else { limited(now, 5 * HOUR) };
        act.report.detail = if agent == 0 { "not logged in" } else { "limited" }.to_owned();
        act
    };
    let played = Agents::play(spec, act);
    assert_eq!(played.0.run.phase(), crate::run::Phase::Ended(StopReason::LimitWaitExceeded));
    assert!(
        failing(&played.0)
            .starts_with("no agent can work: claude: not logged in; codex: the usage limit resets at")
    );
    let played = Agents::play(chain(&["claude", "codex", "mock"]), |_, _| Act::of(Class::Billing));
    assert_eq!(played.0.run.phase(), crate::run::Phase::Ended(StopReason::AgentUnavailable));
    assert_eq!(callers(&played.0), [0, 1, 2]);
}

#[test]
fn an_outage_is_waited_for_first_and_handed_over_beyond_its_patience() {
    let mut works = 0;
    let free = Act {
        report: crate::values::CallReport {
            cost: Some(crate::values::Cost::ZERO),
            ..Act::of(Class::Outage).report
        },
        ..Act::of(Class::Outage)
    };
    let played = Agents::play(chain(&["claude", "codex"]), move |agent, _| {
        works += 1;
        match agent {
            0 => free.clone(),
            _ if works < 90 => Act::works(&format!("{works}")),
            _ => Act::claims(&format!("{works}")),
        }
    });
    let callers = callers(&played.0);
    let first: usize = callers.iter().take_while(|agent| **agent == 0).count();
    assert!((10..=21).contains(&first), "{callers:?}");
    let probes = callers[first..].iter().filter(|agent| **agent == 0).count();
    let minutes = callers.len() - first;
    assert!(probes >= 1 && probes <= minutes / 25, "one question in half an hour: {callers:?}");
}

#[test]
fn a_limit_that_names_no_time_is_asked_less_and_less() {
    let mut works = 0;
    let played = Agents::play(chain(&["claude", "codex"]), move |agent, _| {
        works += 1;
        match agent {
            0 => Act::limited(None),
            _ if works < 60 => Act::works(&format!("{works}")),
            _ => Act::claims(&format!("{works}")),
        }
    });
    let mut away = Vec::new();
    for entry in &played.0.journal {
        if let Fact::AgentAway { until: Some(until), .. } = entry.fact {
            away.push(between(entry.at.wall, until).as_secs() / 60);
        }
    }
    assert_eq!(away[..4], [2, 5, 10, 20]);
}

#[test]
fn who_is_away_stays_so_over_a_kill_and_returns_at_its_time() {
    let mut world = World::new(chain(&["claude", "codex"]), |call, now| match call {
        1 => limited(now, 2 * HOUR),
        _ => Act::works(&format!("{call}")),
    });
    world.until(|effect| matches!(effect, Effect::Call { agent: AgentIndex(1), .. }));
    world.input(Input::Resume(Box::new(chain(&["claude", "codex"]))));
    assert_eq!(world.run.agent_for(LaneId(1), Purpose::Work), AgentIndex(1));
    world.until(|effect| matches!(effect, Effect::Recover { agent: AgentIndex(1), .. }));
    world.until(|effect| matches!(effect, Effect::Call { agent: AgentIndex(1), .. }));
    world.pass(2 * HOUR);
    world.until(|effect| matches!(effect, Effect::Call { agent: AgentIndex(0), .. }));
    world.input(Input::Stop { by: StopSource::Interrupt, least: 3 });
}

#[test]
fn who_is_away_is_back_in_time_though_another_one_is_at_work() {
    let mut world = World::new(chain(&["claude", "codex"]), |call, now| match call {
        1 => limited(now, 2 * HOUR),
        _ => Act::works(&format!("{call}")),
    });
    world.until(|effect| matches!(effect, Effect::Call { agent: AgentIndex(1), .. }));
    assert_eq!(world.run.next_due(world.now), Some(119 * MINUTE + RESET_MARGIN));
    world.pass(2 * HOUR);
    world.input(Input::Tick);
    assert_eq!(world.run.agents_away().count(), 0);
    assert_eq!(world.run.agent_for(LaneId(1), Purpose::Work), AgentIndex(0));
}

#[test]
fn a_record_of_an_agent_that_is_not_there_is_refused() {
    let mut world = World::new(chain(&["claude", "codex"]), |call, now| match call {
        1 => limited(now, HOUR),
        _ => Act::claims(&format!("{call}")),
    });
    world.finish();
    for name in ["call_reserved", "agent_away"] {
        let at = world.journal.iter().position(|entry| entry.fact.name() == name).unwrap();
        let mut entry = world.journal[at].clone();
        if let Fact::CallReserved { agent, .. } | Fact::AgentAway { agent, .. } = &mut entry.fact {
            *agent = AgentIndex(2);
        }
        let illegal = fold(&world.journal[..at]).apply(&entry).unwrap_err();
        assert_eq!(illegal.why, "there is no agent 2", "{name}");
    }
}

#[test]
fn where_nobody_could_work_when_the_runner_died_everybody_is_asked_again() {
    let mut spec = chain(&["claude", "codex"]);
    spec.limits.wait = MINUTE;
    let mut world = World::new(spec.clone(), |call, now| match call {
        1 | 2 => limited(now, 5 * HOUR),
        _ => Act::claims(&format!("{call}")),
    });
    while !world.journal.iter().any(|entry| matches!(entry.fact, Fact::Failing { .. })) {
        assert!(world.step());
    }
    world.input(Input::Resume(Box::new(spec)));
    assert_eq!(
        (world.run.agent_for(LaneId(1), Purpose::Work), world.run.agents_away().count()),
        (AgentIndex(0), 0)
    );
    assert_eq!(world.finish(), StopReason::Complete);
}

#[test]
fn one_agent_alone_waits_as_ever() {
    let mut world = World::new(plan(), |call, now| match call {
        1 => limited(now, HOUR),
        _ => Act::claims(&format!("{call}")),
    });
    world.finish();
    assert!(
        !world
            .journal
            .iter()
            .any(|entry| matches!(entry.fact, Fact::AgentAway { .. } | Fact::AgentBack { .. }))
    );
    assert_eq!(waits(&world).len(), 1);
}

fn acts() -> impl Strategy<Value = (Class, Option<u64>)> {
    let class = prop_oneof![
        4 => Just(Class::Success),
        2 => Just(Class::UsageLimit),
        2 => Just(Class::Outage),
        1 => Just(Class::Auth),
        1 => Just(Class::TaskFailure),
    ];
    (class, proptest::option::of(0_u64..1000))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn work_goes_to_the_first_who_can_and_every_run_ends(
        script in proptest::collection::vec(acts(), 1..40),
        agents in 1_usize..4,
    ) {
        let mut calls = 0;
        let played = Agents::play(chain(&["claude", "codex", "mock"][..agents]), move |_, now| {
            calls += 1;
            let (class, minutes) = script[calls % script.len()];
            let mut act = match class {
                Class::UsageLimit => Act::limited(minutes.map(|minutes| later(now.wall, MINUTE * u32::try_from(minutes).unwrap()))),
                Class::Success => Act::works(&format!("{calls}")),
                other => Act::of(other),
            };
            if class == Class::Outage && minutes.is_some() {
                act.report.cost = Some(crate::values::Cost::ZERO);
            }
            act
        });
        let mut away: BTreeMap<u16, Option<Timestamp>> = BTreeMap::new();
        for entry in &played.0.journal {
            match &entry.fact {
                Fact::AgentAway { agent, until, by, .. } => {
                    away.insert(agent.0, *until);
                    let free = (0..u16::try_from(agents).unwrap()).find(|one| !away.contains_key(one));
                    prop_assert_eq!(by.map(|by| by.0), free);
                }
                Fact::AgentBack { agent } => {
                    prop_assert!(away.remove(&agent.0).flatten().is_some_and(|until| until <= entry.at.wall));
                }
                Fact::CallReserved { agent, .. } => {
                    let free = (0..u16::try_from(agents).unwrap()).find(|one| !away.contains_key(one));
                    if let Some(free) = free {
                        prop_assert_eq!(agent.0, free);
                    } else {
                        // The first who is back: its time has come.
                        prop_assert!(away[&agent.0].is_some_and(|until| until <= entry.at.wall));
                    }
                }
                _ => {}
            }
        }
        prop_assert!(matches!(played.0.run.phase(), crate::run::Phase::Ended(_)));
    }
}
