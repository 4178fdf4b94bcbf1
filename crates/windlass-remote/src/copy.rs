//! A run that is driven on another machine, as this one follows it: a folder like that of any run, with what the fleet has of it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_engine::store::RunFolder;
use windlass_fleet::orders::RunFile;
use windlass_fleet::store::ContentId;
use windlass_fleet::{Deadline, Fleet};
use windlass_git::git::{ObjectId, Repository};
use windlass_host::file::{AtPath, FileError, create_private_folder, lock_within};
use windlass_host::note::Note;

use crate::brief::{Brief, LARGEST};
use crate::code::{CARRYING, bring_missing, scratch_in, scratch_of};
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

/// Brings what the fleet has of a run into its folder here, which is made where there is none. Nothing is brought where somebody goes
/// on with the run on this machine: its journal is theirs. That is asked while nobody else brings anything.
///
/// # Errors
/// The servers cannot be used, what they have is no run, or a file cannot be written.
pub fn bring(
    fleet: &Fleet,
    folder: &RunFolder,
    depth: Depth,
    goes_on_here: impl FnOnce() -> bool,
) -> Result<Brought, JournalError> {
    create_private_folder(folder.path())?;
    let _lock = lock(&folder.path().join(LOCK))?;
    if goes_on_here() {
        return Ok(Brought::Nothing);
    }
    let mut copied: Copied = note(folder).read()?.unwrap_or_default();
    fleet.settings().fleet.as_str().clone_into(&mut copied.fleet);
    // Before the journal: without a note the run would be taken for one of this machine.
    note(folder).write(&copied)?;
    let there = FleetJournal::read(fleet, folder.run())?;
    let brought = journal::put(&there, folder)?;
    if let Some(brief) = there.brief.filter(|brief| copied.brief.as_ref() != Some(brief)) {
        brief_of(fleet, folder, &brief)?.put(folder)?;
        copied.brief = Some(brief);
    }
    if depth == Depth::Files {
        let is_new = |(path, content): &(String, ContentId)| copied.files.get(path) != Some(content);
        let missing: Vec<RunFile> =
            there.files.into_iter().filter(is_new).map(|(path, content)| RunFile { path, content }).collect();
        run_files::take_in(fleet, folder, &missing)?;
        copied.files.extend(missing.into_iter().map(|file| (file.path, file.content)));
    }
    note(folder).write(&copied)?;
    Ok(brought)
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

/// What has to be known of the run.
fn brief_of(fleet: &Fleet, folder: &RunFolder, content: &ContentId) -> Result<Brief, JournalError> {
    let scratch = scratch_in(&scratch_of(folder))?;
    let file = scratch.path().join("brief");
    let files = windlass_fleet::store::Files::of(fleet, windlass_fleet::layout::Store::Code);
    files.get(content, &file, LARGEST, Deadline::after(CARRYING))?;
    Ok(Brief::read(&file)?)
}

fn lock(path: &Path) -> Result<File, FileError> {
    // outside: the state folder.
    let file = OpenOptions::new().create(true).append(true).open(path).at("open", path)?;
    if lock_within(&file, PATIENCE, PAUSE).at("lock", path)? {
        return Ok(file);
    }
    Err(std::io::Error::other("somebody else has it")).at("lock", path)
}
