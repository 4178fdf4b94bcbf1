//! Reading files of a repository that is not trusted: plain files only, so much and no more.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use windlass_core::hexadecimal;

use windlass_host::file::size_and_digest;
use windlass_host::tree::where_it_leads;

/// The longest settings file, in bytes.
const LONGEST: u64 = 1 << 20;

/// The longest script, in bytes.
const LONGEST_SCRIPT: u64 = 64 << 20;

/// What is in a file's place.
pub(super) enum Read {
    /// Nothing, or nothing that a program could read.
    Absent,
    /// A plain file: all of it.
    Bytes(Vec<u8>),
    /// Something else, or more than is looked at: one half of a sentence.
    Trouble(String),
}

/// A settings file. A link is followed: so does the program that reads it.
pub(super) fn read(path: &Path) -> Read {
    let Some(real) = where_it_leads(path) else { return Read::Absent };
    let trouble = |error: &io::Error| Read::Trouble(said(error));
    let mut bytes = Vec::new();
    match real.open_itself().and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)) {
        Err(error) => trouble(&error),
        Ok(_) if bytes.len() as u64 > LONGEST => Read::Trouble("it is longer than 1 MiB".to_owned()),
        Ok(_) => Read::Bytes(bytes),
    }
}

/// What is in a folder, be it at the end of a link; nothing where there is none.
pub(super) fn paths_in(folder: &Path) -> Vec<PathBuf> {
    let names = where_it_leads(folder).and_then(|real| real.names().ok()).unwrap_or_default();
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Is a folder there, or a link to one?
pub(super) fn is_folder(path: &Path) -> bool {
    where_it_leads(path).is_some_and(|real| real.is_real_folder())
}

/// Can it be executed?
pub(super) fn is_executable(path: &Path) -> bool {
    let found = where_it_leads(path).and_then(|real| real.look().ok().flatten());
    found.is_some_and(|found| found.mode & 0o111 != 0)
}

/// The SHA-256 of a script; `None` where there is no file.
pub(super) fn digest(path: &Path) -> Result<Option<String>, String> {
    let Some(real) = where_it_leads(path) else { return Ok(None) };
    let file = match real.open_itself() {
        Ok(file) => file.take(LONGEST_SCRIPT + 1),
        Err(_) if real.is_real_folder() => return Ok(None),
        Err(error) => return Err(said(&error)),
    };
    let (size, digest) = size_and_digest(file).map_err(|error| said(&error))?;
    if size > LONGEST_SCRIPT {
        return Err("it is longer than 64 MiB".to_owned());
    }
    Ok(Some(hexadecimal::digits(&digest)))
}

fn said(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::InvalidInput => "it is not a plain file".to_owned(),
        _ => format!("it cannot be read ({error})"),
    }
}
