//! `cargo xtask release`: everything that is published of a version, made from one program.
//!
//! An archive, a Debian package, an npm package, what they are made of (SBOM), the install script, and the checksums of all
//! of it. Nothing is published and nothing is signed here: that takes a key that no chore should hold.

mod archive;
mod binary;
mod deb;
mod foreign;
mod npm;
mod sbom;
mod staging;
mod sums;
mod trained;

use std::fs;
use std::path::{Path, PathBuf};

use flate2::Compression;

use crate::program::{Failure, succeeds};
use crate::workspace::Workspace;

use staging::Staging;
pub use trained::Training;

/// A version of the program for one kind of machine.
struct Release {
    version: String,
    /// As the compiler names the machine: `x86_64-unknown-linux-musl`.
    target: String,
    /// Where what is made goes.
    into: PathBuf,
    /// When its last commit was made, in seconds since 1970: the time of every file, so that the same makes the same.
    time: u64,
}

impl Release {
    /// `windlass-0.1.0-x86_64-unknown-linux-musl`.
    fn stem(&self) -> String {
        format!("windlass-{}-{}", self.version, self.target)
    }

    /// `x86_64`, `aarch64`.
    fn architecture(&self) -> &str {
        foreign::architecture(&self.target)
    }

    fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.into.join(name)
    }
}

const USAGE: &str = "usage: cargo xtask release [--target TRIPLE] [--program FILE] [--into DIR]";

/// What was typed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    target: Option<String>,
    program: Option<PathBuf>,
    into: Option<PathBuf>,
}

impl Wanted {
    fn read(arguments: &[String]) -> Result<Wanted, Failure> {
        let mut wanted = Wanted::default();
        for pair in arguments.chunks(2) {
            match pair {
                [flag, value] if flag == "--target" => wanted.target = Some(value.clone()),
                [flag, value] if flag == "--program" => wanted.program = Some(value.into()),
                [flag, value] if flag == "--into" => wanted.into = Some(value.into()),
                _ => return Err(Failure(USAGE.to_owned())),
            }
        }
        Ok(wanted)
    }
}

/// The chore. With `--program` that file is packed, whatever it was built with; without, one is built.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let wanted = Wanted::read(arguments)?;
    let target = wanted.target.map_or_else(binary::best_target, Ok)?;
    let release = Release {
        version: binary::version(workspace)?,
        target,
        into: wanted.into.unwrap_or_else(|| workspace.target.join("release-files")),
        time: binary::time_of_last_commit(workspace)?,
    };
    let program = match wanted.program {
        Some(program) => program,
        None => trained::build(workspace, &release.target, Training::Anew)?,
    };
    make(workspace, &release, &program)?;
    println!("{}", release.into.display());
    Ok(())
}

/// The program as it is released for this machine.
pub fn program(workspace: &Workspace, training: Training) -> Result<PathBuf, Failure> {
    trained::build(workspace, &binary::best_target()?, training)
}

/// What `install.sh` takes and no more, of a program that is built already: the archive, the script, their checksums.
pub fn make_installable(workspace: &Workspace, program: &Path, into: &Path) -> Result<(), Failure> {
    let release = Release {
        version: binary::version(workspace)?,
        target: binary::host()?,
        into: into.to_owned(),
        time: binary::time_of_last_commit(workspace)?,
    };
    fs::create_dir_all(into).map_err(|error| Failure::at(into, error))?;
    // It is unpacked at once and by nobody else: packing it well takes longer than all that follows.
    archive::write(&release, &Staging::fill(workspace, &release, program)?, Compression::fast())?;
    add_script_and_sums(workspace, &release)
}

fn make(workspace: &Workspace, release: &Release, program: &Path) -> Result<(), Failure> {
    fs::create_dir_all(&release.into).map_err(|error| Failure::at(&release.into, error))?;
    let needs = binary::Needs::of(program)?;
    println!("{}: {needs}", release.stem());
    let staging = Staging::fill(workspace, release, program)?;
    archive::write(release, &staging, Compression::best())?;
    npm::write(workspace, release, &staging)?;
    sbom::write(workspace, release)?;
    if succeeds(std::process::Command::new("dpkg-deb").arg("--version")) {
        deb::write(release, &staging, &needs)?;
    } else {
        println!("no Debian package: dpkg-deb is not installed here");
    }
    add_script_and_sums(workspace, release)
}

fn add_script_and_sums(workspace: &Workspace, release: &Release) -> Result<(), Failure> {
    let script = release.file("install.sh");
    fs::copy(workspace.root.join("dist/install.sh"), &script).map_err(|error| Failure::at(&script, error))?;
    sums::write(&release.into)
}

#[cfg(test)]
mod tests;
