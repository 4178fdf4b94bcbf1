//! Agents that are asked first for calls of one purpose.

use super::*;
use crate::spec::{CommitPolicy, ReviewSpec, Specialist};

/// Claude works, Codex reviews; these take over.
fn reviewed(substitutes: &[&str]) -> RunSpec {
    let agent = |name: &str| AgentSpec::new(name, format!("/usr/bin/{name}").into());
    let mut spec = plan();
    spec.job.completion_threshold = 1;
    RunSpec {
        agent: agent("claude"),
        substitutes: substitutes.iter().map(|name| agent(name)).collect(),
        specialists: vec![Specialist { purpose: Purpose::Review, agent: agent("codex") }],
        review: Some(ReviewSpec::default()),
        commit: CommitPolicy::Runner,
        ..spec
    }
}

/// Whose each call was, and what it was for.
fn calls(world: &World) -> Vec<(Purpose, u16)> {
    let call = |entry: &Entry| match entry.fact {
        Fact::CallReserved { purpose, agent, .. } => Some((purpose, agent.0)),
        _ => None,
    };
    world.journal.iter().filter_map(call).collect()
}

fn works(call: u32) -> Act {
    if call < 3 { Act::works(&format!("tree {call}")) } else { Act::claims(&format!("tree {call}")) }
}

#[test]
fn each_purpose_has_its_candidates_in_their_order() {
    let spec = reviewed(&["opencode"]);
    let candidates = |purpose| spec.candidates(purpose).map(|agent| agent.0).collect::<Vec<_>>();
    assert_eq!(candidates(Purpose::Work), [0, 1]);
    assert_eq!(candidates(Purpose::Review), [2, 0, 1]);
    assert_eq!(candidates(Purpose::Verify), [0, 1]);
    let named: Vec<String> = spec.agents().map(|(agent, _)| spec.agent_name(agent)).collect();
    assert_eq!(named, ["claude", "opencode", "codex"]);
}

#[test]
fn reviews_are_the_specialists_and_all_else_is_not() {
    let mut world = World::new(reviewed(&[]), |call, _| works(call)).reviewed(|_, _| Act::passes());
    assert_eq!(world.finish(), StopReason::Complete);
    let (work, review) = ((Purpose::Work, 0), (Purpose::Review, 1));
    assert_eq!(calls(&world), [work, review, work, review, work, review]);
}

#[test]
fn where_the_specialist_cannot_whoever_works_takes_over() {
    let mut world = World::new(reviewed(&[]), |call, _| works(call)).reviewed(|review, _| match review {
        1 => Act::limited(None),
        _ => Act::passes(),
    });
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(calls(&world)[..3], [(Purpose::Work, 0), (Purpose::Review, 1), (Purpose::Review, 0)]);
    assert_eq!(waits(&world), [], "nobody waits while somebody can review");
}

#[test]
fn a_specialist_does_no_other_work() {
    let mut refused = false;
    let mut world = World::new(reviewed(&[]), move |call, now| {
        if !std::mem::replace(&mut refused, true) {
            return limited(now, HOUR);
        }
        works(call)
    })
    .reviewed(|_, _| Act::passes());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(waits(&world).len(), 1, "the one who works is waited for");
    assert!(calls(&world).iter().all(|(purpose, agent)| (*purpose == Purpose::Review) == (*agent == 1)));
}

#[test]
fn where_nobody_can_review_the_run_waits_and_goes_on() {
    let mut reviews = 0;
    let mut world = World::new(reviewed(&[]), |call, _| works(call)).reviewed(move |_, _| {
        reviews += 1;
        if reviews < 3 { Act::limited(None) } else { Act::passes() }
    });
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(waits(&world).len(), 1);
}

#[test]
fn a_model_for_a_purpose_is_that_of_whoever_is_asked_first() {
    let mut spec = reviewed(&["opencode"]);
    spec.review = Some(ReviewSpec { model: Some("m".into()), ..ReviewSpec::default() });
    let model = |spec: &RunSpec, purpose, agent| spec.agent_for(purpose, AgentIndex(agent)).model;
    assert_eq!(model(&spec, Purpose::Review, 2).as_deref(), Some("m"));
    assert_eq!(model(&spec, Purpose::Review, 0), None, "it is no model of theirs");
    spec.specialists[0].agent.model = Some("own".into());
    assert_eq!(model(&spec, Purpose::Review, 2).as_deref(), Some("own"));
    spec.specialists.clear();
    assert_eq!(model(&spec, Purpose::Review, 0).as_deref(), Some("m"));
    spec.substitutes.clear();
    spec.agent.model = Some("own".into());
    assert_eq!(model(&spec, Purpose::Review, 0).as_deref(), Some("m"), "what it works with is for its work");
}
