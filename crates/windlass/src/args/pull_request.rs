//! What can be said of branches and pull requests.

use clap::Args;

/// What can be said of branches and pull requests (docs/pull-requests.md).
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Pull requests")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people give or not")]
pub struct PullRequestArgs {
    /// Work on a branch of the run's own, PREFIX and the run's name; made from HEAD
    #[arg(
        long,
        value_name = "PREFIX",
        visible_alias = "git-branch-prefix",
        conflicts_with_all = ["worktree", "disable_branches"]
    )]
    pub branch_prefix: Option<String>,
    /// Once the job is shown to be done, push the branch and open a draft pull request
    #[arg(long)]
    pub pr: bool,
    /// The same, ready for review
    #[arg(long, conflicts_with = "pr")]
    pub pr_ready: bool,
    /// Open it, wait for its checks and reviews, and merge what was gated
    #[arg(long, conflicts_with = "pr")]
    pub merge: bool,
    /// What has a branch and a pull request of its own: run, iteration, task [default: run]
    #[arg(long, value_name = "WHAT")]
    pub pr_per: Option<String>,
    /// How to merge: squash, merge, rebase [default: squash]
    #[arg(long, value_name = "HOW")]
    pub merge_strategy: Option<String>,
    /// How often the logs of failed checks go back to the agent [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "disable_ci_retry")]
    pub ci_retry_max: Option<String>,
    /// Failed checks end the run
    #[arg(long)]
    pub disable_ci_retry: bool,
    /// Who owns the repository, where the remote does not say it
    #[arg(long, value_name = "NAME")]
    pub owner: Option<String>,
    /// The repository's name, where the remote does not say it
    #[arg(long, value_name = "NAME")]
    pub repo: Option<String>,
    /// The same as --commit none
    #[arg(long, conflicts_with_all = ["commit", "pr", "pr_ready", "merge"])]
    pub disable_commits: bool,
    /// Stay on the branch that is checked out
    #[arg(long)]
    pub disable_branches: bool,
}
