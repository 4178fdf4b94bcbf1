//! A git remote as the place where commits of a run are left for others: below `refs/windlass/<run>/`, and nowhere else.
//!
//! A reference there is named after the commit that it names, and is written where none is: so nobody's is ever overwritten, and the same
//! twice is once. What comes from there is a pack like any that a stranger sends, in a file of its own; whoever takes it in looks at
//! it first ([`unpack`](crate::parcel::unpack)).

mod error;
mod refs;
mod relay;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::fleet::remote::RemoteUrl;
use windlass_core::values::RunId;
use windlass_host::file::AtPath;
use windlass_host::process::Interruption;

pub use error::RemoteError;
pub use refs::Part;

use crate::git::{ObjectId, Repository};
use crate::parcel::Limits;
use refs::{RunRefs, below, trial};
use relay::{PUSHED, Relay, run};

/// How long it may take to send or to bring commits.
const CARRYING: Duration = Duration::from_mins(10);

/// How long a short question may take.
const ASKING: Duration = Duration::from_secs(30);

/// So many references are removed in one call.
const AT_ONCE: usize = 200;

/// What a fetch has brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// A pack.
    Pack,
    /// Nothing: all of it is here.
    Nothing,
}

/// A remote, and what one run has there.
#[derive(Clone, Debug)]
pub struct RunRemote {
    url: RemoteUrl,
    run: RunId,
    refs: RunRefs,
    /// Where what is on its way lies: in the state folder.
    scratch: PathBuf,
    /// Nobody waits for anything any more.
    interruption: Interruption,
}

impl RunRemote {
    /// Nothing is asked yet.
    ///
    /// # Errors
    /// The run's name can be no part of a reference.
    pub fn of(
        url: RemoteUrl,
        run: &RunId,
        scratch: PathBuf,
        interruption: Interruption,
    ) -> Result<RunRemote, RemoteError> {
        let refs = RunRefs::of(run).ok_or_else(|| RemoteError::Name(run.0.chars().take(64).collect()))?;
        Ok(RunRemote { url, run: run.clone(), refs, scratch, interruption })
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Pushes commits, each to the reference that is named after it.
    ///
    /// # Errors
    /// See [`RemoteError`]. Where something else is under that name already, it stays, and this is refused.
    pub fn push(&self, from: &Repository, part: Part, commits: &[ObjectId]) -> Result<(), RemoteError> {
        let relay = Relay::make(from, &self.scratch)?;
        for commit in commits {
            relay.keep(&below(part, *commit), *commit)?;
        }
        let call = relay.pushing(Some(&self.run))?.interrupted_by(&self.interruption);
        // Only where there is none.
        let leases =
            commits.iter().map(|commit| format!("--force-with-lease={}:", self.refs.name(part, *commit)));
        // By a pattern: a name that is said in full would be taken for that of a branch, where there is one that ends so.
        let all = format!("{PUSHED}/*:{}", self.refs.pattern());
        run(call.args(leases).args(["--", self.url(), &all]), &self.url, CARRYING).map(drop)
    }

    /// Brings what a repository lacks of commits that somebody has pushed, as a pack in a file of its own that is not there yet. Nobody
    /// has looked at it: that these commits are in it is not known either.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub fn fetch(
        &self,
        into: &Repository,
        part: Part,
        commits: &[ObjectId],
        (to, limits): (&Path, &Limits),
    ) -> Result<Fetched, RemoteError> {
        let relay = Relay::make(into, &self.scratch)?;
        let packs = relay.path("objects/pack");
        let (growing, limit) = (packs.clone(), limits.bytes);
        let is_closing = self.interruption.clone();
        let interruption = Interruption::once(move || is_closing.is_due() || size_of(&growing) > limit);
        let call = relay.fetching(&self.run)?.interrupted_by(&interruption);
        let names = commits.iter().map(|commit| self.refs.name(part, *commit));
        let fetched = run(call.args(["--", self.url()]).args(names), &self.url, CARRYING);
        if size_of(&packs) > limit {
            return Err(RemoteError::TooLarge { url: self.url().to_owned(), limit });
        }
        fetched?;
        self.only_pack(&packs, to)
    }

