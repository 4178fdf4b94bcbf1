//! The person's filters while guests are locked in. A filter is a program that git starts for a file; what it starts in turn may
//! lie in the working tree, where guests write. So none is run outside but Git LFS, which is not part of a project. What a commit
//! needs of the others is made inside, by the sandbox's own door, and kept by what the filter was given: git outside looks it up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{GitError, Repository};
use crate::git::as_path;
use crate::git::call::Call;
use windlass_host::file::{FileError, create_private_folder, replace};
use windlass_host::tree::at;

/// A file that is larger is not sent through a filter, in bytes.
pub const LARGEST_FILTERED: usize = 512 * 1024 * 1024;

/// What begins a filter's command that is Git LFS, and nothing else.
const LARGE_FILES: [&str; 3] = ["git-lfs clean", "git-lfs smudge", "git-lfs filter-process"];

/// What git runs outside instead of a filter: it prints what was made inside of this very path and content, or fails.
const LOOK_UP: &str = "found=$( { printf '%s\\n' %f; cat; } | sha256sum | cut -c1-64 ) && exec cat \"$WINDLASS_FILTERED/$found\"";

/// The person's filters that are not run outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosedFilters {
    filters: BTreeMap<String, Filter>,
    /// Hooks that the configuration names (git 2.54): what they start may lie in the working tree just so.
    hooks: BTreeSet<String>,
    /// Where it is kept what was made inside, for calls that may look it up.
    kept: Option<PathBuf>,
}

/// A filter, as far as it shapes what is committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Filter {
    clean: Option<String>,
    /// It speaks git's own protocol for many files, which needs git itself.
    has_process: bool,
}

/// A file that goes through a filter which is not run outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filtered {
    /// The file, from the top.
    pub path: Vec<u8>,
    /// The filter's name.
    pub filter: String,
    /// What a shell runs for it; `None` where it speaks git's own protocol instead.
    pub command: Option<String>,
}

impl ClosedFilters {
    /// Is there none?
    pub(crate) fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }

    /// The settings of a filter that are to hold no program.
    pub(crate) fn emptied(&self, name: &str) -> &'static [&'static str] {
        let has_process = self.filters.get(name).is_some_and(|filter| filter.has_process);
        // git runs nothing else where this is set at all.
        if has_process { &["smudge", "process"] } else { &["smudge"] }
    }

    /// All of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.filters.keys().map(String::as_str)
    }

    /// The hooks of the configuration, by their names.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &str> {
        self.hooks.iter().map(String::as_str)
    }

    /// Those that cannot be run inside for a commit either.
    pub fn hopeless(&self) -> impl Iterator<Item = &str> {
        self.filters.iter().filter(|(_, filter)| filter.has_process).map(|(name, _)| name.as_str())
    }

    /// What git is to run to clean a file, and where that looks; nothing at all where nothing was made inside.
    pub(crate) fn look_up(&self) -> Option<(&'static str, &Path)> {
        self.kept.as_deref().map(|kept| (LOOK_UP, kept))
    }
}

impl Repository {
    /// The filters that are configured here and that attributes in the commit that is checked out name, but for Git LFS: another machine
    /// needs them as well.
    pub fn filters_in_use(&self) -> Result<Vec<String>, GitError> {
        let search = ["grep", "-h", "--only-matching", "-E", "-e", "filter=[^[:space:]]+", "HEAD", "--"];
        // It ends with 1 where nothing is found.
        let found = Call::within(self).args(search).arg(":(glob)**/.gitattributes").run()?.output;
        let lines: BTreeSet<&[u8]> = found.split(|byte| *byte == b'\n').collect();
        let names = lines.into_iter().filter_map(|line| str::from_utf8(line.strip_prefix(b"filter=")?).ok());
        // Those that are closed say nothing to a call.
        let open = Repository { closed_filters: None, ..self.clone() };
        let mut in_use = Vec::new();
        for name in names.filter(|name| *name != "lfs") {
            if open.has_filter(name)? {
                in_use.push(name.to_owned());
            }
        }
        Ok(in_use)
    }

    /// Is a filter of this name configured, that shapes what is committed?
    pub fn has_filter(&self, name: &str) -> Result<bool, GitError> {
        let settings = ["clean", "process"].map(|part| format!("filter.{name}.{part}"));
        Ok(!self.settings(&settings.each_ref().map(String::as_str))?.is_empty())
    }

    /// No filter, and no hook of the configuration, is run from now on that could start what a guest wrote. To be called before there
    /// are any guests.
    pub fn close_filters(&mut self) -> Result<(), GitError> {
        let pattern = "^filter\\..*\\.(clean|smudge|process)$";
        let mut filters: BTreeMap<String, Filter> = BTreeMap::new();
        // Those that are closed already say nothing to a call.
        let open = Repository { closed_filters: None, ..self.clone() };
        for (name, command) in open.settings_like(pattern)? {
            let Some((driver, part)) = name.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'))
            else {
                continue;
            };
            let command = String::from_utf8_lossy(&command).into_owned();
            if is_large_files(&command) {
                continue;
            }
            let filter = filters.entry(driver.to_owned()).or_default();
            match part {
                "clean" => filter.clean = Some(command).filter(|command| !command.is_empty()),
                "process" => filter.has_process = true,
                _ => {}
            }
        }
        let hook = |(name, _): (String, _)| Some(name.strip_prefix("hook.")?.rsplit_once('.')?.0.to_owned());
        let hooks = open.settings_like("^hook\\.")?.into_iter().filter_map(hook).collect();
        let kept = self.closed_filters.take().and_then(|closed| closed.kept);
        self.closed_filters = Some(ClosedFilters { filters, hooks, kept });
        Ok(())
    }

