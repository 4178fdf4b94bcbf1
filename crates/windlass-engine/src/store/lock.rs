//! One run per working directory.
//!
//! The lock is the operating system's (`flock`), so it ends with the last process that holds the file open; what the
//! file says is for people and for telling a dead holder from a live one. The file is never deleted, so nobody can
//! lock a file that another has already replaced.
//!
//! The working directory itself is locked as well, so that runs that keep their state in different places (another
//! `WINDLASS_STATE_DIR`, another user, another container) exclude each other. Nothing is written there. A guest cannot take that
//! lock, since the run that started it has it, nor give it back, since it never gets the descriptor; and it does not outlive
//! the run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::process::Pid;
use serde::{Deserialize, Serialize};
use windlass_core::values::{RunId, path_text};
use windlass_host::file::is_locked;
use windlass_host::process::that_have_open;
use windlass_host::process::tree::Process;

use super::StoreError;
use super::error::Attempted as _;
use super::files::{entries, open_private, read_if_present};
use super::paths::{LOCK_PREFIX, Project};

/// How long to wait between two tries while a dead runner's keeper still cleans up.
const POLL: Duration = Duration::from_millis(20);
/// How long a holder may take from locking the file to writing its name.
const NAMELESS: Duration = Duration::from_millis(200);

/// Who holds, or held, a working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its run.
    pub run: RunId,
    /// Its process.
    pub pid: u32,
    /// When that process started, in clock ticks since the machine did (`/proc/<pid>/stat`); `None` without `/proc`.
    pub start_time: Option<u64>,
    /// In which namespace of processes these numbers hold, as Linux calls it: a container has one of its own. `None` where
    /// the system does not say, and in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The machine's name.
    pub host: String,
    /// When it took the lock.
    pub since: Timestamp,
    /// The working directory.
    #[serde(with = "path_text")]
    pub directory: PathBuf,
    /// The lock's file, where it was read from one.
    #[serde(skip)]
    file: Option<PathBuf>,
}

impl Holder {
    fn this_process(run: &RunId, directory: &Path) -> Holder {
        let pid = std::process::id();
        Holder {
            run: run.clone(),
            pid,
            start_time: process(pid).map(|process| process.start),
            namespace: namespace(),
            host: host_name(),
            since: Timestamp::now(),
            directory: directory.to_owned(),
            file: None,
        }
    }

    /// Does its process still run? One on another machine counts as alive: nothing can be known of it. One of another
    /// namespace (a container, or what is outside of ours) is alive while somebody has the lock.
    pub fn is_alive(&self) -> bool {
        if self.host != host_name() {
            return true;
        }
        if self.is_out_of_sight() {
            return self.file.as_deref().is_some_and(is_locked);
        }
        process(self.pid).is_some_and(|process| {
            !process.is_dead() && self.start_time.is_none_or(|start| start == process.start)
        })
    }

    /// Does its process have another number here, or none?
    pub fn is_out_of_sight(&self) -> bool {
        self.host != host_name() || self.namespace.is_some() && self.namespace != namespace()
    }

    /// Has somebody stopped its process (SIGSTOP, Ctrl-Z)? Nothing is known of one that is out of sight.
    pub fn is_stopped(&self) -> bool {
        self.seen().is_some_and(|process| process.is_stopped())
    }

    /// Its process, unless that is out of sight or gone.
    fn seen(&self) -> Option<Process> {
        let found = process(self.pid).filter(|_| !self.is_out_of_sight());
        found.filter(|process| self.start_time.is_none_or(|start| start == process.start))
    }

    /// `process 12`; of one that is out of sight that it is, since its number would be another's.
    pub fn process_in_words(&self) -> String {
        if self.is_out_of_sight() {
            "elsewhere: its process cannot be seen from here".to_owned()
        } else {
            format!("process {}", self.pid)
        }
    }

    /// Asks its process to end, as SIGTERM does; one that is stopped goes on for that. One that is out of sight cannot be asked.
    pub fn terminate(&self) -> std::io::Result<()> {
        let process = self.seen().ok_or(std::io::ErrorKind::NotFound)?;
        process.terminate()?;
        process.wake();
        Ok(())
    }
}

/// That of this process.
fn namespace() -> Option<String> {
    Some(fs::read_link("/proc/self/ns/pid").ok()?.to_string_lossy().into_owned())
}

