//! Where in a tree something steers Windlass or agents, wherever that is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use windlass_host::tree::{Enter, at};

/// Windlass's own folder, of which some is the agent's.
pub(crate) const OWN: &str = ".windlass";

/// The agents' folder.
pub(crate) const CLAUDE: &str = ".claude";

/// What steers those that are started in a folder; of some only a part does.
pub(crate) const NAMES: [&str; 3] = [".mcp.json", CLAUDE, OWN];

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

/// Looks for it, through no link: a person may start an agent, or a run, in each such folder, and agents read some of it
/// wherever they work.
pub(crate) fn steered(tree: &Path) -> Steered {
    let mut folders = BTreeSet::new();
    let unread = at(tree).descend(&mut |inner, _, entry| {
        let is_among = |names: &[&str]| names.iter().any(|name| entry.name == *name);
        if is_among(&NAMES) {
            folders.extend(inner.parent().map(|folder| tree.join(folder)));
            return Enter::No;
        }
        if is_among(&NOT_ENTERED) { Enter::No } else { Enter::Yes }
    });
    Steered { folders, unread: unread.into_iter().map(|folder| tree.join(folder)).collect() }
}
