//! Leases: who holds a run, a lane, a worker's name. A key is only ever changed by compare-and-set.
//!
//! The *epoch* of a lease is the revision at which it was taken. Keys never expire and revisions only grow, so a later holder has a
//! higher epoch. When a lease is stale is not decided by a clock: [`Silence`] counts how long it was not renewed, as seen by
//! whoever waits for it.

mod claim;

use std::cell::Cell;

use serde::{Deserialize, Serialize};

pub use claim::{Before, Claimed};
pub use windlass_core::fleet::leases::{
    DEFAULT_LEASE, Holder, Lease, LeaseEpoch, LeaseKey, Payer, RENEWED_EVERY, Revision, Silence, Tenure,
};

use crate::call::{Deadline, ONE_TRY, Tried, until};
use crate::error::FleetError;
use crate::fleet::stored::{Found, Stored, only_after};
use crate::fleet::{About, Fleet, NewMessage, Trouble, nonce};
use crate::layout::Part;
use crate::names::NameError;

/// The largest value of a key, in bytes.
pub(crate) const LARGEST_LEASE: usize = 4096;

/// The version of the values.
const VERSION: u16 = 1;

/// A lease that one holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    key: LeaseKey,
    revision: Revision,
    epoch: LeaseEpoch,
    holder: Holder,
    nonce: String,
    beat: u64,
}

impl Held {
    /// What is held.
    pub fn key(&self) -> &LeaseKey {
        &self.key
    }

    /// As what everything that is done under it is done.
    pub fn epoch(&self) -> LeaseEpoch {
        self.epoch
    }
}

/// What became of taking a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is one's own.
    Won(Held),
    /// It changed before that: so it is now.
    Lost(Option<Lease>),
}

/// What became of a lease that one held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// It is still one's own.
    Kept,
    /// Somebody else took it: so it is now. Nothing may be done under the old epoch any more.
    Gone(Option<Lease>),
}

/// How a lease is written. The nonce is of the one who took it, the beat counts its renewals: together no two writes are alike.
#[derive(PartialEq, Serialize, Deserialize)]
struct Value {
    v: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    holder: Option<Holder>,
    nonce: String,
    beat: u64,
    /// `None` in the value that takes it: its revision is the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    epoch: Option<LeaseEpoch>,
}

/// The leases of a fleet.
#[derive(Clone, Debug)]
pub struct Leases {
    fleet: Fleet,
    stream: String,
    bucket: String,
}

impl Leases {
    /// Of this fleet. Nothing is asked yet.
    pub fn of(fleet: &Fleet) -> Leases {
        let subjects = &fleet.line.subjects;
        Leases {
            fleet: fleet.clone(),
            stream: Part::Leases.stream(subjects),
            bucket: subjects.stored(Part::Leases.name()),
        }
    }

    fn subject(&self, key: &LeaseKey) -> Result<String, NameError> {
        Ok(format!("$KV.{}.{}", self.bucket, key.key()?))
    }

    fn about<'a>(&'a self, doing: &'a str) -> About<'a> {
        About { doing, place: &self.stream }
    }

    /// A lease as it is; `None` where nobody ever held it.
    pub fn look(&self, key: &LeaseKey, deadline: Deadline) -> Result<Option<Lease>, FleetError> {
        let subject = self.subject(key)?;
        let doing = format!("look at the lease of {key}");
        let found = self.fleet.wait(until(deadline, || async {
            let found = self.newest(&subject, deadline).await;
            self.fleet.line.tried(found, self.about(&doing), deadline)
        }))?;
        Ok(found.map(|found| read(&found).0))
    }

    /// Takes a lease that is free or stale, as it was seen: `seen` is what [`Leases::look`] gave. It is won only if nothing changed
    /// since, so of several takers one wins.
    pub fn take(
        &self,
        key: &LeaseKey,
        seen: Option<&Lease>,
        holder: &Holder,
        deadline: Deadline,
    ) -> Result<Taken, FleetError> {
        let value = Value { v: VERSION, holder: Some(holder.clone()), nonce: nonce()?, beat: 0, epoch: None };
        let before = seen.map_or(Revision(0), |seen| seen.revision);
        let doing = format!("take the lease of {key}");
        Ok(match self.set(key, &value, before, &doing, deadline)? {
            Set::Ours(revision) => Taken::Won(Held {
                key: key.clone(),
                revision,
                epoch: LeaseEpoch(revision.0),
                holder: holder.clone(),
                nonce: value.nonce,
                beat: 0,
            }),
            Set::Other(lease) => Taken::Lost(lease),
        })
    }

    /// Says that one is still there. After an error it is unknown whether it was written; the next renewal settles it, and is another
    /// write: one that came to what was written before would be heard by nobody.
    pub fn renew(&self, held: &mut Held, deadline: Deadline) -> Result<Renewed, FleetError> {
        held.beat += 1;
        let value = Value {
            v: VERSION,
            holder: Some(held.holder.clone()),
            nonce: held.nonce.clone(),
            beat: held.beat,
            epoch: Some(held.epoch),
        };
        let doing = format!("renew the lease of {}", held.key);
        Ok(match self.set(&held.key, &value, held.revision, &doing, deadline)? {
            Set::Ours(revision) => {
                held.revision = revision;
                Renewed::Kept
            }
            Set::Other(lease) => Renewed::Gone(lease),
        })
    }

