//! What a fleet lives through.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpStream;

use rustix::process::Signal;
use serde_json::{Value, json};
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Cable, Nats, Running};

use super::yard::{HONEST, PATIENCE, Yard, drain};

fn told(running: &mut Running, text: &str) {
    assert!(running.wait_for_stderr(text, PATIENCE), "{text}: {}", running.stderr_so_far());
}

fn finished(yard: &Yard, run: Running, tasks: usize) {
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    assert_eq!(yard.landed().len(), tasks, "{}", ended.stderr_text());
    yard.assert_whole();
}

/// A run whose two tasks are at two workers.
struct Both {
    yard: Yard,
    first: Running,
    second: Running,
    run: Running,
}

fn both_at_work() -> Both {
    let yard = Yard::with_waiting_agents(Nats::three(), 2);
    let first = yard.worker_with("first", 1);
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(1);
    let second = yard.worker("second");
    yard.wait_for_agents(2);
    Both { yard, first, second, run }
}

#[test]
fn a_worker_that_is_killed_loses_its_lane_to_another_and_its_call_is_charged_as_an_estimate() {
    let Both { yard, first, second, mut run } = both_at_work();
    first.signal(Signal::KILL);
    // Its keeper ends what it had started, long before its lease is over.
    yard.wait_for_agents(1);
    told(&mut run, "worker first has been silent");
    yard.let_agents_go_on();
    finished(&yard, run, 2);
    let estimated = yard.of_kind("call_finished").into_iter().filter(|call| call["estimated"] == true);
    assert_eq!(estimated.count(), 1, "{:?}", yard.of_kind("call_finished"));
    assert_eq!(yard.of_kind("call_finished").len(), 3, "each call is charged once");
    assert!(yard.notices().contains("worker first lost lane"), "{}", yard.notices());
    drain(second);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_worker_that_was_frozen_finds_its_lane_gone_and_nothing_of_it_counts_twice() {
    let Both { yard, first, second, mut run } = both_at_work();
    first.signal(Signal::STOP);
    // Its keeper does not wait for it to come back. Its task may begin again elsewhere a moment before or after that.
    yard.wait_until_idle("first");
    told(&mut run, "worker first has been silent");
    yard.wait_for_agents(2);
    first.signal(Signal::CONT);
    assert!(wait_until(PATIENCE, || first.stderr_so_far().contains("is somebody else's")));
    yard.let_agents_go_on();
    finished(&yard, run, 2);
    assert_eq!(yard.of_kind("call_finished").len(), 3);
    drain(first);
    drain(second);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn what_a_worker_did_that_was_cut_off_for_too_long_is_kept_and_charged_as_it_was() {
    // Of three servers a worker would find those that its cable does not lead to.
    let yard = Yard::new(2, HONEST);
    yard.wait_by_task(2);
    let cable = Cable::to(&yard.nats);
    let first = Yard::begin(yard.worker_command("first", 1).env("WINDLASS_FLEET__URL", cable.url()));
    let mut run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(1);
    let second = yard.worker("second");
    yard.wait_for_agents(2);
    cable.pull_out();
    // It lets its agent go on; its task begins again elsewhere.
    told(&mut run, "worker first has been silent");
    yard.wait_for_agents(3);
    let lost = yard.notices().split(" while ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    yard.let_agents_go_on_with(&lost);
    assert!(wait_until(PATIENCE, || yard.of_kind("landed").len() == 1), "{}", run.stderr_so_far());
    yard.wait_for_agents(1);
    cable.plug_in();
    told(&mut run, "is kept as the branch");
    let heard = || yard.of_kind("call_recharged");
    assert!(wait_until(PATIENCE, || heard().len() == 1), "{}", run.stderr_so_far());
    for task in ["T1", "T2"] {
        yard.let_agents_go_on_with(task);
    }
    finished(&yard, run, 2);
    let charge = &heard()[0];
    assert_eq!((&charge["cost_usd"], &charge["estimated"]), (&json!(0.01), &Value::Null), "{charge}");
    let ended = &yard.of_kind("run_finished")[0];
    assert_eq!((&ended["cost_usd"], &ended["estimated"]), (&json!(0.03), &Value::Null), "{ended}");
    // What it did there is the same as what landed, on what it began with.
    let kept = yard.env.git(&["for-each-ref", "--format=%(refname)", "refs/heads/windlass"]);
    let kept: Vec<&str> = kept.lines().collect();
    let [kept] = kept[..] else { panic!("{kept:?}") };
    assert_eq!(yard.env.git(&["show", &format!("{kept}:work/{lost}")]), "done");
    drain(first);
    drain(second);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_usage_limit_holds_back_the_workers_of_its_account_and_no_others() {
    let yard = Yard::with_waiting_agents(Nats::three(), 1);
    let root = yard.env.root().display().to_string();
    let refused = "  { usage_limit = { resets_in = \"1h\" } },\n]\n";
    let waiting = Yard::waiting(HONEST, &root);
    yard.script(&format!("{}\n{refused}", waiting.lines().take(4).collect::<Vec<_>>().join("\n")));
    let limited = [
        yard.worker_that_says("first", "account = \"work\""),
        yard.worker_that_says("second", "account = \"work\""),
    ];
    let mut run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(1);
    let free = yard.worker("free");
    yard.script(HONEST);
    yard.let_agents_go_on();
    told(&mut run, "a usage limit holds account work back");
    finished(&yard, run, 1);
    let classes: Vec<Value> =
        yard.of_kind("call_finished").iter().map(|call| call["class"].clone()).collect();
    assert_eq!(classes, ["usage_limit", "success"]);
    assert_eq!(yard.of_kind("held"), Vec::<Value>::new(), "nobody waits");
    for worker in limited {
        drain(worker);
    }
    drain(free);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_runner_that_is_killed_finds_the_results_when_it_is_resumed() {
    let (yard, worker) = Yard::left_by_its_runner(2);
    yard.let_agents_go_on();
    yard.wait_for_agents(0);
    let resumed = yard.run(&["resume"]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(yard.landed(), ["T1", "T2"]);
    yard.assert_whole();
    // Nobody was asked twice.
    let calls = yard.of_kind("call_finished");
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls.iter().all(|call| call["estimated"] != true), "{calls:?}");
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn servers_that_are_all_gone_for_a_while_cost_nothing_but_time() {
    let mut yard = Yard::with_waiting_agents(Nats::three(), 2);
    let worker = yard.worker("one");
    let mut run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    yard.nats.kill_all();
    told(&mut run, "nothing new begins");
    // What is at work comes to its end meanwhile.
    yard.let_agents_go_on();
    yard.wait_for_agents(0);
    yard.nats.start_all();
    finished(&yard, run, 2);
    let calls = yard.of_kind("call_finished");
    assert!(calls.len() == 2 && calls.iter().all(|call| call["estimated"] != true), "{calls:?}");
    drain(worker);
}

#[test]
fn a_person_can_end_a_run_whose_servers_are_gone_and_nothing_is_lost_by_it() {
    let mut yard = Yard::with_waiting_agents(Nats::three(), 2);
    // A worker gives up what it cannot hold any more: it holds that for longer than a busy machine needs here.
    let mut worker = yard.worker_command("one", 2);
    let worker = Yard::begin(worker.env("WINDLASS_FLEET__LEASE", "30s"));
    let mut run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    yard.nats.kill_all();
    told(&mut run, "nothing new begins");
    run.signal(Signal::INT);
    // Long before the fleet's patience is over.
    let ended = run.wait(PATIENCE);
    assert!(ended.stderr_text().contains("they go on, and what they do is kept"), "{}", ended.stderr_text());
    yard.let_agents_go_on();
    yard.wait_for_agents(0);
    yard.nats.start_all();
    let resumed = yard.run(&["resume"]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(yard.landed().len(), 2);
    let calls = yard.of_kind("call_finished");
    assert!(calls.len() == 2 && calls.iter().all(|call| call["estimated"] != true), "{calls:?}");
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn one_server_of_three_may_go() {
    let mut yard = Yard::with_waiting_agents(Nats::three(), 2);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    let leader = yard.nats.leader_of("KV_windlass_windlass_leases");
    yard.nats.server(leader).kill();
    yard.let_agents_go_on();
    finished(&yard, run, 2);
    assert_eq!(yard.of_kind("call_finished").len(), 2);
    drain(worker);
}

#[test]
fn a_worker_begins_while_the_servers_choose_a_leader() {
    let mut yard = Yard::with_waiting_agents(Nats::three(), 1);
    let leader = yard.nats.leader_of("KV_windlass_windlass_leases");
    yard.nats.server(leader).kill();
    drain(yard.worker("one")).expect_success("a worker");
}

#[test]
fn servers_that_stay_away_end_the_run_so_that_it_can_be_resumed() {
    let mut yard = Yard::with_waiting_agents(Nats::three(), 2);
    // A worker gives up what it cannot hold any more: it holds that for longer than a busy machine needs here.
    let mut worker = yard.worker_command("one", 2);
    let worker = Yard::begin(worker.env("WINDLASS_FLEET__LEASE", "30s"));
    let told = yard.env.root().join("told");
    let mut command = yard.tasks(2, &[]);
    command.env("WINDLASS_FLEET__PATIENCE", "2s");
    command.env("WINDLASS_NOTIFY__COMMAND", format!("cat >>'{}'", told.display()));
    let run = Running::start(&mut command);
    yard.wait_for_agents(2);
    yard.nats.kill_all();
    let ended = run.wait(PATIENCE);
    assert!(ended.stderr_text().contains("have not answered for 2 s"), "{}", ended.stderr_text());
    let told = fs::read_to_string(told).unwrap();
    assert!(told.contains("RUN LEFT") && told.contains("windlass resume r-"), "{told}");
    assert_eq!(yard.agents(), 2, "what is at work is not thrown away");
    assert_ne!(ended.code, Some(0));
    yard.let_agents_go_on();
    yard.nats.start_all();
    let resumed = yard.run(&["resume"]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(yard.landed(), ["T1", "T2"]);
    let calls = yard.of_kind("call_finished");
    assert!(calls.len() == 2 && calls.iter().all(|call| call["estimated"] != true), "{calls:?}");
    drain(worker);
}

#[test]
fn ctrl_c_ends_every_agent_of_every_worker() {
    let yard = Yard::with_waiting_agents(Nats::three(), 4);
    let (one, other) = (yard.worker("one"), yard.worker("other"));
    let run = Running::start(&mut yard.tasks(4, &[]));
    yard.wait_for_agents(4);
    run.signal(Signal::INT);
    yard.wait_for_agents(0);
    let ended = run.wait(PATIENCE);
    assert_eq!(yard.of_kind("run_finished").len(), 1, "{}", ended.stderr_text());
    yard.let_agents_go_on();
    let resumed = yard.run(&["resume"]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(yard.landed().len(), 4);
    for worker in [one, other] {
        drain(worker);
    }
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_worker_that_is_drained_ends_its_task_and_takes_no_other() {
    let yard = Yard::with_waiting_agents(Nats::three(), 3);
    let first = yard.worker_with("first", 1);
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(1);
    first.signal(Signal::TERM);
    assert!(wait_until(PATIENCE, || first.stderr_so_far().contains("drained by")));
    yard.let_agents_go_on();
    let drained = first.wait(PATIENCE);
    drained.expect_success(&drained.stderr_text());
    let second = yard.worker("second");
    finished(&yard, run, 3);
    assert_eq!(yard.of_kind("call_finished").len(), 3, "no work was thrown away");
    drain(second);
}

/// Takes all that a stream holds out of it, as one who has the server's command line does.
fn purge(yard: &Yard, stream: &str) {
    let url = yard.nats.urls()[0].clone();
    let mut questions = TcpStream::connect(url.trim_start_matches("nats://")).unwrap();
    let answers = BufReader::new(questions.try_clone().unwrap());
    write!(
        questions,
        "CONNECT {{\"verbose\":false}}\r\nSUB answer 1\r\nPUB $JS.API.STREAM.PURGE.{stream} answer 0\r\n\r\n"
    )
    .unwrap();
    assert!(answers.lines().map_while(Result::ok).any(|line| line.contains("\"purged\"")));
}

#[test]
fn an_order_that_is_not_in_the_queue_any_more_is_given_anew() {
    let yard = Yard::new(1, HONEST);
    let run = Running::start(&mut yard.tasks(2, &[]));
    let orders = "windlass_windlass_orders";
    assert!(wait_until(PATIENCE, || yard.nats.messages_of(orders) == Some(1)), "{}", run.stderr_so_far());
    purge(&yard, orders);
    let worker = yard.worker("one");
    finished(&yard, run, 1);
    assert_eq!(yard.of_kind("call_finished").len(), 1);
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn two_workers_of_one_name_are_told_apart() {
    let yard = Yard::new(1, HONEST);
    let first = yard.worker("one");
    let mut command = yard.windlass(&["worker", "--name", "one"]);
    command.env("WINDLASS_STATE_DIR", yard.env.root().join("elsewhere"));
    let second = yard.env.run(&mut command, PATIENCE);
    assert_ne!(second.code, Some(0));
    let said = second.stderr_text();
    assert!(said.contains("another worker of this fleet is called one"), "{said}");
    assert!(drain(first).code == Some(0));
    // Whoever was killed has left the name: it is taken again once that is sure.
    let killed = yard.worker("one");
    killed.signal(Signal::KILL);
    killed.wait(PATIENCE);
    drain(yard.worker("one")).expect_success("the same name again");
}

#[test]
fn servers_that_have_lost_what_they_kept_are_told_from_somebody_else() {
    let yard = Yard::with_waiting_agents(Nats::one(), 1);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(1);
    purge(&yard, "KV_windlass_windlass_leases");
    let (worker, run) = (worker.wait(PATIENCE), run.wait(PATIENCE));
    let said = worker.stderr_text();
    assert!(said.contains("have lost what they kept, and know nothing of the worker one any more"), "{said}");
    let said = run.stderr_text();
    assert!(said.contains("have lost what they kept, and know nothing of this run any more"), "{said}");
    yard.env.assert_no_processes(PATIENCE);
}
