//! Drawing a plan.

use std::time::Duration;

use windlass_core::spec::{
    AgentSpec, BudgetScope, Clocks, CommitPolicy, Depth, Job, JobPlan, JobWorkspace, Limits, Mode, RunSpec,
    SandboxSpec, StatusNews, StatusWatch, Verification,
};
use windlass_core::spec::{ClaimSource, GuardSpec};
use windlass_core::values::{Check, CheckKind, Cost, ExitCodes, Hook, HookCommand, HookName, RunId};

use crate::dice::Dice;

/// The phrase that claims completion.
pub(crate) const SIGNAL: &str = "WINDLASS_JOB_COMPLETE";

pub(super) fn draw(dice: &mut Dice, mode: Mode) -> RunSpec {
    let git = dice.chance(88);
    let commit = dice.pick(&[(4, CommitPolicy::None), (1, CommitPolicy::Agent), (5, CommitPolicy::Runner)]);
    let verification = verification(dice, mode);
    let workspace = workspace(dice, mode);
    let mut plan = RunSpec {
        run: RunId(format!("r-night{:03}", dice.below(1000))),
        directory: "/project".into(),
        git,
        job: Job {
            mode,
            title: "a job".to_owned(),
            completion_signal: SIGNAL.to_owned(),
            completion_threshold: dice.number(1, 3),
            notes_file: dice.chance(75).then(|| "SHARED_TASK_NOTES.md".into()),
            agents_file: Some("AGENTS.md".into()),
            workspace,
            plan: job_plan(dice, mode),
            tasks: None,
            phase: None,
            about: None,
            verification,
        },
        limits: limits(dice),
        clocks: clocks(dice),
        environment: Vec::new(),
        checks: checks(dice),
        hooks: hooks(dice),
        lanes: None,
        sandbox: SandboxSpec::default(),
        guard: GuardSpec::default(),
        principles: None,
        agent: agent(),
        substitutes: Vec::new(),
        specialists: Vec::new(),
        named: Vec::new(),
        review: None,
        council: None,
        commit: if git { commit } else { CommitPolicy::None },
        delivery: None,
        message: windlass_core::message::Wording::default(),
        withholding: windlass_core::spec::Withholding::default(),
        undo: windlass_core::spec::UndoPolicy::Ask,
        exit_codes: dice.pick(&[(1, ExitCodes::Simple), (1, ExitCodes::Detailed)]),
        inputs: Vec::new(),
        links_out: Vec::new(),
        page: None,
    };
    if mode.claim() == ClaimSource::Boxes && dice.chance(60) {
        plan.limits.stagnation = Some(1);
    }
    if mode.writes_document() {
        super::phase::draw(&mut plan);
    }
    if mode.judges() {
        plan.limits.iterations = Some(1);
        plan.checks.clear();
        plan.commit = CommitPolicy::None;
    }
    plan
}

fn verification(dice: &mut Dice, mode: Mode) -> Option<Verification> {
    let often = if mode.claim() == ClaimSource::Phrase { 15 } else { 45 };
    let attempts = dice.number(1, 3);
    let wanted = dice.chance(often) && !mode.judges();
    wanted.then_some(Verification { depth: Depth::Standard, attempts })
}

fn workspace(dice: &mut Dice, mode: Mode) -> Option<JobWorkspace> {
    let news = dice.pick(&[(1, StatusNews::Meaningful), (1, StatusNews::EveryWrite)]);
    let watch = dice.chance(50).then_some(StatusWatch { debounce: Duration::from_secs(1), news });
    let trust_existing_status = dice.chance(15);
    mode.has_workspace().then(|| JobWorkspace {
        name: "api".to_owned(),
        folder: "/project/.windlass/workspaces/api".into(),
        trust_existing_status,
        todo_fallback: false,
        watch,
        log: None,
    })
}

fn job_plan(dice: &mut Dice, mode: Mode) -> Option<JobPlan> {
    let smart_termination = dice.chance(85);
    mode.has_plan().then(|| JobPlan {
        file: "IMPLEMENTATION_PLAN.md".into(),
        folder: None,
        specs: None,
        smart_termination,
        archives_finished: false,
    })
}

/// A third of all runs has hooks.
fn hooks(dice: &mut Dice) -> Vec<Hook> {
    let some = dice.chance(35);
    let mut hooks = Vec::new();
    for name in HookName::ALL {
        if dice.chance(60) && some {
            let timeout = Duration::from_secs(30);
            hooks.push(Hook { name, command: HookCommand::Shell("a hook".to_owned()), timeout });
        }
    }
    hooks
}

fn limits(dice: &mut Dice) -> Limits {
    Limits {
        iterations: Some(dice.number(1, 12)),
        cost: dice.chance(50).then(|| Cost::from_micros(dice.between(1, 80) * 100_000)),
        tokens: dice.chance(15).then(|| dice.between(200, 5_000)),
        duration: dice.chance(80).then(|| Duration::from_mins(dice.between(3, 720))),
        failures: dice.number(1, 4),
        stagnation: dice.chance(75).then(|| dice.number(1, 4)),
        wait: Duration::from_mins(dice.pick(&[(1, 10), (1, 60), (4, 360)])),
        outage_retries: dice.pick(&[(1, 0), (1, 3), (3, 20)]),
        outage_time: Duration::from_mins(dice.pick(&[(1, 1), (3, 120)])),
        overage: dice.chance(50),
        spent_before: if dice.chance(10) { Cost::from_micros(dice.below(1_500_000)) } else { Cost::ZERO },
        worked_unseen: Duration::ZERO,
        budget_scope: BudgetScope::Run,
    }
}

fn clocks(dice: &mut Dice) -> Clocks {
    Clocks {
        delay: Duration::from_secs(dice.pick(&[(1, 0), (4, 2), (1, 30)])),
        backoff: Duration::from_secs(10),
        silence: Duration::from_mins(dice.pick(&[(1, 2), (3, 15)])),
        call: Duration::from_mins(dice.pick(&[(1, 20), (3, 150)])),
        grace: Duration::from_secs(5),
        linger: Duration::from_secs(10),
        linger_background: Duration::from_mins(10),
    }
}

fn checks(dice: &mut Dice) -> Vec<Check> {
    let until = dice.pick(&[(6, 0), (3, 1), (1, 2)]);
    let gates = dice.pick(&[(4, 0), (4, 1), (2, 2)]);
    let check =
        |kind: CheckKind, number: usize| Check::new(kind, format!("check {number}"), Duration::from_mins(10));
    let kinds =
        std::iter::repeat_n(CheckKind::Until, until).chain(std::iter::repeat_n(CheckKind::Gate, gates));
    kinds.enumerate().map(|(number, kind)| check(kind, number)).collect()
}

fn agent() -> AgentSpec {
    AgentSpec { version: "2.1.330".to_owned(), ..AgentSpec::new("claude", "/usr/bin/claude".into()) }
}
