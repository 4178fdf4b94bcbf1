//! What the runner makes of signals.

use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use rustix::process::Signal;
use windlass_host::process::signals;
use windlass_host::process::signals::suspend_self;

use crate::harness::say;
use crate::lane::{Role, eventually, signal, state};

pub const TESTS: &[(&str, fn())] = &[
    ("signals::each_has_its_meaning_and_none_ends_the_process", each_has_its_meaning),
    ("signals::ctrl_z_and_back", ctrl_z_and_back),
    ("signals::whoever_watches_no_more_has_no_thread", whoever_watches_no_more_has_no_thread),
];

/// The role of one who prints the signals it gets, and obeys Ctrl-Z.
pub const LISTENER: &str = "role-signals";

pub fn listen() -> ExitCode {
    let (tell, told) = channel();
    let _watch = signals::watch(move |signal| {
        let _ = tell.send(signal);
    })
    .unwrap();
    say("listening");
    for meaning in told {
        say(&format!("{meaning:?}"));
        if meaning == signals::Signal::Suspend {
            suspend_self().unwrap();
            say("back");
        }
    }
    ExitCode::SUCCESS
}

fn each_has_its_meaning() {
    let mut listener = Role::play(&[LISTENER], &[]);
    assert_eq!(listener.printed.line(), "listening");
    let cases = [
        (Signal::INT, "Interrupt"),
        (Signal::TERM, "Terminate"),
        (Signal::HUP, "HangUp"),
        (Signal::WINCH, "WindowChanged"),
        (Signal::CONT, "Resumed"),
    ];
    // The second time is as good as the first.
    for (raw, meaning) in cases.into_iter().chain(cases) {
        signal(listener.id(), raw);
        assert_eq!(listener.printed.line(), meaning);
    }
    signal(listener.id(), Signal::PIPE);
    // A write from the background, where the terminal forbids it: stopped, not ended.
    signal(listener.id(), Signal::TTOU);
    eventually("it is stopped", || (state(listener.id()) == Some('T')).then_some(()));
    signal(listener.id(), Signal::CONT);
    assert_eq!(listener.printed.line(), "Resumed");
}

fn ctrl_z_and_back() {
    let mut listener = Role::play(&[LISTENER], &[]);
    assert_eq!(listener.printed.line(), "listening");
    for _ in 0..3 {
        signal(listener.id(), Signal::TSTP);
        assert_eq!(listener.printed.line(), "Suspend");
        eventually("it is stopped", || (state(listener.id()) == Some('T')).then_some(()));
        signal(listener.id(), Signal::CONT);
        let mut lines = [listener.printed.line(), listener.printed.line()];
        lines.sort();
        assert_eq!(lines, ["Resumed", "back"]);
    }
}

fn whoever_watches_no_more_has_no_thread() {
    let (tell, told) = channel::<signals::Signal>();
    let watch = signals::watch(move |signal| {
        let _ = tell.send(signal);
    })
    .unwrap();
    assert_eq!(told.try_recv(), Err(TryRecvError::Empty));
    drop(watch);
    // The thread's end is that of what it would have called.
    assert_eq!(told.recv_timeout(Duration::from_secs(30)), Err(RecvTimeoutError::Disconnected));
}
