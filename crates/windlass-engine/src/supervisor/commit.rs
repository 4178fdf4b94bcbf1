//! The runner's own commits (`--commit runner`).

use std::time::Duration;

use windlass_core::fact::{CommitNotes, LaneId, SnapshotId};
use windlass_core::message::{Message, Outcome};
use windlass_core::run::{Input, RunPlan, TurnKey};

use super::event::WorkError;
use super::withhold::{self, Held, Scene};
use super::worker::Worked;
use super::world::World;
use crate::git::{self, Candidate, CommitHooks, CommitOutcome};
use crate::inventory::Inventory;
use crate::snapshot::Snapshot;

/// How long a commit's hooks may take.
const HOOKS: Duration = Duration::from_mins(10);

/// Commits what has changed since a snapshot, as the candidate has it, and nothing else. A commit that a killed runner
/// made already is found by its trailers.
pub(super) fn carry_out(
    world: &mut World,
    lane: LaneId,
    turn: TurnKey,
    since: Option<&SnapshotId>,
) -> Worked {
    // Before hooks of the commit change the tree, too.
    let checked = if world.plan.checks.is_empty() { None } else { Some(world.look()?) };
    let (outcome, held) = commit(world, turn, since)?;
    if let Some(checked) = &checked {
        world.note_checks(checked);
    }
    let look = world.look()?;
    let evidence = world.evidence(&look);
    // A hook may change files without committing them, also one that refuses: the checks did not judge that tree.
    let moved = checked.is_some_and(|checked| checked.inventory.entries != look.inventory.entries);
    world.remember(look);
    let mut inputs = world.say_once(withhold::notice(&held).into_iter().collect());
    let mut notes = CommitNotes { hook_output: None, held_back: withhold::named(&held) };
    let (commit, altered, refused) = match outcome {
        CommitOutcome::Committed { commit, altered } => (Some(commit.to_string()), altered || moved, None),
        CommitOutcome::NothingToCommit => (None, moved, None),
        CommitOutcome::Refused(why) => (None, moved, Some(why)),
        CommitOutcome::RefusedByHook(said) => {
            let last = last_line(&said);
            notes.hook_output = Some(said);
            (None, moved, Some(format!("a hook of the repository refused: {last}")))
        }
    };
    inputs.push(Input::CommitEnded { lane, commit, evidence, altered, refused, notes });
    Ok(inputs)
}

fn last_line(said: &str) -> String {
    const LONGEST: usize = 200;
    let line = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(LONGEST).collect()
}

fn commit(
    world: &World,
    turn: TurnKey,
    since: Option<&SnapshotId>,
) -> Result<(CommitOutcome, Held), WorkError> {
    let nothing = |outcome| Ok((outcome, Held::new()));
    let place = world.surveyor.place();
    let (Some(repository), Some(store)) = (&place.repository, &world.snapshots) else {
        return nothing(CommitOutcome::Refused("there is no git repository".to_owned()));
    };
    let (Some(since), Some(candidate)) = (since, &world.latest) else {
        return nothing(CommitOutcome::NothingToCommit);
    };
    let message = message(&world.plan, turn);
    if let Some(commit) = git::marked_commit(repository, &message.key())? {
        return nothing(CommitOutcome::Committed { commit, altered: false });
    }
    let since = store.load(since)?;
    let mut changed = changed_paths(&since, &candidate.inventory);
    // What a check wrote and nobody has touched since is not the iteration's.
    changed.retain(|path| {
        world.by_checks.get(path).is_none_or(|made| made.as_ref() != candidate.inventory.entry(path))
    });
    let scene = Scene { repository, store, since: &since, candidate: &candidate.inventory };
    let held = withhold::hold_back(&scene, &world.plan.withholding, &mut changed)?;
    let message = message.text(&world.plan.message);
    let hooks = if world.plan.sandbox.is_on() { CommitHooks::Skip } else { CommitHooks::Run };
    let inventory = &candidate.inventory;
    let candidate = Candidate { inventory, changed: &changed, message: &message, hooks, timeout: HOOKS };
    Ok((git::commit(repository, store, &candidate)?, held))
}

/// What the commit of a turn is about.
fn message(plan: &RunPlan, turn: TurnKey) -> Message<'_> {
    Message {
        outcome: Outcome::Complete,
        run: &plan.run.0,
        iteration: turn.iteration,
        job: &plan.job.title,
        feature: None,
        task: None,
    }
}

/// What differs between a snapshot and the candidate. What git ignores is never committed, and of what the snapshot
/// left out nothing is known.
fn changed_paths(since: &Snapshot, candidate: &Inventory) -> Vec<Vec<u8>> {
    let unknown = |path: &[u8]| since.left_out.iter().any(|left| left.path == path);
    let differs = |entry: &&crate::inventory::Entry| {
        let before = since.file(&entry.path).map(|file| (file.kind, file.content));
        before != Some((entry.kind, entry.content)) && !entry.ignored && !unknown(&entry.path)
    };
    let changed = candidate.entries.iter().filter(differs).map(|entry| entry.path.clone());
    let removed = since.files.iter().filter(|file| candidate.entry(&file.path).is_none());
    changed.chain(removed.map(|file| file.path.clone())).collect()
}
