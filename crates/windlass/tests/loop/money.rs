//! What is charged where nobody says what a call cost, what is not believed, and what ends a run before it costs more.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use windlass_core::values::{Class, Cost, StopReason, Tokens};

use super::night::{Night, PATIENCE, calls, every_call, expect_end};
use super::tasks;

/// Two messages of a model whose price is known: 1.1 million tokens in and 30,000 out are 5 dollars. The first is said
/// twice, as Claude Code does, and whole only at its end.
pub const SPENDS: &str = r#"
  { raw = '{"type":"assistant","message":{"id":"m1","model":"claude-opus-5-5","content":[],"usage":{"input_tokens":1000000,"output_tokens":1}}}' },
  { raw = '{"type":"assistant","message":{"id":"m1","model":"claude-opus-5-5","content":[],"usage":{"input_tokens":1000000,"output_tokens":1}}}' },
  { raw = '{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":10000}},"api_message_id":"m1"}' },
  { raw = '{"type":"assistant","message":{"id":"m2","model":"claude-opus-5-5","content":[],"stop_reason":"end_turn","usage":{"input_tokens":100000,"output_tokens":20000}}}' },
"#;

pub const SPENT: Tokens = Tokens { input: 1_100_000, output: 30_000, cache_creation: 0, cache_read: 0 };

fn dollars(dollars: f64) -> Cost {
    Cost::from_dollars(dollars)
}

// attack(money): calls die one after another without a result, each after five dollars' worth of tokens
// holds: each is charged five dollars, marked as an estimate, its tokens count, and the budget ends the run in time
#[test]
fn calls_that_die_are_charged_what_their_streams_show() {
    let night = Night::with_git(&every_call(&format!("{SPENDS} {{ die = 'KILL' }}")));
    let outcome = night.run(&["--max-cost", "9", "--max-failures", "9"]);
    expect_end(&outcome, 11, "max_cost");
    let charged: Vec<_> = night.calls().iter().map(|call| (call.cost, call.estimated, call.tokens)).collect();
    assert_eq!(charged, [(dollars(5.0), true, SPENT); 2]);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("≈$10.00 of $9.00") || said.contains("~$10.00 of $9.00"), "{said}");
}

// attack(money): the runner is killed while an agent has spent five dollars, and an earlier call cost known money
// holds: what the recorded stream shows is charged at the next start, and known and estimated money are told apart
#[test]
fn a_killed_runner_loses_no_money() {
    let first = "{ bash = 'echo x >> work' }, { result = { text = 'Going on.', cost = 0.4 } }";
    let night = Night::with_git(&calls(&[
        first,
        &format!("{SPENDS} {{ bash = 'touch ../spent' }}, 'hang'"),
        "{ bash = 'echo y >> work' }, { result = { text = 'Going on.', cost = 0.4 } }",
    ]));
    let running = night.start(&["-m", "2"]);
    night.wait_until_recorded("../spent");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    let status = night.env.run(&mut night.windlass(&["status"]), PATIENCE);
    assert!(status.stdout_text().contains("$0.90 (≈$0.50 estimated)"), "{}", status.stdout_text());
    expect_end(&night.resume(&[]), 10, "max_iterations");
    let dead = night.calls().into_iter().find(|call| call.class == Class::Interrupted).unwrap();
    // The message that called the tool counts as well.
    let tokens = Tokens { input: SPENT.input + 100, output: SPENT.output + 15, ..SPENT };
    assert_eq!((dead.estimated, dead.tokens), (true, tokens), "{dead:?}");
    // The run's own calls cost hundreds of times the list's price of a model that nobody knows: ten times is believed.
    assert_eq!(dead.cost, Cost::from_micros(dead.listed.micros() * 10), "{dead:?}");
    let ledger = night.state().ledger().clone();
    assert_eq!((ledger.spent(), ledger.estimated()), (dead.cost + dollars(0.8), dead.cost));
    let runs = night.env.run(&mut night.windlass(&["runs"]), PATIENCE).stdout_text();
    assert!(runs.contains("estimated)"), "{runs}");
    let json = night.env.run(&mut night.windlass(&["runs", "--json"]), PATIENCE).stdout_text();
    assert!(json.contains("\"estimated_usd\""), "{json}");
}

// attack(money): an agent reports a cost below nothing, then a total that shrinks
// holds: neither is believed, and both calls are charged as estimates
#[test]
fn costs_that_cannot_be_are_estimates() {
    let night = Night::with_git(&calls(&[
        "{ bash = 'echo a > a' }, { result = { text = 'One.', cost = -3.0 } }",
        "{ bash = 'echo b > b' }, { result = { text = 'Two.', cost = 2.0 } }, { result = { text = 'More.', cost = 0.1 } }",
        "{ bash = 'echo c > c' }, { result = { text = 'Three.', cost = 0.02 } }",
    ]));
    expect_end(&night.run(&["-m", "3"]), 10, "max_iterations");
    let charged: Vec<_> = night.calls().iter().map(|call| (call.cost, call.estimated)).collect();
    assert_eq!(charged, [(dollars(0.5), true), (dollars(2.0), true), (dollars(0.02), false)]);
}

