//! What was typed: the known name that is nearest to it, how a message shows it, numbers however they are written.

/// Short, on one line, and without anything that moves a cursor.
pub(crate) fn shown(text: &str) -> String {
    text.trim().chars().filter(|character| !character.is_control()).take(60).collect()
}

/// The line that a byte is in, from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

/// A whole number in JSON; `3.0` is what some programs write for 3.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a whole number of a size that both types hold"
)]
pub fn whole(value: &serde_json::Value) -> Option<u64> {
    let exact = |number: &f64| number.fract() == 0.0 && (0.0..9e15).contains(number);
    value.as_u64().or_else(|| value.as_f64().filter(exact).map(|number| number as u64))
}

/// The candidate that most likely was meant; `None` when nothing is near.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (typed.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(typed, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from one text to the other.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(100).collect();
    let right: Vec<char> = right.chars().take(100).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, from) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, to) in right.iter().enumerate() {
            let cell = |cells: &[usize], at: usize| cells.get(at).copied().unwrap_or(usize::MAX / 2);
            let replaced = cell(&last, column) + usize::from(from != to);
            let mut best = replaced.min(cell(&last, column + 1) + 1).min(cell(&current, column) + 1);
            let swapped =
                row > 0 && column > 0 && left.get(row - 1) == Some(to) && right.get(column - 1) == Some(from);
            if swapped {
                best = best.min(cell(&before, column - 1) + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or(left.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_book() {
        for (left, right, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("abc", "abc", 0),
        ] {
            assert_eq!(distance(left, right), expected, "{left} → {right}");
        }
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let names = ["limits.max_cost", "limits.max_tokens", "git.commit"];
        assert_eq!(nearest("limits.max_cots", names), Some("limits.max_cost"));
        assert_eq!(nearest("git.comit", names), Some("git.commit"));
        assert_eq!(nearest("completely.different", names), None);
    }
}
