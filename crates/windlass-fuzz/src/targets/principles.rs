//! A file of principles, and what claude-loop noted of decisions.

use windlass_core::principles::{Level, Principle, Principles};
use windlass_jobs::doc::decision_log::decisions;
use windlass_jobs::doc::principles::{change, read, written};

pub(crate) fn run(data: &[u8]) {
    let found = read(data);
    match &found {
        Ok(file) => assert_eq!(
            read(written(&file.principles, &file.created_at).as_bytes())
                .map(|again| again.principles)
                .as_ref(),
            Ok(&file.principles),
            "written and read"
        ),
        Err(problem) => line(&problem.to_string()),
    }
    let values = [(Principle::ScopePhilosophy, Level::HIGHEST), (Principle::MigrationBurden, Level::LOWEST)];
    match change(data, &values) {
        Ok(changed) => check(data, &changed, &values, found.ok().map(|file| file.principles)),
        Err(problem) => line(&problem.to_string()),
    }
    for decision in decisions(&String::from_utf8_lossy(data)).all {
        assert!(!decision.time.is_empty() && !decision.decision.contains('\n'), "{decision:?}");
    }
    line(&decisions(&String::from_utf8_lossy(data)).sentence());
}

/// What was changed says so, and is otherwise what it was.
fn check(before: &[u8], changed: &[u8], values: &[(Principle, Level)], was: Option<Principles>) {
    let now = read(changed).map(|file| file.principles);
    for (principle, level) in values {
        assert_eq!(now.as_ref().map(|now| now.level(*principle)), Ok(*level), "{principle:?}");
    }
    if let Some(was) = was {
        let expected = values.iter().fold(was, |all, (principle, level)| all.with(*principle, *level));
        assert_eq!(now, Ok(expected));
    }
    let lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').count();
    assert!(lines(changed) <= lines(before));
}

fn line(sentence: &str) {
    assert!(!sentence.trim().is_empty() && !sentence.contains(char::is_control), "{sentence:?}");
}
