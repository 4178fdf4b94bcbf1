//! The branch's commits on their way to workers: each tip once, as what it has beyond the tips before it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_engine::store::RunFolder;
use windlass_fleet::layout::Store;
use windlass_fleet::orders::CodePart;
use windlass_fleet::store::{ContentId, Files};
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_git::git::{GitError, ObjectId, Repository};
use windlass_git::lane::{LaneError, MirrorError};
use windlass_git::parcel::{self, Limits, ParcelError};
use windlass_host::file::{AtPath, FileError};

/// The largest pack that travels, in bytes.
const LARGEST_PACK: u64 = 2 * 1024 * 1024 * 1024;

/// What one is called in a folder of its own.
const PACK: &str = "pack";

/// So many objects has one at most.
const MOST_OBJECTS: u64 = 20_000_000;

/// How long a pack may take on its way.
pub(crate) const CARRYING: Duration = Duration::from_mins(10);

/// So many parts are named in an order. Beyond that all of it is packed anew, as one.
const MOST_PARTS: usize = 64;

/// Code that cannot be sent or taken in.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The servers.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A lane.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// A lane of another machine.
    #[error(transparent)]
    Mirror(#[from] MirrorError),
    /// What came is not what was expected.
    #[error(transparent)]
    Parcel(#[from] ParcelError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What a stranger's pack may be.
pub(crate) fn limits() -> Limits {
    Limits { bytes: LARGEST_PACK, objects: MOST_OBJECTS }
}

/// A name of a commit as git has it; `None` for what is none.
pub(crate) fn commit(text: &str) -> Option<ObjectId> {
    ObjectId::from_hex(text.as_bytes())
}

/// The tips that workers were given.
#[derive(Debug, Default)]
pub(crate) struct CodeChain {
    parts: Vec<CodePart>,
}

impl CodeChain {
    /// All that whoever has nothing needs to have this tip, which is the last one. What is not stored yet is.
    pub fn up_to(
        &mut self,
        fleet: &Fleet,
        main: &Repository,
        tip: ObjectId,
        scratch: &Path,
    ) -> Result<Vec<CodePart>, CodeError> {
        let name = tip.to_string();
        if let Some(at) = self.parts.iter().position(|part| part.commit == name) {
            // A branch that was put back has a tip that was sent before: what came after it does no harm and is left out.
            return Ok(self.parts.get(..=at).unwrap_or(&self.parts).to_vec());
        }
        if self.parts.len() >= MOST_PARTS {
            self.parts.clear();
        }
        let has: Vec<ObjectId> = self.parts.iter().filter_map(|part| commit(&part.commit)).collect();
        let pack = pack(fleet, Store::Code, main, (&[tip], &has), scratch)?;
        self.parts.push(CodePart { commit: name, pack });
        Ok(self.parts.clone())
    }
}

/// Packs commits and stores that.
pub(crate) fn pack(
    fleet: &Fleet,
    store: Store,
    repository: &Repository,
    (wanted, has): (&[ObjectId], &[ObjectId]),
    scratch: &Path,
) -> Result<ContentId, CodeError> {
    let folder = scratch_in(scratch)?;
    let file = folder.path().join(PACK);
    parcel::pack(repository, wanted, has, &file)?;
    Ok(Files::of(fleet, store).put(&file, LARGEST_PACK, Deadline::after(CARRYING))?)
}

/// Where what is on its way lies, in a run's folder.
pub(crate) fn scratch_of(folder: &RunFolder) -> PathBuf {
    folder.path().join("fleet")
}

/// A folder of its own below one that nobody else can write, for what is on its way.
pub(crate) fn scratch_in(folder: &Path) -> Result<tempfile::TempDir, CodeError> {
    // outside: the state folder.
    fs::create_dir_all(folder).at("create", folder)?;
    Ok(tempfile::tempdir_in(folder).at("write in", folder)?)
}

/// A pack that was brought, in a folder that goes with it.
pub(crate) struct Brought {
    folder: tempfile::TempDir,
}

impl Brought {
    /// Where it is.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join(PACK)
    }
}

/// Brings a pack here. Whoever made it is a stranger: nobody has looked at it yet.
pub(crate) fn bring(
    fleet: &Fleet,
    store: Store,
    pack: &ContentId,
    scratch: &Path,
) -> Result<Brought, CodeError> {
    let brought = Brought { folder: scratch_in(scratch)? };
    Files::of(fleet, store).get(pack, &brought.file(), LARGEST_PACK, Deadline::after(CARRYING))?;
    Ok(brought)
}

/// Brings the commits that a repository lacks of these, each of which is built on those before it. Gives the last one.
pub(crate) fn bring_missing(
    fleet: &Fleet,
    repository: &Repository,
    parts: &[CodePart],
    scratch: &Path,
) -> Result<Option<ObjectId>, CodeError> {
    let Some(tip) = parts.last().and_then(|part| commit(&part.commit)) else { return Ok(None) };
    let parts = parts.iter().filter_map(|part| Some((commit(&part.commit)?, &part.pack)));
    // What is there of one is there of all before it.
    let mut missing = Vec::new();
    for (wanted, pack) in parts.rev() {
        if repository.has_commit(wanted)? {
            break;
        }
        missing.push((wanted, pack));
    }
    for (wanted, pack) in missing.into_iter().rev() {
        let brought = bring(fleet, Store::Code, pack, scratch)?;
        parcel::unpack(repository, &brought.file(), &[wanted], &limits())?;
    }
    Ok(Some(tip))
}
