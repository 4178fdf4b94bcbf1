//! Undoing what an agent changed although it may not: protected files, and all but the plan while it was to write nothing
//! else. What it left stays kept as the iteration's snapshot.

use windlass_core::report::{self, Report};
use windlass_core::run::{OrderContext, TurnKey};
use windlass_core::values::LaneId;
use windlass_core::words::some_of;

use super::attempt_changes::{
    Paths, both_ends, differing, keep_the_agents, may_change, plan_behind_link, take_out_later_deletions,
};
use super::damage;
use super::guard::{self, Forbidden};
use super::since_heard::SinceHeard;
use super::work::{WorkError, Worked};
use super::working_tree::WorkingTree;
use windlass_git::inventory::{Inventory, as_path, is_own};
use windlass_git::snapshot::{Snapshot, changed_since, remove_half_written, undo};

/// So many files are named.
const NAMED: usize = 5;

/// How many files the attempt changed that it may not change.
pub(super) fn find(
    world: &mut WorkingTree,
    turn: TurnKey,
    now: &Inventory,
    context: &OrderContext,
) -> Result<u32, WorkError> {
    world.forbidden_changes.clear();
    if now.trouble.is_some() {
        return Ok(0);
    }
    let mode = world.plan.job.mode;
    let (forbidden_changes, open) = if mode.writes_only_plan() {
        forbidden_changes(world, turn, now)?
    } else if mode.judges() {
        let (steering, work) = changed_by_a_judge(world, turn, now)?;
        let said = said_of_judges_changes(world, turn, &work);
        world.notices.extend(said);
        (steering, Paths::new())
    } else {
        guard::forbidden_changes(world, turn, now, context)?
    };
    // Where something is undone, these are named with all that is left as it is.
    let said = left_alone(world, &open).filter(|_| forbidden_changes.is_empty());
    world.notices.extend(said);
    let count = u32::try_from(forbidden_changes.len()).unwrap_or(u32::MAX);
    world.forbidden_changes = forbidden_changes;
    Ok(count)
}

/// What is said of an agent that committed although it was to write a plan and nothing else. Refs are not touched.
pub(super) fn commit_notice(world: &WorkingTree, turn: TurnKey, now: &Inventory) -> Option<String> {
    let before = world.latest.as_ref().filter(|_| world.began == Some(turn))?;
    let moved = before.inventory.head.is_some() && now.head.is_some() && before.inventory.head != now.head;
    let run = &world.plan.run;
    if moved && !world.plan.job.mode.writes_only_plan() && !world.forbidden_changes.is_empty() {
        return Some(format!(
            "the agent committed or moved HEAD, and changed protected files: these are undone here, but the commit may hold \
             them; look with `git show` before you push (`windlass restore {run} {} --before --repository` takes it back)",
            turn.iteration
        ));
    }
    let what = if world.plan.job.phase.is_some() { "the document" } else { "the plan" };
    (moved && world.plan.job.mode.writes_only_plan()).then(|| {
        format!(
            "the agent committed or moved HEAD although it was only to write {what}; `windlass restore {} {} --before \
             --repository` takes that back",
            world.plan.run, turn.iteration
        )
    })
}

/// Undoes it; what somebody else has changed since is left alone, and so is what no snapshot holds.
pub(super) fn carry_out(
    world: &mut WorkingTree,
    lane: LaneId,
    turn: TurnKey,
    context: &OrderContext,
) -> Worked {
    // Found when the attempt was kept: a runner that was started anew keeps it anew first.
    let forbidden_changes = std::mem::take(&mut world.forbidden_changes);
    let (left, notice) = match both_ends(world, turn)? {
        Some((before, after)) => {
            undo_forbidden_changes(world, turn, (&before, &after), &forbidden_changes, context)?
        }
        None => (forbidden_changes.clone(), None),
    };
    let evidence = world.look_again()?;
    let mut reports: Vec<Report> = notice.map(Report::notice).into_iter().collect();
    reports.push(Report::from(report::ForbiddenChangesReverted {
        lane,
        count: u32::try_from(forbidden_changes.len()).unwrap_or(u32::MAX),
        files: forbidden_changes.iter().take(NAMED).map(|path| shown(world, path)).collect(),
        undone: left.is_empty(),
        evidence,
    }));
    Ok(reports)
}

