//! A guest's objects on their way to the repository: copied, regular files alone, into a repository of the runner's, from
//! which git fetches them and checks each anew.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::remove_file;
use crate::git::call::{Call, CallOutput, last_lines};
use crate::git::{GitError, ObjectFormat, Repository, is_disk_full};
use crate::lane::{furnish, make_plain_folder, object_folders, settings_for_guests};
use windlass_host::file::{AtPath, FileError, remove_folder, replace};
use windlass_host::tree::{Kind, TreePath};

/// For calls that take in what a guest made.
const LONG: Duration = Duration::from_mins(30);

/// So many objects are asked for by name at once.
const MOST_AT_ONCE: usize = 500;

/// So much is copied at one time, in bytes.
const MOST_BYTES: u64 = 8 * 1024 * 1024 * 1024;

/// So far back it is looked for a commit that git takes.
const MOST_BEFORE: usize = 32;

/// So many files that are left out are named.
const MOST_SAID: usize = 3;

/// An object that is not taken, and why: git's words.
pub(super) type Refused = (String, String);

/// Where objects of a guest are taken in.
#[derive(Debug)]
pub(super) struct Intake<'a> {
    /// The repository that gets them.
    pub main: &'a Repository,
    /// The guest's git directory.
    pub from: TreePath,
    /// A folder for the copies, which need not be there.
    pub folder: PathBuf,
}

impl Intake<'_> {
    /// Takes in these objects with all that they are built on; those that are not as git has them are refused.
    pub(super) fn take_in(&self, named: &[String]) -> Result<Vec<Refused>, GitError> {
        let mut refused = Vec::new();
        for some in named.chunks(MOST_AT_ONCE) {
            // What an earlier look copied may be what a killed git had half written.
            if self.fetch(some)?.is_none() {
                continue;
            }
            remove_folder(&self.folder)?;
            if self.fetch(some)?.is_none() {
                continue;
            }
            for one in some {
                refused.extend(self.fetch(std::slice::from_ref(one))?.map(|why| (one.clone(), why)));
            }
        }
        Ok(refused)
    }

    /// The newest commit before one that is refused that git takes, of those that it continues first of all; perhaps one that was
    /// there before.
    pub(super) fn good_before(&self, refused: &str) -> Result<Option<String>, GitError> {
        let most = format!("--max-count={MOST_BEFORE}");
        let listing = ["rev-list", "--first-parent", most.as_str(), "--end-of-options", refused];
        let call = Call::new(&self.folder).env("GIT_DIR", &self.folder).args(listing);
        let answer = call.timeout(LONG).run()?;
        // Git prints those that it finds before what it cannot read.
        for commit in String::from_utf8_lossy(&answer.output).lines().filter(|commit| *commit != refused) {
            if self.fetch(&[commit.to_owned()])?.is_none() {
                return Ok(Some(commit.to_owned()));
            }
        }
        Ok(None)
    }

    /// Fetches them; why not, where they are not there whole.
    fn fetch(&self, named: &[String]) -> Result<Option<String>, GitError> {
        let intake = self.folder.as_path();
        let left_out = self.copy_objects(intake)?;
        let refused = |answer: &CallOutput| {
            let git = std::iter::once(last_lines(answer));
            refused(git.chain(left_out.iter().cloned()).collect::<Vec<_>>().join("; "))
        };
        let name = |number: usize| format!("refs/taken/{number}");
        let lines: Vec<String> =
            named.iter().enumerate().map(|(number, id)| format!("{id} {}\n", name(number))).collect();
        replace(&intake.join("packed-refs"), lines.concat().as_bytes(), 0o600)?;
        let call = Call::within(self.main).option("fetch.fsckObjects=true").fetch().timeout(LONG);
        let call = call.arg(intake).args((0..named.len()).map(name));
        let answer = call.run()?;
        if answer.code != 0 {
            return refused(&answer);
        }
        // Whatever was fetched: all that they are built on is there.
        let listing = ["rev-list", "--objects", "--quiet", "--stdin", "--not", "--all"];
        let tips = named.join("\n") + "\n";
        let answer = Call::within(self.main).args(listing).input(tips).timeout(LONG).run()?;
        if answer.code == 0 { Ok(None) } else { refused(&answer) }
    }

    /// Copies what is new; says what is left out: what is more than can be taken in, and packs that are none.
    fn copy_objects(&self, intake: &Path) -> Result<Vec<String>, GitError> {
        make_plain_folder(intake)?;
        let borrowed = object_folders(&self.main.common_dir.join("objects"))?;
        furnish(self.main, intake, &settings_for_guests(self.main, None)?, &borrowed)?;
        replace(&intake.join("HEAD"), b"ref: refs/heads/none\n", 0o600)?;
        let (from, to) = (self.from.join("objects"), intake.join("objects"));
        let (mut room, mut left_out) = (MOST_BYTES, Vec::new());
        let mut copy = |from: &TreePath, to: &Path| -> Result<(), FileError> {
            if copy(from, to, &mut room)? == Copied::TooLarge && left_out.len() < MOST_SAID {
                let name = to.file_name().unwrap_or_default().to_string_lossy();
                left_out.push(format!("{name} is larger than can be taken in"));
            }
            Ok(())
        };
        let length = digits(self.main.object_format);
        for folder in folders_in(&from) {
            let Some(beginning) = folder.name().and_then(|name| name.to_str()) else { continue };
            if beginning.len() != 2 || !is_hexadecimal(beginning) {
                continue;
            }
            for (name, path) in files_in(&folder) {
                if name.len() + 2 == length && is_hexadecimal(&name) {
                    make_plain_folder(&to.join(beginning))?;
                    copy(&path, &to.join(beginning).join(&name))?;
                }
            }
        }
        let mut packs = Vec::new();
        for (name, path) in files_in(&from.join("pack")) {
            let number = name.strip_prefix("pack-").and_then(|name| name.strip_suffix(".pack"));
            if number.is_some_and(is_hexadecimal) {
                let pack = to.join("pack").join(&name);
                copy(&path, &pack)?;
                packs.push(pack);
            }
        }
        // Their own lists of what is where are a guest's as well.
        for pack in packs.into_iter().filter(|pack| pack.is_file() && !pack.with_extension("idx").is_file()) {
            let call = Call::new(intake).env("GIT_DIR", intake).args(["index-pack", "--strict"]);
            let answer = call.arg(&pack).timeout(LONG).run()?;
            if answer.code != 0 {
                remove_file(&pack);
                left_out.extend(refused(last_lines(&answer))?);
            }
        }
        Ok(left_out)
    }
}

