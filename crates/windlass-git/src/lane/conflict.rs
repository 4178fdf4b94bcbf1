//! What a merge could not decide.

use std::collections::BTreeSet;

use super::case::collisions;
use super::{Lane, LaneError, told};
use crate::git::as_path;
use crate::git::call::unexpected;
use crate::git::{GitError, ObjectId};
use windlass_host::tree::at;

/// How markers and messages name what is on the branch.
pub(super) const LANDED: &str = "landed";

/// How they name the lane's work.
pub(super) const YOURS: &str = "yours";

/// The longest file that is looked into for them.
const LONGEST: usize = 1 << 30;

/// Markers are so long, or longer.
const SHORTEST_MARKER: usize = 7;

/// Something that two sides changed in ways that do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The paths that it is about, relative to the top.
    pub paths: Vec<Vec<u8>>,
    /// What git says about it; it calls what is on the branch `landed` and the lane's work `yours`.
    pub said: String,
}

/// What `git merge-tree -z` printed.
pub(super) struct MergedTree {
    pub tree: ObjectId,
    pub conflicts: Vec<Conflict>,
}

impl MergedTree {
    /// Reads the tree, the paths in conflict, and of the messages those that tell of conflicts.
    pub fn parse(output: &[u8]) -> Result<Self, GitError> {
        let mut parts = output.split(|byte| *byte == 0);
        let tree = parts.next().and_then(ObjectId::from_hex);
        let tree = tree.ok_or_else(|| unexpected("git merge-tree", output))?;
        let mut unexplained: BTreeSet<Vec<u8>> =
            parts.by_ref().take_while(|path| !path.is_empty()).map(<[u8]>::to_vec).collect();
        let mut conflicts: Vec<Conflict> = Vec::new();
        while let Some(count) = parts.next().and_then(|count| std::str::from_utf8(count).ok()?.parse().ok()) {
            let paths: Vec<Vec<u8>> = parts.by_ref().take(count).map(<[u8]>::to_vec).collect();
            let (kind, said) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            if !kind.starts_with(b"CONFLICT") {
                continue;
            }
            unexplained.retain(|path| !paths.contains(path));
            // git tells of a binary file twice.
            if kind != b"CONFLICT (contents)" || conflicts.iter().all(|conflict| conflict.paths != paths) {
                conflicts.push(Conflict { paths, said: String::from_utf8_lossy(said).trim().to_owned() });
            }
        }
        conflicts.extend(unexplained.into_iter().map(|path| {
            let said = format!("Merge conflict in {}", String::from_utf8_lossy(&path));
            Conflict { paths: vec![path], said }
        }));
        Ok(Self { tree, conflicts })
    }
}

impl Lane {
    /// What two sides added under names that differ in case alone; only one of them could be checked out where case does
    /// not count.
    pub(super) fn case_conflicts(
        &self,
        base: ObjectId,
        work: ObjectId,
        tip: ObjectId,
    ) -> Result<Vec<Conflict>, GitError> {
        let (ours, theirs) = (self.added(base, tip)?, self.added(base, work)?);
        let conflict = |(ours, theirs): (Vec<u8>, Vec<u8>)| {
            let (one, other) = (String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
            let said = format!(
                "CONFLICT (case): {LANDED} has {one} and {YOURS} has {other}, which are the same name where case does not \
                 count"
            );
            Conflict { said, paths: vec![ours, theirs] }
        };
        Ok(collisions(&ours, &theirs).into_iter().map(conflict).collect())
    }

    fn added(&self, from: ObjectId, to: ObjectId) -> Result<Vec<Vec<u8>>, GitError> {
        let call =
            self.call().args(["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A"]);
        call.arg(from.to_string()).arg(to.to_string()).zero_ended()
    }

    /// The paths that still are as a merge of `work` left them to be decided: with conflict markers in them, or under two
    /// names that differ in case alone. Whether a file that only one side has, or a binary one, is as it should be, only
    /// its agent knows.
    pub fn unresolved(&self, work: ObjectId) -> Result<Vec<Vec<u8>>, LaneError> {
        let Some(tip) = self.repository.plain_commit() else { return Ok(Vec::new()) };
        let mut open = Vec::new();
        for path in self.differing()? {
            let content = self.file(&path)?;
            if content.is_some_and(|content| has_markers(&content)) {
                open.push(path);
            }
        }
        if let Some(base) = told(&self.repository, work)?.parent() {
            for conflict in self.case_conflicts(base, work, tip)? {
                let is_there = |path: &Vec<u8>| at(self.top()).join(as_path(path)).is_taken();
                if conflict.paths.iter().all(is_there) {
                    open.extend(conflict.paths.into_iter().last());
                }
            }
        }
        Ok(open)
    }

    /// The content of a plain file of the lane.
    fn file(&self, path: &[u8]) -> Result<Option<Vec<u8>>, LaneError> {
        let full = at(self.top()).join(as_path(path));
        let plain = full.look().is_ok_and(|found| found.is_some_and(|found| found.is_regular()));
        Ok(if plain { full.read(LONGEST)? } else { None })
    }
}

/// Is there a line that begins or ends a conflict of ours?
fn has_markers(content: &[u8]) -> bool {
    content
        .split(|byte| *byte == b'\n')
        .any(|line| is_marker(line, b'<', LANDED) || is_marker(line, b'>', YOURS))
}

fn is_marker(line: &[u8], sign: u8, name: &str) -> bool {
    let length = line.iter().take_while(|byte| **byte == sign).count();
    let label = line.get(length..).unwrap_or_default();
    // After a rename its path follows: `landed:path`.
    let named = label.strip_prefix(b" ").and_then(|label| label.strip_prefix(name.as_bytes()));
    let ends = named.is_some_and(|rest| matches!(rest.first(), None | Some(b':' | b'\r')));
    length >= SHORTEST_MARKER && ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TREE: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn what_git_prints_about_conflicts_is_read() {
        let output = format!(
            "{TREE}\0bin\0f\0odd\0\0\
             1\0bin\0CONFLICT (binary)\0warning: Cannot merge binary files: bin\n\0\
             1\0bin\0CONFLICT (contents)\0CONFLICT (content): Merge conflict in bin\n\0\
             1\0f\0Auto-merging\0Auto-merging f\n\0\
             2\0f\0g\0CONFLICT (rename/rename)\0CONFLICT (rename/rename): f\n\0"
        );
        let merged = MergedTree::parse(output.as_bytes()).unwrap();
        let said: Vec<_> = merged.conflicts.iter().map(|conflict| conflict.said.as_str()).collect();
        let expected = [
            "warning: Cannot merge binary files: bin",
            "CONFLICT (rename/rename): f",
            "Merge conflict in odd",
        ];
        assert_eq!(said, expected);
        let clean = MergedTree::parse(format!("{TREE}\0").as_bytes()).unwrap();
        assert!(clean.conflicts.is_empty());
    }

    #[test]
    fn only_markers_of_a_merge_are_markers() {
        for text in ["a\n<<<<<<< landed\nb\n", "<<<<<<< landed:x.txt", ">>>>>>>>>>>> yours\r\n"] {
            assert!(has_markers(text.as_bytes()), "{text}");
        }
        for text in
            ["=======\n", "<<<<<<< HEAD\n", "<<<<<< landed\n", " <<<<<<< landed\n", "<<<<<<< landed too"]
        {
            assert!(!has_markers(text.as_bytes()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            has_markers(&bytes);
            let _ = MergedTree::parse(&[TREE.as_bytes(), b"\0", &bytes].concat());
        }
    }
}