    /// Moves the pack that has come to where it is wanted.
    fn only_pack(&self, packs: &Path, to: &Path) -> Result<Fetched, RemoteError> {
        let mut found = Vec::new();
        // outside: the state folder.
        for entry in fs::read_dir(packs).at("read", packs)? {
            let path = entry.at("read", packs)?.path();
            if path.extension().is_some_and(|end| end == "pack") {
                found.push(path);
            }
        }
        match found.as_slice() {
            [] => Ok(Fetched::Nothing),
            [pack] => {
                // outside: from there into there.
                fs::rename(pack, to).at("write", to)?;
                Ok(Fetched::Pack)
            }
            _ => {
                let said = format!("it sends {} packs where one was asked for", found.len());
                Err(RemoteError::Refused { url: self.url().to_owned(), said })
            }
        }
    }

    /// Does it answer?
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub fn ask(&self, beside: &Repository) -> Result<(), RemoteError> {
        self.listed(&Relay::make(beside, &self.scratch)?).map(drop)
    }

    /// What the remote has that the run's own names match, with what it names. A pattern of git's also has what merely ends so.
    fn listed(&self, relay: &Relay) -> Result<Vec<(String, ObjectId)>, RemoteError> {
        let call = relay.listing(&self.run)?.args(["--", self.url(), &self.refs.pattern()]);
        let answer = run(call, &self.url, ASKING)?;
        let listing = String::from_utf8_lossy(&answer.output).into_owned();
        let lines = listing.lines().filter_map(|line| line.split_once('\t'));
        Ok(lines
            .filter_map(|(commit, name)| Some((name.to_owned(), ObjectId::from_hex(commit.as_bytes())?)))
            .collect())
    }

    /// Removes all that the run has there, and nothing else: what has changed since it was listed stays.
    ///
    /// # Errors
    /// See [`RemoteError`]; some of it may be gone then.
    pub fn remove_all(&self, beside: &Repository) -> Result<(), RemoteError> {
        let relay = Relay::make(beside, &self.scratch)?;
        let listed = self.listed(&relay)?;
        // git would take the name for that of a branch, where one ends so.
        let is_ambiguous = |name: &str| {
            listed.iter().any(|(other, _)| other.strip_suffix(name).is_some_and(|before| !before.is_empty()))
        };
        let own: Vec<_> = listed.iter().filter(|(name, _)| self.refs.is_own(name)).collect();
        let (ambiguous, own): (Vec<_>, Vec<_>) = own.into_iter().partition(|(name, _)| is_ambiguous(name));
        for names in own.chunks(AT_ONCE) {
            let call = relay.pushing(Some(&self.run))?;
            let call =
                call.args(names.iter().map(|(name, commit)| format!("--force-with-lease={name}:{commit}")));
            let call = call.args(["--", self.url()]).args(names.iter().map(|(name, _)| format!(":{name}")));
            run(call, &self.url, ASKING)?;
        }
        ambiguous.first().map_or(Ok(()), |(name, _)| {
            let said = format!("{name} is how a branch or a tag ends there, so it stays");
            Err(RemoteError::Refused { url: self.url().to_owned(), said })
        })
    }
}

/// Could a run's commits be pushed to a remote? Nothing is written there.
///
/// # Errors
/// See [`RemoteError`].
pub fn try_push(
    url: &RemoteUrl,
    from: &Repository,
    commit: ObjectId,
    scratch: &Path,
) -> Result<(), RemoteError> {
    let relay = Relay::make(from, scratch)?;
    let call =
        relay.pushing(None)?.args(["--dry-run", "--", url.as_str(), &format!("{commit}:{}", trial(commit))]);
    run(call, url, ASKING).map(drop)
}

/// How much has come, in bytes.
fn size_of(folder: &Path) -> u64 {
    // outside: the state folder.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // outside: the state folder.
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}
