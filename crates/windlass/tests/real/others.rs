//! What holds of each of the other agents alike, with the real program.

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use windlass_core::spec::SandboxKind;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Running, wait_until};

use crate::night::{COMPLETE, Ended, Night, PATIENCE, is_usable};

/// They keep to no rules of their own that would hold a command, or to a sandbox that cannot be used here.
pub const FREE: &str = "--dangerously-skip-permissions";

/// A command that never ends, with a child in a session of its own that ignores SIGTERM.
const STEP: &str = "setsid bash -c 'trap \"\" TERM; touch detached; sleep 300' & touch started; sleep 302";

/// An agent.
#[derive(Clone, Copy)]
pub struct Other {
    /// A place in which it works.
    pub night: fn(Scenario) -> Night,
    /// A command that its model wants to be run.
    pub run: fn(&str) -> Reply,
}

pub const CODEX: Other =
    Other { night: Night::codex, run: |command| Reply::tool("exec_command", json!({"cmd": command})) };

pub const CODEX_EXEC: Other = Other { night: Night::codex_exec, ..CODEX };

pub const OPENCODE: Other = Other {
    night: Night::opencode,
    run: |command| Reply::tool("bash", json!({"command": command, "description": "x"})),
};

pub const OPENCODE_BY_ACP: Other = Other { night: Night::opencode_by_acp, ..OPENCODE };

pub const GEMINI: Other = Other {
    night: Night::gemini,
    run: |command| Reply::tool("run_shell_command", json!({"command": command, "description": "x"})),
};

pub const GEMINI_STREAM: Other = Other { night: Night::gemini_stream, ..GEMINI };

pub fn claim() -> Reply {
    Reply::text(format!("Checked.\n\n{COMPLETE}"))
}

/// A goal that is reached in three calls, with a draft before the claims.
pub fn reach_a_goal(agent: Other, flags: &[&str]) -> (Night, Ended) {
    let scenario = Scenario::new([
        (agent.run)("echo ahoy > greeting.txt"),
        Reply::text("The draft is there."),
        claim(),
        claim(),
    ]);
    let night = (agent.night)(scenario);
    night.env.write("AGENTS.md", "Run `make greet` to see it.\n");
    let usual = [FREE, "--completion-threshold", "2", "--gate", "grep -q ahoy greeting.txt"];
    let ended = night.run(&[&usual, flags].concat());
    ended.expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    assert_eq!(ended.verdicts(), ["worked", "claim_accepted", "claim_accepted"]);
    assert_eq!(ended.classes(), ["success"; 3]);
    assert_eq!(ended.each("call_finished", "tool_uses")[0], 1);
    assert_eq!(ended.finish()["tokens"]["input"], 400);
    let requests = night.api.requests();
    assert_eq!(requests.len(), 4, "nothing is asked beside the job");
    let told = requests[0].body.to_string();
    assert_eq!(told.matches("Run `make greet` to see it.").count(), 1, "once, by itself or by the runner");
    assert_eq!(told.matches("You work unattended").count(), 1, "{told}");
    (night, ended)
}

/// The tests of each agent.
macro_rules! tests {
    ($($name:ident = $agent:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn a_box_of_a_plan_is_built_and_committed() {
                build_a_box($agent);
            }

            #[test]
            fn a_turn_without_a_word_is_no_success() {
                let night = ($agent.night)(Scenario::always(Reply::text("")));
                let ended = night.run(&[FREE, "--max-failures", "1"]);
                ended.expect("consecutive_failures", 20).says("without a word");
            }

            #[test]
            fn an_interrupt_in_a_tool_leaves_nothing_and_the_run_goes_on_later() {
                interrupt($agent);
            }

            #[test]
            fn a_killed_runner_leaves_nothing_and_the_run_goes_on() {
                kill($agent);
            }

            #[test]
            fn it_works_in_a_sandbox() {
                work_in_a_sandbox($agent);
            }

            #[test]
            fn tasks_are_worked_off_in_lanes() {
                work_in_lanes($agent);
            }
        }
    )*};
}

tests! {
    codex = CODEX;
    codex_exec = CODEX_EXEC;
    opencode = OPENCODE;
    opencode_by_acp = OPENCODE_BY_ACP;
    gemini = GEMINI;
}

// Where its requests go elsewhere it begins so with settings of a person alone, which are not there in a sandbox.
#[test]
fn gemini_by_its_stream_of_events_works_is_interrupted_and_goes_on_after_a_kill() {
    build_a_box(GEMINI_STREAM);
    interrupt(GEMINI_STREAM);
    kill(GEMINI_STREAM);
    work_in_lanes(GEMINI_STREAM);
}

// Without a sandbox they could do anything: that needs a yes.
#[test]
fn without_a_sandbox_nothing_is_begun_without_a_yes() {
    for agent in [OPENCODE, OPENCODE_BY_ACP, GEMINI] {
        let night = (agent.night)(Scenario::always(claim()));
        let ended = night.run(&[]);
        assert_eq!(ended.outcome.code, Some(2), "{}", ended.said);
        assert!(night.api.requests().is_empty());
        ended.says("--sandbox");
    }
}

