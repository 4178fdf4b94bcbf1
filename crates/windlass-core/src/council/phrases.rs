//! A conflict in the words of claude-loop's agents: case does not matter.

use super::short;
use crate::values::Conflict;

/// What stands alone.
const MARKER: &str = "principle_conflict_unresolved";

/// One after the other within a sentence.
const PAIRS: [(&str, &str); 2] = [("cannot resolve", "principle"), ("conflicting principles", "unresolved")];

/// The last sentence that says so; it is the question.
pub(super) fn found(text: &str) -> Option<Conflict> {
    let said = sentences(text).filter(|sentence| is_report(sentence)).last()?;
    Some(Conflict { question: short(said, 1000), ..Conflict::default() })
}

/// Lines, and in them what ends with `. `, `! ` or `? `.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split_inclusive(['.', '!', '?'])).filter(|one| !one.trim().is_empty())
}

fn is_report(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let pair = |(first, then): (&str, &str)| {
        lower
            .find(first)
            .is_some_and(|at| lower.get(at + first.len()..).is_some_and(|rest| rest.contains(then)))
    };
    lower.contains(MARKER) || PAIRS.into_iter().any(pair)
}
