//! Families of processes, as `/proc` tells them.
//!
//! A process id alone says little: its owner may be gone and the number given away. So a [`Process`] knows when it
//! started, and signals go through a pidfd that was seen to belong to exactly that process.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::str::SplitAsciiWhitespace;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};

use super::entry;

/// The flags of what belongs to the kernel (`PF_KTHREAD` of `linux/sched.h`), and of what ends (`PF_EXITING`).
const OF_KERNEL: u64 = 0x0020_0000;
const ENDING: u64 = 0x0000_0004;

/// One process, as it was when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: Pid,
    /// Its parent's number.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// When it started, in clock ticks since boot: tells it from a later process of the same number.
    pub start: u64,
    /// What it is doing, as `/proc/<pid>/stat` writes it: `R`, `S`, `T`, `Z`, …
    pub state: u8,
    /// It belongs to the kernel, and is no program.
    pub of_kernel: bool,
    /// Its program has ended, and the kernel is clearing up after it: it changes nothing any more.
    pub is_ending: bool,
}

impl Process {
    /// The process of this number, if there is one (and a `/proc`).
    pub fn find(id: Pid) -> Option<Process> {
        parse_stat(&entry::read(id, "stat").ok()?)
    }

    /// Is it dead and only not yet reaped?
    pub const fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Has somebody stopped it?
    pub const fn is_stopped(&self) -> bool {
        self.state == b'T'
    }

    /// Lets it go on where somebody has stopped it.
    pub fn wake(&self) {
        if self.is_stopped() {
            let _ = self.signal(Signal::CONT);
        }
    }

    /// Asks it to end. When it is gone, nothing happens to whoever has its number now.
    pub fn terminate(&self) -> io::Result<()> {
        self.signal(Signal::TERM).map_err(io::Error::from)
    }

    /// Sends it a signal. When it is gone, nothing happens to whoever has its number now.
    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Errno> {
        let handle = match rustix::process::pidfd_open(self.id, PidfdFlags::empty()) {
            Ok(handle) => Some(handle),
            // Kernels before 5.3.
            Err(Errno::NOSYS) => None,
            Err(error) => return Err(error),
        };
        // The handle belongs to the number's present owner, whoever that is.
        if Process::find(self.id).is_none_or(|now| now.start != self.start) {
            return Err(Errno::SRCH);
        }
        match handle {
            Some(handle) => rustix::process::pidfd_send_signal(handle, signal),
            None => rustix::process::kill_process(self.id, signal),
        }
    }
}

/// Reads `/proc/<pid>/stat`. The name in it can hold anything, parentheses and line feeds too.
pub fn parse_stat(line: &[u8]) -> Option<Process> {
    let id = std::str::from_utf8(line.split(|byte| *byte == b' ').next()?).ok()?;
    let mut fields = fields_of_stat(line)?;
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    // The ninth field and the 22nd; the group was the fifth.
    let flags: u64 = fields.nth(3)?.parse().ok()?;
    let start = fields.nth(12)?.parse().ok()?;
    let (of_kernel, is_ending) = (flags & OF_KERNEL != 0, flags & ENDING != 0);
    Some(Process { id: Pid::from_raw(id.parse().ok()?)?, parent, group, start, state, of_kernel, is_ending })
}

/// Where a process's environment lies in its memory, by `/proc/<pid>/stat`; `None` where there is none that can be seen, and
/// while the kernel has not yet laid it out.
pub(crate) fn parse_environment(line: &[u8]) -> Option<Range<u64>> {
    // The 50th and the 51st field; the state was the third.
    let mut fields = fields_of_stat(line)?.skip(47);
    let range = fields.next()?.parse().ok()?..fields.next()?.parse().ok()?;
    (range.start != 0).then_some(range)
}

/// From the third field on: those after the name.
fn fields_of_stat(line: &[u8]) -> Option<SplitAsciiWhitespace<'_>> {
    let name_end = memchr::memrchr(b')', line)?;
    Some(std::str::from_utf8(line.get(name_end + 1..)?).ok()?.split_ascii_whitespace())
}

/// Who is whose child. Either asked of the kernel one by one, or read once for the whole machine.
pub(crate) enum Families {
    /// The kernel lists children for each thread: cheap, and fresh enough to catch what forks quickly.
    Asked,
    /// It does not (`CONFIG_PROC_CHILDREN`): children by parent.
    Read(HashMap<i32, Vec<Process>>),
}

impl Families {
    /// As this kernel allows.
    pub(crate) fn look() -> Families {
        if Path::new("/proc/thread-self/children").exists() { Families::Asked } else { Families::read() }
    }

    fn read() -> Families {
        let mut by_parent: HashMap<i32, Vec<Process>> = HashMap::new();
        for process in all() {
            by_parent.entry(process.parent).or_default().push(process);
        }
        Families::Read(by_parent)
    }

    /// The children of one process, dead ones that were not reaped included.
    pub(crate) fn children(&self, parent: Pid) -> Vec<Process> {
        match self {
            Families::Asked => ask_children(parent),
            Families::Read(by_parent) => {
                by_parent.get(&parent.as_raw_nonzero().get()).cloned().unwrap_or_default()
            }
        }
    }

    /// These and everything below them, parents before children. Each is shown as soon as it is found.
    pub(crate) fn with_descendants(
        &self,
        mut processes: Vec<Process>,
        mut on_found: impl FnMut(&Process),
    ) -> Vec<Process> {
        let mut next = 0;
        while let Some(process) = processes.get(next) {
            on_found(process);
            let children = self.children(process.id);
            processes.extend(children);
            next += 1;
        }
        processes
    }
}

