use jiff::{SignedDuration, Timestamp};
use windlass_core::fact::Fact;
use windlass_core::observation::{Observation, ToolInput};
use windlass_core::report;
use windlass_core::values::{
    CheckKind, CheckStage, Class, Cost, Cut, Evidence, LaneId, RunId, StopReason, StopSource, TaskEnd,
    TaskId, TaskRow, Tokens, UnderWay, UsageLimit, Verdict,
};

use super::*;
use crate::event::Event;
use crate::terminal::{Glyphs, Terminal};
use crate::testing::{Night, columns, plan, shown};

fn told(events: &[Event]) -> (String, String) {
    shown(ProgressView::new, &columns(80), events)
}

/// The lines that these facts add to those of a run that has begun.
fn added(build: impl FnOnce(&mut Night)) -> String {
    let mut night = Night::new();
    night.start();
    let before = told(&night.events).1;
    build(&mut night);
    told(&night.events).1.strip_prefix(&before).unwrap().to_owned()
}

// rows: 43, 66, 121, 122
#[test]
fn a_whole_night_at_80_columns() {
    let (results, notes) = told(&Night::new().whole().events);
    assert_eq!(
        notes,
        "windlass · goal · r-k3v9x2aa
  Make the parser accept ISO dates and cover it with tests

  agent       claude 2.1.330, model opus
  in          /home/ada/ledger
  at most     50 iterations, 12h, $5.00, 3 failures in a row, 3 in a row without
              progress
  may do      edit files here; Bash(cargo test:*), Bash(git diff:*), Bash(git
              log:*); anything else is refused and listed here
  done when   the agent says so and every gate passes
  gate        cargo test -q
  commits     none; every iteration is kept as a snapshot

      ✗ before the first iteration: cargo test -q (exit 101, 3s)
        test result: FAILED. 11 passed; 2 failed
   1  ✓ worked    4m 12s    $0.42  3 files changed
        denied: Bash npm install left-pad
          allowed by: windlass config set permissions.allow --add 'Bash(npm install left-pad)'
   2  ○ idle      1m 03s    $0.11  nothing new
   3  ✗ refused   3m 23s    $0.31  claims to be done, 2 files changed
        gate failed: cargo test -q (exit 101, 3s)
          test result: FAILED. 13 passed; 1 failed
   4  ↻ retry        12s    $0.00  usage limit of the five-hour window; same
        iteration, attempt 2
      ◷ waiting for the usage limit to reset at 21:11 (in 1h 03m)
   4  ✗ failed    1h 03m   ≈$0.50  the agent crashed: signal 11
   5  ★ accepted  4m 03s    $0.42  claim accepted, 3 files changed
"
    );
    assert_eq!(
        results,
        "
  ★ The job is done.
    The agent says so, and every gate passed.

  iterations  5 (1 worked, 1 accepted, 1 refused, 1 idle, 1 failed)
  cost        $2.13 (≈$0.50 estimated) of $5.00
  tokens      1.2M (in 12.0k, out 34.1k, cache 1.2M)
  time        23m 14s, and 1 wait of 1h 03m in all
  gate        ✓ cargo test -q (3s)
  denied      what was refused is allowed from the next run on by
              windlass config set permissions.allow --add 'Bash(npm install left-pad)'
  changes     windlass diff r-k3v9x2aa       what changed since the run began
  restore     windlass restore r-k3v9x2aa 5  the files as after that iteration
  next        windlass logs r-k3v9x2aa  what was done, step by step

stopped: complete
"
    );
}

#[test]
fn forty_columns_are_enough_for_all_but_what_is_to_be_copied() {
    let (results, notes) = shown(ProgressView::new, &columns(40), &Night::new().whole().events);
    for line in results.lines().chain(notes.lines()) {
        let fits = unicode_width::UnicodeWidthStr::width(line) <= 40;
        assert!(fits || line.contains("permissions.allow") || line.contains("windlass "), "{line}");
    }
}

