//! How a run's commits travel: the branch's to its workers, and what lanes have made back to its runner.
//!
//! There are two ways, and a run keeps the one that it began with ([`CodeWay`]): as [`packs`] in the fleet's object store, or through a
//! git [`remote`]. Each has two ends, of which one never asks which way it is: [`RunnerCode`] and [`WorkerCode`]. By either way what
//! comes is a pack that a stranger may have made, and goes through the same quarantine. Files of Git LFS go through the object store
//! by either way ([`large`]).

mod contact;
pub(crate) mod large;
mod packs;
mod remote;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use windlass_core::fleet::remote::RemoteUrl;
use windlass_core::spec::{CodeWay, RunSpec};
use windlass_core::values::LaneId;
use windlass_engine::store::RunFolder;
use windlass_fleet::orders::{CodePart, MadeCode, OfferedCode};
use windlass_fleet::store::ContentId;
use windlass_fleet::{Fleet, FleetError};
use windlass_git::git::{GitError, ObjectId, Repository};
use windlass_git::lane::{LaneError, MirrorError};
use windlass_git::parcel::{Limits, ParcelError};
use windlass_git::remote::{RemoteError, RunRemote};
use windlass_host::file::{AtPath, FileError};
use windlass_host::process::Interruption;

pub(crate) use contact::News;
pub(crate) use packs::bring_missing;

/// The largest pack that travels, in bytes.
const LARGEST_PACK: u64 = 2 * 1024 * 1024 * 1024;

/// What one is called in a folder of its own.
const PACK: &str = "pack";

/// So many objects has one at most.
const MOST_OBJECTS: u64 = 20_000_000;

/// How long a pack may take on its way.
pub(crate) const CARRYING: Duration = Duration::from_mins(10);

/// Code that cannot be sent or taken in.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The servers.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// The git remote.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// It is needed, and none is configured.
    #[error("the commits of this run travel through a git remote, and `fleet.remote` names none here")]
    NoRemote,
    /// There are large files, and nothing that puts them in place.
    #[error(
        "this repository keeps files in Git LFS, which is not set up here: install it, and type `git lfs install`"
    )]
    NoLargeFiles,
    /// Files go through a filter that is not there.
    #[error(
        "files of this repository go through the filter `{0}`, which is not configured on this worker: git config --global filter.{0}.clean COMMAND"
    )]
    NoFilter(String),
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

impl CodeError {
    /// May the same be done later, without anybody doing anything?
    pub(crate) const fn may_pass(&self) -> bool {
        match self {
            CodeError::Fleet(error) => error.may_pass(),
            CodeError::Remote(error) => error.may_pass() || matches!(error, RemoteError::Interrupted),
            _ => false,
        }
    }
}

/// The runner's end.
pub(crate) trait RunnerCode: Send + Sync {
    /// From now on workers can have the branch's tip, and all that leads to it.
    fn offer(&self, tip: ObjectId) -> Result<OfferedCode, CodeError>;

    /// What has landed is in the fleet from now on, for whoever goes on with the run on another machine.
    fn keep_landed(&self, tip: ObjectId) -> Result<Vec<CodePart>, CodeError>;

    /// Brings what a lane has made: these commits. `None` where they are here.
    fn take(&self, lane: LaneId, made: &MadeCode, commits: &[ObjectId])
    -> Result<Option<Brought>, CodeError>;

    /// Looks whether commits can travel, where nobody else does. Says whether that is to be done again.
    fn look(&self) -> Look;

    /// The run has ended: what nobody needs any more goes.
    fn clear(&self) -> Result<(), CodeError>;
}

/// The worker's end.
pub(crate) trait WorkerCode: Send + Sync {
    /// Brings what a repository lacks of what was offered. Gives the branch's tip; `None` where nothing was offered.
    fn bring(&self, into: &Repository, offered: &OfferedCode) -> Result<Option<ObjectId>, CodeError>;

