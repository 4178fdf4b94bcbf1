//! What is uncommitted when a run begins and stands in no run's way: what Windlass wrote at a person's command and the job's
//! own files, which the first commit takes along, and what no commit of Windlass's would take in, which stays where it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use windlass_core::project::adds_only;
use windlass_core::spec::{RunSpec, Withholding};
use windlass_core::withhold::LOOKED_AT;

use super::RecoveryError;
use super::record::{Uncommitted, holding};
use crate::withhold::{Allowed, reason_for_new};
use windlass_git::git::Repository;
use windlass_git::inventory::{OWN_FOLDER, Place, as_path};
use windlass_host::tree::at;

/// What is uncommitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dirty {
    /// All of it, and what is there.
    pub paths: Uncommitted,
    /// Those that no commit has.
    pub new: BTreeSet<Vec<u8>>,
    /// Those that git was told not to look at.
    pub hidden: BTreeSet<Vec<u8>>,
}

impl Dirty {
    fn take(&mut self, mut wanted: impl FnMut(&[u8], bool) -> bool) -> Uncommitted {
        let (taken, rest) = std::mem::take(&mut self.paths)
            .into_iter()
            .partition(|(path, _)| wanted(path, self.new.contains(path)));
        self.paths = rest;
        taken
    }
}

/// What a project's files are known by.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// What is held back from commits.
    pub withholding: &'a Withholding,
    /// Lines that Windlass adds to a `.gitignore`. Those that end in `/` are folders that the project's tools make.
    pub ignored: &'a [&'a str],
    /// Files that `init` makes for a person to write in, relative to the working directory.
    pub scaffolds: &'a [PathBuf],
}

/// Takes out what the run's first commit has besides its work: everything below `.windlass/`, and what the job is read from.
pub fn along(plan: &RunSpec, place: &Place, dirty: &mut Dirty) -> Uncommitted {
    let job = job_files(plan, place);
    let agents = plan.job.agents_file.as_ref().filter(|_| plan.job.plan.is_some());
    let agents = agents.and_then(|file| place.relative(file));
    dirty.take(|path, is_new| {
        is_of_windlass(place, path)
            || is_own_file(plan, place, path)
            || job.iter().any(|own| as_path(path).starts_with(as_path(own)))
            || (is_new && agents.as_deref() == Some(path))
    })
}

/// Is it below a `.windlass/` that the working directory has or lies below?
fn is_of_windlass(place: &Place, path: &[u8]) -> bool {
    let folders = place.directory.ancestors().take_while(|folder| folder.starts_with(&place.root));
    let own = folders.filter_map(|folder| place.relative(&folder.join(OWN_FOLDER)));
    own.into_iter().any(|own| as_path(path).starts_with(as_path(&own)))
}

/// The plan and what it is made from.
fn job_files(plan: &RunSpec, place: &Place) -> Vec<Vec<u8>> {
    let job = plan.job.plan.as_ref().filter(|_| plan.job.mode.has_plan());
    let files = job.into_iter().flat_map(|job| [Some(&job.file), job.folder.as_ref(), job.specs.as_ref()]);
    files.flatten().filter_map(|file| place.relative(file)).collect()
}

/// Takes out folders that no commit has and that tools make again, and repositories inside this one. Each is one entry, which
/// ends in `/`.
pub fn folders(
    repository: &Repository,
    rules: Rules<'_>,
    dirty: &mut Dirty,
) -> Result<Uncommitted, RecoveryError> {
    let mut found = Uncommitted::new();
    let mut kept: BTreeSet<Vec<u8>> = BTreeSet::new();
    for path in &dirty.new {
        if path.ends_with(b"/") {
            found.insert(path.clone(), None);
        }
        let Some(folder) = generated(path, rules.ignored) else { continue };
        if found.contains_key(folder) || kept.contains(folder) {
            continue;
        }
        // Where some of it is committed, the rest may well be wanted there.
        if repository.committed_size(folder.strip_suffix(b"/").unwrap_or(folder))?.is_some() {
            kept.insert(folder.to_vec());
        } else {
            found.insert(folder.to_vec(), None);
        }
    }
    dirty.take(|path, _| holding(&found, path).is_some());
    Ok(found)
}

/// The outermost folder above a path that tools make: `web/node_modules/`.
fn generated<'a>(path: &'a [u8], lines: &[&str]) -> Option<&'a [u8]> {
    let mut start = 0;
    for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
        if lines.iter().any(|line| path.get(start..=at) == Some(line.as_bytes())) {
            return path.get(..=at);
        }
        start = at + 1;
    }
    None
}

/// Takes out what git was told not to look at, new files that every commit would hold back, those that `init` made for a person to write in, and a `.gitignore`
/// that has nothing new but lines of Windlass's.
pub fn harmless(
    repository: &Repository,
    directory: &Path,
    rules: Rules<'_>,
    dirty: &mut Dirty,
) -> Result<Uncommitted, RecoveryError> {
    let place = Place::new(directory, Some(repository.clone()));
    let allowed = Allowed::new(&repository.top, &rules.withholding.allow);
    let scaffolds: Vec<Vec<u8>> = rules.scaffolds.iter().filter_map(|file| place.relative(file)).collect();
    let mut ignoring: BTreeSet<Vec<u8>> = BTreeSet::new();
    for path in
        dirty.paths.keys().filter(|path| as_path(path).file_name().is_some_and(|name| name == ".gitignore"))
    {
        let before = repository.committed_content(path)?.unwrap_or_default();
        let now = at(&repository.top).join(as_path(path)).read_beginning(LOOKED_AT).ok().flatten();
        if now.is_some_and(|now| adds_only(&before, &now, rules.ignored)) {
            ignoring.insert(path.clone());
        }
    }
    let hidden = std::mem::take(&mut dirty.hidden);
    Ok(dirty.take(|path, is_new| {
        ignoring.contains(path)
            || hidden.contains(path)
            || (is_new
                && (scaffolds.iter().any(|scaffold| scaffold == path)
                    || reason_for_new(&repository.top, rules.withholding, &allowed, path).is_some()))
    }))
}

/// Is it one of the runner's own files, or in a folder that is?
pub(crate) fn is_own_file(plan: &RunSpec, place: &Place, path: &[u8]) -> bool {
    let mut own = plan.own_files().filter_map(|file| place.relative(&file));
    own.any(|own| as_path(path).starts_with(as_path(&own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_folder_that_tools_make_stands_for_all_in_it() {
        let lines = ["node_modules/", "dist/", ".env"];
        let of = |path: &'static str| generated(path.as_bytes(), &lines).map(String::from_utf8_lossy);
        assert_eq!(of("node_modules/x/node_modules/y.js").as_deref(), Some("node_modules/"));
        assert_eq!(of("web/dist/a.js").as_deref(), Some("web/dist/"));
        assert_eq!(of("dist"), None);
        assert_eq!(of("my_node_modules/x"), None);
        assert_eq!(of(".env"), None);
    }
}
