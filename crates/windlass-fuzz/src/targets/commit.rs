//! How a commit is worded, which lines of a `.gitignore` are missing, and what looks like a secret. Wording, title and
//! content stand one after the other with a NUL between them.

use windlass_core::message::{Message, TaskText, Wording, WorkOutcome, initial_commit};
use windlass_core::project::{ProjectType, ignore_lines, missing_ignore_lines, with_ignore_lines};
use windlass_core::redact::keys;
use windlass_core::withhold::{brings_a_key, looks_secret};

pub(crate) fn run(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == 0);
    let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let (own, title, content) = (text(), text(), text());
    words(&own, &title);
    let lines = ignore_lines(&[ProjectType::Rust, ProjectType::Node]);
    let whole = with_ignore_lines(data, &missing_ignore_lines(data, &lines));
    assert!(whole.starts_with(data) && missing_ignore_lines(&whole, &lines).is_empty());
    let _ = looks_secret(&title, content.as_bytes());
    assert!(keys(&content).iter().all(|key| content.contains(key)));
    assert!(!brings_a_key(content.as_bytes(), content.as_bytes()), "what was there is not new");
}

fn words(own: &str, title: &str) {
    let wording = Wording::parse(own).unwrap_or_default();
    assert_eq!(Wording::parse(&wording.to_string()).ok().as_ref(), Some(&wording));
    let task = TaskText { id: "TASK-1", title, kind: Some(own), breaking: Some(title) };
    for task in [None, Some(task)] {
        let outcome = WorkOutcome::Attempted;
        let message = Message { outcome, run: "r-1", iteration: 1, job: title, feature: Some(own), task };
        for text in [message.text(&wording), message.text(&Wording::Conventional)] {
            let subject = text.lines().next().unwrap_or_default();
            assert!(!subject.is_empty() && subject.chars().count() <= 100, "{subject}");
            assert!(text.ends_with(&format!("\n\n{}\n", message.trailers())), "{text}");
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        }
    }
    assert!(!initial_commit(&wording).trim().is_empty());
}
