//! What steers the runner and agents in a tree that guests can write: looked at before each guest, compared after it, and
//! made what it was. So nothing that a guest wrote there is obeyed, in this run or a later one, before a person took it.
//!
//! Where mounts hold, what was there could not be changed from inside: of that a change is a person's. There only what is
//! new is looked at.

mod marks;
mod mend;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use windlass_core::spec::SandboxSpec;
use windlass_core::words::quoted;

use super::SandboxRoom;
use super::view::{Sight, View};
use crate::executor::EngineError;
use crate::steered::{NAMES, OWN, is_an_agents, steered, steering, variants};
use crate::store::noted;
use crate::store::run_folder::PUT_ASIDE;
use marks::Marked;
use mend::{Mended, Presence, mend};
use windlass_host::note::Note;
use windlass_host::process::protocol::Text;
use windlass_host::tree::{Folders, Kind, TreePath, Was, at, where_it_leads};

/// What of a workspace is a person's, beside what the runner itself writes.
pub(crate) const OF_WORKSPACES: [&str; 2] = ["INSTRUCTIONS.md", "config.toml"];

/// So many are named.
const NAMED: usize = 5;

/// Where it is noted while a guest is at work, beside the sandbox's own files.
pub const GUEST_AT_WORK: &str = "guest-at-work.json";

/// Where guests may make files that run as whoever they belong to: in a container, where the kernel is not asked to
/// refuse such marks.
fn markable(room: &SandboxRoom, plan: &SandboxSpec) -> Vec<PathBuf> {
    if !plan.kind.is_container() {
        return Vec::new();
    }
    let lent = room.loan.iter().flat_map(|loan| loan.places().writable).map(|(_, source)| source);
    let own = [room.tree.clone(), room.scratch.clone()];
    own.into_iter().chain(plan.writable.iter().cloned()).chain(lent).collect()
}

/// Watches over what steers, around one guest at a time.
#[derive(Debug)]
pub(super) struct Steering {
    tree: PathBuf,
    directory: PathBuf,
    /// The run's folder, or the session's.
    folder: PathBuf,
    /// Where guests may make files that run as whoever they belong to.
    markable: Vec<PathBuf>,
    noted: Noted,
    record: Mutex<Option<Record>>,
}

/// Is what is looked at before a guest written down, so that a later start finds it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noted {
    Yes,
    /// It is a lane's clone, which nobody else works in.
    No,
}

/// What steered before a guest came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    tree: Text,
    entries: Vec<(Text, Was)>,
    /// What no guest could change.
    closed: Vec<Text>,
    /// What could not be looked into.
    #[serde(default)]
    unread: Vec<Text>,
    /// Where marks are looked for, and from when on they are a guest's.
    #[serde(default)]
    markable: Vec<Text>,
    #[serde(default = "SystemTime::now")]
    since: SystemTime,
}

impl Steering {
    pub fn of(room: &SandboxRoom, plan: &SandboxSpec) -> Steering {
        let scratch = &room.scratch;
        // A lane's own files lie in those of the run.
        let (folder, noted) = match scratch.parent() {
            Some(above) if room.is_of_a_lane() => (above.parent().unwrap_or(above), Noted::No),
            above => (above.unwrap_or(scratch), Noted::Yes),
        };
        Steering {
            tree: room.tree.clone(),
            directory: room.directory.clone(),
            folder: folder.to_owned(),
            markable: markable(room, plan),
            noted,
            record: Mutex::default(),
        }
    }

    /// A guest comes. `view` is what it sees, where mounts hold that.
    pub fn begin(&self, view: Option<&View>) {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        if record.is_some() {
            return;
        }
        let closed = |path: &Path| view.is_some_and(|view| *view.sight(path) != Sight::Writable);
        let Looked { found: looked, unread } = look(&self.tree, &self.directory);
        let texts = |paths: &[PathBuf]| paths.iter().map(|path| Text::from(path.as_os_str())).collect();
        let taken = Record {
            since: SystemTime::now(),
            markable: texts(&self.markable),
            unread: texts(&unread),
            tree: Text::from(self.tree.as_os_str()),
            closed: looked
                .keys()
                .filter(|path| closed(path))
                .map(|path| Text::from(path.as_os_str()))
                .collect(),
            entries: looked.into_iter().map(|(path, entry)| (Text::from(path.as_os_str()), entry)).collect(),
        };
        if self.noted == Noted::Yes {
            let write = || Ok::<_, EngineError>(note(&self.folder).write(&taken)?);
            let _ = noted::write(&self.folder, write);
        }
        *record = Some(taken);
    }

