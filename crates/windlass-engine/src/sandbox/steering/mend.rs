//! How what steers is made what it was; what is found in its place is put where no guest can write.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use windlass_host::file::FileError;
use windlass_host::tree::{Folders, TreePath, Was, at};

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
    path: &TreePath,
    (before, now): (&Was, &Was),
    (top, aside): (&Path, &Path),
    mended: &mut Vec<Mended>,
) {
    if before == now {
        return;
    }
    let can_differ_within = match before {
        Was::Folder(_) => matches!(now, Was::Folder(_) | Was::Absent),
        Was::Absent => matches!(now, Was::Folder(_)),
        _ => false,
    };
    if !can_differ_within || !path.is_real_folder() {
        mended.push(made_anew(path, before, (top, aside)));
        return;
    }
    let (was, is) = (before.children(), now.children());
    let names: BTreeSet<&OsString> = was.keys().chain(is.keys()).collect();
    for name in names {
        let of =
            |children: &BTreeMap<OsString, &Was>| children.get(name).copied().unwrap_or(&Was::Absent).clone();
        mend(&path.join(name), (&of(&was), &of(&is)), (top, aside), mended);
    }
    if *before == Was::Absent {
        // What else is in it stays.
        let _ = path.remove_empty_folder();
    }
}

fn made_anew(path: &TreePath, before: &Was, places: (&Path, &Path)) -> Mended {
    // An empty folder counts as nothing, and is in the way.
    let kept = if path.is_taken() { put_aside(path, places).map(Some) } else { Ok(None) };
    let made = kept.as_ref().map_err(said).map(drop);
    let done = made.and_then(|()| make(path, before).map_err(|error| said(&error)));
    let was = if *before == Was::Absent { Presence::Nothing } else { Presence::There };
    Mended { path: path.shown(), aside: kept.ok().flatten(), was, done }
}

fn said(error: &FileError) -> String {
    error.source.to_string()
}

fn make(path: &TreePath, was: &Was) -> Result<(), FileError> {
    if *was != Was::Absent
        && let Some(folder) = path.parent()
    {
        folder.make_folders()?;
    }
    was.put(path)
}

/// Moves it to where no guest can write.
fn put_aside(path: &TreePath, (top, aside): (&Path, &Path)) -> Result<PathBuf, FileError> {
    let shown = path.shown();
    let target = aside.join(shown.strip_prefix(top).unwrap_or(&shown));
    let place = at(&target);
    if let Some(folder) = place.parent() {
        folder.make_folders()?;
    }
    match path.rename_to(&place) {
        Err(error) if error.source.kind() == io::ErrorKind::CrossesDevices => {
            // What can be copied is; pipes and devices hold nothing.
            let _ = Was::look(path, Folders::ByContent(&|_| true)).put(&place);
            path.remove_folder()?;
        }
        moved => moved?,
    }
    Ok(target)
}
