use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn a_program_sees_the_environment_of_its_test_and_nothing_else() {
    let env = TestEnv::new();
    let outcome = env.run(&mut env.command("env"), PATIENCE);
    outcome.expect_success("env");
    let mut names: Vec<String> =
        outcome.stdout_text().lines().map(|line| line.split('=').next().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "GIT_CEILING_DIRECTORIES",
            "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG_NOSYSTEM",
            "HOME",
            "LANG",
            "PATH",
            "TERM",
            "TMPDIR",
            "WINDLASS_CONFIG_DIR",
            "WINDLASS_STATE_DIR"
        ]
    );
}

#[test]
fn a_git_project_has_one_commit_and_is_clean() {
    let env = TestEnv::with_git();
    assert_eq!(env.git(&["log", "--format=%s %an %ae"]), "Begin Tess Ter tess@example.com");
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    assert_eq!(env.git(&["branch", "--show-current"]), "main");
}

#[test]
fn a_project_may_have_any_name() {
    let env = TestEnv::with_project_named("a b\n⚓").git_initialised();
    assert_eq!(env.read("README.md"), "A project for a test.\n");
}

#[test]
fn a_program_that_takes_too_long_is_killed_with_all_it_started() {
    let env = TestEnv::new();
    let mut command = env.command("sh");
    command.args(["-c", "echo begun; trap '' TERM; setsid sleep 1000 & sleep 1000"]);
    let begun = Instant::now();
    let outcome = env.run(&mut command, Duration::from_millis(300));
    assert!(outcome.timed_out);
    assert_eq!(outcome.signal, Some(Signal::KILL.as_raw()));
    assert_eq!(outcome.stdout_text(), "begun\n");
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    env.assert_no_processes(PATIENCE);
}

#[test]
fn output_that_an_orphan_keeps_open_is_not_waited_for() {
    let env = TestEnv::new();
    let mut command = env.command("sh");
    command.args(["-c", "setsid sleep 1000 & echo left"]);
    let outcome = env.run(&mut command, PATIENCE);
    outcome.expect_success("sh");
    assert!(outcome.output_held);
    assert_eq!(outcome.stdout_text(), "left\n");
    assert_eq!(env.processes().len(), 1, "the orphan is found");
}

#[test]
fn what_a_test_leaves_ends_with_its_environment() {
    let env = TestEnv::new();
    let mut command = env.command("sh");
    command.args(["-c", "cd /; HOME=/nowhere setsid sleep 1000 >/dev/null 2>&1 & echo $!"]);
    let orphan: u32 = env.run(&mut command, PATIENCE).stdout_text().trim().parse().unwrap();
    assert!(is_alive(orphan));
    drop(env);
    assert!(wait_until(PATIENCE, || !is_alive(orphan)));
}

#[test]
fn input_reaches_the_program_and_signals_reach_it_alone() {
    let env = TestEnv::new();
    let input = vec![b'x'; 3 << 20];
    let outcome = Running::start_with_input(&mut env.command("cat"), input.clone()).wait(PATIENCE);
    assert_eq!(outcome.stdout, input);

    let mut running =
        Running::start(env.command("sh").args(["-c", "trap 'exit 7' TERM; echo up; while :; do :; done"]));
    assert!(running.wait_for_stdout("up", PATIENCE));
    running.signal(Signal::TERM);
    assert_eq!(running.wait(PATIENCE).code, Some(7));
}

#[test]
fn marked_processes_and_descendants_are_found() {
    let env = TestEnv::new();
    let mut command = env.command("sh");
    let running = Running::start(command.env("WINDLASS_RUN", "r-marked").args(["-c", "sleep 1000 & wait"]));
    let both = |found: Vec<u32>| found.len() == 1;
    assert!(wait_until(PATIENCE, || both(descendants(running.id()))));
    // A process has no environment for a moment while it becomes another program.
    assert!(wait_until(PATIENCE, || processes_marked("r-marked").len() == 2));
    assert_eq!(processes_marked("r-mark"), Vec::<u32>::new());
    drop(running);
    assert!(wait_until(PATIENCE, || processes_marked("r-marked").is_empty()));
}

#[test]
fn waiting_ends_with_the_condition_or_the_deadline() {
    let mut asked = 0;
    assert!(wait_until(PATIENCE, || {
        asked += 1;
        asked == 3
    }));
    assert!(!wait_until(Duration::from_millis(5), || false));
}