/// A full disk is nothing that a guest's objects are to blame for.
fn refused(said: String) -> Result<Option<String>, GitError> {
    let failed = GitError::Failed { command: "git fetch".to_owned(), said: said.clone() };
    if is_disk_full(&failed) { Err(failed) } else { Ok(Some(said)) }
}

const fn digits(format: ObjectFormat) -> usize {
    match format {
        ObjectFormat::Sha1 => 40,
        ObjectFormat::Sha256 => 64,
    }
}

fn is_hexadecimal(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn folders_in(folder: &TreePath) -> Vec<TreePath> {
    of_kind(folder, Kind::Folder).into_iter().map(|name| folder.join(name)).collect()
}

pub(super) fn files_in(folder: &TreePath) -> Vec<(String, TreePath)> {
    let names = of_kind(folder, Kind::File).into_iter().filter_map(|name| name.into_string().ok());
    names.map(|name| (name.clone(), folder.join(name))).collect()
}

/// What is in a folder that no link leads to.
fn of_kind(folder: &TreePath, kind: Kind) -> Vec<OsString> {
    let entries = folder.open_real_folder().and_then(|folder| folder.entries());
    entries.into_iter().flatten().filter(|entry| entry.kind == kind).map(|entry| entry.name).collect()
}

/// What became of a file that was to be copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    /// It is there, or it is no file.
    Whole,
    /// There is no room for it.
    TooLarge,
}

/// Copies a regular file that is not there yet, unless it is larger than the room that is left.
fn copy(from: &TreePath, to: &Path, room: &mut u64) -> Result<Copied, FileError> {
    if to.is_file() {
        return Ok(Copied::Whole);
    }
    // Gone meanwhile, or no file: then it is not an object.
    let Ok(file) = from.open_itself() else { return Ok(Copied::Whole) };
    // A file without an end, or one that only looks as long, is not copied as far as there is room.
    // outside: an open file.
    if file.metadata().at("look at", &from.shown())?.len() >= *room {
        return Ok(Copied::TooLarge);
    }
    let folder = to.parent().unwrap_or(Path::new("/"));
    let mut temporary = tempfile::NamedTempFile::new_in(folder).at("write in", folder)?;
    let copied = io::copy(&mut file.take(*room), &mut temporary).at("write", to)?;
    if copied >= *room {
        return Ok(Copied::TooLarge);
    }
    *room -= copied;
    temporary.persist(to).map_err(|failed| failed.error).at("write", to)?;
    Ok(Copied::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_of_objects_is_passed_on_and_a_full_disk_is_an_error() {
        let said = "fatal: bad object";
        assert_eq!(refused(said.to_owned()).unwrap().as_deref(), Some(said));
        assert!(refused("fatal: write error: No space left on device".to_owned()).is_err());
    }
}
