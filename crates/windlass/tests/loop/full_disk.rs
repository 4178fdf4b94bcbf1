//! A disk without room: the run stops in an orderly way, its journal loads, and it goes on once there is room.

use windlass_core::fact::Fact;
use windlass_core::values::StopReason;

use super::night::{Night, PATIENCE, calls, every_call, expect_end};

#[test]
fn a_journal_that_finds_no_room_stops_the_run_in_an_orderly_way() {
    // Every place in a first iteration: before, within and after the call.
    for writes in 2..=11 {
        let night = Night::with_git(&every_call("{ bash = 'echo x >> work' }"));
        let fault = format!("full-after-write={writes}");
        let full = night.env.run(
            night.run_command(&["-m", "2", "--exit-codes", "detailed"]).env("WINDLASS_TEST_FAULT", &fault),
            PATIENCE,
        );
        expect_end(&full, 28, "disk_full");
        assert_eq!(night.ended(), StopReason::DiskFull, "{fault}");
        night.assert_clean();
        expect_end(&night.resume(&["--exit-codes", "detailed"]), 10, "max_iterations");
        let iterations =
            night.facts().iter().filter(|fact| matches!(fact, Fact::IterationFinished { .. })).count();
        assert_eq!(iterations, 2, "{fault}");
        night.assert_clean();
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_state_directory_that_is_really_full_is_survived() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped, because only root can mount a small disk");
        return;
    }
    let chatter = "{ bash = 'echo x >> work' }, { events = { count = 4000, size = 1000, kind = 'text' } }";
    let night = Night::with_git(&calls(&[chatter, "{ bash = 'echo x >> work' }"]));
    let run = night.run_command(&["-m", "2", "--exit-codes", "detailed"]);
    // The disk goes with its namespace, so all of it happens in there.
    let script = r#"
        mkdir -p "$WINDLASS_STATE_DIR" && mount -t tmpfs -o size=2m small "$WINDLASS_STATE_DIR" || exit 99
        "$@"; echo "first=$?"
        mount -o remount,size=64m "$WINDLASS_STATE_DIR"
        "$1" resume --exit-codes detailed; echo "second=$?"
        cat "$WINDLASS_STATE_DIR"/projects/*/runs/*/journal.jsonl
    "#;
    let mut unshared = night.env.command("unshare");
    unshared.args(["--mount", "sh", "-c", script, "sh"]).arg(run.get_program()).args(run.get_args());
    let outcome = night.env.run(&mut unshared, PATIENCE);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert_ne!(outcome.code, Some(99), "no small disk: {said}");
    for expected in ["first=28", "second=10", "stopped: disk_full", "stopped: max_iterations"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    night.env.assert_no_processes(super::night::CLEARED);
}

// attack(endings): the files of this shell may not become larger than some hundred kilobytes, and the agent prints more
// holds: neither runner nor keeper is ended by a signal; the run ends as `disk_full`, names the limit, and goes on without it
#[test]
fn a_limit_on_the_size_of_files_ends_the_run_in_words() {
    let night = Night::with_git(&calls(&["{ noise = 3000000 }", "{ bash = 'echo x >> work' }"]));
    let run = night.run_command(&["-m", "1", "--exit-codes", "detailed"]);
    let mut limited = night.env.command("sh");
    limited.args(["-c", "ulimit -f 600; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
    let outcome = night.env.run(&mut limited, PATIENCE);
    expect_end(&outcome, 28, "disk_full");
    let said = outcome.stdout_text();
    assert!(said.contains("a limit on the size of files (ulimit -f) is reached"), "{said}");
    night.assert_clean();
    expect_end(&night.resume(&["--exit-codes", "detailed"]), 10, "max_iterations");
}
