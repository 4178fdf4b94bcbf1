//! A made-up night: facts and observations as a run would bring them.

mod workspace;

#[allow(unused_imports, reason = "not every program that shows a night needs all of it")]
pub use workspace::{objection, status, workspace_plan};

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::{Excerpt, Observation, ToolInput};
use windlass_core::report;
use windlass_core::spec::GuardSpec;
use windlass_core::spec::{
    AgentSpec, BudgetScope, Clocks, CommitPolicy, Job, Limits, Mode, RunSpec, SandboxSpec,
};
use windlass_core::values::{
    AgentIndex, CallId, CallSummary, Check, CheckKind, CheckOutcome, CheckResult, CheckStage, Class, Cost,
    Denial, Ended, Evidence, ExitCodes, LaneId, Now, Purpose, RunId, SnapshotId, StopReason, Tokens,
    UsageLimit, Verdict,
};
use windlass_ui::Event;

const LANE: LaneId = LaneId(0);

/// The plan of the made-up run.
pub fn plan() -> RunSpec {
    RunSpec {
        run: RunId("r-k3v9x2aa".to_owned()),
        directory: PathBuf::from("/home/ada/ledger"),
        git: true,
        job: Job {
            mode: Mode::Goal,
            title: "Make the parser accept ISO dates and cover it with tests".to_owned(),
            completion_signal: "WINDLASS_JOB_COMPLETE".to_owned(),
            completion_threshold: 1,
            notes_file: Some(PathBuf::from("SHARED_TASK_NOTES.md")),
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
            cost: Some(Cost::from_dollars(5.0)),
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
            silence: Duration::from_mins(15),
            call: Duration::from_mins(150),
            grace: Duration::from_secs(5),
            backoff: Duration::from_secs(5),
            linger: Duration::from_secs(10),
            linger_background: Duration::from_mins(10),
        },
        environment: Vec::new(),
        checks: vec![Check::new(CheckKind::Gate, "cargo test -q".to_owned(), Duration::from_mins(10))],
        hooks: Vec::new(),
        lanes: None,
        sandbox: SandboxSpec::default(),
        guard: GuardSpec::default(),
        principles: None,
        agent: AgentSpec {
            name: "claude".to_owned(),
            program: PathBuf::from("/usr/bin/claude"),
            version: "2.1.330".to_owned(),
            model: Some("opus".to_owned()),
            max_turns: None,
            arguments: Vec::new(),
            skip_permissions: false,
            allow: ["Bash(cargo test:*)", "Bash(git diff:*)", "Bash(git log:*)"].map(str::to_owned).to_vec(),
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

/// Events with a clock of their own.
#[derive(Clone, Debug)]
pub struct Night {
    /// What happened so far.
    pub events: Vec<Event>,
    now: Timestamp,
    begin: Timestamp,
    seq: u64,
    call: u32,
    line: u64,
    /// What the calls of the iteration were charged without having reported it.
    estimated: Cost,
}

impl Night {
    /// Begins at 20:00 UTC.
    pub fn new() -> Night {
        Night::beginning("2026-03-01T20:00:00Z".parse().unwrap_or_default())
    }

    /// Begins then.
    pub fn beginning(begin: Timestamp) -> Night {
        Night { events: Vec::new(), now: begin, begin, seq: 0, call: 0, line: 0, estimated: Cost::ZERO }
    }

    /// Lets time pass.
    pub fn pass(&mut self, seconds: u64) -> &mut Night {
        self.now += Duration::from_secs(seconds);
        self
    }

    /// Something happens.
    pub fn fact(&mut self, fact: Fact) -> &mut Night {
        self.seq += 1;
        let at = Now {
            wall: self.now,
            monotonic: Duration::try_from(self.now.duration_since(self.begin)).unwrap_or_default(),
        };
        self.events.push(Event::from(Entry { seq: self.seq, at, fact }));
        self
    }

    /// The agent prints something.
    pub fn observe(&mut self, observation: Observation) -> &mut Night {
        self.line += 1;
        self.events.push(Event::Observation {
            lane: LANE,
            call: CallId(self.call),
            line: self.line,
            at: self.now,
            observation,
        });
        self
    }

    /// The run begins.
    pub fn start(&mut self) -> &mut Night {
        self.fact(Fact::RunStarted { plan: Box::new(plan()) })
    }

    /// An iteration begins.
    pub fn iteration(&mut self, iteration: u32) -> &mut Night {
        self.fact(Fact::IterationStarted { lane: LANE, iteration, task: None }).call(iteration, 1)
    }

    /// A call begins.
    pub fn call(&mut self, iteration: u32, attempt: u32) -> &mut Night {
        self.call_for(iteration, attempt, Purpose::Work)
    }

    /// A call for something begins.
    pub fn call_for(&mut self, iteration: u32, attempt: u32, purpose: Purpose) -> &mut Night {
        self.call += 1;
        self.line = 0;
        let call = CallId(self.call);
        self.fact(Fact::CallReserved {
            lane: LANE,
            call,
            iteration,
            attempt,
            purpose,
            agent: AgentIndex(0),
            reserved: Cost::from_dollars(0.5),
            budget: None,
        })
        .fact(Fact::CallSpawned(report::CallSpawned { lane: LANE, call, pid: 4711 }))
    }

    /// The agent uses a tool and gets its answer.
    pub fn tool(&mut self, name: &str, input: ToolInput, output: &str) -> &mut Night {
        self.answered(name, input, output, false)
    }

    /// The agent uses a tool and fails.
    pub fn failing_tool(&mut self, name: &str, input: ToolInput, output: &str) -> &mut Night {
        self.answered(name, input, output, true)
    }

    fn answered(&mut self, name: &str, input: ToolInput, output: &str, is_error: bool) -> &mut Night {
        let id = format!("toolu_{}_{}", self.call, self.line);
        let name = name.to_owned();
        self.observe(Observation::ToolUse { id: id.clone(), name: name.clone(), input, nested: false });
        self.pass(7).observe(Observation::ToolResult {
            id,
            name,
            is_error,
            output: Excerpt {
                text: output.to_owned(),
                bytes: output.len() as u64,
                lines: output.lines().count() as u64,
                cut: false,
            },
            nested: false,
        })
    }

    /// The agent writes.
    pub fn says(&mut self, text: &str) -> &mut Night {
        self.observe(Observation::AgentText { text: text.to_owned(), nested: false })
    }

    /// The call ends.
    pub fn called(&mut self, change: impl FnOnce(&mut CallSummary)) -> &mut Night {
        let mut summary = CallSummary {
            cost: Cost::from_dollars(0.42),
            tokens: Tokens { input: 1_200, output: 3_400, cache_creation: 20_000, cache_read: 180_000 },
            tool_uses: 12,
            duration: Duration::from_secs(252),
            ..CallSummary::uneventful()
        };
        change(&mut summary);
        self.estimated = if summary.estimated { summary.cost } else { Cost::ZERO };
        let call = CallId(self.call);
        self.fact(Fact::CallFinished { lane: LANE, call, claimed: false, summary })
    }

    /// The tree is kept.
    pub fn kept(&mut self, changed: u32) -> &mut Night {
        self.fact(Fact::SnapshotTaken(report::SnapshotTaken {
            standing: None,
            lane: LANE,
            evidence: Evidence::default(),
            snapshot: Some(SnapshotId("5eed".to_owned())),
            changed,
            forbidden_changes: 0,
        }))
    }

    /// The gate is run.
    pub fn gate(&mut self, stage: CheckStage, result: CheckResult, last_line: &str) -> &mut Night {
        self.pass(3).fact(Fact::CheckFinished(report::CheckFinished {
            lane: LANE,
            stage,
            outcome: CheckOutcome {
                check: 0,
                result,
                duration: Duration::from_secs(3),
                log: "iterations/0001/1-work/gates/0".to_owned(),
                last_line: last_line.to_owned(),
                telling_line: String::new(),
            },
        }))
    }

    /// The iteration ends.
    pub fn finished(
        &mut self,
        iteration: u32,
        verdict: Verdict,
        class: Class,
        cost: f64,
        seconds: u64,
    ) -> &mut Night {
        let estimated = std::mem::take(&mut self.estimated);
        self.fact(Fact::IterationFinished {
            lane: LANE,
            iteration,
            verdict,
            class,
            progress: matches!(verdict, Verdict::Worked | Verdict::ClaimAccepted | Verdict::ClaimRefused),
            cost: Cost::from_dollars(cost),
            estimated_cost: estimated,
            tokens: Tokens::default(),
            duration: Duration::from_secs(seconds),
        })
    }

    /// The run ends.
    pub fn end(&mut self, stop_reason: StopReason, detail: &str) -> &mut Night {
        self.fact(Fact::RunFinished {
            stop_reason,
            detail: detail.to_owned(),
            iterations: 5,
            cost: Cost::from_dollars(2.13),
            estimated: true,
            estimated_cost: Cost::from_dollars(0.5),
            tokens: Tokens { input: 12_000, output: 34_100, cache_creation: 90_000, cache_read: 1_064_000 },
            duration: Duration::from_secs(1_394),
            exit_code: stop_reason.exit_code(ExitCodes::Simple),
        })
    }

    /// The whole night: work, a denied command, a refused claim, a failure, a usage limit, and the end.
    pub fn whole(mut self) -> Night {
        let night = &mut self;
        night
            .start()
            .fact(Fact::BaselineCaptured(report::BaselineCaptured {
                standing: None,
                evidence: Evidence::default(),
                snapshot: Some(SnapshotId("ba5e".to_owned())),
                left_out: 0,
            }))
            .gate(CheckStage::Baseline, CheckResult::Failed(101), "test result: FAILED. 11 passed; 2 failed");
        night.iteration(1).first_iteration();
        night.pass(2).iteration(2).pass(63);
        night.called(|call| call.cost = Cost::from_dollars(0.11)).kept(0).finished(
            2,
            Verdict::Idle,
            Class::Success,
            0.11,
            63,
        );
        night.pass(2).iteration(3).pass(200).says("All dates parse now.\n\nWINDLASS_JOB_COMPLETE");
        night.called(|call| call.cost = Cost::from_dollars(0.31)).kept(2);
        night
            .gate(CheckStage::Candidate, CheckResult::Failed(101), "test result: FAILED. 13 passed; 1 failed")
            .finished(3, Verdict::ClaimRefused, Class::Success, 0.31, 203);
        night.pass(2).iteration(4).limited_iteration();
        night.pass(2).iteration(5).pass(240);
        night
            .tool(
                "Bash",
                ToolInput::Bash {
                    command: "cargo test -q".to_owned(),
                    description: "run the tests".to_owned(),
                },
                "running 14 tests\n..............\ntest result: ok. 14 passed; 0 failed",
            )
            .called(|_| {})
            .kept(3)
            .gate(CheckStage::Candidate, CheckResult::Passed, "test result: ok. 14 passed; 0 failed")
            .finished(5, Verdict::ClaimAccepted, Class::Success, 0.42, 243)
            .end(StopReason::Complete, "");
        self
    }

    fn first_iteration(&mut self) -> &mut Night {
        self.pass(2)
            .observe(Observation::Started {
                model: "claude-opus-4".to_owned(),
                version: "2.1.330".to_owned(),
            })
            .says("I look at the parser first.")
            .tool(
                "Read",
                ToolInput::Read {
                    path: "/home/ada/ledger/src/parse.rs".to_owned(),
                    offset: Some(10),
                    limit: Some(40),
                },
                &(10..50)
                    .map(|line| format!("{line:>6}→    let field = {line};"))
                    .collect::<Vec<_>>()
                    .join("\n"),
            )
            .failing_tool(
                "Edit",
                date_edit("    iso(text)"),
                "String to replace not found in file.\nString:     iso(text)",
            )
            .tool("Edit", date_edit("    parse_date(text)"), "The file has been updated.")
            .pass(200)
            .called(|call| {
                call.denials = vec![Denial {
                    tool: "Bash".to_owned(),
                    input: "npm install left-pad".to_owned(),
                    rule: "Bash(npm install left-pad)".to_owned(),
                    ..Denial::default()
                }];
            })
            .kept(3)
            .finished(1, Verdict::Worked, Class::Success, 0.42, 252)
    }

    fn limited_iteration(&mut self) -> &mut Night {
        let reset = self.now + Duration::from_secs(3_792);
        self.pass(12)
            .called(|call| {
                call.class = Class::UsageLimit;
                "usage limit of the five-hour window".clone_into(&mut call.detail);
                call.cost = Cost::ZERO;
                call.duration = Duration::from_secs(12);
                call.limit = Some(UsageLimit { resets_at: Some(reset), window: "five_hour".to_owned() });
            })
            .fact(Fact::AttemptRepeats { lane: LANE, iteration: 4, attempt: 1, class: Class::UsageLimit })
            .fact(Fact::BackoffStarted { until: reset, class: Class::UsageLimit, attempt: 1 })
            .pass(3_780)
            .fact(Fact::BackoffEnded)
            .call(4, 2)
            .pass(30)
            .called(|call| {
                call.class = Class::TaskFailure;
                "the agent crashed: signal 11".clone_into(&mut call.detail);
                call.ended = Ended::Signalled(11);
                call.cost = Cost::from_dollars(0.5);
                call.estimated = true;
            })
            .kept(1)
            .finished(4, Verdict::Failed, Class::TaskFailure, 0.5, 3_822)
    }
}

fn date_edit(old: &str) -> ToolInput {
    ToolInput::Edit {
        path: "/home/ada/ledger/src/parse.rs".to_owned(),
        old: old.to_owned(),
        new: "    parse_date(text).or_else(|_| parse_iso(text))\n        .map_err(ParseError::Date)"
            .to_owned(),
        all: false,
    }
}
