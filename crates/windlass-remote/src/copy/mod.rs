//! A run that is driven on another machine, as this one follows it: a folder like that of any run, with what the fleet has of it.

mod ear;
pub mod register;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_engine::store::RunFolder;
use windlass_fleet::orders::{CodePart, RunFile};
use windlass_fleet::store::ContentId;
use windlass_fleet::{Fleet, FleetError};
use windlass_git::git::{ObjectId, Repository};
use windlass_host::file::{AtPath, FileError, create_private_folder, lock_within};
use windlass_host::note::Note;

use crate::brief::Brief;
use crate::code::{CodeError, bring_missing, large, scratch_of};
use crate::journal::{self, Brought, FleetJournal, JournalError, Standing};
use crate::run_files;
pub use ear::CopyEar;

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
    /// What was decided and what is known; and the files where somebody here follows the run.
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

/// Brings what a fleet has of a run, as it was read, into its folder here, which is made where there is none. The folder is a copy from then on, and
/// says so, unless the journal of this machine has all that the fleet has: then it is this machine's own run, and stays so. Nothing is
/// brought where somebody goes on with the run on this machine: its journal is theirs. That is asked while nobody else brings anything.
///
/// # Errors
/// The servers cannot be used, what they have is no run, or a file cannot be written.
pub fn bring(
    fleet: &Fleet,
    folder: &RunFolder,
    there: &FleetJournal,
    depth: Depth,
    goes_on_here: impl FnOnce() -> bool,
) -> Result<Brought, JournalError> {
    create_private_folder(folder.path())?;
    let _lock = lock(&folder.path().join(LOCK))?;
    let note = note(folder);
    let copied: Option<Copied> = note.read()?;
    let standing = journal::standing(there, folder)?;
    let is_own = copied.is_none() && matches!(standing, Standing::FleetLacks { .. });
    if is_own || goes_on_here() {
        return Ok(Brought::Nothing);
    }
    let mut copied = copied.unwrap_or_default();
    fleet.settings().fleet.as_str().clone_into(&mut copied.fleet);
    // Before the journal: without a note the run would be taken for one that was driven here.
    note.write(&copied)?;
    bring_texts(fleet, folder, there.brief.as_ref(), &mut copied)?;
    // Before the facts: whoever follows the run looks for what an agent said once, when its call has ended.
    if depth == Depth::Files || ear::is_heard(folder) {
        bring_files(fleet, folder, &there.files, &mut copied)?;
    }
    let brought = journal::put(there, folder, standing)?;
    note.write(&copied)?;
    Ok(brought)
}

/// What has to be known of the run. What was kept for too long is gone, and the facts are there without it.
fn bring_texts(
    fleet: &Fleet,
    folder: &RunFolder,
    brief: Option<&ContentId>,
    copied: &mut Copied,
) -> Result<(), JournalError> {
    let Some(content) = brief.filter(|brief| copied.brief.as_ref() != Some(*brief)) else { return Ok(()) };
    match Brief::bring(fleet, content, &scratch_of(folder)) {
        Err(JournalError::Fleet(FleetError::NoSuchFile { .. })) => return Ok(()),
        brought => brought?.put(folder)?,
    }
    copied.brief = Some(content.clone());
    Ok(())
}

/// The files that are new, one after the other; those that are not kept any more are passed over.
fn bring_files(
    fleet: &Fleet,
    folder: &RunFolder,
    files: &BTreeMap<String, ContentId>,
    copied: &mut Copied,
) -> Result<(), JournalError> {
    for (path, content) in files {
        if copied.files.get(path) == Some(content) {
            continue;
        }
        let file = RunFile { path: path.clone(), content: content.clone() };
        match run_files::take_in(fleet, folder, std::slice::from_ref(&file)) {
            Err(CodeError::Fleet(FleetError::NoSuchFile { .. })) => {}
            brought => brought?,
        }
        copied.files.insert(file.path, file.content);
    }
    Ok(())
}

/// Brings the commits that a run has landed, where the repository lacks them. Gives the last one; no branch is touched.
///
/// # Errors
/// The servers cannot be used, or what they have is not what it should be.
pub fn bring_landed(
    fleet: &Fleet,
    folder: &RunFolder,
    landed: &[CodePart],
    main: &Repository,
) -> Result<Option<ObjectId>, JournalError> {
    let tip = bring_missing(fleet, main, landed, &scratch_of(folder))?;
    if let Some(tip) = tip {
        large::bring_landed(fleet, main, tip)?;
    }
    Ok(tip)
}

fn lock(path: &Path) -> Result<File, FileError> {
    // outside: the state folder.
    let file = OpenOptions::new().create(true).append(true).open(path).at("open", path)?;
    if lock_within(&file, PATIENCE, PAUSE).at("lock", path)? {
        return Ok(file);
    }
    Err(std::io::Error::other("somebody else has it")).at("lock", path)
}
