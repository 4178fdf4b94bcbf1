//! Several agents: where one cannot work, the next takes over, and gives back in time.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::values::{Class, StopReason};
use windlass_testkit::{Outcome, Running, TestEnv};

use super::night::{CLEARED, Night, PATIENCE, expect_end};

/// Claude Code and Codex as scripts of a person: what each does in a call is a shell script. Both count their calls.
struct Bench {
    night: Night,
}

/// What a script of the first says where its limit is reached; `RESET` is a time in seconds of the epoch.
const LIMITED: &str = r#"
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'$RESET',"rateLimitType":"five_hour"}}'
echo '{"type":"result","subtype":"success","is_error":true,"result":"You have hit your limit","api_error_status":429,"total_cost_usd":0,"num_turns":1,"usage":{"input_tokens":0,"output_tokens":0},"permission_denials":[]}'
exit 1"#;

/// What it says where nobody is logged in.
const LOGGED_OUT: &str = r#"
echo '{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login","total_cost_usd":0,"num_turns":1,"usage":{"input_tokens":0,"output_tokens":0},"permission_denials":[]}'
exit 1"#;

/// What it says where it did its work.
const WORKS: &str = r#"
echo '{"type":"result","subtype":"success","is_error":false,"result":"A step is done.","total_cost_usd":0.01,"num_turns":1,"usage":{"input_tokens":100,"output_tokens":20},"terminal_reason":"completed","permission_denials":[]}'"#;

/// The same of the second.
const OTHER_WORKS: &str = r#"
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"A step is done."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":20}}'"#;

impl Bench {
    /// Each script sees `$N`, the number of its call.
    fn new(first: &str, second: &str) -> Bench {
        let env = TestEnv::with_git();
        let count = |name: &str| {
            format!("N=$(($(cat ../{name} 2>/dev/null || echo 0) + 1)); echo $N > ../{name}; cat > /dev/null")
        };
        let claude = format!(
            "#!/bin/sh\ncase \"$1 $2\" in --version*) echo '2.1.330 (Claude Code)'; exit;; auth*) echo '{{\"loggedIn\":true,\"authMethod\":\"oauth\"}}'; exit;; esac\n{}\n{first}\n",
            count("first")
        );
        let codex = format!(
            "#!/bin/sh\ncase \"$1 $2\" in --version*) echo 'codex-cli 0.169.0'; exit;; login*) echo 'Logged in'; exit;; esac\n{}\n{second}\n",
            count("second")
        );
        for (name, script) in [("claude", claude), ("codex", codex)] {
            let program = env.write(env.root().join("agents").join(name), script);
            fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        }
        let path = format!("{}:{}", env.root().join("agents").display(), std::env::var("PATH").unwrap());
        let night = Night::within(env, "")
            .set("PATH", &path)
            .set("WINDLASS_AGENT__USE", "claude,codex-exec")
            .set("IS_SANDBOX", "1");
        Bench { night }
    }

    fn command(&self, flags: &[&str]) -> Command {
        let usual = ["run", "-p", "Work.", "--no-delay", "--stagnation-threshold", "0"];
        self.night.windlass(&[&usual, flags].concat())
    }

    fn run(&self, flags: &[&str]) -> Outcome {
        self.night.env.run(&mut self.command(flags), PATIENCE)
    }

    /// Of each call its iteration, its attempt, whose it was and how it went.
    fn calls(&self) -> Vec<(u32, u32, u16, Class)> {
        let mut calls = Vec::new();
        for fact in self.night.facts() {
            match fact {
                Fact::CallReserved { iteration, attempt, agent, .. } => {
                    calls.push((iteration, attempt, agent.0, Class::Unknown));
                }
                Fact::CallFinished { summary, .. } => calls.last_mut().unwrap().3 = summary.class,
                _ => {}
            }
        }
        calls
    }
}

fn limited_once(seconds: u32) -> String {
    format!("if [ $N = 1 ]; then RESET=$(($(date +%s) + {seconds})); {LIMITED}\nfi\n{WORKS}")
}

#[test]
fn at_a_limit_the_next_goes_on_with_the_iteration_and_the_first_returns() {
    let bench = Bench::new(&limited_once(1), OTHER_WORKS);
    // It is back a little after the limit's end: until then the other one works.
    let outcome = bench.run(&["--until", "test -e ../first && test $(cat ../first) -ge 3", "-m", "900"]);
    expect_end(&outcome, 0, "complete");
    let calls = bench.calls();
    assert_eq!(calls[..2], [(1, 1, 0, Class::UsageLimit), (1, 2, 1, Class::Success)]);
    let by: Vec<u16> = calls.iter().map(|call| call.2).collect();
    let back = by.iter().rposition(|agent| *agent == 1).unwrap();
    assert!(by[1..=back].iter().all(|agent| *agent == 1), "{by:?}");
    assert_eq!(by[back + 1..], [0, 0], "{by:?}");
    let facts = bench.night.facts();
    assert!(!facts.iter().any(|fact| matches!(fact, Fact::BackoffStarted { .. })), "nobody waits");
    let said = outcome.stderr_text() + &outcome.stdout_text();
    for sentence in [
        "claude 2.1.330, its own choice of model; then codex-exec 0.169.0",
        "claude has reached its usage limit, and is back at ",
        "codex-exec takes over",
        "claude can work again, and does",
        "(by codex-exec)",
    ] {
        assert!(said.contains(sentence), "{sentence:?} is not in:\n{said}");
    }
    bench.night.assert_clean();
}