#[test]
fn ascii_is_ascii() {
    let terminal = Terminal { glyphs: Glyphs::Ascii, ..columns(80) };
    let (results, notes) = shown(ProgressView::new, &terminal, &Night::new().whole().events);
    assert!(results.is_ascii() && notes.is_ascii(), "{notes}{results}");
    assert!(notes.contains("\n   4  x failed    1h 03m   ~$0.50  the agent crashed: signal 11\n"));
}

#[test]
fn colours_have_meaning() {
    let terminal = Terminal { colour: true, ..columns(80) };
    let mut night = Night::new();
    night.start().iteration(1).kept(1);
    night.finished(1, Verdict::Failed, Class::TaskFailure, 0.2, 61);
    let (_, notes) = shown(ProgressView::new, &terminal, &night.events);
    assert!(
        notes.ends_with("\x1b[2m   1  \x1b[0m\x1b[31m✗ failed  \x1b[0m  1m 01s    $0.20  the agent failed\n"),
        "{notes:?}"
    );
}

#[test]
fn every_verdict_has_its_line() {
    for (verdict, class, changed, start, explanation) in [
        (Verdict::Worked, Class::Success, 1, "✓ worked  ", "1 file changed"),
        (Verdict::Worked, Class::MaxTurns, 2, "✓ worked  ", "2 files changed, out of turns"),
        (Verdict::Idle, Class::Success, 2, "○ idle    ", "nothing that was not there before"),
        (Verdict::Failed, Class::ContextTooLong, 0, "✗ failed  ", "the conversation became too long"),
        (
            Verdict::ClaimUnsupported,
            Class::Success,
            0,
            "? unproven",
            "claims to be done, but nothing has changed",
        ),
    ] {
        let text = added(|night| {
            night.iteration(1).called(|call| call.class = class).kept(changed);
            night.finished(1, verdict, class, 0.3, 12);
        });
        assert_eq!(text, format!("   1  {start}     12s    $0.30  {explanation}\n"));
    }
}

#[test]
fn an_until_command_that_does_not_pass_yet_is_no_failure() {
    let mut plan = plan();
    plan.checks[0].kind = CheckKind::Until;
    let mut night = Night::new();
    night.fact(Fact::RunStarted { plan: Box::new(plan) });
    night.iteration(1).called(|_| {}).kept(1).gate(
        CheckStage::Candidate,
        windlass_core::values::CheckResult::Failed(1),
        "",
    );
    night.finished(1, Verdict::Worked, Class::Success, 0.42, 12);
    let (_, notes) = told(&night.events);
    assert!(
        notes.contains("  done when   every until command passes\n  until       cargo test -q\n"),
        "{notes}"
    );
    assert!(notes.ends_with("1 file changed\n        not yet: cargo test -q (exit 1, 3s)\n"), "{notes}");
}

#[test]
fn each_stage_of_stopping_says_what_comes_next() {
    let resume = "        to go on later: windlass resume r-k3v9x2aa\n";
    for (by, stage, expected) in [
        (
            StopSource::Interrupt,
            1,
            "      ! finishing this iteration, then stopping; Ctrl-C again ends the agent now\n",
        ),
        (StopSource::Command, 1, "      ! windlass stop: finishing this iteration, then stopping\n"),
        (
            StopSource::Terminate,
            2,
            "      ! SIGTERM: ending the agent: SIGTERM now, SIGKILL in 5s to everything it\n        started; its work is kept; Ctrl-C again kills it at once\n",
        ),
        (StopSource::Interrupt, 3, "      ! killing everything the agent started; its work is kept\n"),
    ] {
        let text = added(|night| {
            night.iteration(1).call(1, 1).fact(Fact::StopRequested { by, stage });
        });
        assert!(text.ends_with(&format!("{expected}{resume}")), "{text}");
    }
}

#[test]
fn no_agent_is_ended_that_is_not_at_work() {
    let checks = "no agent is at work: ending what else runs; all work is kept\n";
    for (is_begun, stage, expected) in [
        (false, 1, "no iteration has begun: stopping\n"),
        (false, 2, "no iteration has begun: stopping\n"),
        (true, 1, "finishing this iteration, then stopping; Ctrl-C again ends it now\n"),
        (true, 2, checks),
        (true, 3, checks),
    ] {
        let text = added(|night| {
            if is_begun {
                night.iteration(1).call(1, 1).called(|_| {}).kept(1);
            }
            night.fact(Fact::StopRequested { by: StopSource::Interrupt, stage });
        });
        assert!(text.contains(&format!("      ! {expected}")), "{stage}: {text}");
        assert!(!text.contains("the agent:"), "{text}");
    }
}

