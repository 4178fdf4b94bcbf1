//! The stand-in, proved with the real Claude Code: what it is told, it believes, and every story ends in seconds.

use std::process::Command;
use std::time::Duration;

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::{Value, json};
use windlass_testkit::api::{RateLimitStatus, Reply, Scenario, StandIn, Window};
use windlass_testkit::environment::{CLAUDE_CODE, Credentials, Outcome, Running, TestEnv, wait_until};

/// For one call of the agent on a busy machine; each of them ends in a few seconds.
const PATIENCE: Duration = Duration::from_secs(90);

/// One call of the real agent.
struct Call {
    env: TestEnv,
    api: StandIn,
    credentials: Credentials,
    arguments: Vec<&'static str>,
    variables: Vec<(&'static str, &'static str)>,
}

impl Call {
    fn new(env: TestEnv, scenario: Scenario) -> Self {
        Self {
            env,
            api: StandIn::start(scenario),
            credentials: Credentials::ApiKey,
            arguments: vec!["--dangerously-skip-permissions"],
            variables: vec![("CLAUDE_CODE_MAX_RETRIES", "2")],
        }
    }

    fn arguments(mut self, arguments: &[&'static str]) -> Self {
        self.arguments = arguments.to_vec();
        self
    }

    fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = credentials;
        self
    }

    fn variable(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    fn command(&self) -> Command {
        let mut command = self.env.command(CLAUDE_CODE.installed());
        command
            .args(["-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"])
            .args(&self.arguments)
            .envs(self.env.claude_environment(&self.api, self.credentials))
            .envs(self.variables.iter().copied());
        command
    }

    fn run(&self) -> Heard {
        let outcome = Running::start_with_input(&mut self.command(), "Do the work.").wait(PATIENCE);
        assert!(!outcome.timed_out, "{}\n{}", outcome.stdout_text(), outcome.stderr_text());
        assert_eq!(self.api.other_requests().len(), 0, "{:?}", self.api.other_requests());
        self.env.assert_no_processes(PATIENCE);
        Heard { events: outcome.json_lines(), outcome }
    }
}

/// What the agent printed.
struct Heard {
    outcome: Outcome,
    events: Vec<Value>,
}

impl Heard {
    fn result(&self) -> &Value {
        let result = self.events.iter().rev().find(|event| event["type"] == "result");
        result.unwrap_or_else(|| panic!("no result: {:#?}", self.events))
    }

    fn of(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event["type"] == kind || event["subtype"] == kind).collect()
    }
}

#[test]
fn works_with_write_edit_and_bash() {
    let env = TestEnv::with_git();
    let file = env.project().join("greeting.txt");
    let edit = json!({"file_path": file, "old_string": "world", "new_string": "harbour"});
    let call = Call::new(
        env,
        Scenario::new([
            Reply::text("I begin.").and_tool("Write", json!({"file_path": file, "content": "hello world\n"})),
            Reply::tool("Edit", edit),
            Reply::bash("cat greeting.txt && git status --short"),
            Reply::text("WINDLASS_JOB_COMPLETE"),
        ]),
    )
    .arguments(&["--dangerously-skip-permissions", "--append-system-prompt", "You are on a winch."]);
    let heard = call.run();

    heard.outcome.expect_success("claude");
    assert_eq!(call.env.read("greeting.txt"), "hello harbour\n");
    assert_eq!(heard.result()["is_error"], false);
    assert_eq!(heard.result()["result"], "WINDLASS_JOB_COMPLETE");
    // 4 × (100 in, 20 out) by the agent's own price list.
    assert_eq!(heard.result()["total_cost_usd"], 0.0032);

    let requests = call.api.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests[0].streams());
    assert!(requests[0].user_said("Do the work."));
    assert!(requests[0].system().contains("You are on a winch."));
    assert!(requests[0].tool_names().contains(&"Bash".to_owned()));
    assert_eq!(requests[0].header("x-api-key"), Some("sk-ant-test-dummy"));
    let results = requests[3].tool_results();
    assert_eq!(results.len(), 3);
    assert!(!results[2].is_error);
    assert_eq!(results[2].content, "hello harbour\n?? greeting.txt");
}

