//! The real Claude Code on a worker. It talks to a stand-in for the Messages API on loopback.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use serde_json::json;
use windlass_testkit::Running;
use windlass_testkit::api::{Reply, Request, Scenario, StandIn};
use windlass_testkit::environment::{CLAUDE_CODE, Credentials};

use super::yard::{HONEST, PATIENCE, Yard, drain};

/// What the agent does of the yard's only task, by what it has been answered already.
fn work(request: &Request) -> Reply {
    let prompt = request.user_texts().join("\n");
    let lane = prompt.split("Project: `").nth(1).and_then(|rest| rest.split('`').next());
    let Some(lane) = lane.map(Path::new) else { return Reply::text("Nothing is asked.") };
    let tasks = lane.join("tasks.md");
    let answered = request.tool_results();
    match answered.len() {
        0 => Reply::write(lane.join("work/T1"), "done\n"),
        1 => Reply::tool("Read", json!({"file_path": tasks})),
        // As it has read it.
        2 => {
            let states = ["in-progress", "pending"].map(|state| format!("- **Status:** {state}"));
            let state = states.iter().find(|state| answered[1].content.contains(*state)).unwrap();
            let edit = json!({"file_path": tasks, "old_string": state, "new_string": "- **Status:** done"});
            Reply::tool("Edit", edit)
        }
        _ => Reply::text("The task is done."),
    }
}

/// A yard whose machines have the agent, which talks to the stand-in.
struct Claude {
    yard: Yard,
    api: StandIn,
    variables: Vec<(String, OsString)>,
}

impl Claude {
    fn new(scenario: Scenario) -> Claude {
        let (yard, api) = (Yard::new(1, HONEST), StandIn::start(scenario));
        let mut variables = yard.env.claude_environment(&api, Credentials::ApiKey);
        // Nobody skips permissions here.
        variables.retain(|(name, _)| name != "IS_SANDBOX");
        variables.push(("WINDLASS_AGENT__API_KEYS".to_owned(), "true".into()));
        Claude { yard, api, variables }
    }

    fn with_agent(&self, mut command: Command) -> Command {
        // Where a worker looks for the agent of a run.
        let program = CLAUDE_CODE.installed();
        let mut path = program.parent().unwrap().as_os_str().to_owned();
        let known = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
        path.push(":");
        path.push(known.unwrap());
        command.env("PATH", path).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn worker(&self, name: &str) -> Running {
        Yard::begin(&mut self.with_agent(self.yard.worker_command(name, 1)))
    }

    fn run(&self) -> Running {
        let arguments = ["run", "--mode", "tasks", "--no-delay", "--fleet", "-j", "2", "--gate", "true"];
        Running::start(&mut self.with_agent(self.yard.windlass(&arguments)))
    }

    /// The task is done, and everybody ends.
    fn ends(self, run: Running, workers: Vec<Running>) -> Yard {
        let ended = run.wait(PATIENCE);
        ended.expect_success(&ended.stderr_text());
        assert_eq!(self.yard.landed(), ["T1"], "{}", ended.stderr_text());
        self.yard.assert_whole();
        for worker in workers {
            drain(worker).expect_success("a worker without lanes is drained at once");
        }
        self.yard.env.assert_no_processes(PATIENCE);
        assert!(self.api.other_requests().is_empty(), "{:?}", self.api.other_requests());
        self.yard
    }
}

#[test]
fn a_task_is_done_by_the_agent_of_a_worker() {
    let claude = Claude::new(Scenario::computed(work));
    let worker = claude.worker("one");
    let run = claude.run();
    let yard = claude.ends(run, vec![worker]);
    let calls = yard.of_kind("call_finished");
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(calls[0]["estimated"] != true && calls[0]["cost_usd"].as_f64() > Some(0.0), "{calls:?}");
    assert!(yard.env.read("tasks.md").contains("- **Status:** done"));
}

#[test]
fn a_worker_that_is_killed_during_a_call_leaves_its_task_to_the_agent_of_another() {
    let stalls = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&stalls);
    let claude = Claude::new(Scenario::computed(move |request| {
        if asked.load(Ordering::Relaxed) { Reply::stall_mid_stream("I was about to") } else { work(request) }
    }));
    let first = claude.worker("first");
    let run = claude.run();
    assert!(claude.api.wait_for_requests(1, PATIENCE), "{}", run.stderr_so_far());
    let second = claude.worker("second");
    stalls.store(false, Ordering::Relaxed);
    first.signal(Signal::KILL);
    first.wait(PATIENCE);
    let yard = claude.ends(run, vec![second]);
    let calls = yard.of_kind("call_finished");
    let estimated: Vec<bool> = calls.iter().map(|call| call["estimated"] == true).collect();
    assert_eq!(estimated, [true, false], "{calls:?}");
    assert!(yard.notices().contains("worker first lost lane"), "{}", yard.notices());
}
