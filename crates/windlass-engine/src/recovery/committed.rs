//! What of the run's work its commits have: no interrupted work, wherever somebody has moved the branch since.

use windlass_core::run::Run;
use windlass_core::values::LaneId;
use windlass_git::git::{ObjectId, Repository, TreeFiles};
use windlass_git::inventory::{EntryKind, as_path, content_now};

use super::RecoveryError;

/// The commit that was checked out when the run last looked: all that its iterations had committed by then.
pub(super) enum LastSeen {
    /// There was none, or it still is checked out: what differs from it is in no commit.
    CheckedOut,
    /// It is not there any more, or its name cannot be read: what it had cannot be told.
    Unknown,
    /// Something else is checked out now.
    Left {
        /// Its name.
        commit: ObjectId,
        /// What is in it.
        files: TreeFiles,
    },
}

impl LastSeen {
    pub(super) fn find(repository: &Repository, run: &Run) -> Result<LastSeen, RecoveryError> {
        let seen = run.latest_evidence(LaneId::default());
        let Some(head) = seen.and_then(|seen| seen.head.as_ref()) else { return Ok(LastSeen::CheckedOut) };
        let Some(commit) = ObjectId::from_hex(head.as_bytes()) else { return Ok(LastSeen::Unknown) };
        if repository.head()?.commit() == Some(commit) {
            return Ok(LastSeen::CheckedOut);
        }
        if !repository.has_commit(commit)? {
            return Ok(LastSeen::Unknown);
        }
        Ok(LastSeen::Left { commit, files: repository.files_of(head)? })
    }

    /// Does it have this path as it is now? Where that cannot be told, it is said to: then nobody commits it as the run's.
    pub(super) fn has(&self, repository: &Repository, path: &[u8]) -> Result<bool, RecoveryError> {
        let (commit, files) = match self {
            LastSeen::CheckedOut => return Ok(false),
            LastSeen::Unknown => return Ok(true),
            LastSeen::Left { commit, files } => (commit, files),
        };
        let now = content_now(&repository.top, repository.object_format, path);
        let committed = files.get(path).copied();
        if now == committed {
            return Ok(true);
        }
        let (Some((kind, content)), Some((kept, _))) = (now, committed) else { return Ok(false) };
        if kind != kept || !matches!(kind, EntryKind::File | EntryKind::Executable) {
            return Ok(false);
        }
        // Line ends and filters make of a commit's file another one.
        Ok(repository.checked_out_id_of(&commit.to_string(), as_path(path))? == Some(content))
    }
}
