//! What goes into every package beside the program: completions, manual pages, licences.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Release, foreign};
use crate::man;
use crate::program::{Failure, bytes_of};
use crate::workspace::Workspace;

/// A folder with all of it, which is gone when this is dropped.
pub struct Staging {
    folder: tempfile::TempDir,
}

/// Where a shell looks for completions, below `share/`.
pub const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/windlass"),
    ("zsh", "zsh/site-functions/_windlass"),
    ("fish", "fish/vendor_completions.d/windlass.fish"),
];

/// Documents that go along.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

impl Staging {
    /// `bin/`, `share/` as below a prefix, and the documents.
    pub fn fill(workspace: &Workspace, release: &Release, program: &Path) -> Result<Staging, Failure> {
        let staging = Staging::empty()?;
        let placed = staging.path("bin/windlass");
        make_folder_of(&placed)?;
        fs::copy(program, &placed).map_err(|error| Failure::at(program, error))?;
        set_mode(&placed, 0o755)?;
        let call = || foreign::call(&placed, &release.target);
        let said = bytes_of(call()?.arg("--version"))?;
        if String::from_utf8_lossy(&said).trim() != format!("windlass {}", release.version) {
            let said = String::from_utf8_lossy(&said).trim().to_owned();
            return Err(Failure(format!(
                "{} is not version {}: it says {said}",
                program.display(),
                release.version
            )));
        }
        for (shell, place) in COMPLETIONS {
            let script = bytes_of(call()?.args(["completions", shell]))?;
            staging.write(&format!("share/{place}"), &script)?;
        }
        man::write_pages(workspace, &staging.path("share/man/man1"))?;
        for document in DOCUMENTS {
            staging.write(document, workspace.read(document)?.as_bytes())?;
        }
        Ok(staging)
    }

    /// With nothing in it.
    pub fn empty() -> Result<Staging, Failure> {
        let folder =
            tempfile::tempdir().map_err(|error| Failure(format!("a folder for packages: {error}")))?;
        Ok(Staging { folder })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A path below it.
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.root().join(below)
    }

    /// Writes a file below it.
    pub fn write(&self, below: &str, bytes: &[u8]) -> Result<(), Failure> {
        write_file(&self.path(below), bytes)
    }
}

/// Writes a file that everybody may read, with the folders it needs.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    make_folder_of(path)?;
    fs::write(path, bytes).map_err(|error| Failure::at(path, error))?;
    set_mode(path, 0o644)
}

/// The folder that `path` is to lie in.
pub fn make_folder_of(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))
}

/// Whoever builds may have an umask of their own; packages have none.
pub fn set_mode(path: &Path, mode: u32) -> Result<(), Failure> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(|error| Failure::at(path, error))
}

/// All files below a folder, by their paths from there, sorted.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { collect(&path, found)? } else { found.push(path) }
        }
        Ok(())
    }
    let mut found = Vec::new();
    collect(folder, &mut found).map_err(|error| Failure::at(folder, error))?;
    let below = |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).to_owned();
    let mut found: Vec<PathBuf> = found.iter().map(below).collect();
    found.sort();
    Ok(found)
}
