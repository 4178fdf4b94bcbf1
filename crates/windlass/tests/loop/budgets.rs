//! Money, tokens and time; and what each ending means to whoever called.

use windlass_core::fact::Fact;
use windlass_core::values::{Cost, StopReason, Verdict};

use super::night::{Night, calls, every_call, expect_end};

/// Does something new in each call, for 40 cents.
const DEAR: &str = "{ bash = 'tr \"\\0\" \" \" < /proc/$PPID/cmdline > arguments; echo x >> work' }, { result = { text = 'Going on.', cost = 0.4 } }";

fn budgets(night: &Night) -> Vec<Option<Cost>> {
    let budget = |fact: Fact| match fact {
        Fact::CallReserved { budget, .. } => Some(budget),
        _ => None,
    };
    night.facts().into_iter().filter_map(budget).collect()
}

fn dollars(dollars: f64) -> Cost {
    Cost::from_dollars(dollars)
}

// rows: 55
#[test]
fn the_agent_gets_what_is_left_and_one_call_may_overshoot() {
    let night = Night::new(&every_call(DEAR));
    expect_end(&night.run(&["--max-cost", "1"]), 11, "max_cost");
    assert_eq!(budgets(&night), [Some(dollars(1.0)), Some(dollars(0.6)), Some(dollars(0.2))]);
    assert_eq!(night.state().ledger().spent(), dollars(1.2));
    let arguments = night.env.read("arguments");
    assert!(arguments.contains("--max-budget-usd 0.2"), "{arguments}");
    night.assert_clean();
}

// rows: 55
#[test]
fn a_budget_used_up_by_the_agent_is_our_limit() {
    let used_up = "{ write = { path = 'work', text = 'x' } }, { result = { text = '', cost = 0.7, is_error = true, subtype = 'error_max_budget_usd' } }";
    let night = Night::new(&every_call(used_up));
    expect_end(&night.run(&["--max-cost", "1"]), 11, "max_cost");
    assert_eq!(night.verdicts(), [Verdict::Worked]);
    assert_eq!(night.state().ledger().spent(), dollars(0.7));
}

// rows: 55, 64
#[test]
fn calls_that_fail_are_charged() {
    let night = Night::new(&calls(&[
        "{ result = { text = 'No.', cost = 0.3, is_error = true, subtype = 'error_during_execution' } }",
        "{ exit = 3 }",
    ]));
    expect_end(&night.run(&["--max-cost", "0.7"]), 11, "max_cost");
    let costs: Vec<_> = night.calls().iter().map(|call| (call.cost, call.estimated)).collect();
    assert_eq!(costs, [(dollars(0.3), false), (dollars(0.5), true)]);
}

/// What ends a run, and how: a name, a script, flags, the exit codes of both profiles.
type Row = (StopReason, String, &'static [&'static str], i32, i32);

fn table() -> Vec<Row> {
    let work = "{ bash = 'echo x >> work' }";
    let signal = "WINDLASS_JOB_COMPLETE";
    let claim = format!("{work}, {{ result = {{ text = '{signal}' }} }}");
    let nothing = "{ result = { text = 'Nothing to do here.' } }";
    vec![
        (StopReason::Complete, every_call(&claim), &["--completion-threshold", "1"], 0, 0),
        (StopReason::NothingToDo, every_call(work), &["--until", "true"], 0, 0),
        (StopReason::MaxIterations, every_call(work), &["-m", "2"], 0, 10),
        (StopReason::MaxCost, every_call(work), &["--max-cost", "0.02"], 0, 11),
        (StopReason::MaxTokens, every_call(work), &["--max-tokens", "200"], 0, 12),
        (
            StopReason::MaxDuration,
            every_call("{ bash = 'echo x >> work; sleep 0.6' }"),
            &["--max-duration", "1s"],
            0,
            13,
        ),
        (StopReason::MaxDuration, every_call("'hang'"), &["--max-duration", "1s"], 0, 13),
        (StopReason::Stagnated, every_call(nothing), &["--stagnation-threshold", "2"], 0, 14),
        (
            StopReason::NeedsHuman,
            every_call("{ limit_notice = { status = 'allowed', overage = true } }"),
            &[],
            0,
            24,
        ),
        (StopReason::ConsecutiveFailures, every_call("{ exit = 1 }"), &["--max-failures", "2"], 1, 20),
        (StopReason::AgentUnavailable, every_call("{ api_error = { status = 401 } }"), &[], 1, 21),
        (
            StopReason::LimitWaitExceeded,
            every_call("{ usage_limit = { resets_in = '2h' } }"),
            &["--max-wait", "1h"],
            1,
            22,
        ),
        (
            StopReason::GatesFailing,
            every_call(&claim),
            &["--gate", "false", "--completion-threshold", "1"],
            1,
            23,
        ),
    ]
}

// rows: 53, 56, 57, 62, 64, 65, 68
// Seed defect D1, commands/run.ts:618: a limit could not be told from success.
// Seed defect D3, commands/run.ts, loop.ts: every ending exited with 0.
#[test]
fn every_ending_has_its_exit_codes() {
    for (reason, script, flags, simple, detailed) in table() {
        for (profile, code) in [("simple", simple), ("detailed", detailed)] {
            let night = Night::new(&script);
            let outcome = night.run(&[flags, &["--exit-codes", profile]].concat());
            expect_end(&outcome, code, reason.name());
            assert_eq!(night.ended(), reason);
            night.assert_clean();
        }
    }
}

// Seed defect D3, core/git.ts:91 ff.: git was started over and over.
#[test]
fn looking_at_the_tree_costs_one_process_of_git() {
    let calls = |iterations: &str| {
        let night = Night::with_git(&every_call("{ bash = 'echo x >> work' }"));
        let log = night.env.root().join("git-calls");
        let path = std::env::var("PATH").unwrap();
        let real = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file());
        let wrapper = night.env.write(
            night.env.root().join("bin/git"),
            format!("#!/bin/sh\necho >> '{}'\nexec '{}' \"$@\"\n", log.display(), real.unwrap().display()),
        );
        std::fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let path = format!("{}:{path}", wrapper.parent().unwrap().display());
        let night = night.set("PATH", &path);
        night.run(&["-m", iterations]).expect_code(10, "run");
        std::fs::read_to_string(log).unwrap().lines().count()
    };
    let (few, many) = (calls("2"), calls("6"));
    // One look when an iteration begins, or has begun, and one when it ends.
    assert!(many - few <= 4 * 2, "{few} in two iterations, {many} in six");
}
