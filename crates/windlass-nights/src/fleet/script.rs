//! What a night of a fleet is: its tasks, its workers, and what goes wrong when. All of it follows from a seed.

use std::time::Duration;

use windlass_core::spec::{
    AgentSpec, BudgetScope, Clocks, CommitPolicy, GuardSpec, Job, JobTasks, LanesSpec, Limits, Mode, RunSpec,
    SandboxSpec,
};
use windlass_core::values::{Check, CheckKind, Cost, ExitCodes, RunId, TaskId, TaskRow};

use crate::dice::Dice;

/// Nothing goes wrong after so many milliseconds.
const FAULTS_UNTIL: u64 = 150_000;

/// A night of a fleet.
#[derive(Clone, Debug)]
pub struct FleetScript {
    pub(crate) seed: u64,
    pub(crate) plan: RunSpec,
    pub(crate) tasks: Vec<Task>,
    /// How many lanes each worker takes at once.
    pub(crate) workers: Vec<usize>,
    pub(crate) faults: Vec<Fault>,
}

/// A task, and what comes of it.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub row: TaskRow,
    pub nature: Nature,
    /// How long an agent needs for it, in milliseconds.
    pub length: u64,
}

/// What an agent makes of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// It does it.
    Done,
    /// It fails at first.
    FailsOnce,
    /// It fails whenever it tries.
    Hopeless,
}

/// Something that goes wrong.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// When, in milliseconds.
    pub at: u64,
    pub what: Trouble,
}

/// What goes wrong; times are in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trouble {
    /// A worker is killed with all its agents, and started again.
    KillWorker { worker: usize, back_after: u64 },
    /// A worker stands still.
    FreezeWorker { worker: usize, lasts: u64 },
    /// A worker does not reach the servers.
    CutWorker { worker: usize, lasts: u64 },
    /// What a worker is told next cannot be done there.
    Fails { worker: usize },
    /// A worker ends its tasks, and is started again later.
    Drain { worker: usize },
    /// The runner is killed, and the run is resumed on this machine.
    KillRunner { resumed_after: u64, on: usize },
    /// The runner stands still; a person may resume the run elsewhere meanwhile.
    FreezeRunner { lasts: u64, resumed: Option<Resumption> },
    /// The runner does not reach the servers; a person may resume the run elsewhere meanwhile.
    CutRunner { lasts: u64, resumed: Option<Resumption> },
    /// Nobody reaches the servers.
    ServersAway { lasts: u64 },
    /// Of what is sent, so many of a hundred are lost, and so many come twice.
    Noise { lasts: u64, lost: u64, twice: u64 },
    /// What is sent takes up to so long, and overtakes what was sent before.
    Slow { lasts: u64, most: u64 },
    /// Somebody wants the run to end, and resumes it later.
    Stop { least: u8 },
}

/// A person goes on with a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resumption {
    pub after: u64,
    pub on: usize,
}

impl FleetScript {
    /// The night of a seed.
    pub fn draw(seed: u64) -> FleetScript {
        let mut dice = Dice::new(seed ^ 0x00f1_ee70_0000_0000);
        let lanes = u16::try_from(dice.between(2, 3)).unwrap_or(2);
        let tasks = draw_tasks(&mut dice);
        let workers: Vec<usize> =
            (0..dice.between(2, 4)).map(|_| dice.pick(&[(2_u32, 1), (2, 2), (1, 3)])).collect();
        let plan = plan(&mut dice, lanes);
        let count = dice.pick(&[(1_u32, 0_u64), (3, 1), (4, 2), (4, 3), (3, 5), (1, 8)]);
        let mut faults: Vec<Fault> = (0..count).map(|_| draw_fault(&mut dice, workers.len())).collect();
        faults.sort_by_key(|fault| fault.at);
        FleetScript { seed, plan, tasks, workers, faults }
    }

    /// A smaller night for which `fails` still holds; itself where there is none.
    pub(crate) fn shrunk(&self, fails: impl Fn(&FleetScript) -> bool) -> FleetScript {
        let mut smallest = self.clone();
        loop {
            let Some(smaller) = smallest.smaller().into_iter().find(|candidate| fails(candidate)) else {
                return smallest;
            };
            smallest = smaller;
        }
    }

    /// Nights with one thing less.
    fn smaller(&self) -> Vec<FleetScript> {
        let mut found = Vec::new();
        for at in 0..self.faults.len() {
            let mut script = self.clone();
            script.faults.remove(at);
            found.push(script);
        }
        if self.tasks.len() > 1 {
            for at in 0..self.tasks.len() {
                let mut script = self.clone();
                let gone = script.tasks.remove(at).row.id;
                script.tasks.iter_mut().for_each(|task| task.row.dependencies.retain(|id| *id != gone));
                found.push(script);
            }
        }
        if !self.plan.checks.is_empty() {
            let mut script = self.clone();
            script.plan.checks.clear();
            found.push(script);
        }
        found
    }
}

