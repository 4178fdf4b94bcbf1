//! What the engine's worker does: looking at the tree, snapshots, prompts, commits, reading a dead call's stream.

use std::collections::BTreeMap;
use std::time::Duration;

use windlass_core::report;
use windlass_core::run::{CommitKind, Effect, Input, NotesShare, Occasion, TurnKey};
use windlass_core::spec::ClaimSource;
use windlass_core::values::{
    CheckOutcome, CommitNotes, Evidence, JobStatus, LaneId, Purpose, SnapshotId, StopReason,
};
use windlass_jobs::prompt::{Earlier, FailedCheck, Notes, PromptParts, Templates, holds_signal};

use super::{Arrival, Halt, Runner, Step};
use crate::plant::Plant;
use crate::record::What;
use crate::script::{Hook, SIGNAL};
use crate::world::{Actor, NAMES, PLAN, Side, Tree};

/// An effect, and when the worker will have carried it out.
#[derive(Debug)]
pub(super) struct Job {
    effect: Effect,
    pub due: Duration,
}

/// What the worker remembers in a session.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) latest: Option<Look>,
    pub(super) by_checks: BTreeMap<u8, u32>,
    /// The attempt whose beginning this session has seen.
    began: Option<TurnKey>,
    /// What the newest one changed that was not for it to change.
    strays: Option<Vec<u8>>,
}

/// What was seen of a tree.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub tree: Tree,
    pub evidence: Evidence,
    pub snapshot: Option<SnapshotId>,
    pub trouble: bool,
}

/// Why the worker could not do it.
pub(super) enum Trouble {
    Failed(StopReason, &'static str),
    Halted(Halt),
}

impl From<Halt> for Trouble {
    fn from(halt: Halt) -> Trouble {
        Trouble::Halted(halt)
    }
}

pub(super) type Worked = Result<Vec<Input>, Trouble>;

impl Runner<'_> {
    pub(super) fn add_job(&mut self, effect: Effect) {
        let takes = Duration::from_millis(match effect {
            Effect::Prepare { .. } => 3,
            Effect::Deliver { .. } => 700,
            Effect::Commit { .. } => 60,
            Effect::Land { .. } if self.world.locked > 0 => 10_000,
            _ => 12,
        });
        let begins = self.jobs.back().map_or(self.world.clock.monotonic(), |job| job.due);
        self.jobs.push_back(Job { effect, due: begins + takes });
    }

