use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Ended, Evidence, LaneId, StopReason};

use super::*;
use crate::testing::{Night, columns};

fn now() -> Timestamp {
    "2026-03-01T20:30:00Z".parse().unwrap()
}

fn status(events: usize, unfinished: RunState) -> RunStatus {
    let mut board = Board::default();
    for event in Night::new().whole().events.iter().take(events) {
        board.apply(event);
    }
    RunStatus::new(&board, unfinished, None, now())
}

#[test]
fn a_run_at_work() {
    assert_eq!(
        status_text(&status(25, RunState::Running), now(), &columns(80)),
        "r-k3v9x2aa running  Make the parser accept ISO dates and cover it with tests
  in          /home/ada/ledger
  started     2026-03-01 20:00:00 (30m ago)
  iteration   3 of 50 in goal mode
  cost        $0.53 of $5.00
  tokens      409.2k (in 2.4k, out 6.8k, cache 400.0k)
  time        30m 00s
  gate        ○ cargo test -q (not run on the work)
  denied      windlass config set permissions.allow --add 'Bash(npm install left-pad)'
  next        windlass logs r-k3v9x2aa -f
              windlass stop r-k3v9x2aa
"
    );
}

#[test]
fn a_run_that_waits() {
    let events = Night::new().whole().events;
    let is_hold = |event: &crate::event::Event| matches!(event, crate::event::Event::Fact(entry) if matches!(entry.fact, Fact::BackoffStarted { .. }));
    let held = events.iter().position(is_hold).unwrap();
    let running = status(held + 1, RunState::Running);
    assert_eq!((running.duration_ms, running.waited_ms), (510_000, 1_290_000));
    let text = status_text(&running, now(), &columns(80));
    assert!(text.contains("  time        8m 30s, and 21m 30s waited\n"), "{text}");
    assert!(text.contains("  waiting     until 21:11 (in 41m 30s)\n"), "{text}");
    let status = status(held + 1, RunState::Interrupted);
    let text = status_text(&status, now(), &columns(80));
    assert!(text.contains("  would wait  until 21:11 (in 41m 30s)\n"), "{text}");
    assert!(text.starts_with("r-k3v9x2aa interrupted  "), "{text}");
    assert!(text.contains("  next        windlass resume r-k3v9x2aa\n"), "{text}");
    // Nobody has worked on it since its last fact.
    assert!(text.contains("  time        8m 30s\n"), "{text}");
}

#[test]
fn a_run_that_ended() {
    let status = status(usize::MAX, RunState::Interrupted);
    assert_eq!(status.state, RunState::Ended(StopReason::Complete));
    let text = status_text(&status, now(), &columns(80));
    assert!(text.contains("  time        23m 14s, and 1h 03m waited\n"), "{text}");
    assert!(
        text.ends_with(
            "  next        windlass logs r-k3v9x2aa\n              windlass restore r-k3v9x2aa 5\n"
        )
    );
}

#[test]
fn a_run_that_was_stopped_by_hand_can_go_on() {
    let mut board = Board::default();
    Night::new().start().end(StopReason::Interrupted, "").events.iter().for_each(|event| board.apply(event));
    let text = status_text(&RunStatus::new(&board, RunState::Interrupted, None, now()), now(), &columns(80));
    assert!(
        text.ends_with("  next        windlass resume r-k3v9x2aa\n              windlass logs r-k3v9x2aa\n"),
        "{text}"
    );
}

#[test]
fn commits_and_how_the_agent_ended_are_shown_where_there_is_something_to_show() {
    let looked = |head: Option<&str>| {
        let evidence = Evidence { head: head.map(str::to_owned), ..Evidence::default() };
        Fact::TreeRechecked(report::TreeRechecked { lane: LaneId(0), evidence })
    };
    let mut night = Night::new();
    night.start().fact(looked(Some("aaaa1111aaaa1111"))).iteration(1);
    night.called(|call| call.ended = Ended::Signalled(9)).fact(looked(Some("bbbb2222bbbb2222")));
    let mut board = Board::default();
    night.events.iter().for_each(|event| board.apply(event));
    assert_eq!(commit_range(&board), Some((Some("aaaa1111aaaa1111"), "bbbb2222bbbb2222")));
    let status = |counted| RunStatus::new(&board, RunState::Interrupted, counted, now());
    assert_eq!((status(None).commits_made, status(Some(3)).commits_made), (1, 3));
    let text = status_text(&status(Some(3)), now(), &columns(80));
    assert!(
        text.contains("  commits     3 (HEAD was bbbb2222)\n  agent       ended by signal 9\n"),
        "{text}"
    );

    let mut unborn = Board::default();
    let mut night = Night::new();
    night.start().fact(looked(None)).fact(looked(Some("cccc")));
    night.events.iter().for_each(|event| unborn.apply(event));
    assert_eq!(commit_range(&unborn), Some((None, "cccc")));
    assert_eq!(commit_range(&Board::default()), None);
}

#[test]
fn the_task_of_a_plan_is_named() {
    let said = |source| JobStatus { source, summary: "Parse dates".to_owned(), ..JobStatus::default() };
    for (source, task) in
        [(StatusSource::PlanFile, Some("Parse dates".to_owned())), (StatusSource::StatusFile, None)]
    {
        let mut board = Board::default();
        let mut night = Night::new();
        night
            .start()
            .fact(Fact::StatusChanged(report::StatusChanged { lane: LaneId(0), standing: said(source) }));
        night.events.iter().for_each(|event| board.apply(event));
        assert_eq!(RunStatus::new(&board, RunState::Running, None, now()).task, task);
    }
}

// rows: 118
#[test]
fn machines_get_a_document() {
    let bytes = status_json(&status(usize::MAX, RunState::Interrupted));
    let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((&document["v"], &document["type"]), (&1.into(), &"status".into()));
    assert_eq!(document["state"], "complete");
    assert_eq!(document["iterations"], 5);
    assert_eq!(document["cost_usd"], 2.13);
    assert_eq!(document["checks"][0]["result"], "passed");
    assert_eq!(document["restorable"], 5);
    assert_eq!((&document["mode"], &document["finish_type"]), (&"goal".into(), &"complete".into()));
    assert_eq!(document["last_exit_code"], 0);
}
