//! Puts what an archive holds into an empty folder of our own.

use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::contents::{CHUNK, Contents, FoundKind, Item, below, walk};
use super::error::ArchiveError;
use super::limits::Limits;
use super::reader::Reader;
use windlass_host::file::{AtPath, FileError};
use windlass_host::tree::TreePath;

/// While it is filled a folder is for its owner only.
const OPEN_FOLDER: u32 = 0o700;

/// A folder being filled. Links are made last, so that nothing is ever written through one, and folders get their
/// permissions after what is in them.
#[derive(Debug)]
pub(super) struct Unpacker<'a> {
    root: &'a TreePath,
    /// All that will be in it.
    contents: &'a Contents,
    links: Vec<(PathBuf, PathBuf)>,
}

impl<'a> Unpacker<'a> {
    pub fn new(root: &'a TreePath, contents: &'a Contents) -> Unpacker<'a> {
        Unpacker { root, contents, links: Vec::new() }
    }

    /// All of an archive that is below `top`, but for these names in it.
    pub fn archive(mut self, mut reader: Reader, top: &Path, without: &[&Path]) -> Result<(), ArchiveError> {
        while let Some(entry) = reader.next()? {
            let Some(path) = wanted(&entry.path, top, without) else {
                continue;
            };
            match entry.kind {
                FoundKind::Folder => create_folders(&below(self.root, &path))?,
                FoundKind::Link(target) => self.link(&path, target.into()),
                FoundKind::File(_) => {
                    let whole = self.root.join(&path).shown();
                    let mut file = self.file(&path)?;
                    reader.copy(|piece| Ok(file.write_all(piece).at("write", &whole)?))?;
                    finish_file(&file, &whole, entry.mode, entry.modified)?;
                }
            }
        }
        self.finish()
    }

    /// All of a folder, but for these names in it.
    pub fn copy(mut self, folder: &TreePath, without: &[&str], limits: Limits) -> Result<(), ArchiveError> {
        for found in walk(folder, without, limits)? {
            match found.kind {
                FoundKind::Folder => create_folders(&below(self.root, &found.path))?,
                FoundKind::Link(target) => self.link(&found.path, target.into()),
                FoundKind::File(_) => {
                    let (from, whole) = (folder.join(&found.path), self.root.join(&found.path).shown());
                    let mut file = self.file(&found.path)?;
                    let from = from.open_itself().map_err(|error| from.failed("read", error))?;
                    let mut from = std::io::BufReader::with_capacity(CHUNK, from);
                    std::io::copy(&mut from, &mut file).at("write", &whole)?;
                    finish_file(&file, &whole, found.mode, found.modified)?;
                }
            }
        }
        self.finish()
    }

    fn link(&mut self, path: &Path, target: PathBuf) {
        self.links.push((path.to_owned(), target));
    }

    fn file(&mut self, path: &Path) -> Result<File, FileError> {
        let path = self.root.join(path);
        create_folders(path.parent().as_ref().unwrap_or(self.root))?;
        path.make_file(0o600)
    }

    fn finish(self) -> Result<(), ArchiveError> {
        for (path, target) in &self.links {
            let path = self.root.join(path);
            create_folders(path.parent().as_ref().unwrap_or(self.root))?;
            path.make_link(target)?;
        }
        // The innermost first: one that may not be entered any more bars the way to those in it.
        for (path, item) in self.contents.items.iter().rev() {
            if let Item::Folder { mode } = item {
                let path = below(self.root, path);
                path.sync_folder()?;
                path.set_permissions(*mode)?;
            }
        }
        Ok(())
    }
}

fn wanted(path: &Path, top: &Path, without: &[&Path]) -> Option<PathBuf> {
    if without.contains(&path) {
        return None;
    }
    path.strip_prefix(top).ok().map(Path::to_owned)
}

/// The folder and those above it that are missing.
fn create_folders(path: &TreePath) -> Result<(), FileError> {
    path.make_folders_with(OPEN_FOLDER)
}

fn finish_file(file: &File, path: &Path, mode: u32, modified: u64) -> Result<(), FileError> {
    // A time that the system does not know is not worth failing for.
    if let Some(modified) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(modified)) {
        let _ = file.set_modified(modified);
    }
    file.set_permissions(Permissions::from_mode(mode)).at("write", path)?;
    file.sync_data().at("sync", path)
}
