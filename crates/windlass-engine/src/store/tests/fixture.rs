//! A scratch project, and facts to fill it with.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use tempfile::TempDir;
use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::spec::{
    AgentSpec, BudgetScope, Clocks, CommitPolicy, Job, Limits, Mode, RunSpec, SandboxSpec,
};
use windlass_core::values::{
    AgentIndex, CallId, CallSummary, Class, Cost, Evidence, ExitCodes, LaneId, Now, Purpose, RunId,
    SnapshotId, StopReason, Tokens, Verdict,
};

use crate::store::paths::Project;
use crate::store::run_folder::RunFolder;

/// A scratch folder with a state root and a working directory in it.
pub(crate) struct Fixture {
    pub root: Scratch,
    pub project: Project,
    pub directory: PathBuf,
}

/// A folder, which is removed at the end if it is ours.
pub(crate) enum Scratch {
    Own(TempDir),
    Given(PathBuf),
}

impl Scratch {
    pub fn path(&self) -> &Path {
        match self {
            Scratch::Own(folder) => folder.path(),
            Scratch::Given(path) => path,
        }
    }
}

impl Fixture {
    pub fn new() -> Fixture {
        Fixture::within(Scratch::Own(tempfile::tempdir().unwrap()))
    }

    /// In memory where the machine has such a folder: for tests that create or sync thousands of files.
    pub fn in_memory() -> Fixture {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Fixture::within(Scratch::Own(folder.unwrap()))
    }

    /// In a folder that somebody else removes.
    pub fn in_folder(path: &Path) -> Fixture {
        Fixture::within(Scratch::Given(path.to_owned()))
    }

    fn within(root: Scratch) -> Fixture {
        let directory = root.path().join("work");
        fs::create_dir_all(&directory).unwrap();
        let directory = fs::canonicalize(directory).unwrap();
        let project = Project::locate(&root.path().join("state"), &directory, None).unwrap();
        project.create().unwrap();
        Fixture { root, project, directory }
    }

    /// A new run's folder.
    pub fn run(&self) -> RunFolder {
        RunFolder::create(&self.project).unwrap()
    }

    /// Facts of a run with so many iterations, finished or not.
    pub fn facts(&self, run: &RunId, iterations: u32, ending: Option<StopReason>) -> Vec<Entry> {
        let mut facts = vec![Fact::RunStarted { plan: Box::new(plan(run, &self.directory)) }];
        facts.extend((1..=iterations).flat_map(iteration));
        facts.extend(ending.map(|stop_reason| finished(stop_reason, iterations)));
        numbered(facts, 1)
    }
}

/// Entries from facts; one second apart from each other.
pub(crate) fn numbered(facts: Vec<Fact>, first: u64) -> Vec<Entry> {
    (first..)
        .zip(facts)
        .map(|(seq, fact)| Entry {
            seq,
            at: Now { wall: at(i64::try_from(seq).unwrap()), monotonic: Duration::from_secs(seq) },
            fact,
        })
        .collect()
}

/// A moment, in seconds after an arbitrary one.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// What an iteration costs here.
pub(crate) const ITERATION_COST: Cost = Cost::from_micros(250_000);

fn evidence(iteration: u32) -> Evidence {
    Evidence { head: Some(format!("{iteration:040x}")), tree: format!("{iteration:064x}"), work: None }
}

pub(crate) fn reserved(iteration: u32) -> Fact {
    Fact::CallReserved {
        lane: LaneId(0),
        call: CallId(iteration),
        iteration,
        attempt: 1,
        purpose: Purpose::Work,
        agent: AgentIndex(0),
        reserved: Cost::from_dollars(0.5),
        budget: None,
    }
}

