//! `fleet init`, `fleet status`, `fleet drain`: as each role, and where something is wrong.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use rustix::process::Signal;
use serde_json::Value;
use windlass_testkit::environment::wait_until;
use windlass_testkit::nats::{Keeps, Setup};
use windlass_testkit::{Nats, Outcome, Running, TestEnv, contract};

use super::yard::{HONEST, PATIENCE, Yard, drain, guarded_server};

/// A server that has exactly the permissions that `fleet init --show-permissions` prints.
struct Guarded {
    env: TestEnv,
    nats: Nats,
    secrets: PathBuf,
}

impl Guarded {
    fn new() -> Guarded {
        let env = TestEnv::new();
        let (nats, secrets) = guarded_server(&env);
        Guarded { env, nats, secrets }
    }

    fn run(&self, role: &str, arguments: &[&str]) -> Outcome {
        let mut command = self.env.command(env!("CARGO_BIN_EXE_windlass"));
        command.args(arguments).env("WINDLASS_FLEET__URL", self.nats.urls().join(","));
        command.env("WINDLASS_FLEET__PASSWORD_FILE", self.secrets.join(role));
        self.env.run(&mut command, PATIENCE)
    }
}

fn refused(outcome: &Outcome, code: i32, sentences: &[&str]) {
    let said = outcome.stderr_text();
    assert_eq!(outcome.code, Some(code), "{said}\n{}", outcome.stdout_text());
    for sentence in sentences {
        assert!(said.contains(sentence), "{sentence}: {said}");
    }
    assert!(!said.contains("secret-") && !said.contains("panicked"), "{said}");
}

#[test]
fn each_role_does_what_it_may_and_is_told_what_it_may_not() {
    let fleet = Guarded::new();
    for role in ["runner", "worker", "watcher"] {
        let said = fleet.run(role, &["fleet", "init"]);
        refused(&said, 1, &["no permission", "windlass fleet init --show-permissions"]);
    }
    // Nothing is there yet: that is said, with what to do.
    let bare = fleet.run("watcher", &["fleet", "status"]);
    refused(&bare, 1, &["the fleet has no KV_windlass_windlass_leases", "windlass fleet init", "fleet.name"]);
    let made = fleet.run("administrator", &["fleet", "init"]);
    made.expect_success("init");
    assert_eq!(made.stdout_text().matches("  made  ").count(), 7, "{}", made.stdout_text());
    let again = fleet.run("administrator", &["fleet", "init"]);
    again.expect_success("init again");
    assert_eq!(again.stdout_text().matches("  was there  ").count(), 7, "{}", again.stdout_text());
    for role in ["runner", "worker", "watcher"] {
        let status = fleet.run(role, &["fleet", "status"]);
        status.expect_success(role);
        let text = status.stdout_text();
        assert!(text.starts_with("fleet windlass  nats://127.0.0.1:"), "{text}");
        assert!(text.contains("no worker: on each machine  windlass worker"), "{text}");
    }
    refused(&fleet.run("administrator", &["fleet", "status"]), 1, &["no permission", "--show-permissions"]);
    refused(&fleet.run("watcher", &["fleet", "drain", "one"]), 1, &["no permission"]);
    let unknown = fleet.run("runner", &["fleet", "drain", "one"]);
    refused(&unknown, 2, &["no worker of the fleet windlass is called one", "windlass fleet status"]);
    refused(&fleet.run("runner", &["fleet", "drain", "a.b"]), 2, &["\"a.b\" is no name of a worker"]);
}

fn with(env: &TestEnv, url: &str, more: &[(&str, &str)]) -> Outcome {
    let mut command: Command = env.command(env!("CARGO_BIN_EXE_windlass"));
    command.args(["fleet", "status"]).env("WINDLASS_FLEET__URL", url).envs(more.iter().copied());
    env.run(&mut command, PATIENCE)
}

