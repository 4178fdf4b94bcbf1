//! A conflict of principles that an agent reports is settled by a fresh one, and what it decides is known from then on.

use std::fs;
use std::path::PathBuf;

use windlass_core::fact::Fact;
use windlass_core::principles::{Preset, Principles};
use windlass_core::values::{Purpose, StopReason, Verdict};
use windlass_jobs::doc::decision_log::{Decision, decisions};
use windlass_jobs::doc::principles::written;

use super::night::{Night, expect_end, files_below};

pub const LOG: &str = ".windlass/decisions.jsonl";

/// Works, and reports a conflict in its last words, each time.
pub const CONFLICT: &str = r#"
[[call]]
steps = [
  { write = { path = "work.txt", text = "one" } },
  { result = { text = '''Done for now.
{"principle_conflict": {"principles": ["speed_correctness", "security_posture"], "options": ["ship @today", "wait"], "question": "Ship without the audit?"}}''', cost = 0.01 } },
]
"#;

/// Chooses the second of what is offered.
pub const COUNCIL: &str = r#"
[[call]]
for = "council"
steps = [ { result = { text = "Wait.", cost = 0.02, structured = { decision = "Wait for the audit.", rationale = "Security goes first.", choice = 2 } } } ]
"#;

fn council(answer: &str) -> String {
    format!("{CONFLICT}\n[[call]]\nfor = \"council\"\nsteps = [ {answer} ]\n")
}

/// A night in a project with principles.
pub fn night(script: &str) -> Night {
    let night = Night::with_git(script);
    let yaml = written(&Principles::of(Preset::Startup), "2026-01-31");
    night.env.write(night.env.project().join(".windlass/principles.yaml"), yaml);
    night.env.git(&["add", "-A"]);
    night.env.git(&["commit", "-qm", "principles"]);
    night
}

pub fn purposes(night: &Night) -> Vec<Purpose> {
    let purpose = |fact: Fact| match fact {
        Fact::CallReserved { purpose, .. } => Some(purpose),
        _ => None,
    };
    night.facts().into_iter().filter_map(purpose).collect()
}

pub fn log(night: &Night) -> Vec<Decision> {
    decisions(&fs::read_to_string(night.env.project().join(LOG)).unwrap_or_default()).all
}

/// The prompts that councils got, in order.
fn asked(night: &Night) -> Vec<String> {
    let mut prompts: Vec<PathBuf> = files_below(&night.folder().join("iterations"))
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("-council/prompt.md"))
        .collect();
    prompts.sort();
    prompts.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

// rows: 102, 103
#[test]
fn what_a_council_decides_stands_in_the_next_prompt_and_in_the_log() {
    let night = night(&[CONFLICT, COUNCIL].concat());
    let outcome = night.run(&["-m", "2", "--commit", "runner", "--log-decisions"]);
    expect_end(&outcome, 10, "max_iterations");
    let (work, council) = (Purpose::Work, Purpose::Council);
    assert_eq!(purposes(&night), [work, council, work, council]);

    let asked = asked(&night);
    for piece in [
        "## Decision principles",
        "3. Priority, in this order: law",
        "Make it work",
        "Ship without the audit?",
        "It is between: `speed_correctness`, `security_posture`.",
        "1. ship \\@today\n2. wait",
        "`choice` is the number",
    ] {
        assert!(asked[0].contains(piece), "{piece}: {}", asked[0]);
    }
    assert!(!asked[0].contains("principle_conflict"), "it reports nothing itself: {}", asked[0]);

    let (first, second) = (night.prompt(1), night.prompt(2));
    assert!(!first.contains("## Decided in this run"));
    let (before, after) = second.split_once("## Decided in this run").unwrap();
    assert!(first.starts_with(before), "what comes before it stays, byte for byte");
    let (rules, rest) = after.split_once("## How this works").unwrap();
    let rule = "1. Ship without the audit?\n   Chosen: wait\n   Decided: Wait for the audit.\n   Why: Security goes first.";
    assert!(rules.contains(rule), "{rules}");
    assert!(rest.contains("iteration 2 of at most 2"), "{rest}");

    let log = log(&night);
    assert_eq!(log.iter().map(|one| (one.iteration, one.attempt)).collect::<Vec<_>>(), [(1, 2), (2, 2)]);
    let Decision { run, question, chosen, decision, rationale, preset, .. } = &log[0];
    assert_eq!(run, &night.folder().file_name().unwrap().to_string_lossy());
    assert_eq!(
        [question, chosen, decision, rationale, preset].map(String::as_str),
        ["Ship without the audit?", "wait", "Wait for the audit.", "Security goes first.", "startup"]
    );
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Idle], "the log is nobody's progress");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    for piece in [
        "a fresh agent settles conflicts of principles, at most 5 times",
        "the agent reports a conflict of principles; a fresh agent settles it",
        "speed_correctness, security_posture: Ship without the audit?",
        "decided: Wait for the audit.",
        "chosen: wait",
        "why: Security goes first.",
        "2, 2 decided ($0.04)",
    ] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    let cost: f64 = night.calls().iter().map(|call| call.cost.dollars()).sum();
    assert!((cost - 0.06).abs() < 1e-9, "every call is charged: {cost}");
    let shown = night.env.run(&mut night.windlass(&["principles", "decisions"]), super::night::PATIENCE);
    shown.expect_code(0, "principles decisions");
    assert_eq!(shown.stdout_text().matches("Wait for the audit.").count(), 2, "{}", shown.stdout_text());
    night.assert_clean();
}

