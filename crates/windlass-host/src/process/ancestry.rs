//! Who started this process: a person, or something that windlass itself started.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use super::KEEPER_COMMAND;
use super::entry;
use super::tree::Process;

/// Where an environment, by its variables, keeps its state; `None` where that cannot be told.
pub type StateRoot = dyn Fn(&dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf>;

/// The windlass above this process that keeps its state in the same place, by its process id. What an agent starts is below
/// its keeper, whatever it did to its environment and however often it forked; what an interactive session starts is below
/// windlass itself. One whose place cannot be told counts as one of the same.
pub fn windlass_above(state: &Path, root: &StateRoot) -> Option<i32> {
    above(is_windlass, state, root)
}

/// The same of keepers alone: this was started by an agent, a check, a hook or a command of a run's, or by a worker that is
/// below one itself.
pub fn keeper_above(state: &Path, root: &StateRoot) -> Option<i32> {
    above(is_keeper, state, root)
}

fn above(is_meant: fn(Pid) -> bool, state: &Path, root: &StateRoot) -> Option<i32> {
    let parent = |process: &Process| Pid::from_raw(process.parent).and_then(Process::find);
    let own = Process::find(rustix::process::getpid())?;
    std::iter::successors(parent(&own), parent)
        .find(|process| is_meant(process.id) && keeps_state_in(process.id, state, root))
        .map(|process| process.id.as_raw_nonzero().get())
}

/// Is this a keeper, or a program of the name of this one?
pub(super) fn is_windlass(id: Pid) -> bool {
    let program = program_name(id);
    let is_ours = program.is_some_and(|program| {
        program == "windlass" || program_name(rustix::process::getpid()).is_some_and(|own| own == program)
    });
    is_ours || is_keeper(id)
}

fn is_keeper(id: Pid) -> bool {
    let line = entry::read(id, "cmdline").unwrap_or_default();
    line.split(|byte| *byte == 0).nth(1) == Some(KEEPER_COMMAND.as_bytes())
}

/// The name of a process's program, also where the file was replaced meanwhile.
fn program_name(id: Pid) -> Option<OsString> {
    let path = entry::program(id).ok()?;
    let name = path.file_name()?.as_bytes();
    let name = name.strip_suffix(b" (deleted)").unwrap_or(name);
    Some(OsStr::from_bytes(name).to_owned())
}

fn keeps_state_in(id: Pid, state: &Path, root: &StateRoot) -> bool {
    let Ok(environment) = entry::read(id, "environ") else { return true };
    let value = |name: &str| {
        let prefix = [name.as_bytes(), b"="].concat();
        let mut entries = environment.split(|byte| *byte == 0);
        entries.find_map(|entry| Some(OsStr::from_bytes(entry.strip_prefix(prefix.as_slice())?).to_owned()))
    };
    root(&value).is_none_or(|theirs| is_same_folder(&theirs, state))
}

/// By what they are, not by their names: a link or a mount makes no other folder of it.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    one == other || identity(one).is_some_and(|one| Some(one) == identity(other))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_to_a_folder_is_the_same_folder() {
        let place = tempfile::tempdir().unwrap();
        let [one, other, link, gone] = ["one", "other", "link", "gone"].map(|name| place.path().join(name));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        symlink(&one, &link).unwrap();
        assert!(is_same_folder(&one, &link));
        assert!(is_same_folder(&gone, &gone), "by its name alone");
        assert!(!is_same_folder(&one, &other));
        assert!(!is_same_folder(&gone, &one));
        assert!(!is_same_folder(&gone, &place.path().join("gone as well")));
    }
}
