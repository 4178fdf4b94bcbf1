//! The private folder of a fleet that is tried: configuration, passwords, what servers and workers keep.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tempfile::TempDir;
use windlass_fleet::settings::Role;
use windlass_host::file::{create_private_folder, remove_folder, replace};

use crate::error::{AppError, Kind};

/// The verb of the windlass program by which such a folder is removed: `windlass remove-dev-folder FOLDER`.
pub(crate) const FOLDER_COMMAND: &str = "remove-dev-folder";

/// What its name begins with; nothing else is ever removed.
const PREFIX: &str = "windlass-fleet-dev-";

/// Removed when it is dropped; by the keeper where nobody is there to drop it.
pub(super) struct DevFolder(TempDir);

impl DevFolder {
    pub(super) fn create() -> Result<DevFolder, AppError> {
        let only_its_owner = fs::Permissions::from_mode(0o700);
        let made = tempfile::Builder::new().prefix(PREFIX).permissions(only_its_owner).tempdir();
        made.map(DevFolder).map_err(|error| {
            let place = std::env::temp_dir();
            AppError::new(Kind::System, format!("cannot create a folder in {}: {error}", place.display()))
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// A file that only its owner may read.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, AppError> {
        let path = self.path().join(name);
        replace(&path, text.as_bytes(), 0o600).map_err(AppError::system)?;
        Ok(path)
    }

    /// A folder in it.
    pub(super) fn make(&self, name: &str) -> Result<PathBuf, AppError> {
        let path = self.path().join(name);
        create_private_folder(&path).map_err(AppError::system)?;
        Ok(path)
    }

    /// Where the user and the password of a role are.
    pub(super) fn password_file(&self, role: Role) -> PathBuf {
        self.path().join(format!("{}.password", role.name()))
    }
}

/// Removes such a folder: what a keeper starts when everything in it has ended.
pub(crate) fn remove_dev_folder(arguments: &[OsString]) -> ExitCode {
    let [folder] = arguments else { return ExitCode::FAILURE };
    let folder = Path::new(folder);
    let is_one = folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    if folder.is_absolute() && is_one && remove_folder(folder).is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_else_is_removed() {
        let other = tempfile::tempdir().unwrap();
        let file = other.path().join("file");
        fs::write(&file, b"work").unwrap();
        for arguments in [vec![other.path().into()], vec![], vec![OsString::from("windlass-fleet-dev-x")]] {
            assert_eq!(remove_dev_folder(&arguments), ExitCode::FAILURE);
        }
        assert!(file.exists());
        let folder = DevFolder::create().unwrap();
        folder.write("a", "b").unwrap();
        assert_eq!(remove_dev_folder(&[folder.path().into()]), ExitCode::SUCCESS);
        assert!(!folder.path().exists());
    }
}
