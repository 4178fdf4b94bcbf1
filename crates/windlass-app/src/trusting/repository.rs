//! What a repository's own files start, and what of it a person trusts: looked at, trusted, forgotten.

use windlass_core::trust::{Startables, TrustHash};
use windlass_engine::trust::store;

use super::{find, refuse_below_windlass};
use crate::app::App;
use crate::error::AppError;
use crate::here::Here;

/// What the files of a repository start.
pub struct RepositoryTrust {
    here: Here,
    /// All of it.
    pub items: Startables,
    /// What was trusted before.
    pub trusted: Startables,
}

impl App {
    /// What this repository's files start, whatever verb would. What cannot be told is said.
    pub fn repository_trust(&self) -> Result<RepositoryTrust, AppError> {
        let here = Here::find(self)?;
        let found = find(&here, &[]);
        if let Some((file, why)) = found.unread.first() {
            return Err(AppError::usage(format!("what {file} starts cannot be told: {why}")));
        }
        let store::Trusted { items: trusted, trouble } = store::trusted(&here.project);
        self.notices(&trouble);
        for trouble in &found.troubles {
            self.notice(&format!("what {} starts is not known: {}", trouble.file, trouble.why));
        }
        Ok(RepositoryTrust { here, items: found.items, trusted })
    }

    /// Forgets all that was trusted of this repository; says how many things that were.
    pub fn revoke_trust(&self) -> Result<usize, AppError> {
        let here = Here::find(self)?;
        refuse_below_windlass()?;
        Ok(store::revoke(&here.project)?)
    }
}

impl RepositoryTrust {
    /// What of it nobody has trusted.
    pub fn pending(&self) -> Startables {
        self.items.beyond(&self.trusted)
    }

    /// Trusts all of it, if it is what this names.
    pub fn trust_named(&self, hash: &str) -> Result<(), AppError> {
        refuse_below_windlass()?;
        let hash = TrustHash::parse(hash).map_err(AppError::usage)?;
        let now = self.items.hash();
        if now != hash {
            return Err(other_hash(&hash, &now).hint("Look at it: windlass trust --list"));
        }
        self.trust()
    }

    /// Trusts all of it, as it was shown to a person.
    pub fn trust(&self) -> Result<(), AppError> {
        refuse_below_windlass()?;
        Ok(store::trust(&self.here.project, &self.items)?)
    }
}

/// What is there is not what a person has seen.
pub(super) fn other_hash(hash: &TrustHash, now: &TrustHash) -> AppError {
    AppError::usage(format!("what this repository's files start is not what {hash} names: it is {now} now"))
}
