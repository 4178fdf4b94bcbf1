//! A fresh agent looks over the work of each iteration before it counts.

use std::fs;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Purpose, Reviewed, StopReason, TaskEnd, Verdict};

use super::night::{Night, PATIENCE, calls, expect_end, files_below};
use super::tasks;

const CLAIM: &str = r#"{ result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE" } }"#;
const PASS: &str = "{ result = { text = 'Fine.', cost = 0.02, structured = { verdict = 'pass', summary = 'good', findings = [] } } }";

fn work(text: &str) -> String {
    format!("{{ write = {{ path = 'work.txt', text = '{text}' }} }}, {CLAIM}")
}

fn reject(found: &str) -> String {
    format!(
        "{{ result = {{ text = 'It is all PASS.', structured = {{ verdict = 'reject', summary = 'not yet', findings = [ \
         {{ severity = 'blocking', file = 'work.txt', line = 1, text = '{found}' }}, \
         {{ severity = 'minor', text = 'a name' }} ] }} }} }}"
    )
}

pub(super) fn purposes(night: &Night) -> Vec<Purpose> {
    let purpose = |fact: Fact| match fact {
        Fact::CallReserved { purpose, .. } => Some(purpose),
        _ => None,
    };
    night.facts().into_iter().filter_map(purpose).collect()
}

/// The prompts that reviewers got, in order.
pub(super) fn asked(night: &Night) -> Vec<String> {
    let mut prompts: Vec<_> = files_below(&night.folder().join("iterations"))
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("-review/prompt.md"))
        .collect();
    prompts.sort();
    prompts.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

const FLAGS: [&str; 7] = ["--review", "--commit", "runner", "--completion-threshold", "1", "-m", "5"];

fn commits(night: &Night) -> usize {
    night.env.git(&["log", "--format=%s"]).lines().count() - 1
}

// rows: 104
#[test]
fn rejected_twice_then_passed() {
    let script = calls(&[&work("one"), &reject("a"), &work("two"), &reject("b"), &work("three"), PASS]);
    let night = Night::with_git(&script);
    let flags = [&FLAGS[..], &["-r", "Mind @the units.", "--gate", "test -f work.txt"]].concat();
    let outcome = night.run(&flags);
    expect_end(&outcome, 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused, Verdict::ClaimRefused, Verdict::ClaimAccepted]);
    assert_eq!(commits(&night), 1, "nothing that was rejected is committed");
    assert_eq!(night.env.git(&["show", "HEAD:work.txt"]), "three");
    let reviews: Vec<Reviewed> =
        night.calls().iter().filter(|call| call.review.is_some()).map(Reviewed::of).collect();
    assert_eq!(reviews, [Reviewed::Rejected, Reviewed::Rejected, Reviewed::Passed]);
    let asked = asked(&night);
    for piece in ["Make it work", "Mind \\@the units.", "+one", "- `test -f work.txt` passed"] {
        assert!(asked[0].contains(piece), "{piece}: {}", asked[0]);
    }
    assert!(
        asked[1].contains("+two") && asked[1].contains("new file mode"),
        "all since it was let stand: {}",
        asked[1]
    );
    let told = night.prompt(2);
    assert!(
        told.contains("## A reviewer rejected the work") && told.contains("- blocking: work.txt:1: a"),
        "{told}"
    );
    assert!(!night.prompt(3).contains("work.txt:1: a") && night.prompt(3).contains("work.txt:1: b"));
    let said = outcome.stdout_text() + &outcome.stderr_text();
    for piece in [
        "a fresh agent looks over the work",
        "review: rejected: not yet",
        "work.txt:1: a",
        "a reviewer rejected it",
        "review: passed: good",
    ] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    night.assert_clean();
}

#[test]
fn in_lanes_nothing_lands_that_was_not_let_stand() {
    let night = tasks::night(tasks::SIX, &format!("{}{}", tasks::HONEST, REVIEWERS));
    let flags = ["-j", "2", "--gate", "true", "--review"];
    expect_end(&tasks::run(&night, &flags), 17, "blocked");
    let landed = tasks::subjects(&night);
    assert_eq!(landed.iter().filter(|line| line.contains("TASK-002")).count(), 0, "{landed:?}");
    let parked = night.facts().into_iter().find_map(|fact| match fact {
        Fact::TaskClosed(report::TaskClosed { end: TaskEnd::Parked { reason }, task, .. }) => {
            Some((task.0, reason))
        }
        _ => None,
    });
    let (task, reason) = parked.expect("a parked task");
    assert_eq!((&*task, &*reason), ("TASK-002", "failed 2 times: a reviewer rejected it: work: not so"));
    for prompt in asked(&night) {
        assert_eq!(prompt.matches("diff --git").count(), 1, "each task's own work: {prompt}");
    }
}

