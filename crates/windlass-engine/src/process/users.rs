//! Who is at work in a repository.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::tree::all;

/// The namespace of processes in which all are seen, by the number that Linux gives it.
const ALL_PROCESSES: &str = "pid:[4026531836]";

/// Are all processes of this machine seen from here? Not from within a container.
pub(crate) fn sees_all_processes() -> bool {
    fs::read_link("/proc/self/ns/pid")
        .is_ok_and(|namespace| namespace.as_os_str() == OsStr::new(ALL_PROCESSES))
}

/// Processes of this user that may be at work in a repository: git's own whose directory is below one of these checkouts or folders, which
/// name one of them, or of which that cannot be told, and any that has a file below `repository` open. `None` where this
/// system does not tell.
pub(crate) fn at_work(checkouts: &[PathBuf], repository: &[&Path]) -> Option<Vec<i32>> {
    let processes = all();
    let own = rustix::process::getpid();
    if processes.iter().all(|process| process.id != own) {
        return None;
    }
    let folders: Vec<&Path> =
        checkouts.iter().map(PathBuf::as_path).chain(repository.iter().copied()).collect();
    let others = processes.into_iter().filter(|process| process.id != own && !process.is_dead());
    let ids = others.map(|process| process.id.as_raw_nonzero().get()).filter(|id| is_ours(*id));
    Some(ids.filter(|id| is_git_in(*id, &folders) || has_open(*id, repository)).collect())
}

/// Of what others do nothing is ours, locks included.
fn is_ours(id: i32) -> bool {
    let user = rustix::process::getuid().as_raw();
    fs::metadata(format!("/proc/{id}")).is_ok_and(|metadata| metadata.uid() == user)
}

fn is_git_in(id: i32, folders: &[&Path]) -> bool {
    let told = |name: &str| fs::read(format!("/proc/{id}/{name}")).unwrap_or_default();
    if !told("comm").starts_with(b"git") {
        return false;
    }
    let named = |text: &[u8]| folders.iter().any(|folder| holds(text, folder.as_os_str().as_bytes()));
    match (linked(id, "ns/mnt"), fs::read_link("/proc/self/ns/mnt").ok(), linked(id, "cwd")) {
        // It is gone by now.
        (Linked::Gone, _, _) | (_, _, Linked::Gone) => false,
        (Linked::To(theirs), Some(ours), Linked::To(at)) => {
            // In a container the same folder has another name. And whoever is told where to work may be at work here.
            let elsewhere = theirs != ours;
            let within = folders.iter().any(|folder| at.starts_with(folder));
            let (arguments, variables) = (told("cmdline"), told("environ"));
            let is_told =
                ["--git-dir", "--work-tree"].iter().any(|option| holds(&arguments, option.as_bytes()))
                    || ["GIT_DIR=", "GIT_WORK_TREE="].iter().any(|name| holds(&variables, name.as_bytes()));
            elsewhere || within || is_told || named(&arguments)
        }
        _ => true,
    }
}

/// Where a link of a process leads.
enum Linked {
    To(PathBuf),
    Gone,
    Unknown,
}

fn linked(id: i32, name: &str) -> Linked {
    match fs::read_link(format!("/proc/{id}/{name}")) {
        Ok(path) => Linked::To(path),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Linked::Unknown,
        Err(_) => Linked::Gone,
    }
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && text.windows(part.len()).any(|window| window == part)
}

fn has_open(id: i32, folders: &[&Path]) -> bool {
    let files = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
    let mut targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    targets.any(|target| folders.iter().any(|folder| target.starts_with(folder)))
}
