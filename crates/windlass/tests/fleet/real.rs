//! The real Claude Code on a worker. It talks to a stand-in for the Messages API on loopback.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use rustix::process::Signal;
use serde_json::json;
use windlass_testkit::api::{Reply, Request, Scenario, StandIn};
use windlass_testkit::environment::{CLAUDE_CODE, Credentials, wait_until};
use windlass_testkit::{Nats, Running};

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
        let (yard, api) = (Yard::on(Nats::three(), 1, HONEST), StandIn::start(scenario));
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
        self.begin(&["run", "--mode", "tasks", "--no-delay", "--fleet", "-j", "2", "--gate", "true"])
    }

    /// How many processes of agents are at work.
    fn agents(&self) -> usize {
        let agent = fs::canonicalize(CLAUDE_CODE.installed()).unwrap();
        let program = |process: &u32| fs::read_link(format!("/proc/{process}/exe"));
        let processes = self.yard.env.processes();
        processes.iter().filter(|process| program(process).is_ok_and(|program| program == agent)).count()
    }

    /// One is, and waits for an answer.
    fn wait_for_a_call(&self, run: &Running) {
        assert!(self.api.wait_for_requests(1, PATIENCE), "{}", run.stderr_so_far());
        assert_ne!(self.agents(), 0);
    }

    fn wait_until_idle(&self) {
        assert!(wait_until(PATIENCE, || self.agents() == 0), "an agent is at work");
    }

    fn begin(&self, arguments: &[&str]) -> Running {
        Running::start(&mut self.with_agent(self.yard.windlass(arguments)))
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
    claude.wait_for_a_call(&run);
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

/// Whether the agent's first answer is held back.
#[derive(Clone, Default)]
struct Held(Arc<(Mutex<bool>, Condvar)>);

impl Held {
    fn wait(&self) {
        let (gone, changed) = &*self.0;
        let waited = changed.wait_timeout_while(gone.lock().unwrap(), PATIENCE, |gone| !*gone);
        assert!(*waited.unwrap().0, "nobody lets the answer go");
    }

    fn let_go(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

#[test]
fn a_runner_that_is_killed_finds_what_the_agent_of_a_worker_has_done_meanwhile() {
    let held = Held::default();
    let holding = held.clone();
    let claude = Claude::new(Scenario::computed(move |request| {
        holding.wait();
        work(request)
    }));
    let worker = claude.worker("one");
    let run = claude.run();
    claude.wait_for_a_call(&run);
    run.signal(Signal::KILL);
    run.wait(PATIENCE);
    held.let_go();
    claude.wait_until_idle();
    let run = claude.begin(&["resume"]);
    let yard = claude.ends(run, vec![worker]);
    let calls = yard.of_kind("call_finished");
    assert_eq!(calls.len(), 1, "nothing is asked or paid twice: {calls:?}");
    assert!(calls[0]["estimated"] != true && calls[0]["cost_usd"].as_f64() > Some(0.0), "{calls:?}");
}

#[test]
fn ctrl_c_ends_the_agent_of_a_worker() {
    let claude = Claude::new(Scenario::computed(|_| Reply::stall_mid_stream("I was about to")));
    let worker = claude.worker("one");
    let run = claude.run();
    claude.wait_for_a_call(&run);
    run.signal(Signal::INT);
    let ended = run.wait(PATIENCE);
    assert_ne!(ended.code, Some(0), "{}", ended.stderr_text());
    claude.wait_until_idle();
    assert_eq!(claude.yard.landed(), [""; 0]);
    drain(worker).expect_success("a worker");
    claude.yard.env.assert_no_processes(PATIENCE);
}
