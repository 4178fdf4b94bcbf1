//! What a person trusted of a repository, kept with its project: all checkouts of one repository share it.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_core::trust::{Startable, Startables};

use crate::store::{Project, StoreError, write_atomically};
use windlass_host::file::{lock_within, read_beginning};

/// The format of the file.
const VERSION: u32 = 1;

/// The longest file that is read, in bytes.
const LONGEST: usize = 64 << 20;

/// How long another windlass may take to write it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait between two tries.
const POLL: Duration = Duration::from_millis(10);

/// What is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trusted {
    /// It.
    pub items: Startables,
    /// Why nothing of the file counts, where it cannot be read.
    pub trouble: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct TrustFile {
    version: u32,
    trusted: Vec<Startable>,
}

/// What a person trusted here. A file that cannot be read holds nothing.
pub fn trusted(project: &Project) -> Trusted {
    let path = file(project);
    let nothing = |why: String| Trusted {
        items: Startables::default(),
        trouble: Some(format!("{}: {why}; nothing counts as trusted here", path.display())),
    };
    let bytes = match read_beginning(&path, LONGEST) {
        Ok(None) => return Trusted::default(),
        Ok(Some(bytes)) if bytes.len() > LONGEST => return nothing("the file is too long".to_owned()),
        Ok(Some(bytes)) => bytes,
        Err(error) => return nothing(error.source.to_string()),
    };
    match serde_json::from_slice::<TrustFile>(&bytes) {
        Ok(TrustFile { version: VERSION, trusted }) => {
            Trusted { items: trusted.into_iter().collect(), trouble: None }
        }
        Ok(TrustFile { version, .. }) => nothing(format!("a newer Windlass wrote it (format {version})")),
        Err(_) => nothing("the file is damaged".to_owned()),
    }
}

/// Adds to it.
pub fn trust(project: &Project, items: &Startables) -> Result<(), StoreError> {
    if items.is_empty() {
        return Ok(());
    }
    let _lock = lock(project)?;
    write(project, &trusted(project).items.with(items))
}

/// Forgets all of it; how much it was.
pub fn revoke(project: &Project) -> Result<usize, StoreError> {
    let _lock = lock(project)?;
    let before = trusted(project);
    if before != Trusted::default() {
        write(project, &Startables::default())?;
    }
    Ok(before.items.len())
}

fn write(project: &Project, items: &Startables) -> Result<(), StoreError> {
    let path = file(project);
    let kept = TrustFile { version: VERSION, trusted: items.iter().cloned().collect() };
    let mut bytes = serde_json::to_vec_pretty(&kept)
        .map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
    bytes.push(b'\n');
    write_atomically(&path, &bytes)
}

/// The project's folder itself, held until it is dropped: one at a time reads and writes.
fn lock(project: &Project) -> Result<File, StoreError> {
    project.create()?;
    let path = project.path();
    let io = |error| StoreError::Io { doing: "lock", path: path.to_owned(), source: error };
    let file = File::open(path).map_err(io)?;
    if lock_within(&file, PATIENCE, POLL).map_err(io)? {
        return Ok(file);
    }
    Err(io(io::Error::new(io::ErrorKind::WouldBlock, "another windlass holds it")))
}

fn file(project: &Project) -> PathBuf {
    project.path().join("trust.json")
}
