//! Programs that checks call by their names: which file it is that the search path leads to.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use windlass_core::spec::GuardedTool;
use windlass_core::values::{Suspicion, SuspicionKind};

use super::{digest, inside};
use windlass_git::inventory::Place;
use windlass_host::file::is_program;
use windlass_host::tree::at;

/// Where each of these programs is found. Nothing where no folder of the search path is one of the project: outside it an
/// agent's changes are not looked at.
pub(super) fn guarded(place: &Place, names: &BTreeSet<String>, search_path: &OsStr) -> Vec<GuardedTool> {
    if !env::split_paths(search_path).any(|folder| is_inside(place, &folder)) {
        return Vec::new();
    }
    names.iter().map(|name| find(place, name, search_path)).collect()
}

/// Those that are found in the project now and were not, or are another file there.
pub(crate) fn changed_tools(place: &Place, tools: &[GuardedTool], search_path: &OsStr) -> Vec<Suspicion> {
    tools.iter().filter_map(|tool| changed(place, tool, search_path)).collect()
}

fn changed(place: &Place, before: &GuardedTool, search_path: &OsStr) -> Option<Suspicion> {
    let now = find(place, &before.name, search_path);
    // Found outside the project, it is none of the agent's.
    if now.digest.is_none() || now == *before {
        return None;
    }
    let path = now.path.unwrap_or_default();
    let shown = Path::new(&path).strip_prefix(&place.root).unwrap_or(Path::new(&path)).display().to_string();
    let name = &before.name;
    let text = match &before.path {
        Some(was) if *was == path => format!("`{name}`, which a check calls, is another program than before"),
        Some(was) => format!("shadows {was}: a check calls `{name}`"),
        None => format!("a check calls `{name}`, and this was not there before"),
    };
    Some(Suspicion::new(SuspicionKind::Tool, shown, text))
}

fn find(place: &Place, name: &str, search_path: &OsStr) -> GuardedTool {
    let found = env::split_paths(search_path)
        .map(|folder| place.directory.join(folder).join(name))
        // As a shell finds it; nothing is opened.
        .find(|path| is_program(path));
    let inside = found.as_deref().and_then(|path| in_project(place, path));
    GuardedTool {
        name: name.to_owned(),
        digest: inside.and_then(|path| content(place, &path)),
        path: found.map(|path| path.display().to_string()),
    }
}

/// The file itself, and where it leads to if it is a link.
fn content(place: &Place, path: &Path) -> Option<String> {
    let own = digest(place, path)?;
    let full = place.root.join(path);
    if !at(&full).is_link() {
        return Some(own);
    }
    // outside: only where it leads is asked.
    let real = full.canonicalize().unwrap_or_default();
    let behind = in_project(place, &real).and_then(|path| digest(place, &path)).unwrap_or_default();
    Some(format!("{own} {} {behind}", real.display()))
}

/// Relative to the root, if it lies below it, links in its folders followed.
fn in_project(place: &Place, path: &Path) -> Option<PathBuf> {
    inside(place, path).or_else(|| {
        // outside: only where it leads is asked.
        let real = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
        inside(place, &real)
    })
}

fn is_inside(place: &Place, folder: &Path) -> bool {
    let full = place.directory.join(folder);
    // outside: only where it leads is asked.
    inside(place, &full).is_some() || full.canonicalize().is_ok_and(|real| inside(place, &real).is_some())
}
