//! Where Claude Code looks for what it starts, seen from a working directory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use windlass_core::trust::{
    ApiHost, Content, Startable, Starter, claude_extension, claude_settings, denied_by_repository,
    mcp_servers, words_of_command,
};

use super::{Search, read};
use crate::guard::inside;
use crate::steered::{CLAUDE, steered};
use windlass_git::inventory::Place;
use windlass_host::tree::where_it_leads;

/// Its settings in there.
const SETTINGS: [&str; 2] = ["settings.json", "settings.local.json"];

/// The file of servers.
const SERVERS: &str = ".mcp.json";

/// Folders in there whose files can name hooks, servers and commands in their heads.
const EXTENSIONS: [&str; 3] = ["agents", "commands", "skills"];

/// So many files of these are looked at, so deep. Where there are more, what they start cannot be told.
const MOST_EXTENSIONS: usize = 2000;
const DEEPEST: usize = 8;

/// So many words of one command are looked at.
const MOST_WORDS: usize = 4000;

/// What is looked at.
#[derive(Default)]
pub(super) struct Files {
    /// Every file that could start something, with its name for people.
    pub files: Vec<(String, PathBuf)>,
    /// Folders that hold more than is looked at.
    pub too_large: Vec<String>,
}

/// Every file that could start something.
pub(super) fn files(search: &Search<'_>) -> Files {
    let mut found = Files::default();
    for folder in folders(search.place) {
        let name =
            |path: &Path| path.strip_prefix(&folder.top).unwrap_or(path).to_string_lossy().into_owned();
        let own = folder.path.join(CLAUDE);
        let mut paths = Vec::new();
        if folder.read == Reading::All {
            paths.push(folder.path.join(SERVERS));
        }
        if search.own_settings.is_none_or(|user| !is_same(&own, user)) {
            if folder.read == Reading::All {
                paths.extend(SETTINGS.map(|settings| own.join(settings)));
            }
            for folder in EXTENSIONS.map(|folder| own.join(folder)) {
                match extensions(&folder) {
                    Some(files) => paths.extend(files),
                    None => found.too_large.push(name(&folder)),
                }
            }
        }
        found.files.extend(paths.into_iter().map(|path| (name(&path), path)));
    }
    found
}

/// A folder that settings are read from.
struct Folder {
    path: PathBuf,
    /// What names are relative to.
    top: PathBuf,
    read: Reading,
}

/// What is read there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    All,
    /// What agents come across while they work below their directory: no settings and no servers.
    Extensions,
}

/// From the working directory up to the repository's top, below it wherever something is, and the main checkout, whose local
/// settings hold in each of its worktrees.
fn folders(place: &Place) -> Vec<Folder> {
    let mut folders: Vec<Folder> = place
        .directory
        .ancestors()
        .take_while(|path| path.starts_with(&place.root))
        .map(|path| Folder { path: path.to_owned(), top: place.root.clone(), read: Reading::All })
        .collect();
    // Without a repository it may be a whole home.
    let steered = place.repository.as_ref().map(|_| steered(&place.directory).folders).unwrap_or_default();
    let below = steered.into_iter().filter(|path| *path != place.directory);
    folders.extend(below.map(|path| Folder { path, top: place.root.clone(), read: Reading::Extensions }));
    let main = place.repository.as_ref().and_then(|repository| {
        let common = &repository.common_dir;
        (common.file_name() == Some(OsStr::new(".git")))
            .then(|| common.parent().map(Path::to_owned))
            .flatten()
    });
    if let Some(main) = main.filter(|main| *main != place.root) {
        folders.push(Folder { path: main.clone(), top: main, read: Reading::All });
    }
    folders
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || matches!((where_it_leads(one), where_it_leads(other)), (Some(one), Some(other)) if one == other)
}

/// The files of a folder that are read as text; `None` where there are too many, or folders too deep.
fn extensions(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        for path in read::paths_in(&folder) {
            if read::is_folder(&path) {
                waiting.push((path, depth + 1));
            } else if path.extension() == Some(OsStr::new("md")) {
                found.push(path);
            }
            if found.len() + waiting.len() > MOST_EXTENSIONS || depth > DEEPEST {
                return None;
            }
        }
    }
    found.sort_unstable();
    Some(found)
}

/// One of these files that was read.
pub(super) struct ClaudeFile<'a> {
    pub name: &'a str,
    pub path: &'a Path,
    pub bytes: &'a [u8],
}

impl ClaudeFile<'_> {
    /// What it starts. One that is no JSON counts as a whole: what another program makes of it is not known.
    pub fn items(&self) -> Vec<Startable> {
        if self.path.extension() == Some(OsStr::new("md")) {
            return if claude_extension(self.bytes) { self.whole() } else { Vec::new() };
        }
        let items = if self.path.file_name() == Some(OsStr::new(SERVERS)) {
            mcp_servers(self.name, self.bytes)
        } else {
            claude_settings(self.name, self.bytes)
        };
        items.unwrap_or_else(|| self.whole())
    }

    fn whole(&self) -> Vec<Startable> {
        let digest = windlass_host::file::digest(self.bytes);
        vec![Startable::file(Starter::Claude, self.name, "the whole file", self.name, &digest)]
    }

    fn is_settings(&self) -> bool {
        self.path.file_name().and_then(OsStr::to_str).is_some_and(|name| SETTINGS.contains(&name))
    }

    pub fn denied(&self) -> Vec<String> {
        if self.is_settings() { denied_by_repository(self.bytes) } else { Vec::new() }
    }

    pub fn hosts(&self) -> Vec<ApiHost> {
        if self.is_settings() { ApiHost::in_settings(self.bytes) } else { Vec::new() }
    }
}

/// The files of the repository that a command names, relative to its top.
pub(super) fn files_named(place: &Place, item: &Startable) -> impl Iterator<Item = PathBuf> {
    let words = match &item.content {
        Content::Text { text } => words_of_command(text),
        Content::File { .. } => Vec::new(),
    };
    let is_file = |path: &PathBuf| matches!(read::digest(&place.root.join(path)), Ok(Some(_)));
    let found: Vec<PathBuf> = words
        .iter()
        .take(MOST_WORDS)
        .filter_map(|word| inside(place, Path::new(word)))
        .filter(|path| !path.as_os_str().is_empty())
        .filter(is_file)
        .collect();
    found.into_iter()
}
