//! What differs from the commit that is checked out.

use super::call::Call;
use super::{GitError, Repository};

impl Repository {
    /// The paths that differ from the commit that is checked out, staged or not, and those that git does not know and does
    /// not ignore; relative to the top, sorted, each once. A renamed file is two of them. Of submodules only their commits
    /// count: git would run what their settings name to look into them. One that ends in `/` is a repository inside this one.
    pub fn uncommitted_paths(&self) -> Result<Vec<UncommittedPath>, GitError> {
        let call = Call::within(self).args([
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
        ]);
        Ok(uncommitted_paths(&call.output()?))
    }
}

/// A path that differs from the commit that is checked out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UncommittedPath {
    /// Relative to the top.
    pub path: Vec<u8>,
    /// The commit has nothing there.
    pub is_new: bool,
}

/// Reads what `git status --porcelain=v2 -z` prints. Lines that are of no known kind are passed over.
fn uncommitted_paths(output: &[u8]) -> Vec<UncommittedPath> {
    let mut paths: Vec<UncommittedPath> = Vec::new();
    let mut note = |path: &[u8], is_new: bool| {
        if !path.is_empty() {
            paths.push(UncommittedPath { path: path.to_vec(), is_new });
        }
    };
    let mut records = output.split(|byte| *byte == 0);
    while let Some(record) = records.next() {
        // How many fields come before the path; they hold no space.
        let (before, is_new) = match record {
            [b'1', b' ', b'A', ..] => (8, true),
            [b'1', ..] => (8, false),
            [b'2', ..] => (9, false),
            [b'u', ..] => (10, false),
            [b'?', ..] => (1, true),
            _ => continue,
        };
        if let Some(path) = record.splitn(before + 1, |byte| *byte == b' ').nth(before) {
            note(path, is_new);
        }
        if record.first() == Some(&b'2')
            && let Some(former) = records.next()
        {
            note(former, false);
        }
    }
    paths.sort_unstable();
    paths.dedup_by(|second, first| second.path == first.path);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;
    use proptest::prelude::*;

    // Seed defect D3, core/git.ts:73, 408-411: paths are read whole, renames, spaces and quotes included.
    // Seed defect D3, core/git.ts:417-420: no path is taken for another one that it only resembles.
    #[test]
    fn every_path_is_read_whole() {
        let scratch = Scratch::committed();
        for path in ["first", "old name", "sub/.windlass-like/x", "tracked"] {
            scratch.write(path, format!("{path} with enough to be found again\n"));
        }
        scratch.commit_all("more");
        scratch.write("first", "changed");
        scratch.git(&["mv", "old name", "new \"name\"\n"]);
        scratch.write("sub/.windlass-like/x", "changed");
        std::fs::remove_file(scratch.path("tracked")).unwrap();
        scratch.write(" leading blank", "x");
        scratch.write("folder/ü", "x");
        let paths = scratch.found().uncommitted_paths().unwrap();
        let new: Vec<_> = paths.iter().filter(|found| found.is_new).map(|found| &found.path[..]).collect();
        assert_eq!(new, [" leading blank".as_bytes(), "folder/ü".as_bytes()]);
        let paths: Vec<_> = paths.iter().map(|found| String::from_utf8_lossy(&found.path)).collect();
        let expected = [
            " leading blank",
            "first",
            "folder/ü",
            "new \"name\"\n",
            "old name",
            "sub/.windlass-like/x",
            "tracked",
        ];
        assert_eq!(paths, expected);
    }

    #[test]
    fn conflicts_are_changes() {
        let line = b"u UU N... 100644 100644 100644 100644 a b c with space\0# branch.oid x\0! ignored\0";
        assert_eq!(
            uncommitted_paths(line),
            [UncommittedPath { path: b"with space".to_vec(), is_new: false }]
        );
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(uncommitted_paths(&bytes).iter().all(|found| !found.path.is_empty()));
        }
    }
}
