//! Silence: what heals itself is left alone, what does not is cut.

use std::time::Duration;

use windlass_testkit::api::{Reply, Scenario};

use crate::night::Night;

// rows: 59
#[test]
fn a_stall_is_cut_and_is_a_failure() {
    let night = Night::new(Scenario::always(Reply::stall_mid_stream("I was about to")))
        .variable("WINDLASS_CLOCKS__SILENCE", "6s");
    let run = night.run(&["--max-failures", "1"]);
    run.expect("consecutive_failures", 20).says("printed nothing for 6 s");
    assert_eq!(run.each("call_cut", "cut"), ["silence"]);
    assert_eq!((run.classes(), run.verdicts()), (vec![&"task_failure".into()], vec![&"failed".into()]));
    assert_eq!(run.finish()["estimated"], true);
    assert_eq!(run.finish()["cost_usd"], 0.5);
    assert!(run.outcome.duration < Duration::from_secs(40), "{:?}", run.outcome.duration);
}

// rows: 59
#[test]
fn a_stall_that_heals_is_not_cut() {
    let replies = [Reply::stall_mid_stream("I was about to"), Reply::text("recovered")];
    let night = Night::new(Scenario::new(replies))
        .variable("CLAUDE_ENABLE_BYTE_WATCHDOG", "1")
        .variable("CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS", "3000")
        .variable("WINDLASS_CLOCKS__SILENCE", "30s");
    let run = night.run(&["--max-iterations", "1"]);
    run.expect("max_iterations", 10);
    assert!(run.all("call_cut").is_empty());
    assert_eq!(run.classes(), ["success"]);
    assert_eq!(night.api.requests().len(), 2);
}

// rows: 59
#[test]
fn a_call_that_takes_too_long_is_cut() {
    let step = "bash -c 'sleep 300'";
    let night = Night::new(Scenario::always(Reply::bash(step)))
        .variable("WINDLASS_PERMISSIONS__ALLOW", format!("Bash({step})"))
        .variable("WINDLASS_CLOCKS__CALL", "6s");
    let run = night.run(&["--max-failures", "1"]);
    run.expect("consecutive_failures", 20).says("longer than a call may");
    assert_eq!(run.each("call_cut", "cut"), ["wall_clock"]);
}