/// Says that it is an old server, and answers nothing but pings.
fn old_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    let info = "INFO {\"server_id\":\"X\",\"server_name\":\"x\",\"version\":\"2.9.25\",\"go\":\"go1\",\"host\":\"127.0.0.1\",\
                \"port\":4222,\"headers\":true,\"max_payload\":1048576,\"proto\":1,\"jetstream\":true}\r\n";
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut answers = stream.try_clone().unwrap();
            answers.write_all(info.as_bytes()).unwrap();
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if line.starts_with("PING") && answers.write_all(b"PONG\r\n").is_err() {
                    break;
                }
            }
        }
    });
    url
}

#[test]
fn what_is_wrong_with_a_fleet_is_said_with_what_to_do_next() {
    let env = TestEnv::new();
    let fleet = Guarded::new();
    let url = &fleet.nats.urls()[0];
    refused(&with(&env, "", &[]), 2, &["fleet.url names no server", "windlass fleet dev"]);
    refused(
        &with(&env, "nats://127.0.0.1:1", &[]),
        1,
        &["no server of the fleet can be reached at nats://127.0.0.1:1", "Start the servers"],
    );
    refused(
        &with(&env, &old_server(), &[]),
        1,
        &["is version 2.9.25, and windlass needs 2.10", "newer nats-server"],
    );
    let nothing = Nats::one_with(&Setup { keeps: Keeps::Nothing, ..Setup::default() });
    refused(&with(&env, &nothing.urls()[0], &[]), 1, &["no JetStream", "nats-server -js"]);
    refused(&with(&env, url, &[]), 1, &["refuses the credentials", "fleet.password_file"]);
    let wrong = env.write(env.root().join("wrong"), "runner:secret-other\n").display().to_string();
    let wrong = [("WINDLASS_FLEET__PASSWORD_FILE", wrong.as_str())];
    refused(&with(&env, url, &wrong), 1, &["refuses the credentials", "fleet.password_file"]);
    let missing = [("WINDLASS_FLEET__CREDENTIALS", "/nowhere/night.creds")];
    refused(&with(&env, url, &missing), 2, &["/nowhere/night.creds"]);
    let both = [("WINDLASS_FLEET__CREDENTIALS", "a"), ("WINDLASS_FLEET__TOKEN_FILE", "b")];
    refused(
        &with(&env, url, &both),
        2,
        &["`fleet.credentials` and `fleet.token_file` both say how to log in"],
    );
    let name = [("WINDLASS_FLEET__NAME", "Night")];
    refused(&with(&env, url, &name), 2, &["`Night` is not a name of a fleet"]);
    env.write(".windlass/config.toml", "[fleet]\nurl = 'nats://127.0.0.1:1'\n");
    refused(&with(&env, url, &[]), 2, &["`fleet.url` is for your own file alone"]);
}

#[test]
fn what_differs_on_the_servers_is_named_and_stays_as_it_is() {
    let yard = Yard::new(1, HONEST);
    let status = |arguments: &[&str]| {
        let mut command = yard.windlass(arguments);
        yard.env.run(command.env("WINDLASS_FLEET__REPLICAS", "3"), PATIENCE)
    };
    let shown = status(&["fleet", "status", "--json"]);
    shown.expect_success("status");
    contract::hold(&shown.stdout);
    let document: Value = serde_json::from_str(&shown.stdout_text()).unwrap();
    let problems = document["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 7, "{problems:?}");
    assert!(problems[0].as_str().unwrap().contains("differs in"), "{problems:?}");
    refused(&status(&["fleet", "init"]), 1, &["differs in", "Nothing was changed"]);
    let as_it_is = yard.run(&["fleet", "status", "--json"]);
    let document: Value = serde_json::from_str(&as_it_is.stdout_text()).unwrap();
    assert_eq!(document["problems"], serde_json::json!([]));
}

fn status(yard: &Yard) -> Value {
    let shown = yard.run(&["fleet", "status", "--json"]);
    shown.expect_success("status");
    contract::hold(&shown.stdout);
    serde_json::from_str(&shown.stdout_text()).unwrap()
}

/// The row of a table, by a field of it.
fn row<'a>(document: &'a Value, table: &str, field: &str, value: &str) -> &'a Value {
    let rows = document[table].as_array().unwrap();
    rows.iter().find(|row| row[field] == value).unwrap_or_else(|| panic!("no {value} in {document}"))
}

