//! What lives: read from `/proc`.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

/// Every live process whose environment holds `WINDLASS_RUN` with this run's id: what a run started, its own keeper
/// included, however it detached itself.
pub fn processes_marked(run: &str) -> Vec<u32> {
    processes_with("WINDLASS_RUN", run.as_bytes())
}

/// Every live process that was started with `variable=value`. A zombie is not alive; nor is this process listed.
pub fn processes_with(variable: &str, value: &[u8]) -> Vec<u32> {
    let wanted = [variable.as_bytes(), b"=", value].concat();
    all()
        .filter(|&process| process != std::process::id())
        .filter(|&process| {
            let environment = fs::read(directory(process).join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|entry| entry == wanted)
        })
        .filter(|&process| is_alive(process))
        .collect()
}

/// Every live process, this one excepted, that works below `directory` or whose environment names it.
pub(super) fn processes_of(directory: &Path) -> Vec<u32> {
    let needle = directory.as_os_str().as_bytes();
    all()
        .filter(|&process| process != std::process::id())
        .filter(|&process| {
            let of = self::directory(process);
            let works_there = fs::read_link(of.join("cwd")).is_ok_and(|path| path.starts_with(directory));
            let environment = fs::read(of.join("environ")).unwrap_or_default();
            works_there || environment.windows(needle.len()).any(|part| part == needle)
        })
        .filter(|&process| is_alive(process))
        .collect()
}

/// The live children of `ancestor`, their children, and so on. What has been adopted by another process is no longer
/// among them: for that, see [`processes_with`].
pub fn descendants(ancestor: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> =
        all().filter_map(|process| Some((process, status(process)?.parent))).collect();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
        next += 1;
    }
    found.remove(0);
    found.retain(|&process| is_alive(process));
    found
}

/// Whether the process exists and is not a zombie.
pub fn is_alive(process: u32) -> bool {
    status(process).is_some_and(|status| !matches!(status.state, 'Z' | 'X'))
}

/// Number, state and command line, for a message about what should not be there.
pub(super) fn describe(process: u32) -> String {
    let state = status(process).map_or('?', |status| status.state);
    let command = fs::read(directory(process).join("cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    format!("{process} {state} {command}")
}

/// SIGKILL. It may be gone already.
pub(super) fn kill(process: u32) {
    if let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

struct Status {
    state: char,
    parent: u32,
}

/// From `/proc/PID/stat`; its second field, the name in parentheses, may itself hold anything.
fn status(process: u32) -> Option<Status> {
    let line = fs::read(directory(process).join("stat")).ok()?;
    let line = String::from_utf8_lossy(&line);
    let mut fields = line.rsplit_once(')')?.1.split_whitespace();
    Some(Status { state: fields.next()?.chars().next()?, parent: fields.next()?.parse().ok()? })
}

fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("/proc, which these tests read processes from");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn directory(process: u32) -> PathBuf {
    PathBuf::from("/proc").join(process.to_string())
}
