//! Large files that Git LFS keeps beside the objects: copied by what they hold.

use std::io::{Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Loan;
use super::intake::{files_in, folders_in};
use windlass_host::file::{AtPath, FileError, create_private_folder};
use windlass_host::tree::TreePath;

/// So much of a file is read at once.
const PIECE: usize = 128 * 1024;

impl Loan {
    /// Copies the large files that guests made; one that does not hold what its name says is none.
    pub(super) fn take_large_files(&self) -> Result<(), FileError> {
        let from = self.left().join("lfs/objects");
        let to = self.main.common_dir.join("lfs/objects");
        let files = folders_in(&from).iter().flat_map(folders_in).collect::<Vec<_>>();
        for (name, path) in files.iter().flat_map(files_in) {
            if name.len() == 64
                && let (Some(first), Some(second)) = (name.get(..2), name.get(2..4))
            {
                take_one(&path, &to.join(first).join(second), &name)?;
            }
        }
        Ok(())
    }
}

fn take_one(from: &TreePath, folder: &Path, name: &str) -> Result<(), FileError> {
    let to = folder.join(name);
    if to.is_file() {
        return Ok(());
    }
    let Ok(mut file) = from.open_itself() else { return Ok(()) };
    create_private_folder(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder).at("write in", folder)?;
    let (mut hasher, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        let read = file.read(&mut piece).at("read", &from.shown())?;
        let Some(read) = piece.get(..read).filter(|read| !read.is_empty()) else { break };
        hasher.update(read);
        temporary.write_all(read).at("write", &to)?;
    }
    let digest = windlass_core::hexadecimal::digits(&hasher.finalize());
    if digest == name {
        temporary.persist(&to).map_err(|failed| failed.error).at("write", &to)?;
    }
    Ok(())
}
