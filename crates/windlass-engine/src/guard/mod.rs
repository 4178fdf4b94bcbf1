//! What of a project its checks depend on, looked at when a run starts and after each attempt.

mod links;
mod tools;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use windlass_core::config::GuardSettings;
use windlass_core::fact::Check;
use windlass_core::guard::{
    GuardAction, GuardPlan, GuardedFile, Protected, Unfollowed, included, makefiles, package_scripts_called,
    scripts_started, tools_called, unfollowed,
};

pub(crate) use tools::changed_tools;

use crate::inventory::{Place, content_now};
use crate::tree::{Kind, at};

/// So much of a script is read for what it starts, in bytes.
const MOST_OF_SCRIPT: u64 = 256 * 1024;

/// So many names of a folder are looked at.
const MOST_NAMES: usize = 2000;

/// What is guarded in a run with these checks. Reads the scripts that they start, and what these start.
#[must_use]
pub fn inspect(place: &Place, checks: &[Check], wanted: &GuardSettings, search_path: &OsStr) -> GuardPlan {
    let mut plan = GuardPlan {
        action: wanted.action,
        tests: wanted.tests,
        protected: wanted.protected.clone(),
        ..GuardPlan::default()
    };
    if plan.action == GuardAction::Off {
        return plan;
    }
    let mut inspection = Inspection::new(place);
    let mut scripts = BTreeSet::new();
    for check in checks {
        inspection.read(&check.command, Path::new(""), 0);
        scripts.extend(package_scripts_called(&check.command));
    }
    if !scripts.is_empty() {
        for command in package_commands(place, &scripts) {
            inspection.read(&command, Path::new(""), 1);
        }
    }
    plan.scripts = scripts.into_iter().collect();
    plan.protected.extend(inspection.patterns.iter().cloned());
    plan.unfollowed = inspection.unfollowed.iter().cloned().collect();
    let named: Vec<PathBuf> = inspection.files.iter().cloned().collect();
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
    /// Scripts of the `package.json` with what they run: name, command.
    pub packages: Vec<(String, String)>,
}

/// Follows a command to the scripts of the repository that it starts, as far as words tell.
pub(crate) fn started_by(place: &Place, command: &str) -> Started {
    let mut inspection = Inspection::new(place);
    inspection.read(command, Path::new(""), 0);
    let names: BTreeSet<String> = package_scripts_called(command).into_iter().collect();
    let packages = package_scripts(place, &names);
    for (_, command) in &packages {
        inspection.read(command, Path::new(""), 1);
    }
    Started { files: inspection.files, packages }
}

/// What is found by following what checks start.
struct Inspection<'a> {
    place: &'a Place,
    /// Relative to the root.
    files: BTreeSet<PathBuf>,
    tools: BTreeSet<String>,
    /// Of files that a makefile reads by a pattern: relative to the root.
    patterns: BTreeSet<String>,
    unfollowed: BTreeSet<Unfollowed>,
}

