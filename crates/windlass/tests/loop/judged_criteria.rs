//! Success criteria that only a judgement shows: a fresh agent judges them before their task counts as done.

use rustix::process::Signal;
use serde_json::Value;
use windlass_core::values::Purpose::{Review, Work};
use windlass_core::values::{StopReason, TaskEnd, Verdict};
use windlass_testkit::{Outcome, Running};

use super::criteria::night;
use super::night::{Night, PATIENCE, expect_end};
use super::reviews::{asked, purposes};
use super::tasks::{command, ends, run};

/// Of the second task one is looked up and one can only be judged; of the first nothing is to be judged.
const CRITERIA: [&str; 2] = [
    "  - file `src/T001.rs` exists",
    "  - file `src/T002.rs` exists\n  - it is pretty\n  - it says who wrote it",
];

/// Does each task in its first attempt.
const WORK: &str = r#"
[[call]]
steps = [ { append = { path = "src/{{task}}.rs", text = "// by me\n" } }, "tick_task", { result = { text = "Done.", cost = 0.01 } } ]
"#;

/// What a reviewer says, in the order in which it is asked about T002.
fn reviews(answers: &[&str]) -> String {
    let call = |answer: &&str| {
        format!(
            "\n[[call]]\nfor = \"review\"\ntask = \"T002\"\nsteps = [ {{ result = {{ text = \"So.\", cost = 0.02, structured = {answer} }} }} ]\n"
        )
    };
    WORK.to_owned() + &answers.iter().map(call).collect::<String>()
}

const MET: &str = r#"{ verdict = "pass", summary = "good", findings = [], criteria = [{ number = 1, met = true, because = "it shines" }, { number = 2, met = true, because = "a comment" }] }"#;
const NOT_MET: &str = r#"{ verdict = "reject", summary = "not yet", findings = [], criteria = [{ number = 1, met = false, because = "it is dull" }, { number = 2, met = true, because = "a comment" }] }"#;
const LEFT_OUT: &str = r#"{ verdict = "pass", summary = "PASS", findings = [], criteria = [{ number = 2, met = true, because = "a comment" }] }"#;

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

// rows: 104, 135
#[test]
fn a_task_is_done_once_a_fresh_agent_says_that_each_criterion_is_met() {
    // What is said of the second task's first attempts depends on how often it failed.
    let script = reviews(&[NOT_MET, MET]);
    let night = night(CRITERIA, &script).set("WINDLASS_REVIEW__MODEL", "opus");
    let outcome = run(&night, &["--model", "haiku", "--gate", "true"]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(purposes(&night), [Work, Work, Review, Work, Review], "nothing of T001 is to be judged");
    assert_eq!(night.verdicts(), [Verdict::ClaimAccepted, Verdict::ClaimRefused, Verdict::ClaimAccepted]);
    let asked = asked(&night);
    for piece in ["1. it is pretty\n2. it says who wrote it\n", "+// by me", "src/T002.rs` exists"] {
        assert!(asked[0].contains(piece), "{piece}: {}", asked[0]);
    }
    assert!(!asked[0].contains("Thing 1"), "{}", asked[0]);
    let told = night.prompt(3);
    assert!(
        told.contains("- blocking: this success criterion is not met: it is pretty (it is dull)"),
        "{told}"
    );
    let said = said(&outcome);
    for piece in [
        "2 looked up, 2 judged by a fresh agent",
        "each task with success criteria to be judged, model opus",
        "a fresh agent judges the task's success criteria",
        "not met: it is pretty (it is dull)",
        "a reviewer rejected it",
        "T002: it is pretty (it shines)",
    ] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "4", "what is not met is not committed");
    let status = night.env.run(&mut night.windlass(&["status", "--json"]), PATIENCE);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["judged"][0]["criterion"], "it is pretty");
    assert_eq!(
        (&status["judged"][0]["met"], &status["judged"][1]["because"]),
        (&Value::Bool(true), &Value::from("a comment"))
    );
    assert_eq!(status["cost_usd"], 0.07, "each judgement is charged");
    night.assert_clean();
}

