//! A run's facts, folded into what there is to see of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::values::{
    AgentIndex, CallId, CallSummary, CheckOutcome, CheckResult, CheckStage, Cost, LandOutcome, LaneId,
    Purpose, Spent, TaskEnd, TaskId, WindowShare, between,
};

use super::{
    CallSeen, GateSeen, GateStanding, IterationSeen, Landing, PlacesSeen, RunSeen, TaskOutcome, TaskSeen,
    WaitSeen, WaitedFor, Wasted, aside,
};
use crate::board::Board;
use crate::document::{RunState, RunStatus};
use crate::format;
use crate::harmless::one_line;
use crate::narrate;

/// A run, folded fact by fact. Nothing of it is lost when the run goes on: the next fact is taken in, and it is seen again.
#[derive(Clone, Debug, Default)]
pub struct Course {
    pub(super) board: Board,
    pub(super) iterations: BTreeMap<u32, IterationSeen>,
    /// What its attempts that were repeated cost.
    repeated: BTreeMap<u32, Cost>,
    /// Where each call belongs.
    places: BTreeMap<CallId, u32>,
    /// The iteration that each lane is at, or was at last.
    at: BTreeMap<LaneId, u32>,
    /// The tree that was kept last in each lane.
    trees: BTreeMap<LaneId, String>,
    /// The checks, before the first iteration.
    before: BTreeMap<u16, CheckResult>,
    /// The iteration whose work each check has judged last; once something has landed, of what has.
    judged: BTreeMap<u16, u32>,
    landed: bool,
    /// What the commit of an iteration does not hold of what was judged.
    lacks: BTreeMap<u32, Vec<String>>,
    tasks: Vec<TaskSeen>,
    waits: Vec<WaitSeen>,
    windows: Vec<WindowShare>,
    damage: Vec<String>,
    pub(super) aside: Vec<aside::Put>,
    ended: Option<Timestamp>,
    seq: u64,
}

impl Course {
    /// Takes a fact in.
    pub fn take(&mut self, entry: &Entry) {
        self.board.fact(entry);
        self.seq = entry.seq;
        let now = entry.at.wall;
        match &entry.fact {
            Fact::RunResumed { .. } => self.ended = None,
            Fact::RunFinished { .. } => self.end(now),
            Fact::IterationStarted { lane, iteration, task } => {
                self.begin(*lane, *iteration, task.as_ref(), now);
            }
            Fact::CallReserved { call, iteration, attempt, purpose, agent, .. } => {
                self.reserve(*call, *iteration, (*attempt, *purpose, *agent), now);
            }
            Fact::CallFinished { call, summary, .. } => self.finish_call(*call, summary, now),
            Fact::CallRecharged { .. } => self.recharge(&entry.fact),
            Fact::AttemptRepeats { iteration, attempt, .. } => self.repeat(*iteration, *attempt),
            Fact::SnapshotTaken(report::SnapshotTaken { lane, evidence, .. }) => {
                self.trees.insert(*lane, evidence.tree.clone());
            }
            Fact::CheckFinished(report::CheckFinished { lane, stage, outcome }) => {
                self.check(*lane, *stage, outcome);
            }
            Fact::Committed(committed) => self.committed(committed),
            Fact::Landed(report::Landed { lane, outcome: LandOutcome::Landed { commit } }) => {
                self.land(*lane, commit);
            }
            Fact::IterationFinished { iteration, .. } => self.finish(*iteration, &entry.fact, now),
            Fact::TaskClosed(closed) => self.close(closed),
            Fact::ForbiddenChangesReverted(reverted) => {
                let iteration = self.at.get(&reverted.lane).copied().unwrap_or_default();
                self.aside.extend(aside::Put::forbidden(iteration, reverted));
            }
            Fact::Damaged(damaged) => {
                self.damage.extend(damaged.found.iter().map(|damage| one_line(&damage.sentence)));
                self.aside.extend(aside::Put::undone(damaged));
            }
            // Further ones prolong a wait that goes on.
            Fact::BackoffStarted { class, .. }
                if self.waits.last().is_none_or(|wait| wait.ended.is_some()) =>
            {
                self.waits.push(WaitSeen { since: now, ended: None, class: *class });
            }
            Fact::BackoffEnded => self.end_wait(now),
            _ => {}
        }
    }

