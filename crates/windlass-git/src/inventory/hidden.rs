//! Tracked files that git was told not to look at: a person's own configuration, most often. `git status` says nothing of what
//! is changed in them.

use std::collections::BTreeSet;

use super::{EntryKind, as_path, content_now};
use crate::git::call::{Call, zero_ended};
use crate::git::{GitError, ObjectId, Repository, listing};
use windlass_host::tree::at;

/// Tracked files that git does not look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HiddenFiles {
    files: Vec<HiddenFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct HiddenFile {
    path: Vec<u8>,
    kind: Option<EntryKind>,
    content: ObjectId,
    /// `git update-index --assume-unchanged`
    is_assumed: bool,
    /// `git update-index --skip-worktree`, or a sparse checkout
    is_skipped: bool,
}

impl HiddenFiles {
    /// Those that the working tree may be without.
    pub fn skipped(&self) -> BTreeSet<&[u8]> {
        self.files.iter().filter(|file| file.is_skipped).map(|file| file.path.as_slice()).collect()
    }
}

impl Repository {
    /// The files that git does not look at.
    pub(crate) fn hidden_files(&self) -> Result<HiddenFiles, GitError> {
        // Asked at every commit, and nearly always there is none: then no git is started.
        if listing::hides_nothing(self) == Some(true) {
            return Ok(HiddenFiles::default());
        }
        let output = Call::within(self).args(["ls-files", "-z", "-v", "--stage"]).output()?;
        Ok(HiddenFiles { files: zero_ended(&output).filter_map(hidden).collect() })
    }

    /// Of the files that git does not look at those that are not as the index has them; relative to the top, sorted. A file
    /// that the working tree may be without, and is, is as it should be.
    pub fn hidden_changes(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let hidden = self.hidden_files()?;
        let mut changed = Vec::new();
        for file in &hidden.files {
            let now = content_now(&self.top, self.object_format, &file.path);
            match now {
                None if file.is_skipped => {}
                Some((kind, content)) if self.is_as_tracked(file, kind, content) => {}
                _ => changed.push(file.path.clone()),
            }
        }
        Ok(changed)
    }

    fn is_as_tracked(&self, file: &HiddenFile, kind: EntryKind, content: ObjectId) -> bool {
        let is_file = |kind| matches!(kind, EntryKind::File | EntryKind::Executable);
        let same_kind = file.kind == Some(kind) || is_file(kind) && file.kind.is_some_and(is_file);
        if content == file.content || !same_kind || !is_file(kind) {
            return same_kind && content == file.content;
        }
        // What git would make of it may be the same: line ends, Git LFS.
        let call = Call::within(self).args(["hash-object", "--stdin"]).path_option("--path", &file.path);
        let path = at(&self.top).join(as_path(&file.path));
        let Ok(Some(bytes)) = path.read(LONGEST) else { return false };
        call.input(bytes).id().is_ok_and(|made| made == file.content)
    }

    /// Has git pass over these files again, as far as it did: whatever is written into the index anew is looked at.
    pub(crate) fn hide_again(&self, hidden: &HiddenFiles, paths: &BTreeSet<&[u8]>) -> Result<(), GitError> {
        let again = |flag: &str, is_so: fn(&HiddenFile) -> bool| {
            let files =
                hidden.files.iter().filter(|file| is_so(file) && paths.contains(file.path.as_slice()));
            let listing: Vec<u8> = files.flat_map(|file| [&file.path[..], b"\0"].concat()).collect();
            if listing.is_empty() {
                return Ok(());
            }
            // One that is not tracked any more is passed over.
            Call::within(self).args(["update-index", "-z", flag, "--stdin"]).input(listing).run().map(drop)
        };
        again("--assume-unchanged", |file| file.is_assumed)?;
        again("--skip-worktree", |file| file.is_skipped)
    }
}

/// A larger file, in bytes, counts as changed where its bytes are not those of the index.
const LONGEST: usize = 50 << 20;

/// A line of `git ls-files -v --stage`: `S 100644 <id> 0\t<path>`. Small letters are of files that are taken for unchanged.
fn hidden(line: &[u8]) -> Option<HiddenFile> {
    let (&tag, rest) = line.split_first()?;
    let (is_assumed, is_skipped) = (tag.is_ascii_lowercase(), tag.eq_ignore_ascii_case(&b'S'));
    if !is_assumed && !is_skipped {
        return None;
    }
    let middle = rest.iter().position(|byte| *byte == b'\t')?;
    let (fields, path) = (rest.get(1..middle)?, rest.get(middle + 1..)?);
    let mut fields = fields.split(|byte| *byte == b' ');
    let (mode, id) = (fields.next()?, fields.next()?);
    Some(HiddenFile {
        path: path.to_vec(),
        kind: EntryKind::from_git_mode(mode),
        content: ObjectId::from_hex(id)?,
        is_assumed,
        is_skipped,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Scratch;

    #[test]
    fn changes_that_git_was_told_not_to_look_at_are_found() {
        let scratch = Scratch::committed();
        for name in ["assumed", "skipped", "same", "lines", "gone", "away", "seen"] {
            scratch.write(name, "one\ntwo\n");
        }
        scratch.write(".gitattributes", "lines text eol=crlf\n");
        scratch.commit_all("more");
        scratch.git(&["update-index", "--assume-unchanged", "assumed", "same", "lines", "gone"]);
        scratch.git(&["update-index", "--skip-worktree", "skipped", "away"]);
        for name in ["assumed", "skipped", "seen"] {
            scratch.write(name, "secret\n");
        }
        scratch.write("lines", "one\r\ntwo\r\n");
        for name in ["gone", "away"] {
            std::fs::remove_file(scratch.path(name)).unwrap();
        }
        let changed = scratch.found().hidden_changes().unwrap();
        assert_eq!(changed, [b"assumed".to_vec(), b"gone".to_vec(), b"skipped".to_vec()]);
        let paths = scratch.found().uncommitted_paths().unwrap();
        let paths: Vec<&[u8]> = paths.iter().map(|found| found.path.as_slice()).collect();
        assert_eq!(paths, [b"seen"], "what is hidden is asked for apart");
    }
}