#[test]
fn who_is_there_is_told_from_who_was_killed() {
    let yard = Yard::new(1, HONEST);
    let alive = yard.worker("alive");
    let dead = yard.worker("dead");
    dead.signal(Signal::KILL);
    dead.wait(PATIENCE);
    let document = status(&yard);
    assert_eq!(row(&document, "workers", "worker", "alive")["heard"]["state"], "renewed");
    let silent = &row(&document, "workers", "worker", "dead")["heard"];
    assert_eq!(silent["state"], "silent");
    assert!(silent["for_ms"].as_u64().unwrap() >= 5000, "{silent}");
    refused(
        &yard.run(&["fleet", "drain", "dead"]),
        2,
        &["the worker dead of the fleet windlass was not heard of for"],
    );
    let drained = yard.run(&["fleet", "drain", "alive"]);
    drained.expect_success("drain");
    assert!(
        drained.stdout_text().contains("worker alive takes no further orders"),
        "{}",
        drained.stdout_text()
    );
    alive.wait(PATIENCE).expect_success("a worker without lanes ends when it is drained");
    refused(&yard.run(&["fleet", "drain", "alive"]), 2, &["or it has ended"]);
}

#[test]
fn orders_that_nobody_serves_are_named_and_then_who_works_on_them() {
    let yard = Yard::with_waiting_agents(Nats::one(), 2);
    let run = Running::start(&mut yard.tasks(2, &[]));
    let pending = || status(&yard)["queue"][0]["pending"].as_u64() == Some(2);
    assert!(wait_until(PATIENCE, pending), "{}", run.stderr_so_far());
    let text = yard.run(&["fleet", "status"]).stdout_text();
    assert!(text.contains("any worker"), "{text}");
    assert!(text.contains("! no worker asks for these: none is there"), "{text}");
    let worker = yard.worker("one");
    yard.wait_for_agents(2);
    let document = status(&yard);
    let named = document["runs"][0]["run"].as_str().unwrap();
    assert_eq!(document["runs"][0]["heard"]["state"], "renewed");
    for lane in [0, 1] {
        let lane = &document["lanes"][lane];
        assert_eq!((lane["run"].as_str(), lane["worker"].as_str()), (Some(named), Some("one")), "{lane}");
    }
    assert_eq!(row(&document, "workers", "worker", "one")["lanes"], 2);
    yard.let_agents_go_on();
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    worker.signal(Signal::TERM);
    worker.wait(PATIENCE);
}

/// How many orders of a class wait, as it is told.
fn pending(yard: &Yard, label: &str) -> Option<u64> {
    let document = status(yard);
    let rows = document["queue"].as_array().unwrap();
    rows.iter().find(|row| row["labels"] == serde_json::json!([label]))?["pending"].as_u64()
}

#[test]
fn orders_that_nobody_serves_are_said_and_those_of_a_run_that_has_ended_are_not_counted() {
    let yard = Yard::new(2, HONEST);
    yard.require("tpu");
    let nobody = "no worker that has tpu is there: 2 tasks wait for one";
    let mut run = Running::start(&mut yard.tasks(2, &[]));
    assert!(run.wait_for_stderr(nobody, PATIENCE), "{}", run.stderr_so_far());
    assert_eq!(pending(&yard, "tpu"), Some(2));
    run.signal(Signal::INT);
    run.wait(PATIENCE);
    assert_eq!(pending(&yard, "tpu"), Some(0));
    // Its runner has orders of its own: the same tasks are not there twice. One that is killed has none.
    let mut resumed = Running::start(&mut yard.windlass(&["resume"]));
    assert!(resumed.wait_for_stderr(nobody, PATIENCE), "{}", resumed.stderr_so_far());
    assert_eq!(pending(&yard, "tpu"), Some(2));
    resumed.signal(Signal::KILL);
    resumed.wait(PATIENCE);
    assert_eq!(pending(&yard, "tpu"), Some(0));
    // A worker with one lane asks for what any may do, and for what only it may, by turns.
    let worker = yard.worker_of("able", 1, r#"labels = ["tpu"]"#);
    let ended = yard.run(&["resume"]);
    ended.expect_success(&ended.stderr_text());
    assert_eq!(yard.landed(), ["T1", "T2"]);
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}