#[test]
fn between_iterations_nothing_has_to_be_finished() {
    let text = added(|night| {
        night.iteration(1).kept(1).finished(1, Verdict::Worked, Class::Success, 0.1, 1);
        night.fact(Fact::StopRequested { by: StopSource::Interrupt, stage: 1 });
    });
    assert!(text.contains("      ! nothing is at work: stopping now\n"), "{text}");
}

#[test]
fn in_a_wait_no_agent_has_to_be_ended() {
    let until: Timestamp = "2026-03-01T21:00:00Z".parse().unwrap();
    for stage in [1, 2] {
        let text = added(|night| {
            night.iteration(1).call(1, 1).called(|call| call.class = Class::UsageLimit).kept(0);
            let class = Class::UsageLimit;
            night.fact(Fact::AttemptRepeats { lane: LaneId(0), iteration: 1, attempt: 1, class });
            night.fact(Fact::BackoffStarted { until, class, attempt: 1 });
            night.fact(Fact::StopRequested { by: StopSource::Interrupt, stage });
        });
        assert!(text.contains("usage limit: trying again at 21:00 "), "{text}");
        assert!(text.contains("      ! nothing is at work: stopping now\n"), "{stage}: {text}");
    }
}

#[test]
fn a_time_that_no_limit_named_is_not_said_to_be_its_reset() {
    let now: Timestamp = "2026-03-01T20:00:00Z".parse().unwrap();
    let until = now + SignedDuration::from_mins(2);
    for (reset, expected) in [
        (until - SignedDuration::from_secs(5), "waiting for the usage limit to reset at 20:02"),
        (now + SignedDuration::from_secs(1), "usage limit: trying again at 20:02"),
    ] {
        let text = added(|night| {
            let limit = UsageLimit { resets_at: Some(reset), window: String::new() };
            night.iteration(1).call(1, 1).called(|call| {
                call.class = Class::UsageLimit;
                call.limit = Some(limit);
            });
            night.fact(Fact::BackoffStarted { until, class: Class::UsageLimit, attempt: 2 });
        });
        assert!(text.contains(expected), "{reset}: {text}");
    }
}

#[test]
fn an_outage_and_a_cut_are_said() {
    let text = added(|night| {
        night.iteration(1).fact(Fact::CallCut {
            lane: LaneId(0),
            call: windlass_core::values::CallId(1),
            cut: Cut::Silence,
            now: false,
        });
        let until: Timestamp = "2026-03-01T20:00:08Z".parse().unwrap();
        night.fact(Fact::BackoffStarted { until, class: Class::Outage, attempt: 1 });
        night.fact(Fact::Noticed(report::Noticed { text: "the\x1b[2J config changed".to_owned() }));
    });
    assert_eq!(
        text,
        "      ! the agent printed nothing for too long: ending it\n      ◷ outage: trying again at 20:00:08 (in 8s)\n      ! the config changed\n"
    );
}

#[test]
fn a_run_that_cannot_go_on_says_so_at_once() {
    let text = added(|night| {
        night.fact(Fact::Failing {
            stop_reason: StopReason::DiskFull,
            detail: "No space is left for the journal.".to_owned(),
            under_way: UnderWay::GivenUp,
        });
    });
    assert_eq!(
        text,
        "      ✗ There is no room left to write. No space is left for the journal. Ending\n        what is running; its work is kept.\n"
    );
}