    /// What filters make inside is kept in this folder, and git looks it up there.
    pub fn keep_filtered_in(&mut self, folder: PathBuf) {
        if let Some(closed) = &mut self.closed_filters {
            closed.kept = Some(folder);
        }
    }

    /// Which of these paths go through a filter that is not run outside when they are committed.
    pub fn filtered(&self, paths: &[&[u8]]) -> Result<Vec<Filtered>, GitError> {
        let Some(closed) = self.closed_filters.as_ref().filter(|closed| !closed.is_empty()) else {
            return Ok(Vec::new());
        };
        let named = self.filters(paths)?.into_iter();
        let found = named.filter_map(|(path, filter)| {
            let Filter { clean, has_process } = closed.filters.get(&filter)?;
            let command = clean.as_ref().filter(|_| !has_process);
            let command = command.map(|clean| clean.replace("%f", &quoted(&path)).replace("%%", "%"));
            (clean.is_some() || *has_process).then_some(Filtered { path, filter, command })
        });
        Ok(found.collect())
    }

    /// Why these files cannot be committed as they are: a sentence; `None` where they can, or what they become was made inside.
    pub(crate) fn not_filtered(&self, paths: &[&[u8]]) -> Result<Option<String>, GitError> {
        let made = |one: &Filtered| {
            let content = at(&self.top.join(as_path(&one.path))).read(LARGEST_FILTERED).ok().flatten();
            content.is_none_or(|content| self.is_filtered(&one.path, &content))
        };
        Ok(self.filtered(paths)?.iter().find(|one| !made(one)).map(not_run))
    }

    /// Was it made inside what this content of this path becomes?
    pub fn is_filtered(&self, path: &[u8], content: &[u8]) -> bool {
        self.kept_filtered().is_some_and(|folder| place_of(folder, path, content).is_file())
    }

    /// Keeps what a filter made inside of this content of this path.
    pub fn keep_filtered(&self, path: &[u8], content: &[u8], made: &[u8]) -> Result<(), FileError> {
        let Some(folder) = self.kept_filtered() else { return Ok(()) };
        create_private_folder(folder)?;
        replace(&place_of(folder, path, content), made, 0o600)
    }

    fn kept_filtered(&self) -> Option<&Path> {
        self.closed_filters.as_ref()?.kept.as_deref()
    }

    /// Why these paths cannot be written through filters here: a sentence; `None` where they can.
    pub(crate) fn behind_closed_filters(&self, paths: &[&[u8]]) -> Result<Option<String>, GitError> {
        let Some(closed) = self.closed_filters.as_ref().filter(|closed| !closed.is_empty()) else {
            return Ok(None);
        };
        let named = self.filters(paths)?.into_iter();
        let mut found = named.filter(|(_, filter)| closed.filters.contains_key(filter));
        Ok(found.next().map(|(path, filter)| not_run(&Filtered { path, filter, command: None })))
    }
}

/// Why there is no commit of this file.
pub fn not_run(filtered: &Filtered) -> String {
    let path = String::from_utf8_lossy(&filtered.path);
    let name = &filtered.filter;
    format!(
        ".gitattributes sends {path} through the filter `{name}`, which is not run outside the sandbox, since what it \
         starts may be a guest's work: let the agent commit (--commit agent), or commit it yourself"
    )
}

/// Where that is kept which a filter made of this content of this path.
fn place_of(folder: &Path, path: &[u8], content: &[u8]) -> PathBuf {
    let mut hasher = Sha256::new();
    for part in [path, b"\n", content] {
        hasher.update(part);
    }
    folder.join(windlass_core::hexadecimal::digits(&hasher.finalize()))
}

/// As a shell takes it for one word.
fn quoted(path: &[u8]) -> String {
    format!("'{}'", String::from_utf8_lossy(path).replace('\'', "'\\''"))
}

/// Is it Git LFS by its name, with its own options alone, and no shell's work?
fn is_large_files(command: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -%_".contains(c);
    command.chars().all(plain)
        && LARGE_FILES.iter().any(|known| {
            command.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn what_is_not_run_outside_is_named_with_its_command_where_it_has_one() {
        let scratch = Scratch::committed();
        for (setting, command) in [
            ("filter.one.clean", "sed s/x/%f/"),
            ("filter.empty.clean", ""),
            ("filter.back.smudge", "cat"),
            ("filter.long.process", "./filter"),
            ("filter.lfs.clean", "git-lfs clean -- %f"),
        ] {
            scratch.git(&["config", setting, command]);
        }
        let drivers = ["one", "empty", "back", "long", "lfs"];
        let lines = drivers.map(|driver| format!("*.{driver} filter={driver}\n"));
        scratch.write(".gitattributes", lines.concat());
        let mut repository = scratch.found();
        repository.close_filters().unwrap();
        let paths = drivers.map(|driver| format!("x.{driver}"));
        let paths: Vec<&[u8]> = paths.iter().map(String::as_bytes).collect();
        let found = repository.filtered(&paths).unwrap().into_iter();
        let found: Vec<_> = found.map(|one| (one.filter, one.command)).collect();
        assert_eq!(
            found,
            [("one".to_owned(), Some("sed s/x/'x.one'/".to_owned())), ("long".to_owned(), None)]
        );
    }

    #[test]
    fn large_file_storage_is_run_and_whatever_else_might_lie_in_the_tree_is_not() {
        for command in ["git-lfs clean -- %f", "git-lfs smudge --skip -- %f", "git-lfs filter-process"] {
            assert!(is_large_files(command), "{command}");
        }
        for command in [
            "./tools/clean.sh",
            "git-lfs clean; ./x",
            "./git-lfs clean",
            "git-lfs-x clean",
            "sh -c x",
            "cat",
            "",
        ] {
            assert!(!is_large_files(command), "{command}");
        }
    }
}
