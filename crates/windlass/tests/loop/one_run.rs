//! One run per directory, whatever the state folder.

use windlass_core::fact::Fact;

use windlass_testkit::Running;

use super::night::{Night, PATIENCE, every_call, expect_end};

const WAIT: &str =
    "{ write = { path = 'begun', text = 'x' } }, { bash = 'while ! test -e go; do sleep 0.01; done' }";

// attack(endings): two runs in one directory that keep their state in different folders (WINDLASS_STATE_DIR)
// holds: the second is refused and says that another one works there; the tree is not touched for it
#[test]
fn a_second_state_folder_is_no_second_run() {
    for night in [Night::with_git(&every_call(WAIT)), Night::new(&every_call(WAIT))] {
        let running = night.start(&["-m", "1"]);
        night.wait_for_file("begun");
        let other = night.env.root().join("other state");
        let mut command = night.run_command(&["-m", "1"]);
        let refused = night.env.run(command.env("WINDLASS_STATE_DIR", &other), PATIENCE);
        refused.expect_code(25, "locked");
        let said = refused.stderr_text();
        assert!(said.contains("error: another run") && said.contains("keeps its state elsewhere"), "{said}");
        // A guest that tries to give the lock back, or to take it, gets nowhere; nothing of it lies in the tree.
        let taken = night.env.run(
            night.env.command("flock").args(["--nonblock", "--conflict-exit-code", "7", ".", "true"]),
            PATIENCE,
        );
        assert_eq!(taken.code, Some(7));
        night.env.write("go", "");
        running.wait(PATIENCE).expect_code(10, "the first");
        let mut command = night.run_command(&["-m", "1"]);
        night.env.run(command.env("WINDLASS_STATE_DIR", &other), PATIENCE).expect_code(10, "afterwards");
    }
}

// attack(endings): two runs in two folders of one checkout, or in a folder and in the one above it
// holds: the second is refused, says where the first works and how both can be at work; whose runner is killed keeps nobody out
#[test]
fn a_checkout_has_one_run_whatever_the_folders() {
    let places = |night: &Night| ["a", "b"].map(|name| night.env.project().join(name));
    for is_above in [false, true] {
        let night = Night::with_git(&every_call(
            "{ write = { path = 'begun', text = 'x' } }, { bash = 'test -e b/end || test -e ../b/end || sleep 60' }",
        ));
        night.env.write("a/file", "x");
        night.env.write("b/file", "x");
        let [first, second] = places(&night);
        let second = if is_above { night.env.project().to_owned() } else { second };
        let mut command = night.run_command(&["-m", "1"]);
        let running = Running::start(command.current_dir(&first));
        night.wait_for_file("a/begun");
        let mut command = night.run_command(&["-m", "1"]);
        let refused = night.env.run(command.current_dir(&second), PATIENCE);
        refused.expect_code(25, "locked");
        let said = refused.stderr_text();
        assert!(said.contains("/a, a folder of the same checkout: each would"), "{said}");
        assert!(said.contains("--worktree NAME") && said.contains("windlass stop r-"), "{said}");
        running.signal(rustix::process::Signal::KILL);
        night.env.write("b/end", "");
        let mut command = night.run_command(&["-m", "1", "--fresh"]);
        night.env.run(command.current_dir(&second), PATIENCE).expect_code(10, "the next");
        drop(running);
    }
}

// attack(endings): the runner of one state folder is killed with -9, and a run of another one begins at once
// holds: it begins only when nothing of the first run is alive any more
#[test]
fn what_a_killed_runner_left_still_has_the_directory() {
    let night = Night::with_git(&every_call(
        "{ write = { path = 'begun', text = 'x' } }, { bash = 'trap \"\" TERM; test -e again || sleep 60; true' }",
    ));
    let running = night.start(&["-m", "1"]);
    night.wait_for_file("begun");
    night.env.write("again", "");
    running.signal(rustix::process::Signal::KILL);
    let mut command = night.run_command(&["-m", "1"]);
    let other = night.env.root().join("other state");
    let outcome = night.env.run(command.env("WINDLASS_STATE_DIR", &other), PATIENCE);
    drop(running);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(outcome.code == Some(10) || said.contains("keeps its state elsewhere"), "{said}");
    night.env.assert_no_processes(super::night::CLEARED);
}