fn process(pid: u32) -> Option<Process> {
    Process::find(Pid::from_raw(pid.try_into().ok()?)?)
}

/// What became of an attempt to take a lock.
#[derive(Debug)]
#[must_use]
pub enum Acquired {
    /// The working directory is ours.
    Taken(Lock),
    /// Another run has it.
    Held(HeldBy),
}

/// Why a lock could not be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// A run that goes on.
    Live(Holder),
    /// What a dead run's keeper has not cleaned up yet, and the processes that hold on to it.
    Leftovers(Holder, Vec<u32>),
    /// Somebody who has not written a name.
    Nameless,
    /// Somebody who keeps their state elsewhere: the process, where the system says so.
    Elsewhere(Option<u32>),
}

/// A working directory that is ours until [`release`](Lock::release).
///
/// Merely dropping it leaves the holder's name in the file, and the lock with whoever got the descriptor: that is what
/// a crash looks like, and the next run says so.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    /// The tree that the directory is of, locked; `None` where its file system locks no directories.
    place: Option<File>,
    /// Whom the file named although nobody held it: a run that ended without releasing it.
    pub replaced: Option<Holder>,
}

impl Lock {
    /// Takes the lock of a working directory, which must be canonical, for a run. While the holder that the file names
    /// is dead, but something it left behind still has the lock, tries again for as long as `patience`.
    pub fn acquire(
        project: &Project,
        directory: &Path,
        run: &RunId,
        patience: Duration,
    ) -> Result<Acquired, StoreError> {
        Lock::acquire_within(directory, project, directory, run, patience)
    }

    /// The same where the run has to have a whole tree to itself, such as the checkout that the directory is a folder of: what is kept,
    /// committed and undone is of all of it.
    pub fn acquire_within(
        tree: &Path,
        project: &Project,
        directory: &Path,
        run: &RunId,
        patience: Duration,
    ) -> Result<Acquired, StoreError> {
        project.create()?;
        let path = project.lock(directory);
        let began = Instant::now();
        let mut has_woken = false;
        loop {
            let file =
                open_private(OpenOptions::new().create(true).truncate(false).read(true).append(true), &path)
                    .attempted("open", &path)?;
            let taken = match file.try_lock() {
                Ok(()) => Some(lock_place(tree)),
                Err(TryLockError::WouldBlock) => None,
                Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", &path, error)),
            };
            let (mut held, wait) = match taken {
                Some(Ok(place)) => {
                    let holder = Holder::this_process(run, directory);
                    return Lock::take(file, path, place, &holder).map(Acquired::Taken);
                }
                Some(Err(PlaceIsHeld(by))) => by_tree(project, &path, by, patience)?,
                None => by_file(&path, patience)?,
            };
            if let HeldBy::Leftovers(holder, keepers) = &mut held
                && (!has_woken || began.elapsed() >= wait)
            {
                has_woken = true;
                // A keeper that somebody stopped would clean up nothing.
                let open = that_have_open(holder.file.as_deref().unwrap_or(&path));
                let woken = open.into_iter().inspect(Process::wake);
                *keepers =
                    woken.filter_map(|process| process.id.as_raw_nonzero().get().try_into().ok()).collect();
            }
            if began.elapsed() >= wait {
                return Ok(Acquired::Held(held));
            }
            std::thread::sleep(POLL);
        }
    }

    fn take(mut file: File, path: PathBuf, place: Option<File>, holder: &Holder) -> Result<Lock, StoreError> {
        let replaced = read_holder(&path)?;
        let mut line = serde_json::to_vec(holder)
            .map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
        line.push(b'\n');
        file.set_len(0).and_then(|()| file.write_all(&line)).attempted("write", &path)?;
        Ok(Lock { file, path, place, replaced })
    }

    /// Gives the working directory back, in every process that got the descriptor.
    pub fn release(self) -> Result<(), StoreError> {
        self.file.set_len(0).and_then(|()| self.file.unlock()).attempted("unlock", &self.path)?;
        self.place.as_ref().map_or(Ok(()), File::unlock).attempted("unlock", &self.path)
    }