    /// The guest is gone; what it changed is made what it was. Says what that was.
    pub fn end(&self) -> Vec<String> {
        let Some(record) = self.record.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Vec::new();
        };
        let said = put_back(&record, &self.directory, &self.folder);
        if self.noted == Noted::Yes {
            note(&self.folder).remove();
        }
        said
    }
}

/// Makes what steers what it was before that guest, where a directory belongs to its tree. Says what was changed; `None` where
/// there was none.
pub fn put_back_beside(folder: &Path, directory: &Path) -> Option<Vec<String>> {
    let record: Record = note(folder).read().ok()??;
    let is_there = directory.starts_with(PathBuf::from(OsString::from(record.tree.clone())));
    is_there.then(|| put_back(&record, directory, folder))
}

/// The guest is gone: from now on a change is a person's.
pub fn forget_guest(folder: &Path) {
    note(folder).remove();
}

/// What was seen.
struct Looked {
    /// What steers, as it is now; places with nothing among them.
    found: BTreeMap<PathBuf, Was>,
    /// What cannot be looked into.
    unread: Vec<PathBuf>,
}

fn look(tree: &Path, directory: &Path) -> Looked {
    let way = directory.ancestors().take_while(|above| above.starts_with(tree)).map(Path::to_owned);
    let steered = steered(tree);
    let folders: BTreeSet<PathBuf> = way.chain(steered.folders).collect();
    let mut found = BTreeMap::new();
    for folder in folders {
        // One by one, since each may be closed by itself.
        let names = NAMES.iter().copied().chain(steering());
        found.extend(names.map(|name| folder.join(name)).map(looked_at));
        found.extend(variants(&folder).into_iter().map(looked_at));
        for workspace in workspaces(&folder.join(OWN)) {
            found.extend(OF_WORKSPACES.map(|name| workspace.join(name)).map(looked_at));
        }
    }
    Looked { found, unread: steered.unread }
}

/// The same where guests may have closed folders that could be looked into: they are opened.
fn look_behind(tree: &Path, directory: &Path, unread: &BTreeSet<PathBuf>) -> Looked {
    loop {
        let looked = look(tree, directory);
        let closed = looked.unread.iter().filter(|folder| !unread.contains(*folder));
        // What cannot be opened, or not even so be read, is left.
        let opened = closed.filter(|folder| open(&at(folder)).is_some()).count();
        if opened == 0 {
            return looked;
        }
    }
}

/// Lets its owner look into a folder who could not.
fn open(folder: &TreePath) -> Option<()> {
    let mode = folder.look().ok()??.mode;
    (mode & 0o700 != 0o700).then(|| folder.set_permissions(mode | 0o700).ok()).flatten()
}

fn looked_at(path: PathBuf) -> (PathBuf, Was) {
    let name = path.file_name().map(OsString::from).unwrap_or_default();
    let look = |counts| Was::look(&at(&path), Folders::ByContent(counts));
    let was = match path.parent() {
        // The folder itself is named among those above.
        Some(above) if !is_real_folder(above) => Was::Absent,
        _ if name == OWN => look(&is_a_persons),
        // What it is, and what is in it by itself.
        _ if is_an_agents(&name) => look(&|_| false),
        _ => look(&|_| true),
    };
    (path, was)
}

/// Is it a folder, with no link on the way to it?
fn is_real_folder(path: &Path) -> bool {
    at(path).open_real_folder().is_ok()
}

/// Is this, below Windlass's own folder, a person's?
fn is_a_persons(inner: &Path) -> bool {
    let parts: Vec<&str> = inner
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    match parts.as_slice() {
        ["archive" | "pipelines" | "issues", ..] => false,
        ["workspaces", _, name, ..] => OF_WORKSPACES.contains(name),
        _ => true,
    }
}

fn workspaces(own: &Path) -> Vec<PathBuf> {
    folders_in(&own.join("workspaces"))
}

/// The folders in one that no link leads to.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = at(folder).open_real_folder().and_then(|folder| folder.entries());
    let folders = entries.into_iter().flatten().filter(|entry| entry.kind == Kind::Folder);
    folders.map(|entry| folder.join(entry.name)).collect()
}

