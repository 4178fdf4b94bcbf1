//! Lists in sentences.

use std::ffi::OsStr;
use std::fmt::Display;

/// An argument of a command as a POSIX shell takes it.
pub fn quoted(argument: &OsStr) -> String {
    let text = argument.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The first of these names, and how many more there are: `a, b and 3 more`.
pub fn some_of<N: Display>(names: impl ExactSizeIterator<Item = N>, at_most: usize) -> String {
    let (first, more) = first_of(names, at_most, ", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}

/// The same of what is longer than a name: `a is gone; b is empty; and 3 more`.
pub fn some_clauses_of<C: Display>(clauses: impl ExactSizeIterator<Item = C>, at_most: usize) -> String {
    let (first, more) = first_of(clauses, at_most, "; ");
    if more == 0 { first } else { format!("{first}; and {more} more") }
}

fn first_of<T: Display>(
    all: impl ExactSizeIterator<Item = T>,
    at_most: usize,
    between: &str,
) -> (String, usize) {
    let more = all.len().saturating_sub(at_most);
    (all.take(at_most).map(|one| one.to_string()).collect::<Vec<_>>().join(between), more)
}