    /// All of these.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Course {
        let mut course = Course::default();
        entries.into_iter().for_each(|entry| course.take(entry));
        course
    }

    /// The number of the last fact that was taken in; 0 before any.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// How long a session has been at work since the last fact, by its last sign of life.
    pub fn works_unseen(&mut self, unseen: Duration) {
        self.board.works_unseen(unseen);
    }

    /// What the views fold.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Its calls so far, each with its iteration, in the order of those.
    pub fn calls(&self) -> impl Iterator<Item = (&IterationSeen, &CallSeen)> {
        self.iterations.values().flat_map(|round| round.calls.iter().map(move |call| (round, call)))
    }

    /// How hard it was asked to stop: 0 to 3.
    pub fn stop_stage(&self) -> u8 {
        self.board.stop.map_or(0, |(_, stage)| stage)
    }

    /// Where it works; `None` for a journal without a beginning.
    pub fn directory(&self) -> Option<&Path> {
        self.board.plan.as_ref().map(|plan| plan.directory.as_path())
    }

    /// The branches of tasks that were parked: whoever asks git about its places asks about these.
    pub fn parked_branches(&self) -> impl Iterator<Item = &str> {
        self.aside.iter().filter_map(aside::Put::branch)
    }

    /// The run as it stands; `unfinished` and `counted` are as in [`RunStatus::new`]. `places` is what git said of where its work is:
    /// `None` where that is no repository, or is not to be asked.
    pub fn seen(
        &self,
        (unfinished, counted): (RunState, Option<u64>),
        places: Option<&PlacesSeen>,
        now: Timestamp,
    ) -> RunSeen {
        let status = RunStatus::new(&self.board, unfinished, counted, now);
        let ending = self.board.ending.as_ref();
        let proof = ending.and_then(|ending| narrate::proof(&self.board, ending.reason));
        let rounds = self.rounds(status.state, now);
        let mut wasted = Wasted::default();
        for round in &rounds {
            wasted += round.wasted;
        }
        RunSeen {
            elsewhere: None,
            proof: proof.unwrap_or_default(),
            ended: self.ended,
            rounds,
            verdicts: self.board.tally,
            wasted,
            gates: self.gates(),
            begun: self.tasks_seen(),
            waits: self.waits.clone(),
            windows: self.windows.clone(),
            damage: self.damage.clone(),
            pull_request: self.board.delivery.url.clone(),
            landing: Landing::of(&self.board, &status, places),
            aside: aside::seen(self, &status, places),
            waited_for: WaitedFor::of(&self.board, &status),
            status,
        }
    }

    /// Its iterations as they are in a run that stands so now.
    fn rounds(&self, state: RunState, now: Timestamp) -> Vec<IterationSeen> {
        let mut rounds = self.iterations.clone();
        match state {
            RunState::Running => {
                for (lane, iteration) in &self.at {
                    let begun = rounds.get_mut(iteration).filter(|round| round.lane == *lane);
                    if let Some(round) = begun.filter(|round| round.ended.is_none()) {
                        round.at_work = true;
                        round.duration_ms = format::millis(between(round.started, now));
                    }
                }
            }
            // What was reserved for calls that were cut off counts as spent, and was in vain.
            RunState::Interrupted => {
                for (call, cost) in self.board.unsettled_calls() {
                    let place = self.places.get(&call);
                    if let Some((number, round)) = place.and_then(|at| Some((at, rounds.get_mut(at)?))) {
                        round.cost += cost;
                        round.estimated_cost += cost;
                        if let Some(cut_off) = round.calls.iter_mut().find(|seen| seen.call == call) {
                            cut_off.cost += cost;
                            cut_off.estimated = true;
                        }
                        let repeated = self.repeated.get(number).copied().unwrap_or_default();
                        round.wasted = Wasted::of(round.verdict, round.cost, repeated + cost);
                    }
                }
            }
            RunState::Claimed | RunState::Ended(_) => {}
        }
        rounds.into_values().collect()
    }

    fn begin(&mut self, lane: LaneId, iteration: u32, task: Option<&TaskId>, now: Timestamp) {
        self.at.insert(lane, iteration);
        // One whose checkout was lost begins anew, and what it has cost stays.
        let seen = self.iterations.entry(iteration).or_insert_with(|| IterationSeen {
            iteration,
            started: now,
            ..IterationSeen::default()
        });
        seen.lane = lane;
        seen.task = task.cloned();
        if let Some(task) = task {
            let known = self.tasks.iter_mut().find(|known| known.task == *task);
            match known {
                Some(known) if !known.iterations.contains(&iteration) => known.iterations.push(iteration),
                Some(_) => {}
                None => self.tasks.push(TaskSeen {
                    task: task.clone(),
                    iterations: vec![iteration],
                    ..TaskSeen::default()
                }),
            }
        }
    }

    fn reserve(
        &mut self,
        call: CallId,
        iteration: u32,
        (attempt, purpose, agent): (u32, Purpose, AgentIndex),
        now: Timestamp,
    ) {
        self.places.insert(call, iteration);
        let by = if self.board.has_chain() { self.board.agent_name(agent) } else { String::new() };
        let Some(seen) = self.iterations.get_mut(&iteration) else { return };
        seen.calls.push(CallSeen { call, attempt, purpose, agent, by, started: now, ..CallSeen::default() });
    }

    fn finish_call(&mut self, call: CallId, summary: &CallSummary, now: Timestamp) {
        for share in &summary.windows {
            match self.windows.iter_mut().find(|known| known.window == share.window) {
                Some(known) => known.clone_from(share),
                None => self.windows.push(share.clone()),
            }
        }
        let iteration = self.places.get(&call).and_then(|iteration| self.iterations.get_mut(iteration));
        let Some(seen) = iteration else { return };
        seen.cost += summary.cost;
        seen.estimated_cost += Spent::of(summary.cost, summary.estimated).estimated;
        seen.tokens += summary.tokens;
        let Some(known) = seen.calls.iter_mut().rev().find(|known| known.call == call) else { return };
        known.ended = Some(now);
        known.class = Some(summary.class);
        known.model = one_line(&summary.model);
        known.detail = one_line(&summary.detail);
        (known.cost, known.estimated, known.tokens) = (summary.cost, summary.estimated, summary.tokens);
        known.tool_uses = summary.tool_uses;
        known.denied = u32::try_from(summary.denials.len()).unwrap_or(u32::MAX);
        known.denials.clone_from(&summary.denials);
    }

    fn recharge(&mut self, fact: &Fact) {
        let Fact::CallRecharged { call, cost, estimated, tokens, replaces, replaces_tokens, .. } = fact
        else {
            return;
        };
        let Some(iteration) = self.places.get(call).copied() else { return };
        let Some(seen) = self.iterations.get_mut(&iteration) else { return };
        let spent = Spent { cost: seen.cost, estimated: seen.estimated_cost };
        let spent = spent.with(Spent::of(*cost, *estimated), *replaces);
        (seen.cost, seen.estimated_cost) = (spent.cost, spent.estimated);
        seen.tokens = seen.tokens.with(*tokens, *replaces_tokens);
        let Some(known) = seen.calls.iter_mut().rev().find(|known| known.call == *call) else { return };
        (known.cost, known.estimated, known.tokens) = (*cost, *estimated, *tokens);
        if known.repeated {
            let repeated = self.repeated.entry(iteration).or_default();
            *repeated = repeated.minus(*replaces) + *cost;
        }
        let repeated = self.repeated.get(&iteration).copied().unwrap_or_default();
        seen.wasted = Wasted::of(seen.verdict, seen.cost, repeated);
    }

    fn repeat(&mut self, iteration: u32, attempt: u32) {
        let Some(seen) = self.iterations.get_mut(&iteration) else { return };
        for call in seen.calls.iter_mut().filter(|call| call.attempt == attempt && !call.repeated) {
            call.repeated = true;
            *self.repeated.entry(iteration).or_default() += call.cost;
        }
        seen.wasted = Wasted::of(None, seen.cost, self.repeated.get(&iteration).copied().unwrap_or_default());
    }

    fn check(&mut self, lane: LaneId, stage: CheckStage, outcome: &CheckOutcome) {
        if stage == CheckStage::Baseline {
            self.before.insert(outcome.check, outcome.result);
            return;
        }
        let seen = self.at.get(&lane).and_then(|iteration| self.iterations.get_mut(iteration));
        let Some(seen) = seen else { return };
        if !self.landed {
            self.judged.insert(outcome.check, seen.iteration);
        }
        // What a merge made is a commit, and no tree that was kept.
        let tree = self.trees.get(&lane).filter(|_| stage != CheckStage::Merged).cloned();
        seen.gates.push(GateSeen {
            check: outcome.check,
            stage,
            result: outcome.result,
            last_line: one_line(outcome.told()),
            duration_ms: format::millis(outcome.duration),
            tree,
        });
    }

    fn committed(&mut self, committed: &report::Committed) {
        let report::Committed { lane, commit, evidence, altered, notes, .. } = committed;
        if *altered {
            // This is what is judged next.
            self.trees.insert(*lane, evidence.tree.clone());
        }
        let Some(commit) = commit else { return };
        self.commit(*lane, commit);
        if let Some(iteration) = self.at.get(lane) {
            self.lacks.insert(*iteration, notes.lacks.iter().map(|path| one_line(path)).collect());
        }
    }

    fn land(&mut self, lane: LaneId, commit: &str) {
        self.commit(lane, commit);
        self.landed = true;
        let round = self.at.get(&lane).and_then(|iteration| self.iterations.get(iteration));
        if let Some(round) = round {
            self.judged.extend(round.gates.iter().map(|gate| (gate.check, round.iteration)));
        }
    }

    fn commit(&mut self, lane: LaneId, commit: &str) {
        let seen = self.at.get(&lane).and_then(|iteration| self.iterations.get_mut(iteration));
        if let Some(seen) = seen {
            seen.commit = Some(commit.to_owned());
        }
    }

    fn finish(&mut self, iteration: u32, fact: &Fact, now: Timestamp) {
        let Fact::IterationFinished { lane, verdict, class, cost, estimated_cost, tokens, duration, .. } =
            fact
        else {
            return;
        };
        let repeated = self.repeated.get(&iteration).copied().unwrap_or_default();
        let changed = self.board.lanes.get(lane).map_or(0, |lane| lane.changed);
        let why = narrate::told(&self.board, fact);
        let Some(seen) = self.iterations.get_mut(&iteration) else { return };
        seen.ended = Some(now);
        (seen.verdict, seen.class, seen.why) = (Some(*verdict), Some(*class), why);
        // The run's own sums are the truth; ours serve the time before them.
        (seen.cost, seen.estimated_cost) = (*cost, *estimated_cost);
        seen.tokens = *tokens;
        seen.wasted = Wasted::of(Some(*verdict), *cost, repeated);
        seen.duration_ms = format::millis(*duration);
        seen.changed = changed;
    }

    fn close(&mut self, closed: &report::TaskClosed) {
        let title = self.board.title_of(&closed.task).unwrap_or_default().to_owned();
        if let Some(known) = self.tasks.iter_mut().find(|known| known.task == closed.task) {
            known.state = match &closed.end {
                TaskEnd::Done => TaskOutcome::Done,
                TaskEnd::Again { .. } => TaskOutcome::Open,
                TaskEnd::Parked { .. } => TaskOutcome::Parked,
            };
        }
        self.aside.extend(aside::Put::parked(closed, title));
    }

    fn end_wait(&mut self, now: Timestamp) {
        if let Some(wait) = self.waits.last_mut().filter(|wait| wait.ended.is_none()) {
            wait.ended = Some(now);
        }
    }

    fn end(&mut self, now: Timestamp) {
        self.end_wait(now);
        self.ended = Some(now);
    }

    fn tasks_seen(&self) -> Vec<TaskSeen> {
        let of_task = |task: &TaskSeen| {
            let rounds = task.iterations.iter().filter_map(|iteration| self.iterations.get(iteration));
            TaskSeen {
                title: one_line(self.board.title_of(&task.task).unwrap_or_default()),
                cost: rounds.clone().map(|round| round.cost).sum(),
                estimated_cost: rounds.clone().map(|round| round.estimated_cost).sum(),
                commits: rounds.filter_map(|round| round.commit.clone()).collect(),
                ..task.clone()
            }
        };
        self.tasks.iter().map(of_task).collect()
    }

    /// What the commit of an iteration does not hold. One that is merged with those of other lanes lacks what they do.
    fn lacking(&self, iteration: u32) -> Vec<String> {
        if self.board.plan.as_ref().is_none_or(|plan| plan.lanes.is_none()) {
            return self.lacks.get(&iteration).cloned().unwrap_or_default();
        }
        let all: BTreeSet<&String> = self.lacks.values().flatten().collect();
        all.into_iter().cloned().collect()
    }

    fn gates(&self) -> Vec<GateStanding> {
        let checks = self.board.plan.iter().flat_map(|plan| plan.checks.iter());
        let standing = (0_u16..).zip(checks).map(|(index, check)| {
            // Of lanes that work side by side it is not the one that began last.
            let judged = self.judged.get(&index).and_then(|iteration| {
                let round = self.iterations.get(iteration)?;
                Some((round, round.gates.iter().rev().find(|gate| gate.check == index)?))
            });
            GateStanding {
                kind: check.kind,
                command: check.command.clone(),
                before: self.before.get(&index).copied(),
                last: judged.map(|(_, last)| last.clone()),
                iteration: judged.map(|(round, _)| round.iteration),
                commit: judged.and_then(|(round, _)| round.commit.clone()),
                lacks: judged.map(|(round, _)| self.lacking(round.iteration)).unwrap_or_default(),
            }
        });
        standing.collect()
    }
}