    /// What a process has to inherit to keep the lock for as long as it lives.
    pub fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        std::iter::once(self.file.as_fd()).chain(self.place.as_ref().map(AsFd::as_fd)).collect()
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Who has the lock's file, and how long they are waited for.
fn by_file(path: &Path, patience: Duration) -> Result<(HeldBy, Duration), StoreError> {
    Ok(match read_holder(path)? {
        // Whoever only looks whether it is held has it for a moment.
        Some(holder) if holder.is_alive() => {
            let wait = if holder.is_out_of_sight() { NAMELESS } else { Duration::ZERO };
            (HeldBy::Live(holder), wait)
        }
        Some(holder) => (HeldBy::Leftovers(holder, Vec::new()), patience),
        None => (HeldBy::Nameless, NAMELESS.max(patience)),
    })
}

/// The same of the tree: whoever works in another folder of it, or keeps their state elsewhere.
fn by_tree(
    project: &Project,
    path: &Path,
    by: Option<u32>,
    patience: Duration,
) -> Result<(HeldBy, Duration), StoreError> {
    let named = holders(project)?.into_iter().find(|holder| Some(holder.pid) == by);
    Ok(match named.filter(|holder| !holder.is_out_of_sight()) {
        Some(holder) if holder.is_alive() => (HeldBy::Live(holder), NAMELESS),
        Some(holder) => (HeldBy::Leftovers(holder, Vec::new()), patience),
        // What a dead runner left holds one of the two, or both; or somebody else has come between.
        None if read_holder(path)?.is_some_and(|holder| !holder.is_alive()) => {
            (HeldBy::Elsewhere(by), patience)
        }
        None => (HeldBy::Elsewhere(by), NAMELESS),
    })
}

/// Somebody else has locked the tree: the process, where the system says so.
struct PlaceIsHeld(Option<u32>);

/// Locks a tree's top folder, where its file system can.
fn lock_place(top: &Path) -> Result<Option<File>, PlaceIsHeld> {
    let Ok(place) = File::open(top) else {
        // Whoever works there says what is wrong with it.
        return Ok(None);
    };
    match place.try_lock() {
        Ok(()) => Ok(Some(place)),
        Err(TryLockError::WouldBlock) => Err(PlaceIsHeld(holder_of(&place))),
        // Network file systems want a file that can be written.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Which process of this machine has locked this directory, as far as it shows here.
pub(super) fn holder_of(place: &File) -> Option<u32> {
    let inode = place.metadata().ok()?.ino().to_string();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let mut found = locks.lines().filter_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let (kind, pid, at) = (fields.next()?, fields.nth(2)?, fields.next()?);
        (kind == "FLOCK" && at.rsplit(':').next() == Some(inode.as_str())).then(|| pid.parse().ok())?
    });
    found.next().filter(|pid: &u32| *pid != 0)
}

/// Who took the lock of a working directory (canonical) and has not given it back, without touching the lock. Ask
/// [`Holder::is_alive`] whether it is a run or what is left of one.
pub fn holder(project: &Project, directory: &Path) -> Result<Option<Holder>, StoreError> {
    read_holder(&project.lock(directory))
}

/// Who took the lock of any working directory of a project and has not given it back.
pub fn holders(project: &Project) -> Result<Vec<Holder>, StoreError> {
    let folder = project.path();
    let mut holders = Vec::new();
    for entry in entries(folder)? {
        if entry.file_name().as_encoded_bytes().starts_with(LOCK_PREFIX.as_bytes()) {
            holders.extend(read_holder(&entry.path())?);
        }
    }
    Ok(holders)
}

/// Takes the budget of a job, named by `key`, for as long as the file is open; `None` where another process has it. The file is never
/// deleted, for the reason that a directory's is not.
pub fn hold_budget(project: &Project, key: &str) -> Result<Option<File>, StoreError> {
    project.create()?;
    let path = project.path().join(format!("budget-{key}.lock"));
    let file = open_private(OpenOptions::new().create(true).append(true), &path).attempted("open", &path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &path, error)),
    }
}

/// What is not the name of a holder (half a line, since it is being written) is none.
fn read_holder(path: &Path) -> Result<Option<Holder>, StoreError> {
    let holder: Option<Holder> = read_if_present(path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(holder.map(|holder| Holder { file: Some(path.to_owned()), ..holder }))
}

fn host_name() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").map(|name| name.trim_end().to_owned()).unwrap_or_default()
}