    pub(super) fn carry_out(&mut self, job: Job) -> Step {
        self.enter(job.effect.lane().unwrap_or_default());
        self.step()?;
        let (lane, of) = (self.here, job.effect.lane());
        let in_checkout = needs_checkout(&job.effect);
        let finds = in_checkout && !matches!(job.effect, Effect::Open { .. });
        let worked = match job.effect {
            _ if finds && self.is_lost() => Ok(Vec::new()),
            Effect::Survey(Occasion::Start) => self.survey(),
            Effect::Survey(Occasion::Resume) => self.survey_again(),
            Effect::Survey(Occasion::Hook) => self.survey_after_hook(),
            Effect::Prepare { lane, turn, purpose: Purpose::Review, .. } if self.is_little(turn) => {
                let (iteration, attempt) = (turn.iteration, turn.attempt);
                let lines = turn.iteration % 3 / 2;
                let skipped = report::ReviewSkipped { lane, iteration, attempt, lines };
                self.keep_beginning(turn).map(|()| vec![Input::from(skipped)])
            }
            Effect::Prepare { lane, turn, purpose, notes, .. } => {
                self.prepare(turn, purpose, notes).map(|()| vec![Input::from(report::Prepared { lane })])
            }
            Effect::Recover { lane, call, .. } => {
                let report = Box::new(self.recovered(call));
                self.stream_read(call);
                Ok(vec![Input::from(report::CallEnded { lane, call, report })])
            }
            Effect::Keep { lane, turn } => {
                let standing = self.standing();
                let kept = self.keep(turn);
                let strays = self.strays(turn);
                let forbidden_changes = u32::try_from(strays.len()).unwrap_or(u32::MAX);
                self.memory.strays = Some(strays);
                kept.map(|(inputs, evidence, snapshot, changed)| {
                    let standing = standing.clone();
                    let taken = report::SnapshotTaken {
                        lane,
                        evidence,
                        snapshot,
                        changed,
                        forbidden_changes,
                        standing,
                    };
                    inputs.into_iter().chain([Input::from(taken)]).collect()
                })
            }
            Effect::Refuse { lane, turn } => self.refuse(turn).map(|(files, undone, evidence)| {
                let count = u32::try_from(files.len()).unwrap_or(u32::MAX);
                vec![Input::from(report::ForbiddenChangesReverted { lane, count, files, undone, evidence })]
            }),
            // Simulated agents damage the repository only beyond repair.
            Effect::Undo { lane, .. } => self.look().map(|look| {
                let evidence = look.evidence.clone();
                self.remember(look);
                vec![Input::from(report::Undone { lane, evidence, standing: None })]
            }),
            Effect::Settle { lane, .. } => self.look().map(|look| {
                let evidence = look.evidence.clone();
                self.note_checks(&look);
                self.remember(look);
                vec![Input::from(report::TreeRechecked { lane, evidence })]
            }),
            Effect::Commit { lane, turn, since, what } => {
                self.commit(turn, since.as_ref(), what).map(|(commit, evidence, altered, refused)| {
                    let hook_output = refused.clone(); // Nothing else refuses here.
                    let notes = CommitNotes { beside: self.beside(), hook_output, ..CommitNotes::default() };
                    vec![Input::from(report::Committed { lane, commit, evidence, altered, refused, notes })]
                })
            }
            Effect::Open { turn, .. } => self.open_lane(turn),
            Effect::Merge { turn, commit, .. } => self.merge(turn, commit.as_deref()),
            Effect::Land { lane, turn, commit, tip, task } => {
                self.land(lane, turn, commit.as_deref(), &tip, &task)
            }
            Effect::CloseTask { turn, task, end, since, .. } => {
                self.close_task(turn, &task, &end, since.as_ref())
            }
            Effect::LogDecision { turn, .. } => self.log_decision(turn),
            // Nobody is to be told in a simulated night.
            Effect::Announce => Ok(vec![Input::Announced]),
            Effect::Deliver { .. } => self.send_out(&job.effect),
            Effect::Issue { .. }
            | Effect::RunCheck { .. }
            | Effect::RunHook { .. }
            | Effect::Call { .. }
            | Effect::EndCall { .. } => Ok(Vec::new()),
        };
        // Whatever was done there, or could not be: somebody has removed it meanwhile.
        let worked = match worked {
            Ok(_) | Err(Trouble::Failed(StopReason::DestructiveChange, _))
                if in_checkout && self.is_lost() =>
            {
                Ok(vec![Input::from(report::LaneLost::removed(lane))])
            }
            worked => worked,
        };
        match worked {
            Ok(inputs) => self.answers(of, inputs),
            Err(Trouble::Failed(reason, said)) => {
                self.inbox.push_back(Arrival::WorkFailed(reason, said.to_owned()));
            }
            Err(Trouble::Halted(halt)) => return Err(halt),
        }
        self.step()
    }

    /// Has so little changed that no reviewer is asked? In some nights, of some iterations.
    fn is_little(&self, turn: TurnKey) -> bool {
        let skips = self.plan.review.as_ref().is_some_and(|review| review.skip_below_lines > 0);
        skips && !turn.iteration.is_multiple_of(3)
    }

