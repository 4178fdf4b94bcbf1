//! Fresher: its configuration, prompts, hooks, agents file, plans and state (formats in part E2 of the seeds' inventory).
//! Its scripts are copied or read, never executed.

mod folder;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use windlass_core::config::fresher::{FresherSettings, fresher_state};
use windlass_core::words::quoted;
use windlass_core::workspace::{OptionValue, text_says};
use windlass_engine::config_file;
use windlass_jobs::prompt::LONGEST_GOAL;

use super::configuration::{Configuration, as_arguments};
use super::plan::Work;
use super::{Item, ItemKind, Planned, taken_folder};
use folder::{Entry, entries, is_executable, names_fresher};
use windlass_host::file::read_beginning;

/// A longer file of its configuration or state is none.
const LONGEST: usize = 1024 * 1024;
/// A longer hook is not a script.
const LONGEST_HOOK: u64 = 16 * 1024 * 1024;
/// Its prompts, and what they are called here.
const PROMPTS: [(&str, &str); 2] = [("PROMPT.planning.md", "plan.md"), ("PROMPT.building.md", "build.md")];
/// Its plan as one file.
const FILE_PLAN: &str = "IMPLEMENTATION_PLAN.md";
/// What is looked at by name in its folder.
const KNOWN: [&str; 7] =
    ["config.toml", "config.sh", ".state", "PROMPT.planning.md", "PROMPT.building.md", "AGENTS.md", "hooks"];

/// What there is to say of how much is shown.
const SHOWN: &str = "what the agent says and does is shown as it comes, as Fresher did (output.level = \"verbose\"); \
                     `windlass config set output.level progress` shows a line for each iteration";

/// What is taken over, and where it goes.
#[derive(Clone, Debug)]
pub struct FresherImport {
    /// The project that holds `.fresher`.
    pub source: PathBuf,
    /// Ours.
    pub target: PathBuf,
}

/// Is there anything of Fresher in this folder?
pub fn is_there(folder: &Path) -> bool {
    folder.join(".fresher").is_dir()
}

impl FresherImport {
    /// What can be taken, and what is left.
    pub fn plan(&self) -> Vec<Planned> {
        let mut items = Vec::new();
        let settings = self.settings(&mut items);
        let mut planned: Vec<Planned> = items.into_iter().map(Planned::from).collect();
        let plan_folder = option(&settings.1, "plan.folder").unwrap_or("impl").to_owned();
        let agents = self.agents_file();
        planned.push(self.configuration(settings, agents.as_ref()));
        planned.extend(agents.map(|agents| agents.planned));
        planned.extend(PROMPTS.iter().filter_map(|(theirs, ours)| self.prompt(theirs, ours)));
        planned.extend(self.hooks());
        let left = self.plans(&plan_folder).into_iter().chain(self.state()).chain(self.others());
        planned.extend(left.map(Planned::from));
        planned
    }

    fn configuration_file(&self) -> PathBuf {
        self.target.join(".windlass/config.toml")
    }

    fn theirs(&self, name: &str) -> PathBuf {
        self.source.join(".fresher").join(name)
    }

    /// What it was told, and the file that says so. What cannot be read is left; then its defaults hold, as they did.
    fn settings(&self, items: &mut Vec<Item>) -> (PathBuf, FresherSettings) {
        const KIND: ItemKind = ItemKind::Configuration;
        let (file, script) = (self.theirs("config.toml"), self.theirs("config.sh"));
        let (from, read) = if let Some(text) = text(&file).transpose() {
            if script.symlink_metadata().is_ok() {
                let why = "config.toml is there, which is read instead";
                items.push(Item::left(KIND, "config.sh", script, why));
            }
            (file, Some(text.and_then(|text| FresherSettings::parse_toml(&text))))
        } else {
            let text = text(&script).transpose();
            (script, text.map(|text| Ok(FresherSettings::parse_script(&text?))))
        };
        match read {
            Some(Ok(settings)) => return (from, settings),
            Some(Err(why)) => {
                let why = format!("{why}; its defaults are taken for it");
                items.push(Item::left(KIND, &name_of(&from), from, why));
            }
            None => {}
        }
        (self.source.join(".fresher"), FresherSettings::defaults())
    }

