//! What a runner's own machine carries out: looks, landings, what is written down of tasks.

use windlass_core::report::{
    BaselineCaptured, CallEnded, CheckFinished, Landed, LaneLost, LanesClosed, Report, Surveyed, TaskClosed,
};
use windlass_core::run::{Effect, Order, Reported, TurnKey};
use windlass_core::values::{Evidence, LandOutcome, LaneId, TaskEnd, TaskId, TaskRow, TaskState};

use super::{Told, Waiting};
use crate::fleet::agenda::Event;
use crate::fleet::network::{Fate, Who};
use crate::fleet::night::Night;
use crate::fleet::plant::FleetPlant;
use crate::fleet::record::What;
use crate::fleet::worker::{lost_call, passed};

/// Before it is tried again to store what has landed.
const PAUSE: u64 = 500;

impl Night<'_> {
    pub(super) fn locally(&mut self, runner: usize, order: Order) {
        let takes = match &order.effect {
            Effect::Survey(_) => self.between(20, 400),
            Effect::Land { .. } => self.between(30, 1_500),
            _ => self.between(5, 150),
        };
        self.later(runner, takes, Event::LocalDone(Box::new(order)));
    }

    pub(super) fn local_done(&mut self, runner: usize, order: &Order) {
        let report: Report = match &order.effect {
            Effect::Survey(_) => self.survey(runner).into(),
            Effect::Land { lane, turn, commit, tip, .. } => {
                let landed = self.land(runner, *lane, *turn, commit.as_deref(), tip);
                if let Report::Landed(_) = landed {
                    return self.stored(runner, Reported::of(order.epoch, landed));
                }
                landed
            }
            Effect::CloseTask { lane, turn, task, end, .. } => {
                self.close_task(runner, *lane, *turn, task, end).into()
            }
            Effect::Recover { lane, call, .. } => {
                CallEnded { lane: *lane, call: *call, report: Box::new(lost_call()) }.into()
            }
            Effect::RunCheck { lane, stage, check, .. } => {
                CheckFinished { lane: *lane, stage: *stage, outcome: passed(*check) }.into()
            }
            Effect::Announce => LanesClosed {}.into(),
            _ => return self.stuck("the runner's machine is asked for what a worker does"),
        };
        self.tell(runner, Told::Reported(vec![Reported::of(order.epoch, report)]));
    }

    fn survey(&self, runner: usize) -> Surveyed {
        let branch = &self.machines[self.runners[runner].machine].branch;
        let landed = |task: &TaskId| branch.iter().any(|commit| task_of(commit) == task.0);
        let row = |row: &TaskRow| {
            let state = if landed(&row.id) { TaskState::Done } else { TaskState::Open };
            TaskRow { state, ..row.clone() }
        };
        let tasks = self.script.tasks.iter().map(|task| row(&task.row)).collect();
        let evidence = Evidence { head: Some(self.tip(runner)), tree: format!("{branch:?}"), work: None };
        let baseline = BaselineCaptured { evidence, snapshot: None, left_out: 0, standing: None };
        Surveyed { baseline, tasks: Some(tasks) }
    }

    /// Work reaches the branch once, whoever tries again.
    fn land(
        &mut self,
        runner: usize,
        lane: LaneId,
        turn: TurnKey,
        commit: Option<&str>,
        tip: &str,
    ) -> Report {
        let now = self.tip(runner);
        let machine = self.runners[runner].machine;
        let Some(commit) = commit else {
            return Landed { lane, outcome: LandOutcome::Landed { commit: now } }.into();
        };
        let branch = &self.machines[machine].branch;
        if let Some(there) = branch.iter().find(|there| is_of(there, turn)) {
            return Landed { lane, outcome: LandOutcome::Landed { commit: there.clone() } }.into();
        }
        if !self.machines[machine].commits.contains(commit) {
            return LaneLost::removed(lane).into();
        }
        if now != tip {
            return Landed { lane, outcome: LandOutcome::Moved }.into();
        }
        self.machines[machine].branch.push(commit.to_owned());
        self.note(What::Landed { machine, commit: commit.to_owned() });
        Landed { lane, outcome: LandOutcome::Landed { commit: commit.to_owned() } }.into()
    }

    /// What has landed is with the servers before its fact.
    pub(super) fn stored(&mut self, runner: usize, reported: Reported) {
        if self.asks(Who::Runner(runner)) == Fate::Lost {
            return self.later(runner, PAUSE, Event::Stored(Box::new(reported)));
        }
        let branch = self.machines[self.runners[runner].machine].branch.clone();
        if !self.is(FleetPlant::UnkeptLanding) {
            self.runners[runner].waiting.push_back(Waiting::Code(branch));
            self.bring(runner);
        }
        self.tell(runner, Told::Reported(vec![reported]));
    }

    fn close_task(
        &mut self,
        runner: usize,
        lane: LaneId,
        turn: TurnKey,
        task: &TaskId,
        end: &TaskEnd,
    ) -> TaskClosed {
        let evidence =
            Evidence { head: Some(self.tip(runner)), tree: format!("closed {}", task.0), work: None };
        TaskClosed {
            lane,
            iteration: turn.iteration,
            task: task.clone(),
            end: end.clone(),
            branch: None,
            evidence,
            snapshot: None,
        }
    }
}

/// The task that a commit is of.
pub(in crate::fleet) fn task_of(commit: &str) -> &str {
    commit.split('.').next().unwrap_or_default()
}

/// Was it made in this attempt?
fn is_of(commit: &str, turn: TurnKey) -> bool {
    let made_in = commit.split('/').next().unwrap_or_default();
    made_in
        .split_once('.')
        .is_some_and(|(_, made_in)| made_in == format!("{}.{}", turn.iteration, turn.attempt))
}
