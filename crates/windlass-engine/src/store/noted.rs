//! Which runs of a project may have a note of what steers git, Windlass and agents beside them: `noted/` holds a file of the
//! name of each, on the disk before the run's first note is. Every command begins by putting back what such a note says, and
//! there may be ten thousand runs.
//!
//! Where there is no such folder (it is of an older version, or somebody has removed it) every run is looked at.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use windlass_core::values::RunId;

use super::StoreError;
use super::error::Attempted as _;
use super::files::{entries_as, sync_folder, write_private};
use super::paths::Project;
use super::run_folder::{PREFIX, RunFolder, STEERING, id_of, is_id, runs_with};
use crate::sandbox::GUEST_AT_WORK;

/// The notes.
const NOTES: [&str; 2] = [STEERING, GUEST_AT_WORK];

/// Has a note written into the folder of a run, or of an interactive session; that is none of these.
pub(crate) fn write<E: From<StoreError>>(
    folder: &Path,
    note: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    announce(folder)?;
    note()?;
    // Whoever looked in between has found none.
    Ok(announce(folder)?)
}

fn announce(folder: &Path) -> Result<(), StoreError> {
    let run = folder.file_name().and_then(OsStr::to_str).filter(|name| is_id(name, PREFIX));
    let Some(run) = run else { return Ok(()) };
    let project = Project::around(folder);
    let noted = project.noted();
    let path = noted.join(run);
    if path.is_file() {
        return Ok(());
    }
    if !noted.is_dir() {
        make(&project)?;
    }
    write_private(&path, b"")?;
    sync_folder(&noted)
}

/// Makes the folder, which names from its first moment on all that have a note.
fn make(project: &Project) -> Result<(), StoreError> {
    let new = tempfile::Builder::new()
        .prefix(".noted-")
        .tempdir_in(project.path())
        .attempted("create a folder in", project.path())?;
    for run in runs_with(project, &NOTES)? {
        write_private(&new.path().join(run.0), b"")?;
    }
    sync_folder(new.path())?;
    match fs::rename(new.path(), project.noted()) {
        // Somebody else has made it meanwhile.
        Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => {
            Ok(())
        }
        renamed => renamed.attempted("create", &project.noted()),
    }?;
    sync_folder(project.path())
}

/// A project's runs that may have a note, in no order.
pub(crate) fn all(project: &Project) -> Result<Vec<RunId>, StoreError> {
    let noted = project.noted();
    if noted.is_dir() {
        entries_as(&noted, |entry| id_of(&entry, PREFIX))
    } else {
        runs_with(project, &NOTES)
    }
}

/// Nobody drives this run: if it has no note (any more), it need not be looked at again.
pub(crate) fn forget_without_notes(folder: &RunFolder) {
    if NOTES.iter().all(|note| !folder.path().join(note).exists()) {
        // Where it cannot be removed it is looked at again.
        let _ = fs::remove_file(Project::of_run(folder).noted().join(&folder.run().0));
    }
}
