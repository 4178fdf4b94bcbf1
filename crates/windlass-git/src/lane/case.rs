//! Names that are the same where case does not count (macOS, Windows), and came from two sides.

use std::collections::HashMap;

/// Paths of one side whose name, or the name of a folder above, differs from one of the other side in case alone. Each
/// pair once: first ours, then theirs.
pub(super) fn collisions(ours: &[Vec<u8>], theirs: &[Vec<u8>]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut known: HashMap<String, &[u8]> = HashMap::new();
    for path in ours {
        for beginning in beginnings(path) {
            known.insert(folded(beginning), beginning);
        }
    }
    let mut found: Vec<(Vec<u8>, Vec<u8>)> = theirs
        .iter()
        .filter_map(|path| {
            let mut collisions = beginnings(path).filter_map(|theirs| {
                let ours = known.get(&folded(theirs)).filter(|ours| **ours != theirs)?;
                Some((ours.to_vec(), theirs.to_vec()))
            });
            collisions.next()
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A path and the folders above it, outermost first.
fn beginnings(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'/', path).chain([path.len()]);
    ends.filter_map(|end| path.get(..end))
}

fn folded(path: &[u8]) -> String {
    String::from_utf8_lossy(path).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<Vec<u8>> {
        names.iter().map(|name| name.as_bytes().to_vec()).collect()
    }

    #[test]
    fn names_of_two_sides_that_differ_in_case_alone_collide() {
        let ours = paths(&["Readme", "docs/a", "same/x"]);
        let theirs = paths(&["README", "Docs/b", "Docs/c", "same/x", "same/y"]);
        let found = collisions(&ours, &theirs);
        let expected = [("Readme", "README"), ("docs", "Docs")];
        let expected = expected.map(|(one, other)| (one.as_bytes().to_vec(), other.as_bytes().to_vec()));
        assert_eq!(found, expected);
        assert_eq!(
            collisions(&paths(&["a", "A"]), &paths(&["b"])),
            [],
            "what one side has is its own affair"
        );
    }
}
