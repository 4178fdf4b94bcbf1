//! Tasks in one lane and in several: what is begun, merged, landed, parked, and how the run ends.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::world::{check, fold, plan, report};
use crate::fact::{
    CheckKind, CheckOutcome, CheckResult, CheckStage, Class, Cost, Entry, Evidence, Fact, LandOutcome,
    LaneId, MergeOutcome, Now, Purpose, SnapshotId, Standing, StandingSource, StopReason, TaskEnd, TaskId,
    TaskRow, TaskState,
};
use crate::run::{CommitPolicy, Effect, Input, JobTasks, LanesPlan, Mode, Phase, Run, RunPlan};
use crate::tasks::Standing as TaskStanding;

type Files = BTreeMap<String, String>;

/// What an agent does to its task in one call.
#[derive(Clone, Debug)]
struct Deed {
    class: Class,
    writes: Vec<(&'static str, String)>,
    claims: bool,
}

impl Deed {
    fn done(file: &'static str, text: &str) -> Deed {
        Deed { class: Class::Success, writes: vec![(file, text.to_owned())], claims: true }
    }
    fn fails() -> Deed {
        Deed { class: Class::TaskFailure, writes: Vec::new(), claims: false }
    }
}

type Agent = Box<dyn FnMut(&TaskId, Purpose, u32) -> Deed>;

/// A checkout of its own: the commit it stands on, and its files.
#[derive(Clone, Default)]
struct Checkout {
    base: Files,
    files: Files,
    claims: bool,
    commit: Option<Files>,
}

struct World {
    run: Run,
    journal: Vec<Entry>,
    now: Now,
    /// What has landed, one after another; the first is what was there.
    branch: Vec<Files>,
    /// Which task each landing finished.
    landings: Vec<(TaskId, u32)>,
    rows: Vec<TaskRow>,
    lanes: BTreeMap<LaneId, Checkout>,
    begun: BTreeSet<Effect>,
    agent: Agent,
    gate: fn(&Files) -> bool,
    calls: u32,
    moves: Vec<u32>,
    most_at_the_branch: usize,
}

fn row(id: &str, dependencies: &[&str]) -> TaskRow {
    TaskRow {
        id: id.into(),
        title: format!("Do {id}"),
        state: TaskState::Open,
        priority: 2,
        dependencies: dependencies.iter().map(|id| (*id).into()).collect(),
        ..TaskRow::default()
    }
}

fn tasks_plan(lanes: u16) -> RunPlan {
    let mut plan = plan();
    plan.job.mode = Mode::Tasks;
    plan.job.notes_file = None;
    plan.job.tasks =
        Some(JobTasks { file: "requirements.md".into(), progress: None, feature: None, attempts: 2 });
    plan.commit = CommitPolicy::Runner;
    plan.lanes = (lanes > 1).then(|| LanesPlan {
        count: lanes,
        folder: "/state/lanes".into(),
        below: std::path::PathBuf::new(),
    });
    plan.clocks.delay = Duration::ZERO;
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    plan.limits.failures = 50;
    plan.limits.stagnation = None;
    plan
}

impl World {
    fn new(
        plan: RunPlan,
        rows: Vec<TaskRow>,
        agent: impl FnMut(&TaskId, Purpose, u32) -> Deed + 'static,
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
            most_at_the_branch: 0,
        };
        world.input(Input::Start(Box::new(plan)));
        world
    }

    fn tip(&self) -> &Files {
        self.branch.last().unwrap()
    }

    fn evidence(&self, lane: LaneId) -> Evidence {
        let files = self.lanes.get(&lane).map_or(self.tip(), |checkout| &checkout.files);
        Evidence {
            head: Some(format!("{:?}", self.lanes.get(&lane).map_or(self.tip(), |one| &one.base))),
            tree: format!("{files:?}"),
            work: None,
        }
    }

    fn input(&mut self, input: Input) {
        let mut facts = self.run.decide(self.now, input);
        while !facts.is_empty() {
            for fact in facts {
                let entry = Entry { seq: self.run.next_seq(), at: self.now, fact };
                self.run.apply(&entry).unwrap_or_else(|illegal| panic!("{illegal}"));
                self.journal.push(entry);
            }
            facts = self.run.decide(self.now, Input::Tick);
        }
        let at_the_branch = self
            .run
            .outstanding()
            .iter()
            .filter(|effect| matches!(effect, Effect::Merge { .. } | Effect::Land { .. }))
            .count();
        self.most_at_the_branch = self.most_at_the_branch.max(at_the_branch);
    }

