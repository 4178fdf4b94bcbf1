//! What agents on workers say, seen by whoever looks while they are at it, here and on another machine.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Nats, Running};

use super::yard::{Elsewhere, HONEST, PATIENCE, Yard, drain};

/// Agents speak, and wait.
fn talkative(tasks: u32) -> Yard {
    let yard = Yard::on(Nats::one(), tasks, HONEST);
    let root = yard.env.root().display().to_string();
    let waiting = Yard::waiting(HONEST, &root);
    yard.script(&waiting.replace("steps = [\n", "steps = [\n  { say = \"I look at {{task}} first.\" },\n"));
    yard
}

/// The files of this name below a folder.
fn files(below: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(below).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path, name)),
            path if path.ends_with(name) => found.push(path),
            _ => {}
        }
    }
    found
}

#[test]
fn whoever_follows_a_run_reads_what_its_agents_on_workers_say() {
    let yard = talkative(1);
    let worker = yard.worker("one");
    // Nobody watches the run itself.
    let run = Running::start(&mut yard.tasks(2, &["--quiet"]));
    yard.wait_for_agents(1);
    let mut logs = Running::start(&mut yard.windlass(&["logs", "-f"]));
    assert!(logs.wait_for_stdout("I look at T1 first.", PATIENCE), "{}", logs.stdout_so_far());
    assert!(yard.of_kind("call_finished").is_empty(), "its agent waits");
    yard.let_agents_go_on();
    run.wait(PATIENCE).expect_success("the tasks");
    let logs = logs.wait(PATIENCE);
    logs.expect_success(&logs.stderr_text());
    let text = logs.stdout_text();
    assert_eq!(text.matches("I look at T1 first.").count(), 1, "{text}");
    assert!(text.contains("T1 is done"), "{text}");
    // What was heard has made place for the stream, which says the same.
    let state = yard.env.state();
    assert_eq!((files(&state, "live.ndjson").len(), files(&state, "stream.ndjson").len()), (0, 1));
    let again = yard.run(&["logs"]).stdout_text();
    assert_eq!(again.matches("I look at T1 first.").count(), 1, "{again}");
    // Its worker keeps nothing of a run that has ended.
    let at_worker = yard.env.root().join("state-one");
    assert!(wait_until(PATIENCE, || files(&at_worker, "stream.ndjson").is_empty()));
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_run_is_followed_on_another_machine_while_its_agents_speak() {
    let yard = talkative(2);
    let worker = yard.worker_with("one", 1);
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(1);
    let (name, elsewhere) = (yard.run_name(), Elsewhere::of(&yard));
    let mut logs = Running::start(&mut elsewhere.windlass(&["logs", "-f", &name]));
    let heard = || !files(&elsewhere.state(), "heard.lock").is_empty();
    assert!(wait_until(PATIENCE, heard), "{}", logs.stderr_so_far());
    // A second one reads what the first one hears.
    let mut other = Running::start(&mut elsewhere.windlass(&["logs", "-f", &name]));
    // What the first agent has said already comes when its call has ended; whoever shows anything hears what comes now.
    for logs in [&mut logs, &mut other] {
        assert!(logs.wait_for_stdout("T1", PATIENCE), "{}", logs.stdout_so_far());
    }
    yard.let_an_agent_go_on();
    for logs in [&logs, &other] {
        let both = || logs.stdout_so_far().matches("I look at").count() == 2;
        assert!(wait_until(PATIENCE, both), "{}", logs.stdout_so_far());
    }
    assert_eq!(yard.of_kind("call_finished").len(), 1, "the second agent waits");
    // As long as somebody follows it, all that is asked here knows it as alive, and so does who asks for all runs.
    let runs = elsewhere.run(&["runs"]).stdout_text();
    assert!(runs.contains("running"), "{runs}");
    // It is asked for anything where it is driven.
    let stop = elsewhere.run(&["stop", &name]);
    stop.expect_code(2, &stop.stderr_text());
    assert!(stop.stderr_text().contains("is not driven on this machine"), "{}", stop.stderr_text());
    yard.let_agents_go_on();
    run.wait(PATIENCE).expect_success("the tasks");
    for logs in [logs, other] {
        let logs = logs.wait(PATIENCE);
        logs.expect_success(&logs.stderr_text());
        assert_eq!(logs.stdout_text().matches("I look at").count(), 2, "{}", logs.stdout_text());
    }
    let runs = elsewhere.run(&["runs"]).stdout_text();
    assert!(runs.contains("complete"), "{runs}");
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_run_whose_machine_is_gone_is_listed_as_interrupted_elsewhere() {
    let yard = talkative(1);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(1);
    let (name, elsewhere) = (yard.run_name(), Elsewhere::of(&yard));
    elsewhere.run(&["status", &name]).expect_success("status");
    let runs = elsewhere.run(&["runs"]).stdout_text();
    assert!(runs.contains("running"), "{runs}");
    run.signal(Signal::KILL);
    run.wait(PATIENCE);
    let interrupted = || elsewhere.run(&["runs"]).stdout_text().contains("interrupted");
    assert!(wait_until(PATIENCE, interrupted));
    yard.let_agents_go_on();
    yard.run(&["resume", &name]).expect_success("resume");
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}
