//! Calls that die: what the stand-in says that it sent is what the run counts, to the token.

use rustix::process::Signal;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::wait_until;

use crate::night::{Ended, Night, PATIENCE};

/// What the stand-in sends in the three messages before the agent dies, tokens in and out.
const SENT: [(u64, u64); 3] = [(120_000, 900), (130_000, 700), (140_000, 300)];

/// The price of the model that Claude Code takes by default: 4 dollars for a million tokens in, 20 for one out.
const PRICE: f64 = (390_000.0 * 4.0 + 1_900.0 * 20.0) / 1e6;

fn night() -> Night {
    let steps = ["true", "echo two > two", "touch ../started; bash -c 'sleep 300'"];
    let replies: Vec<Reply> = steps
        .iter()
        .zip(SENT)
        .map(|(step, (input, output))| Reply::bash(step).usage(input, output))
        .collect();
    Night::new(Scenario::new(replies))
        .variable("IS_SANDBOX", "1")
        .variable("WINDLASS_PERMISSIONS__ALLOW", "Bash")
}

fn expect_all_of_it(run: &Ended) {
    let finished = run.all("call_finished");
    let tokens = &finished[0]["tokens"];
    let (sent_in, sent_out) = SENT.iter().fold((0, 0), |(a, b), (input, output)| (a + input, b + output));
    assert_eq!(
        (tokens["input"].as_u64(), tokens["output"].as_u64()),
        (Some(sent_in), Some(sent_out)),
        "{tokens}"
    );
    let cost = finished[0]["cost_usd"].as_f64().unwrap_or_default();
    assert!((cost - PRICE).abs() < 1e-6, "{cost}, and {PRICE} is right");
    assert_eq!(finished[0]["estimated"], true);
    assert_eq!(run.finish()["estimated_usd"], run.finish()["cost_usd"]);
}

// attack(money): the real Claude Code is ended by a signal in the middle of its third tool call
// holds: what is counted and charged is what the API had sent, to the token
#[test]
fn an_agent_that_is_ended_is_charged_all_that_it_was_sent() {
    let night = night();
    let running = night.start(&["--max-iterations", "1"]);
    let started = night.env.project().join("../started");
    assert!(wait_until(PATIENCE, || started.exists()), "{}", running.stderr_so_far());
    running.signal(Signal::TERM);
    expect_all_of_it(&night.ended(running));
}

// attack(money): the same, ended by the wall clock of the call
// holds: what is counted and charged is what the API had sent, to the token
#[test]
fn an_agent_that_took_too_long_is_charged_all_that_it_was_sent() {
    let night = night().variable("WINDLASS_CLOCKS__CALL", "20s");
    let run = night.run(&["--max-iterations", "1"]);
    expect_all_of_it(&run);
}
