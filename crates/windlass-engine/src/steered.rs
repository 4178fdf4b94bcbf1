//! Where in a tree something steers Windlass or agents, wherever that is.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use windlass_agents::AGENTS;
use windlass_core::principles::USUAL_FILES;
use windlass_host::tree::{Enter, at};

/// Windlass's own folder, of which some is the agent's.
pub(crate) const OWN: &str = ".windlass";

/// What steers those that are started in a folder; of some only a part does.
pub(crate) static NAMES: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| steering().filter_map(|path| path.split('/').next()).chain([OWN]).collect());

/// Folders with what others made, where no person starts anything.
const NOT_ENTERED: [&str; 3] = [".git", "node_modules", "target"];

/// What there is in a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steered {
    /// The folders in which something steers.
    pub folders: BTreeSet<PathBuf>,
    /// Those that cannot be looked into.
    pub unread: Vec<PathBuf>,
}

/// What of a folder steers agents that are started there; the principles by which they decide are in one of theirs, too.
pub(crate) fn steering() -> impl Iterator<Item = &'static str> {
    let principles = USUAL_FILES.into_iter().filter(|file| !file.starts_with(OWN));
    AGENTS.iter().flat_map(|agent| agent.about().files.steering).copied().chain(principles)
}

/// Where names that differ in case alone are one, as on most machines of other people, is this one of those that steer? Those that
/// are written as they should be are found by themselves.
fn is_a_variant(name: &OsStr, of: &str) -> bool {
    name != of && of.starts_with('.') && name.eq_ignore_ascii_case(of)
}

/// What of a folder has a name that steers elsewhere: `.Claude`, `.claude/Settings.json`.
pub(crate) fn variants(folder: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path, is: &dyn Fn(&OsStr) -> bool| -> Vec<PathBuf> {
        let names = at(folder).open_real_folder().and_then(|folder| folder.entries()).unwrap_or_default();
        names.into_iter().filter(|entry| is(&entry.name)).map(|entry| folder.join(entry.name)).collect()
    };
    let mut found = below(folder, &|name| NAMES.iter().any(|of| is_a_variant(name, of)));
    let inner: BTreeSet<(&str, &str)> = steering().filter_map(|path| path.split_once('/')).collect();
    for agents in inner.iter().map(|(agents, _)| *agents).collect::<BTreeSet<&str>>() {
        let names = inner.iter().filter(|(of, _)| *of == agents).map(|(_, name)| *name);
        let names: Vec<&str> = names.collect();
        let is = |name: &OsStr| {
            !names.iter().any(|of| name == *of) && names.iter().any(|of| name.eq_ignore_ascii_case(of))
        };
        found.extend(below(&folder.join(agents), &is));
    }
    found
}

/// Is it the folder of an agent?
pub(crate) fn is_an_agents(name: &OsStr) -> bool {
    AGENTS.iter().any(|agent| name == agent.about().files.folder)
}

/// Looks for it, through no link: a person may start an agent, or a run, in each such folder, and agents read some of it
/// wherever they work.
pub(crate) fn steered(tree: &Path) -> Steered {
    let mut folders = BTreeSet::new();
    let unread = at(tree).descend(&mut |inner, _, entry| {
        let is_among = |names: &[&str]| names.iter().any(|name| entry.name == *name);
        if NAMES.iter().any(|name| entry.name == **name || is_a_variant(&entry.name, name)) {
            folders.extend(inner.parent().map(|folder| tree.join(folder)));
            return Enter::No;
        }
        if is_among(&NOT_ENTERED) { Enter::No } else { Enter::Yes }
    });
    Steered { folders, unread: unread.into_iter().map(|folder| tree.join(folder)).collect() }
}
