//! What steers git, kept as it was before anybody else was at work in a repository, and put back before any git of ours runs
//! after them: for guests that can write the person's own git directory.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use windlass_core::damage::steering_settings;

use super::Folders;
use windlass_host::file::{FileError, create_private_folder, replace};
use windlass_host::note::Note;
use windlass_host::process::protocol::Text;
use windlass_host::tree::{self, Folders as Looking, Was, at};

/// So many git directories of submodules and of other working trees are looked at.
const MOST: usize = 500;

/// Files in the git directory of one working tree, and in the common one.
const FILES: [&str; 10] = [
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/http-alternates",
    "shallow",
];

/// Files that ordinary work changes, and that must be files.
const PLAIN: [&str; 3] = ["HEAD", "index", "packed-refs"];

/// Folders that must be folders.
const FOLDERS: [&str; 6] = ["objects", "objects/info", "objects/pack", "refs", "refs/heads", "info"];

/// How much is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// Whatever differs.
    Everything,
    /// What starts programs or leads git elsewhere, apart from hooks: whoever may write here is trusted with the rest.
    WhatSteers,
}

/// What steers git in a repository.
#[derive(Debug)]
pub struct Steering {
    strictness: Strictness,
    git_directory: PathBuf,
    /// Where the working tree says which git directory is its own.
    entrance: PathBuf,
    /// What must be as it was.
    fixed: BTreeMap<PathBuf, Was>,
    /// What ordinary work changes, and must stay of its kind: as it was last seen.
    plain: BTreeMap<PathBuf, Was>,
    hooks: Vec<PathBuf>,
}

/// Something that was made what it was.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PutBack {
    /// What.
    pub path: PathBuf,
    /// Where what stood there is now; `None` where that was no file, or could not be kept.
    pub aside: Option<PathBuf>,
}

/// How something is put back.
#[derive(Clone, Copy, Debug)]
pub struct Manner<'a> {
    /// The folder where what stood in its place is kept.
    pub aside: &'a Path,
    /// What has been changed since is a person's, where no walls hold anyway.
    pub persons_since: Option<SystemTime>,
}

/// Why nothing can be put back: git must not be called.
#[derive(Debug, thiserror::Error)]
pub enum SteeringError {
    /// The git directory itself is another one.
    #[error("{} was replaced while a guest was at work: no git is run on it; put yours back (what was there is still \
             where the guest moved it, or in the snapshots), then resume", .0.display())]
    Replaced(PathBuf),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Steering {
    /// Keeps what is there now.
    pub fn keep(folders: &Folders, strictness: Strictness) -> Steering {
        let Folders { top, git_dir, common_dir } = folders;
        let mut steering = Steering {
            strictness,
            git_directory: git_dir.clone(),
            entrance: top.join(".git"),
            fixed: BTreeMap::new(),
            plain: BTreeMap::new(),
            hooks: Vec::new(),
        };
        steering.fix(top.join(".git"));
        let mut directories = vec![git_dir.clone(), common_dir.clone()];
        if strictness == Strictness::Everything {
            for folder in ["modules", "worktrees"] {
                directories.extend(git_directories(&common_dir.join(folder), MOST));
            }
        }
        for folder in &directories {
            steering.fix(folder.clone());
            for name in FILES {
                steering.fix(folder.join(name));
            }
            if strictness == Strictness::Everything {
                steering.keep_hooks(&folder.join("hooks"));
            }
        }
        for folder in [git_dir, common_dir] {
            for name in FOLDERS {
                steering.fix(folder.join(name));
            }
            for name in PLAIN.into_iter().filter(|_| strictness == Strictness::Everything) {
                let path = folder.join(name);
                steering.plain.insert(path.clone(), look(&path));
            }
        }
        steering
    }

    fn fix(&mut self, path: PathBuf) {
        let was = look(&path);
        self.fixed.insert(path, was);
    }

    fn keep_hooks(&mut self, folder: &Path) {
        self.fix(folder.to_owned());
        self.hooks.push(folder.to_owned());
        for name in names(folder) {
            self.fix(folder.join(name));
        }
    }

    /// Puts back what differs, before any git runs; says what that was.
    ///
    /// # Errors
    /// The git directory itself is not the one that it was; or something cannot be put back.
    pub fn put_back(&mut self, manner: Manner<'_>) -> Result<Vec<PutBack>, SteeringError> {
        let _open = tree::keep_open();
        let mut changed = Vec::new();
        if self.strictness == Strictness::Everything
            && !same_kind(self.fixed.get(&self.git_directory), &look(&self.git_directory))
        {
            return Err(SteeringError::Replaced(self.git_directory.clone()));
        }
        let gone = look(&self.git_directory) == Was::Absent;
        // Outer ones first: what is below a link is not what it seems.
        for (path, was) in &mut self.fixed {
            // Whoever removes all of it is told of that by others.
            if gone {
                break;
            }
            let now = look(path);
            // A file or a link that leads there is nobody's work, and without it there is no repository.
            let leads = *path == self.entrance && !matches!(was, Was::Place { .. });
            let may_stay = self.strictness == Strictness::WhatSteers
                && (!leads && is_harmless(path, was, &now) || manner.is_a_persons(path));
            if now == *was || may_stay {
                continue;
            }
            if is_above_missing(path) || path.parent().is_some_and(|above| at(above).is_link()) {
                continue;
            }
            changed.push(manner.put(path, was, &now)?);
            // A folder that was made anew is another one.
            if matches!(was, Was::Place { .. }) {
                *was = look(path);
            }
        }
        for folder in &self.hooks {
            for name in names(folder) {
                let path = folder.join(name);
                if !self.fixed.contains_key(&path) {
                    changed.push(manner.put(&path, &Was::Absent, &look(&path))?);
                }
            }
        }
        for (path, was) in &mut self.plain {
            let now = look(path);
            if matches!(
                (&now, &*was),
                (
                    Was::Link(_) | Was::Other | Was::Place { .. },
                    Was::File { .. } | Was::Long { .. } | Was::Absent
                )
            ) {
                changed.push(manner.put(path, was, &now)?);
            } else {
                *was = now;
            }
        }
        Ok(changed)
    }

    /// The same, out of a note: what a session kept that was cut off. `None` where there is none.
    pub fn read(
        note: &Note,
        folders: &Folders,
        strictness: Strictness,
    ) -> Result<Option<Steering>, FileError> {
        let Some(kept) = kept(note)? else { return Ok(None) };
        let mut steering = Steering::keep(folders, strictness);
        steering.hooks.retain(|folder| at(folder).holds_folder());
        steering.fixed.retain(|path, _| !steering.hooks.iter().any(|hooks| path.parent() == Some(hooks)));
        steering.fixed.extend(kept);
        Ok(Some(steering))
    }

    /// Writes it down, for a session after this one where this one is cut off.
    pub fn write(&self, note: &Note) -> Result<(), FileError> {
        write_kept(note, &self.fixed)
    }
}

