//! A run of a fleet that was driven on another machine, and goes on on this one: in its folder, with its programs.

use std::path::Path;

use windlass_core::config::Resolved;
use windlass_core::spec::{LanesSpec, RunSpec, SandboxSpec};
use windlass_core::values::StopReason;
use windlass_engine::hook;
use windlass_engine::store::RunFolder;
use windlass_git::git::{ObjectId, Repository};
use windlass_git::lane::Target;

use super::links_out;
use super::tasks::LANES;
use crate::agent;
use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::sandbox;
use crate::text::quoted;

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

/// What has landed elsewhere has to be on the branch here: that is a person's to do, since it is their checkout.
///
/// # Errors
/// The branch is not there, or lacks it: with the command that brings it.
pub(super) fn refuse_behind(main: &Repository, plan: &RunSpec, landed: ObjectId) -> Result<(), AppError> {
    let branch = plan.lanes.as_ref().and_then(|lanes| lanes.branch.as_deref());
    let target = Target::named(branch);
    let refused =
        |message: String| AppError::new(Kind::stopped(StopReason::NeedsHuman, plan.exit_codes), message);
    let run = &plan.run;
    let tip = match target.tip(main).map_err(AppError::system)? {
        Ok(tip) => tip,
        Err(gone) => return Err(refused(format!("run {run} cannot go on here: {gone}"))),
    };
    if main.is_ancestor(landed, tip).map_err(AppError::system)? {
        return Ok(());
    }
    let name = branch.map_or("HEAD", |branch| branch.trim_start_matches("refs/heads/"));
    let error =
        refused(format!("run {run} has landed work that {name} lacks here; its commits were brought"));
    Err(if main.is_ancestor(tip, landed).map_err(AppError::system)? {
        error
            .hint(format!("With {name} checked out: git merge --ff-only {landed}"))
            .hint(format!("Then go on: windlass resume {run}"))
    } else {
        error.hint(format!("They went different ways: compare {name} with {landed} first."))
    })
}