    fn configuration(
        &self,
        (from, mut settings): (PathBuf, FresherSettings),
        agents: Option<&Agents>,
    ) -> Planned {
        if let Some(key) = agents.and_then(|agents| agents.key.clone()) {
            settings.options.push(("agent.agents_file", OptionValue::String(key)));
        }
        settings.options.push(("output.level", OptionValue::String("verbose".to_owned())));
        let mut notes = settings.notes;
        notes.push(SHOWN.to_owned());
        if !settings.gates.is_empty() {
            notes.push("Fresher only told the agent these commands; as gates they decide:".to_owned());
            let add = |gate: &String| {
                let value = OptionValue::Array(vec![OptionValue::String(gate.clone())]);
                format!("windlass config set gates.commands --add {}", as_arguments(&value))
            };
            notes.extend(settings.gates.iter().map(add));
        }
        let to = self.configuration_file();
        let options = &settings.options;
        let found = Configuration { tool: "Fresher", from: &from, to, whose: "", options, notes };
        found.planned()
    }

    /// The agents file stays where the agent knows it; only that of another project is copied.
    fn agents_file(&self) -> Option<Agents> {
        const KIND: ItemKind = ItemKind::AgentsFile;
        const NAME: &str = "AGENTS.md";
        let from = self.theirs(NAME);
        let left = |why: String| {
            Some(Agents { key: None, planned: Item::left(KIND, NAME, from.clone(), why).into() })
        };
        match entry(&from) {
            Ok(None) => return None,
            Ok(Some(Entry::File)) => {}
            Ok(Some(other)) => return left(other.refusal().to_owned()),
            Err(error) => return left(error.to_string()),
        }
        let ours = self.target.join(NAME);
        if self.source == self.target {
            let mut notes = vec!["it stays where it is: agent.agents_file names it".to_owned()];
            if ours.symlink_metadata().is_ok() {
                notes.push("the AGENTS.md of the project itself is not passed on beside it".to_owned());
            }
            // Where a configuration is there, nothing is written: it names the file already, or is told how to.
            let to = self.configuration_file().symlink_metadata().is_err().then(|| from.clone());
            let item = Item { kind: KIND, name: NAME.to_owned(), from, to, notes };
            return Some(Agents { key: Some(".fresher/AGENTS.md".to_owned()), planned: item.into() });
        }
        if ours.symlink_metadata().is_ok() {
            return left("there is an AGENTS.md here already".to_owned());
        }
        let item = Item { kind: KIND, name: NAME.to_owned(), from, to: Some(ours), notes: Vec::new() };
        Some(Agents { key: None, planned: Planned::file(item) })
    }

    fn prompt(&self, theirs: &str, ours: &str) -> Option<Planned> {
        const KIND: ItemKind = ItemKind::Prompt;
        let from = self.theirs(theirs);
        let left = |why: &str| Some(Item::left(KIND, theirs, from.clone(), why).into());
        let bytes = match entry(&from) {
            Ok(None) => return None,
            Ok(Some(Entry::File)) => match read_beginning(&from, LONGEST_GOAL) {
                Ok(bytes) => bytes.unwrap_or_default(),
                Err(error) => return left(&error.to_string()),
            },
            Ok(Some(other)) => return left(other.refusal()),
            Err(error) => return left(&error.to_string()),
        };
        if bytes.len() > LONGEST_GOAL {
            return left("it is longer than 1 MiB: a prompt may not be");
        }
        match std::str::from_utf8(&bytes) {
            Err(_) => return left("it is not UTF-8 text: a prompt has to be"),
            Ok(text) if text.trim_matches(['\u{feff}', ' ', '\n', '\r', '\t']).is_empty() => {
                return left("it is empty: the built-in prompt is used");
            }
            Ok(_) => {}
        }
        let to = self.target.join(".windlass/prompts").join(ours);
        if to.symlink_metadata().is_ok() {
            return left(&already(&to, &bytes));
        }
        let notes = vec!["it replaces the built-in prompt; delete it to have that".to_owned()];
        let name = theirs.to_owned();
        Some(Planned::file(Item { kind: KIND, name, from, to: Some(to), notes }))
    }

