//! What guests see of the machine's files.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};

use windlass_agents::GUARDED_IN_WORKSPACES;
use windlass_core::spec::SandboxSpec;

use super::SandboxRoom;
use super::secrets::{homes, moved_secrets, secrets_of};
use crate::steered::steering;
use windlass_git::loan::Loan;
use windlass_host::tree::{Kind, at};

/// What of the machine holds secrets. `/run` has the sockets of its services: of docker, of keys, of the desktop.
const SECRETS_OF_THE_MACHINE: &[&str] = &["/run", "/etc/shadow", "/etc/gshadow", "/etc/ssl/private"];

/// What of `/run` programs cannot do without, where it is.
const NEEDED_OF_RUN: &[&str] = &["/run/current-system", "/run/wrappers", "/run/opengl-driver"];

/// Where a name server's address is; often a link into `/run`.
const NAME_SERVERS: &str = "/etc/resolv.conf";

/// Where programs put temporary files whatever they are told.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];

/// How deep git directories of submodules are looked for.
const SUBMODULE_DEPTH: usize = 4;

/// So many of their folders are guarded, at most: each is a part of a command line.
const MOST_SUBMODULES: usize = 1_000;

/// So many workspaces, likewise.
const MOST_WORKSPACES: usize = 500;

/// What is seen of a place and of all below it, down to the next place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// It can be written.
    Writable,
    /// It can be read.
    ReadOnly,
    /// Nothing of it.
    Hidden,
    /// This folder instead, which can be written.
    Other(PathBuf),
    /// This file instead, which can be read.
    Shown(PathBuf),
}

/// What guests see: of places that contain each other, the innermost counts. What belongs to none can be read. All
/// places are canonical and there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    pub places: BTreeMap<PathBuf, Sight>,
}

impl View {
    /// The view of a run's guests. `own` are the sandbox's own places, taken as they are; `files` what is
    /// shown of what would be hidden.
    pub fn new(
        plan: &SandboxSpec,
        room: &SandboxRoom,
        own: Vec<(PathBuf, Sight)>,
        files: &[PathBuf],
    ) -> View {
        let mut view = View { places: BTreeMap::new() };
        let secrets = homes(&room.home).flat_map(secrets_of);
        view.set_all(secrets.chain(SECRETS_OF_THE_MACHINE.iter().map(PathBuf::from)), &Sight::Hidden);
        view.set_all(moved_secrets(&env::vars_os().collect::<Vec<_>>()), &Sight::Hidden);
        let names = Path::new(NAME_SERVERS);
        view.set_all(is_below_run(names).then(|| names.to_owned()), &Sight::ReadOnly);
        view.set_all(NEEDED_OF_RUN.iter().map(PathBuf::from), &Sight::ReadOnly);
        view.set_all(plan.writable.clone(), &Sight::Writable);
        view.set_all(room.closed.clone(), &Sight::ReadOnly);
        view.set_all(room.work(), &Sight::Writable);
        let closed = room.loan.iter().flat_map(|loan| loan.closed().map(Path::to_owned));
        view.set_all(closed.filter(|folder| !folder.starts_with(&room.tree)), &Sight::ReadOnly);
        // It lies in a tree that guests may write: one of an earlier call could have put a link in its place.
        view.pin_all([room.directory.clone()], &Sight::Writable);
        let guarded = Guarded::find(room);
        view.pin_all(guarded.folders, &Sight::Writable);
        view.pin_all(guarded.settings, &Sight::ReadOnly);
        // The agent's own part of what is guarded: workspaces that a person has made.
        let workspaces: Vec<PathBuf> =
            room.windlass_folders().flat_map(|folder| folders_of(&folder, "workspaces")).collect();
        view.pin_all(workspaces.iter().cloned(), &Sight::Writable);
        // A document of a pipeline is written, and its tasks are marked; what else is changed there is undone.
        let pipelines = room.windlass_folders().flat_map(|folder| folders_of(&folder, "pipelines"));
        view.pin_all(pipelines, &Sight::Writable);
        // Whoever works on an issue marks it as done there.
        let issues = room.windlass_folders().flat_map(|folder| folders_of(&folder, "issues"));
        view.pin_all(issues, &Sight::Writable);
        view.pin_all(workspaces.iter().flat_map(|folder| guarded_in_workspace(folder)), &Sight::ReadOnly);
        view.set_all([room.state.clone()].into_iter().chain(plan.hidden.clone()), &Sight::Hidden);
        view.places.extend(own);
        view.show(files);
        view.hold_ways();
        view
    }

