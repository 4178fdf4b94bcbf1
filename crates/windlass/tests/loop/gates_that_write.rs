//! Gates that write: over what the agent changed, which stays its work, and beside it, which is theirs.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{CheckStage, TaskEnd, Verdict};

use super::night::{Night, calls, expect_end};
use super::reviews::asked;
use super::tasks;

/// Formats what the agent writes, and leaves a log of its own.
const FORMATS: &str = "test ! -f work.txt || sed -i s/one/ONE/ work.txt; echo x >> gate.log";

const WORK: &str = "{ write = { path = 'work.txt', text = 'one' } }, \
                    { result = { text = \"Done.\\n\\nWINDLASS_JOB_COMPLETE\" } }";
const PASS: &str =
    "{ result = { text = 'Fine.', structured = { verdict = 'pass', summary = 'good', findings = [] } } }";

const RUNNER: [&str; 6] = ["--commit", "runner", "--completion-threshold", "1", "-m", "2"];

fn files(night: &Night, commit: &str) -> String {
    night.env.git(&["show", "--format=", "--name-only", commit])
}

/// The work is committed as the gate left it, and what the gate wrote beside it is not.
fn assert_formatted(night: &Night) {
    assert_eq!(night.env.git(&["show", "HEAD:work.txt"]), "ONE");
    assert_eq!(files(night, "HEAD"), "work.txt");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "?? gate.log");
}

#[test]
fn what_a_gate_makes_of_the_work_is_committed() {
    let night = Night::with_git(&calls(&[WORK]));
    expect_end(&night.run(&[&RUNNER[..], &["--gate", FORMATS]].concat()), 0, "complete");
    assert_formatted(&night);
}

#[test]
fn what_a_gate_makes_of_the_work_is_shown_to_its_reviewer_and_committed() {
    let night = Night::with_git(&calls(&[WORK, PASS]));
    expect_end(&night.run(&[&RUNNER[..], &["--review", "--gate", FORMATS]].concat()), 0, "complete");
    assert!(asked(&night)[0].contains("+ONE"), "{}", asked(&night)[0]);
    assert!(!asked(&night)[0].contains("+x"), "{}", asked(&night)[0]);
    assert_formatted(&night);
}

/// A gate that passed before another one wrote judges what that one made of the work.
#[test]
fn work_is_judged_as_it_is_committed() {
    for more in [&[][..], &["--review"]] {
        let night = Night::with_git(&calls(&[WORK, PASS]));
        let gates = ["--gate", "! grep -q ONE work.txt", "--gate", FORMATS];
        night.run(
            &[&["--commit", "runner", "--completion-threshold", "1", "-m", "1"], &gates[..], more].concat(),
        );
        assert_eq!(night.verdicts(), [Verdict::ClaimRefused], "{more:?}");
        let altered = |fact| matches!(fact, Fact::Committed(report::Committed { altered: true, .. }));
        assert!(night.facts().into_iter().any(altered), "{more:?}");
    }
}

#[test]
fn a_task_whose_file_a_gate_formats_is_committed_as_it_is_then() {
    let script = "[[call]]\nsteps = [{ write = { path = 'work.txt', text = 'one' } }, 'tick_task', { result = { text = 'done' } }]\n";
    for (more, answers) in [(&[][..], ""), (&["--review"], PASS)] {
        let review =
            if answers.is_empty() { String::new() } else { format!("[[call]]\nsteps = [{answers}]\n") };
        let night = tasks::night(&[(1, &[])], &format!("{script}{review}"));
        let outcome = tasks::run(&night, &[&["--commit", "runner", "--gate", FORMATS], more].concat());
        expect_end(&outcome, 0, "complete");
        assert_eq!(tasks::ends(&night), [("TASK-001".to_owned(), TaskEnd::Done)]);
        assert_eq!(night.env.git(&["show", "HEAD:work.txt"]), "ONE", "{more:?}");
        assert!(!files(&night, "HEAD").contains("gate.log"), "{more:?}");
    }
}

/// What a gate keeps writing into the same file is the gate's own, where the agent leaves that alone.
#[test]
fn what_a_gate_writes_where_the_agent_does_not_is_its_own() {
    let night =
        Night::with_git(&calls(&["{ bash = 'echo a > work.txt' }", "{ bash = 'echo b > other.txt' }"]));
    let gate = "echo x >> gate.log; test ! -f work.txt || echo y >> work.txt";
    night.run(&["--commit", "runner", "-m", "2", "--gate", gate]);
    let log = night.env.git(&["log", "-1", "--format=%H", "--", "work.txt"]);
    assert_ne!(log, night.env.git(&["rev-parse", "HEAD"]), "the second iteration did not touch it");
    assert_eq!(files(&night, "HEAD"), "other.txt");
}

