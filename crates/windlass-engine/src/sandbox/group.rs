//! Limits for all that runs inside together: control groups.
//!
//! A group is made below the nearest one above us in which this user may make groups that limit: below our own, or
//! beside it where a session manager has handed the folder over.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use windlass_core::spec::SandboxSpec;

/// Where the kernel shows what is mounted, and which groups are ours.
const MOUNTS: &str = "/proc/self/mountinfo";
const OWN: &str = "/proc/self/cgroup";

/// The window in which processor time is counted, in microseconds.
const PERIOD: u64 = 100_000;

/// What can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Limit {
    /// Memory.
    Memory,
    /// Processes at once.
    Processes,
    /// Processor time.
    Processors,
}

impl Limit {
    pub const ALL: [Limit; 3] = [Limit::Memory, Limit::Processes, Limit::Processors];

    /// The key that sets it.
    pub const fn key(self) -> &'static str {
        match self {
            Limit::Memory => "sandbox.memory",
            Limit::Processes => "sandbox.processes",
            Limit::Processors => "sandbox.processors",
        }
    }

    const fn controller(self) -> &'static str {
        match self {
            Limit::Memory => "memory",
            Limit::Processes => "pids",
            Limit::Processors => "cpu",
        }
    }

    /// The files that set it, in the two generations of control groups, and what is written to them.
    fn files(self, plan: &SandboxSpec, generation: Generation) -> Vec<(&'static str, String)> {
        match (self, generation) {
            (Limit::Memory, Generation::First) => {
                plan.memory.map(|bytes| ("memory.limit_in_bytes", bytes.to_string())).into_iter().collect()
            }
            (Limit::Memory, Generation::Second) => {
                plan.memory.map(|bytes| ("memory.max", bytes.to_string())).into_iter().collect()
            }
            (Limit::Processes, _) => {
                plan.processes.map(|number| ("pids.max", number.to_string())).into_iter().collect()
            }
            (Limit::Processors, generation) => {
                let Some(quota) = plan.millicpus.map(|millis| u64::from(millis) * PERIOD / 1000) else {
                    return Vec::new();
                };
                match generation {
                    Generation::First => {
                        vec![
                            ("cpu.cfs_period_us", PERIOD.to_string()),
                            ("cpu.cfs_quota_us", quota.to_string()),
                        ]
                    }
                    Generation::Second => vec![("cpu.max", format!("{quota} {PERIOD}"))],
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generation {
    First,
    Second,
}

/// A run's groups; gone when this is dropped, if nothing is in them any more.
#[derive(Debug, Default)]
pub(super) struct Group {
    folders: Vec<PathBuf>,
    /// The limits that hold.
    pub held: Vec<Limit>,
}

impl Group {
    /// Makes what this machine lets be made; what does not hold is missing in `held`.
    pub fn make(plan: &SandboxSpec, name: &str) -> Group {
        // outside: the kernel's control groups.
        let mounts = fs::read_to_string(MOUNTS).unwrap_or_default();
        // outside: the kernel's control groups.
        let own = fs::read_to_string(OWN).unwrap_or_default();
        let mut group = Group::default();
        for limit in Limit::ALL {
            let places = places(&mounts, &own, limit.controller());
            let made = places.iter().any(|(folder, generation)| {
                let files = limit.files(plan, *generation);
                !files.is_empty() && group.limit(folder, name, limit, *generation, &files).is_ok()
            });
            if made {
                group.held.push(limit);
            }
        }
        group
    }

    fn limit(
        &mut self,
        above: &Path,
        name: &str,
        limit: Limit,
        generation: Generation,
        files: &[(&str, String)],
    ) -> io::Result<()> {
        if generation == Generation::Second {
            // outside: the kernel's control groups.
            let passed_on = fs::read_to_string(above.join("cgroup.subtree_control"))?;
            if !passed_on.split_whitespace().any(|controller| controller == limit.controller()) {
                return Err(io::ErrorKind::Unsupported.into());
            }
        }
        // Whoever moves into it has to be let out of where it is.
        // outside: the kernel's control groups.
        OpenOptions::new().write(true).open(above.join("cgroup.procs"))?;
        let folder = above.join(name);
        // outside: the kernel's control groups.
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let written = files.iter().try_for_each(|(file, value)| {
            // outside: the kernel's control groups.
            OpenOptions::new().write(true).open(folder.join(file))?.write_all(value.as_bytes())
        });
        if !self.folders.contains(&folder) {
            if written.is_err() {
                // outside: the kernel's control groups.
                let _ = fs::remove_dir(&folder);
            } else {
                self.folders.push(folder);
            }
        }
        written
    }

    /// The files by which a process joins, by writing its own id.
    pub fn doors(&self) -> impl Iterator<Item = PathBuf> {
        self.folders.iter().map(|folder| folder.join("cgroup.procs"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in &self.folders {
            // What a killed run left in it keeps it; it limits nobody else.
            // outside: the kernel's control groups.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Folders below which a group for this controller could be made: our own group's, then those above it.
fn places(mounts: &str, own: &str, controller: &str) -> Vec<(PathBuf, Generation)> {
    let mut places = Vec::new();
    for line in own.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let generation = if controllers.is_empty() {
            Generation::Second
        } else if controllers.split(',').any(|known| known == controller) {
            Generation::First
        } else {
            continue;
        };
        let Some((root, mount)) = mount(mounts, generation, controller) else { continue };
        let below = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
        let ours = mount.join(below);
        // Where we see less of the groups than the kernel says, ours is the topmost that we see.
        // outside: the kernel's control groups.
        let ours = if ours.is_dir() { ours } else { mount.clone() };
        let above = ours.ancestors().take_while(|folder| folder.starts_with(&mount));
        places.extend(above.map(|folder| (folder.to_owned(), generation)));
    }
    places
}

/// Where groups with this controller are mounted: which part of them, and where.
fn mount(mounts: &str, generation: Generation, controller: &str) -> Option<(PathBuf, PathBuf)> {
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, folder) = (place.next()?, place.next()?);
        let mut kind = kind.split(' ');
        let (name, options) = (kind.next()?, kind.nth(1)?);
        let fits = match generation {
            Generation::First => name == "cgroup" && options.split(',').any(|option| option == controller),
            Generation::Second => name == "cgroup2",
        };
        fits.then(|| (root.into(), folder.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: &str = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn a_group_is_looked_for_from_our_own_upwards() {
        let own = "0::/user.slice/app.slice/x.scope\n";
        let found = places(SECOND, own, "pids");
        // None of these folders is here: the topmost is what is left.
        assert_eq!(found.last(), Some(&(PathBuf::from("/sys/fs/cgroup"), Generation::Second)));
        assert_eq!(places(SECOND, "4:memory:/a\n", "memory"), []);
        assert_eq!(places("", own, "pids"), []);
        assert_eq!(places("nonsense - x\n", "nonsense", "pids"), []);
        let first = "31 24 0:27 / /nowhere/memory rw - cgroup cgroup rw,memory\n";
        let expected = [(PathBuf::from("/nowhere/memory"), Generation::First)];
        assert_eq!(places(first, "5:cpu:/a\n4:pids,memory:/a\n", "memory"), expected);
        assert_eq!(places(first, "5:cpu:/a\n", "memory"), []);
    }

    #[test]
    fn limits_are_written_as_each_generation_reads_them() {
        let plan = SandboxSpec {
            memory: Some(1024),
            processes: Some(7),
            millicpus: Some(1500),
            ..SandboxSpec::default()
        };
        let files = |limit: Limit, generation| limit.files(&plan, generation);
        assert_eq!(files(Limit::Memory, Generation::Second), [("memory.max", "1024".to_owned())]);
        assert_eq!(files(Limit::Memory, Generation::First), [("memory.limit_in_bytes", "1024".to_owned())]);
        assert_eq!(files(Limit::Processes, Generation::First), [("pids.max", "7".to_owned())]);
        assert_eq!(files(Limit::Processors, Generation::Second), [("cpu.max", "150000 100000".to_owned())]);
        assert!(Limit::Memory.files(&SandboxSpec::default(), Generation::Second).is_empty());
        let keys = Limit::ALL.map(Limit::key);
        assert_eq!(keys, ["sandbox.memory", "sandbox.processes", "sandbox.processors"]);
    }
}
