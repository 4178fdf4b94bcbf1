//! Agents that tasks name.

use std::collections::BTreeSet;

use super::*;
use crate::run::tests::lanes_world::{self, AgentCall, row, tasks_plan};
use crate::spec::Specialist;
use crate::values::{StopReason, TaskId, TaskRow};

fn agent(name: &str, model: Option<&str>) -> AgentSpec {
    let model = model.map(str::to_owned);
    AgentSpec { model, ..AgentSpec::new(name, format!("/usr/bin/{name}").into()) }
}

/// Claude works, opencode takes over, Codex reviews; these work where they are named.
fn spec(named: Vec<AgentSpec>) -> RunSpec {
    RunSpec {
        agent: agent("claude", None),
        substitutes: vec![agent("opencode", None)],
        specialists: vec![Specialist { purpose: Purpose::Review, agent: agent("codex", None) }],
        named,
        ..tasks_plan(1)
    }
}

fn of(id: &str, agent: &str) -> TaskRow {
    TaskRow { agent: Some(agent.to_owned()), ..row(id, &[]) }
}

/// The task and the agent of each call.
fn calls(world: &lanes_world::World) -> BTreeSet<(String, u16)> {
    let mut tasks = BTreeMap::new();
    let mut calls = BTreeSet::new();
    for entry in &world.journal {
        match &entry.fact {
            Fact::IterationStarted { lane, task: Some(task), .. } => {
                tasks.insert(*lane, task.0.clone());
            }
            Fact::CallReserved { lane, agent, .. } => {
                calls.insert((tasks[lane].clone(), agent.0));
            }
            _ => {}
        }
    }
    calls
}

fn done(task: &TaskId, _: Purpose, _: u32) -> AgentCall {
    let file: &'static str = Box::leak(task.0.clone().into_boxed_str());
    AgentCall::done(file, "done")
}

#[test]
fn whom_a_task_names_comes_first_and_is_asked_once() {
    let spec = spec(vec![agent("gemini", Some("flash"))]);
    let candidates = |name: &str, purpose| {
        let named = spec.agent_named(name);
        spec.candidates(CallFor { purpose, named }).map(|agent| agent.0).collect::<Vec<_>>()
    };
    for (name, expected) in [
        ("gemini", [3, 0, 1].as_slice()),
        ("gemini:flash", &[3, 0, 1]),
        ("gemini:pro", &[0, 1]),
        ("opencode", &[1, 0]),
        ("claude", &[0, 1]),
        ("codex", &[2, 0, 1]),
        ("nobody", &[0, 1]),
        ("", &[0, 1]),
        (":", &[0, 1]),
    ] {
        assert_eq!(candidates(name, Purpose::Work), expected, "{name}");
    }
    assert_eq!(candidates("opencode", Purpose::Review), [1, 2, 0]);
}

#[test]
fn agents_are_called_by_their_names_and_namesakes_by_their_models_as_well() {
    let models = |models: &[Option<&str>]| models.iter().map(|model| agent("gemini", *model)).collect();
    let called = |named| {
        let spec = RunSpec { agent: agent("claude", Some("opus")), ..spec(named) };
        spec.agents().map(|(index, _)| spec.agent_name(index)).collect::<Vec<_>>()
    };
    let (flash, pro) = (Some("flash"), Some("pro"));
    for (named, expected) in [
        (models(&[flash]), ["gemini"].as_slice()),
        (models(&[flash, pro]), &["gemini (flash)", "gemini (pro)"]),
        (models(&[flash, None]), &["gemini (flash)", "gemini"]),
        (vec![agent("claude", Some("haiku"))], &["claude (haiku)"]),
    ] {
        let called = called(named);
        let first = if expected == ["claude (haiku)"] { "claude (opus)" } else { "claude" };
        assert_eq!(called[..3], [first, "opencode", "codex"]);
        assert_eq!(called[3..], *expected);
    }
    assert_eq!(spec(Vec::new()).agent_name(AgentIndex(9)), "agent 9");
}

#[test]
fn each_task_is_worked_on_by_whom_it_names() {
    for lanes in [1, 3] {
        let rows = vec![of("T1", "gemini"), row("T2", &[]), of("T3", "nobody"), of("T4", "opencode")];
        let plan = RunSpec { lanes: tasks_plan(lanes).lanes, ..spec(vec![agent("gemini", None)]) };
        let mut world = lanes_world::World::new(plan, rows, done);
        assert_eq!(world.finish(), StopReason::Complete, "{lanes} lanes");
        let expected = [("T1", 3), ("T2", 0), ("T3", 0), ("T4", 1)].map(|(task, by)| (task.to_owned(), by));
        assert_eq!(calls(&world), BTreeSet::from(expected), "{lanes} lanes");
    }
}

#[test]
fn where_whom_a_task_names_cannot_work_the_others_take_over() {
    let rows = vec![of("T1", "gemini"), of("T2", "gemini")];
    let mut world =
        lanes_world::World::new(spec(vec![agent("gemini", None)]), rows, |task, purpose, call| {
            let refused = AgentCall { class: Class::Auth, writes: Vec::new(), claims: false };
            if call == 1 { refused } else { done(task, purpose, call) }
        });
    assert_eq!(world.finish(), StopReason::Complete);
    let expected = [("T1", 3), ("T1", 0), ("T2", 0)].map(|(task, by)| (task.to_owned(), by));
    assert_eq!(calls(&world), BTreeSet::from(expected), "it is away until a person goes on");
}

#[test]
fn a_task_that_nobody_can_ever_work_on_is_given_to_nobody_though_another_one_could_be_waited_for() {
    let rows = vec![of("T1", "gemini"), row("T2", &[])];
    let spec = RunSpec { substitutes: Vec::new(), ..spec(vec![agent("gemini", None)]) };
    let mut world = lanes_world::World::new(spec, rows, |task, purpose, call| {
        let refused = |class| AgentCall { class, writes: Vec::new(), claims: false };
        match call {
            1 => refused(Class::UsageLimit),
            // Whoever takes over cannot work until a person comes; the one that was named is back after a while.
            2 => refused(Class::Auth),
            _ => done(task, purpose, call),
        }
    });
    assert_eq!(world.finish(), StopReason::AgentUnavailable);
    let expected = [("T1", 2), ("T1", 0)].map(|(task, by)| (task.to_owned(), by));
    assert_eq!(calls(&world), BTreeSet::from(expected), "the second task is nobody's");
}
