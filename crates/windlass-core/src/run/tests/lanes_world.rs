//! A world of tasks and lanes as values: files, a branch, agents, around the pure core.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::world::{check, closed, fold, plan, report, settle};
use crate::fact::{Entry, Fact};
use crate::report::{self, IssueReport, IssueTask};
use crate::run::{Effect, Input, Phase, Run, TurnKey};
use crate::spec::{CommitPolicy, JobTasks, LanesSpec, Mode, RunSpec};
use crate::values::{
    CheckKind, CheckResult, CheckStage, Class, Evidence, JobStatus, LandOutcome, LaneId, MergeOutcome, Now,
    Purpose, SnapshotId, StatusSource, StopReason, TaskEnd, TaskId, TaskRow, TaskState,
};

pub type Files = BTreeMap<String, String>;

/// What an agent does to its task in one call.
#[derive(Clone, Debug)]
pub struct AgentCall {
    pub class: Class,
    pub writes: Vec<(&'static str, String)>,
    pub claims: bool,
}

impl AgentCall {
    pub fn done(file: &'static str, text: &str) -> AgentCall {
        AgentCall { class: Class::Success, writes: vec![(file, text.to_owned())], claims: true }
    }
    pub fn fails() -> AgentCall {
        AgentCall { class: Class::TaskFailure, writes: Vec::new(), claims: false }
    }
}

pub type Forge = Box<dyn FnMut(&TaskId, IssueTask, Now) -> IssueReport>;

pub type Agent = Box<dyn FnMut(&TaskId, Purpose, u32) -> AgentCall>;

/// A checkout of its own: the commit it stands on, and its files.
#[derive(Clone, Default)]
pub struct Checkout {
    pub base: Files,
    pub files: Files,
    pub claims: bool,
    pub commit: Option<Files>,
    /// Somebody removed it, whoever has noticed that.
    pub gone: bool,
}

pub struct World {
    pub run: Run,
    pub journal: Vec<Entry>,
    pub now: Now,
    /// What has landed, one after another; the first is what was there.
    pub branch: Vec<Files>,
    /// Which task each landing finished.
    pub landings: Vec<(TaskId, u32)>,
    pub rows: Vec<TaskRow>,
    pub lanes: BTreeMap<LaneId, Checkout>,
    pub begun: BTreeSet<Effect>,
    pub agent: Agent,
    pub gate: fn(&Files) -> bool,
    pub calls: u32,
    pub moves: Vec<u32>,
    /// So many landings find that another git keeps the checkout locked, for 10 s each.
    pub held: u32,
    pub most_at_the_branch: usize,
    /// How many effects in lanes are carried out before each time that somebody removes the lane's checkout.
    pub losses: Vec<u32>,
    /// What the forge answers.
    pub forge: Forge,
}

pub fn row(id: &str, dependencies: &[&str]) -> TaskRow {
    TaskRow {
        id: id.into(),
        title: format!("Do {id}"),
        state: TaskState::Open,
        priority: 2,
        dependencies: dependencies.iter().map(|id| (*id).into()).collect(),
        ..TaskRow::default()
    }
}

pub fn tasks_plan(lanes: u16) -> RunSpec {
    let mut plan = plan();
    plan.job.mode = Mode::Tasks;
    plan.job.notes_file = None;
    plan.job.tasks = Some(JobTasks {
        file: "requirements.md".into(),
        progress: None,
        feature: None,
        attempts: 2,
        commits_attempts: false,
        issues: None,
    });
    plan.commit = CommitPolicy::Runner;
    plan.lanes = (lanes > 1).then(|| LanesSpec::of(lanes, "/state/lanes".into()));
    plan.clocks.delay = Duration::ZERO;
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    plan.limits.failures = 50;
    plan.limits.stagnation = None;
    plan
}

impl World {
    pub fn new(
        plan: RunSpec,
        rows: Vec<TaskRow>,
        agent: impl FnMut(&TaskId, Purpose, u32) -> AgentCall + 'static,
    ) -> World {
        let now = Now { wall: "2026-11-21T22:00:00Z".parse().unwrap(), monotonic: Duration::ZERO };
        let mut world = World {
            run: Run::new(),
            journal: Vec::new(),
            now,
            branch: vec![Files::new()],
            landings: Vec::new(),
            rows,
            lanes: BTreeMap::new(),
            begun: BTreeSet::new(),
            agent: Box::new(agent),
            gate: |_| true,
            calls: 0,
            moves: Vec::new(),
            held: 0,
            most_at_the_branch: 0,
            losses: Vec::new(),
            forge: Box::new(|_, _, _| panic!("there is no forge here")),
        };
        world.input(Input::Start(Box::new(plan)));
        world
    }

