//! Updating this program: what a release names, signed; the archive, held to its checksum; and the exchange of the program.
//!
//! Nothing is believed that is not covered by the signature: it is over the checksums, and they name version and archive.

mod fetch;
mod install;
mod unpack;

use std::path::PathBuf;
use std::time::Duration;

use minisign_verify::{PublicKey, Signature};
use windlass_core::release::{Listed, Machine};
use windlass_host::file::{self, FileError};

pub use install::{Installed, install};

/// What is signed.
const SUMS: &str = "SHA256SUMS";

/// Its signature, in minisign's form.
const SIGNATURE: &str = "SHA256SUMS.minisig";

/// The longest list of checksums, and the longest signature, in bytes.
const LONGEST_LIST: u64 = 256 << 10;

/// The longest archive, in bytes.
const LONGEST_ARCHIVE: u64 = 128 << 20;

/// Time for a list, and for an archive.
const LIST_TIME: Duration = Duration::from_secs(30);
const ARCHIVE_TIME: Duration = Duration::from_mins(10);

/// Where releases are, and who signs them.
#[derive(Clone, Debug)]
pub struct Source {
    /// The address of the folder that holds a release's files.
    pub url: String,
    /// The public key, in minisign's form.
    pub key: String,
}

/// Why there is no update.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// A file cannot be fetched.
    #[error("cannot fetch {url}: {why}")]
    Fetch {
        /// Its address, without credentials.
        url: String,
        /// Why.
        why: String,
    },
    /// The signature is not one, or not by the key that is built in.
    #[error("the release is not signed as it has to be, so it is not used: {0}")]
    Signature(String),
    /// The checksums are not a text.
    #[error("{SUMS} of the release is not a text")]
    NoText,
    /// There is nothing for this machine.
    #[error("the release has no program for this machine ({0})")]
    NotForThisMachine(String),
    /// The archive is not what its checksum says.
    #[error("{0} is not what its checksum says, so it is not used")]
    Changed(String),
    /// The archive cannot be unpacked.
    #[error("{archive} cannot be unpacked: {why}")]
    Archive {
        /// Its name.
        archive: String,
        /// Why.
        why: String,
    },
    /// The new program does not run here.
    #[error("the new program does not run on this machine, so nothing was changed: {0}")]
    DoesNotRun(String),
    /// The program cannot be replaced.
    #[error("{} cannot be replaced: {source}", path.display())]
    Program {
        /// The program.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file of ours cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Source {
    /// What the release there has for this machine, as it is signed.
    ///
    /// # Errors
    /// It cannot be fetched, is not signed by the key, or has nothing for this machine.
    pub fn look(&self) -> Result<Listed, UpdateError> {
        let signature = fetch::get(&self.address(SIGNATURE), LONGEST_LIST, LIST_TIME)?;
        let sums = fetch::get(&self.address(SUMS), LONGEST_LIST, LIST_TIME)?;
        self.verify(&sums, &signature)?;
        let sums = String::from_utf8(sums).map_err(|_| UpdateError::NoText)?;
        let machine = this_machine();
        let missing = || UpdateError::NotForThisMachine(format!("Linux, {}", machine.architecture));
        Listed::find(&sums, &machine).ok_or_else(missing)
    }

    /// The program of a release, which is what was signed.
    ///
    /// # Errors
    /// It cannot be fetched, is not what its checksum says, or cannot be unpacked.
    pub fn fetch(&self, listed: &Listed) -> Result<Vec<u8>, UpdateError> {
        let bytes = fetch::get(&self.address(&listed.archive), LONGEST_ARCHIVE, ARCHIVE_TIME)?;
        if file::digest(&bytes) != listed.sha256 {
            return Err(UpdateError::Changed(listed.archive.clone()));
        }
        unpack::program(&bytes)
            .map_err(|why| UpdateError::Archive { archive: listed.archive.clone(), why: why.to_string() })
    }

    fn address(&self, name: &str) -> String {
        format!("{}/{name}", self.url.trim_end_matches('/'))
    }

    fn verify(&self, sums: &[u8], signature: &[u8]) -> Result<(), UpdateError> {
        let wrong = |error: minisign_verify::Error| UpdateError::Signature(error.to_string());
        let key = PublicKey::from_base64(&self.key).map_err(wrong)?;
        let signature = std::str::from_utf8(signature)
            .map_err(|_| UpdateError::Signature("the signature is not a text".to_owned()))?;
        let signature = Signature::decode(signature).map_err(wrong)?;
        // The old form signs the whole text itself; nothing of ours was ever signed so.
        key.verify(sums, &signature, false).map_err(wrong)
    }
}

/// What this program runs on. One that needs no C library is never replaced by one that does.
fn this_machine() -> Machine<'static> {
    let libraries: &[&str] = if cfg!(target_env = "musl") { &["musl"] } else { &["musl", "gnu"] };
    Machine { architecture: std::env::consts::ARCH, libraries }
}
