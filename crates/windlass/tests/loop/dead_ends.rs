//! What must not keep a run from ending, and what must not be said of a run that never began.

use std::fs;

use rustix::process::{Pid, Signal};
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Cost, StopReason};

use super::night::{CLEARED, Night, PATIENCE, calls, every_call, expect_end};

const WORK: &str = "{ bash = 'echo x >> work' }";

// attack(endings): the working directory is removed, or moved away, while an agent is at work: by the agent, or by somebody else
// holds: the run ends, says what it saw and blames nobody; ending, resume and report name one command, which brings all of it back
#[test]
fn a_working_tree_that_is_gone_ends_the_run() {
    for gone in [r#"rm -rf "$PWD""#, r#"mv "$PWD" "$PWD-moved""#] {
        let away = format!("{{ bash = {{ command = '{gone}', silent = true }} }}");
        let night = Night::with_git(&calls(&[WORK, &away, WORK]));
        let outcome = night.run(&["-m", "3", "--commit", "runner"]);
        expect_end(&outcome, 24, "needs_human");
        assert_eq!(night.ended(), StopReason::NeedsHuman);
        let said = outcome.stdout_text();
        let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
        let restore = format!("windlass restore {run} 2 --before --repository");
        assert!(said.contains("cannot be read: No such file or directory"), "{said}");
        assert!(!said.contains("destroyed") && !said.contains(" 1 --before"), "{said}");
        fs::create_dir(night.env.project()).unwrap();
        let resumed = night.resume(&[&run]);
        resumed.expect_code(24, "nothing is there");
        let report = night.env.run(&mut night.windlass(&["report", &run]), PATIENCE);
        for told in [said, resumed.stderr_text(), report.stdout_text()] {
            assert!(told.contains(&restore), "{told}");
        }
        let words: Vec<&str> = restore.split(' ').skip(1).collect();
        night.env.run(&mut night.windlass(&words), PATIENCE).expect_code(0, "restore");
        expect_end(&night.resume(&[&run]), 10, "max_iterations");
        assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "3");
    }
}

// attack(endings): the files that the runner may have open are used up while an agent is at work
// holds: the run ends, names the limit and what raises it, and blames neither the agent nor Windlass
#[test]
fn a_limit_on_open_files_ends_the_run_in_words() {
    let runner = r"$(ps -o ppid= -p $(ps -o ppid= -p $PPID))";
    let limited = format!("{{ bash = {{ command = 'prlimit --pid {runner} --nofile=3', silent = true }} }}");
    let night = Night::with_git(&calls(&[&format!("{WORK}, {limited}"), WORK]));
    let outcome = night.run(&["-m", "2"]);
    expect_end(&outcome, 24, "needs_human");
    let said = outcome.stdout_text();
    assert!(said.contains("the limit on open files (ulimit -n) is reached: raise it"), "{said}");
    assert!(!said.contains("destroyed") && !said.contains("report it"), "{said}");
    night.assert_clean();
    expect_end(&night.resume(&[]), 10, "max_iterations");
}

#[test]
fn a_call_whose_files_cannot_be_opened_costs_nothing_and_ends_the_run_and_can_be_resumed() {
    let block = r#"for run in "$WINDLASS_STATE_DIR"/projects/*/runs/r-*; do mkdir -p "$run/iterations/0002/1-work/stream.ndjson"; done"#;
    let first = format!("{WORK}, {{ bash = {{ command = '''{block}''', silent = true }} }}");
    let night = Night::with_git(&calls(&[&first, WORK]));
    expect_end(&night.run(&["-m", "3"]), 1, "internal");
    let last = night.calls().pop().unwrap();
    assert_eq!((last.cost, last.estimated), (Cost::ZERO, false));
    fs::remove_dir(night.folder().join("iterations/0002/1-work/stream.ndjson")).unwrap();
    expect_end(&night.resume(&[]), 10, "max_iterations");
    night.assert_clean();
}

#[test]
fn a_run_that_was_refused_does_not_look_like_one_that_was_killed() {
    let night = Night::with_git(&every_call(WORK));
    fs::write(night.env.project().join("mine"), "x").unwrap();
    night.run(&["--commit", "runner"]).expect_code(2, "a dirty tree");
    night.assert_clean();
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    assert!(
        !night
            .facts()
            .iter()
            .any(|fact| matches!(fact, Fact::Noticed(report::Noticed { text }) if text.contains("killed")))
    );
    let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    night.resume(&[&run]).expect_code(2, "an ended run");
    night.assert_clean();
}

#[test]
fn what_a_doubly_killed_run_left_at_work_is_ended_before_another_one_begins() {
    let night = Night::with_git(&every_call(WORK));
    let running =
        night.start(&["--gate", "test -e work || exit 1; touch gating; sleep 300", "--commit", "runner"]);
    night.wait_for_file("gating");
    // The keeper is windlass's only child; it dies first, or it would clear up at once.
    running.signal(Signal::STOP);
    let keepers = windlass_testkit::environment::descendants(running.id());
    let keeper = Pid::from_raw(i32::try_from(keepers[0]).unwrap()).unwrap();
    rustix::process::kill_process(keeper, Signal::KILL).unwrap();
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    assert!(!night.env.processes().is_empty(), "the gate did not outlive its keeper: this shows nothing");
    // No call was open, and it is not even the same run.
    night.run(&["-m", "1", "--fresh"]).expect_code(10, "the next run");
    night.env.assert_no_processes(CLEARED);
}
