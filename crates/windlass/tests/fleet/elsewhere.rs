//! A run that is looked at, and gone on with, on another machine.

use std::fs;

use rustix::process::Signal;
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Nats, Running};

use super::yard::{Elsewhere, HONEST, PATIENCE, Yard, drain, landed_in, the_journal};

#[test]
fn what_is_known_of_a_run_is_known_wherever_its_fleet_can_be_reached() {
    let yard = Yard::new(2, HONEST);
    let elsewhere = Elsewhere::of(&yard);
    let worker = yard.worker("one");
    let run = yard.land(2, &[]);
    run.expect_success(&run.stderr_text());
    let name = yard.run_name();
    let status = elsewhere.run(&["status", &name]);
    status.expect_success(&status.stderr_text());
    assert!(status.stdout_text().contains("complete"), "{}", status.stdout_text());
    assert_eq!(fs::read(elsewhere.journal()).unwrap(), fs::read(the_journal(&yard.env.state())).unwrap());
    // With what its agents said.
    let logs = elsewhere.run(&["logs", &name]);
    logs.expect_success(&logs.stderr_text());
    assert!(logs.stdout_text().contains("the agent ended its turn"), "{}", logs.stdout_text());
    // What it landed is brought to this clone, although it has ended: nothing else would.
    assert!(report(&elsewhere, &name).contains("which its fleet keeps and this repository has not"));
    let behind = elsewhere.run(&["resume", &name]);
    behind.expect_code(24, &behind.stderr_text());
    assert!(!behind.stderr_text().contains("Then go on"), "{}", behind.stderr_text());
    elsewhere.merge(&behind.stderr_text());
    assert_eq!(elsewhere.git(&["ls-tree", "--name-only", "HEAD", "work/"]).lines().count(), 2);
    assert!(report(&elsewhere, &name).contains("on main already: nothing to merge"));
    // It has ended there as it has here.
    let resumed = elsewhere.run(&["resume", &name]);
    resumed.expect_code(2, &resumed.stderr_text());
    assert!(resumed.stderr_text().contains("is done (complete)"), "{}", resumed.stderr_text());
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

fn report(elsewhere: &Elsewhere<'_>, name: &str) -> String {
    let report = elsewhere.run(&["report", name]);
    report.expect_success(&report.stderr_text());
    report.stdout_text()
}

#[test]
fn whoever_follows_a_run_learns_that_its_runner_has_died() {
    let yard = Yard::with_waiting_agents(Nats::one(), 2);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    let (name, elsewhere) = (yard.run_name(), Elsewhere::of(&yard));
    let mut logs = Running::start(&mut elsewhere.windlass(&["logs", "-f", &name]));
    assert!(logs.wait_for_stdout("T1", PATIENCE), "{}", logs.stdout_so_far());
    // That takes as long as its runner needs to be heard of, and more.
    let status = elsewhere.run(&["status", &name]);
    assert!(status.stdout_text().contains("running"), "{}", status.stdout_text());
    run.signal(Signal::KILL);
    run.wait(PATIENCE);
    let logs = logs.wait(PATIENCE);
    logs.expect_success(&logs.stderr_text());
    yard.let_agents_go_on();
    yard.run(&["resume", &name]).expect_success("resume");
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_run_that_goes_on_is_followed_elsewhere_to_its_end() {
    let yard = Yard::with_waiting_agents(Nats::one(), 2);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    let (name, elsewhere) = (yard.run_name(), Elsewhere::of(&yard));
    let status = elsewhere.run(&["status", &name]);
    assert!(status.stdout_text().contains("running"), "{}", status.stdout_text());
    // Somebody drives it: nobody else can.
    let resumed = elsewhere.run(&["resume", &name]);
    assert!(resumed.stderr_text().contains("which is alive"), "{}", resumed.stderr_text());
    let mut logs = Running::start(&mut elsewhere.windlass(&["logs", "-f", &name]));
    assert!(logs.wait_for_stdout("T1", PATIENCE), "{}", logs.stdout_so_far());
    yard.let_agents_go_on();
    run.wait(PATIENCE).expect_success("the run");
    let logs = logs.wait(PATIENCE);
    logs.expect_success(&logs.stderr_text());
    assert!(logs.stdout_text().contains("The job is done."), "{}", logs.stdout_text());
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_run_whose_machine_is_gone_goes_on_elsewhere_from_what_it_has_landed() {
    let yard = Yard::with_waiting_agents(Nats::one(), 3);
    let elsewhere = Elsewhere::of(&yard);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    yard.let_an_agent_go_on();
    assert!(wait_until(PATIENCE, || !yard.of_kind("landed").is_empty()));
    yard.wait_for_agents(2);
    run.signal(Signal::KILL);
    run.wait(PATIENCE);
    let name = yard.run_name();
    yard.let_agents_go_on();
    // A person's checkout is a person's: what has landed is brought, and they put it there.
    elsewhere.merge(&elsewhere.run(&["resume", &name]).stderr_text());
    let resumed = elsewhere.run(&["resume", &name]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(elsewhere.git(&["ls-tree", "--name-only", "HEAD", "work/"]).lines().count(), 3);
    assert_eq!(elsewhere.git(&["status", "--porcelain"]), "");
    let calls = fs::read_to_string(elsewhere.journal()).unwrap();
    assert_eq!(calls.matches("\"call_finished\"").count(), 3, "no call is made or paid twice");
    // Where it was begun that is known again, and what only this machine had of the journal is kept.
    let home = the_journal(&yard.env.state());
    let mut own = fs::read(&home).unwrap();
    own.extend_from_slice(&notice_after(&own));
    fs::write(&home, own).unwrap();
    let resumed = yard.run(&["resume", &name]);
    // What it landed since is brought here, too.
    yard.env.git(&["merge", "--quiet", "--ff-only", landed_in(&resumed.stderr_text())]);
    let again = yard.run(&["resume", &name]);
    assert!(again.stderr_text().contains("is done (complete)"), "{}", again.stderr_text());
    assert_eq!(yard.landed(), ["T1", "T2", "T3"]);
    assert!(resumed.stderr_text().contains("journal.aside-1"), "{}", resumed.stderr_text());
    assert_eq!(fs::read(&home).unwrap(), fs::read(elsewhere.journal()).unwrap());
    let aside = fs::read_to_string(home.with_file_name("journal.aside-1")).unwrap();
    assert!(aside.contains("known here alone"), "{aside}");
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_run_that_comes_home_takes_what_landed_elsewhere_before_it_goes_on() {
    let (yard, worker) = Yard::left_by_its_runner(3);
    let (name, elsewhere) = (yard.run_name(), Elsewhere::of(&yard));
    elsewhere.run(&["status", &name]).expect_success("status");
    let there = Running::start(&mut elsewhere.windlass(&["resume", &name]));
    // A resumed run goes on once the calls that were under way have ended, and what it lands counts once the fleet
    // has it.
    let landed = || {
        yard.run(&["status", &name]).expect_success("status");
        yard.of_kind("landed").len()
    };
    for _ in 0..2 {
        yard.let_an_agent_go_on();
        assert!(wait_until(PATIENCE, || !yard.env.root().join("ticket").exists()));
    }
    assert!(wait_until(PATIENCE, || landed() == 2), "{}", there.stderr_so_far());
    yard.wait_for_agents(1);
    let status = yard.run(&["status", &name]);
    assert!(status.stdout_text().contains("running"), "{}", status.stdout_text());
    there.signal(Signal::KILL);
    there.wait(PATIENCE);
    yard.let_agents_go_on();
    // As often as it is asked for.
    let behind: Vec<String> = (0..2).map(|_| yard.run(&["resume", &name]).stderr_text()).collect();
    assert_eq!(landed_in(&behind[0]), landed_in(&behind[1]));
    yard.env.git(&["merge", "--quiet", "--ff-only", landed_in(&behind[1])]);
    let resumed = yard.run(&["resume", &name]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(yard.landed(), ["T1", "T2", "T3"]);
    assert_eq!(yard.of_kind("call_finished").len(), 3, "no call is made or paid twice");
    yard.assert_whole();
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn work_that_a_runner_landed_unheard_is_taken_off_before_the_run_goes_on_there() {
    let (yard, worker) = Yard::left_by_its_runner(2);
    let (name, elsewhere) = (yard.run_name(), Elsewhere::of(&yard));
    elsewhere.run(&["status", &name]).expect_success("status");
    let there = Running::start(&mut elsewhere.windlass(&["resume", &name]));
    // It has resumed once the fleet has that, and not when its own machine has.
    let heard_at_home = || {
        yard.run(&["status", &name]).expect_success("status");
        !yard.of_kind("run_resumed").is_empty()
    };
    assert!(wait_until(PATIENCE, heard_at_home), "{}", there.stderr_so_far());
    there.signal(Signal::KILL);
    there.wait(PATIENCE);
    // As a runner leaves it that is cut off when the branch has advanced and nobody has heard of it.
    yard.env.write("work/T1", "T1\n");
    yard.env.git(&["add", "work"]);
    let message = format!("T1: Thing 1\n\nWindlass-Run: {name}\nWindlass-Iteration: 1\nWindlass-Task: T1");
    yard.env.git(&["commit", "--quiet", "--message", &message]);
    let unheard = yard.env.git(&["rev-parse", "HEAD"]);
    yard.env.write("mine", "mine\n");
    yard.env.git(&["add", "mine"]);
    yard.env.git(&["commit", "--quiet", "--message", "Mine"]);
    let refused = yard.run(&["resume", &name]);
    let said = refused.stderr_text();
    assert!(said.contains("that the run does not know of, and went on without: T1: Thing 1"), "{said}");
    let takes_off = format!("git rebase --onto {unheard}^ {unheard}");
    assert!(said.contains(&takes_off), "{said}");
    let words: Vec<&str> = takes_off.split(' ').skip(1).collect();
    yard.env.git(&[&["-c", "advice.skippedCherryPicks=false"], words.as_slice()].concat());
    yard.let_agents_go_on();
    let resumed = yard.run(&["resume", &name]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(yard.landed(), ["T1", "T2"]);
    assert_eq!(yard.env.read("mine"), "mine\n");
    let of_first = yard.env.git(&["log", "--format=%(trailers:key=Windlass-Task,valueonly)"]);
    assert_eq!(of_first.lines().filter(|task| *task == "T1").count(), 1, "{of_first}");
    yard.assert_whole();
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

/// A fact that could follow the last one of a journal.
fn notice_after(journal: &[u8]) -> Vec<u8> {
    let last = String::from_utf8_lossy(journal).lines().last().unwrap().to_owned();
    let last: serde_json::Value = serde_json::from_str(&last).unwrap();
    let seq = last["seq"].as_u64().unwrap() + 1;
    let line = serde_json::json!({
        "seq": seq, "wall": last["wall"], "ms": last["ms"], "fact": "noticed", "text": "known here alone",
    });
    format!("{line}\n").into_bytes()
}

#[test]
fn what_a_power_cut_took_of_the_journal_is_in_the_fleet() {
    let yard = Yard::with_waiting_agents(Nats::one(), 2);
    let elsewhere = Elsewhere::of(&yard);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    let journal = the_journal(&yard.env.state());
    assert!(wait_until(PATIENCE, || elsewhere.knows_the_whole_journal()));
    run.signal(Signal::KILL);
    run.wait(PATIENCE);
    yard.let_agents_go_on();
    yard.wait_for_agents(0);
    let before = fs::read(&journal).unwrap();
    // The last facts are gone, and of the one before them half.
    fs::write(&journal, &before[..before.len() - 700]).unwrap();
    let resumed = yard.run(&["resume"]);
    resumed.expect_success(&resumed.stderr_text());
    let after = fs::read(&journal).unwrap();
    assert!(after.starts_with(&before), "what was decided is decided");
    assert_eq!(yard.landed(), ["T1", "T2"]);
    assert_eq!(yard.of_kind("call_finished").len(), 2, "no call is made or paid twice");
    yard.assert_whole();
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}