fn build_a_box(agent: Other) {
    let tick = "echo ahoy > greeting.txt; sed -i 's/- \\[ \\] 1/- [x] 1/' IMPLEMENTATION_PLAN.md";
    let night = (agent.night)(Scenario::new([(agent.run)(tick), Reply::text("Done.")]));
    night.env.write("IMPLEMENTATION_PLAN.md", "# Plan\n\n- [ ] 1. Write the greeting\n");
    night.env.git(&["add", "."]);
    night.env.git(&["commit", "-qm", "Plan"]);
    let running = Running::start(&mut night.windlass(&["build", FREE, "--no-delay", "--commit", "runner"]));
    night.ended(running).expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    assert!(night.env.git(&["status", "--short"]).is_empty());
    let asked = &night.api.requests()[0];
    assert_ne!(asked.model(), "sonnet", "what is proposed for another agent is not asked of it");
}

fn work_in_lanes(agent: Other) {
    const TASKS: u32 = 4;
    let scenario = Scenario::computed(move |request| {
        let prompt = request.body.to_string();
        let id = prompt.split("The task: **").nth(1).and_then(|rest| rest.split(':').next());
        let Some(id) = id.filter(|_| !request.follows_a_tool()) else {
            return Reply::text("The task is done.");
        };
        (agent.run)(&format!(
            "mkdir -p work && echo done > work/{id} && sed -i -E '/### {id}/,/Status/s/(pending|in-progress)/done/' requirements.md"
        ))
    });
    let night = (agent.night)(scenario);
    let task = |id: u32| format!("### TASK-{id:03}: Thing {id}\n- **Status**: pending\n\n");
    night.env.write("requirements.md", format!("# Tasks\n\n{}", (1..=TASKS).map(task).collect::<String>()));
    night.env.git(&["add", "."]);
    night.env.git(&["commit", "-qm", "List the tasks"]);
    let flags = ["run", "--mode", "tasks", "-j", "2", "--no-delay", "--gate", "true", FREE];
    let running = Running::start(&mut night.windlass(&flags));
    let ended = night.ended(running);
    ended.expect("complete", 0);
    for id in 1..=TASKS {
        assert_eq!(night.env.read(format!("work/TASK-{id:03}")), "done\n", "{}", ended.said);
    }
    assert_eq!(night.env.read("requirements.md").matches("- **Status**: done").count(), TASKS as usize);
    let lanes: BTreeSet<String> =
        ended.each("iteration_started", "lane").into_iter().map(ToString::to_string).collect();
    assert_eq!(lanes.len(), 2);
    assert!(night.env.git(&["status", "--short"]).is_empty());
    night.env.assert_no_processes(Duration::from_secs(2));
}

fn interrupt(agent: Other) {
    let night = (agent.night)(Scenario::new([(agent.run)(STEP), Reply::text("Now it is done.")]));
    let running = night.start(&[FREE, "--max-iterations", "1"]);
    let there = |name: &str| night.env.project().join(name).exists();
    let begun = wait_until(PATIENCE, || there("started") && there("detached"));
    assert!(begun, "{}", running.stderr_so_far());
    running.signal(Signal::TERM);
    running.signal(Signal::TERM);
    let ended = night.ended(running);
    ended.expect("terminated", 143);
    assert_eq!(ended.classes(), ["interrupted"]);
    let resumed = night.resume(&[]);
    resumed.expect("max_iterations", 10);
    assert_eq!(resumed.classes(), ["interrupted", "success"]);
}

fn kill(agent: Other) {
    let night = (agent.night)(Scenario::new([(agent.run)(STEP), Reply::text("Now it is done.")]));
    let running = night.start(&[FREE, "--max-iterations", "1"]);
    let begun = wait_until(PATIENCE, || night.env.project().join("started").exists());
    assert!(begun, "{}", running.stderr_so_far());
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    night.env.assert_no_processes(Duration::from_secs(10));
    night.resume(&[]).expect("max_iterations", 10);
}

fn work_in_a_sandbox(agent: Other) {
    if !is_usable(&SandboxKind::Bwrap) {
        return;
    }
    let work = "echo Ahoy > greeting.txt && git add greeting.txt && git commit -q -m Greet; touch ../outside-was-written";
    let night = (agent.night)(Scenario::new([(agent.run)(work), claim()]));
    let flags =
        ["--sandbox", "bwrap", "-m", "2", "--completion-threshold", "1", "--gate", "test -f greeting.txt"];
    night.run(&flags).expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "Ahoy\n");
    assert_eq!(night.env.git(&["log", "-1", "--format=%s"]), "Greet");
    assert!(!night.env.root().join("outside-was-written").exists());
}
