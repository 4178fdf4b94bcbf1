//! Documents that people and agents write (plans, tasks): read within bounds, whatever lies in their place.

use windlass_host::file::digest;
use windlass_host::tree;
use windlass_host::tree::{Kind, TreePath};
use windlass_jobs::doc::tasks::TaskFile;

/// A file's bytes, or why there are none, as the end of a sentence.
pub(crate) type Content = Result<Vec<u8>, String>;

/// A file's bytes, or so many that it is seen to be longer than `longest`; or why there are none. `None` when there is no such file.
pub(crate) fn read(path: &TreePath, longest: usize) -> Option<Content> {
    match path.look_through().map(|found| found.map(|found| found.kind)) {
        Ok(Some(Kind::File)) => {}
        Ok(Some(Kind::Folder)) => return Some(Err("is a folder".to_owned())),
        Ok(Some(_)) => return Some(Err("is not a file, but a pipe or a device".to_owned())),
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

/// A digest of all names and contents; empty where there is no document.
pub(crate) fn whole_mark(documents: &[TaskFile]) -> String {
    let mut listing = Vec::new();
    for file in documents {
        listing.extend_from_slice(file.name.as_bytes());
        listing.push(0);
        match &file.content {
            Ok(bytes) => listing.extend_from_slice(digest(bytes).as_bytes()),
            Err(why) => listing.extend_from_slice(why.as_bytes()),
        }
        listing.push(0);
    }
    if listing.is_empty() { String::new() } else { digest(&listing) }
}

/// A mark as short as it is shown.
pub(crate) fn shown(mark: &str) -> String {
    mark.chars().take(16).collect()
}