// rows: 104, 135
#[test]
fn an_answer_that_leaves_a_criterion_out_is_no_verdict() {
    let night = night(CRITERIA, &reviews(&[LEFT_OUT]));
    let outcome = run(&night, &[]);
    expect_end(&outcome, 32, "review_stalemate");
    let said = said(&outcome);
    assert!(said.contains("the reviewer did not say of each success criterion whether it is met"), "{said}");
    let again = TaskEnd::Again { why: String::new() };
    assert_eq!(ends(&night).pop().unwrap(), ("T002".to_owned(), again), "it is not held against the task");
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "3");
}

// rows: 135
#[test]
fn what_is_never_met_parks_its_task_and_lanes_land_nothing_of_it() {
    let night = night(CRITERIA, &reviews(&[NOT_MET]));
    expect_end(&run(&night, &["-j", "2"]), 17, "blocked");
    let (task, end) = ends(&night).pop().unwrap();
    let reason = "failed 2 times: a reviewer rejected it: not met: it is pretty".to_owned();
    let parked = ("T002".to_owned(), TaskEnd::Parked { reason });
    assert!((task, end) == parked || ends(&night).contains(&parked), "{:?}", ends(&night));
    assert!(
        night.env.project().join("src/T001.rs").exists() && !night.env.project().join("src/T002.rs").exists()
    );
    let status = night.env.run(&mut night.windlass(&["status"]), PATIENCE).stdout_text();
    assert!(status.contains("T002: it is pretty (it is dull)"), "{status}");
}

// rows: 104, 135
#[test]
fn with_review_it_is_one_call_however_few_lines_have_changed() {
    let script = reviews(&[MET]);
    let night = night(CRITERIA, &script).set("WINDLASS_REVIEW__SKIP_BELOW_LINES", "100");
    expect_end(&run(&night, &["--review"]), 0, "complete");
    assert_eq!(
        purposes(&night),
        [Work, Work, Review],
        "one line is too little, but for what is to be judged"
    );
}

// rows: 135
#[test]
fn killed_while_the_criteria_are_judged_they_are_judged_again() {
    let hangs = "\n[[call]]\nfor = \"review\"\nsteps = [ { write = { path = \"../judging\", text = \"x\" } }, \"hang\" ]\n";
    let night = night(CRITERIA, &(WORK.to_owned() + hangs));
    let running = Running::start(&mut command(&night, &[]));
    night.wait_for_file("../judging");
    running.signal(Signal::KILL);
    night.env.assert_no_processes(PATIENCE);
    night.env.write(
        &night.script,
        std::fs::read_to_string(&night.script)
            .unwrap()
            .replace("\"hang\"", &format!("{{ result = {{ structured = {MET} }} }}")),
    );
    expect_end(&night.resume(&[]), 0, "complete");
    assert_eq!(purposes(&night), [Work, Work, Review, Review]);
    assert_eq!((night.ended(), night.verdicts().len()), (StopReason::Complete, 2));
    night.assert_clean();
}

// rows: 135
#[test]
fn nobody_judges_where_that_is_off_and_the_mock_meets_all() {
    let off = night(CRITERIA, WORK).set("WINDLASS_TASKS__JUDGE", "off");
    expect_end(&run(&off, &[]), 0, "complete");
    assert_eq!(purposes(&off), [Work, Work]);
    let notices = off.notices().join("\n");
    assert!(
        notices.contains("2 success criteria can only be judged, and nobody does: T002: it is pretty"),
        "{notices}"
    );
    let mocked = Night::within(night(CRITERIA, WORK).env, WORK);
    let mut command = mocked.windlass(&["run", "--mode", "tasks", "--no-delay", "--mock"]);
    // The built-in agent writes other files.
    mocked.env.write("src/T001.rs", "");
    mocked.env.write("src/T002.rs", "");
    let outcome = mocked.env.run(command.arg("--allow-dirty"), PATIENCE);
    expect_end(&outcome, 0, "complete");
    assert_eq!(purposes(&mocked), [Work, Work, Review]);
    assert!(said(&outcome).contains("T002: it says who wrote it"), "{}", said(&outcome));
}
