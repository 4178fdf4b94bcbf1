//! Folders of `PATH` that guests of a sandbox can write: what is put there is started outside.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use windlass_core::spec::SandboxSpec;
use windlass_host::tree;

use crate::here::Here;

/// The folders of our own `PATH` that guests can write, as they stand there; none where nothing is locked in.
pub fn writable_inside(here: &Here, plan: &SandboxSpec) -> Vec<PathBuf> {
    if !plan.is_on() {
        return Vec::new();
    }
    let tree = here.repository.as_ref().map(|repository| repository.top.clone());
    let places: Vec<PathBuf> =
        tree.into_iter().chain([here.directory.clone()]).chain(plan.writable.clone()).collect();
    within(&env::var_os("PATH").unwrap_or_default(), &here.directory, &places)
}

/// What a run says of them as it begins.
pub fn notice(here: &Here, plan: &SandboxSpec) -> Option<String> {
    let found = in_words(&writable_inside(here, plan))?;
    Some(format!("PATH names {found}, which can be written inside: what is put there may be started outside"))
}

/// `a and b`; `None` where there is none.
pub fn in_words(folders: &[PathBuf]) -> Option<String> {
    let shown: Vec<String> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
    (!shown.is_empty()).then(|| shown.join(" and "))
}

/// The folders of this list that lie in one of these places. One that is relative is where we are.
fn within(list: &OsStr, directory: &Path, places: &[PathBuf]) -> Vec<PathBuf> {
    let places: Vec<PathBuf> = places.iter().map(|place| tree::without_links(place)).collect();
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in env::split_paths(list) {
        let at = tree::without_links(&directory.join(&folder));
        let shown = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        if places.iter().any(|place| at.starts_with(place)) && !found.contains(&shown) {
            found.push(shown);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn folders_of_the_project_are_found_whatever_they_are_called() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let project = root.join("project");
        fs::create_dir_all(project.join("bin")).unwrap();
        fs::create_dir_all(root.join("project-of-others/bin")).unwrap();
        symlink(project.join("bin"), root.join("link")).unwrap();
        let inside = |list: &str| within(OsStr::new(list), &project, &[project.clone(), root.join("cache")]);
        let at = |below: &str| root.join(below).display().to_string();
        for (list, expected) in [
            (at("project/bin"), vec![at("project/bin")]),
            (at("project/target/debug"), vec![at("project/target/debug")]),
            (at("link"), vec![at("link")]),
            (at("cache/bin"), vec![at("cache/bin")]),
            ("node_modules/.bin:/usr/bin:.".to_owned(), vec!["node_modules/.bin".to_owned(), ".".to_owned()]),
            ("/usr/bin::/bin:".to_owned(), vec![".".to_owned()]),
            (at("project-of-others/bin"), vec![]),
            (at("nowhere/bin"), vec![]),
        ] {
            let expected: Vec<PathBuf> = expected.into_iter().map(PathBuf::from).collect();
            assert_eq!(inside(&list), expected, "{list}");
        }
    }
}
