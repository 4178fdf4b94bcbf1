//! Undoing damage (`safety.undo = "auto"`). The attempt's snapshot still has what it left.

use std::collections::BTreeSet;

use windlass_core::damage::{DamageCourse, DamageKind};
use windlass_core::report::{self, Report};
use windlass_core::run::TurnKey;
use windlass_core::values::{LaneId, StopReason};

use super::super::standing;
use super::super::work::WorkError;
use super::super::work::Worked;
use super::super::working_tree::WorkingTree;
use super::found::FoundDamage;
use windlass_git::inventory::Surveyor;
use windlass_git::snapshot::{
    RepairScope, RestoreError, Restored, Side, Snapshot, plan_restore, repair, restore, undo,
};

/// So many sentences about what could not be undone are said.
const SAID: usize = 3;

/// Undoes what was found when the attempt was kept: all of the attempt, or the damage alone.
pub(in super::super) fn carry_out(world: &mut WorkingTree, lane: LaneId, turn: TurnKey) -> Worked {
    let mut reports = Vec::new();
    // Found when the attempt was kept: a runner that was started anew keeps it anew first.
    if let Some(found) = world.damage.take().filter(|found| found.turn == turn)
        && let Some((before, after)) = both_ends(world, turn)?
    {
        let (left, whole) = match found.course {
            DamageCourse::UndoAll => (undo_all(world, &before)?, true),
            _ => (undo_parts(world, &found, (&before, &after))?, false),
        };
        let run = &world.plan.run;
        let what = match (whole, left.is_empty()) {
            (true, true) => "files and repository are as before the attempt",
            (false, true) => "the damage is undone",
            (_, false) => "the damage is undone but for what is named below",
        };
        let TurnKey { iteration, attempt } = turn;
        let text = format!(
            "{what}; `windlass restore {run} {iteration}-{attempt}-after --repository` brings back what the agent left"
        );
        reports.push(Report::notice(text));
        reports.extend(left.into_iter().take(SAID).map(Report::notice));
        reports.extend(still_broken(world, whole.then_some(&before))?);
    }
    let evidence = world.look_again()?;
    reports.push(Report::from(report::Undone { lane, evidence, standing: standing::read(&world.plan) }));
    Ok(reports)
}

fn both_ends(world: &WorkingTree, turn: TurnKey) -> Result<Option<(Snapshot, Snapshot)>, WorkError> {
    let Some(store) = &world.snapshots else {
        return Ok(None);
    };
    let load = |side| store.named(&world.name(turn, side)).and_then(|id| store.load(&id));
    Ok(Some((load(Side::Before)?, load(Side::After)?)))
}

/// Makes files and repository what they were. The run's own log goes on as it is.
fn undo_all(world: &mut WorkingTree, before: &Snapshot) -> Result<Vec<String>, WorkError> {
    let place = world.surveyor.place().clone();
    let log = world.plan.job.workspace.as_ref().and_then(windlass_core::spec::JobWorkspace::log_file);
    let log = log.and_then(|file| place.relative(&file));
    let run = world.plan.run.clone();
    // What a guest has begun there is under way no more.
    if let Some(loan) = &world.loan {
        loan.begin_anew()?;
    }
    let Some(store) = &mut world.snapshots else {
        return Ok(Vec::new());
    };
    let repaired = repair(store, before, &run, RepairScope::Everything)?;
    let mut surveyor = Surveyor::new(place);
    let mut plan = plan_restore(&mut surveyor, store, before)?;
    plan.remove.retain(|path| Some(path) != log.as_ref());
    plan.write.retain(|file| Some(&file.path) != log.as_ref());
    let restored = restore(store, &plan, &run)?;
    Ok(repaired.left_alone.into_iter().chain(said_of(&restored)).collect())
}

/// References, stash and settings are put back, and files that were thrown away; what else the attempt did stays.
fn undo_parts(
    world: &mut WorkingTree,
    found: &FoundDamage,
    (before, after): (&Snapshot, &Snapshot),
) -> Result<Vec<String>, WorkError> {
    let place = world.surveyor.place().clone();
    let run = world.plan.run.clone();
    let Some(store) = &mut world.snapshots else {
        return Ok(Vec::new());
    };
    let are_files =
        |kind: DamageKind| matches!(kind, DamageKind::ChangesDiscarded | DamageKind::FilesCleaned);
    let (files, rest): (Vec<_>, Vec<_>) = found.damage.iter().partition(|damage| are_files(damage.kind));
    let mut names: BTreeSet<Vec<u8>> = rest.iter().flat_map(|damage| damage.names.iter().cloned()).collect();
    // What was staged is gone with what was thrown away; on the same commit it still means the same.
    let discards = files.iter().any(|damage| damage.kind == DamageKind::ChangesDiscarded);
    if discards && store.scene(&before.repository)?.commit == store.scene(&after.repository)?.commit {
        names.insert(b"index".to_vec());
    }
    let lasting = rest.iter().filter(|damage| !damage.kind.can_be_undone());
    let mut left: Vec<String> = lasting.map(|damage| format!("not undone: {}", damage.sentence)).collect();
    if !names.is_empty() || !rest.is_empty() {
        left.extend(repair(store, before, &run, RepairScope::Only(&names))?.left_alone);
    }
    let paths: Vec<Vec<u8>> = files.iter().flat_map(|damage| damage.names.iter().cloned()).collect();
    if !paths.is_empty() {
        left.extend(said_of(&undo(store, &place, (before, after), &paths)?));
    }
    Ok(left)
}

/// Which files could not be put back, and why.
fn said_of(restored: &Restored) -> impl Iterator<Item = String> {
    restored.left_alone.iter().map(|left| format!("not undone: {left}"))
}

/// What could not be mended must not be built on.
fn still_broken(world: &mut WorkingTree, before: Option<&Snapshot>) -> Result<Option<Report>, WorkError> {
    let look = world.look()?;
    let detail = match (&look.inventory.trouble, before) {
        (Some(said), _) => Some(format!("the damaged repository could not be fixed ({said})")),
        (None, Some(before)) => {
            let head = before.repository.iter().find(|file| file.name == b"HEAD").map(|file| file.content);
            let store = world.snapshots.as_mut();
            let place = world.surveyor.place().clone();
            let now = match (store, &place.repository) {
                (Some(store), Some(repository)) => store.content_of_head(repository)?,
                _ => None,
            };
            (now != head).then(|| "what the agent did to HEAD could not be undone".to_owned())
        }
        (None, None) => None,
    };
    Ok(detail
        .map(|detail| Report::from(report::Failed { stop_reason: StopReason::DestructiveChange, detail })))
}

impl From<RestoreError> for WorkError {
    fn from(error: RestoreError) -> WorkError {
        match error {
            RestoreError::Survey(error) => error.into(),
            RestoreError::Snapshot(error) => error.into(),
            RestoreError::OtherPlace { .. } => WorkError::new(&error),
        }
    }
}