    /// Gives it back, so that nobody has to wait for it to become stale.
    pub fn release(&self, held: Held, deadline: Deadline) -> Result<Renewed, FleetError> {
        let value = Value {
            v: VERSION,
            holder: None,
            nonce: held.nonce,
            beat: held.beat + 1,
            epoch: Some(held.epoch),
        };
        let doing = format!("give the lease of {} back", held.key);
        Ok(match self.set(&held.key, &value, held.revision, &doing, deadline)? {
            Set::Ours(_) => Renewed::Kept,
            Set::Other(lease) => Renewed::Gone(lease),
        })
    }

    /// Every key that was ever held, with what it is now. Keys that are none of ours are left out.
    pub fn all(&self, deadline: Deadline) -> Result<Vec<(LeaseKey, Lease)>, FleetError> {
        let keys = self.keys(deadline)?;
        let mut leases = Vec::with_capacity(keys.len());
        for key in keys {
            if let Some(lease) = self.look(&key, deadline)? {
                leases.push((key, lease));
            }
        }
        Ok(leases)
    }

    /// Those of workers' names.
    pub fn workers(&self, deadline: Deadline) -> Result<Vec<Lease>, FleetError> {
        let keys = self.keys(deadline)?.into_iter();
        let workers = keys.filter(|key| matches!(key, LeaseKey::Worker(_)));
        let leases: Result<Vec<_>, _> = workers.map(|key| self.look(&key, deadline)).collect();
        Ok(leases?.into_iter().flatten().collect())
    }

    fn keys(&self, deadline: Deadline) -> Result<Vec<LeaseKey>, FleetError> {
        let prefix = format!("$KV.{}.", self.bucket);
        let about = self.about("list the leases");
        let keys = self.fleet.subjects_of(&self.stream, &prefix, about, deadline)?;
        Ok(keys.iter().filter_map(|key| LeaseKey::of_key(key)).collect())
    }

    async fn newest(&self, subject: &str, deadline: Deadline) -> Result<Option<Found>, Trouble> {
        let stored = Stored { line: &self.fleet.line, stream: &self.stream };
        stored.newest(subject, ONE_TRY.min(deadline.left())).await
    }

    /// Compare-and-set. After a lost answer the key is read again: one's own value there means that it was set.
    fn set(
        &self,
        key: &LeaseKey,
        value: &Value,
        before: Revision,
        doing: &str,
        deadline: Deadline,
    ) -> Result<Set, FleetError> {
        let subject = self.subject(key)?;
        let bytes = serde_json::to_vec(value).map_err(|error| FleetError::Garbled {
            what: "a lease".to_owned(),
            problem: error.to_string(),
        })?;
        let before = Cell::new(before);
        self.fleet.wait(until(deadline, || self.set_once(&subject, &bytes, value, &before, doing, deadline)))
    }

    async fn set_once(
        &self,
        subject: &str,
        bytes: &[u8],
        value: &Value,
        before: &Cell<Revision>,
        doing: &str,
        deadline: Deadline,
    ) -> Tried<Set, FleetError> {
        let line = &self.fleet.line;
        let about = self.about(doing);
        let wait = ONE_TRY.min(deadline.left());
        let headers = only_after(before.get().0);
        let message = NewMessage { subject, headers, payload: bytes };
        let trouble = match line.put_once(&self.stream, message, wait).await {
            Ok(written) => return Tried::Done(Set::Ours(Revision(written.sequence))),
            Err(trouble) => trouble,
        };
        if !trouble.is_overtaken() && !trouble.may_pass() {
            return Tried::Failed(line.explain(trouble, about, deadline));
        }
        let found = match self.newest(subject, deadline).await {
            Ok(found) => found,
            Err(again) => return line.tried(Err(again), about, deadline),
        };
        match found.map(|found| read(&found)) {
            Some((lease, Some(written))) if written == *value => Tried::Done(Set::Ours(lease.revision)),
            // An earlier write of one's own, whose answer was lost.
            Some((lease, Some(written))) if written.nonce == value.nonce => {
                before.set(lease.revision);
                Tried::Again(line.explain(trouble, about, deadline))
            }
            // Nothing changed: it was not written, or is still on its way, and then the next try is overtaken by it.
            found if found.as_ref().map_or(Revision(0), |(lease, _)| lease.revision) == before.get() => {
                Tried::Again(line.explain(trouble, about, deadline))
            }
            found => Tried::Done(Set::Other(found.map(|(lease, _)| lease))),
        }
    }
}

/// What compare-and-set came to.
enum Set {
    Ours(Revision),
    /// As it is now.
    Other(Option<Lease>),
}

/// A lease, and how it was written; `None` for what is not written as a lease is.
fn read(found: &Found) -> (Lease, Option<Value>) {
    let revision = Revision(found.sequence);
    let value: Option<Value> = serde_json::from_slice(&found.payload).ok();
    // Nobody has an epoch that is still to come.
    let sound = |value: &Value| value.v == VERSION && value.epoch.is_none_or(|epoch| epoch.0 <= revision.0);
    let Some(value) = value.filter(sound) else {
        return (Lease { revision, epoch: LeaseEpoch(revision.0), tenure: Tenure::Unknown }, None);
    };
    let tenure = value.holder.clone().map_or(Tenure::Free, Tenure::Held);
    (Lease { revision, epoch: value.epoch.unwrap_or(LeaseEpoch(revision.0)), tenure }, Some(value))
}
