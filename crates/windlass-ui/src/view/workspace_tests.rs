//! How a workspace's run is shown.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::spec::Mode;
use windlass_core::values::{Evidence, JobStatus, LaneId, StopReason};

use super::*;
use crate::event::Event;
use crate::terminal::{Glyphs, Terminal};
use crate::testing::{Night, columns, shown, status, workspace_plan};

fn told(night: &Night) -> (String, String) {
    shown(ProgressView::new, &columns(80), &night.events)
}

/// The lines after the header.
fn body(night: &Night) -> String {
    let (_, notes) = told(night);
    notes.split_once("as a snapshot\n\n").expect("a header").1.to_owned()
}

// rows: 111, 121, 122
#[test]
fn a_workspace_with_a_refused_and_an_accepted_verification_at_80_columns() {
    let (results, notes) = told(&Night::new().workspace());
    assert_eq!(
        notes,
        r"windlass · loop · r-k3v9x2aa
  Move all endpoints to the new router

  workspace   api · .windlass/workspaces/api
  log         iterate-20260301-200000.log
  agent       claude 2.1.330, model opus
  in          /home/ada/ledger
  at most     50 iterations, 12h, $5.00, 3 failures in a row, 3 in a row without
              progress
  may do      edit files here; Bash(cargo test:*), Bash(git diff:*), Bash(git
              log:*); anything else is refused and listed here
  done when   the status file says so; no gate checks it (--gate CMD)
  verified    by a fresh agent before it counts: standard depth, 2 attempts
  commits     none; every iteration is kept as a snapshot

      ✎ before this run: 30/60 items
      Running iteration 1...
      ✎ 35/60 items (+5) - Migrated 35/60 API endpoints
   1  ✓ worked    1m 02s    $0.42  2 files changed (25 items remaining)
      Running iteration 2...
      ✎ 34/60 items (-1) - payments: One has to be moved back
        blocked: the staging database is not reachable
   2  ✓ worked    1m 02s    $0.42  2 files changed (26 items remaining)
      Running iteration 3...
      ✎ 60/60 items (+26) - All API endpoints migrated ✓ Complete!
      ? the claim is accepted so far; a fresh agent verifies it (standard)
   3  ✗ refused   1m 35s    $0.84  claims to be done, 9 files changed
        verification: fail (high confidence): 58 of 60 endpoints are moved.
          ✗ /v1/export still uses the old router: src/routes/export.rs:14
          ○ No test covers /v1/import
          1 requirement seen to be met
          recommended: Move the export endpoints and run their tests.
      Running iteration 4...
      ? the claim is accepted so far; a fresh agent verifies it (standard)
   4  ★ accepted  1m 35s    $0.84  claim accepted and verified, 3 files changed
        verification: pass (high confidence): All 60 endpoints are moved and
          tested.
          1 requirement seen to be met
"
    );
    assert!(
        results.starts_with(
            "\n  ✓ Task completed successfully after 5 iterations\n    The agent says so; a fresh agent verified the work.\n\n  status      60/60 items - All API endpoints migrated\n"
        ),
        "{results}"
    );
    assert!(results.contains("\n  log         .windlass/workspaces/api/iterate-20260301-200000.log\n"));
    assert!(results.contains("  next        windlass verify api       have a fresh agent check the work\n"));
}

// Seed defect D1, commands/run.ts:435: stagnation was told as completion.
#[test]
fn stagnation_is_said_in_the_seeds_words() {
    let night = Night::new().stagnating();
    assert_eq!(
        body(&night),
        "      Running iteration 1...
      ✎ worked - Implemented authentication middleware and updated 3 routes
   1  ✓ worked    1m 02s    $0.42  2 files changed
      Running iteration 2...
      ✎ found nothing to do - Nothing is left to do
   2  ○ idle         22s    $0.10  found nothing to do
      Running iteration 3...
      ✎ found nothing to do - Nothing is left to do
   3  ○ idle         22s    $0.10  found nothing to do
"
    );
    let emoji = Terminal { glyphs: Glyphs::Emoji, ..columns(80) };
    let (results, _) = shown(ProgressView::new, &emoji, &night.events);
    assert!(
        results.starts_with("\n  ⚠️ Stagnation detected: 2 consecutive iterations with no work\n\n"),
        "{results}"
    );
}

