//! Made-up runs of a workspace.

use std::path::PathBuf;
use std::time::Duration;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::spec::{
    Depth, JobLog, JobWorkspace, Mode, RunSpec, StatusNews, StatusWatch, Verification,
};
use windlass_core::values::{
    Assessed, Assessment, Class, Confidence, Evidence, Finding, Items, JobStatus, MetRequirement, Purpose,
    StatusSource, StopReason, Verdict,
};

use super::{LANE, Night, plan};

/// The plan of a workspace's run.
pub fn workspace_plan(mode: Mode) -> RunSpec {
    let mut plan = plan();
    plan.job.mode = mode;
    "Move all endpoints to the new router".clone_into(&mut plan.job.title);
    plan.job.notes_file = None;
    plan.job.workspace = Some(JobWorkspace {
        name: "api".to_owned(),
        folder: PathBuf::from("/home/ada/ledger/.windlass/workspaces/api"),
        trust_existing_status: false,
        todo_fallback: false,
        watch: Some(StatusWatch { debounce: Duration::from_secs(2), news: StatusNews::Meaningful }),
        log: Some(JobLog {
            keep: Some(20),
            keep_bytes: None,
            file: Some("iterate-20260301-200000.log".to_owned()),
        }),
    });
    plan.checks.clear();
    if mode == Mode::Iterative {
        plan.limits.iterations = Some(20);
        plan.limits.stagnation = Some(2);
    }
    plan
}

/// A status file.
pub fn status(done: u64, summary: &str) -> JobStatus {
    JobStatus {
        source: StatusSource::StatusFile,
        mark: done.to_string(),
        items: Some(Items { done, total: 60 }),
        complete: done == 60,
        summary: summary.to_owned(),
        ..JobStatus::default()
    }
}

/// A judgement that refuses the work.
pub fn objection() -> Assessment {
    Assessment {
        verdict: Assessed::Fail,
        confidence: Confidence::High,
        summary: "58 of 60 endpoints are moved.".to_owned(),
        findings: vec![
            Finding {
                title: "/v1/export still uses the old router".to_owned(),
                detail: "src/routes/export.rs:14".to_owned(),
                required: true,
            },
            Finding { title: "No test covers /v1/import".to_owned(), detail: String::new(), required: false },
        ],
        met: vec![MetRequirement {
            title: "Every moved endpoint is tested".to_owned(),
            evidence: "npm test: 58 passed".to_owned(),
        }],
        recommendation: "Move the export endpoints and run their tests.".to_owned(),
    }
}

impl Night {
    /// A workspace's run begins.
    pub fn start_workspace(&mut self, plan: RunSpec, standing: Option<JobStatus>) -> &mut Night {
        self.fact(Fact::RunStarted { plan: Box::new(plan) }).fact(Fact::BaselineCaptured(
            report::BaselineCaptured { standing, evidence: Evidence::default(), snapshot: None, left_out: 0 },
        ))
    }

    /// The status file says something.
    pub fn status(&mut self, standing: JobStatus) -> &mut Night {
        self.fact(Fact::StatusChanged(report::StatusChanged { lane: LANE, standing }))
    }

    /// An iteration in which the status file says this.
    pub fn counted(&mut self, iteration: u32, standing: JobStatus) -> &mut Night {
        self.pass(2).iteration(iteration).pass(60).says("I move the next endpoints.").status(standing);
        self.called(|_| {}).kept(2).finished(iteration, Verdict::Worked, Class::Success, 0.42, 62)
    }

    /// A fresh agent says this of the work.
    pub fn verified(&mut self, iteration: u32, assessment: Assessment) -> &mut Night {
        self.fact(Fact::FollowUpDue { lane: LANE, iteration, attempt: 1, purpose: Purpose::Verify })
            .call_for(iteration, 2, Purpose::Verify)
            .pass(30)
            .called(|call| call.assessment = Some(assessment))
            .kept(0)
    }

    /// A workspace in loop mode whose first claim is refused by a fresh agent.
    pub fn workspace(mut self) -> Night {
        let mut plan = workspace_plan(Mode::Loop);
        plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 2 });
        let night = &mut self;
        night.start_workspace(plan, Some(status(30, "")));
        night.counted(1, status(35, "Migrated 35/60 API endpoints"));
        let mut blocked = status(34, "One has to be moved back");
        blocked.blockers = vec!["the staging database is not reachable".to_owned()];
        "payments".clone_into(&mut blocked.phase);
        night.counted(2, blocked);
        night.pass(2).iteration(3).pass(60).status(status(60, "All API endpoints migrated"));
        night.called(|_| {}).kept(9).verified(3, objection());
        night.finished(3, Verdict::ClaimRefused, Class::Success, 0.84, 95);
        night.pass(2).iteration(4).pass(60).called(|_| {}).kept(3);
        let summary = "All 60 endpoints are moved and tested.".to_owned();
        let verdict = Assessed::Pass;
        night.verified(
            4,
            Assessment {
                verdict,
                summary,
                findings: Vec::new(),
                met: vec![MetRequirement {
                    title: "All endpoints are moved".to_owned(),
                    evidence: "no import of the old router is left".to_owned(),
                }],
                recommendation: String::new(),
                ..objection()
            },
        );
        night.finished(4, Verdict::ClaimAccepted, Class::Success, 0.84, 95).end(StopReason::Complete, "");
        self
    }

    /// A workspace in iterative mode in which nothing is left to do.
    pub fn stagnating(mut self) -> Night {
        let night = &mut self;
        night.start_workspace(workspace_plan(Mode::Iterative), None);
        let said = |worked, summary: &str| JobStatus {
            worked: Some(worked),
            items: None,
            summary: summary.to_owned(),
            ..status(0, "")
        };
        night.counted(1, said(true, "Implemented authentication middleware and updated 3 routes"));
        for iteration in [2, 3] {
            night.pass(2).iteration(iteration).pass(20).status(said(false, "Nothing is left to do"));
            night.called(|_| {}).kept(0).finished(iteration, Verdict::Idle, Class::Success, 0.1, 22);
        }
        night.end(StopReason::Stagnated, "2 iterations in a row made no progress");
        self
    }

    /// A workspace's work, or its instructions, judged by a fresh agent.
    pub fn judged(mut self, mode: Mode) -> Night {
        let mut plan = workspace_plan(mode);
        plan.job.verification = Some(Verification { depth: Depth::Deep, attempts: 1 });
        plan.limits.iterations = Some(1);
        let night = &mut self;
        night.start_workspace(plan, None).fact(Fact::IterationStarted {
            lane: LANE,
            iteration: 1,
            task: None,
        });
        night.call_for(1, 1, Purpose::Verify).pass(40).called(|call| call.assessment = Some(objection()));
        night.kept(0).finished(1, Verdict::ClaimRefused, Class::Success, 0.42, 42);
        night.end(StopReason::GatesFailing, &objection().summary);
        self
    }
}
