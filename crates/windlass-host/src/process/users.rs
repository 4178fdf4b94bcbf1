//! Who is at work in a repository.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use super::entry;
use super::tree::{Process, all};

/// The namespace of processes in which all are seen, by the number that Linux gives it.
const ALL_PROCESSES: &str = "pid:[4026531836]";

/// Folders within each other that are looked through.
const DEEPEST: usize = 256;

/// Are all processes of this machine seen from here? Not from within a container.
pub fn sees_all_processes() -> bool {
    fs::read_link("/proc/self/ns/pid")
        .is_ok_and(|namespace| namespace.as_os_str() == OsStr::new(ALL_PROCESSES))
}

/// May a process of this user be at work in a repository: a git that is in one of these checkouts or folders, or is told to work
/// there, or any that has a file below `repository` open? Also where this system does not tell.
pub fn may_be_at_work(checkouts: &[PathBuf], repository: &[&Path]) -> bool {
    let processes = all();
    let own = rustix::process::getpid();
    if processes.iter().all(|process| process.id != own) {
        return true;
    }
    let folders = checkouts.iter().map(PathBuf::as_path).chain(repository.iter().copied());
    let folders = folders.filter_map(|folder| fs::metadata(folder).ok());
    let folders: Vec<Identity> = folders.map(|metadata| identity(&metadata)).collect();
    let others = processes.into_iter().filter(|process| process.id != own && !process.is_dead());
    let others = others
        .filter(|process| process.parent != own.as_raw_nonzero().get() || is_another_program(process.id));
    let mut ids = others.map(|process| process.id.as_raw_nonzero().get()).filter(|id| is_ours(*id));
    ids.any(|id| is_git_in(id, &folders) || has_open(id, repository))
}

/// The other processes of this user that have this file open.
pub fn that_have_open(file: &Path) -> Vec<Process> {
    let own = rustix::process::getpid();
    let mut found = all();
    found.retain(|process| {
        let id = process.id.as_raw_nonzero().get();
        process.id != own && !process.is_dead() && is_ours(id) && has_open(id, &[file])
    });
    found
}

/// A folder, whatever its name: in a container the same one has another.
type Identity = (u64, u64);

fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// Is it more than a copy of this process, which is about to become another program? Until then such a copy has everything
/// open that any of our threads had.
fn is_another_program(id: Pid) -> bool {
    let program = |of: &str| fs::metadata(format!("/proc/{of}/exe")).ok().map(|metadata| identity(&metadata));
    program(&id.as_raw_nonzero().to_string()) != program("self")
}

/// Of what others do nothing is ours, locks included.
fn is_ours(id: i32) -> bool {
    let user = rustix::process::getuid().as_raw();
    fs::metadata(format!("/proc/{id}")).is_ok_and(|metadata| metadata.uid() == user)
}

/// One that ends may not be looked into, and is at work nowhere.
fn is_alive(id: i32) -> bool {
    Pid::from_raw(id).and_then(Process::find).is_some_and(|process| !(process.is_dead() || process.is_ending))
}

fn is_git_in(id: i32, folders: &[Identity]) -> bool {
    let told = |name: &str| Pid::from_raw(id).and_then(|id| entry::read(id, name).ok()).unwrap_or_default();
    if !told("comm").starts_with(b"git") {
        return false;
    }
    let (arguments, variables) = (told("cmdline"), told("environ"));
    let options = places(&arguments, &[b"--git-dir=", b"--work-tree=", b"--git-dir\0", b"--work-tree\0"]);
    let places = options.chain(places(&variables, &[b"GIT_DIR=", b"GIT_WORK_TREE="]));
    // As the process finds them, from where it is and with what it takes for the root.
    let found = places.map(|place| match place.strip_prefix(b"/") {
        Some(below) => PathBuf::from(format!("/proc/{id}/root")).join(OsStr::from_bytes(below)),
        None => PathBuf::from(format!("/proc/{id}/cwd")).join(OsStr::from_bytes(place)),
    });
    let mut places = found.chain([PathBuf::from(format!("/proc/{id}/cwd"))]);
    // Of one that ends while it is looked at, the system says that it may not be looked at.
    places.any(|place| may_lie_in(place, folders)) && is_alive(id)
}

/// What follows these words in a list of words that end with zeros.
fn places<'a>(list: &'a [u8], introduced_by: &'a [&'a [u8]]) -> impl Iterator<Item = &'a [u8]> {
    let begins = (0..list.len()).filter(|at| *at == 0 || list.get(at - 1) == Some(&0));
    let rest = begins.filter_map(|at| list.get(at..));
    let value = |rest: &'a [u8]| introduced_by.iter().find_map(|word| rest.strip_prefix(*word));
    rest.filter_map(value).filter_map(|value| value.split(|byte| *byte == 0).next())
}

/// Is it one of these folders, or below one, or can that not be told? What is gone is nowhere.
fn may_lie_in(mut place: PathBuf, folders: &[Identity]) -> bool {
    let mut below = None;
    for _ in 0..DEEPEST {
        let here = match fs::metadata(&place) {
            Ok(metadata) => identity(&metadata),
            Err(error) => return error.kind() == ErrorKind::PermissionDenied,
        };
        if folders.contains(&here) {
            return true;
        }
        if below.replace(here) == Some(here) {
            return false;
        }
        place.push("..");
    }
    true
}

fn has_open(id: i32, folders: &[&Path]) -> bool {
    let files = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
    let mut targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    targets.any(|target| folders.iter().any(|folder| target.starts_with(folder)))
}
