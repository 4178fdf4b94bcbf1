//! A run that is driven on another machine, as this one follows it: a folder like that of any run, with what the fleet has of it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_engine::store::RunFolder;
use windlass_fleet::layout::Store;
use windlass_fleet::orders::RunFile;
use windlass_fleet::store::{ContentId, Files};
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_git::git::{ObjectId, Repository};
use windlass_host::file::{AtPath, FileError, create_private_folder, lock_within};
use windlass_host::note::Note;

use crate::brief::{Brief, LARGEST};
use crate::code::{CARRYING, CodeError, bring_missing, scratch_in, scratch_of};
use crate::journal::{self, Brought, FleetJournal, JournalError};
use crate::run_files;

/// Says that a run's folder is a copy, and of what.
const NOTE: &str = "copied.json";

/// Whoever brings anything into a copy holds this file.
const LOCK: &str = "copied.lock";

/// How long is waited for somebody else who brings something.
const PATIENCE: Duration = Duration::from_mins(2);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// What a copy has.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Copied {
    /// From which fleet.
    fleet: String,
    /// The run's texts.
    brief: Option<ContentId>,
    /// Its files.
    files: BTreeMap<String, ContentId>,
}

/// Which of a run's files are brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What was decided and what is known.
    Facts,
    /// Also what agents were told and said, and what checks printed.
    Files,
}

fn note(folder: &RunFolder) -> Note {
    Note::at(folder.path().join(NOTE))
}

/// The fleet that a run's folder is a copy from; `None` where the run is this machine's own.
pub fn copied_from(folder: &RunFolder) -> Option<String> {
    note(folder).read().ok().flatten().map(|copied: Copied| copied.fleet)
}

/// From now on the run is this machine's own.
pub fn adopt(folder: &RunFolder) {
    note(folder).remove();
}

/// Brings what the fleet has of a run into its folder here, which is made where there is none. The folder is a copy from then on, and
/// says so, unless the journal of this machine has all that the fleet has: then it is this machine's own run, and stays so. Nothing is
/// brought where somebody goes on with the run on this machine: its journal is theirs. That is asked while nobody else brings anything.
///
/// # Errors
/// The servers cannot be used, what they have is no run, or a file cannot be written.
pub fn bring(
    fleet: &Fleet,
    folder: &RunFolder,
    depth: Depth,
    goes_on_here: impl FnOnce() -> bool,
) -> Result<Brought, JournalError> {
    let there = FleetJournal::read(fleet, folder.run())?;
    create_private_folder(folder.path())?;
    let _lock = lock(&folder.path().join(LOCK))?;
    let note = note(folder);
    let copied: Option<Copied> = note.read()?;
    if goes_on_here() || copied.is_none() && journal::has_all_of(&there, folder)? {
        return Ok(Brought::Nothing);
    }
    let mut copied = copied.unwrap_or_default();
    fleet.settings().fleet.as_str().clone_into(&mut copied.fleet);
    // Before the journal: without a note the run would be taken for one that was driven here.
    note.write(&copied)?;
    let brought = journal::put(&there, folder)?;
    bring_texts(fleet, folder, there.brief, &mut copied)?;
    if depth == Depth::Files {
        bring_files(fleet, folder, there.files, &mut copied)?;
    }
    note.write(&copied)?;
    Ok(brought)
}

/// What has to be known of the run. What was kept for too long is gone, and the facts are there without it.
fn bring_texts(
    fleet: &Fleet,
    folder: &RunFolder,
    brief: Option<ContentId>,
    copied: &mut Copied,
) -> Result<(), JournalError> {
    if brief == copied.brief {
        return Ok(());
    }
    let Some(content) = &brief else { return Ok(()) };
    let scratch = scratch_in(&scratch_of(folder))?;
    let file = scratch.path().join("brief");
    match Files::of(fleet, Store::Code).get(content, &file, LARGEST, Deadline::after(CARRYING)) {
        Err(FleetError::NoSuchFile { .. }) => return Ok(()),
        brought => brought?,
    }
    Brief::read(&file)?.put(folder)?;
    copied.brief = brief;
    Ok(())
}

/// The files that are new, one after the other; those that are not kept any more are passed over.
fn bring_files(
    fleet: &Fleet,
    folder: &RunFolder,
    files: BTreeMap<String, ContentId>,
    copied: &mut Copied,
) -> Result<(), JournalError> {
    for (path, content) in files {
        if copied.files.get(&path) == Some(&content) {
            continue;
        }
        let file = RunFile { path, content };
        match run_files::take_in(fleet, folder, std::slice::from_ref(&file)) {
            Err(CodeError::Fleet(FleetError::NoSuchFile { .. })) => {}
            brought => brought?,
        }
        copied.files.insert(file.path, file.content);
    }
    Ok(())
}

/// Brings the commits that the run has landed, where the repository lacks them. Gives the last one; no branch is touched.
///
/// # Errors
/// The servers cannot be used, or what they have is not what it should be.
pub fn bring_landed(
    fleet: &Fleet,
    folder: &RunFolder,
    main: &Repository,
) -> Result<Option<ObjectId>, JournalError> {
    let there = FleetJournal::read(fleet, folder.run())?;
    Ok(bring_missing(fleet, main, &there.code, &scratch_of(folder))?)
}

fn lock(path: &Path) -> Result<File, FileError> {
    // outside: the state folder.
    let file = OpenOptions::new().create(true).append(true).open(path).at("open", path)?;
    if lock_within(&file, PATIENCE, PAUSE).at("lock", path)? {
        return Ok(file);
    }
    Err(std::io::Error::other("somebody else has it")).at("lock", path)
}
