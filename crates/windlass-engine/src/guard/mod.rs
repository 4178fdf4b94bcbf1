//! What of a project its checks depend on, looked at when a run starts and after each attempt.

mod following;
mod links;
mod packages;
mod tools;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use windlass_core::config::GuardSettings;
use windlass_core::dots::without_dots;
use windlass_core::guard::{Need, Protected, needs};
use windlass_core::spec::{GuardAction, GuardSpec, GuardedFile};
use windlass_core::values::Check;

pub(crate) use packages::PackageScript;
pub(crate) use tools::changed_tools;

use following::Inspection;

use windlass_git::inventory::Place;
use windlass_host::tree::{Kind, at};

/// So much of a script is read for what it starts, in bytes.
const MOST_OF_SCRIPT: u64 = 256 * 1024;

/// What names a folder, whatever it holds.
pub(crate) const FOLDER: &str = "folder";

/// So many names of a folder are looked at.
const MOST_NAMES: usize = 2000;

/// What is guarded in a run with these checks, and with these other commands that it runs for a person (hooks, notifications). Reads
/// the scripts that they start, and what these start.
pub fn inspect(
    place: &Place,
    (checks, others): (&[Check], &[String]),
    wanted: &GuardSettings,
    search_path: &OsStr,
) -> GuardSpec {
    let mut plan = GuardSpec {
        action: wanted.action,
        tests: wanted.tests,
        protected: wanted.protected.clone(),
        ..GuardSpec::default()
    };
    if plan.action == GuardAction::Off {
        return plan;
    }
    let mut inspection = Inspection::new(place);
    for check in checks {
        inspection.read_command(&check.command);
    }
    let mut beside = Inspection::new(place);
    for command in others {
        beside.read_command(command);
    }
    plan.scripts = inspection.packages.names.iter().cloned().collect();
    plan.protected.extend(inspection.patterns.union(&beside.patterns).cloned());
    plan.outside = inspection.outside.iter().cloned().collect();
    plan.unfollowed = inspection.unfollowed.iter().cloned().collect();
    let named: Vec<PathBuf> = inspection.files.union(&beside.files).cloned().collect();
    let at_the_top = Protected::new(plan.protected.iter().map(String::as_str)).ok();
    let at_the_top = at_the_top.map(|protected| protected_at_the_top(place, &protected)).unwrap_or_default();
    let paths: BTreeSet<PathBuf> = named.into_iter().chain(at_the_top).collect();
    plan.files = paths.iter().filter_map(|path| guarded(place, path)).collect();
    plan.tools = tools::guarded(place, &inspection.tools, search_path);
    plan
}

/// What a command starts of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Started {
    /// Scripts and makefiles, relative to the root.
    pub files: BTreeSet<PathBuf>,
    /// Scripts of `package.json` files.
    pub packages: BTreeSet<PackageScript>,
}

/// Follows a command to the scripts of the repository that it starts, as far as words tell.
pub(crate) fn started_by(place: &Place, command: &str) -> Started {
    let mut inspection = Inspection::new(place);
    inspection.read_command(command);
    Started { files: inspection.files, packages: inspection.packages.found }
}

/// A path as a command in the working directory names it, relative to the root; `None` outside it.
pub(crate) fn inside(place: &Place, path: &Path) -> Option<PathBuf> {
    without_dots(&place.directory.join(path)).strip_prefix(&place.root).ok().map(Path::to_owned)
}

fn text_of(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    // What is a link is read as what it leads to: so does the shell.
    at(path).open().ok()?.take(MOST_OF_SCRIPT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn guarded(place: &Place, path: &Path) -> Option<GuardedFile> {
    let text = path.to_str()?.to_owned();
    let digest = digest(place, path);
    Some(GuardedFile { path: text, digest })
}

/// The files of the project that a command starts, as they are now; those of interpreters as well, whatever they are called.
pub(crate) fn files_of(place: &Place, command: &str) -> Vec<GuardedFile> {
    let named = needs(command).into_iter().filter_map(|need| match need {
        Need::File(path) | Need::Executable(path) => inside(place, Path::new(&path)),
        Need::Program(_) | Need::WordOfShell(_) | Need::Folder(_) | Need::OneOf(..) => None,
    });
    let files: BTreeSet<PathBuf> = started_by(place, command).files.into_iter().chain(named).collect();
    files.iter().filter_map(|path| guarded(place, path)).collect()
}

/// The first of these files that is not what it was.
pub(crate) fn first_changed<'a>(place: &Place, files: &'a [GuardedFile]) -> Option<&'a str> {
    let mut changed = files.iter().filter(|file| digest(place, Path::new(&file.path)) != file.digest);
    changed.next().map(|file| file.path.as_str())
}

/// What names what is at a path relative to the root; `None` = nothing is there.
pub(crate) fn digest(place: &Place, path: &Path) -> Option<String> {
    let content = place.content_now(path.as_os_str().as_bytes());
    let folder = || at(&place.root).join(path).is_real_folder().then(|| FOLDER.to_owned());
    content.map(|(kind, content)| format!("{} {content}", kind.git_mode())).or_else(folder)
}

/// Protected files beside the root and beside the working directory, relative to the root; git may ignore them.
pub(crate) fn protected_at_the_top(place: &Place, protected: &Protected) -> Vec<PathBuf> {
    let mut folders = vec![place.root.clone()];
    if place.directory != place.root {
        folders.push(place.directory.clone());
    }
    let mut found = Vec::new();
    for folder in folders {
        let Ok(entries) = at(&folder).entries() else { continue };
        for entry in entries.into_iter().take(MOST_NAMES) {
            let full = folder.join(&entry.name);
            let relative = full.strip_prefix(&place.root).ok().filter(|_| entry.kind != Kind::Folder);
            found.extend(relative.filter(|path| is_protected(place, protected, path)).map(Path::to_owned));
        }
    }
    found
}

/// Is a path, relative to the root, protected, seen from there or from the working directory?
pub(crate) fn is_protected(place: &Place, protected: &Protected, path: &Path) -> bool {
    seen_from_both(place, path, |path| protected.holds(path))
}

/// Does a pattern of the configuration let this path through, seen from there or from the working directory?
pub(crate) fn is_let_through(place: &Place, protected: &Protected, path: &Path) -> bool {
    seen_from_both(place, path, |path| protected.lets_through(path))
}

fn seen_from_both(place: &Place, path: &Path, fits: impl Fn(&str) -> bool) -> bool {
    if fits(&path.to_string_lossy()) {
        return true;
    }
    let here = place.directory.strip_prefix(&place.root).unwrap_or(Path::new(""));
    let below = path.strip_prefix(here).ok().filter(|_| here != Path::new(""));
    below.is_some_and(|path| fits(&path.to_string_lossy()))
}
