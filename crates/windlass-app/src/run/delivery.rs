//! Before a run begins: which branch it works on, and whether what leaves the machine can get where it is to go.

use windlass_core::config::keys;
use windlass_core::forge::RepositoryName;
use windlass_core::spec::{CommitPolicy, DeliverySpec, NoChecks, PullRequestPer, Readiness};
use windlass_core::values::{ExitCodes, RunId};
use windlass_forge::{Forge, Permission, RepositoryFacts, named, parse_remote, reach};
use windlass_git::git::{RemoteAddress, Repository};
use windlass_host::file::digest;

use crate::error::AppError;
use crate::here::Here;
use crate::run::parts;
use crate::run::prepared::Prepared;
use crate::text::quoted;

/// What a run's own branch begins with where nobody says otherwise.
const PREFIX: &str = "windlass/";

/// The way out of a run's work, as far as it is known before the run has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayOut {
    branch: WayBranch,
    pushed: Option<Pushed>,
}

/// Which branch a run works on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WayBranch {
    /// The one that is checked out.
    CheckedOut,
    /// One of its own, which begins so.
    Own(String),
}

/// Where the branch goes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pushed {
    remote: String,
    remote_digest: String,
    repository: RepositoryName,
    base: String,
    checked_out: Option<String>,
    readiness: Readiness,
    per: PullRequestPer,
}

/// Looks whether all of it can be done, and changes nothing.
pub fn find(here: &Here, request: &Prepared) -> Result<WayOut, AppError> {
    let settings = &request.configuration.resolved.pull_request;
    let stays = WayOut { branch: WayBranch::CheckedOut, pushed: None };
    if request.assignment.mode.judges() || settings.open.is_none() && settings.branch_prefix.is_none() {
        return Ok(stays);
    }
    let repository = here.repository.as_ref().ok_or_else(|| {
        AppError::usage("a branch or a pull request needs a git repository, and this is not one")
            .hint("Make one: git init, and commit what is there")
    })?;
    let own = settings.branch_prefix.clone().map(WayBranch::Own);
    let Some(readiness) = settings.open else {
        return Ok(WayOut { branch: own.unwrap_or(WayBranch::CheckedOut), ..stays });
    };
    let codes = request.configuration.resolved.exit_codes;
    refuse_without_commits(here, request)?;
    let checked_out = repository.current_branch().map_err(AppError::system)?;
    let (address, name) = remote(repository, request)?;
    parts::refuse_impossible(here, request)?;
    let forge = reach(name.clone(), &here.directory, None);
    let facts = look(forge.as_ref(), request, codes)?;
    let base = settings.base.clone().or(facts.default_branch).ok_or_else(|| {
        AppError::usage(format!("{name} has no branch yet: there is nothing to merge into"))
            .hint(format!("Push one first: git push {} HEAD", quoted(settings.remote.as_ref())))
    })?;
    let per = settings.per;
    if !per.is_run() {
        parts::refuse_unmerged(repository, &settings.remote, &base)?;
    }
    let is_base = !per.is_run() || checked_out.as_deref().is_none_or(|branch| branch == base);
    let branch = match own {
        Some(own) => own,
        None if is_base && stays_by_wish(request) => {
            return Err(AppError::usage(format!("a pull request from {base} into {base} is not one"))
                .hint("Leave out --disable-branches: the run then works on a branch of its own"));
        }
        None if is_base => WayBranch::Own(PREFIX.to_owned()),
        None => WayBranch::CheckedOut,
    };
    let pushed = Pushed {
        remote: settings.remote.clone(),
        remote_digest: digest(address.pushed_to.as_bytes()),
        repository: name,
        base,
        checked_out,
        readiness,
        per,
    };
    Ok(WayOut { branch, pushed: Some(pushed) })
}

/// Said on the command line, or in a file.
fn stays_by_wish(request: &Prepared) -> bool {
    !request.configuration.resolved.origin(&keys::PULL_REQUEST_BRANCH_PREFIX).is_default()
}