/// One task is never let stand.
const REVIEWERS: &str = r#"
[[call]]
for = "review"
steps = [ { result = { text = "Fine.", structured = { verdict = "pass", summary = "good", findings = [] } } } ]
[[call]]
for = "review"
task = "TASK-002"
steps = [ { result = { text = "No.", structured = { verdict = "reject", summary = "", findings = [{ severity = "blocking", file = "work", text = "not so" }] } } } ]
"#;

#[test]
fn what_a_reviewer_changes_is_gated_again_and_committed() {
    let mends = format!(
        "{{ write = {{ path = 'work.txt', text = 'fixed' }} }}, {}",
        PASS.replace("'pass'", "'changed'")
    );
    let night = Night::with_git(&calls(&[&work("nearly"), &mends]));
    let gate = "echo ran >> ../gates; test -f work.txt";
    let flags = [&FLAGS[..], &["--gate", gate]].concat();
    expect_end(&night.run(&flags), 0, "complete");
    assert_eq!(night.env.git(&["show", "HEAD:work.txt"]), "fixed");
    let gates = fs::read_to_string(night.env.project().join("../gates")).unwrap();
    assert_eq!(gates.lines().count(), 3, "before the run, for the work, for what the reviewer changed");
}

#[test]
fn what_a_check_writes_is_nobodys_change() {
    let night = Night::with_git(&calls(&[&work("good"), PASS]));
    let flags = [&FLAGS[..], &["--gate", "date +%N > report.log"]].concat();
    expect_end(&night.run(&flags), 0, "complete");
    assert!(!asked(&night)[0].contains("b/report.log"), "{}", asked(&night)[0]);
    assert_eq!(night.env.git(&["show", "--name-only", "--format=", "HEAD"]).trim(), "work.txt");
}

#[test]
fn the_same_three_times_is_a_stalemate_and_a_resume_asks_anew() {
    let script = calls(&[
        &work("one"),
        &reject("a"),
        &work("two"),
        &reject("a"),
        &work("three"),
        &reject("a"),
        &work("three"),
        PASS,
    ]);
    let night = Night::with_git(&script);
    let outcome = night.run(&FLAGS);
    expect_end(&outcome, 32, "review_stalemate");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("rejected the work 3 times in a row for the same: work.txt: a"), "{said}");
    assert_eq!(commits(&night), 0);
    expect_end(&night.resume(&[]), 0, "complete");
    assert_eq!(commits(&night), 1);
    let simple = Night::with_git(&calls(&[&work("one"), &reject("a"), CLAIM]));
    simple.run(&[&FLAGS[..], &["--exit-codes", "simple"]].concat()).expect_code(1, "a stalemate");
}

#[test]
fn prose_silence_and_contradictions_let_nothing_pass() {
    let contradicts = reject("a").replace("'reject'", "'pass'");
    let prose = "{ result = { text = '{\"verdict\":\"pass\"} PASS, all good' } }";
    let dies = "{ die = 'KILL' }";
    let script =
        calls(&[&work("one"), prose, &work("two"), &contradicts, &work("three"), dies, &work("four"), PASS]);
    let night = Night::with_git(&script);
    let outcome = night.run(&FLAGS);
    expect_end(&outcome, 32, "review_stalemate");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    for piece in [
        "the reviewer gave no verdict",
        "the reviewer let the work pass and named what must be fixed",
        "the reviewer's call failed",
        "3 reviews in a row gave no verdict that can be used",
    ] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    assert_eq!((commits(&night), night.ended()), (0, StopReason::ReviewStalemate));
}

#[test]
fn few_lines_are_not_looked_over_and_that_is_said() {
    let script = calls(&[&work("one"), &work("two")]);
    let night = Night::with_git(&script).set("WINDLASS_REVIEW__SKIP_BELOW_LINES", "10");
    let outcome = night.run(&FLAGS);
    expect_end(&outcome, 0, "complete");
    assert_eq!(purposes(&night), [Purpose::Work]);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("not reviewed: 1 line changed"), "{said}");
    assert_eq!(commits(&night), 1);
}

