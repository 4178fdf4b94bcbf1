//! Commits as packs in the fleet's object store: each tip of the branch once, as what it has beyond the tips before it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use windlass_core::values::LaneId;
use windlass_fleet::layout::Store;
use windlass_fleet::orders::{CodePart, MadeCode, OfferedCode};
use windlass_fleet::store::{ContentId, Files};
use windlass_fleet::{Deadline, Fleet};
use windlass_git::git::{ObjectId, Repository};
use windlass_git::parcel;

use super::{
    Brought, CARRYING, CodeError, LARGEST_PACK, Look, PACK, RunnerCode, WorkerCode, commit, limits,
    scratch_in,
};

/// So many parts are named in an order. Beyond that all of it is packed anew, as one.
const MOST_PARTS: usize = 64;

/// The runner's end.
pub(super) struct RunnerPacks {
    fleet: Fleet,
    main: Repository,
    scratch: PathBuf,
    /// What whoever gets them has; `None` = nothing.
    base: Option<ObjectId>,
    /// The tips that were stored.
    chain: Mutex<Vec<CodePart>>,
}

impl RunnerPacks {
    pub fn new(fleet: Fleet, main: Repository, scratch: PathBuf, base: Option<ObjectId>) -> RunnerPacks {
        RunnerPacks { fleet, main, scratch, base, chain: Mutex::default() }
    }

    /// All that whoever has the base needs to have this tip, which is the last one. What is not stored yet is.
    fn up_to(&self, tip: ObjectId) -> Result<Vec<CodePart>, CodeError> {
        let mut chain = self.chain.lock().unwrap_or_else(PoisonError::into_inner);
        let name = tip.to_string();
        if let Some(at) = chain.iter().position(|part| part.commit == name) {
            // A branch that was put back has a tip that was sent before: what came after it does no harm and is left out.
            return Ok(chain.get(..=at).unwrap_or(&chain).to_vec());
        }
        if chain.len() >= MOST_PARTS {
            chain.clear();
        }
        let has: Vec<ObjectId> =
            chain.iter().filter_map(|part| commit(&part.commit)).chain(self.base).collect();
        let pack = pack(&self.fleet, Store::Code, &self.main, (&[tip], &has), &self.scratch)?;
        chain.push(CodePart { commit: name, pack });
        Ok(chain.clone())
    }
}

impl RunnerCode for RunnerPacks {
    fn offer(&self, tip: ObjectId) -> Result<OfferedCode, CodeError> {
        Ok(OfferedCode { packs: self.up_to(tip)?, pushed: None })
    }

    fn keep_landed(&self, tip: ObjectId) -> Result<Vec<CodePart>, CodeError> {
        self.up_to(tip)
    }

    fn take(&self, _: LaneId, made: &MadeCode, _: &[ObjectId]) -> Result<Option<Brought>, CodeError> {
        let bring = |pack| bring(&self.fleet, Store::Results, pack, &self.scratch);
        made.pack.as_ref().map(bring).transpose()
    }

    /// The servers are watched for the leases' sake.
    fn look(&self) -> Look {
        Look::Never
    }

    /// The store forgets by itself.
    fn clear(&self) -> Result<(), CodeError> {
        Ok(())
    }
}

/// The worker's end.
pub(super) struct WorkerPacks {
    fleet: Fleet,
    scratch: PathBuf,
}

impl WorkerPacks {
    pub const fn new(fleet: Fleet, scratch: PathBuf) -> WorkerPacks {
        WorkerPacks { fleet, scratch }
    }
}

impl WorkerCode for WorkerPacks {
    fn bring(&self, into: &Repository, offered: &OfferedCode) -> Result<Option<ObjectId>, CodeError> {
        bring_missing(&self.fleet, into, &offered.packs, &self.scratch)
    }

    fn hand_in(
        &self,
        from: &Repository,
        _: LaneId,
        made: (&[ObjectId], &[ObjectId]),
    ) -> Result<Option<ContentId>, CodeError> {
        pack(&self.fleet, Store::Results, from, made, &self.scratch).map(Some)
    }
}

/// Packs commits and stores that.
fn pack(
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

/// Brings a pack here.
fn bring(fleet: &Fleet, store: Store, pack: &ContentId, scratch: &Path) -> Result<Brought, CodeError> {
    let brought = Brought::empty(scratch)?;
    Files::of(fleet, store).get_for_now(pack, &brought.file(), LARGEST_PACK, Deadline::after(CARRYING))?;
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
