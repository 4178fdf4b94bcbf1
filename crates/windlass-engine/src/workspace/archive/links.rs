//! Where links lead.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::contents::{Contents, Item};

/// Links that are followed one after the other; every system follows fewer, so what is longer leads nowhere.
const MOST_LINKS: usize = 64;

/// The links that lead out of the folder, whatever it is called and wherever it is, each with its target: absolute ones,
/// and those that climb above it, directly or through other links.
pub(super) fn leading_outside(contents: &Contents) -> Vec<(&Path, &OsString)> {
    let links = contents.items.iter().filter_map(|(path, item)| match item {
        Item::Link { target } => Some((path.as_path(), target)),
        _ => None,
    });
    links.filter(|(path, target)| leads_outside(contents, path, target)).collect()
}

fn leads_outside(contents: &Contents, link: &Path, target: &OsString) -> bool {
    let mut at = link.parent().unwrap_or(Path::new("")).to_owned();
    let mut ahead: VecDeque<PathBuf> = VecDeque::from([PathBuf::from(target)]);
    let mut followed = 0;
    while let Some(path) = ahead.pop_front() {
        let mut components = path.components();
        let Some(component) = components.next() else {
            continue;
        };
        let rest = components.as_path().to_owned();
        match component {
            Component::RootDir | Component::Prefix(_) => return true,
            Component::ParentDir if !at.pop() => return true,
            Component::CurDir | Component::ParentDir => {}
            Component::Normal(name) => at.push(name),
        }
        ahead.push_front(rest);
        if let Some(Item::Link { target }) = contents.items.get(&at).filter(|_| is_normal(component)) {
            followed += 1;
            if followed > MOST_LINKS {
                return false;
            }
            at.pop();
            ahead.push_front(PathBuf::from(target));
        }
    }
    false
}

fn is_normal(component: Component<'_>) -> bool {
    matches!(component, Component::Normal(name) if !name.as_bytes().is_empty())
}