    /// Hands in commits that a lane has made, to a runner that has others. What is given is named in what is said of them.
    fn hand_in(
        &self,
        from: &Repository,
        lane: LaneId,
        made: (&[ObjectId], &[ObjectId]),
    ) -> Result<Option<ContentId>, CodeError>;
}

/// What is to be looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Again,
    Never,
}

/// What the runner's end is made of.
pub(crate) struct RunnerParts {
    pub fleet: Fleet,
    pub main: Repository,
    /// The git remote that is configured on this machine.
    pub remote: Option<RemoteUrl>,
    /// How long one may be away.
    pub patience: Duration,
    /// Where what is on its way lies.
    pub scratch: PathBuf,
    pub closing: Arc<AtomicBool>,
    /// Hears what becomes of the remote.
    pub told: Box<dyn Fn(News) + Send + Sync>,
}

/// The runner's end of the way that a run began with.
pub(crate) fn of_runner(spec: &RunSpec, parts: RunnerParts) -> Result<Box<dyn RunnerCode>, CodeError> {
    match way_of(spec) {
        CodeWay::Packs => Ok(Box::new(packs::RunnerPacks::new(parts.fleet, parts.main, parts.scratch, None))),
        CodeWay::Remote { base } => {
            let url = parts.remote.clone().ok_or(CodeError::NoRemote)?;
            let remote = RunRemote::of(url, &spec.run, parts.scratch.clone(), once(&parts.closing))?;
            Ok(Box::new(remote::RunnerRemote::new(remote, commit(&base), parts)))
        }
    }
}

/// What the worker's end is made of.
pub(crate) struct WorkerParts<'a> {
    pub fleet: &'a Fleet,
    /// The git remote that is configured on this machine.
    pub remote: Option<&'a RemoteUrl>,
    /// Where what is on its way lies.
    pub scratch: PathBuf,
    /// Nobody needs the run here any more.
    pub closed: &'a Arc<AtomicBool>,
    /// Hears what a person should know.
    pub told: &'a Arc<dyn Fn(&str) + Send + Sync>,
}

/// The worker's end of the way that a run began with.
pub(crate) fn of_worker(spec: &RunSpec, parts: WorkerParts<'_>) -> Result<Arc<dyn WorkerCode>, CodeError> {
    let WorkerParts { fleet, remote, scratch, closed, told } = parts;
    match way_of(spec) {
        CodeWay::Packs => Ok(Arc::new(packs::WorkerPacks::new(fleet.clone(), scratch))),
        CodeWay::Remote { .. } => {
            let url = remote.cloned().ok_or(CodeError::NoRemote)?;
            let remote = RunRemote::of(url, &spec.run, scratch.clone(), once(closed))?;
            Ok(Arc::new(remote::WorkerRemote::new(remote, scratch, Arc::clone(closed), Arc::clone(told))))
        }
    }
}

fn way_of(spec: &RunSpec) -> CodeWay {
    spec.lanes.as_ref().map(|lanes| lanes.code.clone()).unwrap_or_default()
}

fn once(flag: &Arc<AtomicBool>) -> Interruption {
    let flag = Arc::clone(flag);
    Interruption::once(move || flag.load(Ordering::Relaxed))
}

/// What a stranger's pack may be.
pub(crate) fn limits() -> Limits {
    Limits { bytes: LARGEST_PACK, objects: MOST_OBJECTS }
}

/// A name of a commit as git has it; `None` for what is none.
pub(crate) fn commit(text: &str) -> Option<ObjectId> {
    ObjectId::from_hex(text.as_bytes())
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

/// A pack that was brought, in a folder that goes with it. Whoever made it is a stranger: nobody has looked at it yet.
pub(crate) struct Brought {
    folder: tempfile::TempDir,
}

impl Brought {
    /// Nothing yet: there is no such file.
    fn empty(scratch: &Path) -> Result<Brought, CodeError> {
        Ok(Brought { folder: scratch_in(scratch)? })
    }

    /// Where it is.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join(PACK)
    }
}
