//! What is at a path of a tree that guests can write, and how it is made what it was. No link is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::file::create_new;
use crate::process::protocol::Text;

/// A larger file is no configuration: it can be put aside and not be made again.
const LARGEST: u64 = 1 << 20;

/// Folders within each other that are looked into.
const DEEPEST: usize = 32;

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// Nothing.
    Absent,
    /// A file.
    File {
        /// Its rights.
        mode: u32,
        /// What it says.
        bytes: Vec<u8>,
    },
    /// A link, and where to.
    Link(Text),
    /// A folder with what is in it.
    Folder(Vec<(Text, Entry)>),
    /// Something else: a pipe, a device, or more than is read.
    Other,
}

/// Which of the entries of a folder count; its argument is their path below the one that is looked at.
pub(super) type Counts<'a> = &'a dyn Fn(&Path) -> bool;

impl Entry {
    /// What is there now. A folder in which nothing counts is as good as none.
    pub fn read(path: &Path, counts: Counts<'_>) -> Entry {
        Entry::below(path, Path::new(""), counts, DEEPEST).unwrap_or(Entry::Other)
    }

    fn below(top: &Path, inner: &Path, counts: Counts<'_>, depth: usize) -> io::Result<Entry> {
        // A name that ends with a slash would be what a link leads to.
        let path = if inner.as_os_str().is_empty() { top.to_owned() } else { top.join(inner) };
        let metadata = match path.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Entry::Absent),
            Err(error) => return Err(error),
        };
        if metadata.is_symlink() {
            return Ok(Entry::Link(Text::from(fs::read_link(&path)?.as_os_str())));
        }
        if metadata.is_file() && metadata.len() <= LARGEST {
            let mut bytes = Vec::new();
            open_plain(&path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
            return Ok(Entry::File { mode: metadata.permissions().mode() & 0o777, bytes });
        }
        let Some(depth) = depth.checked_sub(1).filter(|_| metadata.is_dir()) else {
            return Ok(Entry::Other);
        };
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(&path)? {
            let name = entry?.file_name();
            let inner = inner.join(&name);
            if counts(&inner) {
                let entry = Entry::below(top, &inner, counts, depth).unwrap_or(Entry::Other);
                found.extend((entry != Entry::Absent).then_some((name, entry)));
            }
        }
        if found.is_empty() {
            return Ok(Entry::Absent);
        }
        let found = found.into_iter().map(|(name, entry)| (Text::from(name.as_os_str()), entry));
        Ok(Entry::Folder(found.collect()))
    }

    fn children(&self) -> BTreeMap<OsString, &Entry> {
        match self {
            Entry::Folder(found) => {
                found.iter().map(|(name, entry)| (OsString::from(name.clone()), entry)).collect()
            }
            _ => BTreeMap::new(),
        }
    }
}

/// Opens a file that is one; waits for nobody and follows no link.
fn open_plain(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// One thing that was made what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mended {
    /// What.
    pub path: PathBuf,
    /// Where what was found there is now, where it could be kept.
    pub aside: Option<PathBuf>,
    /// Was something there before?
    pub was: Presence,
    /// Is it what it was?
    pub done: Result<(), String>,
}

impl Mended {
    /// What was there cannot be looked at: a guest put a link above it.
    pub fn out_of_reach(path: PathBuf) -> Mended {
        let done = Err("a folder above it is a link now".to_owned());
        Mended { path, aside: None, was: Presence::There, done }
    }
}

/// Was something there?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    There,
    Nothing,
}

/// Makes a path what it was before, from what it is now; what is there goes below `aside`, under names from `top` on.
pub(super) fn mend(
    path: &Path,
    (before, now): (&Entry, &Entry),
    (top, aside): (&Path, &Path),
    mended: &mut Vec<Mended>,
) {
    if before == now {
        return;
    }
    let is_folder = |entry: &Entry| matches!(entry, Entry::Folder(_));
    let can_differ_within = match before {
        Entry::Folder(_) => is_folder(now) || *now == Entry::Absent && path.is_dir(),
        Entry::Absent => is_folder(now),
        _ => false,
    };
    if !can_differ_within || path.is_symlink() {
        mended.push(replace(path, before, (top, aside)));
        return;
    }
    let (was, is) = (before.children(), now.children());
    let names: BTreeSet<&OsString> = was.keys().chain(is.keys()).collect();
    for name in names {
        let of = |children: &BTreeMap<OsString, &Entry>| {
            children.get(name).copied().unwrap_or(&Entry::Absent).clone()
        };
        mend(&path.join(name), (&of(&was), &of(&is)), (top, aside), mended);
    }
    if *before == Entry::Absent {
        // What else is in it stays.
        let _ = fs::remove_dir(path);
    }
}

fn replace(path: &Path, before: &Entry, (top, aside): (&Path, &Path)) -> Mended {
    // An empty folder counts as nothing, and is in the way.
    let is_free = path.symlink_metadata().is_err();
    let kept = if is_free { Ok(None) } else { put_aside(path, (top, aside)).map(Some) };
    let made = kept.as_ref().map_err(ToString::to_string).map(drop);
    let done = made.and_then(|()| make(path, before).map_err(|error| error.to_string()));
    let was = if *before == Entry::Absent { Presence::Nothing } else { Presence::There };
    Mended { path: path.to_owned(), aside: kept.ok().flatten(), was, done }
}

/// Moves it to where no guest can write.
fn put_aside(path: &Path, (top, aside): (&Path, &Path)) -> io::Result<PathBuf> {
    let target = aside.join(path.strip_prefix(top).unwrap_or(path));
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::rename(path, &target) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            // What can be copied is; pipes and devices hold nothing.
            let _ = make(&target, &Entry::read(path, &|_| true));
            if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
        }
        moved => moved?,
    }
    Ok(target)
}

fn make(path: &Path, entry: &Entry) -> io::Result<()> {
    match entry {
        Entry::Absent => Ok(()),
        Entry::File { mode, bytes } => {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            create_new(path, bytes, *mode).map_err(|error| error.source)?;
            fs::set_permissions(path, Permissions::from_mode(*mode))
        }
        Entry::Link(target) => symlink(OsString::from(target.clone()), path),
        Entry::Folder(found) => {
            fs::create_dir_all(path)?;
            let mut made =
                found.iter().map(|(name, entry)| make(&path.join(OsString::from(name.clone())), entry));
            made.find(Result::is_err).unwrap_or(Ok(()))
        }
        Entry::Other => Err(io::Error::new(io::ErrorKind::Unsupported, "it was not kept")),
    }
}
