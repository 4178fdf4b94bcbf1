//! What an attempt did to the repository beyond its work: seen by comparing what it began with and what it left.

mod after_checks;
mod files;
pub(super) mod found;
mod history;
mod narrow;
mod operations;
mod undo;

use std::collections::BTreeSet;
use std::time::SystemTime;

use windlass_core::damage::{self, Ancestry, Damage, DamageCourse, DamageKind, Scene};
use windlass_core::report::{self, Report};
use windlass_core::run::{OrderContext, TurnKey};
use windlass_core::spec::UndoPolicy;
use windlass_core::values::{LaneId, SnapshotId, StopReason};

use super::work::WorkError;

use super::working_tree::{Look, WorkingTree};
use crate::store::Project;
use crate::store::lock::{Holder, holders};
use crate::store::session_folder::holder_in_words;
use windlass_git::git::{Head, ObjectId, Repository};
use windlass_git::inventory::{Entry, EntryKind, Inventory};
use windlass_git::snapshot::{Moment, OwnFile, Side, Snapshot, SnapshotName, Store};

use found::{DoneBy, FoundDamage};
use narrow::Compared;

pub(super) use after_checks::{after_baseline, after_checks};
pub(super) use files::committed;
pub(super) use history::ancestry;
pub(super) use undo::carry_out;

/// What an attempt began with.
pub(super) struct Beginning {
    /// Path, kind and content, sorted by path.
    files: Vec<(Vec<u8>, EntryKind, ObjectId)>,
    own: Vec<OwnFile>,
    head: Option<Head>,
    /// What was there as well, and is in none of these.
    left_out: Vec<Vec<u8>>,
}

impl Beginning {
    /// What a look has seen that is kept as this snapshot.
    fn of(store: &Store, look: &Look, kept: &SnapshotId) -> Result<Beginning, WorkError> {
        let of = |entry: &Entry| (entry.path.clone(), entry.kind, entry.content);
        let files = look.inventory.entries.iter().map(of).collect();
        Ok(Beginning {
            files,
            own: store.own_files(kept)?,
            head: look.inventory.head.clone(),
            left_out: Vec::new(),
        })
    }
}

/// What was left.
struct Ending<'a> {
    files: Vec<(&'a [u8], (EntryKind, ObjectId))>,
    /// What is there, and in none of these.
    left_out: BTreeSet<&'a [u8]>,
    own: &'a [OwnFile],
}

