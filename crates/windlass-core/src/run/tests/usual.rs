//! What tests run.

use std::time::Duration;

use crate::spec::{
    AgentSpec, BudgetScope, Clocks, CommitPolicy, GuardSpec, Job, JobPlan, Limits, Mode, RunSpec, SandboxSpec,
};
use crate::values::{Check, CheckKind, Cost, ExitCodes, RunId};

/// A plan with DESIGN.md's defaults of goal mode.
pub fn plan() -> RunSpec {
    RunSpec {
        run: RunId("r-test0000".to_owned()),
        directory: "/project".into(),
        git: true,
        job: Job {
            mode: Mode::Goal,
            title: "a job".to_owned(),
            completion_signal: "WINDLASS_JOB_COMPLETE".to_owned(),
            completion_threshold: 3,
            notes_file: Some("SHARED_TASK_NOTES.md".into()),
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
            duration: Some(Duration::from_hours(12)),
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
            backoff: Duration::from_secs(10),
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
        commit: CommitPolicy::None,
        delivery: None,
        message: crate::message::Wording::default(),
        withholding: crate::spec::Withholding::default(),
        undo: crate::spec::UndoPolicy::Ask,
        exit_codes: ExitCodes::Detailed,
        inputs: Vec::new(),
        links_out: Vec::new(),
        page: None,
    }
}

pub fn planned(mode: Mode) -> RunSpec {
    let mut plan = plan();
    plan.job.mode = mode;
    plan.job.notes_file = None;
    plan.job.plan = Some(JobPlan {
        file: "IMPLEMENTATION_PLAN.md".into(),
        folder: Some("plan".into()),
        specs: Some("specs".into()),
        smart_termination: true,
        archives_finished: false,
    });
    plan.limits.stagnation = Some(if mode == Mode::Build { 1 } else { 3 });
    plan
}

pub fn check(kind: CheckKind, command: &str) -> Check {
    Check::new(kind, command.to_owned(), Duration::from_mins(10))
}
