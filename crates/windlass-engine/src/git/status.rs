//! What differs from the commit that is checked out.

use super::call::Call;
use super::{GitError, Repository};

impl Repository {
    /// The paths that differ from the commit that is checked out, staged or not, and those that git does not know and does
    /// not ignore; relative to the top, sorted, each once. A renamed file is two of them. Of submodules only their commits
    /// count: git would run what their settings name to look into them.
    pub fn uncommitted_paths(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let call = Call::within(self).args([
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
        ]);
        Ok(changed_paths(&call.output()?))
    }
}

/// Reads what `git status --porcelain=v2 -z` prints. Lines that are of no known kind are passed over.
#[must_use]
pub fn changed_paths(output: &[u8]) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    let mut records = output.split(|byte| *byte == 0);
    while let Some(record) = records.next() {
        // How many fields come before the path; they hold no space.
        let before = match record.first() {
            Some(b'1') => 8,
            Some(b'2') => 9,
            Some(b'u') => 10,
            Some(b'?') => 1,
            _ => continue,
        };
        let path = record.splitn(before + 1, |byte| *byte == b' ').nth(before);
        paths.extend(path.map(<[u8]>::to_vec));
        if record.first() == Some(&b'2') {
            paths.extend(records.next().map(<[u8]>::to_vec));
        }
    }
    paths.retain(|path| !path.is_empty());
    paths.sort_unstable();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
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
        let paths: Vec<_> = paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
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
        assert_eq!(changed_paths(line), [b"with space".to_vec()]);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(changed_paths(&bytes).iter().all(|path| !path.is_empty()));
        }
    }
}