#[test]
fn what_an_agent_says_cannot_forge_lines() {
    let text = added(|night| {
        night.iteration(1).called(|call| {
            "first\nstopped: complete\x1b[31m".clone_into(&mut call.detail);
            call.denials = vec![windlass_core::values::Denial {
                tool: "Bash".to_owned(),
                input: "echo \x1b]0;evil\x07\nsecond".to_owned(),
                rule: "Bash(echo \"a\\b\" \x07\n)".to_owned(),
                ..windlass_core::values::Denial::default()
            }];
        });
        night.finished(1, Verdict::Failed, Class::TaskFailure, 0.42, 12);
    });
    assert_eq!(
        text,
        "   1  ✗ failed       12s    $0.42  first stopped: complete\n        denied: Bash echo second\n          allowed by: windlass config set permissions.allow --add $'Bash(echo \"a\\\\b\" \\007\\n)\'\n"
    );
}

#[test]
fn skipped_permissions_are_said_loudly() {
    let mut plan = plan();
    plan.agent.skip_permissions = true;
    plan.checks.clear();
    plan.run = RunId("r-1".to_owned());
    let mut night = Night::new();
    night.fact(Fact::RunStarted { plan: Box::new(plan) });
    let (_, notes) = told(&night.events);
    assert!(notes.contains("  may do      ! anything at all: permissions are skipped\n"), "{notes}");
    assert!(notes.contains("  done when   the agent says so; no gate checks it (--gate CMD)\n"));
}

#[test]
fn every_ending_names_its_reason_last() {
    for reason in StopReason::ALL {
        let mut night = Night::new();
        night.start().end(reason, "A detail.");
        let (results, _) = told(&night.events);
        assert!(results.ends_with(&format!("\nstopped: {}\n", reason.name())), "{results}");
        assert!(results.contains("    A detail.\n"));
        assert!(results.contains("windlass "), "what to do next is missing: {results}");
    }
}

#[test]
fn limits_that_ended_a_run_come_with_a_higher_one() {
    for (reason, expected) in [
        (StopReason::MaxIterations, "windlass resume r-k3v9x2aa --max-iterations 100"),
        (StopReason::MaxCost, "windlass resume r-k3v9x2aa --max-cost 10"),
        (StopReason::MaxDuration, "windlass resume r-k3v9x2aa --max-duration 1d"),
        (StopReason::ConsecutiveFailures, "windlass resume r-k3v9x2aa --max-failures 6"),
        (StopReason::Stagnated, "windlass resume r-k3v9x2aa --stagnation-threshold 6"),
        (StopReason::Interrupted, "  next        windlass resume r-k3v9x2aa "),
        (StopReason::AgentUnavailable, "windlass doctor"),
    ] {
        let mut night = Night::new();
        night.start().end(reason, "");
        let (results, _) = told(&night.events);
        assert!(results.contains(expected), "{reason:?}: {results}");
    }
}

#[test]
fn the_command_that_goes_on_raises_every_limit_that_was_reached() {
    let next = |cost: f64, tokens: u64, reason: StopReason| {
        let mut night = Night::new();
        let mut plan = plan();
        (plan.limits.cost, plan.limits.tokens) = (Some(Cost::from_dollars(2.0)), Some(1_000));
        night.fact(Fact::RunStarted { plan: Box::new(plan) });
        night.fact(Fact::RunFinished {
            stop_reason: reason,
            detail: String::new(),
            iterations: 1,
            cost: Cost::from_dollars(cost),
            estimated: false,
            estimated_cost: Cost::ZERO,
            tokens: Tokens { input: tokens, ..Tokens::default() },
            duration: std::time::Duration::from_secs(9),
            exit_code: 0,
        });
        told(&night.events).0
    };
    for (cost, tokens, reason, flags) in [
        (2.1, 10, StopReason::MaxCost, " --max-cost 4"),
        (20.0, 10, StopReason::MaxCost, " --max-cost 22"),
        (20.0, 5_300, StopReason::MaxCost, " --max-cost 22 --max-tokens 6000"),
        (0.1, 5_300, StopReason::MaxTokens, " --max-tokens 6000"),
        (20.0, 10, StopReason::MaxIterations, " --max-iterations 100 --max-cost 22"),
        (20.0, 10, StopReason::Interrupted, " --max-cost 22"),
    ] {
        let said = next(cost, tokens, reason);
        assert!(said.contains(&format!("windlass resume r-k3v9x2aa{flags}")), "{flags}: {said}");
    }
}

