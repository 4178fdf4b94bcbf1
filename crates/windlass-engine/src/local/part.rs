//! A part of the job begins: a branch of its own is checked out, which begins with the base as the remote has it now.

use windlass_core::report::DeliveryReport;
use windlass_core::run::{DeliveryPart, TurnKey};
use windlass_core::spec::{DeliverySpec, RunSpec};
use windlass_git::git::{Fetch, Repository};
use windlass_git::lane::{Switched, remove_empty, switch};
use windlass_git::snapshot::Side;
use windlass_host::tree::at;

use super::remote::{is_same_remote, of_trouble, one_line};
use super::tasks;
use super::work::WorkError;
use super::working_tree::{Look, WorkingTree};
use crate::tasks::{read_tasks, states_apart};

/// Fetches the base, and checks out the part's branch.
pub(super) fn begin(
    world: &mut WorkingTree,
    spec: &DeliverySpec,
    repository: &Repository,
    part: &DeliveryPart,
) -> Result<DeliveryReport, WorkError> {
    if let Some(refusal) = is_same_remote(spec, repository)? {
        return Ok(refusal);
    }
    let DeliverySpec { remote, base, .. } = spec;
    let commit = match repository.fetch(&Fetch { remote, branch: base, run: Some(&world.plan.run) })? {
        Ok(commit) => commit,
        Err(trouble) => return Ok(of_trouble(&format!("cannot fetch {base} from {remote}"), &trouble)),
    };
    put_back(repository, &world.plan)?;
    let base = match switch(repository, &part.branch, commit)? {
        Switched::Switched { base } => base,
        Switched::Refused(why) => {
            let why = format!("cannot go over to the branch {}: {}", part.branch, one_line(&why));
            return Ok(DeliveryReport::Refused { why });
        }
    };
    if let Some((branch, base)) = &part.left {
        remove_empty(repository, branch, base)?;
    }
    let look = world.look()?;
    let evidence = world.evidence(&look);
    let name = world.name(TurnKey { iteration: part.iteration, attempt: 1 }, Side::Before);
    let snapshot = world.keep_look(&look.inventory, &name)?.map(|snapshot| snapshot.id);
    world.latest = Some(Look { snapshot: snapshot.clone(), ..look });
    Ok(DeliveryReport::Branched { base: base.to_string(), evidence, snapshot })
}

/// How far tasks are the runner has written, and knows: the file of the branch that comes has its own words.
fn put_back(repository: &Repository, plan: &RunSpec) -> Result<(), WorkError> {
    let Some(places) = tasks::of(plan) else { return Ok(()) };
    let found = read_tasks(&plan.directory, &places.file);
    for (path, committed) in states_apart(repository, &plan.directory, &found)? {
        at(&path).prepare_like(&committed)?.put_in_place()?;
    }
    Ok(())
}