    fn prepare(&mut self, turn: TurnKey, purpose: Purpose, share: NotesShare) -> Result<(), Trouble> {
        self.keep_beginning(turn)?;
        self.begin_attempt_at_boxes();
        self.memory.began = Some(turn);
        if self.world.disk.is_full() {
            return Err(Trouble::Failed(StopReason::DiskFull, "the disk is full"));
        }
        let notes = self.plan.job.notes_file.as_ref().and(self.world.notes.as_deref());
        let refused = self.core.run.refused_by();
        let failed = |outcome: &CheckOutcome| !outcome.passed();
        let parts = PromptParts {
            plan: &self.plan,
            turn,
            purpose,
            goal: "Do what is to be done.",
            templates: Templates::default(),
            findings: self.core.run.findings(),
            held: &[],
            standing: self.core.run.standings().latest(),
            notes: notes.map(|bytes| Notes::take(bytes, share)),
            refused: refused
                .iter()
                .filter(|outcome| failed(outcome))
                .map(|outcome| FailedCheck {
                    command: "check",
                    outcome,
                    tail: format!("something\n{SIGNAL}\n"),
                    earlier: Earlier::Nothing,
                })
                .collect(),
            agents_file: None,
            hook: &self.core.run.hook_prompt(),
            task_work: None,
            refused_commit: self.core.run.hook_refusal(LaneId::default()),
            damage: &self.core.run.damage_prompt(),
            returned: None,
            plan_work: None,
            collected: Some(self.core.run.collected()),
            phase_work: None,
            rejection: self.core.run.rejection(LaneId::default()),
            review: None,
            settled: self.core.run.decisions(),
            conflict: self.core.run.conflict(self.here),
        };
        let prompt = windlass_jobs::compose(&parts);
        let decisions = prompt.user.matches("\n   Decided: ").count();
        if purpose == self.plan.job.mode.purpose() {
            self.note(What::Prepared { decisions });
        }
        let by_phrase = self.plan.job.mode.claim() == ClaimSource::Phrase;
        if by_phrase && holds_signal(&prompt.user, SIGNAL) || holds_signal(&prompt.system, SIGNAL) {
            self.note(What::BadPrompt("it holds the completion phrase on a line of its own"));
        }
        let same =
            self.system_prompts.entry(purpose).or_insert_with(|| prompt.system.clone()) == &prompt.system;
        if !same {
            self.note(What::BadPrompt("its system prompt is not the same in every iteration"));
        }
        Ok(())
    }

    fn keep(&mut self, turn: TurnKey) -> Result<(Vec<Input>, Evidence, Option<SnapshotId>, u32), Trouble> {
        let look = self.look()?;
        let destroyed = look.trouble.then(|| {
            Input::from(report::Failed {
                stop_reason: StopReason::DestructiveChange,
                detail: "the git repository was damaged while the agent worked".to_owned(),
            })
        });
        let examined = Input::from(report::Suspected { lane: self.here, suspicions: self.missing_boxes() });
        let changed = self.memory.latest.as_ref().map_or(0, |before| before.tree.changes(&look.tree).count());
        let evidence = look.evidence.clone();
        let snapshot = self.keep_look(&look, turn, Side::After)?;
        self.memory.latest = Some(Look { snapshot: snapshot.clone(), ..look });
        Ok((
            destroyed.into_iter().chain(self.proposal(turn)).chain([examined]).collect(),
            evidence,
            snapshot,
            u32::try_from(changed).unwrap_or(0),
        ))
    }

    /// Files beside the plan that the agent made differ from what the attempt began with, where that matters.
    fn strays(&self, turn: TurnKey) -> Vec<u8> {
        if !self.plan.job.mode.writes_only_plan() || self.plant == Some(Plant::UnseenStrays) {
            return Vec::new();
        }
        let now = self.world.tree;
        let same_session = self.memory.began == Some(turn);
        let before = match self.world.snapshots.named((turn, Side::Before)) {
            Some(before) => *before,
            None => match &self.memory.latest {
                Some(look) if same_session => look.tree,
                _ => return Vec::new(),
            },
        };
        let after = self.world.snapshots.named((turn, Side::After));
        // A runner was started anew meanwhile: what is younger than the agent's end, or than its snapshot, is not its own.
        let is_the_agents = |file: &u8| {
            let younger = now.get(*file) != 0 && self.world.is_not_the_agents(*file);
            same_session || !younger && after.is_none_or(|after| after.get(*file) == now.get(*file))
        };
        before.changes(&now).filter(|file| *file != PLAN).filter(is_the_agents).collect()
    }

