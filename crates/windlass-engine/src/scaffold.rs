//! Looking at a project that is about to be worked on, and making what it has nothing of.

use std::io;
use std::path::{Path, PathBuf};

use windlass_core::project::{Clues, make_targets, missing_ignore_lines, package_scripts, with_ignore_lines};
use windlass_host::file::{FileError, Made};
use windlass_host::tree::{TreePath, at};

/// A longer `package.json` or makefile is not looked into.
const LONGEST: usize = 1024 * 1024;
/// The longest file that is begun anew.
const LONGEST_FORMER: usize = 64 * 1024 * 1024;
/// What others may do with a new file.
const PERMISSIONS: u32 = 0o644;
/// Makefiles, the one that `make` takes first.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// What there is to know of the project in this folder. What cannot be read is unknown.
pub fn clues(folder: &Path) -> Clues {
    let folder = at(folder);
    let entries = folder.entries().unwrap_or_default().into_iter();
    let mut files: Vec<String> = entries.filter_map(|entry| entry.name.into_string().ok()).collect();
    files.sort();
    let scripts = text(&folder.join("package.json")).and_then(|text| package_scripts(&text));
    let makefile = MAKEFILES.iter().find(|name| files.iter().any(|file| file == **name));
    let targets = makefile.and_then(|name| text(&folder.join(name))).and_then(|text| make_targets(&text));
    Clues { files, scripts, targets }
}

fn text(path: &TreePath) -> Option<String> {
    let bytes = path.read_beginning(LONGEST).ok()??;
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
        let full = at(folder).join(&path);
        full.parent().map_or(Ok(()), |parent| parent.make_folders())?;
        done.push((path, full.create_new(text.as_bytes(), PERMISSIONS)?));
    }
    Ok(done)
}

/// Begins a person's file anew: what was in it is kept, byte for byte, under the name `kept`, which must be free.
///
/// # Errors
/// The file system refuses; then the file is as it was.
pub fn begin_anew(path: &Path, kept: &Path, text: &str) -> Result<(), FileError> {
    let (path, kept) = (at(path), at(kept));
    let target = path.resolved().map_err(|error| path.failed("find", error))?;
    let found = target.look().map_err(|error| target.failed("look at", error))?;
    let permissions = found.map_or(PERMISSIONS, |found| found.mode & 0o777);
    let former = target.read(LONGEST_FORMER)?.unwrap_or_default();
    if kept.create_new(&former, permissions)? == Made::WasThere {
        return Err(kept.failed("create", io::ErrorKind::AlreadyExists.into()));
    }
    target.replace(text.as_bytes(), permissions)
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
/// It is not a plain file, is longer than a megabyte, or cannot be written.
pub fn append_ignored(folder: &Path, lines: &[&str]) -> Result<Appended, FileError> {
    let path = at(folder).join(".gitignore");
    let path =
        if path.is_link() { path.resolved().map_err(|error| path.failed("find", error))? } else { path };
    let text = path.read_beginning(LONGEST)?.unwrap_or_default();
    if text.len() > LONGEST {
        return Err(path.failed("add to", io::Error::other("it is longer than a megabyte")));
    }
    let missing = missing_ignore_lines(&text, lines);
    if !missing.is_empty() {
        let found = path.look().ok().flatten();
        let permissions = found.map_or(PERMISSIONS, |found| found.mode & 0o777);
        path.replace(&with_ignore_lines(&text, &missing), permissions)?;
    }
    Ok(Appended { lines: missing.into_iter().map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use std::fs;
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
