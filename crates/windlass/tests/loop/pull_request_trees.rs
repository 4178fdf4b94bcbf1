//! What is pushed is what the gates judged: nothing that they had is missing in it.

use rustix::process::Signal;
use windlass_testkit::TestEnv;
use windlass_testkit::forge::{Checks, Conclusion, Story, log_out};

use super::committing::hook;
use super::night::{PATIENCE, calls, expect_end};
use super::pull_request_parts::command;
use super::pull_requests::{Evening, said};

const CLAIM: &str = "{ result = { text = \"Done.\\n\\nWINDLASS_JOB_COMPLETE\", cost = 0.02 } }";

fn evening(steps: &str) -> Evening {
    let green = Story::with_checks([Checks::ending(Conclusion::Passes)]);
    Evening::within(TestEnv::with_git(), &calls(&[&format!("{steps}, {CLAIM}")]), green)
}

fn pushes(evening: &Evening) -> (usize, usize) {
    (evening.forge.count("push"), evening.forge.pulls().len())
}

// rows: 85
#[test]
fn what_a_person_has_not_committed_is_refused_before_anything_is_done() {
    let evening = evening("{ write = { path = 'work.txt', text = 'x' } }");
    evening.night.env.write("README.md", "of a person\n");
    evening.night.env.write("helper.sh", "of a person\n");
    for flags in [&["--pr"][..], &["--pr", "--allow-dirty"]] {
        let outcome = evening.run(flags);
        outcome.expect_code(2, "uncommitted changes");
        let told = said(&outcome);
        assert!(told.contains("README.md, helper.sh") && told.contains("--worktree"), "{told}");
    }
    assert!(evening.night.folders().is_empty());
    assert_eq!(evening.night.env.git(&["branch", "--show-current"]), "main");
}

// rows: 85
#[test]
fn work_that_its_gates_passed_with_more_on_is_not_pushed() {
    for flags in [&["--merge"][..], &["--pr"], &["--merge", "--pr-per", "iteration"]] {
        let evening = evening("{ bash = 'echo x > work.txt; echo secret > .env' }");
        let outcome = evening.run(&[flags, &["--gate", "test -f .env"]].concat());
        expect_end(&outcome, 24, "needs_human");
        let told = said(&outcome);
        assert!(told.contains("files that are in no commit: .env"), "{told}");
        assert_eq!(pushes(&evening), (0, 0), "{flags:?}");
        assert_eq!(evening.night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "work.txt");
    }
}

