//! Calls that do not end by themselves, or not cleanly.

use std::time::Duration;

use rustix::process::Signal;
use windlass_core::values::{Class, Cut, Verdict};
use windlass_testkit::environment::wait_until;

use super::money::SPENDS;
use super::night::{Night, PATIENCE, every_call, expect_end};

/// An agent that has written a file, so that what it did can be told from nothing.
fn after_work(steps: &str) -> Night {
    Night::new(&every_call(&format!("{{ write = {{ path = 'work', text = 'x' }} }}, {steps}")))
}

// rows: 59
// Seed defect D1, services/claude-client.ts:108: a call that hung hung the run.
// Seed defect D3, core/claude.ts:194 ff.: a call that hung was waited for.
#[test]
fn silence_ends_a_call() {
    let night = after_work("'hang'").set("WINDLASS_CLOCKS__SILENCE", "1s");
    expect_end(&night.run(&["--max-failures", "1"]), 20, "consecutive_failures");
    let calls = night.calls();
    assert_eq!(
        (calls[0].class, calls[0].cut, calls[0].estimated),
        (Class::TaskFailure, Some(Cut::Silence), true)
    );
    assert_eq!(calls[0].detail, "Windlass's scripted agent printed nothing for 1 s, and was ended.");
    night.assert_clean();
}

// rows: 59
// Seed defect D3, core/claude.ts:194 ff.: a call had no end.
#[test]
fn a_call_that_talks_for_ever_ends_at_its_wall_clock() {
    let night = after_work("{ events = { count = 100000, size = 10, every = '10ms' } }")
        .set("WINDLASS_CLOCKS__CALL", "1s");
    expect_end(&night.run(&["--max-failures", "1"]), 20, "consecutive_failures");
    assert_eq!(night.calls()[0].cut, Some(Cut::WallClock));
    let detail = "Windlass's scripted agent worked for 1 s, longer than a call may, and was ended.";
    assert_eq!(night.calls()[0].detail, detail);
    night.assert_clean();
}

// attack(money): an agent works on and on in one call, and says with each message what it has used
// holds: the call is ended where the run's tokens are used up, its work is kept, and a resume with more goes on with it
#[test]
fn a_call_that_uses_up_the_runs_tokens_is_ended() {
    let night = after_work(&format!("{SPENDS} 'hang'"));
    let outcome = night.run(&["--max-tokens", "1000000", "--exit-codes", "detailed"]);
    expect_end(&outcome, 12, "max_tokens");
    assert!(outcome.stderr_text().contains("the tokens of the run are used up"), "{}", outcome.stderr_text());
    let calls = night.calls();
    assert_eq!((calls.len(), calls[0].cut), (1, Some(Cut::Tokens)));
    assert_eq!(calls[0].detail, "The run's tokens were used up while Windlass's scripted agent worked.");
    assert!(calls[0].tokens.total() >= 1_000_000 && night.env.project().join("work").exists());
    assert!(night.verdicts().is_empty(), "the iteration is open: {:?}", night.verdicts());
    night.assert_clean();
    expect_end(&night.resume(&["--max-tokens", "2000000"]), 12, "max_tokens");
    assert_eq!(night.calls().len(), 2);
    night.assert_clean();
}

#[test]
fn an_answer_counts_although_the_agent_stays() {
    let night = after_work("{ result = { text = 'Done.' } }, 'hang'").set("WINDLASS_CLOCKS__LINGER", "1s");
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    let calls = night.calls();
    assert_eq!(
        (calls[0].class, calls[0].cut, calls[0].estimated),
        (Class::Success, Some(Cut::Lingering), false)
    );
    assert_eq!(night.verdicts(), [Verdict::Worked]);
    night.assert_clean();
}

#[test]
fn background_tasks_are_waited_for_longer() {
    let night = after_work("{ background = 1 }, { result = { text = 'Done.' } }, 'hang'")
        .set("WINDLASS_CLOCKS__LINGER", "1s")
        .set("WINDLASS_CLOCKS__LINGER_BACKGROUND", "3s");
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    let calls = night.calls();
    assert_eq!((calls[0].class, calls[0].cut), (Class::Success, Some(Cut::Lingering)));
    assert!(calls[0].duration >= Duration::from_secs(3), "{:?}", calls[0].duration);
    night.assert_clean();
}

