//! Which rooms of a crate may know which: arrows go one way.

use std::path::Path;

use super::Complaint;
use super::sources::{Words, check_words, is_test};

/// The rooms of `windlass-git` from the lowest up, and what lies above each.
const ROOMS: &[(&str, &[&str])] = &[
    (
        "crates/windlass-git/src/git",
        &["crate::inventory", "crate::snapshot", "crate::commit", "crate::lane", "crate::loan"],
    ),
    (
        "crates/windlass-git/src/inventory",
        &["crate::snapshot", "crate::commit", "crate::lane", "crate::loan"],
    ),
    ("crates/windlass-git/src/snapshot", &["crate::commit", "crate::lane", "crate::loan"]),
    ("crates/windlass-git/src/commit", &["crate::lane", "crate::loan"]),
    ("crates/windlass-git/src/lane", &["crate::loan"]),
];

/// Checks a Rust file, but for its tests at the end and its comments.
pub fn check(file: &Path, text: &str) -> Vec<Complaint> {
    let Some((_, above)) = ROOMS.iter().find(|(room, _)| file.starts_with(room) && !is_test(file)) else {
        return Vec::new();
    };
    check_words(file, text, &Words { named: above, allowed: 0, problem: "a room knows none above it" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_knows_those_below_it_and_no_other() {
        for (file, text, found) in [
            ("crates/windlass-git/src/git/locks.rs", "use crate::lane::Lane;\n", 1),
            ("crates/windlass-git/src/lane/land.rs", "use crate::git::ObjectId;\n", 0),
            ("crates/windlass-git/src/git/tests/finding.rs", "use crate::lane::Lane;\n", 0),
        ] {
            assert_eq!(check(Path::new(file), text).len(), found, "{file}");
        }
    }
}
