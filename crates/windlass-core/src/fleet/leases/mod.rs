//! Leases: who holds a run, a lane, a worker's name, as those who wait for them and those who hold them see it.
//!
//! The *epoch* of a lease is the revision at which it was taken. Keys never expire and revisions only grow, so a later holder has a
//! higher epoch. When a lease is stale is not decided by a clock: [`Silence`] counts how long it was not renewed, as seen by
//! whoever waits for it.

mod silence;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::names::{Account, Class, Label, NameError, WorkerName, checked_run};
use crate::values::{LaneId, RunId};

pub use silence::Silence;

/// How often a holder renews its lease.
pub const RENEWED_EVERY: Duration = Duration::from_secs(3);

/// How long a lease that is not renewed is respected, unless configured: three renewals that did not come.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(9);

/// What can be held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeaseKey {
    /// A run: by its runner.
    Run(RunId),
    /// A lane of a run: by a worker.
    Lane(RunId, LaneId),
    /// A worker's name: by the worker itself, so that no two have it, and it is seen that it lives.
    Worker(WorkerName),
}

impl LeaseKey {
    /// As it is written below the bucket.
    ///
    /// # Errors
    /// The run's id is no such part.
    pub fn key(&self) -> Result<String, NameError> {
        Ok(match self {
            LeaseKey::Run(run) => format!("run.{}", checked_run(run)?),
            LeaseKey::Lane(run, lane) => format!("lane.{}.{}", checked_run(run)?, lane.0),
            LeaseKey::Worker(worker) => format!("worker.{worker}"),
        })
    }

    /// `None` for a key that is none of these.
    pub fn of_key(key: &str) -> Option<LeaseKey> {
        let mut parts = key.split('.');
        let run = |text: &str| {
            let run = RunId(text.to_owned());
            checked_run(&run).is_ok().then_some(run)
        };
        let found = match (parts.next()?, parts.next()?, parts.next()) {
            ("run", id, None) => LeaseKey::Run(run(id)?),
            ("lane", id, Some(lane)) => LeaseKey::Lane(run(id)?, LaneId(lane.parse().ok()?)),
            ("worker", name, None) => LeaseKey::Worker(WorkerName::from_str(name).ok()?),
            _ => return None,
        };
        // One lease has one key: `lane.r-1.007` is none.
        (parts.next().is_none() && found.key().ok()? == key).then_some(found)
    }
}

impl fmt::Display for LeaseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeaseKey::Run(run) => write!(f, "run {run}"),
            LeaseKey::Lane(run, lane) => write!(f, "lane {} of run {run}", lane.0),
            LeaseKey::Worker(worker) => write!(f, "worker {worker}"),
        }
    }
}

/// Which change of the bucket a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

/// Which holder of a lease it is: the revision at which it was taken. A later holder has a higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeaseEpoch(pub u64);

/// Who holds a lease, as they say it themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Their name: a worker's own, or one that a runner goes by.
    pub name: WorkerName,
    /// Whose usage limits count for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// What a worker has, in the lease of its name; `None` where that is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeSet<Label>>,
}

impl Holder {
    /// One who says nothing but their name.
    pub const fn of(name: WorkerName) -> Holder {
        Holder { name, account: None, labels: None }
    }

    /// May this one take orders of a class, for all that is known?
    pub fn serves(&self, class: &Class) -> bool {
        self.labels.as_ref().is_none_or(|labels| class.is_served_with(labels))
    }

    /// Whom a usage limit of theirs holds back.
    pub fn payer(&self) -> Payer {
        match &self.account {
            Some(account) => Payer::Account(account.clone()),
            None => Payer::Worker(self.name.clone()),
        }
    }
}

/// Whose usage limits are meant: an account, or a worker that says nothing of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payer {
    /// Several workers may have it.
    Account(Account),
    /// It has one of its own.
    Worker(WorkerName),
}

impl fmt::Display for Payer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Payer::Account(account) => write!(f, "account {account}"),
            Payer::Worker(worker) => write!(f, "worker {worker}"),
        }
    }
}

/// A lease as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Changes with every renewal.
    pub revision: Revision,
    /// Of its holder; of the last one, where it is free.
    pub epoch: LeaseEpoch,
    /// Who has it.
    pub tenure: Tenure,
}

impl Lease {
    /// Who has it; `None` where nobody has, or what is written there says nobody's name.
    pub fn holder(&self) -> Option<&Holder> {
        match &self.tenure {
            Tenure::Held(holder) => Some(holder),
            Tenure::Free | Tenure::Unknown => None,
        }
    }
}

/// Who has a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tenure {
    /// This one.
    Held(Holder),
    /// Nobody: it was given back, and can be taken at once.
    Free,
    /// What is written there is no lease: noise, or one of a newer windlass. It may be taken over once it was silent as long as any
    /// other. Whoever had it before has lost it: nobody can tell whether somebody else had it in between.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_one_lease_and_a_lease_of_one_key() {
        let run = || RunId("r-00000001".to_owned());
        for lease in [
            LeaseKey::Run(run()),
            LeaseKey::Lane(run(), LaneId(7)),
            LeaseKey::Worker("Host-3".parse().unwrap()),
        ] {
            assert_eq!(LeaseKey::of_key(&lease.key().unwrap()), Some(lease));
        }
        for key in [
            "",
            "run",
            "run.",
            "run.r-1.x",
            "run.R!",
            "lane.r-1",
            "lane.r-1.007",
            "lane.r-1.70000",
            "worker.a.b",
            "x.y",
        ] {
            assert_eq!(LeaseKey::of_key(key), None, "{key}");
        }
        assert!(LeaseKey::Run(RunId("r.>".to_owned())).key().is_err());
    }
}