impl Inspection<'_> {
    fn new(place: &Place) -> Inspection<'_> {
        Inspection {
            place,
            files: BTreeSet::new(),
            tools: BTreeSet::new(),
            patterns: BTreeSet::new(),
            unfollowed: BTreeSet::new(),
        }
    }

    /// A file that a check reads, and what it is a link to: whoever changes either changes the check.
    fn take(&mut self, path: &Path) -> bool {
        let way = links::way(&self.place.root, path);
        if way.leads_out {
            let pattern = path.to_str().map(str::to_owned);
            let command = format!("{}: a link that leads out of the project", path.display());
            self.unfollowed.insert(Unfollowed { command, pattern });
        }
        let is_new = self.files.insert(path.to_owned());
        self.files.extend(way.files);
        is_new
    }

    /// What a makefile reads besides itself.
    fn include(&mut self, text: &str, folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for name in included(text) {
            let path = inside(self.place, &folder.join(&name));
            match path {
                _ if name.contains('$') => {
                    let pattern = name.rsplit_once('/').map(|(_, last)| last.to_owned());
                    let pattern = pattern.filter(|last| !last.contains('$'));
                    self.unfollowed.insert(Unfollowed { command: format!("include {name}"), pattern });
                }
                Some(path) if name.contains(['*', '?', '[']) => {
                    self.patterns.extend(path.to_str().map(|path| format!("/{path}")));
                }
                Some(path) => files.push(path),
                None => {}
            }
        }
        files
    }

    /// A command, or what stands in a script that one starts; `folder`, relative to the working directory, is where it runs.
    fn read(&mut self, text: &str, folder: &Path, depth: usize) {
        /// A check starts a script that starts a script.
        const DEEPEST: usize = 3;
        self.tools.extend(tools_called(text));
        self.unfollowed.extend(unfollowed(text));
        let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
        for script in scripts_started(text) {
            let path = inside(self.place, &folder.join(&script)).filter(|path| self.is_script(path));
            found.extend(path.map(|path| (path, folder.to_owned())));
        }
        for group in makefiles(text) {
            let paths: Vec<PathBuf> =
                group.iter().filter_map(|name| inside(self.place, &folder.join(name))).collect();
            let there = paths.iter().position(|path| at(&self.place.root).join(path).holds_file());
            // Those before the one that is read would be read instead, were they there.
            if let Some(used) = there {
                // What it says is run where it lies.
                let its = group.first().and_then(|name| Path::new(name).parent()).unwrap_or(Path::new(""));
                let its = folder.join(its);
                for path in paths.into_iter().take(used + 1) {
                    if depth < DEEPEST {
                        self.read_makefile(&path, &its, depth);
                    } else {
                        self.take(&path);
                    }
                }
            }
        }
        for (path, folder) in found {
            if self.take(&path)
                && depth < DEEPEST
                && let Some(text) = text_of(&self.place.root.join(&path))
            {
                self.read(&text, &folder, depth + 1);
            }
        }
    }

    /// A makefile and what it includes, each once.
    fn read_makefile(&mut self, path: &Path, folder: &Path, depth: usize) {
        /// Makefiles include makefiles.
        const MOST_INCLUDED: usize = 100;
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop().filter(|_| self.files.len() < MOST_INCLUDED) {
            if self.take(&path)
                && let Some(text) = text_of(&self.place.root.join(&path))
            {
                open.extend(self.include(&text, folder));
                self.read(&text, folder, depth + 1);
            }
        }
    }

    /// Something that was built is no script: it is another one after each change.
    fn is_script(&self, path: &Path) -> bool {
        let endings = ["sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php"];
        let named = path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known));
        let full = self.place.root.join(path);
        at(&full).holds_file() && (named || text_of(&full).is_some_and(|text| text.starts_with("#!")))
    }
}

/// The commands behind these scripts of the working directory's `package.json`.
fn package_commands(place: &Place, names: &BTreeSet<String>) -> Vec<String> {
    package_scripts(place, names).into_iter().map(|(_, command)| command).collect()
}

fn package_scripts(place: &Place, names: &BTreeSet<String>) -> Vec<(String, String)> {
    if names.is_empty() {
        return Vec::new();
    }
    let text = text_of(&place.directory.join("package.json")).unwrap_or_default();
    let package: Option<serde_json::Value> = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok();
    let script = |name: &String| {
        let command = package.as_ref()?.get("scripts")?.get(name)?.as_str()?;
        Some((name.clone(), command.to_owned()))
    };
    names.iter().filter_map(script).collect()
}

/// A path as a command in the working directory names it, relative to the root; `None` outside it.
pub(crate) fn inside(place: &Place, path: &Path) -> Option<PathBuf> {
    let mut full = PathBuf::new();
    for part in place.directory.join(path).components() {
        match part {
            Component::ParentDir => drop(full.pop()),
            Component::CurDir => {}
            other => full.push(other),
        }
    }
    full.strip_prefix(&place.root).ok().map(Path::to_owned)
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

/// What names what is at a path relative to the root; `None` = nothing is there.
pub(crate) fn digest(place: &Place, path: &Path) -> Option<String> {
    let (kind, content) = content_now(&place.root, place.object_format(), path.as_os_str().as_bytes())?;
    Some(format!("{} {content}", kind.git_mode()))
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