    pub fn tip(&self) -> &Files {
        self.branch.last().unwrap()
    }

    pub fn evidence(&self, lane: LaneId) -> Evidence {
        let files = self.lanes.get(&lane).map_or(self.tip(), |checkout| &checkout.files);
        Evidence {
            head: Some(format!("{:?}", self.lanes.get(&lane).map_or(self.tip(), |one| &one.base))),
            tree: format!("{files:?}"),
            work: None,
        }
    }

    pub fn input(&mut self, input: Input) {
        settle(&mut self.run, &mut self.journal, self.now, input);
        let at_the_branch = self
            .run
            .outstanding()
            .iter()
            .filter(|effect| matches!(effect, Effect::Merge { .. } | Effect::Land { .. }))
            .count();
        self.most_at_the_branch = self.most_at_the_branch.max(at_the_branch);
    }

    /// Carries out the outstanding effect that this number picks. `false` when the run has ended.
    pub fn step(&mut self, pick: usize) -> bool {
        let outstanding = self.run.outstanding();
        self.begun.retain(|effect| outstanding.contains(effect));
        let due: Vec<Effect> =
            outstanding.into_iter().filter(|effect| !self.begun.contains(effect)).collect();
        if !due.is_empty() {
            let effect = due[pick % due.len()].clone();
            self.begun.insert(effect.clone());
            if let Some(lane) = self.loses(&effect) {
                self.lanes.insert(lane, Checkout { gone: true, ..Checkout::default() });
                self.input(Input::from(report::LaneLost::removed(lane)));
            } else {
                self.carry_out(effect);
            }
            return true;
        }
        if matches!(self.run.phase(), Phase::Ended(_)) {
            return false;
        }
        let due = self.run.next_due(self.now);
        let due = due
            .unwrap_or_else(|| panic!("nothing is waited for: {:?}", self.run.lanes().collect::<Vec<_>>()));
        self.now.monotonic += due.max(Duration::from_millis(1));
        self.now.wall = self.now.wall.checked_add(due.max(Duration::from_millis(1))).unwrap();
        self.input(Input::Tick);
        true
    }

    pub fn finish(&mut self) -> StopReason {
        for turn in 0..20_000 {
            if !self.step(turn * 7) {
                break;
            }
        }
        match self.run.phase() {
            Phase::Ended(reason) => reason,
            phase => panic!("the run does not end: {phase:?} {:?}", self.run.lanes().collect::<Vec<_>>()),
        }
    }

