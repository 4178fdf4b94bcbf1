//! Taking in a pack that a stranger may have made.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::pack::those_there;
use crate::git::alternates::alternate;
use crate::git::call::{Call, last_lines};
use crate::git::{GitError, ObjectId, Repository, is_disk_full};
use windlass_host::file::{AtPath, FileError};

/// A large pack is checked for minutes.
const LONG: Duration = Duration::from_mins(30);

/// What git's own quarantines begin with: `git gc` removes those that nobody came back to.
const QUARANTINE: &str = "tmp_objdir-windlass-";

/// The longest beginning of a pack that is read: signature, version and number of objects.
const HEAD: usize = 12;

/// What a pack may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes, as it travels.
    pub bytes: u64,
    /// Objects in it.
    pub objects: u64,
}

/// A pack that is not taken. The repository is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ParcelError {
    /// It is larger than may be.
    #[error("the pack has {size} {what}, and {limit} are the most")]
    TooLarge {
        /// `bytes` or `objects`.
        what: &'static str,
        /// How many it has.
        size: u64,
        /// How many it may have.
        limit: u64,
    },
    /// It is none, or what is in it is not as git has it.
    #[error("the pack is not taken: {0}")]
    Refused(String),
    /// It does not bring what was said.
    #[error("the pack does not bring the commit {0}")]
    Lacks(ObjectId),
    /// git failed at something that it should be able to do.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Takes a pack into a repository's objects: all of it, or nothing. It is looked at in a quarantine first: its size, each object (no
/// paths that lead out of a working tree or into `.git`), and that all that its objects name is there. No branch or tag is written.
///
/// What an object inflates to has no bound of its own but the disk.
///
/// # Errors
/// See [`ParcelError`]; a full disk is one of git's.
pub fn unpack(
    into: &Repository,
    from: &Path,
    expected: &[ObjectId],
    limits: &Limits,
) -> Result<(), ParcelError> {
    Quarantine::take(into, from, expected, limits)?.settle()
}

/// A pack that was looked at, beside a repository's objects. It is gone with this.
pub(crate) struct Quarantine<'a> {
    into: &'a Repository,
    folder: tempfile::TempDir,
    /// How many objects it has.
    count: u64,
}

impl<'a> Quarantine<'a> {
    /// Looks at a pack as [`unpack`] does.
    pub fn take(
        into: &'a Repository,
        from: &Path,
        expected: &[ObjectId],
        limits: &Limits,
    ) -> Result<Quarantine<'a>, ParcelError> {
        let objects = into.common_dir.join("objects");
        // outside: a git directory of the runner's, or of the person's.
        let folder =
            tempfile::Builder::new().prefix(QUARANTINE).tempdir_in(&objects).at("write in", &objects)?;
        let mut quarantine = Quarantine { into, folder, count: 0 };
        // outside: the same.
        fs::create_dir(quarantine.packs()).at("create", &quarantine.packs())?;
        quarantine.count = copy(from, &quarantine.pack(), limits)?;
        if quarantine.count > 0 {
            quarantine.index()?;
        }
        let there = those_there(quarantine.call(), expected)?;
        match expected.iter().find(|commit| !there.contains(commit)) {
            Some(missing) => Err(ParcelError::Lacks(*missing)),
            None => Ok(quarantine),
        }
    }

    /// A call that sees what is in the quarantine as well, and writes there alone.
    pub fn call(&self) -> Call {
        Call::within(self.into)
            .env("GIT_OBJECT_DIRECTORY", self.folder.path())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&self.into.common_dir.join("objects")))
            .timeout(LONG)
    }

    fn packs(&self) -> PathBuf {
        self.folder.path().join("pack")
    }

    fn pack(&self) -> PathBuf {
        self.packs().join("pack-parcel.pack")
    }

    /// Checks each object of it, and that what they name is there.
    fn index(&self) -> Result<(), ParcelError> {
        let answer = self.call().args(["index-pack", "--strict"]).arg(self.pack()).run()?;
        if answer.code == 0 {
            return Ok(());
        }
        let failed = GitError::Failed { command: "git index-pack".to_owned(), said: last_lines(&answer) };
        Err(if is_disk_full(&failed) { failed.into() } else { ParcelError::Refused(last_lines(&answer)) })
    }

    /// Out of the quarantine: the pack first, its index last, since with that it counts.
    fn settle(self) -> Result<(), ParcelError> {
        if self.count == 0 {
            return Ok(());
        }
        let to = self.into.common_dir.join("objects/pack");
        // outside: a git directory of the runner's, or of the person's.
        fs::create_dir_all(&to).at("create", &to)?;
        let name = format!("pack-{}", name_of(&self.pack())?);
        for end in ["pack", "rev", "idx"] {
            let from = self.pack().with_extension(end);
            let to = to.join(&name).with_extension(end);
            // outside: the quarantine.
            if from.is_file() {
                sync(&from)?;
                // outside: from there into there. What is there under this name is the same pack.
                fs::rename(&from, &to).at("write", &to)?;
            }
        }
        // outside: the same.
        Ok(File::open(&to).and_then(|folder| folder.sync_all()).at("write", &to)?)
    }
}

