//! What a prompt takes from files and commands: notes, the output of checks, AGENTS.md. The parts stand between lines
//! of `===`.

use std::time::Duration;

use windlass_core::run::{NotesShare, TurnKey};
use windlass_core::spec::RunSpec;
use windlass_core::values::{CheckOutcome, CheckResult, Purpose};
use windlass_jobs::prompt::{
    Earlier, FailedCheck, NOTES_LITTLE, NOTES_USUAL, Notes, PromptParts, Templates, holds_signal,
};
use windlass_jobs::{Prompt, compose};

use crate::example;

pub(crate) fn run(data: &[u8]) {
    let usual = check_notes(data, NotesShare::Usual, NOTES_USUAL);
    check_notes(data, NotesShare::Little, NOTES_LITTLE);
    let text = String::from_utf8_lossy(data);
    let mut parts = text.split("\n===\n");
    let (tail, agents) = (parts.next().unwrap_or_default(), parts.next());
    let plan = example::plan();
    let signal = &plan.job.completion_signal;
    let prompt = prompt(plan, usual, tail, agents);
    assert!(!holds_signal(&prompt.user, signal), "an echo of the prompt would be a claim");
    assert!(!holds_signal(&prompt.system, signal), "an echo of the system prompt would be a claim");
    for text in [&prompt.user, &prompt.system] {
        let behind_space = |(at, _): (usize, &str)| text[..at].ends_with(char::is_whitespace);
        assert!(!text.match_indices('@').any(behind_space), "the agent would attach a file");
    }
}

fn check_notes(data: &[u8], share: NotesShare, most: usize) -> Notes {
    let notes = Notes::take(data, share);
    assert!(notes.text.len() <= most + 64);
    assert_eq!(notes.damaged, std::str::from_utf8(data).is_err());
    assert!(!notes.text.starts_with('\u{feff}'));
    let whole = String::from_utf8_lossy(data);
    let whole = whole.trim_start_matches('\u{feff}').trim_end();
    if notes.cut {
        let (head, tail) = notes.text.split_once("\n\n[… left out …]\n\n").unwrap_or_default();
        assert!(!tail.is_empty() && whole.starts_with(head) && whole.ends_with(tail));
        assert!(head.len() + tail.len() + 8 > most, "more was left out than must be");
    } else {
        assert_eq!(notes.text, whole);
        let again = Notes::take(notes.text.as_bytes(), share);
        assert_eq!(again, Notes { damaged: false, ..notes.clone() });
    }
    notes
}

fn prompt(plan: &RunSpec, notes: Notes, tail: &str, agents: Option<&str>) -> Prompt {
    let outcome = CheckOutcome {
        check: 0,
        result: CheckResult::Failed(1),
        duration: Duration::from_secs(1),
        log: String::new(),
        last_line: String::new(),
        telling_line: String::new(),
    };
    compose(&PromptParts {
        plan,
        turn: TurnKey { iteration: 3, attempt: 1 },
        purpose: Purpose::Work,
        rejection: None,
        review: None,
        settled: &[],
        conflict: None,
        goal: "Make it work.",
        templates: Templates::default(),
        notes: Some(notes),
        refused: vec![FailedCheck {
            command: "true",
            outcome: &outcome,
            tail: tail.to_owned(),
            earlier: Earlier::Nothing,
        }],
        agents_file: agents,
        findings: None,
        held: &[],
        standing: None,
        hook: tail,
        task_work: None,
        refused_commit: Some(tail),
        damage: tail,
        returned: None,
        plan_work: None,
        collected: None,
        phase_work: None,
    })
}
