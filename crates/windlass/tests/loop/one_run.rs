//! One run per directory, whatever the state folder.

use super::night::{Night, PATIENCE, every_call};

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
