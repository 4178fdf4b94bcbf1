//! What well-behaved agents do not do: the scripted one does it on demand.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, getsid, kill_process, test_kill_process};

use super::{Place, answer};

fn pid(place: &Place, file: &str) -> Pid {
    Pid::from_raw(fs::read_to_string(place.work().join(file)).unwrap().parse().unwrap()).unwrap()
}

/// Reads until there is nothing more: whoever holds the other end is gone then.
fn read_to_end(mut source: impl Read) -> String {
    let mut text = String::new();
    source.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn it_exits_as_the_script_says_and_without_a_result() {
    let place = Place::new();
    for (steps, code) in [("{ exit = 3 }", 3), ("{ say = 'x' }, { exit = 0 }", 0)] {
        let answer = answer(&mut place.agent(steps));
        assert_eq!(answer.code, Some(code));
        assert!(!answer.stdout.contains("\"type\":\"result\""));
    }
}

#[test]
fn it_dies_of_a_signal_traps_it_or_ignores_it() {
    let place = Place::new();
    for (steps, code, signal) in [
        ("{ die = 'KILL' }", None, Some(9)),
        ("{ die = 'TERM' }", None, Some(15)),
        ("{ trap = { signal = 'TERM', exit = 143 } }, { die = 'TERM' }, { sleep = '10s' }", Some(143), None),
        (
            "{ ignore = ['TERM', 'INT', 'HUP'] }, { die = 'TERM' }, { die = 'INT' }, { die = 'HUP' }, { exit = 5 }",
            Some(5),
            None,
        ),
    ] {
        let status = place.agent(steps).stdout(Stdio::null()).status().unwrap();
        assert_eq!((status.code(), status.signal()), (code, signal), "{steps}");
    }
}

#[test]
fn it_closes_its_output_and_stays() {
    let place = Place::new();
    let mut child = place
        .agent("{ say = 'x' }, 'close_stdout', { say = 'y' }, 'hang'")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = read_to_end(child.stdout.take().unwrap());
    assert!(said.contains("\"text\":\"x\"") && !said.contains("\"text\":\"y\""));
    assert!(child.try_wait().unwrap().is_none(), "it has not stayed");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn it_leaves_a_child_in_a_session_of_its_own_that_ignores_term_and_holds_the_output() {
    let place = Place::new();
    let steps = "{ spawn = { setsid = true, ignore = ['TERM'], hold_stdout = true, for = '60s', pid_file = 'child' } }, { exit = 0 }";
    let mut agent = place.agent(steps).stdout(Stdio::piped()).spawn().unwrap();
    assert!(agent.wait().unwrap().success());
    let child = pid(&place, "child");
    assert_eq!(getsid(Some(child)).unwrap(), child);
    kill_process(child, Signal::TERM).unwrap();
    let output = agent.stdout.take().unwrap();
    let (told, ended) = mpsc::channel();
    thread::spawn(move || told.send(read_to_end(output)));
    // Neither did it die of TERM nor did the output end with the agent: both would end the pipe at once.
    assert!(ended.recv_timeout(Duration::from_millis(300)).is_err(), "nobody holds the output");
    kill_process(child, Signal::KILL).unwrap();
    assert!(ended.recv().unwrap().contains("\"subtype\":\"init\""));
}

#[test]
fn a_child_that_does_not_hold_the_output_lets_it_end() {
    let place = Place::new();
    let steps = "{ spawn = { orphan = true, for = '60s', pid_file = 'child', count = 2 } }, { exit = 0 }";
    let mut agent = place.agent(steps).stdout(Stdio::piped()).spawn().unwrap();
    read_to_end(agent.stdout.take().unwrap());
    assert!(agent.wait().unwrap().success());
    for file in ["child", "child.2"] {
        assert!(test_kill_process(pid(&place, file)).is_ok(), "{file} did not outlive the agent");
        kill_process(pid(&place, file), Signal::KILL).unwrap();
    }
}

#[test]
fn commands_can_have_a_session_of_their_own() {
    let place = Place::new();
    let steps = "{ bash = { command = 'ps -o sid= -p $$ > own; echo $$ > pid', setsid = true } }";
    assert_eq!(answer(&mut place.agent(steps)).code, Some(0));
    assert_eq!(place.read("own").trim(), place.read("pid").trim());
}
