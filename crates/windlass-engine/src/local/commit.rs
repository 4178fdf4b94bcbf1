//! The runner's own commits (`--commit runner`).

use std::collections::BTreeSet;

use windlass_core::message::{Message, TaskText, WorkOutcome};
use windlass_core::report::{self, Report};
use windlass_core::run::{CommitKind, OrderContext, TurnKey};
use windlass_core::spec::RunSpec;
use windlass_core::values::{CommitNotes, Evidence, LaneId, SnapshotId, TaskRow};
use windlass_core::words::short_commit;

use super::begun_commit;
use super::beside;
use super::damage;
use super::filters;
use super::tasks::own_paths;
use super::work::WorkError;
use super::work::Worked;
use super::working_tree::{Look, WorkingTree};
use crate::guard;
use crate::put_in;
use crate::recovery::by_checks::ByChecks;
use crate::recovery::forget_put_back;
use crate::recovery::record::{holding, take_out};
use crate::recovery::{HOOKS, hooks, is_own_file};
use crate::withhold::{self, Scene, StaysIn, WithheldPaths};
use windlass_git::commit::{Candidate, CommitError, CommitOutcome, Made};
use windlass_git::git::{ObjectId, Repository};
use windlass_git::inventory::{EntryKind, Inventory, as_path, is_half_written};
use windlass_git::loan::Loan;
use windlass_git::snapshot::{Side, Snapshot};

/// What a commit says of its work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    /// How far it is.
    pub kind: CommitKind,
    /// Its task, in mode tasks.
    pub task: Option<&'a TaskRow>,
}

/// Commits what has changed since a snapshot, as the candidate has it, and nothing else. A commit that a killed runner
/// made already is found by its trailers. `checked` is what is there after the checks; `None` where there are none.
pub(super) fn carry_out(
    world: &mut WorkingTree,
    (lane, turn): (LaneId, TurnKey),
    since: Option<&SnapshotId>,
    of: Subject<'_>,
    checked: Option<Inventory>,
) -> Worked {
    world.look_where_nobody_has()?;
    let rewritten = world.is_work_rewritten(since)?;
    let latest = world.latest.as_ref().filter(|_| of.task.is_some() || rewritten);
    let snapshot = latest.and_then(|latest| latest.snapshot.clone());
    let (outcome, held) = commit(world, turn, since, of)?;
    if let Some(checked) = &checked {
        world.note_checks(checked)?;
    }
    let look = world.look()?;
    let evidence = world.evidence(&look);
    let beside = beside::of_commit(world, since, &look)?;
    // A hook may change files without committing them, also one that refuses: the checks did not judge that tree.
    let moved = checked.is_some_and(|checked| checked.entries != look.inventory.entries);
    world.remember(look);
    let mut reports = world.say_once(withhold::notice(&held, StaysIn::WorkingTree).into_iter().collect());
    let held_back = withhold::named(&held);
    let lacks = beside::lacking(world, &held, since)?;
    let notes = CommitNotes { held_back, beside, snapshot, lacks, ..CommitNotes::default() };
    let repository = world.surveyor.place().repository.as_ref();
    let kept_out = repository.map_or(Ok(None), |repository| kept_out_by_hooks(repository, &outcome))?;
    let mut committed = report_of((outcome, kept_out), lane, evidence, notes);
    // Nor did those that passed before another one wrote over the work, or in a session before this one.
    committed.altered |= moved || rewritten || !world.has_kept(turn);
    committed.altered |= std::mem::take(&mut world.went_back);
    reports.extend(std::mem::take(&mut world.notices).into_iter().map(Report::notice));
    reports.push(committed.into());
    Ok(reports)
}

impl WorkingTree {
    /// A run that goes on in the middle of an iteration may have to commit in a lane that nobody has looked at since.
    pub(super) fn look_where_nobody_has(&mut self) -> Result<(), WorkError> {
        if self.latest.is_none() {
            self.look_again()?;
        }
        Ok(())
    }

