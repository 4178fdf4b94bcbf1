use super::*;
use crate::testing::{Night, columns, shown};

// Seed defect D2, src/streaming.rs:177-180 + 223-227: the final text was printed twice.
// Seed defect D3, core/claude.ts:248-250: raw JSON was printed.
// rows: 43
#[test]
fn an_iteration_with_everything_in_it() {
    let events = Night::new().whole().events;
    let (results, notes) = shown(VerboseView::new, &columns(80), &events);
    let start = notes.find("\n  iteration 5\n").unwrap();
    assert_eq!(
        notes.get(start..).unwrap(),
        "
  iteration 5
    ▸ Bash cargo test -q
      run the tests
      running 14 tests
      ..............
      test result: ok. 14 passed; 0 failed
   5  ★ accepted  4m 03s    $0.42  claim accepted, 3 files changed
"
    );
    assert!(results.ends_with("\nstopped: complete\n"));
}

#[test]
fn nothing_is_redrawn() {
    let terminal = crate::terminal::Terminal { interactive: true, ..columns(80) };
    let (_, notes) = shown(VerboseView::new, &terminal, &Night::new().whole().events);
    assert!(!notes.contains(['\r', '\x1b']));
}

#[test]
fn what_was_left_out_is_said() {
    let mut night = Night::new();
    night.start().events.push(Event::Dropped { count: 120 });
    let (_, notes) = shown(VerboseView::new, &columns(80), &night.events);
    assert!(
        notes.ends_with("    … 120 steps not shown, the terminal was too slow; `windlass logs` has them\n"),
        "{notes}"
    );
}

#[test]
fn a_replay_shows_what_was_seen_live() {
    let events = Night::new().whole().events;
    let (_, live) = shown(VerboseView::new, &columns(80), &events);
    let mut ticking = Vec::new();
    for event in &events {
        ticking.push(event.clone());
        let now = match event {
            Event::Fact(entry) => entry.at.wall,
            Event::Observation { at, .. } | Event::Tick { now: at } => *at,
            Event::Dropped { .. } | Event::Past(_) => continue,
        };
        ticking.push(Event::Tick { now });
    }
    let (_, ticked) = shown(VerboseView::new, &columns(80), &ticking);
    assert_eq!(live, ticked);
}