    /// Puts back what the agent was not to change; what somebody else has changed since is left alone.
    fn refuse(&mut self, turn: TurnKey) -> Result<(Vec<String>, bool, Evidence), Trouble> {
        let strays = self.memory.strays.take().unwrap_or_else(|| self.strays(turn));
        let named = |side| self.world.snapshots.named((turn, side)).copied();
        let ends = named(Side::Before).zip(named(Side::After));
        if let Some((before, after)) = ends.filter(|_| self.plant != Some(Plant::StraysStay)) {
            for file in &strays {
                if self.world.tree.get(*file) == after.get(*file) {
                    self.world.change(Actor::Runner, |tree| tree.put(*file, before.get(*file)));
                }
                self.step()?;
            }
        }
        let look = self.look()?;
        let evidence = look.evidence.clone();
        self.remember(look);
        let files = strays.iter().map(|file| NAMES[usize::from(*file)].to_owned()).take(5).collect();
        Ok((files, ends.is_some(), evidence))
    }

    fn keep_beginning(&mut self, turn: TurnKey) -> Result<(), Trouble> {
        let Some(mut look) = self.memory.latest.take() else { return Ok(()) };
        let named = match &look.snapshot {
            Some(id) => {
                let id = id.clone();
                self.world.snapshots.name(&id, (turn, Side::Before));
                Ok(())
            }
            None if self.plant == Some(Plant::UnkeptEdit) => Ok(()),
            None => self.keep_look(&look, turn, Side::Before).map(|kept| look.snapshot = kept),
        };
        self.memory.latest = Some(look);
        named
    }

    /// What the job's own file says.
    pub(super) fn standing(&self) -> Option<JobStatus> {
        if self.is_of_tasks() { Some(self.task_standing()) } else { self.world.standing(&self.plan.job) }
    }

    /// The same as the newest look, and where it is kept.
    pub(super) fn remember_kept(&mut self, look: Look, snapshot: Option<SnapshotId>) {
        self.memory.latest = Some(Look { snapshot, ..look });
    }

    pub(super) fn look(&self) -> Result<Look, Trouble> {
        if self.world.no_directory {
            let said = "the working directory is gone";
            return Err(Trouble::Failed(StopReason::DestructiveChange, said));
        }
        let trouble = self.plan.git && !self.world.git.exists();
        Ok(Look {
            tree: self.world.tree,
            evidence: self.world.evidence(&self.plan.job),
            snapshot: None,
            trouble,
        })
    }

    pub(super) fn remember(&mut self, look: Look) {
        let same = self.memory.latest.as_ref().filter(|latest| latest.evidence == look.evidence);
        let snapshot = same.and_then(|latest| latest.snapshot.clone());
        self.memory.latest = Some(Look { snapshot, ..look });
    }

    /// What differs from the tree that was judged, the checks wrote.
    pub(super) fn note_checks(&mut self, look: &Look) {
        let Some(judged) = &self.memory.latest else { return };
        for file in judged.tree.changes(&look.tree) {
            self.memory.by_checks.insert(file, look.tree.get(file));
        }
    }

    pub(super) fn keep_look(
        &mut self,
        look: &Look,
        turn: TurnKey,
        side: Side,
    ) -> Result<Option<SnapshotId>, Trouble> {
        if !self.plan.git {
            return Ok(None);
        }
        if self.world.disk.is_full() {
            return Err(Trouble::Failed(StopReason::DiskFull, "the disk is full"));
        }
        let name = (turn, side);
        if self.plant == Some(Plant::NameBeforeContent) {
            let id = self.world.snapshots.new_id();
            self.world.snapshots.name(&id, name);
            self.step()?;
            self.world.snapshots.write_as(id.clone(), look.tree);
            self.world.snapshots.sync(&id);
            self.world.snapshots.name(&id, name);
            return Ok(Some(id));
        }
        let id = self.world.snapshots.write(look.tree);
        self.step()?;
        self.world.snapshots.sync(&id);
        self.step()?;
        self.world.snapshots.name(&id, name);
        self.step()?;
        Ok(Some(id))
    }

