//! Which runs of a project are copies of what a fleet has, and which of them somebody here hears of: a file for each, whose time says when
//! that was last so.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use windlass_core::values::RunId;
use windlass_engine::store::Project;
use windlass_host::file::create_private_folder;

/// Whoever follows a run looks once a second, and calls it alive until so long after it was heard of.
const HEARD_FOR: Duration = Duration::from_secs(10);

/// A run of this project is a copy, and has not ended. Where that cannot be noted it is found when it is named.
pub fn enter(project: &Project, run: &RunId) {
    let path = file(project, run);
    // outside: the state folder.
    if path.exists() {
        return;
    }
    let made = path.parent().map(create_private_folder);
    if matches!(made, Some(Ok(()))) {
        let _ = mark(&path, SystemTime::UNIX_EPOCH);
    }
}

/// It is none any more, or nothing more comes.
pub fn leave(project: &Project, run: &RunId) {
    let _ = fs::remove_file(file(project, run));
}

/// The runs of this project that are copies and have not ended, as far as is known.
pub fn all(project: &Project) -> Vec<RunId> {
    entries(project).into_iter().map(|(run, _)| run).collect()
}

/// Those that somebody here follows, and that were heard of just now.
pub fn alive(project: &Project) -> Vec<RunId> {
    let is_fresh = |heard: &SystemTime| heard.elapsed().map_or(true, |since| since < HEARD_FOR);
    entries(project).into_iter().filter(|(_, heard)| is_fresh(heard)).map(|(run, _)| run).collect()
}

/// Somebody drives this run.
pub fn heard(project: &Project, run: &RunId) {
    let _ = mark(&file(project, run), SystemTime::now());
}

/// Nobody here follows it any more, or nobody drives it.
pub fn unheard(project: &Project, run: &RunId) {
    let path = file(project, run);
    // outside: the state folder.
    if path.exists() {
        let _ = mark(&path, SystemTime::UNIX_EPOCH);
    }
}

fn entries(project: &Project) -> Vec<(RunId, SystemTime)> {
    // outside: the state folder.
    let Ok(entries) = fs::read_dir(project.copies()) else { return Vec::new() };
    let entry = |entry: fs::DirEntry| {
        let heard = entry.metadata().ok()?.modified().ok()?;
        Some((RunId(entry.file_name().into_string().ok()?), heard))
    };
    entries.flatten().filter_map(entry).collect()
}

fn mark(path: &Path, time: SystemTime) -> io::Result<()> {
    // outside: the state folder.
    File::options().create(true).append(true).open(path)?.set_modified(time)
}

fn file(project: &Project, run: &RunId) -> PathBuf {
    project.copies().join(&run.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_alive_while_somebody_hears_of_it() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::locate(root.path(), root.path(), None).unwrap();
        let [one, other] = ["r-1", "r-2"].map(|run| RunId(run.to_owned()));
        assert_eq!((all(&project), alive(&project)), (vec![], vec![]));
        enter(&project, &one);
        enter(&project, &other);
        let mut both = all(&project);
        both.sort();
        assert_eq!(both, [one.clone(), other.clone()]);
        assert_eq!(alive(&project), []);
        heard(&project, &other);
        enter(&project, &other);
        assert_eq!(alive(&project), std::slice::from_ref(&other));
        unheard(&project, &other);
        assert_eq!(alive(&project), []);
        for run in [&one, &other] {
            leave(&project, run);
            unheard(&project, run);
        }
        assert_eq!(all(&project), []);
    }
}
