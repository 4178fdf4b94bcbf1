//! Hooks as they were when the run started: a file that is changed while it goes on is not what was looked at.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use windlass_core::spec::RunSpec;
use windlass_core::values::{Hook, HookCommand, HookName, Named};

use crate::store::{RunFolder, StoreError, create_folder};
use windlass_host::file::digest;
use windlass_host::tree::at;

/// The largest file that can be a hook, in bytes: it is read whole, to know whether it has changed.
pub(super) const LARGEST_FILE: u64 = 64 * 1024 * 1024;

/// Keeps copies of a run's hook files in its folder, so that later changes apply to the next run.
pub fn keep(folder: &RunFolder, hooks: &[Hook]) -> Result<(), StoreError> {
    for hook in hooks {
        let HookCommand::File(path) = &hook.command else {
            continue;
        };
        let Some(bytes) = read(path) else {
            continue;
        };
        let copy = copy(folder, hook.name);
        copy.parent().map_or(Ok(()), create_folder)?;
        // outside: the run's folder.
        let mut options = OpenOptions::new();
        let file = options.create(true).write(true).truncate(true).mode(0o700).open(&copy);
        file.and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_data()))
            .map_err(|error| StoreError::io("write", &copy, error))?;
    }
    Ok(())
}

/// What is run for a hook: its own file while that is as it was, else the copy.
///
/// # Errors
/// One sentence: it has changed, and there is no copy.
pub(crate) fn program(plan: &RunSpec, folder: &RunFolder, hook: &Hook) -> Result<HookCommand, String> {
    let HookCommand::File(path) = &hook.command else {
        return Ok(hook.command.clone());
    };
    let known = plan.inputs.iter().find(|(input, _)| input == path).map(|(_, digest)| digest);
    let same = known.is_none_or(|known| read(path).is_some_and(|bytes| digest(&bytes) == *known));
    if same {
        return Ok(hook.command.clone());
    }
    let copy = copy(folder, hook.name);
    // outside: the run's folder.
    if copy.is_file() {
        return Ok(HookCommand::File(copy));
    }
    Err(format!("{} has changed since the run started", path.display()))
}

fn copy(folder: &RunFolder, hook: HookName) -> PathBuf {
    folder.path().join("hooks").join(hook.name())
}

/// A plain file's bytes; none of what is too large to be a hook.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    at(path).open().ok()?.take(LARGEST_FILE + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST_FILE).then_some(bytes)
}