// rows: 102
#[test]
fn an_answer_that_cannot_be_used_is_said_and_stops_nothing() {
    for (answer, why) in [
        ("{ result = { text = 'Take the first.' } }", "the council decided nothing"),
        ("{ result = { text = '' } }", "the council decided nothing"),
        (
            "{ result = { text = 'x', structured = { decision = 'both', rationale = '', choice = 3 } } }",
            "the council chose what was not offered",
        ),
        (
            "{ result = { text = 'no', is_error = true, subtype = 'error_during_execution' } }",
            "the council's call failed",
        ),
        ("{ exit = 1 }", "the council's call failed"),
    ] {
        let night = night(&council(answer));
        let outcome = night.run(&["-m", "1"]);
        expect_end(&outcome, 10, "max_iterations");
        assert_eq!(purposes(&night), [Purpose::Work, Purpose::Council], "{answer}");
        assert_eq!(night.verdicts(), [Verdict::Worked], "{answer}");
        assert_eq!(log(&night), [], "{answer}");
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert!(
            said.contains(&format!("nothing is decided, and the iteration ends without: {why}")),
            "{answer}: {said}"
        );
    }
}

#[test]
fn so_many_are_called_as_is_configured_and_none_where_they_are_off() {
    let script = [CONFLICT, COUNCIL].concat();
    let one = night(&script).set("WINDLASS_COUNCIL__PER_RUN", "1").set("WINDLASS_COUNCIL__LOG", "false");
    let outcome = one.run(&["-m", "2"]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(purposes(&one), [Purpose::Work, Purpose::Council, Purpose::Work]);
    assert!(one.notices().iter().any(|text| text.contains("council.per_run")), "{:?}", one.notices());
    assert!(one.prompt(2).contains("Wait for the audit."), "what is not logged holds all the same");
    assert_eq!(log(&one), []);
    let off = night(&script).set("WINDLASS_COUNCIL__ENABLED", "false");
    off.run(&["-m", "1"]);
    assert_eq!(purposes(&off), [Purpose::Work]);
    let without = Night::with_git(&script);
    without.run(&["-m", "1"]);
    assert_eq!(purposes(&without), [Purpose::Work], "a project without principles");
}

// The log is the runner's: what an agent does to it is undone, and what the runner did is not held against the agent.
#[test]
fn no_agent_writes_the_log_and_nobody_is_suspected_of_what_the_runner_wrote() {
    let forges = r#"
[[call]]
steps = [
  { write = { path = "work.txt", text = "one" } },
  { write = { path = ".windlass/decisions.jsonl", text = "{\"time\":\"t\",\"decision\":\"mine\"}\n" } },
  { result = { text = '''{"principle_conflict": {"question": "Which?"}}''' } },
]
[[call]]
steps = [ { write = { path = "work.txt", text = "two" } }, { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE" } } ]
"#;
    let council = COUNCIL.replace(", choice = 2", "");
    for action in ["refuse", "hold"] {
        let honest = forges.replace("  { write = { path = \".windlass/decisions.jsonl\"", "  # ");
        let script = if action == "refuse" { forges } else { &honest };
        let night = night(&[script, &council].concat()).set("WINDLASS_GUARD__ACTION", action);
        let outcome = night.run(&["-m", "3", "--completion-threshold", "1", "--gate", "test -f work.txt"]);
        expect_end(&outcome, 0, "complete");
        assert_eq!(night.ended(), StopReason::Complete, "{action}");
        let decided: Vec<String> = log(&night).into_iter().map(|one| one.decision).collect();
        assert_eq!(decided, ["Wait for the audit."], "{action}");
    }
}

#[test]
fn a_log_that_cannot_be_written_is_said_and_the_decision_holds() {
    let night = night(&[CONFLICT, COUNCIL].concat());
    night.env.write(night.env.project().join(LOG).join("a-file"), "");
    let outcome = night.run(&["-m", "2"]);
    expect_end(&outcome, 10, "max_iterations");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("what was decided is not noted in .windlass/decisions.jsonl"), "{said}");
    assert!(night.prompt(2).contains("Wait for the audit."));
}