fn put_back(record: &Record, directory: &Path, folder: &Path) -> Vec<String> {
    let path = |text: &Text| PathBuf::from(OsString::from(text.clone()));
    let (tree, unread) = (path(&record.tree), record.unread.iter().map(path).collect());
    let markable = record.markable.iter().map(path);
    let marked: Vec<Marked> = markable.flat_map(|folder| marks::take_away(&folder, record.since)).collect();
    if !is_real_folder(&tree) {
        // Of one that is gone others tell.
        let replaced = at(&tree).is_taken().then(|| {
            format!(
                "something in the sandbox replaced {}: what steers windlass or agents in it cannot be looked at",
                tree.display()
            )
        });
        return replaced.into_iter().chain(in_words(&[], &marked, &tree)).collect();
    }
    let before: BTreeMap<PathBuf, &Was> =
        record.entries.iter().map(|(text, was)| (path(text), was)).collect();
    let closed: BTreeSet<PathBuf> = record.closed.iter().map(path).collect();
    let mut all: BTreeSet<PathBuf> = before.keys().cloned().collect();
    all.extend(look_behind(&tree, directory, &unread).found.into_keys());
    let folder =
        where_it_leads(folder).map_or_else(|| folder.to_owned(), |real| real.shown()).join(PUT_ASIDE);
    let aside = folder.join(next(&folder));
    let mut mended = Vec::new();
    for path in all {
        if closed.contains(&path) {
            continue;
        }
        let was = before.get(&path).copied().unwrap_or(&Was::Absent);
        // After what lies above it was mended.
        let (path, is) = looked_at(path);
        if !is_in_place(&path) {
            if *was != Was::Absent {
                mended.push(Mended::out_of_reach(path));
            }
            continue;
        }
        mend(&at(&path), (was, &is), (&tree, &aside), &mut mended);
    }
    in_words(&mended, &marked, &tree)
}

/// Is the way there still the tree's own, without a link?
fn is_in_place(path: &Path) -> bool {
    path.ancestors().skip(1).find(|above| at(above).is_taken()).is_some_and(is_real_folder)
}

/// The next name in a folder of numbers.
fn next(folder: &Path) -> String {
    let taken = folders_in(folder);
    let highest = taken.iter().filter_map(|path| path.file_name()?.to_str()?.parse::<u32>().ok()).max();
    format!("{:04}", highest.unwrap_or_default() + 1)
}

fn in_words(mended: &[Mended], marked: &[Marked], tree: &Path) -> Vec<String> {
    let mended = named(mended, "files that steer windlass or agents", |one| sentence(one, tree));
    let marked = named(marked, "files that run as whoever they belong to", |one| sentence_of_mark(one, tree));
    mended.into_iter().chain(marked).collect()
}

/// Some of them, and how many there are more.
fn named<T>(all: &[T], what: &str, say: impl Fn(&T) -> String) -> Vec<String> {
    let more = all.len().saturating_sub(NAMED);
    let rest = (more > 0).then(|| format!("so with {more} more {what}"));
    all.iter().take(NAMED).map(say).chain(rest).collect()
}

fn sentence_of_mark(marked: &Marked, tree: &Path) -> String {
    let path = marked.path.strip_prefix(tree).unwrap_or(&marked.path).display();
    let did = format!("something in the sandbox made {path} run as whoever it belongs to (SUID or SGID)");
    match &marked.done {
        Ok(()) => format!("{did}: it does not any more"),
        Err(error) => {
            let command = format!("chmod ug-s {}", quoted(marked.path.as_os_str()));
            format!("{did}, and that cannot be taken from it ({}): {command}, as root", error.source)
        }
    }
}

fn sentence(mended: &Mended, tree: &Path) -> String {
    let path = mended.path.strip_prefix(tree).unwrap_or(&mended.path).display();
    let steers = "which steers windlass or agents";
    let did = match (mended.was, &mended.aside) {
        (Presence::Nothing, _) => format!("made {path}, {steers}"),
        (Presence::There, Some(_)) => format!("changed {path}, {steers}"),
        (Presence::There, None) => format!("removed {path}, {steers}"),
    };
    let then = match (&mended.done, &mended.aside) {
        (Err(why), _) => {
            return format!(
                "something in the sandbox {did}; it cannot be put back ({why}): look at it before you start anything here"
            );
        }
        (Ok(()), None) => "it is there again".to_owned(),
        (Ok(()), Some(aside)) => {
            let became =
                if mended.was == Presence::Nothing { "it was put aside" } else { "it is what it was" };
            format!("{became}; what was made of it is {}, to look at and to take", aside.display())
        }
    };
    format!("something in the sandbox {did}: {then}")
}

/// What is noted in the folder of a run, or of a session.
fn note(folder: &Path) -> Note {
    Note::at(folder.join(GUEST_AT_WORK))
}

#[cfg(test)]
mod tests;
