//! Looking at a project that is about to be worked on, and making what it has nothing of.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use std::os::unix::fs::MetadataExt as _;

use crate::file::{AtPath as _, FileError, Made, create_new, read_beginning, replace};
use windlass_core::project::{Clues, make_targets, missing_ignore_lines, package_scripts, with_ignore_lines};

/// A longer `package.json` or makefile is not looked into.
const LONGEST: usize = 1024 * 1024;
/// What others may do with a new file.
const PERMISSIONS: u32 = 0o644;
/// Makefiles, the one that `make` takes first.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// What there is to know of the project in this folder. What cannot be read is unknown.
#[must_use]
pub fn clues(folder: &Path) -> Clues {
    let names = fs::read_dir(folder).map(|entries| {
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect::<Vec<_>>()
    });
    let mut files = names.unwrap_or_default();
    files.sort();
    let scripts = text(&folder.join("package.json")).and_then(|text| package_scripts(&text));
    let makefile = MAKEFILES.iter().find(|name| files.iter().any(|file| file == **name));
    let targets = makefile.and_then(|name| text(&folder.join(name))).and_then(|text| make_targets(&text));
    Clues { files, scripts, targets }
}

fn text(path: &Path) -> Option<String> {
    let bytes = read_beginning(path, LONGEST).ok()??;
    String::from_utf8(bytes).ok().filter(|text| text.len() <= LONGEST)
}

/// Makes files, with the folders above them, where nothing is; what is there stays as it is. `files` are paths below
/// `folder` and their texts.
///
/// # Errors
/// Something else is in the way, or the file system refuses. What was made by then stays.
pub fn make(folder: &Path, files: Vec<(PathBuf, String)>) -> Result<Vec<(PathBuf, Made)>, FileError> {
    let mut done = Vec::new();
    for (path, text) in files {
        let full = folder.join(&path);
        let parent = full.parent().unwrap_or(folder);
        fs::create_dir_all(parent).at("create", parent)?;
        done.push((path, create_new(&full, text.as_bytes(), PERMISSIONS)?));
    }
    Ok(done)
}

/// Begins a person's file anew: what was in it is kept, byte for byte, under the name `kept`, which must be free.
///
/// # Errors
/// The file system refuses; then the file is as it was.
pub fn begin_anew(path: &Path, kept: &Path, text: &str) -> Result<(), FileError> {
    let permissions = fs::metadata(path).at("look at", path)?.permissions().mode() & 0o777;
    let former = fs::read(path).at("read", path)?;
    if create_new(kept, &former, permissions)? == Made::WasThere {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists)).at("create", kept);
    }
    let target = fs::canonicalize(path).at("find", path)?;
    replace(&target, text.as_bytes(), permissions)
}

/// What came of adding lines to a `.gitignore`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The lines that were missing.
    pub lines: Vec<String>,
}

/// Adds lines to a project's `.gitignore` where it says nothing about them: at its end, in its own line ends. What is there
/// stays byte for byte; a link is followed.
///
/// # Errors
/// It is no plain file, is longer than a megabyte, or cannot be written.
pub fn append_ignored(folder: &Path, lines: &[&str]) -> Result<Appended, FileError> {
    let path = folder.join(".gitignore");
    let path = path.canonicalize().unwrap_or(path);
    let text = read_beginning(&path, LONGEST)?.unwrap_or_default();
    if text.len() > LONGEST {
        return Err(io::Error::other("it is longer than a megabyte")).at("add to", &path);
    }
    let missing = missing_ignore_lines(&text, lines);
    if !missing.is_empty() {
        let permissions = fs::metadata(&path).map_or(PERMISSIONS, |metadata| metadata.mode() & 0o777);
        replace(&path, &with_ignore_lines(&text, &missing), permissions)?;
    }
    Ok(Appended { lines: missing.into_iter().map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    // rows: 138
    #[test]
    fn scripts_and_targets_are_looked_for_and_nothing_hangs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert_eq!(clues(folder.path()), Clues::default());
        fs::write(path("package.json"), "{\"scripts\": {\"test\": \"vitest\"}}").unwrap();
        fs::write(path("Makefile"), "test:\n\ttrue\n").unwrap();
        let found = clues(folder.path());
        assert_eq!(found.files, ["Makefile", "package.json"]);
        assert!(found.scripts.unwrap().contains("test") && found.targets.unwrap().contains("test"));

        for name in ["package.json", "Makefile"] {
            fs::remove_file(path(name)).unwrap();
            rustix::fs::mknodat(rustix::fs::CWD, path(name), rustix::fs::FileType::Fifo, 0o600.into(), 0)
                .unwrap();
        }
        assert_eq!(clues(folder.path()).scripts, None);
        fs::remove_file(path("package.json")).unwrap();
        fs::write(path("package.json"), vec![b' '; LONGEST + 1]).unwrap();
        assert_eq!(clues(folder.path()).scripts, None);
        assert_eq!(clues(&path("nowhere")), Clues::default());
    }

    // rows: 129
    // Seed defect D2, src/commands/init.rs:15, 49-82: `--force` replaced edited prompts, hooks and AGENTS.md.
    #[test]
    fn what_is_there_stays_whatever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("mine"), "mine").unwrap();
        symlink("nowhere", path("link")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        let wanted = || {
            ["mine", "link", "folder", "deep/er/new"]
                .map(|name| (PathBuf::from(name), "ours".to_owned()))
                .to_vec()
        };
        let done: Vec<Made> =
            make(folder.path(), wanted()).unwrap().into_iter().map(|(_, made)| made).collect();
        assert_eq!(done, [Made::WasThere, Made::WasThere, Made::WasThere, Made::Anew]);
        assert_eq!(fs::read_to_string(path("mine")).unwrap(), "mine");
        assert!(!path("nowhere").exists());
        assert!(make(folder.path(), wanted()).unwrap().iter().all(|(_, made)| *made == Made::WasThere));
        let error = make(folder.path(), vec![("mine/new".into(), String::new())]).unwrap_err();
        assert!(error.to_string().contains("mine"), "{error}");
    }
}
