//! Where agents look for what they start, seen from a working directory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use windlass_agents::{AGENTS, Ability, Agent, Reach, Source, SourceKind};
use windlass_core::trust::{ApiHost, Content, Startable, Starter};

use super::{Search, read};
use crate::guard::inside;
use crate::steered::steered;
use windlass_git::inventory::Place;
use windlass_host::tree::where_it_leads;

/// So many files of a folder of texts are looked at, so deep. Where there are more, what they start cannot be told.
const MOST_TEXTS: usize = 2000;
const DEEPEST: usize = 8;

/// So many words of one command are looked at.
const MOST_WORDS: usize = 4000;

/// What is looked at.
#[derive(Default)]
pub(super) struct Files {
    /// Every file that could start something.
    pub files: Vec<AgentFile>,
    /// Folders that hold more than is looked at, and whose they are.
    pub too_large: Vec<(Starter, String)>,
}

/// A file that could start something.
pub(super) struct AgentFile {
    pub agent: &'static dyn Agent,
    pub kind: SourceKind,
    /// For people.
    pub name: String,
    pub path: PathBuf,
}

/// Every file that could start something.
pub(super) fn files(search: &Search<'_>) -> Files {
    let mut found = Files::default();
    let folders = folders(search.place);
    for agent in AGENTS.into_iter().filter(|agent| agent.about().can(Ability::ReadTheRepositorysSettings)) {
        for folder in &folders {
            let own = folder.path.join(agent.about().files.folder);
            let is_persons = search.own_settings.iter().any(|user| is_same(&own, user));
            let sources = agent.about().files.sources.iter();
            let sources =
                sources.filter(|source| folder.reach == Reach::FromAbove || source.reach == folder.reach);
            for source in sources {
                let path = folder.path.join(source.path);
                if !(is_persons && path.starts_with(&own)) {
                    found.add(agent, source, folder, path);
                }
            }
        }
    }
    found
}

impl Files {
    fn add(&mut self, agent: &'static dyn Agent, source: &Source, folder: &Folder, path: PathBuf) {
        let name =
            |path: &Path| path.strip_prefix(&folder.top).unwrap_or(path).to_string_lossy().into_owned();
        let file = |path: PathBuf| AgentFile { agent, kind: source.kind, name: name(&path), path };
        match source.kind {
            SourceKind::Settings | SourceKind::Servers => self.files.push(file(path)),
            SourceKind::Texts => match texts(&path) {
                Some(texts) => self.files.extend(texts.into_iter().map(file)),
                None => self.too_large.push((starter(agent), name(&path))),
            },
        }
    }
}

/// An agent as the one who starts something.
fn starter(agent: &dyn Agent) -> Starter {
    Starter::Agent(agent.about().name.to_owned())
}

/// A folder that settings are read from.
struct Folder {
    path: PathBuf,
    /// What names are relative to.
    top: PathBuf,
    /// What is read there: all, or what agents come across while they work below their directory.
    reach: Reach,
}

/// From the working directory up to the repository's top, below it wherever something is, and the main checkout, whose local
/// settings hold in each of its worktrees.
fn folders(place: &Place) -> Vec<Folder> {
    let mut folders: Vec<Folder> = place
        .directory
        .ancestors()
        .take_while(|path| path.starts_with(&place.root))
        .map(|path| Folder { path: path.to_owned(), top: place.root.clone(), reach: Reach::FromAbove })
        .collect();
    // Without a repository it may be a whole home.
    let steered = place.repository.as_ref().map(|_| steered(&place.directory).folders).unwrap_or_default();
    let below = steered.into_iter().filter(|path| *path != place.directory);
    folders.extend(below.map(|path| Folder { path, top: place.root.clone(), reach: Reach::Everywhere }));
    let main = place.repository.as_ref().and_then(|repository| {
        let common = &repository.common_dir;
        (common.file_name() == Some(OsStr::new(".git")))
            .then(|| common.parent().map(Path::to_owned))
            .flatten()
    });
    if let Some(main) = main.filter(|main| *main != place.root) {
        folders.push(Folder { path: main.clone(), top: main, reach: Reach::FromAbove });
    }
    folders
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || matches!((where_it_leads(one), where_it_leads(other)), (Some(one), Some(other)) if one == other)
}

/// The files of a folder that are read as text; `None` where there are too many, or folders too deep.
fn texts(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        for path in read::paths_in(&folder) {
            if read::is_folder(&path) {
                waiting.push((path, depth + 1));
            } else if path.extension() == Some(OsStr::new("md")) {
                found.push(path);
            }
            if found.len() + waiting.len() > MOST_TEXTS || depth > DEEPEST {
                return None;
            }
        }
    }
    found.sort_unstable();
    Some(found)
}

impl AgentFile {
    /// Who would start it.
    pub fn starter(&self) -> Starter {
        starter(self.agent)
    }

    /// What it starts. One that cannot be read counts as a whole: what another program makes of it is not known.
    pub fn items(&self, bytes: &[u8]) -> Vec<Startable> {
        self.agent.starts(self.kind, &self.name, bytes).unwrap_or_else(|| {
            let digest = windlass_host::file::digest(bytes);
            vec![Startable::file(self.starter(), &self.name, "the whole file", &self.name, &digest)]
        })
    }

    /// What it closes.
    pub fn denied(&self, bytes: &[u8]) -> Vec<String> {
        if self.kind == SourceKind::Settings { self.agent.denied(bytes) } else { Vec::new() }
    }

    /// Where it sends the agent's calls.
    pub fn hosts(&self, bytes: &[u8]) -> Vec<ApiHost> {
        if self.kind == SourceKind::Settings { self.agent.hosts_in(bytes) } else { Vec::new() }
    }

    /// The files of the repository that a command in it names, relative to the top.
    pub fn files_named(&self, place: &Place, item: &Startable) -> Vec<PathBuf> {
        let words = match &item.content {
            Content::Text { text } => self.agent.words_of_command(text),
            Content::File { .. } => Vec::new(),
        };
        let is_file = |path: &PathBuf| matches!(read::digest(&place.root.join(path)), Ok(Some(_)));
        words
            .iter()
            .take(MOST_WORDS)
            .filter_map(|word| inside(place, Path::new(word)))
            .filter(|path| !path.as_os_str().is_empty())
            .filter(is_file)
            .collect()
    }
}
