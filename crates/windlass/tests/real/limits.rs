//! What a run waits out, and where it ends.

use std::time::Duration;

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::{Value, json};
use windlass_testkit::api::{Reply, Scenario, Window};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::{Ended, Night, PATIENCE};

/// The iteration and attempt of every call.
fn attempts(run: &Ended) -> Vec<(u64, u64)> {
    let number = |fact: &Value, member: &str| fact[member].as_u64().unwrap();
    run.all("call_reserved")
        .into_iter()
        .map(|fact| (number(fact, "iteration"), number(fact, "attempt")))
        .collect()
}

/// A limit that is hit now and over soon.
fn limit_for_seconds(window: Window) -> Reply {
    Reply::computed(move |_| {
        let resets_at = Timestamp::from_second(Timestamp::now().as_second() + 4).unwrap();
        Reply::usage_limit(window, resets_at)
    })
}

/// The reset time that the agent named.
fn resets_at(run: &Ended) -> Timestamp {
    time(&run.all("call_finished")[0]["limit"]["resets_at"])
}

fn time(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

/// A step that succeeds, in whichever attempt it comes.
fn work(env: &TestEnv) -> [Reply; 2] {
    [Reply::write(env.project().join("greeting.txt"), "hello\n"), Reply::text("Done for now.")]
}

// rows: 65
#[test]
fn a_usage_limit_is_waited_out_and_the_same_iteration_repeated() {
    let env = TestEnv::with_git();
    let limit = limit_for_seconds(Window::FiveHour);
    let scenario = Scenario::new([limit].into_iter().chain(work(&env)));
    let night = Night::at(env, scenario, Credentials::OauthToken);
    let run = night.run(&["--max-iterations", "1"]);

    run.expect("max_iterations", 10).says("waiting for the usage limit to reset at");
    assert_eq!(run.classes(), ["usage_limit", "success"]);
    assert_eq!(attempts(&run), [(1, 1), (1, 2)]);
    assert_eq!(run.each("iteration_finished", "iteration"), [1]);
    let until = time(&run.all("held")[0]["until"]);
    assert_eq!(until, resets_at(&run) + Duration::from_secs(5));
    let began = time(&run.all("call_reserved")[1]["wall"]);
    assert!(began >= until && began < until + Duration::from_secs(5), "{began} {until}");
    // Two requests of the default model of a subscriber; the refused one cost nothing.
    assert_eq!(run.each("call_finished", "cost_usd")[0], 0.0);
    assert_eq!(run.finish()["cost_usd"], run.each("call_finished", "cost_usd")[1].clone());
    assert!(run.cost() > 0.0);
}

// rows: 65, 75
#[test]
fn a_wait_goes_on_to_the_same_time_after_the_runner_was_killed() {
    let env = TestEnv::with_git();
    let limit = limit_for_seconds(Window::SevenDay);
    let scenario = Scenario::new([limit].into_iter().chain(work(&env)));
    let night = Night::at(env, scenario, Credentials::OauthToken);
    let mut running = night.start(&["--max-iterations", "1"]);
    assert!(running.wait_for_stderr("waiting for the usage limit", PATIENCE), "{}", running.stderr_so_far());
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    let run = night.resume(&[]);
    run.expect("max_iterations", 10);
    assert_eq!(attempts(&run), [(1, 1), (1, 2)]);
    assert_eq!(run.all("held").len(), 2, "it is told again in the session that goes on with it");
    let again = time(&run.all("call_reserved")[1]["wall"]);
    assert!(again >= resets_at(&run) + Duration::from_secs(5), "{again}");
}

// rows: 65
#[test]
fn work_that_an_outage_cut_short_is_charged_and_counts() {
    let env = TestEnv::with_git();
    let begun = Reply::write(env.project().join("begun.txt"), "begun\n");
    let scenario = Scenario::new([begun, Reply::overloaded()].into_iter().chain(work(&env)));
    let night = Night::at(env, scenario, Credentials::ApiKey)
        .variable("CLAUDE_CODE_MAX_RETRIES", "0")
        .variable("WINDLASS_CLOCKS__BACKOFF", "1s");
    let run = night.run(&["--max-iterations", "2"]);
    run.expect("max_iterations", 10);
    assert_eq!(run.classes(), ["outage", "success"]);
    assert_eq!(attempts(&run), [(1, 1), (2, 1)]);
    assert_eq!(run.verdicts(), ["worked", "worked"]);
    assert_eq!(run.all("held").len(), 1);
    run.expect_requests_charged(3);
}

// rows: 65
#[test]
fn a_usage_limit_that_lasts_too_long_ends_the_run() {
    let resets_at = Timestamp::from_second(Timestamp::now().as_second() + 7200).unwrap();
    let night = Night::subscriber(Scenario::always(Reply::usage_limit(Window::SevenDay, resets_at)));
    let run = night.run(&["--max-wait", "1h", "--exit-codes", "detailed"]);
    run.expect("limit_wait_exceeded", 22).says("--max-wait");
}

// rows: 65
#[test]
fn an_overloaded_service_is_tried_again_in_the_same_iteration() {
    let env = TestEnv::with_git();
    let scenario = Scenario::new([Reply::overloaded(), Reply::server_error()].into_iter().chain(work(&env)));
    let night = Night::at(env, scenario, Credentials::ApiKey)
        .variable("CLAUDE_CODE_MAX_RETRIES", "0")
        .variable("WINDLASS_CLOCKS__BACKOFF", "1s");
    let run = night.run(&["--max-iterations", "1"]);
    run.expect("max_iterations", 10).says("outage: trying again");
    assert_eq!(run.classes(), ["outage", "outage", "success"]);
    assert_eq!(attempts(&run), [(1, 1), (1, 2), (1, 3)]);
    assert_eq!(run.verdicts(), ["worked"]);
    run.expect_requests_charged(2);
}

// rows: 65
#[test]
fn an_outage_without_an_end_ends_the_run() {
    for reply in [Reply::overloaded(), Reply::too_many_requests(), Reply::reset_before_headers()] {
        let night = Night::new(Scenario::always(reply))
            .variable("CLAUDE_CODE_MAX_RETRIES", "0")
            .variable("WINDLASS_CLOCKS__BACKOFF", "1s")
            .variable("WINDLASS_LIMITS__OUTAGE_RETRIES", "1");
        let run = night.run(&["--exit-codes", "detailed"]);
        run.expect("agent_unavailable", 21).says("did not get through");
        assert_eq!(run.classes(), ["outage", "outage"]);
        run.expect_requests_charged(0);
    }
}

// rows: 55
#[test]
fn the_agents_own_budget_ends_the_run_at_its_cost() {
    let night = Night::new(Scenario::always(Reply::bash("git status").usage(10_000, 1_000)));
    let run = night.run(&["--max-cost", "0.10", "--exit-codes", "detailed"]);
    run.expect("max_cost", 11);
    assert_eq!(run.classes(), ["budget_exhausted"]);
    assert_eq!(run.each("call_reserved", "budget_usd"), [&json!(0.1)]);
    assert_eq!(run.finish()["cost_usd"], 0.12, "over by one answer and no more");
}

// rows: 27, 58
#[test]
fn the_end_of_its_turns_is_a_failure_only_without_progress() {
    let night = Night::new(Scenario::always(Reply::bash("git status")));
    let run = night.run(&["--max-turns", "1", "--max-failures", "1"]);
    run.expect("consecutive_failures", 20);
    assert_eq!((run.classes(), run.verdicts()), (vec![&json!("max_turns")], vec![&json!("failed")]));

    let env = TestEnv::with_git();
    let file = env.project().join("greeting.txt");
    let night = Night::at(env, Scenario::new([Reply::write(file, "hello\n")]), Credentials::ApiKey);
    let run = night.run(&["--max-turns", "1", "--max-failures", "1", "--max-iterations", "1"]);
    run.expect("max_iterations", 10);
    assert_eq!((run.classes(), run.verdicts()), (vec![&json!("max_turns")], vec![&json!("worked")]));
    run.expect_requests_charged(1);
}