// rows: 85
#[test]
fn what_checks_write_and_what_git_ignores_keeps_nothing_back() {
    let env = TestEnv::with_git();
    env.write(".git/info/exclude", "ignored\n");
    let steps = "{ bash = 'echo x > work.txt; echo x > ignored; echo x >> SHARED_TASK_NOTES.md' }";
    let green = Story::with_checks([Checks::ending(Conclusion::Passes)]);
    let evening = Evening::within(env, &calls(&[&format!("{steps}, {CLAIM}")]), green);
    let outcome = evening.run(&["--merge", "--gate", "date +%N > coverage.txt"]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(pushes(&evening), (1, 1));
}

// rows: 75, 85
#[test]
fn what_a_person_writes_between_two_sessions_is_neither_pushed_nor_passed_over() {
    let evening = evening("{ write = { path = 'work.txt', text = 'x' } }");
    let gate = "test -e ../go || { test -e work.txt && touch ../gating && exec sleep 60; }";
    let flags = ["--completion-threshold", "1", "--merge", "--gate-later", "--gate", gate];
    let running = evening.night.start(&flags);
    evening.night.wait_for_file("../gating");
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    evening.night.env.write("helper.sh", "of a person\n");
    evening.night.env.write("../go", "");
    let outcome = evening.night.resume(&[]);
    expect_end(&outcome, 24, "needs_human");
    assert!(said(&outcome).contains("files that are in no commit: helper.sh"), "{}", said(&outcome));
    assert_eq!(pushes(&evening), (0, 0));
    assert_eq!(evening.night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "work.txt");
}

/// A gate that writes a report before the first iteration, too. The runner is killed in it once there is work.
const REPORTS: &str = "date +%N > coverage.txt; test -e work.txt || exit 1; test -e ../go || { touch ../gating && exec sleep 60; }";

// rows: 75, 85
#[test]
fn what_checks_wrote_before_a_kill_keeps_nothing_back() {
    let evening = evening("{ write = { path = 'work.txt', text = 'x' } }");
    let running = evening.night.start(&["--completion-threshold", "1", "--merge", "--gate", REPORTS]);
    evening.night.wait_for_file("../gating");
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    evening.night.env.write("../go", "");
    expect_end(&evening.night.resume(&[]), 0, "complete");
    assert_eq!(pushes(&evening), (1, 1));
    assert_eq!(evening.night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "work.txt");
}

// rows: 75, 85
#[test]
fn what_checks_wrote_before_an_agent_was_killed_keeps_nothing_back() {
    let script = calls(&[
        &format!("{{ write = {{ path = 'one.txt', text = 'x' }} }}, {CLAIM}"),
        &format!(
            "{{ bash = 'test -e ../go || {{ touch ../working; sleep 60; }}; echo x > work.txt' }}, {CLAIM}"
        ),
        &format!("{{ write = {{ path = 'work.txt', text = 'x' }} }}, {CLAIM}"),
    ]);
    let green = Story::with_checks([Checks::ending(Conclusion::Passes)]);
    let evening = Evening::within(TestEnv::with_git(), &script, green);
    let gate = "date +%N > coverage.txt";
    let running = evening.night.start(&["--completion-threshold", "2", "--merge", "--gate", gate]);
    evening.night.wait_for_file("../working");
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    evening.night.env.write("../go", "");
    expect_end(&evening.night.resume(&[]), 0, "complete");
    assert_eq!(pushes(&evening), (1, 1));
    let files = evening.night.env.git(&["ls-tree", "--name-only", "HEAD"]);
    assert!(!files.contains("coverage.txt"), "{files}");
}

// rows: 82, 85
#[test]
fn what_a_hook_refuses_to_commit_does_not_send_the_commit_before_it_out_as_the_result() {
    let script = calls(&[
        "{ write = { path = 'one.txt', text = 'x' } }",
        &format!("{{ write = {{ path = 'two.txt', text = 'x' }} }}, {CLAIM}"),
        &format!("{{ write = {{ path = 'mended', text = 'x' }} }}, {CLAIM}"),
    ]);
    let green = Story::with_checks([Checks::ending(Conclusion::Passes)]);
    let evening = Evening::within(TestEnv::with_git(), &script, green);
    hook(
        &evening.night,
        "pre-commit",
        "test -e mended || ! git diff --cached --name-only | grep two || exit 1",
    );
    let outcome = evening.run(&["--pr", "-m", "2", "--gate", "true"]);
    expect_end(&outcome, 10, "max_iterations");
    let [pull] = &evening.forge.pulls()[..] else { panic!("{:#?}", evening.forge.pulls()) };
    assert!(pull.draft && pull.body.contains("**Not finished.**"), "{pull:#?}");
    let run = pull.branch.strip_prefix("windlass/").unwrap();
    expect_end(&evening.night.resume(&[run, "-m", "3"]), 0, "complete");
    assert_eq!(evening.forge.pulls().len(), 1);
    evening.night.env.git(&["fetch", "--quiet", "origin", &pull.branch]);
    let files = evening.night.env.git(&["ls-tree", "--name-only", "FETCH_HEAD"]);
    assert!(files.contains("two.txt") && files.contains("mended"), "{files}");
}

// rows: 85, 140
#[test]
fn a_dry_run_says_what_a_run_would_refuse() {
    let evening = evening("'hang'");
    let outcome = evening.run(&["--pr", "--dry-run"]);
    outcome.expect_success("a dry run");
    let told = outcome.stdout_text();
    assert!(told.contains("a pull request of windlass/r-xxxxxxxx into main of"), "{told}");
    log_out(&evening.night.env);
    let refused = evening.run(&["--pr", "--dry-run"]);
    refused.expect_success("a dry run");
    assert!(refused.stdout_text().contains(": a run would not start"), "{}", refused.stdout_text());
    evening.night.env.git(&["remote", "remove", "origin"]);
    let told = evening.run(&["--pr", "--dry-run"]).stdout_text();
    assert!(
        told.contains("this repository has no remote") && told.contains("a run would not start"),
        "{told}"
    );
    assert_eq!(pushes(&evening), (0, 0));
}

// rows: 85
#[test]
fn a_task_whose_gates_passed_with_more_is_parked_and_the_rest_goes_out() {
    let env = TestEnv::with_git();
    env.write(
        "requirements.md",
        "### T001: First\n- **Status**: pending\n\n### T002: Second\n- **Status**: pending\n",
    );
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    let works = "{ write = { path = '{{task}}.txt', text = 'x' } }";
    let script = [
        calls(&[&format!("{works}, {{ write = {{ path = '.env', text = 'x' }} }}, 'tick_task'")]),
        calls(&[&format!("{works}, {{ delete = '.env' }}, 'tick_task'")]),
    ];
    let green = Story::with_checks([Checks::ending(Conclusion::Passes)]);
    let evening = Evening::within(env, &script.concat(), green);
    let flags = ["--merge", "--pr-per", "task", "--gate", "true", "--exit-codes", "detailed"];
    let outcome = evening.night.env.run(&mut command(&evening, &flags), PATIENCE);
    expect_end(&outcome, 17, "blocked");
    assert!(said(&outcome).contains("files that are in no commit: .env"), "{}", said(&outcome));
    let pulls = evening.forge.pulls();
    assert_eq!(pulls.len(), 1, "{pulls:#?}");
    assert_eq!((pulls[0].title.as_str(), pulls[0].state), ("T002: Second", "MERGED"));
}
