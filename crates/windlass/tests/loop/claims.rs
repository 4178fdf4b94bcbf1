//! The agent claims, the runner decides.

use windlass_core::values::{StopReason, Verdict};

use super::night::{Night, PATIENCE, calls, every_call, expect_end};

const SIGNAL: &str = "WINDLASS_JOB_COMPLETE";
const WORK: &str = "{ bash = 'echo x >> work' }";
const CLAIM: &str = "{ result = { text = \"All done.\\n\\nWINDLASS_JOB_COMPLETE\" } }";

// rows: 50, 51
#[test]
fn only_a_phrase_in_a_result_with_evidence_completes() {
    let control = Night::new(&every_call(&format!("{WORK}, {CLAIM}")));
    expect_end(&control.run(&["--completion-threshold", "1"]), 0, "complete");

    let done = "{ result = { text = 'Done for now.' } }";
    let scripts = [
        ("without evidence", CLAIM.to_owned(), Verdict::ClaimUnsupported),
        ("in a tool's output", format!("{WORK}, {{ bash = 'echo {SIGNAL}' }}, {done}"), Verdict::Worked),
        (
            "in a tool's input",
            format!("{{ write = {{ path = 'work', text = '{SIGNAL}' }} }}, {done}"),
            Verdict::Worked,
        ),
        ("in what it says meanwhile", format!("{WORK}, {{ say = '{SIGNAL}' }}, {done}"), Verdict::Worked),
        (
            "in the echoed prompt",
            format!("{WORK}, {{ result = {{ text = '''{{{{prompt}}}}''' }} }}"),
            Verdict::Worked,
        ),
        (
            "in the echoed system prompt",
            format!("{WORK}, {{ result = {{ text = '''{{{{system_prompt}}}}''' }} }}"),
            Verdict::Worked,
        ),
        (
            "in a failed result",
            format!(
                "{WORK}, {{ result = {{ text = '{SIGNAL}', is_error = true, subtype = 'error_during_execution' }} }}"
            ),
            Verdict::Failed,
        ),
        (
            "within a sentence",
            format!("{WORK}, {{ result = {{ text = 'No {SIGNAL} yet.' }} }}"),
            Verdict::Worked,
        ),
        ("on standard error", format!("{WORK}, {{ stderr = '{SIGNAL}' }}, {done}"), Verdict::Worked),
        ("as a bare line", format!("{WORK}, {{ raw = '{SIGNAL}' }}, {done}"), Verdict::Worked),
    ];
    for (place, script, verdict) in scripts {
        let night = Night::new(&every_call(&script));
        let outcome = night.run(&["-m", "1", "--completion-threshold", "1"]);
        assert_eq!(night.verdicts(), [verdict], "{place}");
        assert_eq!((night.ended(), outcome.code), (StopReason::MaxIterations, Some(10)), "{place}");
    }
}

// rows: 51
#[test]
fn files_from_yesterday_complete_nothing() {
    let script = "{ read = 'yesterday.txt' }, { read = 'SHARED_TASK_NOTES.md' }, { bash = 'echo x >> work' }, { result = { text = '''{{prompt}}''' } }";
    let night = Night::with_git(&every_call(script));
    for file in ["SHARED_TASK_NOTES.md", "yesterday.txt", "AGENTS.md"] {
        night.env.write(file, format!("Yesterday:\n\n{SIGNAL}\n"));
    }
    expect_end(&night.run(&["-m", "1", "--completion-threshold", "1"]), 10, "max_iterations");
    assert_eq!(night.verdicts(), [Verdict::Worked]);
    // The notes are relayed, but not so that their echo would be a claim.
    assert!(night.prompt(1).contains("Yesterday:"));
}

// rows: 51
#[test]
fn a_goal_with_the_phrase_on_a_line_is_refused() {
    let night = Night::new(&every_call(WORK));
    let outcome =
        night.env.run(&mut night.command_for(&format!("Do it, then write\n{SIGNAL}\n"), &[]), PATIENCE);
    outcome.expect_code(2, "the phrase in the goal");
    assert!(night.folders().is_empty());
}

// rows: 50
#[test]
fn a_claim_has_to_be_made_so_many_times_in_a_row() {
    let claim = format!("{WORK}, {CLAIM}");
    let night = Night::new(&calls(&[&claim, &claim, WORK, &claim, CLAIM, CLAIM, WORK]));
    expect_end(&night.run(&[]), 0, "complete");
    let accepted = Verdict::ClaimAccepted;
    assert_eq!(night.verdicts(), [accepted, accepted, Verdict::Worked, accepted, accepted, accepted]);
}

// rows: 62
#[test]
fn going_back_and_forth_is_no_progress() {
    let night = Night::new(&every_call("{ bash = 'test -e a && rm a || echo x > a' }"));
    expect_end(&night.run(&[]), 14, "stagnated");
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Idle, Verdict::Idle, Verdict::Idle]);
}