#[test]
fn stops_at_refused_credentials() {
    let call = Call::new(TestEnv::new(), Scenario::always(Reply::unauthorized()));
    let heard = call.run();
    heard.outcome.expect_code(1, "claude");
    assert_eq!(heard.result()["is_error"], true);
    assert_eq!(heard.result()["api_error_status"], 401);
    assert_eq!(heard.of("api_retry").len(), 2);
    assert_eq!(heard.of("api_retry")[0]["error"], "authentication_failed");
    assert_eq!(call.api.requests().len(), 3);
}

#[test]
fn says_that_it_is_not_logged_in() {
    let call = Call::new(TestEnv::new(), Scenario::new([])).credentials(Credentials::None);
    let heard = call.run();
    heard.outcome.expect_code(1, "claude");
    assert_eq!(heard.result()["result"], "Not logged in · Please run /login");
    assert_eq!(call.api.requests().len(), 0);
}

#[test]
fn names_the_time_at_which_a_usage_limit_resets() {
    for (window, name) in [(Window::FiveHour, "five_hour"), (Window::SevenDay, "seven_day")] {
        let resets_at = Timestamp::from_second(Timestamp::now().as_second() + 7200).unwrap();
        let call = Call::new(TestEnv::new(), Scenario::always(Reply::usage_limit(window, resets_at)))
            .credentials(Credentials::OauthToken);
        let heard = call.run();
        heard.outcome.expect_code(1, "claude");
        let limits = heard.of("rate_limit_event");
        assert_eq!(limits.len(), 1, "{:#?}", heard.events);
        let limit = &limits[0]["rate_limit_info"];
        assert_eq!(limit["status"], "rejected");
        assert_eq!(limit["resetsAt"], resets_at.as_second());
        assert_eq!(limit["rateLimitType"], name);
        assert_eq!(heard.result()["api_error"], "usage_limit_reached");
        assert_eq!(call.api.requests().len(), 1);
        let authorization = call.api.requests()[0].header("authorization").map(str::to_owned);
        assert_eq!(authorization.as_deref(), Some("Bearer sk-ant-oat01-test-dummy"));
    }
}

#[test]
fn gives_up_at_a_usage_limit_even_if_it_is_over_in_seconds() {
    let resets_at = Timestamp::from_second(Timestamp::now().as_second() + 3).unwrap();
    let replies = [Reply::usage_limit(Window::FiveHour, resets_at), Reply::text("after the limit")];
    let call = Call::new(TestEnv::new(), Scenario::new(replies)).credentials(Credentials::OauthToken);
    let limited = call.run();
    assert_eq!(limited.of("rate_limit_event")[0]["rate_limit_info"]["resetsAt"], resets_at.as_second());
    assert_eq!(limited.result()["api_error"], "usage_limit_reached");
    // The next call of the agent gets the next reply: so a wait can be sat out.
    assert_eq!(call.run().result()["result"], "after the limit");
}

#[test]
fn passes_on_a_warning_and_usage_beyond_the_plan() {
    let resets_at = Timestamp::from_second(Timestamp::now().as_second() + 7200).unwrap();
    let limit = |status| windlass_testkit::RateLimit::new(status, Window::FiveHour, resets_at);
    for (limit, status, overage) in [
        (limit(RateLimitStatus::Allowed), "allowed", false),
        (limit(RateLimitStatus::Warning), "allowed_warning", false),
        (limit(RateLimitStatus::Rejected).in_overage(), "rejected", true),
    ] {
        let reply = Reply::text("done").rate_limit(&limit);
        let call = Call::new(TestEnv::new(), Scenario::new([reply])).credentials(Credentials::OauthToken);
        let heard = call.run();
        heard.outcome.expect_success("claude");
        let info = heard.of("rate_limit_event")[0]["rate_limit_info"].clone();
        assert_eq!(info["status"], status, "{info:#}");
        assert_eq!(info["isUsingOverage"], overage, "{info:#}");
        assert_eq!(info["resetsAt"], resets_at.as_second());
    }
}

