//! Lists in sentences.

use std::fmt::Display;

/// The first of these names, and how many more there are: `a, b and 3 more`.
pub fn some_of<N: Display>(names: impl ExactSizeIterator<Item = N>, at_most: usize) -> String {
    let more = names.len().saturating_sub(at_most);
    let first = names.take(at_most).map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}