/// Only what the runner has committed is known to have passed the gates.
fn refuse_without_commits(here: &Here, request: &Prepared) -> Result<(), AppError> {
    if commit(here, request) == CommitPolicy::Runner {
        return Ok(());
    }
    Err(AppError::usage(
        "a pull request needs `--commit runner`: nothing is pushed whose gates the runner has not seen",
    )
    .hint("Leave out --commit: with --pr the runner commits"))
}

/// Has each task a pull request of its own?
pub fn has_parts_of_tasks(request: &Prepared) -> bool {
    let settings = &request.configuration.resolved.pull_request;
    settings.open.is_some() && settings.per == PullRequestPer::Task
}

/// Who commits: with a pull request the runner, unless somebody says otherwise.
pub fn commit(here: &Here, request: &Prepared) -> CommitPolicy {
    let resolved = &request.configuration.resolved;
    let asked = !resolved.origin(&keys::COMMIT).is_default();
    if resolved.pull_request.open.is_some() && !asked && here.repository.is_some() {
        return CommitPolicy::Runner;
    }
    super::tasks::commit(here, request)
}

/// The remote, and which repository it is.
fn remote(repository: &Repository, request: &Prepared) -> Result<(RemoteAddress, RepositoryName), AppError> {
    let settings = &request.configuration.resolved.pull_request;
    let remote = &settings.remote;
    let address = repository.remote_address(remote).map_err(AppError::system)?;
    let Some(address) = address else {
        let there = repository.remotes().map_err(AppError::system)?;
        let missing = if there.is_empty() {
            format!("this repository has no remote, and {remote} is to be pushed to")
        } else {
            format!("there is no remote {remote} to push to, only {}", there.join(", "))
        };
        return Err(AppError::usage(missing)
            .hint(format!("Add it: git remote add {} ADDRESS", quoted(remote.as_ref())))
            .hint("Or name another one: pull_request.remote"));
    };
    // A shortcut of git's configuration means what that makes of it.
    let is_whole = address.configured.contains("://") || address.configured.contains('@');
    let said = if is_whole { &address.configured } else { &address.pushed_to };
    let parsed = parse_remote(said);
    let named = match (&parsed, &settings.owner, &settings.repository) {
        (Ok(found), owner, name) => {
            named(&found.host, owner.as_ref().unwrap_or(&found.owner), name.as_ref().unwrap_or(&found.name))
        }
        (Err(_), Some(owner), Some(name)) => named("github.com", owner, name),
        (Err(error), ..) => Err(error.clone()),
    };
    let named = named.map_err(|error| {
        AppError::usage(format!("{remote} is not a repository of a forge: {error}"))
            .hint("Name it: --owner NAME --repo NAME")
    })?;
    Ok((address, named))
}

/// Is somebody logged in who may do it, and does the repository take it?
fn look(forge: &dyn Forge, request: &Prepared, codes: ExitCodes) -> Result<RepositoryFacts, AppError> {
    let settings = &request.configuration.resolved.pull_request;
    forge.account().map_err(|error| AppError::of_forge(error, codes))?;
    let facts = forge.repository().map_err(|error| AppError::of_forge(error, codes))?;
    let name = forge.name();
    if facts.archived {
        return Err(AppError::usage(format!("{name} is archived: it takes no changes")));
    }
    if facts.permission == Permission::Read {
        return Err(AppError::usage(format!("the login may only read {name}"))
            .hint("Log in as somebody who may push there, or push to a fork: pull_request.remote"));
    }
    let strategy = settings.merge_strategy;
    if settings.merge && !facts.strategies.contains(&strategy) {
        let allowed: Vec<&str> = facts.strategies.iter().map(|strategy| strategy.name()).collect();
        return Err(AppError::usage(format!("{name} does not let anybody merge by {}", strategy.name()))
            .hint(format!("Use another one: --merge-strategy {}", allowed.join("|"))));
    }
    Ok(facts)
}

