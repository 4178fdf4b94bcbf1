//! Calls that die: what the stand-in says that it sent is what the run counts, to the token.

use rustix::process::Signal;
use serde_json::Value;
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

/// What the API had sent, as the agent has passed it on: tokens in of each message once, tokens out of those that ended.
fn passed_on(night: &Night) -> (u64, u64) {
    let stream = night.newest_run().unwrap().join("iterations/0001/1-work/stream.ndjson");
    let stream = std::fs::read_to_string(stream).unwrap();
    let events: Vec<Value> = stream.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let sum = |kind: &str, field: &str| {
        let of_kind = events.iter().map(|line| &line["event"]).filter(|event| event["type"] == kind);
        of_kind.map(|event| event.pointer(field).and_then(Value::as_u64).unwrap_or_default()).sum()
    };
    (sum("message_start", "/message/usage/input_tokens"), sum("message_delta", "/usage/output_tokens"))
}

/// All tokens in, and all out but those of a message that was cut off, of which nobody is told: a few at most.
fn expect_what_was_passed_on(night: &Night, run: &Ended) {
    let (sent_in, sent_out) = passed_on(night);
    let finished = run.all("call_finished");
    let tokens = &finished[0]["tokens"];
    assert_eq!(tokens["input"].as_u64(), Some(sent_in), "{tokens}");
    let out = tokens["output"].as_u64().unwrap_or_default();
    assert!((sent_out..sent_out + 20).contains(&out), "{sent_out}: {tokens}");
    let price = (sent_in as f64).mul_add(4.0, out as f64 * 20.0) / 1e6;
    let cost = finished[0]["cost_usd"].as_f64().unwrap_or_default();
    assert!((cost - price).abs() < 1e-6, "{cost}, and {price} is right");
}

fn cut_off(last: &str) -> Night {
    let cut = || Reply::reset_mid_stream("half a sen").usage(130_000, 700);
    let story = [
        Reply::bash("true").usage(120_000, 900),
        cut(),
        cut(),
        cut(),
        Reply::bash(last).usage(140_000, 300),
        Reply::text("Done.").usage(150_000, 200),
    ];
    Night::new(Scenario::new(story)).variable("WINDLASS_PERMISSIONS__ALLOW", "Bash")
}

// attack(money): the connection is cut in the middle of messages, and the real Claude Code asks again by itself
// holds: what was sent of each is counted and charged, to the token
#[test]
fn a_cut_connection_is_charged_what_was_sent() {
    let night = cut_off("true");
    let run = night.run(&["--max-iterations", "1"]);
    expect_what_was_passed_on(&night, &run);
    assert!(passed_on(&night).0 >= 410_000 && night.api.requests().len() == 6);
}

// attack(money): the connection is cut in the middle of messages, and then the real Claude Code is ended by a signal, so that
//   it never says what it has used
// holds: what was sent of each is counted and charged, to the token
#[test]
fn a_cut_connection_of_an_agent_that_is_ended_is_charged_what_was_sent() {
    let night = cut_off("touch ../started; bash -c 'sleep 300'").variable("IS_SANDBOX", "1");
    let running = night.start(&["--max-iterations", "1"]);
    let started = night.env.project().join("../started");
    assert!(wait_until(PATIENCE, || started.exists()), "{}", running.stderr_so_far());
    running.signal(Signal::TERM);
    let run = night.ended(running);
    expect_what_was_passed_on(&night, &run);
    assert_eq!(run.all("call_finished")[0]["estimated"], true);
}
