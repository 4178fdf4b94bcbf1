//! The server is killed at every call of the kernel by which an action leaves a trace: it is done once or not at all, and whoever asks
//! again is told.

use std::fs;
use std::process::{Command, Stdio};

use windlass_testkit::environment::{TestEnv, wait_until};

use super::acting::{Click, RAISE};
use super::{Answer, PATIENCE, Page, ask, eventually, facts, finished};

/// What leaves a trace on the disk, and what starts a program.
const TRACES: &str = "write,writev,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,clone,clone3,vfork";

/// More than an action makes.
const MOST: u32 = 60;

const RESTORE: &str = r#"{"do":"restore","iteration":1,"before":false}"#;

/// Has every thread of the server killed at its call of this number, from now on.
fn kill_at(env: &TestEnv, page: &Page, number: u32) -> std::process::Child {
    let server = page.running.as_ref().unwrap().id();
    let threads = fs::read_dir(format!("/proc/{server}/task")).unwrap();
    let threads: Vec<String> =
        threads.map(|thread| thread.unwrap().file_name().to_string_lossy().into_owned()).collect();
    let mut strace: Command = env.command("strace");
    // Threads that begin later as well, since any of them may do what is asked; and none of the programs that it starts.
    strace.args(["-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", &format!("trace={TRACES}")]);
    strace.args(["-e", &format!("inject={TRACES}:signal=KILL:when={number}"), "-p", &threads.join(",")]);
    let watching = strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let attached = || {
        threads.iter().all(|thread| {
            let status = fs::read_to_string(format!("/proc/{server}/task/{thread}/status"));
            status
                .unwrap_or_default()
                .lines()
                .any(|line| line.starts_with("TracerPid:") && !line.ends_with("\t0"))
        })
    };
    assert!(wait_until(PATIENCE, attached), "strace does not watch the server");
    watching
}

/// Asks, is killed at the call of this number, and asks again of another server; `None` where it was not killed.
fn asked_and_killed(env: &TestEnv, run: &str, action: &str, number: u32) -> Option<Answer> {
    let mut page = Page::serve(env, &["--actions"]);
    let click = Click::prepared(&page, run, action);
    let mut watching = kill_at(env, &page, number);
    let answered = click.on(&page);
    let was_killed = answered.status == 0;
    let _ = watching.kill();
    let _ = watching.wait();
    if !was_killed {
        return None;
    }
    page.kill();
    let page = Page::serve_at(env, &page.at.to_string(), &["--actions"]);
    Some(click.on(&page))
}

/// Kills at the first call, the second, and so on, until the action is over before; how often it was killed.
fn kill_everywhere(action: &str, done: impl Fn(&TestEnv)) -> u32 {
    for number in 1..MOST {
        let env = TestEnv::with_git();
        if !env.can_watch_system_calls() {
            return MOST;
        }
        let run = finished(&env, 2);
        let Some(again) = asked_and_killed(&env, &run, action, number) else { return number - 1 };
        // Done then, done now, begun and cut off, or refused since the run has moved by it.
        assert!([200, 409].contains(&again.status), "killed at call {number}: {}", again.body);
        eventually("nothing is at work", || {
            ask(&env, &["runs"]).stdout_text().matches("running").count() == 0
        });
        let asked = facts(&env, "action_asked").len();
        assert!(asked <= 1, "killed at call {number}: it is written down {asked} times");
        done(&env);
    }
    panic!("the action makes more than {MOST} calls");
}

// attack(page): the server is killed at each of its writes while it resumes a run, and the browser asks again
// holds: the run went on once or not at all
#[test]
fn a_run_goes_on_once_or_not_at_all_wherever_the_server_is_killed() {
    let action = RAISE.replace("\"3\"", "\"4\"");
    let killed = kill_everywhere(&action, |env| {
        let resumed = facts(env, "run_resumed").len();
        assert!(resumed <= 1, "{resumed} times");
        assert!(facts(env, "iteration_started").len() <= 4);
    });
    assert!(killed >= 5, "an action is written down, done and settled: {killed}");
}

// attack(page): the server is killed at each of its writes while it puts files back, and the browser asks again
// holds: the files are as they were or as they were asked for, and what is written down of it is whole
#[test]
fn files_are_put_back_once_or_not_at_all_wherever_the_server_is_killed() {
    let killed = kill_everywhere(RESTORE, |env| {
        let content = env.read("work.txt");
        assert!(["call 1\n", "call 2\n"].contains(&content.as_str()), "{content:?}");
        let told = ask(env, &["status"]);
        assert!(told.stderr_text().is_empty(), "the journal is read: {}", told.stderr_text());
    });
    assert!(killed >= 8, "an action is written down, journalled, done and settled: {killed}");
}