    /// Makes places of the folders on the way from what may be written down to a place, so that none of them can be renamed
    /// or replaced: what lies in it would go with it, and something of the guest's would be found there outside, and by
    /// the next guest's view.
    fn hold_ways(&mut self) {
        let ways: BTreeSet<PathBuf> = self.places.keys().flat_map(|place| self.way_to(place)).collect();
        self.places.extend(ways.into_iter().map(|folder| (folder, Sight::Writable)));
    }

    /// The folders above a place that a guest could rename. A link is none: it is opened by what it leads to.
    fn way_to<'a>(&'a self, place: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
        let above = place.ancestors().skip(1).take_while(|folder| *self.sight(folder) == Sight::Writable);
        let is_free = |folder: &&Path| !self.places.contains_key(*folder);
        above.filter(is_free).filter(|folder| is_canonical(folder)).map(Path::to_owned)
    }

    /// Shows files that would not be seen.
    fn show(&mut self, files: &[PathBuf]) {
        for file in files {
            // outside: only where it leads is asked.
            let Ok(canonical) = file.canonicalize() else { continue };
            for path in [file, &canonical] {
                if !self.is_seen(path) {
                    // By the name that it is asked for, which may be a link.
                    self.places.insert(path.clone(), Sight::Shown(canonical.clone()));
                }
            }
        }
    }

    fn set_all(&mut self, paths: impl IntoIterator<Item = PathBuf>, sight: &Sight) {
        for path in paths {
            self.set(&path, sight.clone());
        }
    }

    /// A link is what it leads to; what is not there needs no place.
    fn set(&mut self, path: &Path, sight: Sight) {
        // outside: only where it leads is asked.
        if let Ok(canonical) = path.canonicalize() {
            self.places.insert(canonical, sight);
        }
    }

    /// Places where a guest may have been at work before. What is a link there, or behind one, is not a place of ours: a guest
    /// could have made it, to be shown, or let write, what it leads to.
    fn pin_all(&mut self, paths: impl IntoIterator<Item = PathBuf>, sight: &Sight) {
        for path in paths {
            if is_canonical(&path) {
                self.places.insert(path, sight.clone());
            }
        }
    }

    /// Can this be read under its own name?
    pub fn is_seen(&self, path: &Path) -> bool {
        matches!(self.sight(path), Sight::Writable | Sight::ReadOnly)
    }

    /// What is seen of a path.
    pub fn sight(&self, path: &Path) -> &Sight {
        path.ancestors().find_map(|above| self.places.get(above)).unwrap_or(&Sight::ReadOnly)
    }

    /// The places strictly below a path.
    pub fn below<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a PathBuf, &'a Sight)> {
        let places = self.places.range(path.to_owned()..);
        places.take_while(move |(place, _)| place.starts_with(path)).filter(move |(place, _)| *place != path)
    }
}

/// Is this its own name, with no link in it?
pub(super) fn is_canonical(path: &Path) -> bool {
    // outside: only where it leads is asked.
    path.canonicalize().is_ok_and(|canonical| canonical == path)
}

fn is_below_run(path: &Path) -> bool {
    // outside: only where it leads is asked.
    path.canonicalize().is_ok_and(|path| path.starts_with("/run"))
}

/// The sandbox's folders in the place of those that everybody uses.
pub(super) fn temporary(folder: &Path) -> Vec<(PathBuf, Sight)> {
    TEMPORARY.iter().map(|path| (PathBuf::from(path), Sight::Other(folder.to_owned()))).collect()
}