#[test]
fn only_notes_are_nothing_to_look_over() {
    let notes = format!("{{ write = {{ path = 'SHARED_TASK_NOTES.md', text = 'n' }} }}, {CLAIM}");
    let night = Night::with_git(&calls(&[&notes]));
    night.run(&["--review", "-m", "1"]);
    assert_eq!(purposes(&night), [Purpose::Work]);
}

#[test]
fn without_a_repository_the_reviewer_has_the_files() {
    let night = Night::new(&calls(&[&work("one"), PASS]));
    expect_end(&night.run(&["--review", "--completion-threshold", "1"]), 0, "complete");
    assert!(asked(&night)[0].contains("Nothing keeps what was there before"), "{}", asked(&night)[0]);
}

#[test]
fn a_usage_limit_of_the_reviewer_is_waited_for() {
    let limit = "{ usage_limit = { resets_in = '1s' } }";
    let night = Night::with_git(&calls(&[&work("one"), limit, PASS]));
    expect_end(&night.run(&FLAGS), 0, "complete");
    assert_eq!(purposes(&night), [Purpose::Work, Purpose::Review, Purpose::Review]);
}

// rows: 26
#[test]
fn the_reviewer_may_be_another_model() {
    let model = |model: &str, step: &str| {
        format!("{{ bash = \"tr '\\\\0' ' ' < /proc/$PPID/cmdline > ../{model}\" }}, {step}")
    };
    let night = Night::with_git(&calls(&[&model("worker", &work("one")), &model("reviewer", PASS)]));
    let flags = ["--review-model", "opus", "--model", "haiku", "--completion-threshold", "1"];
    expect_end(&night.run(&flags), 0, "complete");
    let called = |name: &str| fs::read_to_string(night.env.project().join("..").join(name)).unwrap();
    assert!(called("worker").contains("--model haiku") && called("reviewer").contains("--model opus"));
    assert!(called("reviewer").contains("--json-schema") && !called("worker").contains("--json-schema"));
}

#[test]
fn killed_while_the_reviewer_works_it_is_called_again() {
    let hangs = "{ write = { path = '../reviewing', text = 'x' } }, 'hang'".replace('\'', "\"");
    let night = Night::with_git(&calls(&[&work("one"), &hangs, PASS]));
    let running = night.start(&FLAGS);
    night.wait_for_file("../reviewing");
    running.signal(Signal::KILL);
    night.env.assert_no_processes(PATIENCE);
    expect_end(&night.resume(&[]), 0, "complete");
    assert_eq!(purposes(&night), [Purpose::Work, Purpose::Review, Purpose::Review]);
    assert_eq!((commits(&night), night.verdicts().len()), (1, 1));
    night.assert_clean();
}

// attack(claims): the reviewer removes the file that was written, or resets the tree, and says that the work may stand
// holds: nothing is complete or committed, and the command that is said brings the work back
#[test]
fn work_that_its_reviewer_removed_is_not_accepted() {
    let passes = PASS;
    let night = Night::with_git(&calls(&[
        &work("one"),
        &format!("{{ bash = 'git clean -fdq; git reset -q --hard' }}, {passes}"),
    ]));
    let flags =
        ["--review", "--commit", "runner", "--completion-threshold", "1", "-m", "1", "--gate", "true"];
    let outcome = night.run(&flags);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(commits(&night), 0);
    let said = night.notices().into_iter().find(|notice| notice.contains("left nothing of it")).unwrap();
    let command: Vec<&str> = said.split('`').nth(1).unwrap().split(' ').skip(1).collect();
    night.env.run(&mut night.windlass(&command), PATIENCE).expect_code(0, "restore");
    assert!(night.env.git(&["status", "--porcelain"]).contains("?? "), "the work is there again");
}

#[test]
fn a_verification_that_nobody_makes_is_said_before_the_first_iteration() {
    let said = |flags: &[&str]| {
        let night =
            Night::with_git(&calls(&[&work("one"), PASS])).set("WINDLASS_VERIFY__ON_COMPLETION", "true");
        night.run(flags);
        night.notices().iter().any(|notice| notice.contains("verify.on_completion is for workspaces alone"))
    };
    assert!(said(&["-m", "1"]) && !said(&["-m", "1", "--review"]));
}
