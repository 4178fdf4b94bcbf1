//! Nothing is left, whatever an agent started and whoever is killed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use windlass_testkit::Running;
use windlass_testkit::environment::wait_until;

use super::place::{CLEARED, PATIENCE, Place, kinds, said};

/// An agent that leaves a process that gets away as far as it can.
const LEAVING: &str = r#"
[[call]]
steps = [
  { spawn = { setsid = true, ignore = ["TERM"], orphan = true, for = "60s", pid_file = "child" } },
  { bash = "setsid sh -c 'trap \"\" TERM; sleep 60' >/dev/null 2>&1 & touch second" },
  { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.01 } },
]
"#;

/// The same, and stays.
const STAYING: &str = r#"
[[call]]
steps = [
  { spawn = { setsid = true, ignore = ["TERM"], orphan = true, for = "60s", pid_file = "child" } },
  { sleep = "60s" },
]
"#;

#[test]
fn what_got_away_from_its_parents_is_gone_at_the_end() {
    for kind in kinds() {
        let place = Place::new(kind);
        let outcome = place.env.run(&mut place.command_of(LEAVING, &["-m", "1"]), PATIENCE);
        assert!(!outcome.timed_out, "{}", outcome.stdout_text());
        assert!(place.env.project().join("child").exists() && place.env.project().join("second").exists());
        place.env.assert_no_processes(CLEARED);
    }
}

#[test]
fn a_killed_runner_leaves_nothing_and_the_run_goes_on_in_its_sandbox() {
    for kind in kinds() {
        let place = Place::new(kind);
        let running = place.start(STAYING, &["-m", "1"]);
        let begun = wait_until(PATIENCE, || place.env.project().join("child").exists());
        assert!(begun, "{kind}: {}", running.stderr_so_far());
        running.signal(Signal::KILL);
        drop(running.wait(PATIENCE));
        place.env.assert_no_processes(CLEARED);

        place.env.write(place.env.root().join("script.toml"), LEAVING);
        let mut resume = place.env.command(env!("CARGO_BIN_EXE_windlass"));
        let outcome = place.env.run(resume.args(["resume", "-m", "2"]), PATIENCE);
        assert!(!outcome.timed_out && said(&outcome).contains(kind), "{}", said(&outcome));
        place.env.assert_no_processes(CLEARED);
    }
}

/// An agent that ends in an orderly way when it is asked to.
const ORDERLY: &str = r#"#!/bin/sh
case "$1" in
    --version) echo '2.1.330 (Claude Code)'; exit ;;
    auth) echo '{"loggedIn":true}'; exit ;;
esac
trap 'sleep 0.2; touch asked; exit 0' TERM
touch begun
sleep 60 & wait
"#;

#[test]
fn an_agent_is_asked_to_end_before_it_is_killed() {
    for kind in kinds() {
        let place = Place::new(kind);
        let agent = place.env.write(place.env.root().join("bin/claude"), ORDERLY);
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
        let place = place.set("WINDLASS_AGENT__COMMAND", agent.to_str().unwrap());
        let mut command = place.windlass(&["run", "-p", "Work", "--sandbox", kind, "-m", "1"]);
        let running = Running::start(&mut command);
        let begun = wait_until(PATIENCE, || place.env.project().join("begun").exists());
        assert!(begun, "{}", running.stderr_so_far());
        running.signal(Signal::TERM);
        let outcome = running.wait(PATIENCE);
        assert!(!outcome.timed_out);
        assert!(place.env.project().join("asked").exists(), "{kind}: {}", said(&outcome));
        place.env.assert_no_processes(CLEARED);
    }
}

#[test]
fn a_check_that_runs_too_long_is_ended_with_all_that_it_started() {
    for kind in kinds() {
        let place = Place::new(kind).set("WINDLASS_GATES__TIMEOUT", "1s");
        let slow = "setsid sleep 60 & sleep 60";
        let outcome = place.env.run(&mut place.command_of(LEAVING, &["-m", "1", "--gate", slow]), PATIENCE);
        assert!(!outcome.timed_out, "{}", outcome.stdout_text());
        place.env.assert_no_processes(CLEARED);
    }
}
