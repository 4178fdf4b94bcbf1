//! Submodules in a commit: their commits alone, of those that are registered.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::{Candidate, PrivateIndex};
use crate::git::call::{index_line, zero_ended};
use crate::git::{GitError, ObjectId};
use crate::inventory::{Entry, EntryKind, as_path};
use windlass_host::tree::at;

impl PrivateIndex<'_> {
    /// Takes in the commits of these repositories inside the repository, but for those that are no submodules: they are in no index,
    /// and registered in no `.gitmodules` that the commit will have.
    pub(super) fn take_gitlinks(&self, found: &[&Entry]) -> Result<(), GitError> {
        if found.is_empty() {
            return Ok(());
        }
        let registered = self.registered_submodules()?;
        let none = ObjectId::zero(self.repository.object_format);
        let mut lines = Vec::new();
        for entry in found {
            if entry.content != none && (registered.contains(&entry.path) || self.has_gitlink(&entry.path)?) {
                let (mode, commit) = (entry.kind.git_mode(), entry.content.to_string());
                lines.extend_from_slice(&index_line(mode, &commit, &entry.path));
            }
        }
        if !lines.is_empty() {
            let update = ["update-index", "-z", "--add", "--remove", "--replace", "--index-info"];
            self.call().args(update).input(lines).output()?;
        }
        Ok(())
    }

    /// The paths that `.gitmodules` names, as the index has it.
    fn registered_submodules(&self) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let call = self.call().args(["config", "-z", "--blob=:.gitmodules"]);
        let answer = call.args(["--get-regexp", r"^submodule\..*\.path$"]).run()?;
        // No such file, or nothing in it, and git does not succeed; what it cannot read registers nothing either.
        let value = |setting: &[u8]| {
            let end = memchr::memchr(b'\n', setting)?;
            setting.get(end + 1..).map(<[u8]>::to_vec)
        };
        Ok(zero_ended(&answer.output).filter_map(value).collect())
    }

    /// Is it a submodule whose folder is there with nothing in it? For git that is one that is not checked out, and unchanged.
    pub(super) fn is_emptied_submodule(
        &self,
        candidate: &Candidate<'_>,
        path: &[u8],
    ) -> Result<bool, GitError> {
        if !at(&self.repository.top).join(as_path(path)).is_real_folder() {
            return Ok(false);
        }
        let below = [path, b"/"].concat();
        let holds_files = candidate.inventory.entries.iter().any(|entry| entry.path.starts_with(&below));
        Ok(!holds_files && self.has_gitlink(path)?)
    }

    fn has_gitlink(&self, path: &[u8]) -> Result<bool, GitError> {
        let call = self.call().args(["ls-files", "-z", "--stage", "--"]).arg(OsStr::from_bytes(path));
        Ok(call.output()?.starts_with(EntryKind::Submodule.git_mode().as_bytes()))
    }
}