// rows: 65
#[test]
fn refused_credentials_are_not_retried_for_ever() {
    let night = Night::new(&every_call(
        "{ retry = { status = 401, count = 2, delay = '1ms', wait = true } }, 'hang'",
    ));
    expect_end(&night.run(&["--exit-codes", "detailed"]), 21, "agent_unavailable");
    let calls = night.calls();
    assert_eq!((calls[0].class, calls[0].cut), (Class::Auth, Some(Cut::HopelessRetries)));
    night.assert_clean();
}

#[test]
fn a_grandchild_that_holds_the_output_holds_up_nobody() {
    for ending in ["{ result = { text = 'Done.' } }", "{ exit = 3 }"] {
        let night = after_work(&format!(
            "{{ spawn = {{ setsid = true, ignore = ['TERM'], hold_stdout = true, orphan = true, for = '60s' }} }}, {ending}"
        ));
        let outcome = night.run(&["-m", "1"]);
        expect_end(&outcome, 10, "max_iterations");
        assert_eq!(night.calls()[0].class == Class::Success, ending.contains("result"), "{ending}");
        night.assert_clean();
    }
}

// Seed defect D1, services/claude-client.ts:166: output after the exit was lost.
#[test]
fn what_is_printed_after_the_end_is_drained_and_then_cut_off() {
    // It holds the agent's output before the agent goes on.
    let late = "{ bash = '(exec > /proc/$PPID/fd/1; : > begun; while :; do echo late; sleep 0.02; done) 2>/dev/null & until [ -e begun ]; do sleep 0.01; done' }, { result = { text = 'Done.' } }";
    let night = after_work(late);
    let outcome = night.run(&["-m", "1"]);
    expect_end(&outcome, 10, "max_iterations");
    let calls = night.calls();
    assert_eq!((calls[0].class, calls[0].cut), (Class::Success, None));
    assert!(calls[0].garbage_lines > 0);
    night.assert_clean();
}

// attack(endings): an agent is alive and delivers no whole line for longer than the clock of silence: half lines, byte by byte
// holds: whatever it prints is life: the call is not cut while it delivers, and its answer counts
#[test]
fn half_lines_are_no_silence() {
    for prints in ["printf '{half' > /proc/$PPID/fd/1", "printf . > /proc/$PPID/fd/2"] {
        let drips =
            format!("for i in 1 2 3 4 5 6 7 8 9 10; do {prints}; sleep 0.3; done; echo > /proc/$PPID/fd/1");
        let drips = format!("{{ bash = {{ command = \"{drips}\", silent = true }} }}");
        let night = after_work(&format!("{drips}, {{ result = {{ text = 'Done.' }} }}"))
            .set("WINDLASS_CLOCKS__SILENCE", "2s");
        expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
        let calls = night.calls();
        assert_eq!((calls[0].class, calls[0].cut), (Class::Success, None), "{prints}");
        assert!(calls[0].duration >= Duration::from_secs(3), "{prints}: {:?}", calls[0].duration);
        night.assert_clean();
    }
}

// attack(money): a run with a limit of time is killed with -9 in each of its calls, and resumed
// holds: the time until its last sign of life counts, although no fact says it
#[test]
fn the_time_of_a_killed_call_counts() {
    let night = Night::new(&every_call("{ write = { path = 'begun', text = 'x' } }, 'hang'"));
    let running = night.start(&[]);
    night.wait_for_file("begun");
    let folder = night.folder();
    let worked = || -> u64 {
        let noted = std::fs::read_to_string(folder.join("alive")).unwrap_or_default();
        noted.trim_end().split_once(' ').map_or(0, |(_, milliseconds)| milliseconds.parse().unwrap())
    };
    assert!(wait_until(PATIENCE, || worked() >= 2000), "no sign of life");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    let worked = worked();
    let told = |what: &[&str]| -> serde_json::Value {
        let told = night.env.run(&mut night.windlass(&[what, &["--json"]].concat()), PATIENCE);
        serde_json::from_slice(&told.stdout).unwrap()
    };
    let counts = |status: &serde_json::Value| {
        assert!(status["duration_ms"].as_u64().unwrap() >= worked - 100, "{worked} {status}");
    };
    // Before anybody resumes it, too.
    counts(&told(&["status"]));
    counts(&told(&["report"])["runs"][0]);
    expect_end(&night.resume(&["--max-duration", "2s"]), 13, "max_duration");
    counts(&told(&["status"]));
    assert_eq!(night.calls().len(), 1, "nobody was called again");
}