/// Where guests find the git directory that they are lent.
pub(super) fn lent(room: &SandboxRoom) -> Vec<(PathBuf, Sight)> {
    let places = room.loan.as_ref().map(Loan::places).unwrap_or_default();
    let writable = places.writable.into_iter().map(|(place, source)| (place, Sight::Other(source)));
    let shown = places.shown.into_iter().map(|(place, source)| (place, Sight::Shown(source)));
    writable.chain(shown).collect()
}

/// What it names that lies elsewhere.
pub(super) fn lent_files(room: &SandboxRoom) -> Vec<PathBuf> {
    room.loan.as_ref().map(|loan| loan.places().seen).unwrap_or_default()
}

impl SandboxRoom {
    /// What guests work on: the tree with the directory in it, and the repository.
    fn work(&self) -> impl Iterator<Item = PathBuf> {
        let open = self.git_directories.iter().filter(|_| self.loan.is_none());
        std::iter::once(&self.tree).chain(open).cloned()
    }

    /// Where configuration is looked for: in the directory, and in each folder above it up to the top of the tree.
    fn way(&self) -> impl Iterator<Item = &Path> {
        self.directory.ancestors().take_while(|above| above.starts_with(&self.tree))
    }

    /// Where Windlass's folder may lie.
    pub(super) fn windlass_folders(&self) -> impl Iterator<Item = PathBuf> {
        self.way().map(|folder| folder.join(".windlass"))
    }
}

/// What a guest could make the runner, or a person, do something with outside: Windlass's own files, git's settings
/// and hooks, and the file by which a working tree names its git directory.
#[derive(Debug, Default)]
struct Guarded {
    settings: Vec<PathBuf>,
    /// Folders above them, which stay where they are: what is mounted on cannot be moved away and made anew.
    folders: Vec<PathBuf>,
}

impl Guarded {
    fn find(room: &SandboxRoom) -> Guarded {
        let mut guarded = Guarded { settings: room.windlass_folders().collect(), folders: Vec::new() };
        // What steers agents, those of a person as well: where it is there, it stays as it is.
        let steering = |folder| steering().map(move |name| Path::join(folder, name));
        guarded.settings.extend(room.way().flat_map(steering));
        guarded.settings.extend([room.tree.join(".git")].into_iter().filter(|path| at(path).holds_file()));
        for folder in room.git_directories.iter().filter(|_| room.loan.is_none()) {
            guarded.settings.extend(settings_of_git(folder));
            guarded.folders.extend(["modules", "worktrees"].map(|name| folder.join(name)));
            guarded.submodules(&folder.join("modules"), SUBMODULE_DEPTH);
        }
        guarded
    }

    fn submodules(&mut self, folder: &Path, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        for entry in at(folder).entries().unwrap_or_default() {
            let path = folder.join(&entry.name);
            if self.folders.len() >= MOST_SUBMODULES || entry.kind != Kind::Folder {
                continue;
            }
            if at(&path).join("HEAD").holds_file() {
                self.settings.extend(settings_of_git(&path));
                self.submodules(&path.join("modules"), depth);
            } else {
                self.submodules(&path, depth);
            }
            self.folders.push(path);
        }
    }
}

fn settings_of_git(folder: &Path) -> [PathBuf; 3] {
    ["config", "config.worktree", "hooks"].map(|name| folder.join(name))
}

/// The folders in one of Windlass's own.
fn folders_of(windlass: &Path, name: &str) -> Vec<PathBuf> {
    let folder = windlass.join(name);
    let names = at(&folder).names().unwrap_or_default().into_iter();
    let paths = names.map(|name| folder.join(name)).filter(|path| at(path).holds_folder());
    paths.take(MOST_WORKSPACES).collect()
}

/// What of a workspace a person wrote, and what we count.
fn guarded_in_workspace(workspace: &Path) -> impl Iterator<Item = PathBuf> {
    GUARDED_IN_WORKSPACES.iter().map(|name| workspace.join(name))
}

#[cfg(test)]
mod tests;