    /// Has this session kept what this attempt left, so that its checks have judged just that?
    pub(super) fn has_kept(&self, turn: TurnKey) -> bool {
        self.kept_last == Some(turn)
    }

    /// Looks at what the checks wrote, before hooks of a commit change the tree, too. Work that they have written over is
    /// committed as it is now, and everything else as the agent left it. `None` where there are no checks.
    pub(super) fn take_in_rewritten(
        &mut self,
        context: &OrderContext,
        turn: TurnKey,
        since: Option<&SnapshotId>,
    ) -> Result<Option<Inventory>, WorkError> {
        if self.plan.checks.is_empty() {
            return Ok(None);
        }
        let look = self.look()?;
        let mut by_checks = self.by_checks.clone();
        if let Some(judged) = &self.latest {
            by_checks.note(&judged.inventory, &look.inventory);
        }
        if self.is_rewritten(&by_checks, &look, since)? {
            self.by_checks = by_checks;
            self.keep_to_be_committed(context, turn, look.clone())?;
        }
        Ok(Some(look.inventory))
    }

    /// Is work to be committed that checks have written over since the last commit?
    pub(super) fn is_work_rewritten(&self, since: Option<&SnapshotId>) -> Result<bool, WorkError> {
        let latest = self.latest.as_ref();
        latest.map_or(Ok(false), |latest| self.is_rewritten(&self.by_checks, latest, since))
    }

    fn is_rewritten(
        &self,
        by_checks: &ByChecks,
        look: &Look,
        since: Option<&SnapshotId>,
    ) -> Result<bool, WorkError> {
        let (Some(since), Some(store), false) = (since, &self.snapshots, by_checks.is_empty()) else {
            return Ok(false);
        };
        let since = store.load(since)?;
        let changed = changed_paths(&since, &look.inventory);
        let place = self.surveyor.place();
        let mut rewritten = by_checks.rewritten(&since, &look.inventory);
        Ok(rewritten.any(|path| changed.contains(path) && !is_own_file(&self.plan, place, path)))
    }

    /// Keeps what is to be committed as what the attempt left.
    pub(super) fn keep_to_be_committed(
        &mut self,
        context: &OrderContext,
        turn: TurnKey,
        look: Look,
    ) -> Result<(), WorkError> {
        let name = match &self.snapshots {
            // The attempt's snapshot is what has the changes that it was not allowed.
            Some(store)
                if context.attempt.as_ref().is_some_and(|attempt| attempt.has_forbidden_changes)
                    || self.put_back == Some(turn) =>
            {
                store.next_before_restore(&self.plan.run)?
            }
            _ => self.name(turn, Side::After),
        };
        let kept = self.keep_look(&look.inventory, &name)?;
        self.latest = Some(Look { snapshot: kept.map(|snapshot| snapshot.id), ..look });
        Ok(())
    }
}

/// Why a commit does not hold what the checks have judged, where a hook has left something out of it, or committed something
/// else, and not in the files: judging those once more would show nothing.
pub(super) fn kept_out_by_hooks(
    repository: &Repository,
    outcome: &CommitOutcome,
) -> Result<Option<String>, WorkError> {
    let CommitOutcome::Committed { commit, altered } = outcome else { return Ok(None) };
    if altered.is_empty() {
        return Ok(None);
    }
    let uncommitted = repository.uncommitted_paths()?;
    let is_otherwise = |path: &&Vec<u8>| uncommitted.iter().any(|found| found.path == **path);
    let kept_out: Vec<&[u8]> = altered.iter().filter(is_otherwise).map(Vec::as_slice).collect();
    let commit = short_commit(&commit.to_string());
    Ok((!kept_out.is_empty()).then(|| {
        let named = windlass_core::recovery::listed(kept_out.into_iter());
        format!("commit {commit} lacks what the checks have judged, since a hook of the repository changed it: {named}")
    }))
}