impl WayOut {
    /// The branch that a run of this name works on, where that is made for it.
    pub fn own_branch(&self, run: &RunId) -> Option<String> {
        match &self.branch {
            WayBranch::Own(prefix) => Some(format!("{prefix}{run}")),
            WayBranch::CheckedOut => None,
        }
    }

    /// What would become of a run's work, in a clause; `None` where it stays on the branch that is checked out.
    pub fn told(&self, run: &RunId) -> Option<String> {
        let Some(Pushed { repository, base, checked_out, .. }) = &self.pushed else {
            return self.own_branch(run).map(|branch| format!("the branch {branch}, which is not pushed"));
        };
        let branch = self.own_branch(run).or_else(|| checked_out.clone())?;
        Some(format!("a pull request of {branch} into {base} of {repository}"))
    }

    /// What becomes of the run's work.
    pub fn spec(&self, request: &Prepared, run: &RunId) -> Option<DeliverySpec> {
        let pushed = self.pushed.as_ref()?;
        let settings = &request.configuration.resolved.pull_request;
        Some(DeliverySpec {
            remote: pushed.remote.clone(),
            remote_digest: pushed.remote_digest.clone(),
            repository: pushed.repository.clone(),
            branch: self.own_branch(run).or_else(|| pushed.checked_out.clone())?,
            base: pushed.base.clone(),
            per: pushed.per,
            readiness: pushed.readiness,
            merge: settings.merge.then_some(settings.merge_strategy),
            no_checks: if settings.merge { settings.no_checks } else { NoChecks::Leave },
            ci_retries: settings.ci_retries,
            review_rounds: settings.review_rounds,
            checks_appear: settings.checks_appear,
            checks_wait: settings.checks_wait,
            review_wait: settings.review_wait,
            poll: settings.poll,
        })
    }

    /// May the branch be made? Looked at before anything is.
    pub fn refuse_existing(&self, here: &Here, run: &RunId) -> Result<(), AppError> {
        let (Some(branch), Some(repository)) = (self.own_branch(run), &here.repository) else {
            return Ok(());
        };
        if !repository.is_branch_name(&branch).map_err(AppError::system)? {
            return Err(AppError::usage(format!("git does not take `{branch}` as the name of a branch"))
                .hint("Name another prefix: --branch-prefix windlass/"));
        }
        let full = format!("refs/heads/{branch}");
        if repository.commit_of(&full).map_err(AppError::system)?.is_some() {
            return Err(AppError::usage(format!("the branch {branch} is there already"))
                .hint("Name another prefix: --branch-prefix, or remove it: git branch -d"));
        }
        // A branch is a file below `refs/heads`: what lies above another one cannot be a file.
        for above in branch.match_indices('/').filter_map(|(end, _)| branch.get(..end)) {
            let there = repository.commit_of(&format!("refs/heads/{above}")).map_err(AppError::system)?;
            if there.is_some() {
                let refused = format!("git cannot make the branch {branch} beside the branch {above}");
                return Err(AppError::usage(refused).hint("Name another prefix: --branch-prefix night/"));
            }
        }
        Ok(())
    }

    /// Makes the run's own branch, and checks it out. Files stay as they are. Branches of parts are made when those begin.
    pub fn begin_branch(&self, here: &Here, run: &RunId) -> Result<Option<String>, AppError> {
        let (Some(branch), Some(repository)) = (self.own_branch(run), &here.repository) else {
            return Ok(None);
        };
        if let Some(per) = self.pushed.as_ref().map(|pushed| pushed.per).filter(|per| !per.is_run()) {
            return Ok(Some(parts::notice(per, &branch)));
        }
        repository.begin_branch(&branch).map_err(AppError::system)?;
        Ok(Some(format!("the run works on the branch {branch}, which was made for it and is checked out")))
    }
}
