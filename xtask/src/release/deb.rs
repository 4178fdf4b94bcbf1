//! The Debian package, made without root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Release;
use super::binary::Needs;
use super::staging::{Staging, files_below, make_folder_of, set_mode, write_file};
use crate::program::{Failure, bytes_of};

/// What Debian calls machines.
fn architecture(name: &str) -> &str {
    match name {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// `windlass_VERSION_amd64.deb`.
pub fn write(release: &Release, staging: &Staging, needs: &Needs) -> Result<(), Failure> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure(format!("a folder for the package: {error}")))?;
    let root = folder.path();
    let mut size = 0;
    for file in files_below(staging.root())? {
        let from = staging.path(&file);
        let to = root.join(place(&file));
        make_folder_of(&to)?;
        size += fs::copy(&from, &to).map_err(|error| Failure::at(&from, error))?;
    }
    write_file(&root.join("DEBIAN/control"), control(release, needs, size.div_ceil(1024)).as_bytes())?;
    for folder in folders_below(root)? {
        set_mode(&folder, 0o755)?;
    }
    let architecture = architecture(release.architecture());
    let package = release.file(format!("windlass_{}_{architecture}.deb", release.version));
    let mut command = Command::new("dpkg-deb");
    command.args(["--root-owner-group", "-Zgzip", "--build"]).arg(root).arg(package);
    bytes_of(command.env("SOURCE_DATE_EPOCH", release.time.to_string())).map(drop)
}

/// Where a file of ours lies on a Debian system.
fn place(file: &Path) -> PathBuf {
    if file.starts_with("share/zsh") {
        // Debian's zsh does not look where zsh itself says.
        PathBuf::from("usr/share/zsh/vendor-completions/_windlass")
    } else if file.starts_with("bin") || file.starts_with("share") {
        PathBuf::from("usr").join(file)
    } else {
        PathBuf::from("usr/share/doc/windlass").join(file)
    }
}

/// What the package says of itself. `size`: in kibibytes, installed.
fn control(release: &Release, needs: &Needs, size: u64) -> String {
    let depends = match needs {
        Needs::Linux => String::new(),
        Needs::Glibc(major, minor) => format!("Depends: libc6 (>= {major}.{minor})\n"),
    };
    format!(
        "Package: windlass\nVersion: {}\nArchitecture: {}\nMaintainer: The Windlass authors <windlass@invalid>\n\
         Installed-Size: {size}\n{depends}Recommends: git\nSuggests: bubblewrap\nSection: devel\nPriority: optional\n\
         Description: drives a coding agent until a job is shown to be done\n \
         Windlass runs a coding agent on a job, iteration after iteration, until the\n \
         job is shown to be done, a limit is reached, or a person is needed.\n",
        release.version,
        architecture(release.architecture()),
    )
}

fn folders_below(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = vec![root.to_owned()];
    for file in files_below(root)? {
        let mut folder = root.join(file);
        while folder.pop() && folder != root && !found.contains(&folder) {
            found.push(folder.clone());
        }
    }
    Ok(found)
}