/// In a lane's own checkout as well.
#[test]
fn in_a_lane_the_work_lands_as_a_gate_left_it() {
    let script = "[[call]]\nsteps = [{ write = { path = 'work.txt', text = 'one' } }, 'tick_task', { result = { text = 'done' } }]\n";
    let night = tasks::night(&[(1, &[])], script);
    let outcome = tasks::run(&night, &["--lanes", "2", "--commit", "runner", "--gate", FORMATS]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(night.env.git(&["show", "HEAD:work.txt"]), "ONE");
    assert!(!night.env.git(&["ls-files"]).contains("gate.log"));
}

// attack(claims): a gate is green because of a file that a person had not committed
// holds: the report says that the commit does not hold it
#[test]
fn the_report_says_what_a_commit_lacks_of_what_was_judged() {
    let night = Night::with_git(&calls(&[WORK]));
    night.env.write("dirty.txt", "needed");
    let flags = ["--allow-dirty", "--gate", "test -e dirty.txt"];
    expect_end(&night.run(&[&RUNNER[..], &flags].concat()), 0, "complete");
    assert_eq!(files(&night, "HEAD"), "work.txt");
    let report = night.env.run(&mut night.windlass(&["report"]), super::night::PATIENCE).stdout_text();
    let said = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("; that commit does not hold dirty.txt"), "{report}");
}

/// Also where the task is worked on again.
#[test]
fn in_a_lane_what_a_gate_wrote_is_in_no_commit() {
    let works =
        "[[call]]\nsteps = [{ bash = 'echo x >> work.txt' }, 'tick_task', { result = { text = 'done' } }]\n";
    let night = tasks::night(&[(1, &[])], &works.repeat(2));
    let gate = "test -f work.txt || exit 0; test -f made || { echo 1 > made; exit 1; }";
    let outcome = tasks::run(&night, &["--lanes", "2", "--commit", "runner", "--gate", gate]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(night.env.git(&["show", "HEAD:work.txt"]), "x\nx");
    assert!(!night.env.git(&["ls-files"]).contains("made"));
}

// attack(claims): a gate is green only because of a file that it wrote itself before
// holds: it is in no commit, and the report says that the commit does not hold it
#[test]
fn the_report_says_that_a_gate_was_green_by_what_it_wrote() {
    let night = Night::with_git(&calls(&[WORK, WORK]));
    let gate = "test -f work.txt || exit 1; test -f made || { echo 1 > made; exit 1; }";
    expect_end(&night.run(&[&RUNNER[..], &["--gate", gate]].concat()), 0, "complete");
    assert_eq!(files(&night, "HEAD"), "work.txt");
    let report = night.env.run(&mut night.windlass(&["report"]), super::night::PATIENCE).stdout_text();
    let said = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("; that commit does not hold made"), "{report}");
}

/// Once, while the first gates judge work.
fn once(does: &str) -> String {
    format!("test ! -e work.txt || test -e ../once || {{ touch ../once; {does}; }}; true")
}

// attack(claims): `git stash` while the gates run, by a person or by a gate
// holds: nothing is accepted on a tree that was not there, nothing is committed or lost, and one sentence says what to do
#[test]
fn work_that_is_gone_while_gates_run_is_not_accepted() {
    let night = Night::with_git(&calls(&[WORK]));
    let head = night.env.git(&["rev-parse", "HEAD"]);
    let outcome = night.run(&[&RUNNER[..], &["--gate", &once("git stash -q -u")]].concat());
    expect_end(&outcome, 24, "needs_human");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("work.txt") && said.contains("bring it back, as by `windlass restore"), "{said}");
    assert_eq!(night.env.git(&["rev-parse", "HEAD"]), head);
    night.env.git(&["stash", "pop", "-q"]);
    expect_end(&night.resume(&[]), 0, "complete");
    assert_eq!(files(&night, "HEAD"), "work.txt");
}

// attack(claims): one of the changed files goes back while the gates run
// holds: the commit is what is there then, it is judged once more, and it is said
#[test]
fn what_goes_back_while_gates_run_is_in_no_commit() {
    let two = WORK.replacen("{ write", "{ bash = 'echo more >> kept.txt' }, { write", 1);
    let night = Night::with_git(&calls(&[&two]));
    night.env.write("kept.txt", "one\n");
    night.env.git(&["add", "kept.txt"]);
    night.env.git(&["commit", "-qm", "Kept"]);
    let gate = once("git checkout -q -- kept.txt");
    expect_end(&night.run(&[&RUNNER[..], &["--gate", &gate]].concat()), 0, "complete");
    assert_eq!(files(&night, "HEAD"), "work.txt");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    assert!(night.notices().iter().any(|text| text.contains("kept.txt")), "{:?}", night.notices());
    let judged = night.facts().into_iter().filter(|fact| {
        matches!(fact, Fact::CheckFinished(report::CheckFinished { stage: CheckStage::Committed, .. }))
    });
    assert_eq!(judged.count(), 1);
}

/// It was there all the time, and nothing that was judged went back.
#[test]
fn a_file_that_git_is_told_to_forget_and_to_ignore_has_not_gone_back() {
    let forgets = "{ bash = 'git rm -q --cached kept.txt; echo kept.txt > .gitignore' }, \
                   { result = { text = \"Done.\\n\\nWINDLASS_JOB_COMPLETE\" } }";
    let night = Night::with_git(&calls(&[forgets]));
    night.env.write("kept.txt", "one\n");
    night.env.git(&["add", "kept.txt"]);
    night.env.git(&["commit", "-qm", "Kept"]);
    expect_end(&night.run(&[&RUNNER[..], &["--gate", "test -f kept.txt"]].concat()), 0, "complete");
    assert!(!night.notices().iter().any(|text| text.contains("went back")), "{:?}", night.notices());
    assert_eq!(files(&night, "HEAD"), ".gitignore\nkept.txt");
}
