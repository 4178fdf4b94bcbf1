//! A run of a fleet that was driven on another machine, and goes on on this one: in its folder, with its programs.

use std::path::Path;

use windlass_core::config::Resolved;
use windlass_core::run::Phase;
use windlass_core::spec::{LanesSpec, RunSpec, SandboxSpec};
use windlass_core::values::{Needs, StopReason};
use windlass_engine::hook;
use windlass_engine::store::RunFolder;
use windlass_git::git::{ObjectId, Repository};
use windlass_git::lane::{Target, commits_since};

use super::links_out;
use super::tasks::LANES;
use crate::agent;
use crate::error::{AppError, Kind};
use crate::fleet;
use crate::here::Here;
use crate::sandbox;
use crate::text::quoted;

/// How the line of a commit begins that says of which iteration it is.
const ITERATION: &str = "Windlass-Iteration: ";

/// The run's plan for this machine. How it is locked in, its checks and its limits stay what they were; its hooks and the paths of
/// its sandbox are what is configured here.
///
/// # Errors
/// This is another place of the repository than it was begun in, or an agent is not installed here.
pub(super) fn here(
    here: &Here,
    plan: RunSpec,
    folder: &RunFolder,
    resolved: &Resolved,
) -> Result<RunSpec, AppError> {
    let lanes = plan.lanes.map(|lanes| lanes_here(here, lanes, folder)).transpose()?;
    let found = hook::find(&here.directory, &resolved.hooks);
    let hooks = found.hooks();
    hook::keep(folder, &hooks)?;
    let SandboxSpec { writable, hidden, .. } = sandbox::plan(here, resolved);
    let codes = plan.exit_codes;
    let mut plan = RunSpec {
        directory: here.directory.clone(),
        lanes,
        hooks,
        inputs: found.inputs(),
        sandbox: SandboxSpec { writable, hidden, ..plan.sandbox },
        ..plan
    };
    for agent in plan.agents_mut() {
        *agent = agent::installed_here(here, agent.clone(), codes, |_| None)?;
    }
    plan.links_out = links_out::followed(&plan, here.repository.as_ref());
    Ok(plan)
}

fn lanes_here(here: &Here, lanes: LanesSpec, folder: &RunFolder) -> Result<LanesSpec, AppError> {
    let top = here.repository.as_ref().map(|repository| repository.top.as_path());
    let below = top.and_then(|top| here.directory.strip_prefix(top).ok()).unwrap_or(Path::new(""));
    if below != lanes.below {
        let there = top.unwrap_or(&here.directory).join(&lanes.below);
        let run = folder.run();
        return Err(AppError::usage(format!("run {run} works in another folder of the repository"))
            .hint(format!("windlass -C {} resume {run}", quoted(there.as_os_str()))));
    }
    Ok(LanesSpec { folder: folder.path().join(LANES), ..lanes })
}

/// What has landed elsewhere has to be on the branch here, and nothing else of the run's: that is a person's to do, since it is their
/// checkout.
///
/// # Errors
/// The branch is not there, lacks what has landed, or has more: with the command that mends it.
pub(super) fn refuse_other_branch(
    main: &Repository,
    plan: &RunSpec,
    phase: Phase,
    landed: Option<ObjectId>,
) -> Result<(), AppError> {
    let branch = plan.lanes.as_ref().and_then(|lanes| lanes.branch.as_deref());
    let gone = |gone| refused(plan, format!("run {} cannot go on here: {gone}", plan.run));
    let tip = Target::named(branch).tip(main).map_err(AppError::system)?.map_err(gone)?;
    let name = branch.map_or("HEAD", |branch| branch.trim_start_matches("refs/heads/"));
    if let Some(landed) = landed {
        refuse_behind(main, plan, phase, (name, tip), landed)?;
    }
    if is_over(phase) {
        return Ok(());
    }
    refuse_uncounted(main, plan, (name, tip), landed)
}

/// The refusal to go on with a run, unless somebody drives it: then nothing that a person does here makes it go on.
pub(super) fn unless_driven(here: &Here, folder: &RunFolder, plan: &RunSpec, refusal: AppError) -> AppError {
    if !fleet::is_live(here, folder) {
        return refusal;
    }
    let run = &plan.run;
    refused(plan, format!("run {run} is driven on another machine, by a runner which is alive"))
        .hint(format!("Look at it: windlass logs -f {run}"))
}

fn refused(plan: &RunSpec, message: String) -> AppError {
    AppError::new(Kind::stopped(StopReason::NeedsHuman, plan.exit_codes), message)
}

/// A runner that was cut off in the moment of a landing may have brought to the branch what the run does not know of, and has done
/// anew elsewhere: it would be there twice.
fn refuse_uncounted(
    main: &Repository,
    plan: &RunSpec,
    (name, tip): (&str, ObjectId),
    landed: Option<ObjectId>,
) -> Result<(), AppError> {
    let id = &plan.run;
    let of_run =
        commits_since(main, landed, tip, &format!("Windlass-Run: {id}")).map_err(AppError::system)?;
    // One whose landing is still due is no other: an earlier attempt of its iteration has the same lines.
    let is_of_iteration = |message: &str| message.lines().any(|line| line.starts_with(ITERATION));
    let Some((commit, message)) = of_run.into_iter().find(|(_, message)| is_of_iteration(message)) else {
        return Ok(());
    };
    let what = message.lines().next().unwrap_or_default();
    let error = refused(
        plan,
        format!(
            "{name} has a commit of run {id} here that the run does not know of, and went on without: {what}"
        ),
    );
    let takes_off = if commit == tip {
        format!("git reset --keep {commit}^")
    } else {
        format!("git rebase --onto {commit}^ {commit}")
    };
    Err(error
        .hint(format!("To keep it for yourself: git branch windlass/{id}/uncounted {commit}"))
        .hint(format!("Take it off, with {name} checked out: {takes_off}"))
        .hint(format!("Then go on: windlass resume {id}")))
}

/// Does a run that stands so never go on?
fn is_over(phase: Phase) -> bool {
    matches!(phase, Phase::Ended(reason) if reason.needs() == Needs::Another)
}

fn refuse_behind(
    main: &Repository,
    plan: &RunSpec,
    phase: Phase,
    (name, tip): (&str, ObjectId),
    landed: ObjectId,
) -> Result<(), AppError> {
    if main.is_ancestor(landed, tip).map_err(AppError::system)? {
        return Ok(());
    }
    let run = &plan.run;
    let error =
        refused(plan, format!("run {run} has landed work that {name} lacks here; its commits were brought"));
    Err(if main.is_ancestor(tip, landed).map_err(AppError::system)? {
        let error = error.hint(format!("With {name} checked out: git merge --ff-only {landed}"));
        if is_over(phase) { error } else { error.hint(format!("Then go on: windlass resume {run}")) }
    } else {
        error.hint(format!("They went different ways: compare {name} with {landed} first."))
    })
}