fn iteration(iteration: u32) -> Vec<Fact> {
    let lane = LaneId(0);
    let call = CallId(iteration);
    let tokens = Tokens { input: 10, output: 20, cache_creation: 30, cache_read: 40 };
    vec![
        Fact::IterationStarted { lane, iteration, task: None },
        reserved(iteration),
        Fact::CallSpawned(report::CallSpawned { lane, call, pid: 4242 }),
        Fact::CallFinished {
            lane,
            call,
            claimed: false,
            summary: CallSummary {
                cost: ITERATION_COST,
                tokens,
                tool_uses: 3,
                duration: Duration::from_secs(3),
                ..CallSummary::uneventful()
            },
        },
        Fact::SnapshotTaken(report::SnapshotTaken {
            standing: None,
            lane,
            evidence: evidence(iteration),
            snapshot: Some(SnapshotId("5".repeat(40))),
            forbidden_changes: 0,
            changed: 2,
        }),
        Fact::IterationFinished {
            lane,
            iteration,
            verdict: Verdict::Worked,
            class: Class::Success,
            progress: true,
            cost: ITERATION_COST,
            estimated_cost: Cost::ZERO,
            tokens,
            duration: Duration::from_secs(4),
        },
    ]
}

pub(crate) fn finished(stop_reason: StopReason, iterations: u32) -> Fact {
    let count = u64::from(iterations);
    Fact::RunFinished {
        stop_reason,
        detail: String::new(),
        iterations,
        cost: Cost::from_micros(count * ITERATION_COST.micros()),
        estimated_cost: Cost::ZERO,
        estimated: false,
        tokens: Tokens {
            input: 10 * count,
            output: 20 * count,
            cache_creation: 30 * count,
            cache_read: 40 * count,
        },
        duration: Duration::from_secs(5 * count),
        exit_code: stop_reason.exit_code(ExitCodes::Simple),
    }
}

/// A plan of no interest, for a run in a working directory.
pub(crate) fn plan(run: &RunId, directory: &Path) -> RunSpec {
    RunSpec {
        run: run.clone(),
        directory: directory.to_owned(),
        git: false,
        job: Job {
            mode: Mode::Goal,
            title: "Make it ‘so’ 🪝".to_owned(),
            completion_signal: "DONE".to_owned(),
            completion_threshold: 3,
            notes_file: None,
            agents_file: Some("AGENTS.md".into()),
            workspace: None,
            plan: None,
            tasks: None,
            phase: None,
            about: None,
            verification: None,
        },
        limits: Limits {
            iterations: Some(50),
            cost: None,
            tokens: None,
            duration: None,
            failures: 3,
            stagnation: Some(3),
            wait: Duration::from_hours(6),
            outage_retries: 20,
            outage_time: Duration::from_hours(2),
            overage: false,
            spent_before: Cost::ZERO,
            worked_unseen: Duration::ZERO,
            budget_scope: BudgetScope::Run,
        },
        clocks: Clocks {
            delay: Duration::from_secs(2),
            backoff: Duration::from_secs(5),
            silence: Duration::from_mins(15),
            call: Duration::from_mins(150),
            grace: Duration::from_secs(5),
            linger: Duration::from_secs(10),
            linger_background: Duration::from_mins(10),
        },
        checks: Vec::new(),
        environment: Vec::new(),
        hooks: Vec::new(),
        lanes: None,
        sandbox: SandboxSpec::default(),
        guard: windlass_core::spec::GuardSpec::default(),
        principles: None,
        agent: AgentSpec {
            name: "mock".to_owned(),
            program: PathBuf::from("/bin/false"),
            version: String::new(),
            model: None,
            max_turns: None,
            arguments: Vec::new(),
            skip_permissions: false,
            allow: Vec::new(),
            api_keys: false,
            background: false,
            add_dirs: Vec::new(),
            repository_settings: windlass_core::spec::RepositorySettings::Used,
            prices: Vec::new(),
        },
        substitutes: Vec::new(),
        specialists: Vec::new(),
        named: Vec::new(),
        review: None,
        council: None,
        commit: CommitPolicy::None,
        delivery: None,
        message: windlass_core::message::Wording::default(),
        withholding: windlass_core::spec::Withholding::default(),
        undo: windlass_core::spec::UndoPolicy::default(),
        exit_codes: ExitCodes::Simple,
        inputs: Vec::new(),
        links_out: Vec::new(),
        page: None,
    }
}