#[test]
fn retries_an_overloaded_service() {
    let replies = [Reply::overloaded(), Reply::overloaded(), Reply::text("recovered")];
    let call = Call::new(TestEnv::new(), Scenario::new(replies));
    let heard = call.run();
    heard.outcome.expect_success("claude");
    assert_eq!(heard.of("api_retry").len(), 2);
    assert_eq!(heard.of("api_retry")[0]["error_status"], 529);
    assert_eq!(heard.result()["result"], "recovered");
    assert_eq!(call.api.requests().len(), 3);
}

#[test]
fn gives_up_in_a_storm() {
    let call = Call::new(TestEnv::new(), Scenario::always(Reply::overloaded()))
        .variable("CLAUDE_CODE_MAX_RETRIES", "0");
    let heard = call.run();
    heard.outcome.expect_code(1, "claude");
    assert_eq!(heard.result()["api_error_status"], 529);
    assert_eq!(call.api.requests().len(), 1);
}

#[test]
fn ends_at_its_budget() {
    let call = Call::new(TestEnv::new(), Scenario::always(Reply::bash("echo hi").usage(10_000, 1_000)))
        .arguments(&["--dangerously-skip-permissions", "--max-budget-usd", "0.10"]);
    let heard = call.run();
    heard.outcome.expect_code(1, "claude");
    assert_eq!(heard.result()["subtype"], "error_max_budget_usd");
    assert_eq!(heard.result()["total_cost_usd"], 0.12);
    assert_eq!(call.api.requests().len(), 2);
}

#[test]
fn ends_at_its_turns() {
    let call = Call::new(TestEnv::new(), Scenario::always(Reply::bash("echo hi"))).arguments(&[
        "--dangerously-skip-permissions",
        "--max-turns",
        "2",
    ]);
    let heard = call.run();
    heard.outcome.expect_code(1, "claude");
    assert_eq!(heard.result()["subtype"], "error_max_turns");
    assert_eq!(call.api.requests().len(), 2);
}

#[test]
fn names_a_denied_command() {
    let replies = [Reply::bash("touch denied"), Reply::text("I could not.")];
    let call = Call::new(TestEnv::new(), Scenario::new(replies)).arguments(&[
        "--permission-mode",
        "acceptEdits",
        "--disallowedTools",
        "Bash(touch *)",
    ]);
    let heard = call.run();
    heard.outcome.expect_success("claude");
    let denials = heard.result()["permission_denials"].as_array().unwrap();
    assert_eq!(denials.len(), 1, "{}", heard.result());
    assert_eq!(denials[0]["tool_name"], "Bash");
    assert_eq!(denials[0]["tool_input"]["command"], "touch denied");
    assert!(call.api.requests()[1].tool_results()[0].is_error);
    assert!(!call.env.project().join("denied").exists());
}

#[test]
fn bounds_a_stall_before_the_headers() {
    let call = Call::new(TestEnv::new(), Scenario::always(Reply::stall_before_headers()))
        .variable("API_TIMEOUT_MS", "1000")
        .variable("CLAUDE_CODE_MAX_RETRIES", "1");
    let heard = call.run();
    heard.outcome.expect_code(1, "claude");
    assert_eq!(heard.of("api_retry").len(), 1);
    assert!(heard.result()["result"].as_str().unwrap().contains("timed out"), "{}", heard.result());
    assert_eq!(call.api.requests().len(), 2);
}

#[test]
fn bounds_a_stall_in_the_middle_of_a_stream() {
    let call = Call::new(
        TestEnv::new(),
        Scenario::new([Reply::stall_mid_stream("I was about to"), Reply::text("recovered")]),
    )
    .variable("CLAUDE_ENABLE_BYTE_WATCHDOG", "1")
    .variable("CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS", "2000");
    let heard = call.run();
    heard.outcome.expect_success("claude");
    assert_eq!(heard.result()["result"], "recovered");
    let requests = call.api.requests();
    assert_eq!(requests.len(), 2);
    assert!(!requests[1].streams(), "the second is asked for in one piece");
}