    /// Hooks and what lies beside them, each by itself.
    fn hooks(&self) -> Vec<Planned> {
        const KIND: ItemKind = ItemKind::Hook;
        let folder = self.theirs("hooks");
        match entry(&folder) {
            Ok(None) => return Vec::new(),
            Ok(Some(Entry::Folder)) => {}
            Ok(Some(other)) => return vec![Item::left(KIND, "hooks", folder, other.refusal()).into()],
            Err(error) => return vec![Item::left(KIND, "hooks", folder, error.to_string()).into()],
        }
        match entries(&folder) {
            Ok(names) => names.iter().map(|name| self.hook(name, &folder.join(name))).collect(),
            Err(error) => vec![Item::left(KIND, "hooks", folder, error.to_string()).into()],
        }
    }

    fn hook(&self, name: &str, from: &Path) -> Planned {
        const KIND: ItemKind = ItemKind::Hook;
        let left = |why: &str| Item::left(KIND, name, from.to_owned(), why).into();
        let to = self.target.join(".windlass/hooks").join(name);
        let metadata = match fs::symlink_metadata(from) {
            Ok(metadata) => metadata,
            Err(error) => return left(&error.to_string()),
        };
        let is_hook = matches!(name, "started" | "next_iteration" | "finished");
        match Entry::of(&metadata) {
            Entry::File if metadata.len() > LONGEST_HOOK => {
                return left("it is longer than 16 MiB: no script is");
            }
            Entry::File => {}
            Entry::Folder if !is_hook => return hook_folder(name, from, to),
            other => return left(other.refusal()),
        }
        if to.symlink_metadata().is_ok() {
            let theirs = read_beginning(from, LONGEST).ok().flatten().unwrap_or_default();
            return left(&already(&to, &theirs));
        }
        let mut notes = Vec::new();
        if is_hook && !is_executable(&metadata.permissions()) {
            notes.push(format!(
                "it is not executable, so it is never called: chmod +x .windlass/hooks/{name}"
            ));
        }
        if names_fresher(from) {
            notes.push("it names .fresher/, which stays where it is".to_owned());
        }
        let (name, from) = (name.to_owned(), from.to_owned());
        Planned::file(Item { kind: KIND, name, from, to: Some(to), notes })
    }

    /// A plan is read where it is; where both are there, one of the two.
    fn plans(&self, folder: &str) -> Vec<Item> {
        let readme = format!("{folder}/README.md");
        let is_there = |path: &str| self.source.join(path).is_file();
        let names_folder = self.names_plan_folder(folder);
        let mut items = Vec::new();
        for (path, key) in [(FILE_PLAN, "plan.file"), (readme.as_str(), "plan.folder")] {
            let other = if path == FILE_PLAN { is_there(&readme) } else { is_there(FILE_PLAN) };
            // The folder goes before the file, where the configuration names it.
            let is_read = names_folder != (path == FILE_PLAN);
            let (kind, from) = (ItemKind::Plan, self.source.join(path));
            let why = match (self.source == self.target, path == FILE_PLAN) {
                _ if !is_there(path) => continue,
                (false, _) => "it belongs to its project; copy it to work through it here".to_owned(),
                (true, true) if other && !is_read => {
                    format!("it is not read: {readme} is there, which is read instead (plan.folder)")
                }
                (true, false) if !is_read => {
                    let instead =
                        if other { format!("; {FILE_PLAN} is read (plan.file)") } else { String::new() };
                    format!(
                        "it is not read until `windlass config set plan.folder {}`{instead}",
                        quoted(folder.as_ref())
                    )
                }
                (true, _) => {
                    let notes = vec![format!("it is read where it is ({key})")];
                    items.push(Item { kind, name: path.to_owned(), to: Some(from.clone()), from, notes });
                    continue;
                }
            };
            items.push(Item::left(kind, path, from, why));
        }
        items
    }