#[test]
fn going_beyond_the_plan_is_allowed_by_the_command_that_goes_on() {
    let mut night = Night::new();
    night.start().iteration(1).call(1, 1).called(|call| call.overage = true);
    night.end(StopReason::NeedsHuman, "");
    let (results, _) = told(&night.events);
    assert!(results.contains("windlass resume r-k3v9x2aa --allow-overage"), "{results}");
}

// rows: 119
#[test]
fn the_living_line_counts() {
    let terminal = Terminal { interactive: true, ..columns(80) };
    let mut night = Night::new();
    night.start().iteration(3);
    let start: Timestamp = "2026-03-01T20:00:00Z".parse().unwrap();
    let tick = |seconds: u64| Event::Tick { now: start + std::time::Duration::from_secs(seconds) };
    let bash = Observation::ToolUse {
        id: "1".to_owned(),
        name: "Bash".to_owned(),
        input: ToolInput::Bash { command: "cargo test -q".to_owned(), description: String::new() },
        nested: false,
    };
    night.observe(bash).events.push(tick(134));
    let (_, notes) = shown(ProgressView::new, &terminal, &night.events);
    assert!(notes.contains("\r⠹ iteration 3/50 · 2m 14s · $0.00 · Bash cargo test -q\x1b[K"), "{notes:?}");
    assert!(notes.contains("\x1b]0;windlass: 3/50 Make the parser accept"));

    let says = |text: &str| Observation::AgentText { text: text.to_owned(), nested: false };
    night.observe(says("I look first. The **parser** is next.")).events.push(tick(150));
    let (_, notes) = shown(ProgressView::new, &terminal, &night.events);
    let living = "\r⠹ iteration 3/50 · 2m 30s · $0.00 · writing · The **parser** is next.\x1b[K";
    assert!(notes.replace(['⠋', '⠙', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'], "⠹").contains(living), "{notes:?}");
    let narrow = Terminal { interactive: true, ..columns(40) };
    let (_, notes) = shown(ProgressView::new, &narrow, &night.events);
    assert!(notes.contains(" 3/50 · 2m 30s · $0.00 · writing · Th…\x1b[K"), "{notes:?}");

    night.fact(Fact::BackoffStarted {
        until: start + std::time::Duration::from_mins(63),
        class: Class::UsageLimit,
        attempt: 1,
    });
    night.events.push(tick(180));
    let (_, notes) = shown(ProgressView::new, &terminal, &night.events);
    assert!(
        notes.contains("\r◷ iteration 3/50 · usage limit, trying again at 21:03 (in 1h 00m) · $0.00"),
        "{notes:?}"
    );
    assert!(notes.ends_with("\r\x1b[K\x1b]0;\x07\x1b[23;0t"), "{notes:?}");
}

// rows: 119
#[test]
fn the_window_is_called_after_the_task_at_hand() {
    let terminal = Terminal { interactive: true, ..columns(80) };
    let row = |id: &str| TaskRow { id: id.into(), title: "Pay".to_owned(), ..TaskRow::default() };
    let lane = LaneId::default();
    let (task, end) = (TaskId::from("TASK-001"), TaskEnd::Done);
    let mut night = Night::new();
    night.start().fact(Fact::TasksRead { tasks: vec![row("TASK-001"), row("TASK-002")] });
    night.fact(Fact::IterationStarted { lane, iteration: 1, task: Some(task.clone()) });
    let evidence = Evidence { head: None, tree: "e".to_owned(), work: None };
    night.fact(Fact::TaskClosed(report::TaskClosed {
        lane,
        iteration: 1,
        task,
        end,
        branch: None,
        evidence,
        snapshot: None,
    }));
    night.fact(Fact::IterationStarted { lane, iteration: 2, task: Some("TASK-002".into()) });
    let start: Timestamp = "2026-03-01T20:00:00Z".parse().unwrap();
    night.events.push(Event::Tick { now: start });
    let (_, notes) = shown(ProgressView::new, &terminal, &night.events);
    assert!(notes.contains("\x1b]0;windlass: 2/50 - TASK-002 (1/2 done)\x07"), "{notes:?}");
}