// rows: 53
#[test]
fn used_up_iterations_come_with_three_ways_to_go_on() {
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None).end(StopReason::MaxIterations, "");
    let (results, _) = told(&night);
    assert!(results.starts_with("\n  ⚠ Reached maximum iterations (50)\n"), "{results}");
    let commands =
        ["windlass run api\n", "windlass resume r-k3v9x2aa --max-iterations 100\n", "windlass show api\n"];
    let places =
        commands.map(|command| results.find(command).unwrap_or_else(|| panic!("{command}: {results}")));
    assert!(places.is_sorted());
}

#[test]
fn a_failure_that_ends_the_run_names_its_iteration() {
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None);
    night.end(StopReason::ConsecutiveFailures, "3 iterations in a row failed");
    let (results, _) = told(&night);
    assert!(results.starts_with("\n  ✗ Iteration 5 failed\n    3 iterations in a row failed\n"), "{results}");
}

#[test]
fn a_judgement_has_words_of_its_own() {
    for (mode, sentence, next) in [
        (Mode::Verify, "The work did not pass verification.", "windlass run api"),
        (Mode::Validate, "The instructions need work.", "windlass edit api"),
    ] {
        let night = Night::new().judged(mode);
        let body = body(&night);
        assert!(body.starts_with("   1  ✗ failed       42s    $0.42  2 findings\n"), "{body}");
        assert!(body.contains("          ✗ /v1/export still uses the old router: src/routes/export.rs:14\n"));
        let word = if mode == Mode::Validate { "validation: major issues" } else { "verification: fail" };
        assert!(body.contains(&format!("        {word} (high confidence): 58 of")), "{body}");
        let (results, _) = told(&night);
        let headline = format!("\n  ✗ {sentence}\n    58 of 60 endpoints are moved.\n");
        assert!(results.starts_with(&headline) && results.contains(next), "{results}");
    }
}

#[test]
fn what_is_wrong_with_the_status_file_is_said_once() {
    let mut night = Night::new();
    let broken = |summary: &str| JobStatus {
        problem: Some("`complete` is\x1b[2J missing".to_owned()),
        ..status(3, summary)
    };
    night.start_workspace(workspace_plan(Mode::Loop), None).iteration(1);
    night.status(broken("one")).status(broken("two"));
    assert_eq!(
        body(&night),
        "      Running iteration 1...
      ✎ 3/60 items - one
      ! in the status file: `complete` is missing
      ✎ 3/60 items - two
"
    );
}

#[test]
fn ascii_is_ascii_and_forty_columns_are_enough() {
    for night in [Night::new().workspace(), Night::new().stagnating(), Night::new().judged(Mode::Verify)] {
        let ascii = Terminal { glyphs: Glyphs::Ascii, ..columns(80) };
        let (results, notes) = shown(ProgressView::new, &ascii, &night.events);
        assert!(results.is_ascii() && notes.is_ascii(), "{notes}{results}");
        let (results, notes) = shown(ProgressView::new, &columns(40), &night.events);
        for line in results.lines().chain(notes.lines()) {
            let fits = unicode_width::UnicodeWidthStr::width(line) <= 40;
            let whole = ["windlass ", ".log", "/"].iter().any(|part| line.contains(part));
            assert!(fits || whole, "{line}");
        }
    }
}

