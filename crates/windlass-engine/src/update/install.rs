//! The exchange of the program: tried first, the old one kept beside it, and one rename.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempPath;
use windlass_core::release::Version;
use windlass_core::values::Ended;
use windlass_host::file;
use windlass_host::process::Command;

use super::UpdateError;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// What an exchange left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Where the program that was replaced is now.
    pub previous: PathBuf,
}

/// Puts `bytes`, which is this version, in the place of `program`. Whoever starts the program meanwhile gets the old one or the
/// new one, whole; where something goes wrong the old one stays.
///
/// # Errors
/// The new program does not run or is another version; the folder cannot be written.
pub fn install(program: &Path, bytes: &[u8], version: Version) -> Result<Installed, UpdateError> {
    let wrong = |source: io::Error| UpdateError::Program { path: program.to_owned(), source };
    let permissions = fs::metadata(program).map_err(wrong)?.permissions();
    let folder = program.parent().unwrap_or(Path::new("/"));
    let new = write_beside(folder, bytes, permissions).map_err(wrong)?;
    try_out(&new, version)?;
    let previous = program.with_extension("previous");
    keep(program, &previous).map_err(wrong)?;
    new.persist(program).map_err(|failed| wrong(failed.error))?;
    file::sync_folder(folder)?;
    Ok(Installed { previous })
}

/// The new program, on the disk, and open nowhere: what is being written cannot be started.
fn write_beside(folder: &Path, bytes: &[u8], permissions: fs::Permissions) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new().prefix(".windlass-").suffix(".tmp").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    Ok(file.into_temp_path())
}

fn try_out(program: &Path, version: Version) -> Result<(), UpdateError> {
    let asked = Command::new(program).argument("--version").directory("/").timeout(PATIENCE).run();
    let output = asked.map_err(|error| UpdateError::DoesNotRun(error.to_string()))?;
    let said = output.stdout.text();
    if output.ended == Ended::Exited(0) && said.trim() == format!("windlass {version}") {
        return Ok(());
    }
    let error = output.stderr.text();
    let said = [said, error].into_iter().find_map(|text| text.lines().next().map(str::to_owned));
    Err(UpdateError::DoesNotRun(format!("it says {:?}", said.unwrap_or_default())))
}

/// The old program under another name: the same file, so that it is never away.
fn keep(program: &Path, previous: &Path) -> io::Result<()> {
    let beside = previous.with_extension("previous.new");
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::hard_link(program, &beside)?;
    fs::rename(&beside, previous)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn script(says: &str) -> Vec<u8> {
        format!("#!/bin/sh\necho {says}\n").into_bytes()
    }

    fn version() -> Version {
        "9.0.0".parse().unwrap()
    }

    #[test]
    fn the_old_program_is_kept_and_permissions_stay() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("windlass");
        fs::write(&program, script("old")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o750)).unwrap();
        for _ in 0..2 {
            let installed = install(&program, &script("windlass 9.0.0"), version()).unwrap();
            assert_eq!(installed.previous, folder.path().join("windlass.previous"));
            assert_eq!(fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o750);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(fs::read(folder.path().join("windlass.previous")).unwrap(), script("windlass 9.0.0"));
    }

    #[test]
    fn what_does_not_run_or_is_another_version_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("windlass");
        fs::write(&program, script("old")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        for bytes in [script("windlass 8.0.0"), b"\x7fELF not".to_vec(), script("windlass 9.0.0; exit 1")] {
            let refused = install(&program, &bytes, version()).unwrap_err();
            assert!(matches!(refused, UpdateError::DoesNotRun(_)), "{refused}");
            assert_eq!(fs::read(&program).unwrap(), script("old"));
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }
}
