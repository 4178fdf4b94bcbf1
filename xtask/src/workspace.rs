//! Where the project is, and where it builds.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Failure, cargo, output_of};

/// The project's directories, as cargo sees them.
#[derive(Debug)]
pub struct Workspace {
    /// Where the root `Cargo.toml` is.
    pub root: PathBuf,
    /// Where everything built goes; `CARGO_TARGET_DIR` is respected.
    pub target: PathBuf,
}

impl Workspace {
    /// Asks cargo.
    pub fn find() -> Result<Self, Failure> {
        let mut command = cargo();
        command.args(["metadata", "--no-deps", "--format-version", "1"]);
        let described = output_of(&mut command)?;
        let described: serde_json::Value =
            serde_json::from_str(&described).map_err(|error| Failure(format!("cargo metadata: {error}")))?;
        let directory = |name: &str| {
            let path = described[name].as_str().map(PathBuf::from);
            path.ok_or_else(|| Failure(format!("cargo metadata names no {name}")))
        };
        Ok(Self { root: directory("workspace_root")?, target: directory("target_directory")? })
    }

    /// The text of a file, by its path below the root.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<String, Failure> {
        let path = self.root.join(path);
        fs::read_to_string(&path).map_err(|error| Failure::at(&path, error))
    }

    /// The folders of all our crates, `xtask` included, below the root, sorted.
    pub fn crates(&self) -> Result<Vec<PathBuf>, Failure> {
        let folder = self.root.join("crates");
        let mut found = vec![PathBuf::from("xtask")];
        for entry in entries(&folder)? {
            if entry.join("Cargo.toml").is_file() {
                found.push(self.below_root(&entry));
            }
        }
        found.sort();
        Ok(found)
    }

    /// Every Rust file of ours, below the root, sorted.
    pub fn rust_files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut found = Vec::new();
        for folder in self.crates()? {
            collect_rust_files(&self.root.join(folder), &mut found)?;
        }
        let mut found: Vec<PathBuf> = found.iter().map(|path| self.below_root(path)).collect();
        found.sort();
        Ok(found)
    }

    fn below_root(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }
}

fn collect_rust_files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for path in entries(folder)? {
        if path.is_dir() && !path.ends_with("target") {
            collect_rust_files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error| Failure::at(folder, error);
    fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path())).collect()
}