impl<'a> Ending<'a> {
    fn of(snapshot: &'a Snapshot) -> Ending<'a> {
        Ending {
            files: snapshot
                .files
                .iter()
                .map(|file| (file.path.as_slice(), (file.kind, file.content)))
                .collect(),
            left_out: snapshot.left_out.iter().map(|left| left.path.as_slice()).collect(),
            own: &snapshot.repository,
        }
    }
}

/// As the session saw it, or as its snapshot has it. `None` where nothing is kept.
pub(super) fn beginning(world: &WorkingTree, turn: TurnKey) -> Result<Option<Beginning>, WorkError> {
    let Some(store) = &world.snapshots else {
        return Ok(None);
    };
    if let (Some(look), true) = (&world.latest, world.began == Some(turn))
        && let Some(id) = &look.snapshot
    {
        return Ok(Some(Beginning::of(store, look, id)?));
    }
    Ok(world.kept(turn, Side::Before)?.map(|Snapshot { files, repository, left_out, .. }| {
        let files = files.into_iter().map(|file| (file.path, file.kind, file.content)).collect();
        let left_out = left_out.into_iter().map(|left| left.path).collect();
        Beginning { files, own: repository, head: None, left_out }
    }))
}

/// Compares, and says what follows. What was told of this attempt before a restart is not told again, and no reason to
/// end again: whoever resumes has seen it.
pub(super) fn find(
    world: &mut WorkingTree,
    turn: TurnKey,
    began: Option<&Beginning>,
    (now, after): (&Inventory, Option<&Snapshot>),
    context: &OrderContext,
) -> Result<Option<FoundDamage>, WorkError> {
    let (Some(began), Some(after)) = (began, after) else {
        return Ok(None);
    };
    let mut compared = compare(world, (turn, DoneBy::Agent), began, (now, &Ending::of(after)))?;
    let mut damage = std::mem::take(&mut compared.damage);
    damage.append(&mut world.left_behind);
    damage.sort_by_key(|one| one.kind);
    let plan = world.plan.clone();
    let (wanted, rest) = damage.into_iter().partition(|one| damage::may_be_wanted(one.kind, plan.commit));
    damage = rest;
    let said = said_of_wanted(wanted, &command(world, turn));
    world.notices.extend(said);
    if plan.undo == UndoPolicy::Ask {
        let told_before = context.attempt.as_ref().map_or(&[][..], |attempt| &attempt.told);
        let told = |kind| told_before.contains(&kind) && kind != DamageKind::RepositoryUnusable;
        damage.retain(|one| !told(one.kind));
    }
    if damage.is_empty() {
        return Ok(None);
    }
    let mut course = damage::course(&damage, plan.undo, plan.commit);
    if let Some(other) = another_at_work(world, course)? {
        course = damage::course(&damage, UndoPolicy::Ask, plan.commit);
        let what = holder_in_words(&other.run);
        world.notices.push(format!(
            "nothing is undone by itself: {what} works in {}, and what it does would be undone as well",
            other.directory.display()
        ));
    }
    let by_hand = compared.by_hand(&damage);
    Ok(Some(FoundDamage { turn, by: DoneBy::Agent, damage, course, by_hand }))
}

/// An agent that is to commit may choose where, and finish what was under way; a person wants to know that it did.
fn said_of_wanted(wanted: Vec<Damage>, command: &str) -> Vec<String> {
    let said = |one: Damage| match one.kind {
        DamageKind::BranchBegun => Some(format!("the agent began a branch: {}", one.sentence)),
        DamageKind::OperationEnded => {
            Some(format!("{} by the agent; `{command}` brings it back", one.sentence))
        }
        _ => None,
    };
    wanted.into_iter().filter_map(said).collect()
}

/// Whoever else works on what would be put back: on these files, or, where branches are, anywhere in the repository.
fn another_at_work(world: &WorkingTree, course: DamageCourse) -> Result<Option<Holder>, WorkError> {
    if !course.undoes() {
        return Ok(None);
    }
    let project = Project::of_run(&world.folder);
    let root = &world.surveyor.place().root;
    let is_affected = |holder: &Holder| course == DamageCourse::UndoAll || holder.directory.starts_with(root);
    let mut others = holders(&project)?.into_iter().filter(|holder| holder.run != world.plan.run);
    Ok(others.find(|holder| is_affected(holder) && holder.is_alive()))
}

/// The notices, the fact, and the end of the run where that is what follows.
pub(super) fn reports(world: &mut WorkingTree, lane: LaneId, found: &FoundDamage) -> Vec<Report> {
    let command = match found.by {
        DoneBy::Agent => command(world, found.turn),
        DoneBy::Checks => command_after(world, found.turn),
    };
    let (notice, detail) = (said(found, &command), damaged(found));
    let mut reports = world.say_once(vec![notice]);
    let TurnKey { iteration, attempt } = found.turn;
    reports.push(
        report::Damaged { lane, iteration, attempt, found: found.damage.clone(), course: found.course }
            .into(),
    );
    if found.course == DamageCourse::Stop {
        reports.push(Report::from(report::Failed { stop_reason: StopReason::DestructiveChange, detail }));
    }
    reports
}

/// Who did what, and how it is undone where the runner does not.
fn said(found: &FoundDamage, command: &str) -> String {
    if found.course.undoes() {
        return damaged(found);
    }
    let lasting = found.damage.iter().filter(|damage| !damage.kind.can_be_undone()).count();
    let undone = match lasting {
        // Whoever has worked on since, or on another branch, need not give that back as well.
        0 if !found.by_hand.is_empty() => {
            let commands: Vec<String> = found.by_hand.iter().map(|command| format!("`{command}`")).collect();
            let commands = commands.join(", ");
            format!("{commands} brings that back alone, `{command}` undoes it with all that came after")
        }
        0 => format!("`{command}` undoes it"),
        some if some < found.damage.len() => format!("`{command}` undoes all else"),
        _ => return damaged(found),
    };
    format!("{}; {undone}", damaged(found))
}

fn damaged(found: &FoundDamage) -> String {
    let sentences: Vec<&str> = found.damage.iter().map(|damage| damage.sentence.as_str()).collect();
    format!("{} damaged the repository: {}", found.by.words(), sentences.join("; "))
}

/// What a person types to undo all of it.
pub(super) fn command(world: &WorkingTree, turn: TurnKey) -> String {
    format!("{} --repository", files_command(world, turn))
}

/// What a person types to have the files as they were.
pub(super) fn files_command(world: &WorkingTree, turn: TurnKey) -> String {
    let (run, TurnKey { iteration, attempt }) = (&world.plan.run, turn);
    match attempt {
        1 => format!("windlass restore {run} {iteration} --before"),
        // An iteration's beginning is that of its first attempt, and what that wrote is not damage.
        _ => format!("windlass restore {run} {iteration}-{attempt}-before"),
    }
}

/// The same where the attempt's own work stays.
fn command_after(world: &WorkingTree, turn: TurnKey) -> String {
    format!("windlass restore {} {} --repository", world.plan.run, turn.iteration)
}

fn compare(
    world: &mut WorkingTree,
    (turn, by): (TurnKey, DoneBy),
    began: &Beginning,
    (now, after): (&Inventory, &Ending<'_>),
) -> Result<Compared, WorkError> {
    let lost = world.lost_objects()?;
    let (Some(store), Some(repository)) = (&world.snapshots, world.surveyor.place().repository.clone())
    else {
        return Ok(Compared::nothing());
    };
    let mut before = store.scene(&began.own)?;
    let mut left = if after.own == began.own { before.clone() } else { store.scene(after.own)? };
    left.unusable = now.trouble.clone().or(left.unusable.take());
    in_tables(&began.own, (&mut before, began.head.as_ref()), (&mut left, now.head.as_ref()));
    let missing = || without_object(&repository, left.commit.as_ref()?);
    left.unusable = left.unusable.clone().or_else(missing).or(lost);
    operations::leave_out_what_agents_ended(store, &world.name(turn, Side::Before), &mut before, &left)?;
    let stashed = stashed(&before, &left, by);
    let are_put_away = by == DoneBy::Checks && stashed.is_some();
    world.notices.extend(stashed);
    let ancestry = if left.unusable.is_some() {
        Ancestry::default()
    } else {
        let mut ancestry = ancestry(&repository, &before, &left, world.plan.commit)?;
        // A person who puts changes away while the checks run has them in the stash.
        if !are_put_away {
            files::lost(world, &repository, (&before, began), (after, by), &mut ancestry)?;
        }
        ancestry
    };
    let found = damage::compare(&before, &left, &ancestry);
    Ok(Compared::of(&repository, &before, &left, found))
}

/// Why a repository cannot be used that has lost what is checked out, as far as that is seen without asking git.
pub(super) fn without_object(repository: &Repository, commit: &str) -> Option<String> {
    (!repository.seems_to_have(commit)).then(|| format!("there is no object of the commit {commit}"))
}

/// What git would say of a repository that it cannot read, as far as that is seen without asking it.
pub(super) fn why_unreadable(repository: &Repository) -> Option<String> {
    match repository.head() {
        Err(error) => Some(error.to_string().trim_end().to_owned()),
        Ok(head) => without_object(repository, &head.commit()?.to_string()),
    }
}

/// Is a repository gone that was there when it was last looked at? No agent has worked since: a hook has, or a person.
pub(super) fn find_repository(world: &mut WorkingTree) -> Result<(), WorkError> {
    let lost = world.lost_objects()?;
    let was_there = world.latest.as_ref().is_some_and(|look| look.inventory.trouble.is_none());
    let (true, Some(store), Some(repository)) =
        (was_there, &world.snapshots, &world.surveyor.place().repository)
    else {
        return Ok(());
    };
    let Some(why) = why_unreadable(repository).or(lost) else { return Ok(()) };
    let of_an_iteration = |name: &SnapshotName| matches!(name.moment, Moment::Iteration { .. });
    let newest = store.list(&world.plan.run)?.into_iter().map(|(name, _)| name).rfind(of_an_iteration);
    let back = newest.map(|name| format!("; `{}` puts back what there was", name.whole_restore()));
    let back = back.unwrap_or_default();
    let said = format!("the git repository is gone or broken ({why}), by a hook or by you{back}");
    Err(WorkError::of(StopReason::DestructiveChange, &said))
}

/// Work that was put away is in no file, and in no commit of a branch.
fn stashed(before: &Scene, left: &Scene, by: DoneBy) -> Option<String> {
    let new = left.stashes.iter().filter(|stash| !before.stashes.contains(stash)).count();
    (new > 0 && left.unusable.is_none()).then(|| {
        let what = if new == 1 { "a stash".to_owned() } else { format!("{new} stashes") };
        format!(
            "{} put work away in {what}: `git stash list` names it, `git stash pop` brings it back",
            by.words()
        )
    })
}

/// References in tables are not read here: of them only what is checked out is known, and by git.
fn in_tables(
    own: &[OwnFile],
    (before, head_before): (&mut Scene, Option<&Head>),
    (after, head_after): (&mut Scene, Option<&Head>),
) {
    if !own.iter().any(|file| file.name.starts_with(b"reftable/")) {
        return;
    }
    let checked_out = |head: Option<&Head>| match head {
        Some(Head::Branch { branch, commit }) => (Some(branch.clone()), Some(commit.to_string())),
        Some(Head::Unborn { branch }) => (Some(branch.clone()), None),
        Some(Head::Detached { commit }) => (None, Some(commit.to_string())),
        None => (None, None),
    };
    for (scene, head) in [(&mut *before, head_before.or(head_after)), (&mut *after, head_after)] {
        (scene.branch, scene.commit) = checked_out(head);
        scene.references.clear();
        let own = scene.branch.clone().zip(scene.commit.clone());
        scene.references.extend(own);
    }
}

/// Removes the locks of gits that were ended with the agent or the check that called them: the next one would wait in vain.
pub(super) fn clear_locks(world: &WorkingTree, context: &OrderContext) -> Vec<Report> {
    let (Some(repository), Some(began)) = (&world.surveyor.place().repository, context.began) else {
        return Vec::new();
    };
    repository.clear_locks(SystemTime::from(began)).into_iter().map(Report::notice).collect()
}