    pub fn carry_out(&mut self, effect: Effect) {
        let snapshot = Some(SnapshotId(format!("s{}", self.journal.len())));
        let input = match effect {
            Effect::Survey(_) => Input::from(report::Surveyed {
                baseline: report::BaselineCaptured {
                    evidence: self.evidence(LaneId(99)),
                    snapshot,
                    left_out: 0,
                    standing: None,
                },
                tasks: Some(self.rows.clone()),
            }),
            Effect::Open { lane, .. } => {
                let fresh = self.run.task_is_fresh(lane);
                let tip = self.tip().clone();
                let checkout = self.lanes.entry(lane).or_default();
                if fresh {
                    *checkout = Checkout { base: tip.clone(), files: tip, ..Checkout::default() };
                }
                Input::from(report::LaneOpened {
                    lane,
                    base: "base".to_owned(),
                    evidence: self.evidence(lane),
                    snapshot,
                })
            }
            Effect::Prepare { lane, .. } => Input::from(report::Prepared { lane }),
            Effect::Call { lane, call, purpose, .. } => {
                let task = self.run.task_in(lane).unwrap().id.clone();
                self.calls += 1;
                let acted = (self.agent)(&task, purpose, self.calls);
                let checkout = self.lanes.entry(lane).or_default();
                checkout.files.extend(acted.writes.into_iter().map(|(file, text)| (file.to_owned(), text)));
                checkout.claims |= acted.claims;
                Input::from(report::CallEnded { lane, call, report: Box::new(report(acted.class)) })
            }
            Effect::Recover { lane, call, .. } => {
                Input::from(report::CallEnded { lane, call, report: Box::new(report(Class::Interrupted)) })
            }
            Effect::Keep { lane, .. } => {
                let complete = self.lanes.entry(lane).or_default().claims;
                let standing = JobStatus {
                    source: StatusSource::TaskFile,
                    mark: "m".to_owned(),
                    complete,
                    ..JobStatus::default()
                };
                Input::from(report::SnapshotTaken {
                    lane,
                    evidence: self.evidence(lane),
                    snapshot,
                    changed: 1,
                    forbidden_changes: 0,
                    standing: Some(standing),
                })
            }
            Effect::RunCheck { lane, stage, check, .. } => {
                let files = if stage == CheckStage::Baseline { self.tip() } else { &self.lanes[&lane].files };
                let result = if (self.gate)(files) { CheckResult::Passed } else { CheckResult::Failed(1) };
                let outcome = super::outcomes::check(check, result);
                Input::from(report::CheckFinished { lane, stage, outcome })
            }
            Effect::Commit { lane, .. } => {
                let checkout = self.lanes.entry(lane).or_default();
                checkout.commit = Some(checkout.files.clone());
                if lane == LaneId(0) {
                    self.branch.push(self.lanes[&lane].files.clone());
                    let task = self.run.task_in(lane).unwrap().id.clone();
                    self.landings.push((task, 0));
                }
                Input::from(report::Committed {
                    lane,
                    commit: Some("c".to_owned()),
                    evidence: self.evidence(lane),
                    altered: false,
                    refused: None,
                    notes: crate::values::CommitNotes::default(),
                })
            }
            Effect::Merge { lane, .. } => self.merge(lane),
            Effect::Land { lane, turn, ref tip, ref task, .. } => {
                self.land(lane, turn.iteration, tip, task.clone())
            }
            Effect::Settle { lane, .. } => {
                Input::from(report::TreeRechecked { lane, evidence: self.evidence(lane) })
            }
            Effect::CloseTask { lane, turn, task, end, .. } => self.close(lane, turn, &task, &end),
            Effect::EndCall { .. } | Effect::RunHook { .. } | Effect::Refuse { .. } | Effect::Undo { .. } => {
                return;
            }
            Effect::Announce => Input::Announced,
            Effect::Issue { task, what } => (self.forge)(&task, what, self.now).into(),
            Effect::LogDecision { .. } | Effect::Deliver { .. } => panic!("neither council nor forge here"),
        };
        self.input(input);
    }

    fn close(&mut self, lane: LaneId, turn: TurnKey, task: &TaskId, end: &TaskEnd) -> Input {
        if *end == TaskEnd::Done
            && let Some(row) = self.rows.iter_mut().find(|row| row.id == *task)
        {
            row.state = TaskState::Done;
        }
        if *end != TaskEnd::Done {
            self.lanes.entry(lane).or_default().claims = false;
        }
        closed(lane, turn, task, end, self.evidence(lane))
    }