// attack(money): the gate is a program that does not exist, or a script that is missing or not executable
// holds: nothing begins and nothing is paid for (exit 2); --gate-later begins where the job is to make it
#[test]
fn a_gate_that_cannot_pass_is_found_before_anything_is_paid_for() {
    let night = Night::with_git(&every_call("{ result = { text = 'Done.' } }"));
    night.env.write("closed.sh", "#!/bin/sh\nexit 0\n");
    for (check, said) in [
        (["--gate", "no-such-program-here --all"], "there is no program `no-such-program-here`"),
        (["--gate", "./check.sh"], "`check.sh` is not there"),
        (["--gate", "./closed.sh"], "may not be executed"),
        (["--until", "sh check.sh && true"], "there is no file `check.sh`"),
        (["--gate", "cd app && true"], "there is no folder `app`"),
        (["--gate", "make test"], "there is no `Makefile` for make"),
    ] {
        let outcome = night.run(&check);
        outcome.expect_code(2, said);
        let text = outcome.stderr_text().replace('\n', " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said) && text.contains("--gate-later"), "{text}");
        assert!(night.folders().is_empty(), "nothing has begun");
    }
    let makes = "{ bash = 'printf \"#!/bin/sh\\nexit 0\\n\" > check.sh; chmod +x check.sh' }, { result = { text = 'WINDLASS_JOB_COMPLETE' } }";
    let night = Night::with_git(&every_call(makes));
    let outcome = night.run(&["--gate", "./check.sh", "--gate-later", "--completion-threshold", "1"]);
    expect_end(&outcome, 0, "complete");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("exit 127: something it starts is missing"), "{said}");
}

/// What the API says of a limit that an account has set itself, until `seconds` from now.
fn account_limit(seconds: i64) -> String {
    let at = jiff::Timestamp::now().as_second() + seconds;
    let at = jiff::Timestamp::from_second(at).unwrap();
    format!(
        "{{ api_error = {{ status = 400, error = 'invalid_request', message = 'API Error: 400 You have reached your specified API usage limits. You will regain access on {at}.' }} }}"
    )
}

// attack(money): the account's own limit refuses a task's call as a wrong request (400), again and again
// holds: it is waited for until the time that it names, and no task is parked for it
#[test]
fn a_limit_of_the_account_parks_no_task() {
    let limit = account_limit(15);
    let script = format!("[[call]]\nsteps = [ {limit} ]\n{}", tasks::HONEST);
    let night = tasks::night(&[(1, &[])], &script);
    expect_end(&tasks::run(&night, &[]), 0, "complete");
    let classes: Vec<Class> = night.calls().iter().map(|call| call.class).collect();
    assert_eq!(classes.first(), Some(&Class::UsageLimit));
    assert_eq!(classes.last(), Some(&Class::Success));
}

// attack(money): the API fails in words alone, three times within seconds
// holds: each is an outage that is waited for, and the night goes on
#[test]
fn outages_in_words_end_no_night() {
    let overloaded = "{ result = { text = 'API Error: Overloaded', is_error = true, cost = 0.1 } }";
    let throttled = r#"{ result = { text = 'API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}', is_error = true, cost = 0.0, tokens = { input = 0, output = 0 } } }"#;
    let works = "{ bash = 'echo x >> work' }, { result = { text = 'Going on.' } }";
    let night = Night::with_git(&calls(&[overloaded, overloaded, throttled, overloaded, works]))
        .set("WINDLASS_CLOCKS__BACKOFF", "1s");
    expect_end(&night.run(&["-m", "4"]), 10, "max_iterations");
    let classes: Vec<Class> = night.calls().iter().map(|call| call.class).collect();
    assert_eq!(classes, [Class::Outage, Class::Outage, Class::Outage, Class::Outage, Class::Success]);
}

// attack(money): the disk under the repository is full while the run's own state has room
// holds: the run ends with disk_full before the next call is paid for, and goes on once there is room
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_full_disk_under_the_repository_ends_a_run() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped, because only root can mount a small disk");
        return;
    }
    let fills = "{ bash = 'cat /dev/zero > fill 2>/dev/null; true' }, { result = { text = 'Going on.' } }";
    let night = Night::with_git(&every_call(fills));
    let run = night.run_command(&["-m", "3"]);
    let script = r#"
        project=$PWD; cd "$ROOT"
        cp -a "$project" copy && mount -t tmpfs -o size=8m small "$project" && cp -a copy/. "$project" || exit 99
        cd "$project"
        "$@"; echo "first=$?"
    "#;
    let mut unshared = night.env.command("unshare");
    unshared.args(["--mount", "sh", "-c", script, "sh"]).arg(run.get_program()).args(run.get_args());
    unshared.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    unshared.env("ROOT", night.env.root());
    let outcome = night.env.run(&mut unshared, PATIENCE);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert_ne!(outcome.code, Some(99), "no small disk: {said}");
    assert!(said.contains("first=28") && said.contains("stopped: disk_full"), "{said}");
    assert_eq!(night.ended(), StopReason::DiskFull);
    assert_eq!(night.calls().len(), 1, "one call filled it, and no other was paid for");
}

/// A script that is there and may be executed is not an obstacle.
#[test]
fn a_gate_that_is_there_is_no_obstacle() {
    let night = Night::with_git(&every_call("{ result = { text = 'Done.' } }"));
    let path = night.env.write("check.sh", "#!/bin/sh\nexit 1\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    expect_end(&night.run(&["-m", "1", "--gate", "./check.sh"]), 10, "max_iterations");
}