/// What could not be undone, and what is said of files that may be somebody else's.
fn undo_forbidden_changes(
    world: &mut WorkingTree,
    turn: TurnKey,
    (before, after): (&Snapshot, &Snapshot),
    forbidden_changes: &[Vec<u8>],
    context: &OrderContext,
) -> Result<(Paths, Option<String>), WorkError> {
    let place = world.surveyor.place().clone();
    let now = world.look()?.inventory;
    remove_half_written(&place.root, &now, [before, after]);
    let Some(store) = &world.snapshots else {
        return Ok((forbidden_changes.to_vec(), None));
    };
    undo(store, &place, (before, after), forbidden_changes)?;
    let is_as_left = |path: &&Vec<u8>| place.content_now(path) == after.content(path);
    let left: Paths = forbidden_changes.iter().filter(is_as_left).cloned().collect();
    let now = world.look()?.inventory;
    let Some(store) = &world.snapshots else {
        return Ok((left, None));
    };
    let mut others = changed_since(store, before, &now)?;
    let link = plan_behind_link(world, store, before)?;
    let forbidden = (!world.plan.job.mode.writes_only_plan()).then(|| Forbidden::of(world, context));
    others.retain(|path| {
        let refused = match &forbidden {
            Some(forbidden) => forbidden.holds(world, path),
            None => !may_change(world, link.as_deref(), path),
        };
        refused && !left.contains(path)
    });
    leave_what_is_known(world, turn, &mut others)?;
    let notice = left_alone(world, &others);
    Ok((left, notice))
}

/// What differs from the attempt's beginning, but for what may; and what is gone of which nobody can say who took it away.
fn forbidden_changes(
    world: &WorkingTree,
    turn: TurnKey,
    now: &Inventory,
) -> Result<(Paths, Paths), WorkError> {
    let (mut changed, link) = differing(world, turn, now)?;
    changed.retain(|path| !may_change(world, link.as_deref(), path));
    let mut changed = of_the_agent(world, turn, changed)?;
    if world.began == Some(turn) {
        return Ok((changed, Paths::new()));
    }
    let open = take_out_later_deletions(world, turn, &mut changed)?;
    Ok((changed, open))
}

/// What is said of files that may be somebody else's.
fn left_alone(world: &WorkingTree, paths: &[Vec<u8>]) -> Option<String> {
    (!paths.is_empty()).then(|| {
        format!(
            "left as they are, since somebody else may have written them: {}; look whether the agent did",
            some_of(paths.iter().map(|path| shown(world, path)), NAMED)
        )
    })
}

/// What differs and steers runs, since whoever judges work may not decide what becomes of it; and what else does.
fn changed_by_a_judge(
    world: &WorkingTree,
    turn: TurnKey,
    now: &Inventory,
) -> Result<(Paths, Paths), WorkError> {
    let (changed, _) = differing(world, turn, now)?;
    let changed = of_the_agent(world, turn, changed)?;
    Ok(changed.into_iter().partition(|path| guard::steers(world, path)))
}

/// Tests that a judge runs may write files, so these stay; nobody commits them, and a person wants to know.
fn said_of_judges_changes(world: &WorkingTree, turn: TurnKey, changed: &[Vec<u8>]) -> Option<String> {
    let work: Vec<String> =
        changed.iter().filter(|path| !is_own(path)).map(|path| shown(world, path)).collect();
    (!work.is_empty()).then(|| {
        let (named, command) = (some_of(work.iter(), NAMED), damage::files_command(world, turn));
        format!("whoever judged the work changed it: {named}; `{command}` takes that back")
    })
}

/// Without what is known to be a person's: nobody has to look whether it is an agent's.
fn leave_what_is_known(world: &WorkingTree, turn: TurnKey, others: &mut Paths) -> Result<(), WorkError> {
    guard::leave_a_persons(world, turn, others)?;
    if others.is_empty() || world.began == Some(turn) {
        return Ok(());
    }
    let since = SinceHeard::of(world, turn)?;
    let all = std::mem::take(others);
    for path in all {
        if !since.has_committed(&path)? {
            others.push(path);
        }
    }
    Ok(())
}

/// Without what a person changed meanwhile.
fn of_the_agent(world: &WorkingTree, turn: TurnKey, mut changed: Paths) -> Result<Paths, WorkError> {
    guard::leave_a_persons(world, turn, &mut changed)?;
    if world.began != Some(turn) {
        keep_the_agents(world, turn, &mut changed)?;
    }
    Ok(changed)
}

/// Is anything undone in this mode?
pub(super) fn undoes(world: &WorkingTree) -> bool {
    let mode = world.plan.job.mode;
    mode.writes_only_plan() || mode.judges() || guard::undoes(world)
}

/// Relative to the working directory, as people read it.
fn shown(world: &WorkingTree, path: &[u8]) -> String {
    let place = world.surveyor.place();
    let full = place.root.join(as_path(path));
    let here = full.strip_prefix(&place.directory);
    here.unwrap_or(as_path(path)).display().to_string()
}