#[test]
fn heals_a_connection_that_is_reset() {
    for broken in [Reply::reset_before_headers(), Reply::reset_mid_stream("I was about to")] {
        let call = Call::new(TestEnv::new(), Scenario::new([broken, Reply::text("recovered")]));
        let heard = call.run();
        heard.outcome.expect_success("claude");
        assert_eq!(heard.of("api_retry").len(), 1);
        assert_eq!(heard.result()["result"], "recovered");
        assert_eq!(call.api.requests().len(), 2);
    }
}

#[test]
fn takes_an_overload_inside_the_stream_for_one() {
    let replies = [Reply::overloaded_in_stream(), Reply::text("recovered")];
    let call = Call::new(TestEnv::new(), Scenario::new(replies));
    let heard = call.run();
    heard.outcome.expect_success("claude");
    assert_eq!(heard.result()["result"], "recovered");
    assert_eq!(call.api.requests().len(), 2);
}

#[test]
fn tells_a_prompt_that_is_too_long_an_empty_account_and_an_unknown_model() {
    for (reply, field, value) in [
        (Reply::context_too_long(), "terminal_reason", json!("prompt_too_long")),
        (Reply::out_of_credit(), "result", json!("Credit balance is too low")),
        (Reply::unknown_model("claude-nobody"), "api_error_status", json!(404)),
        (Reply::server_error(), "api_error_status", json!(500)),
        (Reply::too_many_requests(), "api_error_status", json!(429)),
    ] {
        let call =
            Call::new(TestEnv::new(), Scenario::always(reply)).variable("CLAUDE_CODE_MAX_RETRIES", "0");
        let heard = call.run();
        heard.outcome.expect_code(1, "claude");
        assert_eq!(heard.result()["is_error"], true);
        assert_eq!(heard.result()[field], value, "{}", heard.result());
    }
}

#[test]
fn answers_what_the_request_asks() {
    let scenario = Scenario::computed(|request| match request.tool_results().last() {
        Some(result) => Reply::text(format!("request {} saw {}", request.number, result.content)),
        None => Reply::bash("echo 42"),
    });
    let heard = Call::new(TestEnv::new(), scenario).run();
    assert_eq!(heard.result()["result"], "request 1 saw 42");
}

#[test]
fn is_refused_when_the_scenario_has_run_out() {
    let call = Call::new(TestEnv::new(), Scenario::new([Reply::bash("true")]));
    let heard = call.run();
    heard.outcome.expect_code(1, "claude");
    assert_eq!(heard.result()["api_error_status"], 403);
    assert_eq!(call.api.requests().len(), 2);
}

#[test]
fn leaves_nothing_when_it_is_terminated_in_a_tool() {
    let env = TestEnv::new();
    let started = env.project().join("started");
    let call = Call::new(env, Scenario::new([Reply::bash("bash -c 'touch started; sleep 300'")]));
    let running = Running::start_with_input(&mut call.command(), "Do the work.");
    assert!(wait_until(PATIENCE, || started.exists()));
    running.signal(Signal::TERM);
    let outcome = running.wait(PATIENCE);
    assert_eq!(outcome.code, Some(143), "{}", outcome.stdout_text());
    call.env.assert_no_processes(PATIENCE);
}

#[test]
fn leaves_nothing_when_it_is_terminated_while_it_waits() {
    let call = Call::new(TestEnv::new(), Scenario::new([Reply::stall_before_headers()]));
    let running = Running::start_with_input(&mut call.command(), "Do the work.");
    assert!(call.api.wait_for_requests(1, PATIENCE));
    running.signal(Signal::TERM);
    assert_eq!(running.wait(PATIENCE).code, Some(143));
    call.env.assert_no_processes(PATIENCE);
}