fn write_kept(note: &Note, kept: &BTreeMap<PathBuf, Was>) -> Result<(), FileError> {
    let kept: Vec<(Text, &Was)> =
        kept.iter().map(|(path, was)| (Text::from(path.as_os_str()), was)).collect();
    note.write(&kept)
}

/// What a session wrote down; `None` where it wrote nothing.
fn kept(note: &Note) -> Result<Option<BTreeMap<PathBuf, Was>>, FileError> {
    let entry = |(name, was): (Text, Was)| {
        let path = PathBuf::from(OsString::from(name));
        let was = since_a_restart(&path, was);
        (path, was)
    };
    let kept = note.read::<Vec<(Text, Was)>>()?;
    Ok(kept.map(|kept| kept.into_iter().map(entry).collect()))
}

/// Some file systems' devices have other numbers once the machine has started anew; the folder is the same one.
fn since_a_restart(path: &Path, was: Was) -> Was {
    match (look(path), was) {
        (now @ Was::Place { inode, .. }, Was::Place { inode: former, .. }) if inode == former => now,
        (_, was) => was,
    }
}

/// Puts back what says where the git directories of a working tree are, as a session wrote it down that was cut off, so that
/// plain files can be asked; then all that steers git. `None` where it was another working tree's session.
///
/// # Errors
/// The git directory itself is not the one that it was; or something cannot be put back.
pub fn put_back_from(
    note: &Note,
    directory: &Path,
    strictness: Strictness,
    manner: Manner<'_>,
) -> Result<Option<Vec<PutBack>>, SteeringError> {
    let Some(kept) = kept(note)? else { return Ok(None) };
    let entrance = directory.ancestors().map(|above| above.join(".git")).find(|path| kept.contains_key(path));
    let Some(entrance) = entrance else { return Ok(None) };
    let mut changed = Vec::new();
    let names = [OsStr::new("commondir"), OsStr::new("gitdir")];
    let leads = |path: &Path| path == entrance || path.file_name().is_some_and(|name| names.contains(&name));
    for (path, was) in kept.iter().filter(|(path, was)| leads(path) && !matches!(was, Was::Place { .. })) {
        let now = look(path);
        let is_a_persons = strictness == Strictness::WhatSteers && manner.is_a_persons(path);
        let is_in_place = || path.parent().is_some_and(|above| at(above).is_real_folder());
        if now != *was && !is_a_persons && is_in_place() {
            changed.push(manner.put(path, was, &now)?);
        }
    }
    let top = entrance.parent().unwrap_or(directory);
    let Some(folders) = Folders::locate(top).filter(|found| found.top == top) else {
        return Err(SteeringError::Replaced(entrance));
    };
    if let Some(mut steering) = Steering::read(note, &folders, strictness)? {
        changed.extend(steering.put_back(manner)?);
    }
    Ok(Some(changed))
}

