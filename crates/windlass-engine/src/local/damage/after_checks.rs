//! What the checks of an attempt did to the repository: they run what the agent wrote, after its own traces were looked at.

use std::ops::ControlFlow;

use windlass_core::damage::{self, Damage, DamageCourse, DamageKind};
use windlass_core::report::Report;
use windlass_core::run::TurnKey;
use windlass_core::values::{LaneId, StopReason};

use super::found::{DoneBy, FoundDamage};
use super::{Beginning, Ending, compare, reports, said};
use crate::local::work::WorkError;
use crate::local::working_tree::{Look, WorkingTree};
use windlass_git::git::{Head, ObjectId};
use windlass_git::inventory::Inventory;

/// What is reported of it; nothing may follow where the run ends for it. `now` is what is there, if somebody has looked already.
pub(in crate::local) fn after_checks(
    world: &mut WorkingTree,
    (lane, turn): (LaneId, TurnKey),
    now: Option<&Inventory>,
) -> Result<ControlFlow<Vec<Report>, Vec<Report>>, WorkError> {
    let Some(found) = find(world, turn, now)? else { return Ok(ControlFlow::Continue(Vec::new())) };
    let reports = reports(world, lane, &found);
    Ok(match found.course {
        DamageCourse::Stop => ControlFlow::Break(reports),
        _ => ControlFlow::Continue(reports),
    })
}

/// What the checks before the first iteration did is said, or ends the run before anybody is paid.
pub(in crate::local) fn after_baseline(
    world: &mut WorkingTree,
    now: &Inventory,
) -> Result<Option<String>, WorkError> {
    let Some(start) = world.start.clone() else { return Ok(None) };
    // What was broken before any check ran is none of theirs.
    let was_there = |look: &mut Look| look.inventory.trouble.is_none();
    let Some(judged) = world.latest.take_if(was_there) else { return Ok(None) };
    let found = since(world, TurnKey { iteration: 1, attempt: 1 }, &judged, Some(now));
    world.latest = Some(judged);
    let Some(found) = found? else { return Ok(None) };
    let said = said(&found, &start.whole_restore());
    match found.course {
        DamageCourse::Stop => Err(WorkError::of(StopReason::DestructiveChange, &said)),
        _ => Ok(Some(said)),
    }
}

/// Compares what is there with what the attempt left, where this session has kept that.
fn find(
    world: &mut WorkingTree,
    turn: TurnKey,
    now: Option<&Inventory>,
) -> Result<Option<FoundDamage>, WorkError> {
    // The repository of a lane is the runner's to make anew.
    if world.plan.checks.is_empty() || world.plan.lanes.is_some() || !world.has_kept(turn) {
        return Ok(None);
    }
    // A large tree is not copied for that.
    let Some(judged) = world.latest.take() else { return Ok(None) };
    let found = since(world, turn, &judged, now);
    world.latest = Some(judged);
    found
}

fn since(
    world: &mut WorkingTree,
    turn: TurnKey,
    judged: &Look,
    now: Option<&Inventory>,
) -> Result<Option<FoundDamage>, WorkError> {
    if is_untouched(world, judged, now)? {
        return Ok(None);
    }
    let looked = if now.is_none() { Some(world.look()?.inventory) } else { None };
    let Some(now) = now.or(looked.as_ref()) else { return Ok(None) };
    let (Some(store), Some(repository), Some(kept)) =
        (&mut world.snapshots, &world.surveyor.place().repository, &judged.snapshot)
    else {
        return Ok(None);
    };
    let own = store.own_files_now(repository)?;
    let began = Beginning::of(store, judged, kept)?;
    let files = now.entries.iter().map(|entry| (entry.path.as_slice(), (entry.kind, entry.content)));
    let unread = now.unread.iter().map(|unread| unread.path.as_slice());
    let ending = Ending { files: files.collect(), left_out: unread.collect(), own: &own };
    let mut compared = compare(world, (turn, DoneBy::Checks), &began, (now, &ending))?;
    let mut damage = std::mem::take(&mut compared.damage);
    damage.retain(|one| !damage::may_be_wanted(one.kind, world.plan.commit));
    let course = course(&damage);
    let by_hand = compared.by_hand(&damage);
    let found = FoundDamage { turn, by: DoneBy::Checks, damage, course, by_hand };
    Ok((!found.damage.is_empty()).then_some(found))
}

/// Tools that install themselves write settings and hooks, also for a check. Whatever else is gone would be built upon.
fn course(damage: &[Damage]) -> DamageCourse {
    if damage.iter().all(|one| one.kind == DamageKind::SettingsChanged) {
        DamageCourse::GoOn
    } else {
        DamageCourse::Stop
    }
}

/// Are the repository's own files, its objects, and what a person had uncommitted, as the attempt left them? Most checks touch neither, and
/// the whole tree need not be looked at for that.
fn is_untouched(world: &mut WorkingTree, judged: &Look, now: Option<&Inventory>) -> Result<bool, WorkError> {
    let has_lost_objects = world.lost_objects()?.is_some();
    let place = world.surveyor.place().clone();
    let (Some(store), Some(repository), Some(kept)) =
        (&mut world.snapshots, &place.repository, &judged.snapshot)
    else {
        return Ok(true);
    };
    let has_objects = |commit: ObjectId| repository.seems_to_have(&commit.to_string());
    let head = judged.inventory.head.as_ref().and_then(Head::commit);
    if has_lost_objects || !store.is_as_kept(repository, kept)? || !head.is_none_or(has_objects) {
        return Ok(false);
    }
    if let Some(now) = now {
        return Ok(now.trouble.is_none() && now.entries == judged.inventory.entries);
    }
    let is_as_judged = |path: &Vec<u8>| {
        let was = judged.inventory.entry(path).map(|entry| (entry.kind, entry.content));
        place.content_now(path) == was
    };
    Ok(world.uncommitted.keys().all(is_as_judged))
}
