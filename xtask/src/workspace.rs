//! Where the project is, and where it builds.

use std::collections::BTreeSet;
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
        let described = described(None)?;
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

    /// The first file of every library, program, test, bench, example and build script, below the root: what cargo makes
    /// of the manifests among `files`, also of those outside the workspace.
    pub fn crate_roots(&self, files: &[PathBuf]) -> Result<BTreeSet<PathBuf>, Failure> {
        let workspace = PathBuf::from("Cargo.toml");
        let manifests = files.iter().filter(|file| file.ends_with("Cargo.toml") && **file != workspace);
        let mut known = BTreeSet::new();
        let mut roots = BTreeSet::new();
        for manifest in [&workspace].into_iter().chain(manifests) {
            if known.contains(manifest) {
                continue;
            }
            let described = described(Some(&self.root.join(manifest)))?;
            let path = |of: &serde_json::Value| of.as_str().map(|path| self.below_root(Path::new(path)));
            for package in described["packages"].as_array().into_iter().flatten() {
                known.extend(path(&package["manifest_path"]));
                let targets = package["targets"].as_array().into_iter().flatten();
                roots.extend(targets.filter_map(|target| path(&target["src_path"])));
            }
        }
        Ok(roots)
    }

    fn below_root(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }
}

/// What cargo says of a manifest's workspace, or of the one that it is started in.
fn described(manifest: Option<&Path>) -> Result<serde_json::Value, Failure> {
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(manifest) = manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    let described = output_of(&mut command)?;
    serde_json::from_str(&described).map_err(|error| Failure(format!("cargo metadata: {error}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_outside_the_workspace_has_its_root_as_well() {
        let workspace = Workspace::find().unwrap();
        let outside = PathBuf::from("crates/windlass-fuzz/guided/Cargo.toml");
        let roots = workspace.crate_roots(&[PathBuf::from("xtask/Cargo.toml"), outside]).unwrap();
        for root in [
            "crates/windlass-fuzz/guided/src/main.rs",
            "crates/windlass-core/src/lib.rs",
            "crates/windlass/tests/loop/main.rs",
            "crates/windlass-ui/examples/gallery.rs",
            "xtask/src/bin/bench-agent.rs",
        ] {
            assert!(roots.contains(Path::new(root)), "{root}: {roots:?}");
        }
    }
}