/// A person has put the git directory of a working tree back, in the place of the one that a guest left: the folders that are there
/// now are the ones that a session which was cut off has to find. What else it wrote down still holds.
///
/// # Errors
/// The note cannot be read or written.
pub fn take_folders_as_they_are(note: &Note, top: &Path) -> Result<(), FileError> {
    let Some(mut kept) = kept(note)?.filter(|kept| kept.contains_key(&top.join(".git"))) else {
        return Ok(());
    };
    for (path, was) in &mut kept {
        let now = look(path);
        if matches!((&*was, &now), (Was::Place { .. }, Was::Place { .. })) {
            *was = now;
        }
    }
    write_kept(note, &kept)
}

/// Is it the same folder?
fn same_kind(was: Option<&Was>, now: &Was) -> bool {
    match (was, now) {
        (Some(Was::Place { .. }), Was::Absent) | (None, _) => true,
        (Some(was), now) => was == now,
    }
}

/// A change that starts nothing and leads nowhere else.
fn is_harmless(path: &Path, was: &Was, now: &Was) -> bool {
    match (was, now) {
        // Others see that, and say it.
        (_, Was::Absent) | (Was::Place { .. }, _) => true,
        (Was::File { content: was, .. }, Was::File { content: now, .. }) => {
            is_configuration(path) && steering_settings(was.as_bytes()) == steering_settings(now.as_bytes())
                || path.ends_with("shallow")
                || path.ends_with("info/exclude")
        }
        (Was::Absent, Was::File { content, .. }) => {
            is_configuration(path) && steering_settings(content.as_bytes()).is_empty()
                || path.ends_with("shallow")
                || path.ends_with("info/exclude")
        }
        _ => false,
    }
}

fn is_configuration(path: &Path) -> bool {
    path.ends_with("config") || path.ends_with("config.worktree")
}

/// The folder that it was in is gone, and was not made again: that of a submodule or of another working tree.
fn is_above_missing(path: &Path) -> bool {
    !path.parent().is_some_and(|above| at(above).holds_folder())
}

fn look(path: &Path) -> Was {
    Was::look(&at(path), Looking::ByIdentity)
}

impl Manner<'_> {
    /// Was it changed, which nobody can date, when no guest was at work any more?
    fn is_a_persons(self, path: &Path) -> bool {
        let changed = || Some(at(path).look().ok()??.changed_at());
        self.persons_since.is_some_and(|since| changed().is_some_and(|changed| changed > since))
    }

    /// What was not kept is not made again; what is there now goes aside.
    fn put(self, path: &Path, was: &Was, now: &Was) -> Result<PutBack, FileError> {
        let aside = self.set_aside(path, now);
        match was {
            Was::Long { .. } | Was::Other => Was::Absent.put(&at(path))?,
            was => was.put(&at(path))?,
        }
        Ok(PutBack { path: path.to_owned(), aside })
    }

    /// Keeps a copy of a file.
    fn set_aside(self, path: &Path, now: &Was) -> Option<PathBuf> {
        let Was::File { content, .. } = now else { return None };
        let name = path.file_name()?.to_str()?;
        let mut free = (1..).map(|number| self.aside.join(format!("git-{number:04}-{name}")));
        // outside: the run's folder.
        create_private_folder(self.aside).ok()?;
        // outside: the run's folder.
        let copy = free.find(|path| !path.exists())?;
        // outside: the run's folder.
        replace(&copy, content.as_bytes(), 0o600).ok()?;
        Some(copy)
    }
}

fn names(folder: &Path) -> Vec<OsString> {
    let entries = at(folder).open_real_folder().and_then(|folder| folder.entries());
    entries.into_iter().flatten().map(|entry| entry.name).collect()
}

/// Git directories below a folder, those in others of them included.
fn git_directories(folder: &Path, most: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        for name in names(&folder) {
            let path = folder.join(name);
            if found.len() >= most || depth > 4 || !at(&path).is_real_folder() {
                continue;
            }
            if at(&path).join("HEAD").holds_file() {
                waiting.push((path.join("modules"), depth + 1));
                found.push(path);
            } else {
                waiting.push((path, depth + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
