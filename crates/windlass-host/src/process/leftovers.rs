//! What is left of a run whose runner and keeper died at the same moment.
//!
//! Everything a run starts has [`RUN_VARIABLE`] in its environment, unless it wiped it: such a process is found only
//! below another one that did not.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use windlass_core::values::RunId;

use super::RUN_VARIABLE;
use super::command::WAITING_VARIABLE;
use super::entry;
use super::tree::{Families, Process, all, kill_with_descendants, parse_environment};

/// How long [`end`] tries.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a process is asked for its environment that has none at this moment.
const ENVIRONMENT_LOOKS: u32 = 50;

/// How often a process has to have no environment before it is believed: the kernel says so, too, while it lays out that of a
/// new program.
const EMPTY_ENVIRONMENTS: u32 = 3;

/// Looks in a row that find nothing, before nothing is left: what is started while a look goes on, by a process that is gone
/// before its turn comes, is seen by the next one.
const EMPTY_LOOKS: u32 = 2;

/// Characters of a command line that are shown.
const SHOWN: usize = 200;

/// A process that a run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Its process id.
    pub pid: i32,
    /// Its command line, made printable, at most 200 characters.
    pub command: String,
}

/// Finds what is left of a run: this user's processes with its mark, and all below them. Never this process or one of
/// its ancestors.
pub fn find(run: &RunId) -> Vec<Leftover> {
    marked(&of_run(run)).into_iter().map(leftover).collect()
}

/// Kills what is left of a run, until nothing is left or 2 s are over; returns what could not be killed.
pub fn end(run: &RunId) -> Vec<Leftover> {
    end_marked(&of_run(run))
}

/// Kills the short commands that a process waited for which is gone.
pub(super) fn end_commands_of(waiting: Pid) {
    let _ = end_marked(&format!("{WAITING_VARIABLE}={}", waiting.as_raw_nonzero()));
}

fn of_run(run: &RunId) -> String {
    format!("{RUN_VARIABLE}={run}")
}

fn end_marked(mark: &str) -> Vec<Leftover> {
    let deadline = Instant::now() + PATIENCE;
    let mut pause = Duration::from_millis(1);
    let own = rustix::process::getpgrp().as_raw_nonzero().get();
    let mut empty_looks = 0;
    loop {
        let left = marked(mark);
        empty_looks = if left.is_empty() { empty_looks + 1 } else { 0 };
        if empty_looks == EMPTY_LOOKS || Instant::now() >= deadline {
            return left.into_iter().map(leftover).collect();
        }
        if left.is_empty() {
            continue;
        }
        kill_with_descendants(&Families::look(), left, |group| group == own);
        // They are not our children: nobody tells us of their end.
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn marked(mark: &str) -> Vec<Process> {
    let user = rustix::process::getuid().as_raw();
    let spared = own_line();
    let mut found = all();
    found.retain(|process| {
        !spared.contains(&process.id) && belongs_to(process.id, user) && carries(process.id, mark.as_bytes())
    });
    let mut found = Families::look().with_descendants(found, |_| {});
    found.retain(|process| !process.is_dead());
    found.sort_by_key(|process| process.id.as_raw_nonzero());
    found.dedup_by_key(|process| process.id);
    found
}

fn belongs_to(id: Pid, user: u32) -> bool {
    fs::metadata(format!("/proc/{}", id.as_raw_nonzero())).is_ok_and(|entry| entry.uid() == user)
}

fn carries(id: Pid, mark: &[u8]) -> bool {
    environment(id).split(|byte| *byte == 0).any(|entry| entry == mark)
}

/// A process that is just becoming another program has no environment for less than a millisecond: it is asked again, else
/// nobody would find it.
fn environment(id: Pid) -> Vec<u8> {
    let mut empty = 0;
    for _ in 0..ENVIRONMENT_LOOKS {
        let environment = entry::read(id, "environ").unwrap_or_default();
        if !environment.is_empty() || entry::program(id).is_err() {
            return environment;
        }
        empty += u32::from(has_no_environment(id));
        if empty == EMPTY_ENVIRONMENTS {
            return environment;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Vec::new()
}

fn has_no_environment(id: Pid) -> bool {
    entry::read(id, "stat").is_ok_and(|stat| parse_environment(&stat).is_some_and(|range| range.is_empty()))
}

/// This process and its ancestors.
fn own_line() -> Vec<Pid> {
    let own = Process::find(rustix::process::getpid());
    let parent = |process: &Process| Pid::from_raw(process.parent).and_then(Process::find);
    std::iter::successors(own, parent).map(|process| process.id).collect()
}

fn leftover(process: Process) -> Leftover {
    let pid = process.id.as_raw_nonzero().get();
    let line = entry::read(process.id, "cmdline").unwrap_or_default();
    let words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
    let printable = words.trim_end().chars().take(SHOWN).map(|c| if c.is_control() { '?' } else { c });
    Leftover { pid, command: printable.collect() }
}
