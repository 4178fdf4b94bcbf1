use std::sync::mpsc::{self, Receiver, Sender};

use windlass_core::fact::{Entry, Fact};
use windlass_core::values::{CallId, LaneId, Now};

use super::*;

fn fact(seq: u64) -> Event {
    Event::from(Entry {
        seq,
        at: Now { wall: Timestamp::UNIX_EPOCH, monotonic: Duration::ZERO },
        fact: Fact::BackoffEnded,
    })
}

fn observation(line: u64, text: &str) -> Event {
    Event::Observation {
        lane: LaneId(0),
        call: CallId(1),
        line,
        at: Timestamp::UNIX_EPOCH,
        observation: Observation::AgentText { text: text.to_owned(), nested: false },
    }
}

/// Shows nothing until it is let go; then says what it was given.
struct Stuck {
    entered: Sender<()>,
    gate: Receiver<()>,
    seen: Sender<Event>,
}

impl View for Stuck {
    fn event(&mut self, event: &Event) {
        let _ = self.entered.send(());
        let _ = self.gate.recv();
        let _ = self.seen.send(event.clone());
    }
}

struct Ends {
    entered: Receiver<()>,
    gate: Sender<()>,
    seen: Receiver<Event>,
}

fn stuck() -> (Box<dyn View>, Ends) {
    let (entered, entered_end) = mpsc::channel();
    let (gate_end, gate) = mpsc::channel();
    let (seen, seen_end) = mpsc::channel();
    let view = Stuck { entered, gate, seen };
    let ends = Ends { entered: entered_end, gate: gate_end, seen: seen_end };
    (Box::new(view), ends)
}

#[test]
fn facts_are_kept_and_observations_counted_while_the_terminal_is_stuck() {
    let (view, ends) = stuck();
    let screen = Screen::start(vec![view], 2).unwrap();
    screen.send(fact(1));
    ends.entered.recv().unwrap();
    // The view is stuck now: two observations find room, one after the other fact does not either.
    for line in 1..=5 {
        screen.send(observation(line, "text"));
    }
    screen.send(fact(2));
    screen.send(observation(6, "text"));
    screen.send(fact(3));
    drop(ends.gate);
    assert!(screen.finish_within(Duration::from_mins(1)));
    let seen: Vec<Event> = ends.seen.iter().collect();
    assert_eq!(
        seen,
        [
            fact(1),
            observation(1, "text"),
            observation(2, "text"),
            Event::Dropped { count: 3 },
            fact(2),
            Event::Dropped { count: 1 },
            fact(3),
        ]
    );
}

#[test]
fn waiting_text_is_bounded_in_bytes() {
    let mut state = QueueState::default();
    let huge = "x".repeat(WAITING_TEXT + 1);
    state.push(observation(1, &huge), 100);
    state.push(observation(2, "small"), 100);
    assert_eq!(state.events.len(), 2);
    assert_eq!(state.events.back(), Some(&Event::Dropped { count: 1 }));
    assert_eq!(state.take().len(), 2);
    state.push(observation(3, "small"), 100);
    assert_eq!(state.events.back(), Some(&observation(3, "small")));
}

#[test]
fn a_stuck_terminal_is_left_behind() {
    let (view, ends) = stuck();
    let screen = Screen::start(vec![view], 2).unwrap();
    screen.send(fact(1));
    ends.entered.recv().unwrap();
    assert!(!screen.finish_within(Duration::from_millis(1)));
    drop(ends.gate);
    assert!(screen.finish_within(Duration::from_mins(1)));
    // Nobody shows it; sending is harmless all the same.
    screen.send(fact(2));
    assert_eq!(ends.seen.iter().count(), 1);
}

/// A defect in a view.
struct Panics;

impl View for Panics {
    fn event(&mut self, _: &Event) {
        std::panic::resume_unwind(Box::new("a defect"));
    }
}

#[test]
fn a_defect_in_a_view_does_not_stop_the_run() {
    let screen = Screen::start(vec![Box::new(Panics)], 2).unwrap();
    screen.send(fact(1));
    assert!(screen.finish_within(Duration::from_mins(1)));
    screen.send(fact(2));
}

/// Says when it is told of the time.
struct Counts(Sender<Event>);

impl View for Counts {
    fn event(&mut self, event: &Event) {
        let _ = self.0.send(event.clone());
    }

    fn counts_time(&self) -> bool {
        true
    }
}

#[test]
fn views_that_count_time_are_told_of_it() {
    let (seen, told) = mpsc::channel();
    let screen = Screen::start(vec![Box::new(Counts(seen))], 2).unwrap();
    assert!(matches!(told.recv(), Ok(Event::Tick { .. })));
    assert!(screen.finish_within(Duration::from_mins(1)));
}