    /// Carries out the outstanding effect that this number picks. `false` when the run has ended.
    fn step(&mut self, pick: usize) -> bool {
        let outstanding = self.run.outstanding();
        self.begun.retain(|effect| outstanding.contains(effect));
        let due: Vec<Effect> =
            outstanding.into_iter().filter(|effect| !self.begun.contains(effect)).collect();
        if !due.is_empty() {
            let effect = due[pick % due.len()].clone();
            self.begun.insert(effect.clone());
            self.carry_out(effect);
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

    fn finish(&mut self) -> StopReason {
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

    fn carry_out(&mut self, effect: Effect) {
        let snapshot = Some(SnapshotId(format!("s{}", self.journal.len())));
        let input = match effect {
            Effect::Survey(_) => Input::Surveyed {
                evidence: self.evidence(LaneId(99)),
                snapshot,
                left_out: 0,
                standing: None,
                tasks: Some(self.rows.clone()),
            },
            Effect::Open { lane, .. } => {
                let fresh = self.run.task_is_fresh(lane);
                let tip = self.tip().clone();
                let checkout = self.lanes.entry(lane).or_default();
                if fresh {
                    *checkout = Checkout { base: tip.clone(), files: tip, claims: false, commit: None };
                }
                Input::Opened { lane, base: "base".to_owned(), evidence: self.evidence(lane), snapshot }
            }
            Effect::Prepare { lane, .. } => Input::Prepared { lane },
            Effect::Call { lane, call, purpose, .. } => {
                let task = self.run.task_in(lane).unwrap().id.clone();
                self.calls += 1;
                let deed = (self.agent)(&task, purpose, self.calls);
                let checkout = self.lanes.entry(lane).or_default();
                checkout.files.extend(deed.writes.into_iter().map(|(file, text)| (file.to_owned(), text)));
                checkout.claims |= deed.claims;
                Input::CallEnded { lane, call, report: Box::new(report(deed.class)) }
            }
            Effect::Recover { lane, call, .. } => {
                Input::CallEnded { lane, call, report: Box::new(report(Class::Interrupted)) }
            }
            Effect::Keep { lane, .. } => {
                let complete = self.lanes.entry(lane).or_default().claims;
                let standing = Standing {
                    source: StandingSource::TaskFile,
                    mark: "m".to_owned(),
                    complete,
                    ..Standing::default()
                };
                Input::Kept {
                    lane,
                    evidence: self.evidence(lane),
                    snapshot,
                    changed: 1,
                    strayed: 0,
                    standing: Some(standing),
                }
            }
            Effect::RunCheck { lane, stage, check, .. } => {
                let files = if stage == CheckStage::Baseline { self.tip() } else { &self.lanes[&lane].files };
                let result = if (self.gate)(files) { CheckResult::Passed } else { CheckResult::Failed(1) };
                let outcome = CheckOutcome {
                    check,
                    result,
                    duration: Duration::ZERO,
                    log: String::new(),
                    last_line: String::new(),
                };
                Input::CheckEnded { lane, stage, outcome }
            }
            Effect::Commit { lane, .. } => {
                let checkout = self.lanes.entry(lane).or_default();
                checkout.commit = Some(checkout.files.clone());
                let in_place = lane == LaneId(0);
                if in_place {
                    self.branch.push(self.lanes[&lane].files.clone());
                    let task = self.run.task_in(lane).unwrap().id.clone();
                    self.landings.push((task, 0));
                }
                Input::CommitEnded {
                    lane,
                    commit: Some("c".to_owned()),
                    evidence: self.evidence(lane),
                    altered: false,
                    refused: None,
                    notes: crate::fact::CommitNotes::default(),
                }
            }
            Effect::Merge { lane, .. } => self.merge(lane),
            Effect::Land { lane, turn, ref tip, ref task, .. } => {
                self.land(lane, turn.iteration, tip, task.clone())
            }
            Effect::Settle { lane, .. } => Input::Settled { lane, evidence: self.evidence(lane) },
            Effect::CloseTask { lane, task, end, .. } => {
                if end == TaskEnd::Done
                    && let Some(row) = self.rows.iter_mut().find(|row| row.id == task)
                {
                    row.state = TaskState::Done;
                }
                if end != TaskEnd::Done {
                    self.lanes.entry(lane).or_default().claims = false;
                }
                Input::TaskClosed { lane, branch: None, evidence: self.evidence(lane), snapshot: None }
            }
            Effect::EndCall { .. } | Effect::RunHook { .. } | Effect::Refuse { .. } | Effect::Undo { .. } => {
                return;
            }
            Effect::Announce => Input::Announced,
        };
        self.input(input);
    }

    fn merge(&mut self, lane: LaneId) -> Input {
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
        Input::Merged { lane, tip: name, outcome, evidence: self.evidence(lane) }
    }

    fn land(&mut self, lane: LaneId, iteration: u32, tip: &str, task: TaskId) -> Input {
        let already = self.landings.contains(&(task.clone(), iteration));
        if !already && tip != format!("t{}", self.branch.len()) {
            return Input::Landed { lane, outcome: LandOutcome::Moved };
        }
        if !already && self.moves.first() == Some(&iteration) {
            // A person commits meanwhile.
            self.moves.remove(0);
            let mut next = self.tip().clone();
            next.insert("by a person".to_owned(), iteration.to_string());
            self.branch.push(next);
            return Input::Landed { lane, outcome: LandOutcome::Moved };
        }
        if !already {
            self.branch.push(self.lanes[&lane].files.clone());
            self.landings.push((task, iteration));
        }
        Input::Landed { lane, outcome: LandOutcome::Landed { commit: format!("l{}", self.branch.len()) } }
    }

    fn restart(&mut self, kept: usize) {
        self.journal.truncate(kept);
        self.run = fold(&self.journal);
        self.begun.clear();
        let plan = (**self.run.plan().unwrap()).clone();
        self.input(Input::Resume(Box::new(plan)));
    }

    fn ends(&self) -> Vec<(String, TaskEnd)> {
        let end = |entry: &Entry| match &entry.fact {
            Fact::TaskClosed { task, end, .. } => Some((task.0.clone(), end.clone())),
            _ => None,
        };
        self.journal.iter().filter_map(end).collect()
    }

    fn started(&self) -> Vec<String> {
        let task = |entry: &Entry| match &entry.fact {
            Fact::IterationStarted { task, .. } => task.as_ref().map(|task| task.0.clone()),
            _ => None,
        };
        self.journal.iter().filter_map(task).collect()
    }
}

fn six() -> Vec<TaskRow> {
    vec![
        row("T1", &[]),
        row("T2", &["T1"]),
        row("T3", &["T1"]),
        row("T4", &["T2", "T3"]),
        row("T5", &[]),
        row("T6", &["T5"]),
    ]
}

fn own_file(task: &TaskId) -> Deed {
    let file: &'static str = Box::leak(task.0.clone().into_boxed_str());
    Deed::done(file, "done")
}

// rows: 6
#[test]
fn tasks_are_worked_off_in_their_order_and_complete_the_run() {
    for lanes in [1, 3] {
        let mut world = World::new(tasks_plan(lanes), six(), |task, _, _| own_file(task));
        assert_eq!(world.finish(), StopReason::Complete, "{lanes} lanes");
        assert_eq!(world.run.tasks().counts().done, 6);
        assert_eq!(world.tip().len(), 6, "every task's work is there");
        assert_eq!(world.landings.len(), 6, "each once");
        let at = |id: &str| world.started().iter().position(|one| one == id).unwrap();
        assert!(at("T1") < at("T2") && at("T2") < at("T4") && at("T3") < at("T4") && at("T5") < at("T6"));
        assert!(world.most_at_the_branch <= 1);
    }
}

#[test]
fn a_task_that_fails_twice_is_parked_its_dependants_wait_and_the_rest_goes_on() {
    for lanes in [1, 2] {
        let agent = |task: &TaskId, _, _| if task.0 == "T2" { Deed::fails() } else { own_file(task) };
        let mut world = World::new(tasks_plan(lanes), six(), agent);
        assert_eq!(world.finish(), StopReason::Blocked);
        assert_eq!(world.run.tasks().standing(&"T2".into()), Some(TaskStanding::Parked));
        assert_eq!(world.run.tasks().standing(&"T4".into()), Some(TaskStanding::Open));
        assert_eq!(world.run.tasks().counts().done, 4);
        assert_eq!(world.started().iter().filter(|task| *task == "T2").count(), 2);
        assert!(world.run.parked_because(&"T2".into()).unwrap().starts_with("failed 2 times"));
        let Some(Fact::RunFinished { detail, .. }) = world.journal.last().map(|entry| &entry.fact) else {
            panic!()
        };
        assert!(detail.contains("T2") && detail.contains("1 wait"), "{detail}");
    }
}

#[test]
fn a_conflict_goes_to_the_agent_once_and_then_the_task_is_parked() {
    let rows = || vec![row("T1", &[]), row("T2", &[])];
    // Both write the same file; asked to put it together, the agent does.
    let agent = |task: &TaskId, purpose, _| match purpose {
        Purpose::Merge => Deed::done("both", "T1 and T2"),
        _ => Deed::done("both", &task.0),
    };
    let mut world = World::new(tasks_plan(2), rows(), agent);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.tip()["both"], "T1 and T2");
    assert_eq!(world.calls, 3);
    // The checks of the whole fail, and the agent cannot mend that.
    let agent = |task: &TaskId, _: Purpose, _: u32| own_file(task);
    let mut world = World::new(tasks_plan(2), rows(), agent);
    world.gate = |files| files.len() < 2;
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.landings.len(), 1, "what fails together does not land");
    assert_eq!(world.calls, 3);
    assert!(
        world
            .ends()
            .iter()
            .any(|(_, end)| matches!(end, TaskEnd::Parked { reason } if reason.contains("checks"))),
        "{:?}",
        world.ends()
    );
}

#[test]
fn a_branch_that_moved_is_merged_with_again() {
    let mut world =
        World::new(tasks_plan(2), vec![row("T1", &[]), row("T2", &[])], |task, _, _| own_file(task));
    world.moves = vec![1, 2];
    assert_eq!(world.finish(), StopReason::Complete);
    assert!(world.tip().contains_key("by a person") && world.tip().len() == 3);
}

#[test]
fn a_claim_without_a_change_or_a_gate_is_none() {
    let mut plan = tasks_plan(1);
    plan.checks.clear();
    let idle = |_: &TaskId, _, _| Deed { class: Class::Success, writes: Vec::new(), claims: true };
    let mut world = World::new(plan, vec![row("T1", &[])], idle);
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(
        world.run.parked_because(&"T1".into()),
        Some("failed 2 times: it was called done, and nothing had changed")
    );
}

#[test]
fn nothing_to_do_and_nothing_that_can_be_done() {
    let done = TaskRow { state: TaskState::Done, ..row("T1", &[]) };
    let mut world = World::new(tasks_plan(1), vec![done], |task, _, _| own_file(task));
    assert_eq!(world.finish(), StopReason::NothingToDo);
    let mut world =
        World::new(tasks_plan(2), vec![row("T1", &["T2"]), row("T2", &["T1"])], |task, _, _| own_file(task));
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.calls, 0);
}

