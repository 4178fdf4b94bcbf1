//! Commits through a git remote, below `refs/windlass/<run>/`. What has landed goes through the fleet's servers also then: it is needed for
//! as long as the run can be gone on with elsewhere, and there it goes by itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use windlass_core::values::LaneId;
use windlass_fleet::orders::{CodePart, MadeCode, OfferedCode};
use windlass_fleet::store::ContentId;
use windlass_git::git::{ObjectId, Repository};
use windlass_git::parcel::{self, ParcelError};
use windlass_git::remote::{Fetched, Part, RemoteError, RunRemote};

use super::contact::Contact;
use super::packs::RunnerPacks;
use super::{Brought, CARRYING, CodeError, Look, RunnerCode, RunnerParts, WorkerCode, commit, limits};

/// Between two tries of a worker.
const PAUSE: Duration = Duration::from_secs(2);

/// How often a worker looks meanwhile whether it is still needed.
const GLANCE: Duration = Duration::from_millis(200);

/// The runner's end.
pub(super) struct RunnerRemote {
    remote: RunRemote,
    main: Repository,
    scratch: PathBuf,
    contact: Contact,
    /// The tips that are there.
    pushed: Mutex<BTreeSet<ObjectId>>,
    landed: RunnerPacks,
}

impl RunnerRemote {
    /// Whoever goes on elsewhere has the commit that the run began with.
    pub fn new(remote: RunRemote, base: Option<ObjectId>, parts: RunnerParts) -> RunnerRemote {
        let RunnerParts { fleet, main, patience, scratch, told, .. } = parts;
        RunnerRemote {
            landed: RunnerPacks::new(fleet, main.clone(), scratch.clone(), base),
            contact: Contact::new(patience, told),
            pushed: Mutex::default(),
            remote,
            main,
            scratch,
        }
    }
}

impl RunnerCode for RunnerRemote {
    fn offer(&self, tip: ObjectId) -> Result<OfferedCode, CodeError> {
        // For as long as it takes: whoever wants the same waits for it.
        let mut pushed = self.pushed.lock().unwrap_or_else(PoisonError::into_inner);
        if !pushed.contains(&tip) {
            self.contact.ask(|| self.remote.push(&self.main, Part::Base, &[tip]))?;
            pushed.insert(tip);
        }
        Ok(OfferedCode { packs: Vec::new(), pushed: Some(tip.to_string()) })
    }

    fn keep_landed(&self, tip: ObjectId) -> Result<Vec<CodePart>, CodeError> {
        self.landed.keep_landed(tip)
    }

    fn take(&self, lane: LaneId, _: &MadeCode, commits: &[ObjectId]) -> Result<Option<Brought>, CodeError> {
        let mut missing = Vec::new();
        for commit in commits {
            if !missing.contains(commit) && !self.main.has_commit(*commit)? {
                missing.push(*commit);
            }
        }
        if missing.is_empty() {
            return Ok(None);
        }
        let brought = Brought::empty(&self.scratch)?;
        let file = brought.file();
        let fetch = || self.remote.fetch(&self.main, Part::Lane(lane), &missing, (&file, &limits()));
        Ok((self.contact.ask(fetch)? == Fetched::Pack).then_some(brought))
    }

    fn look(&self) -> Look {
        if self.contact.is_to_be_looked_at() {
            // What becomes of it is said by the contact.
            let _ = self.contact.ask(|| self.remote.ask(&self.main));
        }
        Look::Again
    }

    fn clear(&self) -> Result<(), CodeError> {
        Ok(self.contact.ask(|| self.remote.remove_all(&self.main))?)
    }
}

/// The worker's end.
pub(super) struct WorkerRemote {
    remote: RunRemote,
    scratch: PathBuf,
    /// Nobody needs the run here any more.
    closed: Arc<AtomicBool>,
    told: Arc<dyn Fn(&str) + Send + Sync>,
}

impl WorkerRemote {
    pub fn new(
        remote: RunRemote,
        scratch: PathBuf,
        closed: Arc<AtomicBool>,
        told: Arc<dyn Fn(&str) + Send + Sync>,
    ) -> WorkerRemote {
        WorkerRemote { remote, scratch, closed, told }
    }

    /// Tries for so long, or for as long as the run is worked on here.
    fn patiently<T>(
        &self,
        patience: Option<Duration>,
        attempt: impl Fn() -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        let began = Instant::now();
        let mut is_said = false;
        loop {
            match attempt() {
                Err(error)
                    if error.may_pass() && patience.is_none_or(|patience| began.elapsed() < patience) =>
                {
                    if !std::mem::replace(&mut is_said, true) {
                        (self.told)(&format!("{error}; it is tried again"));
                    }
                    self.pause()?;
                }
                done => return done,
            }
        }
    }

    fn pause(&self) -> Result<(), RemoteError> {
        let began = Instant::now();
        while began.elapsed() < PAUSE {
            if self.closed.load(Ordering::Relaxed) {
                return Err(RemoteError::Interrupted);
            }
            std::thread::sleep(GLANCE);
        }
        Ok(())
    }

    fn fetch(&self, into: &Repository, tip: ObjectId, file: &Path) -> Result<Fetched, RemoteError> {
        self.patiently(Some(CARRYING), || self.remote.fetch(into, Part::Base, &[tip], (file, &limits())))
    }
}

impl WorkerCode for WorkerRemote {
    fn bring(&self, into: &Repository, offered: &OfferedCode) -> Result<Option<ObjectId>, CodeError> {
        let Some(tip) = offered.pushed.as_deref().and_then(commit) else { return Ok(None) };
        if into.has_commit(tip)? {
            return Ok(Some(tip));
        }
        let brought = Brought::empty(&self.scratch)?;
        match self.fetch(into, tip, &brought.file())? {
            Fetched::Pack => parcel::unpack(into, &brought.file(), &[tip], &limits())?,
            // Something else was under its name, and is here.
            Fetched::Nothing => return Err(ParcelError::Lacks(tip).into()),
        }
        Ok(Some(tip))
    }

    /// Where the remote is away, what was made is kept until it is back: it is the only copy.
    fn hand_in(
        &self,
        from: &Repository,
        lane: LaneId,
        (made, _): (&[ObjectId], &[ObjectId]),
    ) -> Result<Option<ContentId>, CodeError> {
        self.patiently(None, || self.remote.push(from, Part::Lane(lane), made))?;
        Ok(None)
    }
}
