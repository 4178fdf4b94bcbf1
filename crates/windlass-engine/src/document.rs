//! Documents that people and agents write (plans, tasks): read within bounds, whatever lies in their place.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::store::digest;

/// A file's bytes, or why there are none, as the end of a sentence.
pub(crate) type Content = Result<Vec<u8>, String>;

/// A file's bytes, or so many that it is seen to be longer than `longest`; or why there are none. `None` when there is no such file.
pub(crate) fn read(path: &Path, longest: usize) -> Option<Content> {
    let link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(metadata) if metadata.is_dir() => return Some(Err("is a folder".to_owned())),
        Ok(_) => return Some(Err("is no file, but a pipe or a device".to_owned())),
        Err(error) if link => return Some(Err(format!("is a link that leads nowhere: {error}"))),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return None;
        }
        Err(error) => return Some(Err(format!("cannot be read: {error}"))),
    }
    let mut bytes = Vec::new();
    let longest = u64::try_from(longest).unwrap_or(u64::MAX).saturating_add(1);
    let read = File::open(path).and_then(|file| file.take(longest).read_to_end(&mut bytes));
    Some(read.map(|_| bytes).map_err(|error| format!("cannot be read: {error}")))
}

/// The documents of a folder (relative to `directory`), in the order of `names`, until they are longer than `longest` bytes together:
/// the last one is then the one with which they are.
pub(crate) fn read_folder(
    directory: &Path,
    folder: &Path,
    names: Vec<PathBuf>,
    longest: usize,
) -> Vec<(PathBuf, Content)> {
    let mut room = longest;
    let mut documents = Vec::new();
    for name in names {
        let path = folder.join(&name);
        let Some(content) = read(&directory.join(&path), room) else { continue };
        let length = content.as_ref().map_or(0, Vec::len);
        documents.push((path, content));
        let Some(left) = room.checked_sub(length) else { break };
        room = left;
    }
    documents
}

/// A digest of all names and contents, as short as it is shown; empty where there is no document.
pub(crate) fn mark<'document>(
    documents: impl Iterator<Item = (&'document str, &'document Content)>,
) -> String {
    whole_mark(documents).chars().take(16).collect()
}

/// A digest of all names and contents; empty where there is no document.
pub(crate) fn whole_mark<'document>(
    documents: impl Iterator<Item = (&'document str, &'document Content)>,
) -> String {
    let mut listing = Vec::new();
    for (name, content) in documents {
        listing.extend_from_slice(name.as_bytes());
        listing.push(0);
        match content {
            Ok(bytes) => listing.extend_from_slice(digest(bytes).as_bytes()),
            Err(why) => listing.extend_from_slice(why.as_bytes()),
        }
        listing.push(0);
    }
    if listing.is_empty() { String::new() } else { digest(&listing) }
}