#[test]
fn where_one_is_logged_out_the_other_does_all_and_a_kill_changes_nothing() {
    let bench = Bench::new(
        LOGGED_OUT,
        &format!("if [ $N = 2 ]; then touch ../second-began; sleep 300; fi\n{OTHER_WORKS}"),
    );
    let running = Running::start(&mut bench.command(&["-m", "3"]));
    let began = bench.night.env.root().join("second-began");
    assert!(
        windlass_testkit::environment::wait_until(PATIENCE, || began.exists()),
        "{}",
        running.stderr_so_far()
    );
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    bench.night.env.assert_no_processes(CLEARED);
    let status = bench.night.env.run(&mut bench.night.windlass(&["status"]), PATIENCE);
    assert!(
        status.stdout_text().contains("claude cannot work, codex-exec works"),
        "{}",
        status.stdout_text()
    );
    expect_end(&bench.night.resume(&[]), 10, "max_iterations");
    let by: Vec<u16> = bench.calls().iter().map(|call| call.2).collect();
    assert_eq!(by.iter().filter(|agent| **agent == 0).count(), 1, "it is not asked again: {by:?}");
    assert_eq!(bench.night.ended(), StopReason::MaxIterations);
    let report = bench.night.env.run(&mut bench.night.windlass(&["report", "--json"]), PATIENCE);
    let report = report.stdout_text();
    assert!(
        report.contains("\"agent\":\"codex-exec\"") && report.contains("\"agent\":\"claude\""),
        "{report}"
    );
    bench.night.assert_clean();
}

#[test]
fn where_none_can_work_the_run_ends_and_names_each() {
    let failed = r#"
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: Incorrect API key provided"}}'
exit 1"#;
    let bench = Bench::new(LOGGED_OUT, failed);
    let outcome = bench.run(&["--exit-codes", "detailed"]);
    expect_end(&outcome, 21, "agent_unavailable");
    let said = outcome.stderr_text() + &outcome.stdout_text();
    assert!(said.contains("no agent can work: claude: ") && said.contains("; codex-exec: "), "{said}");
    assert_eq!(bench.calls().len(), 2);
}

#[test]
fn a_chain_that_cannot_be_is_refused_before_anything_is_paid() {
    let bench = Bench::new(WORKS, OTHER_WORKS);
    let refused = |agents: &str, flags: &[&str], sentence: &str| {
        let mut command = bench.command(flags);
        let outcome = bench.night.env.run(command.env("WINDLASS_AGENT__USE", agents), PATIENCE);
        let said = outcome.stderr_text();
        assert!(said.contains(sentence), "{agents}: {said}");
        assert!(outcome.code.is_some_and(|code| code != 0), "{agents}: {:?}", outcome.code);
    };
    refused("claude,cluade", &[], "`cluade` is not an agent that windlass knows");
    refused("claude,claude", &[], "it names `claude` twice");
    refused(" , ", &[], "it names no agent");
    refused("codex,command", &[], "agent.command names no program");
    fs::remove_file(bench.night.env.root().join("agents/codex")).unwrap();
    refused("claude,codex", &[], "the agent `codex` is not installed");
    assert!(!bench.night.env.root().join("first").exists(), "nobody was called");
}

/// Work on the task at hand.
const DOES_A_TASK: &str = "sed -i 's/: in-progress/: done/' requirements.md; echo work >> work.txt";

fn tasks(bench: &Bench) {
    let task =
        |id: u32, agent: &str| format!("### TASK-{id:03}: Thing {id}\n- **Status**: pending\n{agent}\n");
    let list = [task(1, ""), task(2, "- **Agent**: codex-exec\n"), task(3, "- **Agent**: `backend-team`\n")];
    bench.night.env.write("requirements.md", format!("# Tasks\n\n{}", list.concat()));
    bench.night.env.git(&["add", "."]);
    bench.night.env.git(&["commit", "-qm", "List the tasks"]);
}

#[test]
fn a_task_is_worked_on_by_the_agent_that_it_names() {
    let mut bench = Bench::new(&[DOES_A_TASK, WORKS].concat(), &[DOES_A_TASK, OTHER_WORKS].concat());
    bench.night = bench.night.set("WINDLASS_AGENT__USE", "claude");
    tasks(&bench);
    let run = ["run", "--mode", "tasks", "-f", "requirements.md", "--no-delay", "--gate", "true"];
    let outcome = bench.night.env.run(&mut bench.night.windlass(&run), PATIENCE);
    expect_end(&outcome, 0, "complete");
    let by: Vec<u16> = bench.calls().iter().map(|call| call.2).collect();
    assert_eq!(by, [0, 1, 0]);
    let said = outcome.stderr_text() + &outcome.stdout_text();
    for sentence in [
        "; tasks that name it by codex-exec 0.169.0",
        "tasks name agents that windlass does not know: `backend-team`; whoever works takes these",
    ] {
        assert!(said.contains(sentence), "{sentence:?} is not in:\n{said}");
    }
    bench.night.assert_clean();
    // It is looked for before anything is paid.
    fs::remove_file(bench.night.env.root().join("agents/codex")).unwrap();
    tasks(&bench);
    let outcome = bench.night.env.run(&mut bench.night.windlass(&run), PATIENCE);
    let said = outcome.stderr_text();
    assert!(
        said.contains("`codex` is not installed") && said.contains("A task names `codex-exec`"),
        "{said}"
    );
    assert_eq!(bench.calls().len(), 3, "nobody was called");
}
