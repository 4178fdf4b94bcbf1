//! What can be said of issues as tasks (docs/issues.md).

use clap::Args;
use windlass_app::issues::WantedIssues;
use windlass_core::forge::IssueFilter;

/// Which issues of a forge are meant.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Issues")]
pub struct IssuesArgs {
    /// The open issues of a repository, as tasks: github:OWNER/NAME
    #[arg(long = "source", value_name = "SOURCE", conflicts_with_all = ["file", "feature"])]
    pub issues: Option<String>,
    /// Only those with this label; repeatable: all of them
    #[arg(long = "label", value_name = "LABEL", requires = "issues")]
    pub labels: Vec<String>,
    /// Only those of this milestone: its title, or its number
    #[arg(long, value_name = "MILESTONE", requires = "issues")]
    pub milestone: Option<String>,
    /// Only those that this person is to do
    #[arg(long, value_name = "LOGIN", requires = "issues")]
    pub assignee: Option<String>,
    /// Those of authors without a say in the repository as well: anybody may write issues
    #[arg(long, requires = "issues")]
    pub trust_authors: bool,
}

/// The same where they are worked off.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Issues")]
pub struct WorkedIssuesArgs {
    #[command(flatten)]
    pub which: IssuesArgs,
    /// Close what is done; with a pull request once it is merged
    #[arg(long, requires = "issues")]
    pub close_issues: bool,
}

impl IssuesArgs {
    /// What is asked for; `None` where no source is named.
    pub fn wanted(&self) -> Option<WantedIssues> {
        let filter = IssueFilter {
            labels: self.labels.clone(),
            milestone: self.milestone.clone(),
            assignee: self.assignee.clone(),
        };
        Some(WantedIssues {
            source: self.issues.clone()?,
            filter,
            trust_authors: self.trust_authors,
            close: false,
        })
    }
}

impl WorkedIssuesArgs {
    /// The same.
    pub fn wanted(&self) -> Option<WantedIssues> {
        Some(WantedIssues { close: self.close_issues, ..self.which.wanted()? })
    }
}