    /// Is the lane's checkout gone before this can be carried out there?
    fn loses(&mut self, effect: &Effect) -> Option<LaneId> {
        let lane = effect.lane().filter(|lane| *lane != LaneId(0))?;
        let elsewhere = matches!(
            effect,
            Effect::Call { .. } | Effect::Recover { .. } | Effect::EndCall { .. } | Effect::CloseTask { .. }
        );
        let landed = match effect {
            Effect::Land { turn, task, .. } => self.landings.contains(&(task.clone(), turn.iteration)),
            _ => false,
        };
        let made_anew = matches!(effect, Effect::Open { .. }) && self.run.task_is_fresh(lane);
        let gone = self.lanes.get(&lane).is_some_and(|checkout| checkout.gone);
        if gone && !elsewhere && !landed && !made_anew {
            return Some(lane);
        }
        let left = self.losses.first_mut().filter(|_| !elsewhere && !landed)?;
        if *left > 0 {
            *left -= 1;
            return None;
        }
        self.losses.remove(0);
        Some(lane)
    }

    pub fn merge(&mut self, lane: LaneId) -> Input {
        let tip = self.tip().clone();
        let name = format!("t{}", self.branch.len());
        let checkout = self.lanes.get_mut(&lane).unwrap();
        let changed = |from: &Files, to: &Files| -> Files {
            to.iter()
                .filter(|(file, text)| from.get(*file) != Some(text))
                .map(|(file, text)| (file.clone(), text.clone()))
                .collect()
        };
        let ours = changed(&checkout.base, &checkout.files);
        let theirs = changed(&checkout.base, &tip);
        let both: Vec<String> = ours
            .iter()
            .filter(|(file, text)| theirs.get(*file).is_some_and(|other| other != *text))
            .map(|(file, _)| file.clone())
            .collect();
        let moved = tip != checkout.base;
        checkout.files = tip.clone();
        checkout.files.extend(ours);
        checkout.base = tip;
        let outcome = if both.is_empty() {
            MergeOutcome::Clean { commit: Some("m".to_owned()), retest: moved }
        } else {
            MergeOutcome::Conflict { paths: both }
        };
        Input::from(report::Merged { lane, tip: name, outcome, evidence: self.evidence(lane) })
    }

    pub fn land(&mut self, lane: LaneId, iteration: u32, tip: &str, task: TaskId) -> Input {
        let already = self.landings.contains(&(task.clone(), iteration));
        if !already && tip != format!("t{}", self.branch.len()) {
            return Input::from(report::Landed { lane, outcome: LandOutcome::Moved });
        }
        if !already && self.held > 0 {
            self.held -= 1;
            self.now.monotonic += Duration::from_secs(10);
            return Input::from(report::Landed { lane, outcome: LandOutcome::Held });
        }
        if !already && self.moves.first() == Some(&iteration) {
            // A person commits meanwhile.
            self.moves.remove(0);
            let mut next = self.tip().clone();
            next.insert("by a person".to_owned(), iteration.to_string());
            self.branch.push(next);
            return Input::from(report::Landed { lane, outcome: LandOutcome::Moved });
        }
        if !already {
            self.branch.push(self.lanes[&lane].files.clone());
            self.landings.push((task, iteration));
        }
        Input::from(report::Landed {
            lane,
            outcome: LandOutcome::Landed { commit: format!("l{}", self.branch.len()) },
        })
    }

    pub fn restart(&mut self, kept: usize) {
        self.restart_with(kept, |_| {});
    }

    pub fn restart_with(&mut self, kept: usize, change: impl FnOnce(&mut RunSpec)) {
        self.journal.truncate(kept);
        self.run = fold(&self.journal);
        self.begun.clear();
        let mut plan = (**self.run.spec().unwrap()).clone();
        change(&mut plan);
        self.input(Input::Resume(Box::new(plan)));
    }

    pub fn ends(&self) -> Vec<(String, TaskEnd)> {
        let end = |entry: &Entry| match &entry.fact {
            Fact::TaskClosed(report::TaskClosed { task, end, .. }) => Some((task.0.clone(), end.clone())),
            _ => None,
        };
        self.journal.iter().filter_map(end).collect()
    }

    pub fn started(&self) -> Vec<String> {
        let task = |entry: &Entry| match &entry.fact {
            Fact::IterationStarted { task, .. } => task.as_ref().map(|task| task.0.clone()),
            _ => None,
        };
        self.journal.iter().filter_map(task).collect()
    }
}
