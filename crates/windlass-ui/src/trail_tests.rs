use windlass_core::values::{AgentIndex, CallSummary, Cost, Now};

use super::*;
use crate::testing::plan;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn entry(fact: Fact) -> Entry {
    Entry { seq: 1, at: Now { wall: at(0), monotonic: Duration::ZERO }, fact }
}

fn reserved(call: u32, iteration: u32) -> Entry {
    let (reserved, budget) = (Cost::ZERO, None);
    let (lane, purpose, attempt) = (LaneId(0), Purpose::Work, 1);
    let agent = AgentIndex(0);
    entry(Fact::CallReserved {
        lane,
        call: CallId(call),
        iteration,
        attempt,
        purpose,
        agent,
        reserved,
        budget,
    })
}

fn finished(call: u32) -> Entry {
    let summary = CallSummary::uneventful();
    entry(Fact::CallFinished { lane: LaneId(0), call: CallId(call), claimed: false, summary })
}

fn place(call: u32, seconds: i64) -> Place {
    Place { lane: LaneId(0), call: CallId(call), line: 1, at: at(seconds) }
}

fn called(id: &str, input: &str) -> ToolTrace {
    let (id, name) = (id.to_owned(), "Bash".to_owned());
    ToolTrace::Called { id, name, input: input.to_owned(), nested: false }
}

fn answered(id: &str) -> ToolTrace {
    ToolTrace::Answered { id: id.to_owned(), is_error: false }
}

fn told(calls: Vec<ToolCall>) -> Vec<(String, ToolOutcome)> {
    calls.into_iter().map(|call| (call.id, call.outcome)).collect()
}

fn begun() -> Trail {
    let mut trail = Trail::default();
    assert_eq!(trail.fact(&entry(Fact::RunStarted { plan: Box::new(plan()) })), []);
    assert_eq!(trail.fact(&reserved(1, 4)), []);
    trail
}

fn outcome(id: &str, outcome: ToolOutcome) -> (String, ToolOutcome) {
    (id.to_owned(), outcome)
}

#[test]
fn calls_are_listed_in_the_order_they_were_made_with_what_became_of_them() {
    let mut trail = begun();
    let mut trace = |seconds, trace| told(trail.trace(place(1, seconds), trace, |_| true));
    for id in ["a", "b", "c"] {
        assert_eq!(trace(1, called(id, "{}")), []);
    }
    assert_eq!(trace(2, answered("b")), []);
    assert_eq!(trace(2, ToolTrace::Refused { id: "a".to_owned() }), []);
    let error = ToolTrace::Answered { id: "a".to_owned(), is_error: true };
    assert_eq!(trace(3, error), [outcome("a", ToolOutcome::Denied), outcome("b", ToolOutcome::Ok)]);
    assert_eq!(trace(3, answered("nobody")), []);
    assert_eq!(told(trail.fact(&finished(1))), [outcome("c", ToolOutcome::Open)]);
    assert_eq!(trail.rest(), []);
}

#[test]
fn a_call_knows_its_iteration_and_how_long_it_took() {
    let mut trail = begun();
    trail.trace(place(1, 1), called("a", "{}"), |_| true);
    let listed = trail.trace(place(1, 8), answered("a"), |_| true);
    assert_eq!((listed[0].place.iteration, listed[0].took), (4, Some(Duration::from_secs(7))));
    assert_eq!(trail.run, Some(plan().run));
}

#[test]
fn what_is_not_wanted_is_not_even_held() {
    let mut trail = begun();
    assert_eq!(trail.trace(place(1, 1), called("a", "{}"), |name| name == "Edit"), []);
    assert_eq!(trail.rest(), []);
}

#[test]
fn what_waits_is_bounded() {
    let mut trail = begun();
    let mut listed = Vec::new();
    listed.extend(trail.trace(place(1, 1), called("never answered", "{}"), |_| true));
    for number in 0..3 * HELD_CALLS {
        let id = number.to_string();
        listed.extend(trail.trace(place(1, 1), called(&id, "{}"), |_| true));
        listed.extend(trail.trace(place(1, 1), answered(&id), |_| true));
        assert!(trail.held.len() <= HELD_CALLS);
    }
    listed.extend(trail.rest());
    assert_eq!(listed.len(), 3 * HELD_CALLS + 1);
    assert_eq!(listed.iter().filter(|call| call.outcome == ToolOutcome::Open).count(), 1);

    let mut trail = begun();
    let large = "x".repeat(HELD_BYTES / 2);
    for number in 0..5 {
        listed.extend(trail.trace(place(1, 1), called(&number.to_string(), &large), |_| true));
        assert!(trail.bytes <= HELD_BYTES && trail.held.len() <= 2);
    }
}