    fn commit(
        &mut self,
        turn: TurnKey,
        since: Option<&SnapshotId>,
        what: CommitKind,
    ) -> Result<(Option<String>, Evidence, bool, Option<String>), Trouble> {
        self.write_down_before_commit(turn, what)?;
        let checked = if self.plan.checks.is_empty() { None } else { Some(self.look()?) };
        let (commit, altered, refused) = self.try_commit(turn, since)?;
        if let Some(checked) = &checked {
            self.note_checks(checked);
        }
        let look = self.look()?;
        let evidence = look.evidence.clone();
        // A hook may change what is in the tree without committing it.
        let altered = altered || checked.is_some_and(|checked| checked.tree != look.tree);
        self.remember(look);
        Ok((commit, evidence, altered, refused))
    }

    fn try_commit(
        &mut self,
        turn: TurnKey,
        since: Option<&SnapshotId>,
    ) -> Result<(Option<String>, bool, Option<String>), Trouble> {
        let (Some(since), Some(candidate)) = (since, &self.memory.latest) else {
            return Ok((None, false, None));
        };
        let candidate = candidate.tree;
        if self.plant != Some(Plant::RepeatedCommit)
            && let Some(commit) = self.world.git.marked(self.author(turn))
        {
            return Ok((Some(commit), false, None));
        }
        let Some(since) = self.world.snapshots.tree(since).copied() else {
            self.note(What::BadSnapshot(since.0.clone()));
            return Ok((None, false, None));
        };
        let head = self.world.git.head_tree();
        // A lane's own checkout holds nothing but its task's work: all that HEAD has not is to be committed.
        let since = if self.has_lanes() { head } else { since };
        let mut tree = head;
        for file in since.changes(&candidate) {
            let by_checks = self.memory.by_checks.get(&file) == Some(&candidate.get(file));
            if !by_checks {
                tree.put(file, candidate.get(file));
            }
        }
        if tree == head {
            // In a lane of its own, what the agent has committed by itself is its task's work as well.
            return Ok((self.has_lanes().then(|| self.world.git.work_in_lane()).flatten(), false, None));
        }
        let wanted = tree;
        match self.script.hook {
            Hook::None => {}
            Hook::Refuses => {
                self.note(What::HookRan("refuses the commit"));
                return Ok((None, false, Some("the hook says no".to_owned())));
            }
            Hook::FormatsAndRefuses => {
                let content = self.world.new_content();
                self.hook("formats a file and refuses the commit", 1, content);
                return Ok((None, false, Some("the hook says no".to_owned())));
            }
            Hook::Formats => {
                let content = self.world.new_content();
                self.hook("formats a file", 1, content);
                tree.put(1, content);
            }
            Hook::Breaks => {
                let less = wanted.done().saturating_sub(1);
                self.hook("undoes a piece of the work", 0, less);
                tree.put(0, less);
            }
            Hook::Litters => {
                let content = self.world.new_content();
                self.hook("leaves a file that is not committed", 6, content);
            }
        }
        self.step()?;
        let commit = self.world.git.commit(tree, self.author(turn));
        if !self.has_lanes() {
            self.note(What::Committed { iteration: turn.iteration, commit: commit.clone() });
        }
        self.step()?;
        Ok((Some(commit), tree != wanted, None))
    }

    fn hook(&mut self, said: &'static str, file: u8, content: u32) {
        self.world.change(Actor::Hook, |tree| tree.put(file, content));
        self.note(What::HookRan(said));
    }
}

/// Is it about the files of the lane that is at it?
const fn needs_checkout(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Open { .. }
            | Effect::Prepare { .. }
            | Effect::Keep { .. }
            | Effect::Refuse { .. }
            | Effect::Undo { .. }
            | Effect::Settle { .. }
            | Effect::Commit { .. }
            | Effect::Merge { .. }
    )
}
