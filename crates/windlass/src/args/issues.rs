//! What can be said of issues as tasks (docs/issues.md).

use clap::Args;

/// Which issues of a forge are meant.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Issues")]
pub struct IssuesArgs {
    /// The open issues of a repository, as tasks: github:OWNER/NAME
    #[arg(long = "source", value_name = "SOURCE", conflicts_with_all = ["file", "feature"])]
    pub issues: Option<String>,
    /// Only those with this label; repeatable: all of them
    #[arg(long = "label", value_name = "LABEL", conflicts_with_all = ["file", "feature"])]
    pub labels: Vec<String>,
    /// Only those of this milestone: its title, or its number
    #[arg(long, value_name = "MILESTONE", conflicts_with_all = ["file", "feature"])]
    pub milestone: Option<String>,
    /// Only those that this person is to do
    #[arg(long, value_name = "LOGIN", conflicts_with_all = ["file", "feature"])]
    pub assignee: Option<String>,
    /// Those of authors without a say in the repository as well: anybody may write issues
    #[arg(long, conflicts_with_all = ["file", "feature"])]
    pub trust_authors: bool,
}

/// The same where they are worked through.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Issues")]
pub struct WorkedIssuesArgs {
    #[command(flatten)]
    pub which: IssuesArgs,
    /// Close what is done; with a pull request once it is merged
    #[arg(long, conflicts_with_all = ["file", "feature"])]
    pub close_issues: bool,
}

impl WorkedIssuesArgs {
    /// A flag that is given; `None` where none is.
    pub fn given(&self) -> Option<&'static str> {
        let IssuesArgs { issues, labels, milestone, assignee, trust_authors } = &self.which;
        let given = [
            ("--source", issues.is_some()),
            ("--label", !labels.is_empty()),
            ("--milestone", milestone.is_some()),
            ("--assignee", assignee.is_some()),
            ("--trust-authors", *trust_authors),
            ("--close-issues", self.close_issues),
        ];
        given.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
    }
}
