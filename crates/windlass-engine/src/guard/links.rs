//! What a path leads to: the links on its way, and the file at its end.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use windlass_host::tree::at;

/// So many links are followed, as the system does.
const MOST_LINKS: usize = 40;

/// What lies on the way of a path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    /// The links, and the file at the end where there was a link: relative to the root.
    pub files: Vec<PathBuf>,
    /// One of the links leads out of the root, or in circles.
    pub leads_out: bool,
}

/// Follows a path relative to the root.
pub(super) fn way(root: &Path, path: &Path) -> Way {
    let mut way = Way::default();
    let mut ahead: VecDeque<OsString> = names(path).collect();
    let mut here = PathBuf::new();
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            if !here.pop() {
                way.leads_out = true;
                return way;
            }
            continue;
        }
        here.push(name);
        let Ok(target) = at(root).join(&here).link_target() else { continue };
        way.files.push(here.clone());
        let inner =
            if target.is_absolute() { target.strip_prefix(root).ok() } else { Some(target.as_path()) };
        let Some(inner) = inner.filter(|_| way.files.len() <= MOST_LINKS) else {
            way.leads_out = true;
            return way;
        };
        if target.is_absolute() {
            here = PathBuf::new();
        } else {
            here.pop();
        }
        let inner: Vec<OsString> = names(inner).collect();
        inner.into_iter().rev().for_each(|name| ahead.push_front(name));
    }
    if !way.files.is_empty() {
        way.files.push(here);
    }
    way
}

fn names(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use windlass_git::testing::Scratch;

    #[test]
    fn all_links_on_the_way_are_found_and_those_that_lead_out_are_said() {
        let scratch = Scratch::plain();
        scratch.write("tools/ci/real.sh", "x");
        symlink("tools/ci", scratch.top.join("ci")).unwrap();
        symlink("../ci/real.sh", scratch.top.join("tools/check.sh")).unwrap();
        symlink("/etc/passwd", scratch.top.join("out")).unwrap();
        symlink("round", scratch.top.join("round")).unwrap();
        let files = |path: &str| way(&scratch.top, Path::new(path)).files;
        assert!(files("tools/ci/real.sh").is_empty());
        assert_eq!(files("ci/real.sh"), ["ci", "tools/ci/real.sh"].map(PathBuf::from));
        assert_eq!(files("tools/check.sh"), ["tools/check.sh", "ci", "tools/ci/real.sh"].map(PathBuf::from));
        assert!(
            way(&scratch.top, Path::new("out")).leads_out && way(&scratch.top, Path::new("round")).leads_out
        );
    }
}
