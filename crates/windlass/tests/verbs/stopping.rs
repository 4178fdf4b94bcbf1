//! `stop`, and runs that could go on.

use rustix::process::Signal;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, finished, go, start, told};

// rows: 73
#[test]
fn a_live_run_stops_after_its_iteration() {
    let env = TestEnv::with_git();
    let (mut running, run) = start(&env, "Patience", &[]);
    let said = told(&env, &["stop"]);
    assert!(said.starts_with(&format!("{run} will stop: the iteration under way ends first")), "{said}");
    assert!(said.contains(&format!("windlass resume {run}\n")), "{said}");
    assert!(told(&env, &["stop", &run[..5]]).contains("had been asked to stop already"));
    assert!(running.wait_for_stdout("\"stop_requested\"", PATIENCE));
    go(&env);
    let ended = running.wait(PATIENCE);
    let last = ended.json_lines().pop().unwrap();
    assert_eq!((&last["stop_reason"], &last["iterations"]), (&"stop_requested".into(), &1.into()));
    assert_eq!(env.read("work.txt"), "call 1\n");
}

// rows: 73
#[test]
fn what_does_not_run_cannot_be_stopped() {
    let env = TestEnv::with_git();
    let refused = |arguments: &[&str], sentence: &str, hint: &str| {
        let outcome = ask(&env, arguments);
        assert_eq!((outcome.code, outcome.stdout_text().as_str()), (Some(2), ""));
        assert_eq!(outcome.stderr_text(), format!("error: {sentence}\nhint:  {hint}\n"));
    };
    refused(&["stop"], "no run is running here: there is nothing to stop", "All runs: windlass runs");
    let ended = finished(&env, "First job", 1);
    let nothing = |run: &str| format!("run {run} is not running: there is nothing to stop");
    refused(&["stop", &ended], &nothing(&ended), &format!("How it ended: windlass status {ended}"));
    let (running, run) = start(&env, "Patience", &[]);
    refused(&["stop", &ended], &nothing(&ended), &format!("How it ended: windlass status {ended}"));
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    refused(&["stop"], "no run is running here: there is nothing to stop", "All runs: windlass runs");
    refused(&["stop", &run], &nothing(&run), &format!("It can go on: windlass resume {run}"));
}

// rows: 75
#[test]
fn a_job_with_an_unfinished_run_is_not_begun_again_by_accident() {
    let env = TestEnv::with_git();
    let (running, run) = start(&env, "Patience", &[]);
    // While it lives, the lock says so.
    let locked = ask(&env, &["run", "-p", "Patience", "--mock"]);
    assert_eq!(locked.code, Some(25));
    assert!(
        locked.stderr_text().starts_with(&format!("error: run {run} (process ")),
        "{}",
        locked.stderr_text()
    );
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);

    let refused = ask(&env, &["run", "-p", "Patience", "--mock", "-m", "1"]);
    assert_eq!((refused.code, refused.stdout_text().as_str()), (Some(2), ""));
    assert_eq!(
        refused.stderr_text(),
        format!(
            "error: there is an unfinished run of this job here: {run} (interrupted)\n\
             hint:  Go on with it: windlass resume {run}\n\
             hint:  Start anew: the same command with --fresh\n"
        )
    );
    let other = ask(&env, &["run", "-p", "Another goal", "--mock", "-m", "1"]);
    assert!(other.stdout_text().ends_with("stopped: max_iterations\n"), "{}", other.stderr_text());
    // Its limit ended that one: it cannot simply go on.
    let again = ask(&env, &["run", "-p", "Another goal", "--mock", "-m", "1"]);
    assert!(again.stdout_text().ends_with("stopped: max_iterations\n"), "{}", again.stderr_text());
    let fresh = ask(&env, &["run", "-p", "Patience", "--mock", "-m", "1", "--fresh"]);
    assert!(fresh.stdout_text().ends_with("stopped: max_iterations\n"), "{}", fresh.stderr_text());
    assert_eq!(told(&env, &["runs"]).lines().count(), 5);
}
