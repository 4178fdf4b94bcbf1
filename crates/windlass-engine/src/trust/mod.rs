//! What the files of a repository start or redirect: found here, judged in the core, kept in [`store`].

mod agents;
mod read;
pub mod store;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use windlass_agents::{Agent, SourceKind};
use windlass_core::config::{FileKind, Layer};
use windlass_core::trust::{
    ApiHost, Content, Startable, StartableCommand, Startables, Starter, commands_named, configured,
};
use windlass_core::values::{HookName, Named};

use crate::guard::{inside, started_by};
use crate::hook::HOOKS_FOLDER;
use crate::sandbox::container::image::DOCKERFILE;
use crate::workspace::{CONFIG_FILE, PROJECT_FOLDER, project_folder};
use windlass_git::inventory::Place;

use read::{Read, read};

/// The table of the configuration that hooks belong to.
const HOOKS: &str = "hooks";

/// The key of what an image is made of.
pub const IMAGE: &str = "sandbox.dockerfile";

/// The folder of workspaces.
const WORKSPACES: &str = "workspaces";

/// So many workspaces are looked at that nobody runs.
const MOST_WORKSPACES: usize = 1000;

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundStartables {
    /// What the files start or redirect.
    pub items: Startables,
    /// What keeps it from being told, one for each file.
    pub troubles: Vec<Trouble>,
    /// Files of configuration that cannot be read, and why: what they start nobody knows. Whoever loads one refuses it.
    pub unread: Vec<(String, String)>,
    /// Rules by which the repository's settings close something.
    pub denied: Vec<String>,
    /// Hosts that the repository's settings send the agent's calls to, with the file.
    pub hosts: Vec<(String, ApiHost)>,
}

/// A file that cannot be looked at, and may start something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Who would start it.
    pub starter: Starter,
    /// The file, relative to the repository's top.
    pub file: String,
    /// Why.
    pub why: String,
}

/// Where it is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The working directory and its repository.
    pub place: &'a Place,
    /// Files of configuration that were read already, with their bytes: they count as they were read.
    pub loaded: &'a [(PathBuf, Vec<u8>)],
    /// Files and folders that are about to be copied: where they will be, and where they are. They count as if they were there.
    pub coming: &'a [(PathBuf, PathBuf)],
    /// The folders of the user's own settings of agents, which are the person's wherever they lie.
    pub own_settings: &'a [PathBuf],
}

/// Looks for it. Changes nothing and starts nothing.
pub fn find(search: &Search<'_>) -> FoundStartables {
    let mut looking = Looking { search, items: Vec::new(), found: FoundStartables::default() };
    looking.configuration();
    looking.hook_files();
    looking.scripts();
    looking.agents();
    let Looking { items, mut found, .. } = looking;
    found.items = items.into_iter().collect();
    found
}

/// What a text of configuration starts, with the scripts that it names, as if `path` held it and nothing else.
pub fn started_by_text(place: &Place, kind: FileKind, path: &Path, text: &str) -> Startables {
    let search = Search { place, loaded: &[], coming: &[], own_settings: &[] };
    let mut looking = Looking { search: &search, items: Vec::new(), found: FoundStartables::default() };
    looking.configuration_text(kind, path, text);
    looking.scripts();
    looking.items.into_iter().collect()
}

/// Where a settings file sends the agent's calls; nowhere where it cannot be read.
pub fn hosts_in(agent: &dyn Agent, path: &Path) -> Vec<ApiHost> {
    match read(path) {
        Read::Bytes(bytes) => agent.hosts_in(&bytes),
        Read::Absent | Read::Trouble(_) => Vec::new(),
    }
}

/// Is there a settings file of which its agent can make nothing?
pub fn is_ignored(agent: &dyn Agent, path: &Path) -> bool {
    match read(path) {
        Read::Bytes(bytes) => agent.starts(SourceKind::Settings, "", &bytes).is_none(),
        Read::Absent | Read::Trouble(_) => false,
    }
}

impl Search<'_> {
    /// Where a file is now that may be about to come to this place.
    fn place_now(&self, path: &Path) -> PathBuf {
        let coming = self.coming.iter().map(|(then, now)| (then, now));
        moved(path, coming)
    }

    /// Where a file will be that may be about to be copied.
    fn place_then(&self, path: &Path) -> PathBuf {
        let coming = self.coming.iter().map(|(then, now)| (now, then));
        moved(path, coming)
    }
}

/// A path after the first of these moves that concerns it.
fn moved<'a>(path: &Path, moves: impl Iterator<Item = (&'a PathBuf, &'a PathBuf)>) -> PathBuf {
    let mut found = moves.filter_map(|(from, to)| path.strip_prefix(from).ok().map(|rest| (to, rest)));
    match found.next() {
        None => path.to_owned(),
        Some((to, rest)) if rest.as_os_str().is_empty() => to.clone(),
        Some((to, rest)) => to.join(rest),
    }
}

struct Looking<'a> {
    search: &'a Search<'a>,
    items: Vec<Startable>,
    found: FoundStartables,
}

/// How a file is named in what is found: relative to the repository's top.
pub fn name_in(place: &Place, path: &Path) -> String {
    path.strip_prefix(&place.root).unwrap_or(path).to_string_lossy().into_owned()
}

