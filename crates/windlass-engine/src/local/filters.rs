//! What a commit sends through a filter of the person's: made inside the sandbox, since what the filter starts may be a guest's work.

use std::time::Duration;

use super::work::WorkError;
use super::working_tree::{Inside, WorkingTree};
use crate::sandbox::Guest;
use windlass_git::git::{Filtered, LARGEST_FILTERED, Repository, not_run};
use windlass_git::inventory::{EntryKind, as_path};
use windlass_git::snapshot::SnapshotError;
use windlass_host::file::{AtPath as _, FileError, null_device};
use windlass_host::process::{Command, SpawnRequest};
use windlass_host::tree::at;

/// How long a filter may take for one file.
const PATIENCE: Duration = Duration::from_mins(2);

/// The number by which the sandbox knows what is called here; checks and hooks count up from 1.
const NUMBER: u64 = u64::MAX;

/// Makes what these paths become; says why they cannot be committed where one cannot be made.
pub(super) fn prepare(
    world: &mut WorkingTree,
    repository: &Repository,
    paths: &[Vec<u8>],
) -> Result<Option<String>, WorkError> {
    let latest = world.latest.as_ref();
    let is_there = |path: &&Vec<u8>| latest.is_some_and(|look| look.inventory.entry(path).is_some());
    let there: Vec<&[u8]> = paths.iter().filter(is_there).map(Vec::as_slice).collect();
    let filtered = repository.filtered(&there)?;
    let Some(inside) = world.inside.clone().filter(|_| !filtered.is_empty()) else { return Ok(None) };
    let made = filtered.iter().try_for_each(|one| make(world, repository, &inside, one));
    inside.sandbox.end();
    // Whatever they changed in the repository is no more the person's than what an agent changes.
    world.put_steering_back()?;
    match made {
        Ok(()) => Ok(None),
        Err(Trouble::NotMade(why)) => Ok(Some(why)),
        Err(Trouble::Failed(error)) => Err(*error),
    }
}

enum Trouble {
    /// There is no commit: a sentence.
    NotMade(String),
    Failed(Box<WorkError>),
}

impl<E: Into<WorkError>> From<E> for Trouble {
    fn from(error: E) -> Trouble {
        Trouble::Failed(Box::new(error.into()))
    }
}

fn make(
    world: &WorkingTree,
    repository: &Repository,
    inside: &Inside,
    one: &Filtered,
) -> Result<(), Trouble> {
    let Some(command) = &one.command else { return Err(Trouble::NotMade(not_run(one))) };
    let Some(content) = content(world, repository, &one.path)? else { return Ok(()) };
    if repository.is_filtered(&one.path, &content) {
        return Ok(());
    }
    let null = || null_device().at("open", "/dev/null".as_ref());
    let request = SpawnRequest {
        id: NUMBER,
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), command.into()],
        environment: inside.environment.clone(),
        directory: repository.top.clone(),
        stdin: null()?,
        stdout: null()?,
        stderr: null()?,
    };
    let not_made = |why: &str| {
        let path = String::from_utf8_lossy(&one.path).into_owned();
        Trouble::NotMade(format!("the filter `{}` failed on {path} inside the sandbox: {why}", one.filter))
    };
    let request = inside
        .sandbox
        .enter(Guest::Command { variables: &[] }, request)
        .map_err(|error| not_made(&error.to_string()))?;
    let command: Command = request.command().stdin(content.clone()).timeout(PATIENCE);
    let output = command.run().map_err(|error| not_made(&error.to_string()))?;
    if !output.succeeded() || output.stdout.dropped > 0 {
        let said = output.stderr.text();
        let line = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        return Err(not_made(line.trim()));
    }
    Ok(repository.keep_filtered(&one.path, &content, &output.stdout.bytes)?)
}

/// The file as it was judged; `None` where that is nowhere to be had, which the commit itself says.
fn content(world: &WorkingTree, repository: &Repository, path: &[u8]) -> Result<Option<Vec<u8>>, WorkError> {
    let (Some(look), Some(store)) = (&world.latest, &world.snapshots) else { return Ok(None) };
    let is_file = |kind| matches!(kind, EntryKind::File | EntryKind::Executable);
    let Some(entry) = look.inventory.entry(path).filter(|entry| is_file(entry.kind)) else {
        return Ok(None);
    };
    match store.content(&entry.content) {
        Ok(content) => Ok(Some(content)),
        // Too large to be kept.
        Err(SnapshotError::File(error)) if error.is_not_found() => {
            let read: Result<_, FileError> = at(&repository.top.join(as_path(path))).read(LARGEST_FILTERED);
            Ok(read?)
        }
        Err(error) => Err(error.into()),
    }
}