fn draw_tasks(dice: &mut Dice) -> Vec<Task> {
    let count = dice.between(2, 5);
    let mut tasks: Vec<Task> = Vec::new();
    for number in 1..=count {
        let id = TaskId(format!("T{number}"));
        let mut row = TaskRow { id, title: format!("Do {number}"), priority: 2, ..TaskRow::default() };
        if let Some(before) = tasks.last().filter(|_| dice.chance(25)) {
            row.dependencies.push(before.row.id.clone());
        }
        let nature = dice.pick(&[(17_u32, Nature::Done), (2, Nature::FailsOnce), (1, Nature::Hopeless)]);
        tasks.push(Task { row, nature, length: dice.between(2_000, 25_000) });
    }
    tasks
}

fn draw_fault(dice: &mut Dice, workers: usize) -> Fault {
    let part = if dice.chance(70) { 3 } else { 1 };
    let at = dice.below(FAULTS_UNTIL / part);
    let worker = usize::try_from(dice.below(workers as u64)).unwrap_or(0);
    let lasts =
        dice.pick(&[(2_u32, 2_000), (3, 8_000), (3, 12_000), (2, 25_000), (1, 70_000)]) + dice.below(3_000);
    let on = usize::from(dice.chance(40));
    let resumed = dice.chance(60).then(|| Resumption { after: dice.below(lasts + 5_000), on });
    let what = match dice.below(22) {
        0..=2 => Trouble::KillWorker { worker, back_after: dice.between(10_000, 60_000) },
        3 | 4 => Trouble::FreezeWorker { worker, lasts },
        5 | 6 => Trouble::CutWorker { worker, lasts },
        7 => Trouble::Fails { worker },
        8 => Trouble::Drain { worker },
        9..=11 => Trouble::KillRunner { resumed_after: dice.between(1_000, 20_000), on },
        12 | 13 => Trouble::FreezeRunner { lasts, resumed },
        14 | 15 => Trouble::CutRunner { lasts, resumed },
        16 | 17 => Trouble::ServersAway { lasts: lasts.min(15_000) },
        18 | 19 => Trouble::Noise { lasts, lost: dice.between(5, 40), twice: dice.below(30) },
        20 => Trouble::Slow { lasts, most: dice.between(500, 6_000) },
        _ => Trouble::Stop { least: u8::try_from(dice.between(1, 3)).unwrap_or(1) },
    };
    Fault { at, what }
}

fn plan(dice: &mut Dice, lanes: u16) -> RunSpec {
    let gate = dice.chance(30);
    RunSpec {
        run: RunId("r-fleet001".to_owned()),
        directory: "/project".into(),
        git: true,
        job: job(),
        limits: Limits {
            iterations: Some(1_000),
            cost: None,
            tokens: None,
            duration: None,
            failures: 1_000,
            stagnation: None,
            wait: Duration::from_hours(6),
            outage_retries: 20,
            outage_time: Duration::from_hours(2),
            overage: false,
            spent_before: Cost::ZERO,
            worked_unseen: Duration::ZERO,
            budget_scope: BudgetScope::Run,
        },
        clocks: Clocks {
            delay: Duration::from_secs(dice.below(3)),
            backoff: Duration::from_secs(10),
            silence: Duration::from_mins(15),
            call: Duration::from_mins(150),
            grace: Duration::from_secs(5),
            linger: Duration::from_secs(10),
            linger_background: Duration::from_mins(10),
        },
        checks: gate
            .then(|| Check::new(CheckKind::Gate, "make test".to_owned(), Duration::from_mins(10)))
            .into_iter()
            .collect(),
        environment: Vec::new(),
        hooks: Vec::new(),
        lanes: Some(LanesSpec {
            fleet: Some("night".to_owned()),
            ..LanesSpec::of(lanes, "/state/lanes".into())
        }),
        sandbox: SandboxSpec::default(),
        guard: GuardSpec::default(),
        principles: None,
        agent: AgentSpec {
            version: "2.1.330".to_owned(),
            ..AgentSpec::new("claude", "/usr/bin/claude".into())
        },
        substitutes: Vec::new(),
        specialists: Vec::new(),
        named: Vec::new(),
        review: None,
        council: None,
        commit: CommitPolicy::Runner,
        delivery: None,
        message: windlass_core::message::Wording::default(),
        withholding: windlass_core::spec::Withholding::default(),
        undo: windlass_core::spec::UndoPolicy::Ask,
        exit_codes: ExitCodes::Detailed,
        inputs: Vec::new(),
        links_out: Vec::new(),
        page: None,
    }
}

fn job() -> Job {
    Job {
        mode: Mode::Tasks,
        title: "a job".to_owned(),
        completion_signal: "WINDLASS_JOB_COMPLETE".to_owned(),
        completion_threshold: 3,
        notes_file: None,
        agents_file: None,
        workspace: None,
        plan: None,
        tasks: Some(JobTasks {
            file: "requirements.md".into(),
            progress: None,
            feature: None,
            attempts: 2,
            commits_attempts: false,
            issues: None,
        }),
        phase: None,
        about: None,
        verification: None,
    }
}