// rows: 119
#[test]
fn the_living_line_counts_items_and_says_that_it_verifies() {
    let terminal = Terminal { interactive: true, ..columns(80) };
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None).iteration(3).status(status(35, ""));
    let living = |night: &Night| shown(ProgressView::new, &terminal, &night.events).1;
    assert!(living(&night).contains("35/60 items · $0.00 · starting\x1b[K"), "{:?}", living(&night));
    night.called(|_| {}).fact(Fact::FollowUpDue {
        lane: LaneId(0),
        iteration: 3,
        attempt: 1,
        purpose: windlass_core::values::Purpose::Verify,
    });
    night.call_for(3, 2, windlass_core::values::Purpose::Verify);
    assert!(living(&night).contains("verifying: starting"), "{:?}", living(&night));
}

#[test]
fn the_json_lines_of_a_workspace() {
    let lines: Vec<serde_json::Value> = {
        let (results, _) = shown(JsonView::new, &Terminal::plain(), &Night::new().workspace().events);
        results.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let of = |name: &str| lines.iter().filter(|line| line["type"] == name).cloned().collect::<Vec<_>>();
    let started = &of("run_started")[0];
    assert_eq!((&started["mode"], &started["workspace"]["name"]), (&"loop".into(), &"api".into()));
    let changed = of("status_changed");
    assert_eq!(changed[0]["items"], serde_json::json!({ "done": 35, "total": 60 }));
    assert_eq!((&changed[0]["delta"], &changed[1]["delta"]), (&5.into(), &(-1).into()));
    assert_eq!((&changed[0]["complete"], &changed[2]["complete"]), (&false.into(), &true.into()));
    assert_eq!(changed[0]["summary"], "Migrated 35/60 API endpoints");
    assert_eq!(of("verification_due").len(), 2);
    let judged: Vec<_> =
        of("call_finished").into_iter().filter(|call| call["assessment"].is_object()).collect();
    assert_eq!(judged[0]["assessment"]["verdict"], "fail");
    assert_eq!(of("iteration_finished")[0]["remaining"], 25);
}

#[test]
fn verbose_does_not_say_twice_which_iteration_it_is() {
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None).counted(1, status(1, "one"));
    let (_, notes) = shown(VerboseView::new, &columns(80), &night.events);
    assert!(notes.contains("\n\n      Running iteration 1...\n    ✎ I move"), "{notes}");
    assert!(!notes.contains("  iteration 1\n"));
}

#[test]
fn what_was_before_this_session_is_known_and_not_shown() {
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None).counted(1, status(30, "thirty"));
    let mut events: Vec<Event> = Vec::new();
    for event in night.events.drain(..) {
        if let Event::Fact(entry) = event {
            events.push(Event::Past(entry));
        }
    }
    night.fact(Fact::RunResumed { plan: Box::new(workspace_plan(Mode::Loop)) });
    night.counted(2, status(31, "one more"));
    events.append(&mut night.events);
    let (_, notes) = shown(ProgressView::new, &columns(80), &events);
    assert!(
        notes.starts_with("windlass · loop · r-k3v9x2aa · resumed after 1 iteration, $0.42 spent\n"),
        "{notes}"
    );
    assert!(notes.contains("31/60 items (+1)") && !notes.contains("thirty"), "{notes}");
    let (results, _) = shown(JsonView::new, &Terminal::plain(), &events);
    assert!(results.starts_with(r#"{"v":1,"type":"run_resumed""#), "{results}");
    let (_, verdict) = shown(QuietView::new, &Terminal::plain(), &events);
    assert_eq!(verdict, "");
}

#[test]
fn looks_after_checks_and_hooks_tell_only_what_is_new() {
    let look = |standing: JobStatus| {
        Fact::BaselineCaptured(report::BaselineCaptured {
            evidence: Evidence::default(),
            snapshot: None,
            left_out: 0,
            standing: Some(standing),
        })
    };
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), Some(status(3, "three")));
    for standing in [status(3, "three"), status(4, "four"), status(4, "four")] {
        night.fact(look(standing));
    }
    let (_, notes) = told(&night);
    assert_eq!((notes.matches("3/60 items").count(), notes.matches("4/60 items").count()), (1, 1), "{notes}");
}
