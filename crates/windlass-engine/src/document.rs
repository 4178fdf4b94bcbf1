//! Documents that people and agents write (plans, tasks): read within bounds, whatever lies in their place.

use std::path::PathBuf;

use windlass_host::file::digest;
use windlass_host::tree;
use windlass_host::tree::{Kind, TreePath};

/// A file's bytes, or why there are none, as the end of a sentence.
pub(crate) type Content = Result<Vec<u8>, String>;

/// A file's bytes, or so many that it is seen to be longer than `longest`; or why there are none. `None` when there is no such file.
pub(crate) fn read(path: &TreePath, longest: usize) -> Option<Content> {
    match path.look_through().map(|found| found.map(|found| found.kind)) {
        Ok(Some(Kind::File)) => {}
        Ok(Some(Kind::Folder)) => return Some(Err("is a folder".to_owned())),
        Ok(Some(_)) => return Some(Err("is no file, but a pipe or a device".to_owned())),
        Ok(None) if path.is_link() => {
            return Some(Err("is a link that leads nowhere: there is no such file".to_owned()));
        }
        Ok(None) => return None,
        Err(error) if tree::leads_out(&error) => {
            return Some(Err("is a link that leads out of the project, and is not followed".to_owned()));
        }
        Err(error) => return Some(Err(format!("cannot be read: {error}"))),
    }
    match path.read_beginning(longest) {
        Ok(bytes) => bytes.map(Ok),
        Err(error) => Some(Err(format!("cannot be read: {}", error.source))),
    }
}

/// The documents of a folder (relative to `directory`), in the order of `names`, until they are longer than `longest` bytes together:
/// the last one is then the one with which they are.
pub(crate) fn read_folder(
    directory: &TreePath,
    folder: &std::path::Path,
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
