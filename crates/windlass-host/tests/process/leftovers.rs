//! Runner and keeper die at the same moment.

use std::process::{Child, Command, ExitCode};

use rustix::process::{Pid, Signal};
use windlass_core::values::RunId;
use windlass_host::process::{RUN_VARIABLE, leftovers};

use crate::harness::say;
use crate::lane::{Role, eventually, marked, marker, signal, sleepers, state};
use crate::orphans::RUNNER;

pub const TESTS: &[(&str, fn())] = &[
    ("leftovers::a_double_kill_is_cleared_up_later", a_double_kill_is_cleared_up_later),
    ("leftovers::a_process_that_becomes_another_is_found", a_process_that_becomes_another_is_found),
    ("leftovers::nobody_finds_itself_or_its_ancestors", nobody_finds_itself_or_its_ancestors),
];

/// The role of one who looks for leftovers of a run.
pub const FINDER: &str = "role-finder";

pub fn print(run: &str) -> ExitCode {
    for leftover in leftovers::find(&RunId(run.to_owned())) {
        say(&format!("{} {}", leftover.pid, leftover.command));
    }
    say("end");
    ExitCode::SUCCESS
}

fn a_double_kill_is_cleared_up_later() {
    let marker = marker();
    let script = format!(
        "trap '' TERM HUP; sleep {marker} & setsid sleep {marker} & env -i setsid sleep {marker} & wait"
    );
    let mut runner = Role::play(&[RUNNER, &script, &marker], &[]);
    let keeper = Pid::from_raw(runner.printed.line().parse().unwrap()).unwrap();
    let sleeping = eventually("all sleep", || Some(sleepers(&marker)).filter(|found| found.len() == 3));
    // So that it cannot clear up.
    signal(keeper, Signal::STOP);
    let printed = runner.kill();
    signal(keeper, Signal::KILL);
    eventually("the keeper is gone", || matches!(state(keeper), None | Some('Z')).then_some(()));

    let run = RunId(format!("r-{marker}"));
    assert_eq!(leftovers::find(&RunId("r-another".to_owned())), []);
    let found = leftovers::find(&run);
    assert_eq!(found.len(), 4, "{found:?}");
    for sleeper in sleeping {
        let sleeper = found.iter().find(|leftover| leftover.pid.to_string() == sleeper.to_string());
        assert_eq!(sleeper.unwrap().command, format!("sleep {marker}"));
    }
    assert_eq!(leftovers::end(&run), []);
    assert_eq!(printed.rest(), "");
    assert_eq!(marked(&marker), []);
}

/// While it does, the kernel tells of no environment, or of a part.
fn a_process_that_becomes_another_is_found() {
    let marker = marker();
    let run = RunId(format!("r-{marker}"));
    let _becoming = Becoming::start(&run);
    eventually("it has begun", || (!leftovers::find(&run).is_empty()).then_some(()));
    for look in 0..500 {
        assert_eq!(leftovers::find(&run).len(), 1, "look {look}");
    }
    assert_eq!(leftovers::end(&run), []);
}

/// A process that becomes another program, over and over, until it is dropped.
struct Becoming(Child);

impl Becoming {
    #[expect(clippy::disallowed_methods, reason = "it is watched, and nobody's keeper may end it")]
    fn start(run: &RunId) -> Becoming {
        let script = r#"exec sh -c "$0" "$0""#;
        Becoming(Command::new("sh").args(["-c", script, script]).env(RUN_VARIABLE, &run.0).spawn().unwrap())
    }
}

impl Drop for Becoming {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn nobody_finds_itself_or_its_ancestors() {
    let run = marker();
    let mut finder = Role::play(&[FINDER, &run], &[(RUN_VARIABLE, &run)]);
    assert_eq!(finder.printed.line(), "end");
}