/// What is reported of a commit, and of what hooks have kept out of it.
pub(super) fn report_of(
    (outcome, kept_out): (CommitOutcome, Option<String>),
    lane: LaneId,
    evidence: Evidence,
    mut notes: CommitNotes,
) -> report::Committed {
    let (commit, altered, refused) = match outcome {
        CommitOutcome::Committed { commit, altered } => {
            notes.hook_output.clone_from(&kept_out);
            (Some(commit.to_string()), !altered.is_empty(), kept_out)
        }
        CommitOutcome::NothingToCommit => (None, false, None),
        CommitOutcome::Refused(why) => (None, false, Some(why)),
        CommitOutcome::NeedsPerson(why) => {
            notes.needs_person = true;
            (None, false, Some(why))
        }
        CommitOutcome::RefusedByHook(said) => {
            let last = last_line(&said);
            notes.hook_output = Some(said);
            (None, false, Some(format!("a hook of the repository refused: {last}")))
        }
    };
    report::Committed { lane, commit, evidence, altered, refused, notes }
}

fn last_line(said: &str) -> String {
    const LONGEST: usize = 200;
    let line = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(LONGEST).collect()
}

fn commit(
    world: &mut WorkingTree,
    turn: TurnKey,
    since: Option<&SnapshotId>,
    of: Subject<'_>,
) -> Result<(CommitOutcome, WithheldPaths), WorkError> {
    let nothing = |outcome| Ok((outcome, WithheldPaths::new()));
    let place = world.surveyor.place().clone();
    let (Some(repository), Some(store)) = (&place.repository, &world.snapshots) else {
        return nothing(CommitOutcome::Refused("there is no git repository".to_owned()));
    };
    let key = message(&world.plan, turn, of).key();
    let objection = |made: &Made| objection_to(world, repository, made);
    if let Some(outcome) = begun_commit::made_before(&world.folder, repository, turn, &key, objection)? {
        return nothing(outcome);
    }
    // Git would refuse here if it were the person's own that is under way.
    if let Some(why) = world.loan.as_ref().map_or(Ok(None), Loan::half_done)? {
        return nothing(CommitOutcome::Refused(why));
    }
    let Some(since) = since else {
        return nothing(CommitOutcome::NothingToCommit);
    };
    let since = store.load(since)?;
    let otherwise = committed_otherwise(world, repository, turn, &since)?;
    let Some(candidate) = &world.latest else {
        return nothing(CommitOutcome::NothingToCommit);
    };
    let mut changed = changed_paths(&since, &candidate.inventory);
    changed.extend(otherwise);
    // What the runner writes it writes after the agent, which may have left there what the runner says now.
    let own = own_paths(&world.plan, &place, &candidate.inventory);
    changed.extend(own.into_iter().filter(|path| since.file(path).is_some()));
    changed.extend(world.along.iter().cloned());
    changed.sort_unstable();
    changed.dedup();
    // What a check wrote and nobody has touched since is not the iteration's.
    let theirs: BTreeSet<&Vec<u8>> = world.by_checks.theirs(&since, &candidate.inventory).collect();
    changed.retain(|path| !theirs.contains(path));
    // The task file is never given up, whatever the agent does with it.
    changed
        .retain(|path| candidate.inventory.entry(path).is_some() || !is_own_file(&world.plan, &place, path));
    let repository = repository.clone();
    let repository = &repository;
    give_up_committed(world, repository)?;
    leave_a_persons(world, &mut changed);
    let (Some(store), Some(candidate)) = (&world.snapshots, &world.latest) else {
        return nothing(CommitOutcome::NothingToCommit);
    };
    let scene = Scene { repository, store, candidate: &candidate.inventory };
    let held = withhold::hold_back(&scene, &world.plan.withholding, &mut changed)?;
    if let Some(why) = filters::prepare(world, repository, &changed)? {
        return Ok((CommitOutcome::Refused(why), held));
    }
    let (Some(store), Some(candidate)) = (&world.snapshots, &world.latest) else {
        return nothing(CommitOutcome::NothingToCommit);
    };
    let message = message(&world.plan, turn, of).text(&world.plan.message);
    let (inventory, hooks) = (&candidate.inventory, hooks(&world.plan));
    let candidate = Candidate { inventory, changed: &changed, message: &message, hooks, timeout: HOOKS };
    begun_commit::begin(&world.folder, repository, turn, key)?;
    let objection = |made: &Made| objection_to(world, repository, made);
    let outcome = windlass_git::commit::commit(repository, store, &candidate, objection)?;
    if let CommitOutcome::Committed { commit, .. } = &outcome {
        world.along.clear();
        world.own_commit = Some(commit.to_string());
        forget_put_back(&world.folder)?;
    }
    Ok((outcome, held))
}