#[test]
fn lanes_share_what_is_left() {
    let mut plan = tasks_plan(4);
    plan.limits.cost = Some(Cost::from_micros(8_000_000));
    let mut world = World::new(plan, six(), |task, _, _| own_file(task));
    world.finish();
    let budgets: Vec<u64> = world
        .journal
        .iter()
        .filter_map(|entry| match &entry.fact {
            Fact::CallReserved { budget, .. } => budget.map(|budget| budget.micros()),
            _ => None,
        })
        .collect();
    assert_eq!(&budgets[..2], [4_000_000, 4_000_000], "two tasks are ready at first: {budgets:?}");
}

#[test]
fn as_many_iterations_as_allowed_and_no_more() {
    for lanes in [1, 4] {
        let mut plan = tasks_plan(lanes);
        plan.limits.iterations = Some(3);
        let mut world = World::new(plan, six(), |task, _, _| own_file(task));
        assert_eq!(world.finish(), StopReason::MaxIterations);
        assert_eq!(world.started().len(), 3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    /// Killed after any fact, and again, in any order of effects: each task lands once, and all of it is there.
    #[test]
    fn whatever_the_order_and_the_kills_each_task_lands_once(
        lanes in 1_u16..5,
        picks in proptest::collection::vec(0_usize..97, 1..60),
        kills in proptest::collection::vec(1_usize..160, 0..4),
    ) {
        let mut plan = tasks_plan(lanes);
        plan.limits.iterations = Some(500);
        let mut world = World::new(plan, six(), |task, _, _| own_file(task));
        let mut kills = kills.into_iter();
        let mut kill = kills.next();
        for step in 0..20_000 {
            if !world.step(picks[step % picks.len()]) {
                break;
            }
            if kill.is_some_and(|at| world.journal.len() >= at) {
                let at = kill.unwrap().max(1);
                world.restart(at.max(world.journal.len().saturating_sub(1)));
                kill = kills.next();
            }
        }
        prop_assert_eq!(world.run.phase(), Phase::Ended(StopReason::Complete));
        prop_assert_eq!(world.tip().len(), 6);
        prop_assert!(world.most_at_the_branch <= 1);
        let mut landed: Vec<&TaskId> = world.landings.iter().map(|(task, _)| task).collect();
        landed.sort();
        if lanes > 1 {
            landed.dedup();
            prop_assert_eq!(landed.len(), world.landings.len(), "{:?}", &world.landings);
        }
        let resting = world.run.lanes().all(|(_, state)| state.is_resting());
        prop_assert!(resting);
    }
}