// attack(endings): a run works in another namespace of processes (a container), with the same files and the same state folder
// holds: to whom is outside it runs, can be stopped and is in nobody's way; no number of its processes is named to be killed
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_run_in_another_namespace_of_processes_is_alive() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped, because only root makes a namespace of processes");
        return;
    }
    let night = Night::with_git(&every_call(WAIT));
    let run = night.run_command(&["-m", "2"]);
    let mut unshared = night.env.command("unshare");
    unshared.args(["--pid", "--fork", "--mount-proc"]).arg(run.get_program()).args(run.get_args());
    let running = Running::start(&mut unshared);
    night.wait_for_file("begun");
    let name = night.folder().file_name().unwrap().to_str().unwrap().to_owned();
    let ask = |words: &[&str]| night.env.run(&mut night.windlass(words), PATIENCE);
    let status = ask(&["status"]);
    let runs = ask(&["runs"]);
    let json = ask(&["status", "--json"]);
    let other = night.run(&["--fresh"]);
    other.expect_code(25, "it is there");
    let resumed = ask(&["resume", &name]);
    resumed.expect_code(25, "it is there");
    let restored = ask(&["restore", &name, "1", "--before"]);
    assert_ne!(restored.code, Some(0), "its files are not taken from it");
    let stopped = ask(&["stop"]);
    stopped.expect_success("stop");
    for told in [&status, &runs, &json, &other, &resumed, &restored, &stopped] {
        let said = told.stdout_text() + &told.stderr_text();
        assert!(!said.contains("interrupted") && !said.contains("kill"), "{said}");
    }
    assert!(json.stdout_text().contains(r#""state":"running""#), "{}", json.stdout_text());
    assert!(
        status.stderr_text().contains("its process cannot be seen from here"),
        "{}",
        status.stderr_text()
    );
    night.wait_for_fact("the request", |fact| matches!(fact, Fact::StopRequested { .. }));
    night.env.write("go", "");
    expect_end(&running.wait(PATIENCE), 16, "stop_requested");
    assert!(!ask(&["status"]).stdout_text().contains("running"));
}

// attack(endings): exit codes are configured as `simple`, and what ends as a run would is not a run: a workspace without
//   instructions is run or edited, a run is started beside a live one
// holds: the configured codes count for every verb, and `--exit-codes` counts before them
#[test]
fn configured_exit_codes_are_those_of_every_verb() {
    let night = Night::new(&every_call("'hang'"));
    let ask = |words: &[&str]| night.env.run(&mut night.windlass(words), PATIENCE);
    ask(&["init", "api"]).expect_success("init");
    ask(&["run", "api"]).expect_code(2, "as usual");
    ask(&["edit", "api"]).expect_code(2, "as usual");
    let running = night.start(&[]);
    night.wait_for_fact("a call", |fact| matches!(fact, Fact::CallSpawned(_)));
    night.run(&["--fresh"]).expect_code(25, "as usual");
    ask(&["config", "set", "output.exit_codes", "simple"]).expect_success("config");
    ask(&["run", "api"]).expect_code(1, "run");
    ask(&["edit", "api"]).expect_code(1, "edit");
    ask(&["run", "api", "--exit-codes", "detailed"]).expect_code(2, "by flag");
    night.run(&["--fresh"]).expect_code(1, "run");
    night.run(&["--fresh", "--exit-codes", "detailed"]).expect_code(25, "by flag");
    let run = night.folder().file_name().unwrap().to_str().unwrap().to_owned();
    ask(&["resume", &run]).expect_code(1, "resume");
    ask(&["resume", &run, "--exit-codes", "detailed"]).expect_code(25, "by flag");
    running.signal(rustix::process::Signal::TERM);
    running.wait(PATIENCE).expect_code(143, "the run itself");
}

/// Whatever the run was begun with.
#[test]
fn a_resumed_run_ends_with_the_exit_codes_that_are_configured_now() {
    let night = Night::with_git(&every_call("{ bash = 'echo x >> work' }"));
    let resume = |more: &str, codes: Option<&str>, flags: &[&str]| {
        let mut command = night.windlass(&["resume", "--max-iterations", more]);
        let folder = night.folder();
        command.arg(folder.file_name().unwrap()).args(flags);
        command.envs(codes.map(|codes| ("WINDLASS_OUTPUT__EXIT_CODES", codes)));
        night.env.run(&mut command, PATIENCE)
    };
    night.run(&["-m", "1", "--exit-codes", "detailed"]).expect_code(10, "as it was begun");
    resume("2", Some("simple"), &[]).expect_code(0, "as it is configured");
    resume("3", None, &[]).expect_code(0, "as it was last");
    resume("4", Some("simple"), &["--exit-codes", "detailed"]).expect_code(10, "by flag");
}