/// What speaks against keeping a commit: hooks have put something into it that is left out.
pub(super) fn objection_to(
    world: &WorkingTree,
    repository: &Repository,
    made: &Made,
) -> Result<Option<String>, CommitError> {
    let is_a_persons = |path: &[u8]| holding(&world.uncommitted, path).is_some();
    Ok(put_in::objection(repository, &world.plan.withholding, made, is_a_persons)?)
}

/// What somebody else has committed since the runner's last commit, or taken out of the history, and what the tree has otherwise. In the
/// snapshot it may be as it is now, and the changes since then do not name it.
fn committed_otherwise(
    world: &mut WorkingTree,
    repository: &Repository,
    turn: TurnKey,
    since: &Snapshot,
) -> Result<Vec<Vec<u8>>, WorkError> {
    // A lane's own checkout is the runner's to move.
    if world.plan.lanes.is_some() {
        return Ok(Vec::new());
    }
    let head = world.checked_out()?;
    if head == world.own_commit {
        return Ok(Vec::new());
    }
    let Some(there) = damage::committed(world, repository, head.as_deref()) else { return Ok(Vec::new()) };
    // Of a commit that is gone nothing is known.
    let Some(own) = world.own_commit.clone() else { return Ok(Vec::new()) };
    let Ok(before) = repository.files_of(&own) else { return Ok(Vec::new()) };
    // A run's commit that deleted a file is taken back, or the attempt has deleted what somebody else had committed.
    let is_taken_back = match &head {
        Some(head) => repository.is_in_history_of(head, &own)?,
        None => true,
    };
    let began = world.kept(turn, Side::Before)?;
    let Some(candidate) = &world.latest else { return Ok(Vec::new()) };
    let inventory = &candidate.inventory;
    let was_here = |path: &Vec<u8>| {
        is_taken_back
            || [Some(since), began.as_ref()].into_iter().flatten().any(|tree| tree.content(path).is_some())
    };
    let differs = |path: &Vec<u8>| {
        let now = inventory.entry(path).filter(|entry| !entry.ignored);
        let is_known = now.is_some() || !inventory.is_unread(path) && was_here(path);
        is_known && now.map(|entry| (entry.kind, entry.content)) != there.get(path).copied()
    };
    // What the guard has put back is no work: a person's commit of it stays.
    let protected = world.guard.protected(world.plan.guard.protected.iter()).ok();
    let is_protected = |path: &Vec<u8>| {
        let place = world.surveyor.place();
        protected.as_ref().is_some_and(|protected| guard::is_protected(place, protected, as_path(path)))
    };
    let moved = before.keys().chain(there.keys()).filter(|path| before.get(*path) != there.get(*path));
    Ok(moved.filter(|path| differs(path) && !is_protected(path)).cloned().collect())
}

/// What the commit of a turn is about.
pub(super) fn message<'a>(plan: &'a RunSpec, turn: TurnKey, of: Subject<'a>) -> Message<'a> {
    let task = of.task.map(|row| TaskText {
        id: &row.id.0,
        title: &row.title,
        kind: row.kind.as_deref(),
        breaking: row.breaking.as_deref(),
    });
    Message {
        outcome: match of.kind {
            CommitKind::Complete => WorkOutcome::Complete,
            CommitKind::Progress => WorkOutcome::Progress,
            CommitKind::Attempted => WorkOutcome::Attempted,
        },
        run: &plan.run.0,
        iteration: turn.iteration,
        job: &plan.job.title,
        feature: plan.job.tasks.as_ref().and_then(|tasks| tasks.feature.as_deref()),
        task,
    }
}