    /// Will the configuration say where the plan's folder is? One that is there is not changed.
    fn names_plan_folder(&self, folder: &str) -> bool {
        let ours = self.configuration_file();
        let names = OptionValue::String(folder.to_owned());
        match config_file::read(&ours) {
            Ok(None) => true,
            Ok(Some(text)) => text_says(&text, "plan.folder", &names),
            Err(_) => false,
        }
    }

    fn state(&self) -> Option<Item> {
        const KIND: ItemKind = ItemKind::History;
        let path = self.theirs(".state");
        let why = match text_of_any(&path) {
            Ok(None) => return None,
            Ok(Some(text)) => {
                format!("{}; runs here keep their own history", fresher_state(&text).sentence())
            }
            Err(why) => why,
        };
        Some(Item::left(KIND, ".state", path, why))
    }

    /// Everything else in its folder.
    fn others(&self) -> Vec<Item> {
        let folder = self.source.join(".fresher");
        let names = match entries(&folder) {
            Ok(names) => names,
            Err(error) => return vec![Item::left(ItemKind::File, ".fresher", folder, error.to_string())],
        };
        let others = names.into_iter().filter(|name| !KNOWN.contains(&name.as_str()));
        others
            .map(|name| {
                let from = folder.join(&name);
                let why = match name.as_str() {
                    "logs" => "they stay where they are; those of runs here: windlass logs",
                    "run.sh" | "lib" | "bin" | "VERSION" => "windlass does what it did",
                    "docker" => "windlass makes containers itself (--sandbox docker)",
                    _ => "there is nothing like it here",
                };
                Item::left(ItemKind::File, &name, from, why)
            })
            .collect()
    }
}

/// The agents file, and what `agent.agents_file` has to be for it.
struct Agents {
    key: Option<String>,
    planned: Planned,
}

/// What lies beside hooks.
fn hook_folder(name: &str, from: &Path, to: PathBuf) -> Planned {
    const KIND: ItemKind = ItemKind::Hook;
    if to.symlink_metadata().is_ok() {
        return Item::left(KIND, name, from.to_owned(), "a folder of this name is here already").into();
    }
    let (name, from) = (name.to_owned(), from.to_owned());
    taken_folder(Item { kind: KIND, name, from, to: Some(to), notes: Vec::new() }, Work::Folder)
}

/// What is there; `None` for nothing.
fn entry(path: &Path) -> io::Result<Option<Entry>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(Entry::of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Why something is left for which there is something here.
fn already(ours: &Path, theirs: &[u8]) -> String {
    match read_beginning(ours, theirs.len()) {
        Ok(Some(bytes)) if bytes == theirs => "it is here already".to_owned(),
        _ => "something else of this name is here already".to_owned(),
    }
}

/// The text of a plain file.
fn text(path: &Path) -> Result<Option<String>, String> {
    let Some(bytes) = bytes(path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The same, with what is not UTF-8 replaced.
fn text_of_any(path: &Path) -> Result<Option<String>, String> {
    Ok(bytes(path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>, String> {
    match entry(path) {
        Ok(None) => return Ok(None),
        Ok(Some(Entry::File)) => {}
        Ok(Some(other)) => return Err(other.refusal().to_owned()),
        Err(error) => return Err(error.to_string()),
    }
    let bytes = read_beginning(path, LONGEST).map_err(|error| error.to_string())?;
    match bytes {
        Some(bytes) if bytes.len() > LONGEST => Err("it is longer than 1 MiB".to_owned()),
        bytes => Ok(bytes),
    }
}

fn option<'a>(settings: &'a FresherSettings, key: &str) -> Option<&'a str> {
    settings.options.iter().find(|(name, _)| *name == key).and_then(|(_, value)| value.as_str())
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
