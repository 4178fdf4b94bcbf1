//! What workers have made lands as it does from lanes of one machine.

use std::fs;

use windlass_testkit::environment::wait_until;
use windlass_testkit::{Nats, Running};

use super::yard::{HONEST, PATIENCE, Yard, drain};

fn all(tasks: u32) -> Vec<String> {
    let mut all: Vec<String> = (1..=tasks).map(|task| format!("T{task}")).collect();
    all.sort();
    all
}

#[test]
fn tasks_on_two_workers_and_three_servers_land_as_they_do_without_a_fleet() {
    let yard = Yard::on(Nats::three(), 6, HONEST);
    let (one, other) = (yard.worker("one"), yard.worker("other"));
    let landed = yard.land(3, &["--gate", "test -d work"]);
    landed.expect_success(&landed.stderr_text());
    assert_eq!(yard.landed(), all(6), "{}", landed.stderr_text());
    yard.assert_whole();
    assert_eq!(yard.of_kind("call_finished").len(), 6, "each task needed one call");
    let spent: f64 = yard.of_kind("run_finished").iter().filter_map(|end| end["cost_usd"].as_f64()).sum();
    assert!(spent < 0.1, "{spent}");
    let log = yard.run(&["logs", "-v"]);
    log.expect_success("logs");
    assert!(log.stdout_text().contains("work/T6"), "what agents said is here: {}", log.stdout_text());
    // Author and trailers are the runner's.
    let authors = yard.env.git(&["log", "--format=%an|%(trailers:key=Windlass-Run,valueonly)", "-6"]);
    assert_eq!(authors.lines().filter(|line| line.contains("|r-")).count(), 6, "{authors}");
    for worker in [one, other] {
        drain(worker).expect_success("a worker without lanes is drained at once");
    }
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn work_that_conflicts_is_put_together_on_a_worker() {
    let script = r#"
[[call]]
steps = [
  { bash = "mkdir -p work; if grep -q '<<<<' work/common 2>/dev/null; then echo both > work/common; else echo $WINDLASS_LANE > work/common; fi" },
  "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;
    let yard = Yard::new(2, script);
    let worker = yard.worker("one");
    let landed = yard.land(2, &[]);
    landed.expect_success(&landed.stderr_text());
    assert_eq!(yard.landed(), ["common"]);
    assert_eq!(yard.env.read("work/common"), "both\n");
    yard.assert_whole();
    drain(worker);
}

#[test]
fn a_task_that_needs_a_second_iteration_goes_on_with_what_the_first_one_made() {
    let script = r#"
[[call]]
steps = [
  { write = { path = "work/{{task}}", text = "half\n" } },
  { result = { text = "A half of {{task}} is done.", cost = 0.01 } },
]
[[call]]
steps = [
  { append = { path = "work/{{task}}", text = "whole\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;
    let yard = Yard::new(1, script);
    let worker = yard.worker("one");
    let landed = yard.land(2, &["--gate", "true"]);
    landed.expect_success(&landed.stderr_text());
    assert_eq!(yard.env.git(&["show", "HEAD:work/T1"]), "half\nwhole");
    assert_eq!(yard.of_kind("call_finished").len(), 2);
    assert!(!yard.notices().contains("lost lane"), "{}", yard.notices());
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn what_is_left_of_a_parked_task_is_a_branch_here() {
    let script = r#"
[[call]]
steps = [
  { write = { path = "work/{{task}}", text = "half\n" } },
  { result = { text = "I cannot finish {{task}}.", cost = 0.01 } },
]
"#;
    let yard = Yard::new(1, script);
    let worker = yard.worker("one");
    let landed =
        yard.env.run(yard.tasks(2, &["--gate", "false"]).env("WINDLASS_TASKS__ATTEMPTS", "1"), PATIENCE);
    assert_ne!(landed.code, Some(0), "{}", landed.stderr_text());
    let branches = yard.env.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/windlass"]);
    assert!(branches.ends_with("/T1"), "{branches}\n{}", landed.stderr_text());
    assert_eq!(yard.env.git(&["show", &format!("{branches}:work/T1")]), "half");
    assert_eq!(yard.env.git(&["status", "--porcelain", "--", "work"]), "");
    drain(worker);
}

#[test]
fn what_the_runner_writes_of_tasks_lands_with_them() {
    let yard = Yard::new(2, HONEST);
    let worker = yard.worker("one");
    yard.land(2, &[]).expect_success("the tasks");
    let tasks = yard.env.read("tasks.md");
    assert_eq!(tasks.matches("**Status:** done").count(), 2, "{tasks}");
    assert_eq!(yard.env.git(&["show", "HEAD:tasks.md"]).trim_end(), tasks.trim_end());
    let state = yard.env.root().join("state-one");
    assert!(fs::read_dir(state.join("fleet")).unwrap().count() == 1, "all of it is in one folder");
    drain(worker);
}

#[test]
fn a_task_goes_to_a_worker_that_has_what_it_requires() {
    let yard = Yard::new(3, HONEST);
    let tasks = yard.env.read("tasks.md");
    let first = "### T1: Thing 1\n\n- **Status:** pending\n";
    yard.env.write("tasks.md", tasks.replace(first, &format!("{first}- **Requires:** gpu, os=linux\n")));
    yard.env.git(&["commit", "--quiet", "--all", "--message", "What the first one needs"]);
    let plain = yard.worker("plain");
    let run = Running::start(&mut yard.tasks(2, &[]));
    assert!(wait_until(PATIENCE, || yard.landed() == ["T2", "T3"]), "{}", run.stderr_so_far());
    let waiting = yard.run(&["fleet", "status"]);
    assert!(waiting.stdout_text().contains("gpu os=linux"), "{}", waiting.stdout_text());
    assert_eq!(yard.landed(), ["T2", "T3"], "nobody has what the first one needs");
    let able = yard.worker_labelled("able", r#"["gpu", "os=linux", "tools=node20"]"#);
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    assert_eq!(yard.landed(), all(3));
    drain(plain);
    drain(able);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn what_agents_say_and_do_is_shown_while_they_are_at_it() {
    let yard = Yard::with_waiting_agents(Nats::one(), 1);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &["--verbose"]));
    let shown = || format!("{}{}", run.stdout_so_far(), run.stderr_so_far());
    assert!(wait_until(PATIENCE, || shown().contains("for i in")), "{}", shown());
    assert!(yard.of_kind("call_finished").is_empty(), "its agent waits");
    yard.let_agents_go_on();
    run.wait(PATIENCE).expect_success("the tasks");
    drain(worker);
}
