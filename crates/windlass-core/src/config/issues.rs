//! What configuration says about issues of a forge as tasks.

use super::error::ConfigError;
use super::keys;
use super::setting::TextOrNothing;
use super::values::Values;
use crate::forge::IssueFilter;

/// Whose issues are the tasks, and which of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSettings {
    /// `github:OWNER/NAME`, or `github:HOST/OWNER/NAME`; `None` = tasks are in files.
    pub repository: Option<String>,
    /// Which of its issues.
    pub filter: IssueFilter,
    /// Those of authors without a say in the repository as well.
    pub trust_authors: bool,
    /// What is done is closed.
    pub close_issues: bool,
}

impl Values {
    /// What is said of issues.
    pub(super) fn source(&self) -> Result<SourceSettings, ConfigError> {
        let text = |key| self.get(key).map(|TextOrNothing(text)| text);
        Ok(SourceSettings {
            repository: text(&keys::SOURCE_REPOSITORY)?,
            filter: IssueFilter {
                labels: self.get(&keys::SOURCE_LABELS)?,
                milestone: text(&keys::SOURCE_MILESTONE)?,
                assignee: text(&keys::SOURCE_ASSIGNEE)?,
            },
            trust_authors: self.get(&keys::SOURCE_TRUST_AUTHORS)?,
            close_issues: self.get(&keys::SOURCE_CLOSE_ISSUES)?,
        })
    }
}
