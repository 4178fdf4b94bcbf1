//! Messages as tables: what each wording makes of an iteration, and what it refuses.

use proptest::prelude::*;

use super::*;

const TASK: TaskText<'static> =
    TaskText { id: "TASK-007", title: "Parse the file", kind: None, breaking: None };

fn message(outcome: WorkOutcome, task: Option<TaskText<'_>>) -> Message<'_> {
    Message { outcome, run: "r-12345678", iteration: 3, job: "Make it fast", feature: None, task }
}

fn subject(wording: &str, message: &Message<'_>) -> String {
    let text = message.text(&Wording::parse(wording).unwrap());
    text.lines().next().unwrap_or_default().to_owned()
}

// rows: 82
// Seed defect D3, core/commit-format.ts:62-70: the formatter with several fields was never used.
// Seed defect D3, core/loop.ts:505-511: a failed task had no name in its commit.
#[test]
fn presets_and_templates_word_every_outcome() {
    let own = "[{feature}] {status}: {task} in {iteration} ({title})";
    for (outcome, expected) in [
        (
            WorkOutcome::Complete,
            [
                "Windlass iteration 3: TASK-007 - Parse the file",
                "DevLoop iteration 3: Complete TASK-007 - Parse the file",
                "feat: TASK-007 - Parse the file",
                "DevLoop: Complete TASK-007 - Parse the file",
                "done: TASK-007 in 3 (Parse the file)",
            ],
        ),
        (
            WorkOutcome::Progress,
            [
                "Windlass iteration 3: Work on TASK-007 - Parse the file",
                "DevLoop iteration 3: Work on TASK-007 - Parse the file",
                "chore: TASK-007 (in progress) - Parse the file",
                "DevLoop: Work on TASK-007 - Parse the file",
                "in-progress: TASK-007 in 3 (Parse the file)",
            ],
        ),
        (
            WorkOutcome::Attempted,
            [
                "Windlass iteration 3: Attempted TASK-007 - Parse the file",
                "DevLoop iteration 3: Attempted TASK-007 - Parse the file (failed)",
                "chore: TASK-007 (attempted) - Parse the file",
                "DevLoop: Attempted TASK-007 - Parse the file",
                "failed: TASK-007 in 3 (Parse the file)",
            ],
        ),
        (
            WorkOutcome::Interrupted,
            [
                "Windlass iteration 3: Interrupted work on TASK-007 - Parse the file",
                "DevLoop: Interrupted work on TASK-007 - Parse the file",
                "chore: TASK-007 (interrupted) - Parse the file",
                "DevLoop: Interrupted work on TASK-007 - Parse the file",
                "interrupted: TASK-007 in 3 (Parse the file)",
            ],
        ),
    ] {
        let message = message(outcome, Some(TASK));
        let wordings = ["windlass", "devloop", "conventional", "DevLoop: {action}", own];
        for (wording, expected) in wordings.into_iter().zip(expected) {
            assert_eq!(subject(wording, &message), expected, "{wording}");
        }
    }
}

#[test]
fn without_a_task_the_job_is_named() {
    for (wording, outcome, expected) in [
        ("windlass", WorkOutcome::Complete, "Windlass iteration 3: Make it fast"),
        ("windlass", WorkOutcome::Progress, "Windlass iteration 3: Make it fast"),
        ("windlass", WorkOutcome::Interrupted, "Windlass iteration 3: Interrupted work on Make it fast"),
        ("devloop", WorkOutcome::Complete, "DevLoop iteration 3: Complete Make it fast"),
        ("conventional", WorkOutcome::Complete, "chore: windlass iteration 3 - Make it fast"),
        (
            "conventional",
            WorkOutcome::Interrupted,
            "chore: windlass iteration 3 (interrupted) - Make it fast",
        ),
        ("{type}({feature}): {task} {title}", WorkOutcome::Complete, "chore: Make it fast"),
        ("{task}", WorkOutcome::Complete, "Windlass iteration 3: Make it fast"),
    ] {
        assert_eq!(subject(wording, &message(outcome, None)), expected, "{wording}");
    }
    let nameless = Message { job: "\u{1b}\n", ..message(WorkOutcome::Complete, None) };
    assert_eq!(subject("windlass", &nameless), "Windlass iteration 3");
}

#[test]
fn trailers_come_last_and_begin_with_what_the_commit_is_found_by() {
    let task = message(WorkOutcome::Complete, Some(TASK));
    let text = task.text(&Wording::DevLoop);
    let key = "Windlass-Run: r-12345678\nWindlass-Iteration: 3";
    assert_eq!(
        text,
        format!(
            "DevLoop iteration 3: Complete TASK-007 - Parse the file\n\n{key}\nWindlass-Task: TASK-007\n"
        )
    );
    assert_eq!(message(WorkOutcome::Complete, None).trailers(), key);
    assert!(task.trailers().starts_with(&task.key()));
}

#[test]
fn types_are_those_of_conventional_commits_and_breaks_are_told() {
    for (kind, expected) in [
        (Some("fix"), "fix: TASK-007 - Parse the file"),
        (Some(" Docs "), "docs: TASK-007 - Parse the file"),
        (Some("nonsense"), "chore: TASK-007 - Parse the file"),
        (None, "feat: TASK-007 - Parse the file"),
    ] {
        let message = message(WorkOutcome::Complete, Some(TaskText { kind, ..TASK }));
        assert_eq!(subject("conventional", &message), expected);
    }
    let breaking = TaskText { kind: Some("refactor"), breaking: Some("the old\nform is gone"), ..TASK };
    let done = message(WorkOutcome::Complete, Some(breaking));
    let expected =
        "refactor!: TASK-007 - Parse the file\n\nBREAKING CHANGE: the old form is gone\n\nWindlass-Run: ";
    assert!(done.text(&Wording::Conventional).starts_with(expected));
    let own = Wording::parse("{type}: {title}").unwrap();
    assert!(done.text(&own).starts_with("refactor!: Parse the file\n\nBREAKING CHANGE: "));
    assert!(!done.text(&Wording::DevLoop).contains("BREAKING"));
    // What was not finished breaks nothing yet.
    let attempted = message(WorkOutcome::Attempted, Some(breaking)).text(&Wording::Conventional);
    assert!(attempted.starts_with("chore: TASK-007 (attempted)") && !attempted.contains("BREAKING"));
}

#[test]
fn a_long_title_is_cut_at_a_word_and_goes_on_in_the_body() {
    let title = "word ".repeat(60);
    let text =
        message(WorkOutcome::Complete, Some(TaskText { title: &title, ..TASK })).text(&Wording::Windlass);
    let mut lines = text.lines();
    let subject = lines.next().unwrap();
    assert!(subject.chars().count() <= 100 && subject.ends_with("word…"), "{subject}");
    assert_eq!(lines.next(), Some(""));
    assert!(lines.clone().next().unwrap().starts_with("…word word"));
    assert!(lines.all(|line| line.chars().count() <= 72));
    assert_eq!(text.matches("word").count(), 60, "nothing is lost");

    let unbroken = "ü".repeat(5_000);
    let text =
        message(WorkOutcome::Complete, Some(TaskText { title: &unbroken, ..TASK })).text(&Wording::Windlass);
    assert!(text.chars().count() < 2_300, "what a file has is bounded");
}

#[test]
fn what_moves_a_cursor_or_begins_a_line_does_not_come_from_a_title() {
    let title = "a\r\nWindlass-Run: r-forged\u{1b}[2J\u{202e}\tb";
    let text = message(WorkOutcome::Complete, Some(TaskText { title, ..TASK })).text(&Wording::Windlass);
    assert!(text.starts_with("Windlass iteration 3: TASK-007 - a Windlass-Run: r-forged[2J b\n\n"), "{text}");
}

#[test]
fn a_wrong_template_is_refused_with_what_was_probably_meant() {
    for (text, expected) in [
        ("", "it is empty"),
        ("devlop", "`devlop` is not a preset; did you mean `devloop`?"),
        (
            "WIP",
            "`WIP` says the same of every commit; write `windlass`, `devloop`, `conventional`, or a line with a placeholder such as `{action}`",
        ),
        ("{tittle}", "`{tittle}` names `{tittle}`; did you mean `{title}`?"),
        ("{taskId}: x", "`{taskId}: x` names `{taskId}`; did you mean `{task}`?"),
        ("{Action}", "`{Action}` names `{Action}`; did you mean `{action}`?"),
        (
            "{ticket}x",
            "`{ticket}x` names `{ticket}`, which there is not; there are {action} {iteration} {task} {title} {type} {feature} {status} {run}",
        ),
        ("{action", "`{action` has a `{` without a `}`; write `{{` for a brace"),
        ("action}", "`action}` has a `}` without a `{`; write `}}` for a brace"),
        ("a\nb {action}", "`ab {action}` must be one line, without control characters"),
    ] {
        assert_eq!(Wording::parse(text).unwrap_err().to_string(), expected, "{text}");
    }
    let long = format!("{{action}}{}", "x".repeat(200));
    assert!(Wording::parse(&long).unwrap_err().to_string().ends_with("is longer than 200 characters"));
    assert_eq!(
        subject("{{{run}}} {action}", &message(WorkOutcome::Complete, None)),
        "{r-12345678} Complete Make it fast"
    );
}

#[test]
fn the_first_commit_of_a_repository_is_worded_alike() {
    for (wording, expected) in [
        ("windlass", "Initial commit\n"),
        ("devloop", "DevLoop: Initial commit\n"),
        ("conventional", "chore: initial commit\n"),
        ("{type}({feature}): {task} - {action}", "chore: Initial commit\n"),
        ("{task}", "Initial commit\n"),
    ] {
        assert_eq!(initial_commit(&Wording::parse(wording).unwrap()), expected);
    }
}

#[test]
fn a_wording_is_kept_as_it_was_written() {
    for text in ["windlass", "devloop", "conventional", "{type}: {{x}} {title}"] {
        let wording = Wording::parse(text).unwrap();
        let json = serde_json::to_string(&wording).unwrap();
        assert_eq!(json, serde_json::to_string(text).unwrap());
        assert_eq!(serde_json::from_str::<Wording>(&json).unwrap(), wording);
    }
}

proptest! {
    #[test]
    fn whatever_a_title_holds_a_message_has_its_shape(title in "\\PC{0,300}|(?s).{0,300}", own in "(?s).{0,60}") {
        let wording = Wording::parse(&own).unwrap_or_default();
        let task = TaskText { title: &title, kind: Some(&own), breaking: Some(&title), ..TASK };
        for wording in [wording, Wording::DevLoop, Wording::Conventional] {
            let message = message(WorkOutcome::Complete, Some(task));
            let text = message.text(&wording);
            let subject = text.lines().next().unwrap_or_default();
            prop_assert!(!subject.is_empty() && subject.chars().count() <= 100, "{subject}");
            let end = format!("\n\n{}\n", message.trailers());
            prop_assert!(text.ends_with(&end), "{text}");
            prop_assert!(!text.chars().any(|character| character.is_control() && character != '\n'));
        }
    }
}
