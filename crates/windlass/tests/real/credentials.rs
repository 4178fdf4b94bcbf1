//! An agent that cannot work: refused at once, with one sentence and what to do.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::{Ended, Night};

/// Claude Code alone would try for more than three minutes.
const AT_ONCE: Duration = Duration::from_secs(40);

fn expect_unavailable<'a>(run: &'a Ended, class: &str) -> &'a Ended {
    run.expect("agent_unavailable", 21);
    assert_eq!(run.classes(), [class]);
    assert!(run.outcome.duration < AT_ONCE, "{:?}", run.outcome.duration);
    assert_eq!(run.all("iteration_finished").len(), 0, "nothing was tried, so nothing failed");
    run
}

// rows: 34, 65
#[test]
fn a_refused_key_or_token_ends_the_run_at_once() {
    let refused = || Scenario::always(Reply::unauthorized());
    for night in [Night::new(refused()), Night::subscriber(refused())] {
        let run = night.run(&[]);
        expect_unavailable(&run, "auth");
        run.says("Claude Code's login is refused").says("/login").says("windlass resume");
        run.expect_requests_charged(0);
    }
    let run = Night::new(refused()).run(&["--exit-codes", "detailed"]);
    run.expect("agent_unavailable", 21);
}

// rows: 65
#[test]
fn what_no_repetition_heals_ends_the_run_at_once() {
    let forbidden = Reply::error(403, "permission_error", "Your account does not have permission.");
    for (reply, class, sentence) in [
        (Reply::unknown_model("claude-nobody"), "config", "Check the model"),
        (Reply::out_of_credit(), "billing", "Credit balance is too low"),
        (forbidden, "permission", "The account may not do this"),
    ] {
        let run = Night::new(Scenario::always(reply)).run(&["--model", "claude-nobody"]);
        expect_unavailable(&run, class).says(sentence);
    }
}

// rows: 65, 75
#[test]
fn once_the_cause_is_gone_the_same_iteration_is_repeated() {
    let env = TestEnv::with_git();
    let file = env.project().join("greeting.txt");
    let story = [Reply::out_of_credit(), Reply::write(file, "hello\n"), Reply::text("Done for now.")];
    let night = Night::at(env, Scenario::new(story), Credentials::ApiKey);
    expect_unavailable(&night.run(&["--max-iterations", "1"]), "billing").says("a resume repeats it");
    let run = night.resume(&[]);
    run.expect("max_iterations", 10);
    assert_eq!(run.each("call_reserved", "iteration"), [1, 1]);
    assert_eq!(run.each("call_reserved", "attempt"), [1, 2]);
    assert_eq!(run.verdicts(), ["worked"]);
    run.expect_requests_charged(2);
}

/// Refused before anything begins: no request, no run.
fn expect_refused(night: &Night, flags: &[&str], code: i32, sentences: &[&str]) {
    let outcome = night.start(flags).wait(AT_ONCE);
    outcome.expect_code(code, "windlass run");
    for sentence in sentences {
        assert!(
            outcome.stderr_text().contains(sentence),
            "{sentence:?} is not in:\n{}",
            outcome.stderr_text()
        );
    }
    assert!(night.api.requests().is_empty());
    assert_eq!(night.newest_run(), None);
    night.env.assert_no_processes(Duration::from_secs(2));
}

fn nobody() -> Night {
    Night::at(TestEnv::with_git(), Scenario::new([]), Credentials::None)
}

// rows: 34
#[test]
fn an_agent_that_is_not_logged_in_is_refused() {
    let not_logged_in = "error: Claude Code is not logged in\n";
    expect_refused(
        &nobody(),
        &[],
        21,
        &[not_logged_in, "Run `claude` and then /login, or set CLAUDE_CODE_OAUTH_TOKEN."],
    );
    expect_refused(&nobody(), &["--exit-codes", "simple"], 1, &[not_logged_in]);
    let with_key = nobody().variable("ANTHROPIC_API_KEY", "sk-ant-test-dummy");
    expect_refused(&with_key, &[], 21, &[not_logged_in, "WINDLASS_AGENT__API_KEYS=true"]);
}

// rows: 34
#[test]
fn an_agent_that_is_missing_too_old_or_something_else_is_refused() {
    let missing = nobody().variable("WINDLASS_AGENT__COMMAND", "claude");
    expect_refused(
        &missing,
        &[],
        21,
        &["`claude` is not installed", "npm install -g @anthropic-ai/claude-code"],
    );

    for (says, sentence) in [
        ("echo '2.0.1 (Claude Code)'", "Claude Code 2.0.1 is too old: 2.1.197 is needed"),
        ("echo hello", "does not say a version; it printed \"hello\\n\""),
        ("exit 3", "does not say a version"),
    ] {
        let night = nobody();
        let fake = night.env.root().join("claude");
        night.env.write(&fake, format!("#!/bin/sh\n{says}\n"));
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        let night = night.variable("WINDLASS_AGENT__COMMAND", fake);
        expect_refused(&night, &[], 21, &[sentence]);
    }
}