impl Looking<'_> {
    fn name(&self, path: &Path) -> String {
        name_in(self.search.place, path)
    }

    fn configuration(&mut self) {
        let folder = project_folder(&self.search.place.directory).join(PROJECT_FOLDER);
        self.configuration_file(FileKind::Project, &folder.join(CONFIG_FILE));
        let workspaces = folder.join(WORKSPACES);
        // What was read holds, however many others there are.
        let loaded = self.search.loaded.iter().map(|(path, _)| path.clone());
        let mut paths: BTreeSet<PathBuf> = loaded.filter(|path| path.starts_with(&workspaces)).collect();
        let listed = read::paths_in(&workspaces).into_iter().take(MOST_WORKSPACES);
        paths.extend(listed.map(|workspace| workspace.join(CONFIG_FILE)));
        for path in paths {
            self.configuration_file(FileKind::Workspace, &path);
        }
    }

    fn configuration_file(&mut self, kind: FileKind, path: &Path) {
        let loaded = self.search.loaded.iter().find(|(known, _)| known == path);
        let bytes = match loaded {
            Some((_, bytes)) => bytes.clone(),
            None => match read(path) {
                Read::Bytes(bytes) => bytes,
                Read::Absent => return,
                Read::Trouble(why) => {
                    let name = self.name(path);
                    return self.found.unread.push((name, why));
                }
            },
        };
        self.configuration_text(kind, path, &String::from_utf8_lossy(&bytes));
    }

    fn configuration_text(&mut self, kind: FileKind, path: &Path, text: &str) {
        let name = self.name(path);
        match Layer::parse(kind, path, text) {
            Ok(layer) => self.items.extend(configured(&name, &layer)),
            Err(error) => self.found.unread.push((name, error.to_string())),
        }
    }

    fn hook_files(&mut self) {
        let folder = project_folder(&self.search.place.directory).join(PROJECT_FOLDER);
        for hook in HookName::ALL {
            let path = folder.join(HOOKS_FOLDER).join(hook.name());
            let (name, key) = (self.name(&path), format!("{HOOKS}.{}", hook.name()));
            let place = self.search.place_now(&path);
            match read::digest(&place) {
                // What is not a file is not a hook, and what cannot be executed is not called.
                Ok(Some(digest)) if read::is_executable(&place) => {
                    self.items.push(Startable::file(Starter::Windlass, &name, &key, &name, &digest));
                }
                _ => {}
            }
        }
        let project = project_folder(&self.search.place.directory);
        let image = project.join(DOCKERFILE);
        if let Ok(Some(digest)) = read::digest(&image) {
            let name = self.name(&image);
            self.items.push(Startable::file(Starter::Windlass, &name, IMAGE, &name, &digest));
        }
    }

    /// The scripts of the repository that commands start, and what these start.
    fn scripts(&mut self) {
        let named: Vec<Startable> = self.items.clone();
        for item in &named {
            match (&item.content, commands_named(item)) {
                (_, Some(StartableCommand::Shell(command))) => self.started(item, command),
                (_, Some(StartableCommand::Path(path))) => self.path(item, path),
                (Content::File { path, .. }, None) if item.key.starts_with(HOOKS) => {
                    let place = self.search.place_now(&self.search.place.root.join(path));
                    self.started(item, &in_shell(&place));
                }
                _ => {}
            }
        }
    }

    fn started(&mut self, by: &Startable, command: &str) {
        let started = started_by(self.search.place, command);
        for path in started.files {
            self.file_of(by, &path);
        }
        for script in started.packages {
            let name = script.folder.join(&script.name);
            let key = format!("{} ({})", by.key, name.display());
            self.items.push(Startable::text(by.starter.clone(), &by.file, &key, &script.command));
        }
    }

    /// A path that a value names, where it is a file of the repository.
    fn path(&mut self, by: &Startable, path: &str) {
        if let Some(path) = inside(self.search.place, Path::new(path)) {
            self.file_of(by, &path);
        }
    }

    /// `path` is relative to the repository's top.
    fn file_of(&mut self, by: &Startable, path: &Path) {
        let place = self.search.place.root.join(path);
        let name = self.name(&self.search.place_then(&place));
        match read::digest(&self.search.place_now(&place)) {
            Ok(None) => {}
            Ok(Some(digest)) => {
                self.items.push(Startable::file(by.starter.clone(), &by.file, &by.key, &name, &digest));
            }
            Err(why) => {
                self.found.troubles.push(Trouble { starter: by.starter.clone(), file: name, why });
            }
        }
    }

    fn agents(&mut self) {
        let mut named = BTreeSet::new();
        let agents::Files { files, too_large } = agents::files(self.search);
        let trouble = |(starter, file)| Trouble {
            starter,
            file,
            why: "it holds more files or folders than are looked at".to_owned(),
        };
        self.found.troubles.extend(too_large.into_iter().map(trouble));
        for file in files {
            match read(&file.path) {
                Read::Absent => {}
                Read::Trouble(why) => {
                    let (starter, file) = (file.starter(), file.name);
                    self.found.troubles.push(Trouble { starter, file, why });
                }
                Read::Bytes(bytes) => {
                    let items = file.items(&bytes);
                    self.found.denied.extend(file.denied(&bytes));
                    let hosts = file.hosts(&bytes).into_iter().map(|host| (file.name.clone(), host));
                    self.found.hosts.extend(hosts);
                    for item in &items {
                        let files = file.files_named(self.search.place, item).into_iter();
                        named.extend(files.map(|path| (item.clone(), path)));
                    }
                    self.items.extend(items);
                }
            }
        }
        for (item, path) in named {
            self.file_of(&item, &path);
            let command = in_shell(&self.search.place.root.join(&path));
            for path in started_by(self.search.place, &command).files {
                self.file_of(&item, &path);
            }
        }
    }
}

/// A script as a command that starts it, from the working directory.
fn in_shell(path: &Path) -> String {
    format!("sh '{}'", path.to_string_lossy().replace('\'', r"'\''"))
}