/// Everything below this process. What comes or goes meanwhile may be missed: whoever needs certainty repeats.
pub(crate) fn descendants(root: Pid) -> Vec<Process> {
    let families = Families::look();
    families.with_descendants(families.children(root), |_| {})
}

/// Sends SIGKILL to these processes and everything below them, and to their process groups except for those that are
/// spared. One round: who was born meanwhile may be missed.
///
/// Each is killed as soon as it is found, with its whole group at once: a family that forks quickly would grow faster
/// than it can be listed. A group never reaches beyond its session, and no session can be joined from outside; so below
/// a keeper, which has a session of its own, no group holds a stranger.
pub(crate) fn kill_with_descendants(
    families: &Families,
    roots: Vec<Process>,
    is_spared: impl Fn(i32) -> bool,
) -> Vec<Process> {
    let mut groups = BTreeSet::new();
    families.with_descendants(roots, |process| {
        if !is_spared(process.group) && groups.insert(process.group) {
            let group = Pid::from_raw(process.group);
            let _ = group.map(|group| rustix::process::kill_process_group(group, Signal::KILL));
        }
        let _ = process.signal(Signal::KILL);
    })
}

/// All processes that can be seen and are programs.
pub(crate) fn all() -> Vec<Process> {
    let found = numbers_in(Path::new("/proc")).filter_map(Process::find);
    found.filter(|process| !process.of_kernel).collect()
}

fn ask_children(parent: Pid) -> Vec<Process> {
    let tasks = format!("/proc/{}/task", parent.as_raw_nonzero());
    let mut children = Vec::new();
    for thread in numbers_in(Path::new(&tasks)) {
        let Ok(list) = fs::read_to_string(format!("{tasks}/{}/children", thread.as_raw_nonzero())) else {
            continue;
        };
        let ids = list.split_ascii_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?));
        let found = ids.filter_map(Process::find);
        children.extend(found.filter(|child| child.parent == parent.as_raw_nonzero().get()));
    }
    children
}

fn numbers_in(folder: &Path) -> impl Iterator<Item = Pid> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = b"42 (a) b) S\n(1) S 7 42 42 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 2 3\n";
        let process = parse_stat(stat).unwrap();
        assert_eq!(process.id, Pid::from_raw(42).unwrap());
        assert_eq!((process.parent, process.group, process.start, process.state), (7, 42, 98765, b'S'));
        assert!(!process.of_kernel);
    }

    #[test]
    fn what_belongs_to_the_kernel_is_known_by_its_flags() {
        let stat = b"6 (kworker/R-kvfree_rcu_reclaim) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 0 -20 1 0 24 0 0";
        assert!(parse_stat(stat).is_some_and(|process| process.of_kernel));
        assert!(all().iter().any(|process| process.id == rustix::process::getpid()));
        assert!(all().iter().all(|process| !process.of_kernel));
    }

    #[test]
    fn a_program_that_has_ended_is_known_before_it_is_dead() {
        let stat = |flags: u64| format!("42 (git) R 1 2 3 4 5 {flags} 7 8 9 10 11 12 13 14 15 16 17 18 7 20");
        let ends = |flags| parse_stat(stat(flags).as_bytes()).unwrap().is_ending;
        assert!(ends(0x0040_0004));
        assert!(!ends(0x0040_0000));
    }

    #[test]
    fn whoever_waits_to_be_reaped_is_dead() {
        let stat = b"42 (x) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 7 20";
        assert!(parse_stat(stat).is_some_and(|process| process.is_dead()));
        assert!(Process::find(rustix::process::getpid()).is_some_and(|process| !process.is_dead()));
    }

    #[test]
    fn an_environment_lies_where_the_kernel_says() {
        let stat = |range: &str| format!("42 (x) S {} {range} 0", ["1"; 46].join(" "));
        assert_eq!(parse_environment(stat("100 160").as_bytes()), Some(100..160));
        assert_eq!(parse_environment(stat("100 100").as_bytes()).map(|none| none.is_empty()), Some(true));
        assert_eq!(parse_environment(stat("0 0").as_bytes()), None, "not yet laid out, or not to be seen");
        assert_eq!(parse_environment(b"42 (x) S 1 2"), None);
        let own = parse_environment(&fs::read("/proc/self/stat").unwrap()).unwrap();
        assert_eq!(
            usize::try_from(own.end - own.start).unwrap(),
            fs::read("/proc/self/environ").unwrap().len()
        );
    }

    #[test]
    fn a_torn_line_is_nobody() {
        let stat = b"42 (sh) S 7 42 42 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765";
        for length in 0..stat.len() - 5 {
            assert_eq!(parse_stat(&stat[..length]), None, "{length} bytes");
        }
    }

    #[test]
    fn both_ways_to_find_children_agree_on_us() {
        let own = rustix::process::getpid();
        let parent = rustix::process::getppid().unwrap();
        for families in [Families::look(), Families::read()] {
            let found = families.children(parent).into_iter().find(|process| process.id == own).unwrap();
            assert_eq!(Some(found.start), Process::find(own).map(|process| process.start));
            assert!(
                families
                    .with_descendants(vec![Process::find(parent).unwrap()], |_| {})
                    .contains(&found.clone())
            );
        }
    }

    #[test]
    fn another_process_of_the_same_number_gets_no_signal() {
        let mut earlier = Process::find(rustix::process::getpid()).unwrap();
        earlier.start -= 1;
        assert_eq!(earlier.signal(Signal::KILL), Err(Errno::SRCH));
        kill_with_descendants(&Families::look(), vec![earlier], |_| true);
    }
}
