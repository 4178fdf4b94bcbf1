//! What the runner's commit holds is what was judged, and nothing that was to be left out of it: whatever hooks, submodules and
//! settings of the repository make of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_testkit::TestEnv;

use super::committing::hook;
use super::night::{Night, calls, every_call, expect_end};
use super::pull_requests::said;
use super::tasks;

const DONE: &str = r#"{ result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE" } }"#;

/// A night whose every call does this and says that all is done.
fn night(work: &str) -> Night {
    Night::with_git(&every_call(&format!("{{ bash = '{work}' }}, {DONE}")))
}

fn committing(night: &Night, gate: &str) -> windlass_testkit::Outcome {
    night.run(&["--commit", "runner", "--completion-threshold", "1", "--allow-dirty", "--gate", gate])
}

/// How often an agent was called.
fn called(night: &Night) -> usize {
    night.calls().len()
}

/// What each commit was refused for.
fn refusals(night: &Night) -> Vec<String> {
    let refusal = |fact: Fact| match fact {
        Fact::Committed(report::Committed { refused, .. }) => refused,
        _ => None,
    };
    night.facts().into_iter().filter_map(refusal).collect()
}

// attack(git): a person's pre-commit hook runs `git add -A`, while a secret lies there and the person has uncommitted work
// holds: that commit is not kept, branch, index and files are as they were, hook and files are named, and one call is paid for
#[test]
fn what_a_hook_adds_that_was_left_out_is_in_no_commit() {
    let night = night("echo K=1 > .env; echo 1 > out.txt");
    night.env.write("a.txt", "committed\n");
    night.env.write("staged", "committed\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "-m", "files"]);
    hook(&night, "pre-commit", "test -e ../mended || git add -A");
    night.env.write("a.txt", "mine\n");
    night.env.write("staged", "mine\n");
    night.env.git(&["add", "staged"]);
    let (head, log) = (night.env.git(&["rev-parse", "HEAD"]), night.env.git(&["log", "--format=%s"]));
    let outcome = committing(&night, "test -f out.txt");
    outcome.expect_code(24, &said(&outcome));
    assert_eq!(called(&night), 1, "{}", said(&outcome));
    assert_eq!((night.env.git(&["rev-parse", "HEAD"]), night.env.git(&["log", "--format=%s"])), (head, log));
    let status = night.env.git(&["status", "--porcelain"]);
    assert_eq!(status, " M a.txt\nM  staged\n?? .env\n?? out.txt");
    let why = refusals(&night).remove(0);
    for named in
        [".git/hooks/pre-commit", ".env (its name is that of a secret)", "a.txt (it was uncommitted before)"]
    {
        assert!(why.contains(named), "{why}");
    }
    assert!(said(&outcome).contains("The commit was taken back"), "{}", said(&outcome));
    // Once the hook is mended, the same run commits what is its own.
    night.env.write("../mended", "");
    expect_end(&night.resume(&[]), 0, "complete");
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "out.txt");
}

#[test]
fn what_a_hook_adds_in_a_lane_or_between_tasks_is_in_no_commit_either() {
    for flags in [&["-j", "2"][..], &[]] {
        let script = tasks::HONEST.replace("steps = [\n", "steps = [\n  { bash = \"echo K=1 > .env\" },\n");
        let night = tasks::night(&[(1, &[]), (2, &[])], &script);
        hook(&night, "pre-commit", "git add -A");
        let outcome = tasks::run(&night, flags);
        outcome.expect_code(24, &said(&outcome));
        assert!(!night.env.git(&["log", "--all", "--name-only", "--format="]).contains(".env"), "{flags:?}");
        let refused = refusals(&night);
        assert!(refused.iter().all(|why| why.contains(".env") && why.contains("pre-commit")), "{refused:?}");
        assert!(!refused.is_empty() && called(&night) <= 2, "{flags:?}: {refused:?}");
    }
}

// attack(money): a `commit-msg` hook refuses the form of the runner's subjects, which no agent words
// holds: one call is paid for, the run ends as `needs_human` and names the setting
#[test]
fn a_hook_that_refuses_the_subject_ends_the_run_at_once() {
    let night = night("echo x >> out.txt");
    let refuses = "head -1 \"$1\" | grep -q '^chore: ' || { echo 'subject: type may not be empty'; exit 1; }";
    hook(&night, "commit-msg", refuses);
    let outcome = committing(&night, "test -f out.txt");
    outcome.expect_code(24, &said(&outcome));
    assert_eq!(called(&night), 1, "{}", said(&outcome));
    let why = refusals(&night).remove(0);
    for named in ["commit-msg", "type may not be empty", "windlass config set commit.message conventional"] {
        assert!(why.contains(named), "{why}");
    }
    let night = night.set("WINDLASS_COMMIT__MESSAGE", "conventional");
    expect_end(&night.resume(&[]), 0, "complete");
}
