//! Containers end with whoever started them, whatever becomes of that.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use windlass_testkit::Running;
use windlass_testkit::environment::{descendants, wait_until};

use crate::engines::{Machine, PATIENCE, with_each};

/// Works for ever, with a child in a session of its own that hears nothing.
const FOREVER: &str = r#"
[[call]]
steps = [
  { ignore = ["DEAF-TO"] },
  { write = { path = "started.txt", text = "yes\n" } },
  { bash = { command = "setsid sh -c 'trap \"\" TERM HUP; sleep 600' & sleep 600" } },
]
"#;

/// Ends at once.
const SHORT: &str = r#"
[[call]]
steps = [ { write = { path = "second.txt", text = "yes\n" } }, { result = { text = "Fine." } } ]
"#;

/// "Within two seconds", and the time that an engine takes to look.
const CLEARED: Duration = Duration::from_secs(10);

// rows: 136
#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn a_killed_runner_leaves_no_container() {
    with_each(|machine| {
        let running = started(machine, "TERM");
        running.signal(Signal::KILL);
        assert!(wait_until(CLEARED, || machine.containers().is_empty()), "{:?}", machine.containers());
        assert_no_sleeper(machine);
        drop(running);
        // The directory is free again.
        let outcome = machine.run(SHORT, &["--fresh"]);
        assert_eq!(machine.env.read("second.txt"), "yes\n", "{}", outcome.stderr_text());
    });
}

#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn what_a_double_kill_leaves_is_ended_by_the_next_start() {
    with_each(|machine| {
        let running = started(machine, "TERM");
        // The keeper cannot clear up.
        let keepers: Vec<u32> = descendants(running.id()).into_iter().filter(|id| is_keeper(*id)).collect();
        assert!(!keepers.is_empty());
        for keeper in &keepers {
            signal(*keeper, Signal::STOP);
        }
        running.signal(Signal::KILL);
        for keeper in &keepers {
            signal(*keeper, Signal::KILL);
        }
        drop(running);
        let outcome = machine.run(SHORT, &["--fresh"]);
        assert_eq!(machine.env.read("second.txt"), "yes\n", "{}", outcome.stderr_text());
        assert_eq!(machine.containers(), Vec::<String>::new());
        assert_no_sleeper(machine);
    });
}

#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn sigterm_reaches_the_agent_inside_and_the_container_is_gone() {
    with_each(|machine| {
        let running = started(machine, "HUP");
        running.signal(Signal::TERM);
        let outcome = running.wait(PATIENCE);
        assert_eq!(outcome.code, Some(143), "{}", outcome.stderr_text());
        assert_eq!(machine.containers(), Vec::<String>::new());
        assert_no_sleeper(machine);
    });
}

fn started(machine: &Machine, deaf_to: &str) -> Running {
    let running = machine.start(&FOREVER.replace("DEAF-TO", deaf_to), &[]);
    let there = || machine.env.project().join("started.txt").exists();
    assert!(wait_until(PATIENCE, there), "{}", running.stderr_so_far());
    running
}

fn is_keeper(id: u32) -> bool {
    let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).contains("\0keeper\0")
}

fn signal(id: u32, signal: Signal) {
    let _ = kill_process(Pid::from_raw(i32::try_from(id).unwrap()).unwrap(), signal);
}

/// Processes of a container are this machine's processes.
fn assert_no_sleeper(machine: &Machine) {
    let mark = format!("{}", machine.env.root().display());
    let left = || {
        std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).starts_with("sleep\x00600")
                && String::from_utf8_lossy(&environment).contains(&mark)
        })
    };
    assert!(wait_until(CLEARED, || !left()), "something sleeps on");
}
