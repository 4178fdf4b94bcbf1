//! One project, one story of the stand-in, and the runs that are made there.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use windlass_core::spec::SandboxKind;
use windlass_core::values::Named;
use windlass_engine::sandbox::probe;
use windlass_testkit::api::{Request, Scenario, StandIn};
use windlass_testkit::environment::{
    CLAUDE_CODE, CODEX, Credentials, GEMINI, OPENCODE, Outcome, RealAgent, Running, TestEnv,
};
use windlass_testkit::evidence;

/// For one run on a busy machine. Each of them ends in seconds, but for those of opencode, which works for a dozen seconds in each call.
pub const PATIENCE: Duration = Duration::from_mins(4);

/// What a request of 100 tokens in and 20 out costs, by the agent's own price list for its default model.
pub const REQUEST: f64 = 0.0008;

/// The phrase by which a goal is claimed to be reached.
pub const COMPLETE: &str = "WINDLASS_JOB_COMPLETE";

/// A place, a stand-in, and who the agent is logged in as.
pub struct Night {
    pub env: TestEnv,
    pub api: StandIn,
    variables: Vec<(String, OsString)>,
}

impl Night {
    /// In a git repository with one commit, logged in with an API key, which windlass is allowed to pass on.
    pub fn new(scenario: Scenario) -> Night {
        Night::at(TestEnv::with_git(), scenario, Credentials::ApiKey)
    }

    /// The same with a subscriber's token.
    pub fn subscriber(scenario: Scenario) -> Night {
        Night::at(TestEnv::with_git(), scenario, Credentials::OauthToken)
    }

    pub fn at(env: TestEnv, scenario: Scenario, credentials: Credentials) -> Night {
        let api = StandIn::start(scenario);
        let mut variables = env.claude_environment(&api, credentials);
        variables.retain(|(name, _)| name != "IS_SANDBOX");
        variables.push(("WINDLASS_AGENT__COMMAND".to_owned(), watched(CLAUDE_CODE.installed(), &env).into()));
        let night = Night { env, api, variables };
        match credentials {
            Credentials::ApiKey => night.variable("WINDLASS_AGENT__API_KEYS", "true"),
            Credentials::OauthToken | Credentials::None => night,
        }
    }

    /// In a git repository with one commit, with Codex instead.
    pub fn codex(scenario: Scenario) -> Night {
        Night::other(scenario, CODEX, "codex", TestEnv::codex_environment)
    }

    /// The same with Codex by `codex exec`.
    pub fn codex_exec(scenario: Scenario) -> Night {
        Night::other(scenario, CODEX, "codex-exec", TestEnv::codex_environment)
    }

    /// The same with opencode.
    pub fn opencode(scenario: Scenario) -> Night {
        Night::other(scenario, OPENCODE, "opencode", TestEnv::opencode_environment)
    }

    /// The same with opencode by ACP.
    pub fn opencode_by_acp(scenario: Scenario) -> Night {
        Night::other(scenario, OPENCODE, "opencode-acp", TestEnv::opencode_environment)
    }

    /// The same with Gemini CLI.
    pub fn gemini(scenario: Scenario) -> Night {
        Night::other(scenario, GEMINI, "gemini", TestEnv::gemini_environment)
    }

