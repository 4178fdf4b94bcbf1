//! The runner dies, or the keeper does: nothing is left.

use std::io;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use windlass_host::process::{
    Command, KeeperEvent, ProcessError, RUN_VARIABLE, adopt_and_kill, become_subreaper, reap_adopted,
};

use crate::harness::say;
use crate::lane::{Lane, PATIENCE, Role, eventually, marked, marker, shell, signal, sleepers, state};

pub const TESTS: &[(&str, fn())] = &[
    ("orphans::a_killed_runner_leaves_nothing", a_killed_runner_leaves_nothing),
    (
        "orphans::a_killed_runner_leaves_nothing_that_was_paused",
        a_killed_runner_leaves_nothing_that_was_paused,
    ),
    ("orphans::a_killed_keeper_leaves_nothing_and_nobody_else_is_hurt", a_killed_keeper_leaves_nothing),
    ("orphans::a_dead_keeper_is_told_of", a_dead_keeper_is_told_of),
    ("orphans::what_a_command_left_behind_is_reaped", what_a_command_left_behind_is_reaped),
];

/// The role of a runner: it has a keeper run the script and does nothing any more.
pub const RUNNER: &str = "role-runner";

/// Every way out that a process below the keeper may try: a group and a session of its own, two forks, no
/// environment, no ear for SIGTERM. The shell itself ends in an orderly way.
const EVERY_WAY_OUT: &str = "
    trap 'echo terminated; exit' TERM
    sleep MARKER &
    setsid sleep MARKER &
    (setsid sh -c 'sleep MARKER & exit' &)
    env -i setsid $(command -v sh) -c 'trap \"\" TERM HUP; sleep MARKER; :' &
    (env -i setsid $(command -v sh) -c 'sleep MARKER & exit' &)
    wait";

/// How many `sleep`s there are in it.
const WAYS: usize = 5;

pub fn run(script: &str, marker: &str) -> ExitCode {
    become_subreaper().unwrap();
    let lane = Lane::start();
    let (_, mut request) = shell(1, script);
    request.stdout = own_stdout();
    request.environment.push((RUN_VARIABLE.into(), format!("r-{marker}").into()));
    lane.keeper.spawn(request).unwrap();
    assert!(matches!(lane.event(), KeeperEvent::Spawned { .. }));
    say(&lane.keeper.pid().to_string());
    loop {
        std::thread::park();
    }
}

#[expect(clippy::disallowed_methods, reason = "whoever watches this role watches its output")]
fn own_stdout() -> std::os::fd::OwnedFd {
    io::stdout().as_fd().try_clone_to_owned().unwrap()
}

fn a_killed_runner_leaves_nothing() {
    let marker = marker();
    let mut runner = Role::play(&[RUNNER, &EVERY_WAY_OUT.replace("MARKER", &marker), &marker], &[]);
    let keeper = Pid::from_raw(runner.printed.line().parse().unwrap()).unwrap();
    eventually("all sleep", || (sleepers(&marker).len() == WAYS).then_some(()));

    let killed = Instant::now();
    let printed = runner.kill();
    // Every one of them holds this pipe: its end is the end of the last.
    assert_eq!(printed.rest(), "terminated\n", "asked first, then killed");
    assert!(killed.elapsed() < Duration::from_secs(2), "{:?}", killed.elapsed());
    assert_eq!(marked(&marker), []);
    eventually("the keeper is gone too", || matches!(state(keeper), None | Some('Z')).then_some(()));
}

fn a_killed_runner_leaves_nothing_that_was_paused() {
    let marker = marker();
    let mut runner = Role::play(&[RUNNER, &EVERY_WAY_OUT.replace("MARKER", &marker), &marker], &[]);
    runner.printed.line();
    let sleeping = eventually("all sleep", || Some(sleepers(&marker)).filter(|found| found.len() == WAYS));
    for sleeper in sleeping {
        signal(sleeper, Signal::STOP);
    }
    signal(runner.id(), Signal::STOP);
    let printed = runner.kill();
    printed.rest();
    assert_eq!(marked(&marker), []);
}

fn a_killed_keeper_leaves_nothing() {
    become_subreaper().unwrap();
    let (lost, spared) = (marker(), marker());
    let lane = Lane::start();
    let other = Lane::start();
    let (_, printed) = lane.run(1, &EVERY_WAY_OUT.replace("MARKER", &lost));
    let (bystander, _) = other.run(1, &format!("setsid sleep {spared} & exec sleep {spared}"));
    let folder = tempfile::tempdir().unwrap();
    let in_folder = |name| folder.path().join(name);
    let command = Command::new("sh")
        .argument("-c")
        .directory(folder.path())
        .argument("touch started; while [ ! -e go ]; do sleep 0.01; done; echo done");
    let command = std::thread::spawn(move || command.run().unwrap());
    eventually("the command runs", || in_folder("started").exists().then_some(()));
    let sleeping = eventually("all sleep", || Some(sleepers(&lost)).filter(|found| found.len() == WAYS));
    eventually("the bystanders sleep", || (sleepers(&spared).len() == 2).then_some(()));

    signal(Pid::from_raw(lane.keeper.pid()).unwrap(), Signal::KILL);
    assert_eq!(lane.event(), KeeperEvent::Died);
    assert_eq!(adopt_and_kill(), [] as [i32; 0]);
    printed.rest();
    assert_eq!(marked(&lost), []);
    assert!(sleeping.into_iter().all(|sleeper| state(sleeper).is_none()), "reaped as well");

    assert!(sleepers(&spared).contains(&bystander) && sleepers(&spared).len() == 2);
    std::fs::write(in_folder("go"), "").unwrap();
    assert_eq!(command.join().unwrap().stdout.text(), "done\n");
    other.kill_tree();
}

fn a_dead_keeper_is_told_of() {
    let lane = Lane::start();
    signal(Pid::from_raw(lane.keeper.pid()).unwrap(), Signal::KILL);
    assert_eq!(lane.event(), KeeperEvent::Died);
    assert!(matches!(lane.keeper.kill_tree(), Err(ProcessError::KeeperGone)));
    assert!(lane.events.recv_timeout(PATIENCE).is_err(), "nothing follows");
    let started = Instant::now();
    lane.keeper.close();
    assert!(started.elapsed() < Duration::from_secs(4), "there is nothing to wait for");
}

fn what_a_command_left_behind_is_reaped() {
    become_subreaper().unwrap();
    let lane = Lane::start();
    let left =
        Command::new("sh").argument("-c").argument("sleep 0.05 >/dev/null 2>&1 & echo $!").run().unwrap();
    let left = Pid::from_raw(left.stdout.text().trim().parse().unwrap()).unwrap();
    eventually("it fell to us and ended", || (state(left) == Some('Z')).then_some(()));
    reap_adopted();
    assert_eq!(state(left), None);
    assert_eq!(lane.output(1, "echo unharmed"), "unharmed\n");
}
