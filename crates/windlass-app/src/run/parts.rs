//! Before a run begins whose parts have pull requests of their own: can that be done here?

use windlass_core::spec::PullRequestPer;
use windlass_git::git::{Fetch, RemoteTrouble, Repository};

use crate::error::{AppError, Codes, Kind};
use crate::here::Here;
use crate::run::prepared::Prepared;
use crate::run::tasks;
use crate::text::quoted;
use windlass_core::values::StopReason;

/// What the command line and the files say has to be possible.
pub fn refuse_impossible(here: &Here, request: &Prepared) -> Result<(), AppError> {
    let resolved = &request.configuration.resolved;
    let settings = &resolved.pull_request;
    let has_tasks = request.assignment.mode.has_tasks();
    match settings.per {
        PullRequestPer::Task if !has_tasks => {
            Err(AppError::usage("a pull request per task needs tasks, and this mode has none")
                .hint("Use --pr-per iteration with --merge, or leave --pr-per out: one for the run")
                .hint("Tasks are worked through with: windlass run --mode tasks"))
        }
        PullRequestPer::Task if resolved.tasks.lanes > 1 => {
            Err(AppError::usage("a pull request per task does not go with several lanes, which share a branch")
                .hint("Run with -j 1; or leave --pr-per out: one pull request for the run"))
        }
        PullRequestPer::Task => tasks::refuse_uncommitted_tasks(here, request),
        PullRequestPer::Iteration if has_tasks => {
            Err(AppError::usage("tasks have pull requests per task, not per iteration")
                .hint("Use --pr-per task, or leave --pr-per out: one for the run"))
        }
        PullRequestPer::Iteration if !settings.merge => Err(AppError::usage(
            "a pull request per iteration needs --merge: each iteration begins with what the one before it merged",
        )
        .hint("Add --merge, or leave --pr-per out: one pull request for the run")),
        PullRequestPer::Run | PullRequestPer::Iteration => Ok(()),
    }
}

/// Parts begin with the base as the remote has it: what is only here would be in none of them.
pub fn refuse_unmerged(repository: &Repository, remote: &str, base: &str) -> Result<(), AppError> {
    let fetched =
        match repository.fetch(&Fetch { remote, branch: base, run: None }).map_err(AppError::system)? {
            Ok(commit) => commit.to_string(),
            Err(RemoteTrouble::Refused(said)) => {
                return Err(AppError::usage(format!("cannot fetch {base} from {remote}: {said}")));
            }
            Err(RemoteTrouble::Denied(said) | RemoteTrouble::Unreachable(said)) => {
                let said = format!("cannot fetch {base} from {remote}: {said}");
                return Err(AppError::new(
                    Kind::stopped(StopReason::AgentUnavailable, Codes::AsConfigured),
                    said,
                ));
            }
        };
    let head = repository.head().map_err(AppError::system)?.commit();
    let Some(head) = head else {
        return Err(AppError::usage("there is no commit yet that a branch could begin with"));
    };
    if repository.is_in_history_of(&head.to_string(), &fetched).map_err(AppError::system)? {
        return Ok(());
    }
    Err(AppError::usage(format!(
        "what is checked out has commits that {base} of {remote} does not have: no part would begin with them"
    ))
    .hint(format!(
        "Push them first: git push {} {}",
        quoted(remote.as_ref()),
        quoted(format!("HEAD:{base}").as_ref())
    ))
    .hint("Or leave --pr-per out: one pull request for the run, with them in it"))
}

/// What a person should know of branches.
pub fn notice(per: PullRequestPer, stem: &str) -> String {
    let each = if per == PullRequestPer::Task { "task" } else { "iteration" };
    format!("each {each} has a branch of its own ({stem}-1, …), which is checked out while it is worked on")
}