    /// The same with Gemini CLI by its stream of events.
    pub fn gemini_stream(scenario: Scenario) -> Night {
        let night = Night::other(scenario, GEMINI, "gemini-stream", TestEnv::gemini_environment);
        let settings = r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}}"#;
        night.env.write(night.env.home().join(".gemini/settings.json"), settings);
        night
    }

    fn other(
        scenario: Scenario,
        agent: RealAgent,
        name: &str,
        environment: fn(&StandIn) -> Vec<(String, OsString)>,
    ) -> Night {
        let env = TestEnv::with_git();
        let api = StandIn::start(scenario);
        let mut variables = environment(&api);
        variables.push(("WINDLASS_AGENT__USE".to_owned(), name.into()));
        variables.push(("WINDLASS_AGENT__COMMAND".to_owned(), agent.installed().into()));
        variables.push(("IS_SANDBOX".to_owned(), "1".into()));
        Night { env, api, variables }
    }

    pub fn variable(mut self, name: &str, value: impl Into<OsString>) -> Night {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    pub fn windlass(&self, arguments: &[&str]) -> Command {
        self.env.trust_before(env!("CARGO_BIN_EXE_windlass"), arguments);
        self.untrusting(arguments)
    }

    /// The same where nobody trusted the repository.
    pub fn untrusting(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.command(env!("CARGO_BIN_EXE_windlass"));
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts `windlass run` on a goal, without pauses between iterations.
    pub fn start(&self, flags: &[&str]) -> Running {
        Running::start(&mut self.windlass(&[&["run", "-p", GOAL, "--no-delay"], flags].concat()))
    }

    /// `windlass run` to its end; nothing that it started may be left.
    pub fn run(&self, flags: &[&str]) -> Ended {
        self.ended(self.start(flags))
    }

    /// `windlass resume` of the newest run, to its end.
    pub fn resume(&self, flags: &[&str]) -> Ended {
        self.ended(Running::start(&mut self.windlass(&[&["resume"], flags].concat())))
    }

    /// Waits for a run's end.
    pub fn ended(&self, running: Running) -> Ended {
        let outcome = running.wait(PATIENCE);
        assert!(!outcome.timed_out, "{}\n{}", outcome.stdout_text(), outcome.stderr_text());
        self.env.assert_no_processes(Duration::from_secs(2));
        assert!(self.api.other_requests().is_empty(), "{:?}", self.api.other_requests());
        Ended { facts: self.facts(), said: outcome.stdout_text() + &outcome.stderr_text(), outcome }
    }

    /// The journal of the newest run.
    pub fn facts(&self) -> Vec<Value> {
        let Some(run) = self.newest_run() else {
            return Vec::new();
        };
        let journal = fs::read_to_string(run.join("journal.jsonl")).unwrap();
        // The last line of a run that was killed may be cut off.
        journal.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The folder of the newest run.
    pub fn newest_run(&self) -> Option<PathBuf> {
        let runs = folders(&self.env.state().join("projects"))
            .into_iter()
            .flat_map(|project| folders(&project.join("runs")));
        runs.filter(|run| run.join("journal.jsonl").exists())
            .max_by_key(|run| run.join("journal.jsonl").metadata().unwrap().modified().unwrap())
    }

    /// The requests that began a call: those whose conversation has no tool result and no earlier answer in it.
    pub fn first_requests(&self) -> Vec<Request> {
        let is_first = |request: &Request| {
            request.body["messages"]
                .as_array()
                .is_some_and(|turns| turns.iter().all(|turn| turn["role"] != "assistant"))
        };
        self.api.requests().into_iter().filter(is_first).collect()
    }
}

/// Where evidence is kept, the agent keeps what it was called with.
fn watched(agent: PathBuf, env: &TestEnv) -> PathBuf {
    let Some(keeps) = evidence::caller() else { return agent };
    let agent =
        format!("#!/bin/sh\nsh -c '{}'\nexec {} \"$@\"\n", keeps.replace('\'', "'\\''"), agent.display());
    let path = env.write(env.root().join("bin/claude"), agent);
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

/// What the runs are asked for.
pub const GOAL: &str = "Write a greeting for the harbour master.";

/// The prompt that windlass gave, among the agent's own additions.
pub fn prompt(request: &Request) -> String {
    let texts = request.user_texts();
    texts.into_iter().find(|text| text.contains("## How this works")).unwrap()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
    entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// A run that ended.
pub struct Ended {
    pub outcome: Outcome,
    /// All that it printed.
    pub said: String,
    /// Its journal, without the first line.
    pub facts: Vec<Value>,
}

impl Ended {
    /// Every fact of one kind.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.facts.iter().filter(|fact| fact["fact"] == kind).collect()
    }

    /// One member of every fact of one kind.
    pub fn each(&self, kind: &str, member: &str) -> Vec<&Value> {
        self.all(kind).into_iter().map(|fact| &fact[member]).collect()
    }

    /// The last fact.
    pub fn finish(&self) -> &Value {
        self.all("run_finished").pop().unwrap_or_else(|| panic!("no end: {:#?}\n{}", self.facts, self.said))
    }

    /// Passes a run that ended so.
    pub fn expect(&self, stop_reason: &str, code: i32) -> &Ended {
        let reason = &self.finish()["stop_reason"];
        let all = || format!("{}\n{:#?}", self.said, self.facts);
        assert_eq!((reason.as_str(), self.outcome.code), (Some(stop_reason), Some(code)), "{}", all());
        self
    }

    pub fn says(&self, words: &str) -> &Ended {
        assert!(self.said.contains(words), "{words:?} is not in:\n{}", self.said);
        self
    }

    pub fn verdicts(&self) -> Vec<&Value> {
        self.each("iteration_finished", "verdict")
    }

    pub fn classes(&self) -> Vec<&Value> {
        self.each("call_finished", "class")
    }

    /// What the run was charged, in dollars.
    pub fn cost(&self) -> f64 {
        self.finish()["cost_usd"].as_f64().unwrap()
    }

    /// The run was charged for so many ordinary requests, to a millionth of a dollar.
    pub fn expect_requests_charged(&self, requests: u32) {
        let expected = f64::from(requests) * REQUEST;
        assert!(
            (self.cost() - expected).abs() < 1e-6,
            "{} is not {expected}: {:#?}",
            self.cost(),
            self.facts
        );
    }
}

/// Can this sandbox be used here? Where not, that is said, and is no failure unless the environment asks for all of them.
pub fn is_usable(kind: &SandboxKind) -> bool {
    let Err(why) = probe(kind).works else { return true };
    let required = std::env::var_os("WINDLASS_TEST_SANDBOX").is_some_and(|value| value == "required");
    assert!(!required, "{why}");
    eprintln!("skipped: {} cannot be used here: {why}", kind.name());
    false
}