/// What somebody has committed since it was found uncommitted is a person's no more; said once, since the runner did not commit it.
fn give_up_committed(world: &mut WorkingTree, repository: &Repository) -> Result<(), WorkError> {
    if world.uncommitted.is_empty() {
        return Ok(());
    }
    let head = world.checked_out()?;
    let Some(committed) = damage::committed(world, repository, head.as_deref()) else { return Ok(()) };
    let now = |path: &Vec<u8>| Some(world.latest.as_ref()?.inventory.entry(path)?.content);
    let is_committed = |(path, theirs): &(&Vec<u8>, &Option<ObjectId>)| {
        let there = committed.get(path.as_slice()).map(|(_, content)| *content);
        match world.uncommitted_base.get(path.as_slice()) {
            // Where only the index or permissions differed, the files were the commit's all the time.
            Some(base) => there != *base && (there == **theirs || there == now(path)),
            None => theirs.is_some() && there == **theirs,
        }
    };
    let since: BTreeSet<Vec<u8>> =
        world.uncommitted.iter().filter(is_committed).map(|(path, _)| path.clone()).collect();
    if since.is_empty() {
        return Ok(());
    }
    take_out(&world.folder, &since)?;
    world.uncommitted.retain(|path, _| !since.contains(path));
    let listing = windlass_core::recovery::listed(since.iter().map(Vec::as_slice));
    world.notices.push(format!(
        "what was uncommitted before has been committed meanwhile, and not by the runner: {listing}; was it not you, \
         `git log -1 -- FILE` names the commit"
    ));
    Ok(())
}

/// Takes out what a person had not committed when a session began, and, said once, files that hold both: theirs and the
/// iteration's changes cannot be told apart.
fn leave_a_persons(world: &mut WorkingTree, changed: &mut Vec<Vec<u8>>) {
    let mut both = Vec::new();
    changed.retain(|path| {
        let Some(theirs) = world.uncommitted.get(path) else {
            // In a folder that was left out, or not.
            return holding(&world.uncommitted, path).is_none();
        };
        let now =
            world.latest.as_ref().and_then(|look| look.inventory.entry(path)).map(|entry| entry.content);
        let was_committed = world.uncommitted_base.get(path).is_some_and(Option::is_some);
        if now != *theirs && (now.is_some() || was_committed) {
            both.push(path.clone());
        }
        false
    });
    both.retain(|path| world.held_back.insert(path.clone()));
    if !both.is_empty() {
        let listing = windlass_core::recovery::listed(both.iter().map(Vec::as_slice));
        world.notices.push(format!(
            "not committed, since uncommitted changes from before are in the same files: {listing}; commit them yourself"
        ));
    }
}

/// What differs between a snapshot and the candidate. What git ignores is never committed, of what the snapshot left out
/// nothing is known but the commit of a submodule, and what cannot be read any more is not gone.
pub(super) fn changed_paths(since: &Snapshot, candidate: &Inventory) -> Vec<Vec<u8>> {
    let is_submodule = |content: Option<(EntryKind, ObjectId)>| {
        content.is_some_and(|(kind, _)| kind == EntryKind::Submodule)
    };
    let unknown = |path: &[u8]| {
        !is_submodule(since.content(path)) && since.left_out.iter().any(|left| left.path == path)
    };
    let differs = |entry: &&windlass_git::inventory::Entry| {
        let before = since.content(&entry.path);
        let left = entry.ignored || unknown(&entry.path) || is_half_written(&entry.path);
        before != Some((entry.kind, entry.content)) && !left
    };
    let changed = candidate.entries.iter().filter(differs).map(|entry| entry.path.clone());
    let is_gone = |path: &[u8]| candidate.entry(path).is_none() && !candidate.is_unread(path);
    let removed = since.files.iter().filter(|file| is_gone(&file.path));
    changed.chain(removed.map(|file| file.path.clone())).collect()
}
