//! What a guest has begun in the git directory that it is lent and not finished: nothing is committed over it, as without a sandbox.

use std::collections::BTreeSet;
use std::path::PathBuf;

use windlass_core::damage::Name;
use windlass_core::hexadecimal;
use windlass_core::words::some_of;
use windlass_host::file::{FileError, read_if_there, remove_folder, replace};
use windlass_host::tree::at;

use super::{Loan, left, remove_file};
use crate::git::as_path;

/// So many files are named in one sentence.
const NAMED: usize = 3;

/// So much of a file is searched for the marks of a conflict, in bytes.
const LONGEST: usize = 16 << 20;

/// What begins the line where a conflict begins.
const MARK: &[u8] = b"<<<<<<< ";

impl Loan {
    /// Why nothing can be committed: a merge, or the like, of a guest's that is not finished, or conflicts that are not resolved, in
    /// this session or when an earlier one ended.
    ///
    /// # Errors
    /// What was noted cannot be read.
    pub fn half_done(&self) -> Result<Option<String>, FileError> {
        let under_way = left::read(&self.left()).map(|left| left.refs.under_way).unwrap_or_default();
        let unmerged = self.unmerged()?;
        let named = some_of(unmerged.iter().map(|path| path.escape_ascii()), NAMED);
        let conflicts =
            if unmerged.is_empty() { String::new() } else { format!("; put right what is in {named}") };
        Ok(match under_way.first() {
            Some(operation) => Some(format!(
                "{} of the agent's is under way in the git directory that the sandbox was lent{conflicts}",
                operation.words()
            )),
            None if !unmerged.is_empty() => Some(format!(
                "the agent has left conflicts that are not resolved: put right what is in {named}"
            )),
            None => None,
        })
    }

    /// The next guest is lent a git directory that is made anew, whatever this one has: it was undone.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn begin_anew(&self) -> Result<(), FileError> {
        self.forget();
        remove_file(&self.conflicts());
        // outside: the run's folder.
        remove_folder(&self.repository())
    }

    /// Notes which files have conflicts as a session ends: the git directory that says so goes. `false` where none has.
    pub(super) fn note_conflicts(&self) -> Result<bool, FileError> {
        let unmerged = self.unmerged()?;
        if unmerged.is_empty() {
            remove_file(&self.conflicts());
            return Ok(false);
        }
        let lines: Vec<String> = unmerged.iter().map(|path| hexadecimal::digits(path) + "\n").collect();
        // outside: the run's folder.
        replace(&self.conflicts(), lines.concat().as_bytes(), 0o600)?;
        Ok(true)
    }

    /// Files in which a guest has left conflicts. Those that the person has are the person's.
    fn unmerged(&self) -> Result<BTreeSet<Name>, FileError> {
        let mut unmerged = left::unmerged(&self.left(), self.main.object_format);
        let lent = self.noted()?.map(|lent| lent.unmerged).unwrap_or_default();
        for path in lent.iter().filter_map(|path| hexadecimal::bytes(path)) {
            unmerged.remove(&path);
        }
        unmerged.extend(self.noted_conflicts()?.into_iter().filter(|path| self.is_marked(path)));
        Ok(unmerged)
    }

    fn conflicts(&self) -> PathBuf {
        self.home.join("conflicts")
    }

    fn noted_conflicts(&self) -> Result<BTreeSet<Name>, FileError> {
        // outside: the run's folder.
        let noted = read_if_there(&self.conflicts())?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&noted).lines().filter_map(hexadecimal::bytes).collect())
    }

    fn is_marked(&self, path: &[u8]) -> bool {
        let content = at(&self.main.top).join(as_path(path)).read(LONGEST).ok().flatten();
        content.is_some_and(|content| content.split(|byte| *byte == b'\n').any(|line| line.starts_with(MARK)))
    }
}
