//! Partial clones: repositories that fetch an object when it is asked for.

use super::call::Call;
use super::{GitError, Repository};

/// The settings that say so.
const PROMISED: &str = r"^(extensions\.partialclone|remote\..*\.promisor)$";

impl Repository {
    /// Has it a remote that promises what is not here?
    pub fn is_partial(&self) -> Result<bool, GitError> {
        let settings = self.settings_like(PROMISED)?;
        Ok(settings.iter().any(|(_, value)| value != b"false"))
    }

    /// How many objects of a commit's files are not here; none but in a partial clone. None is fetched.
    pub fn count_promised(&self, commit: &str) -> Result<usize, GitError> {
        if !self.is_partial()? {
            return Ok(0);
        }
        let listing = ["rev-list", "--objects", "--quiet", "--missing=print", &format!("{commit}^{{tree}}")];
        let printed = Call::within(self).args(listing).output()?;
        Ok(printed.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"?")).count())
    }
}
