//! What keeps a run from beginning with a fleet, said in a sentence.

use std::fmt::Write as _;
use std::fs;

use windlass_testkit::environment::wait_until;
use windlass_testkit::nats::{Keeps, Setup};
use windlass_testkit::{Nats, Running, TestEnv};

use super::yard::{HONEST, PATIENCE, Yard, drain};

fn refusal(env: &TestEnv, url: &str, arguments: &[&str]) -> String {
    let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
    command.args(arguments).env("WINDLASS_FLEET__URL", url);
    let refused = env.run(&mut command, PATIENCE);
    assert_ne!(refused.code, Some(0), "{}", refused.stdout_text());
    assert!(!refused.stderr_text().contains("panicked"), "{}", refused.stderr_text());
    refused.stderr_text()
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let env = TestEnv::with_git();
    env.write("tasks.md", "# Tasks\n\n### T1: One\n\n- **Status:** pending\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    let run = ["run", "--mode", "tasks", "--fleet", "-j", "2", "--mock"];
    let said = refusal(&env, "", &run);
    assert!(said.contains("fleet.url names no server") && said.contains("windlass config set"), "{said}");
    let said = refusal(&env, "nats://127.0.0.1:1", &run);
    assert!(said.contains("no server of the fleet can be reached at nats://127.0.0.1:1"), "{said}");
    let said = refusal(&env, "nats://me:hunter2@127.0.0.1:1", &["worker"]);
    assert!(said.contains("holds credentials; put them in a file") && !said.contains("hunter2"), "{said}");
    let said = refusal(&env, "nats://127.0.0.1:1", &["run", "--mode", "tasks", "--fleet", "--mock"]);
    assert!(said.contains("a fleet has lanes"), "{said}");

    let bare = Nats::one();
    let said = refusal(&env, &bare.urls()[0], &run);
    assert!(said.contains("the fleet has no") && said.contains("windlass fleet init"), "{said}");
    let nothing = Nats::one_with(&Setup { keeps: Keeps::Nothing, ..Setup::default() });
    let said = refusal(&env, &nothing.urls()[0], &["fleet", "init"]);
    assert!(said.contains("no JetStream"), "{said}");
    // Nothing was begun.
    let runs = env.run(env.command(env!("CARGO_BIN_EXE_windlass")).arg("runs"), PATIENCE);
    assert!(!runs.stdout_text().contains("r-"), "{}", runs.stdout_text());
}

#[test]
fn permissions_are_printed_without_a_server() {
    let env = TestEnv::new();
    let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
    let printed = env.run(command.args(["fleet", "init", "--show-permissions"]), PATIENCE);
    printed.expect_success("permissions");
    for role in ["ADMINISTRATOR", "RUNNER", "WORKER", "WATCHER"] {
        assert!(printed.stdout_text().contains(&format!("WINDLASS_WINDLASS_{role}")), "{role}");
    }
}

// attack(fleet): a run is to work on a worker without a sandbox, or in a project that its policy does not name
// holds: the worker leaves it to others and says so, to the run as well
#[test]
fn a_worker_takes_only_what_its_policy_allows() {
    let yard = Yard::new(1, HONEST);
    fs::write(yard.env.root().join("worker.toml"), "").unwrap();
    let strict = yard.worker("strict");
    let run = Running::start(&mut yard.tasks(2, &[]));
    assert!(wait_until(PATIENCE, || strict.stderr_so_far().contains("without a sandbox")));
    // Whoever watches the run learns it as well.
    let told = "lane 1: the worker strict leaves its order to others: ";
    assert!(wait_until(PATIENCE, || run.stderr_so_far().contains(told)), "{}", run.stderr_so_far());
    fs::write(yard.env.root().join("worker.toml"), "sandbox = \"as-ordered\"\ngates = [\"*\"]\n").unwrap();
    let open = yard.worker("open");
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    assert_eq!(yard.landed(), ["T1"]);
    assert_eq!(yard.notices().matches(told).count(), 1, "once, as often as it is offered to it");
    for worker in [strict, open] {
        drain(worker);
    }
}

#[test]
fn a_policy_that_is_wrong_is_said_with_its_line() {
    let env = TestEnv::new();
    for (text, said) in [
        ("lanes = 0", "lanes"),
        ("\nlane = 1", "line 2"),
        ("name = \"a.b\"", "is no name of a worker"),
        ("labels = [\"A B\"]", "is no label"),
    ] {
        let policy = env.write(env.root().join("policy.toml"), text).display().to_string();
        let refused = refusal(&env, "nats://127.0.0.1:1", &["worker", "--policy", &policy]);
        assert!(refused.contains(said), "{text}: {refused}");
    }
    let refused = refusal(&env, "nats://127.0.0.1:1", &["worker", "--policy", "/nowhere/policy.toml"]);
    assert!(refused.contains("there is no policy /nowhere/policy.toml"), "{refused}");
}

#[test]
fn a_list_that_no_fleet_can_keep_is_refused_before_anything_is_on_record() {
    let yard = Yard::new(1, HONEST);
    let mut tasks = "# Tasks\n".to_owned();
    for task in 1..=2500 {
        let title = "a title that is as long as titles are ".repeat(6);
        let _ = write!(tasks, "\n### T{task}: {title}{task}\n\n- **Status:** pending\n\nMake it.\n");
    }
    yard.env.write("tasks.md", tasks);
    yard.env.git(&["commit", "--quiet", "--all", "--message", "Many"]);
    let refused = yard.land(2, &[]);
    refused.expect_code(2, &refused.stderr_text());
    let said = refused.stderr_text();
    assert!(said.contains("the 2500 tasks of this list are"), "{said}");
    assert!(said.contains("and a fleet's takes 512 KiB at once"), "{said}");
    assert_eq!(yard.run(&["runs"]).stdout_text().matches("r-").count(), 0);
}