/// As git takes a folder in a list of them, whatever is in its name.
pub(crate) fn quoted(folder: &Path) -> std::ffi::OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let line = alternate(folder);
    let line = line.strip_suffix(b"\n").unwrap_or(&line);
    std::ffi::OsString::from_vec(std::ffi::OsStr::from_bytes(line).as_bytes().to_vec())
}

/// Copies a pack where nobody else writes; says how many objects it says it has.
fn copy(from: &Path, to: &Path, limits: &Limits) -> Result<u64, ParcelError> {
    let refused = |why: &str| ParcelError::Refused(why.to_owned());
    // A pipe is not waited for, and no link followed.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    let mut open = fs::OpenOptions::new();
    let open = open.read(true).custom_flags(flags.bits().cast_signed());
    // outside: what was brought into the state folder.
    let mut source = open.open(from).at("read", from)?;
    if !source.metadata().at("read", from)?.is_file() {
        return Err(refused("it is no file"));
    }
    let mut head = [0; HEAD];
    if source.read_exact(&mut head).is_err() {
        return Err(refused("it is shorter than any pack"));
    }
    let (signature, rest) = head.split_at(4);
    let count = rest.get(4..).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    let Some(count) = count.filter(|_| signature == b"PACK").map(u64::from) else {
        return Err(refused("it does not begin as packs do"));
    };
    if count > limits.objects {
        return Err(ParcelError::TooLarge { what: "objects", size: count, limit: limits.objects });
    }
    // outside: the quarantine.
    let mut target = File::create_new(to).at("write", to)?;
    io::Write::write_all(&mut target, &head).at("write", to)?;
    let room = limits.bytes.saturating_sub(HEAD as u64);
    let copied = io::copy(&mut (&mut source).take(room.saturating_add(1)), &mut target).at("write", to)?;
    if copied > room {
        // outside: what was brought into the state folder.
        let size = source.metadata().map_or(copied, |metadata| metadata.len()).max(copied + HEAD as u64);
        return Err(ParcelError::TooLarge { what: "bytes", size, limit: limits.bytes });
    }
    Ok(count)
}

fn sync(path: &PathBuf) -> Result<(), ParcelError> {
    // outside: the quarantine.
    Ok(File::open(path).and_then(|file| file.sync_all()).at("write", path)?)
}

/// The name of a pack: the hash at its end, as git has it.
fn name_of(pack: &Path) -> Result<String, ParcelError> {
    use std::io::{Seek, SeekFrom};
    let mut last = Vec::new();
    // outside: the quarantine.
    let mut file = File::open(pack).at("read", pack)?;
    // Both kinds of hash are named by their last 20 bytes: nothing but a name depends on it.
    file.seek(SeekFrom::End(-20)).at("read", pack)?;
    file.read_to_end(&mut last).at("read", pack)?;
    Ok(windlass_core::hexadecimal::digits(&last))
}
