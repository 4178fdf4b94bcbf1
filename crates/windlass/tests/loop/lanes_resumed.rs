//! A run with lanes that goes on while a person is changing files in the directory that its work lands in.

use std::fs;

use rustix::process::Signal;
use windlass_testkit::Running;

use super::night::{CLEARED, Night, PATIENCE, expect_end};
use super::pull_requests::said;
use super::tasks::{self, HONEST};

/// Two tasks, and a file that a person may be changing.
fn night(script: &str) -> Night {
    let night = tasks::night(&[(1, &[]), (2, &[])], script);
    night.env.write("a.txt", "committed\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "-m", "a file"]);
    night
}

/// It is refused while the file is changed, nothing is paid for, and it goes on once that is put away.
fn assert_waits_for_the_person(night: &Night) {
    fs::write(&night.script, HONEST).unwrap();
    night.env.write("a.txt", "half-finished\n");
    let called = night.calls().len();
    let outcome = night.resume(&["-m", "9"]);
    outcome.expect_code(2, &said(&outcome));
    let why = "what the lanes do cannot land over uncommitted changes: a.txt";
    assert!(said(&outcome).contains(why), "{}", said(&outcome));
    assert_eq!(night.calls().len(), called);
    night.env.git(&["stash", "--quiet"]);
    expect_end(&night.resume(&["-m", "9"]), 0, "complete");
    night.env.git(&["stash", "pop", "--quiet"]);
    assert_eq!(night.env.read("a.txt"), "half-finished\n");
}

// attack(money): a person changes a file while a run with lanes is cut off, and goes on with it
// holds: it is refused and names the file, before each task that changes that file is paid for and parked
#[test]
fn killed_lanes_do_not_go_on_over_uncommitted_changes() {
    let night = night("[[call]]\nsteps = [ { bash = \"touch $HOME/cut\" }, \"hang\" ]\n");
    let running = Running::start(&mut tasks::command(&night, &["-j", "2", "--gate", "true"]));
    night.wait_for_file(&night.env.home().join("cut").display().to_string());
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(CLEARED);
    assert_waits_for_the_person(&night);
}

#[test]
fn lanes_that_ended_at_a_limit_do_not_go_on_over_uncommitted_changes() {
    let night = night(HONEST);
    expect_end(&tasks::run(&night, &["-j", "2", "--gate", "true", "-m", "1"]), 10, "max_iterations");
    assert_waits_for_the_person(&night);
}
