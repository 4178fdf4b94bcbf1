//! The programs that a stranger's machine has: as links in a folder, or as a file system of their own.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, output_of};

/// What `install.sh` and Windlass ask for, and what the steps are typed with.
const PROGRAMS: [&str; 19] = [
    "cat",
    "chmod",
    "cp",
    "git",
    "grep",
    "gzip",
    "head",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sed",
    "sh",
    "sha256sum",
    "sleep",
    "tar",
    "tee",
    "tr",
    "uname",
];

/// A folder for a `PATH` that has these programs and no others.
pub fn link_programs(folder: &Path) -> Result<(), Failure> {
    make(folder)?;
    for name in PROGRAMS {
        let link = folder.join(name);
        symlink(find(name)?, &link).map_err(|error| Failure::at(&link, error))?;
    }
    Ok(())
}

/// A file system of these programs and of the libraries that they and a Rust program need, from this machine.
pub fn fill(root: &Path) -> Result<(), Failure> {
    for folder in ["bin", "dev", "proc", "tmp"] {
        make(&root.join(folder))?;
    }
    // This chore is a Rust program, too.
    let own =
        std::env::current_exe().map_err(|error| Failure(format!("the chore's own program: {error}")))?;
    let mut libraries = libraries(&own)?;
    for name in PROGRAMS {
        let program = find(name)?;
        copy(&program, &root.join("bin").join(name))?;
        libraries.extend(self::libraries(&program)?);
    }
    // What comes with the C library is on each machine that has it.
    let beside = libraries.iter().filter(|library| library.ends_with("libc.so.6"));
    let mathematics = beside.map(|library| library.with_file_name("libm.so.6")).find(|file| file.is_file());
    libraries.extend(mathematics);
    libraries.sort();
    libraries.dedup();
    for library in libraries {
        let place = root.join(library.strip_prefix("/").unwrap_or(&library));
        copy(&library, &place)?;
    }
    Ok(())
}

fn find(name: &str) -> Result<PathBuf, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file());
    let found = found
        .ok_or_else(|| Failure(format!("{name} is missing on this machine: install it, then try again")))?;
    found.canonicalize().map_err(|error| Failure::at(&found, error))
}

fn libraries(program: &Path) -> Result<Vec<PathBuf>, Failure> {
    let said = output_of(Command::new("ldd").arg(program))?;
    Ok(said
        .split_whitespace()
        .filter(|word| word.starts_with('/'))
        .map(|word| word.trim_end_matches(':').into())
        .collect())
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    make(to.parent().unwrap_or(to))?;
    fs::copy(from, to).map(drop).map_err(|error| Failure::at(from, error))
}

fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))
}
