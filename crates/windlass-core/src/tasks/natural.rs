//! Ids as people count: `TASK-9` before `TASK-10`, `TASK-3` before `TASK-3b`.

use std::cmp::Ordering;

/// Compares two ids: digits as numbers of any length, all else letter by letter without regard to case. `TASK-1` and
/// `TASK-001` are equal.
pub fn compare(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        if one.starts_with(is_digit) && other.starts_with(is_digit) {
            let (number, rest) = leading_number(one);
            let (other_number, other_rest) = leading_number(other);
            let order = number.len().cmp(&other_number.len()).then_with(|| number.cmp(other_number));
            if order != Ordering::Equal {
                return order;
            }
            (one, other) = (rest, other_rest);
        } else {
            let (letter, rest) = first_letter(one);
            let (other_letter, other_rest) = first_letter(other);
            let order = letter.cmp(&other_letter);
            if order != Ordering::Equal || letter.is_none() {
                return order;
            }
            (one, other) = (rest, other_rest);
        }
    }
}

const fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// The digits that a text begins with, without leading zeros, and what comes after them.
fn leading_number(text: &str) -> (&str, &str) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(digits).unwrap_or((text, ""));
    (digits.trim_start_matches('0'), rest)
}

fn first_letter(text: &str) -> (Option<char>, &str) {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().next().unwrap_or(letter));
    (first, letters.as_str())
}
