//! claude-iterate: its configuration, workspaces, templates and archives (formats in part E1 of the seeds' inventory).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use windlass_agents::refuses;
use windlass_core::spec::Mode;
use windlass_core::workspace::{
    Beneath, LONGEST_METADATA, Metadata, SeedFolders, SeedOptions, SeedProject, WorkspaceName, options_text,
    seed_options, seed_project,
};

use super::configuration::{Configuration, PERMISSIONS};
use super::plan::Work;
use super::{Item, ItemKind, Planned, taken_folder};
use windlass_engine::workspace::{CONFIG_FILE, METADATA_FILE};
use windlass_host::file::{FileError, create_new, read_beginning};

/// The project's configuration file.
const PROJECT_FILE: &str = ".claude-iterate.json";
/// A longer configuration is none.
const LONGEST: usize = 1024 * 1024;
/// What there is to say of permissions.
const PERMITTED: &str = "agents may edit the project's files and run its own tools without being asked, and what was denied is named \
                         with the command that allows it; `--dangerously-skip-permissions` skips all that for one run, as it did";
/// What is to be done in a workspace.
const INSTRUCTIONS: &str = "INSTRUCTIONS.md";
/// The file in a template that says what it is.
const TEMPLATE_FILE: &str = ".template.json";

/// What is taken over, and where it goes.
#[derive(Clone, Debug)]
pub struct Import {
    /// The project of claude-iterate: the folder that holds `.claude-iterate.json` or `claude-iterate/`.
    pub source: PathBuf,
    /// The user's configuration file of claude-iterate, and ours, where that is wanted too.
    pub user: Option<(PathBuf, PathBuf)>,
    /// Ours.
    pub target: PathBuf,
}

/// Is there anything of claude-iterate in this folder?
pub fn is_there(folder: &Path) -> bool {
    folder.join(PROJECT_FILE).is_file() || folder.join("claude-iterate").is_dir()
}

impl Import {
    /// What can be taken, and what is left.
    pub fn plan(&self) -> Vec<Planned> {
        let mut planned = Vec::new();
        let configuration = read_object(&self.source.join(PROJECT_FILE));
        let folders = match &configuration {
            Read::Object(file) => seed_project(file, refuses).folders,
            Read::Missing | Read::Broken(_) => SeedFolders::default(),
        };
        let ours = self.target.join(".windlass/config.toml");
        planned.extend(self.configuration(&self.source.join(PROJECT_FILE), &ours, configuration));
        if let Some((theirs, ours)) = &self.user {
            planned.extend(self.configuration(theirs, ours, read_object(theirs)));
        }
        planned.extend(self.each(&folders.workspaces, ItemKind::Workspace, Import::workspace));
        planned.extend(self.each(&folders.templates, ItemKind::Template, Import::template));
        planned.extend(self.each(&folders.archive, ItemKind::Archive, Import::archive));
        planned
    }

    /// Everything in one of its folders, by name.
    fn each(&self, folder: &str, kind: ItemKind, plan: fn(&Import, &str, &Path) -> Planned) -> Vec<Planned> {
        let folder = self.source.join(folder);
        let mut names: Vec<String> = match fs::read_dir(&folder) {
            Ok(entries) => {
                entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                let why = format!("the folder cannot be read: {error}");
                return vec![Item::left(kind, "*", folder, why).into()];
            }
        };
        names.sort();
        names.retain(|name| !matches!(name.as_str(), ".gitkeep" | ".DS_Store" | ".gitignore"));
        names.iter().map(|name| plan(self, name, &folder.join(name))).collect()
    }

    fn configuration(&self, from: &Path, to: &Path, read: Read) -> Option<Planned> {
        let name = from.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let is_of_user = to != self.target.join(".windlass/config.toml");
        let file = match read {
            Read::Missing if is_of_user => return None,
            Read::Missing => Map::new(),
            Read::Broken(why) => {
                let item = Item::left(ItemKind::Configuration, &name, from.to_owned(), why);
                return Some(Planned { item, work: Work::Unread });
            }
            Read::Object(file) => file,
        };
        let SeedProject { options, .. } = seed_project(&file, refuses);
        let whose = if is_of_user { "--user " } else { "" };
        let (tool, to, mut notes) = ("claude-iterate", to.to_owned(), options.left);
        if !is_of_user {
            notes.push(PERMITTED.to_owned());
        }
        let found = Configuration { tool, from, to, whose, options: &options.options, notes };
        Some(found.planned())
    }

    fn workspace(&self, name: &str, from: &Path) -> Planned {
        const KIND: ItemKind = ItemKind::Workspace;
        let left = |why: String| Item::left(KIND, name, from.to_owned(), why).into();
        if let Some(why) = no_folder(from) {
            return left(why.to_owned());
        }
        let checked = match WorkspaceName::parse(name) {
            Ok(checked) => checked,
            Err(error) => return left(error.to_string()),
        };
        let to = self.target.join(".windlass/workspaces").join(name);
        if to.symlink_metadata().is_ok() {
            return left("a workspace of this name is here already".to_owned());
        }
        let (options, said) = own_options(from);
        let notes: Vec<String> = self.steering(name, from).into_iter().collect();
        let boxes = boxes_alone(from).map(str::to_owned);
        let notes = notes.into_iter().chain(boxes).chain(said).collect();
        let (name, from) = (name.to_owned(), from.to_owned());
        let item = Item { kind: KIND, name, from, to: Some(to), notes };
        taken_folder(item, Work::Workspace(checked, options))
    }

    /// Instructions that lead agents to the place where the workspace was.
    fn steering(&self, name: &str, from: &Path) -> Option<String> {
        let bytes = read_beginning(&from.join(INSTRUCTIONS), LONGEST).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        let within = from.strip_prefix(&self.source).unwrap_or(from).display().to_string();
        text.contains(&within).then(|| {
            format!(
                "beware: its {INSTRUCTIONS} names {within}, where agents would go on reading and writing; here it is \
                 .windlass/workspaces/{name}: change .windlass/workspaces/{name}/{INSTRUCTIONS}"
            )
        })
    }

    fn template(&self, name: &str, from: &Path) -> Planned {
        const KIND: ItemKind = ItemKind::Template;
        let left = |why: String| Item::left(KIND, name, from.to_owned(), why).into();
        if let Some(why) = no_folder(from) {
            return left(why.to_owned());
        }
        if let Err(error) = WorkspaceName::parse(name) {
            return left(error.to_string());
        }
        if !from.join(INSTRUCTIONS).is_file() {
            return left("there is no INSTRUCTIONS.md in it".to_owned());
        }
        let to = self.target.join(".windlass/templates").join(name);
        if to.symlink_metadata().is_ok() {
            return left("a template of this name is here already".to_owned());
        }
        let own = from.join(CONFIG_FILE).symlink_metadata().is_ok();
        let options = if own { SeedOptions::default() } else { of_template(from, &Beneath::Open) };
        let (name, from, notes) = (name.to_owned(), from.to_owned(), options.left);
        taken_folder(Item { kind: KIND, name, from, to: Some(to), notes }, Work::Template)
    }

    fn archive(&self, name: &str, from: &Path) -> Planned {
        const KIND: ItemKind = ItemKind::Archive;
        let left = |why: &str| Item::left(KIND, name, from.to_owned(), why).into();
        let Ok(metadata) = fs::symlink_metadata(from) else {
            return left("it cannot be read");
        };
        let is_archive = metadata.is_dir() || (metadata.is_file() && name.ends_with(".tar.gz"));
        if !is_archive {
            return left("it is neither a folder nor a .tar.gz");
        }
        let to = self.target.join(".windlass/archive").join(name);
        if to.symlink_metadata().is_ok() {
            return left("an archive of this name is here already");
        }
        let (name, from) = (name.to_owned(), from.to_owned());
        let item = Item { kind: KIND, name, from, to: Some(to), notes: Vec::new() };
        if metadata.is_dir() { taken_folder(item, Work::Folder) } else { Planned::file(item) }
    }
}

/// What there is to say of a workspace that only has boxes to tell how far it is.
fn boxes_alone(workspace: &Path) -> Option<&'static str> {
    let is_there = |name: &str| workspace.join(name).symlink_metadata().is_ok();
    (is_there("TODO.md") && !is_there(".status.json")).then_some(
        "it has no status file yet: the boxes of TODO.md alone complete it only after `windlass config set \
         workspace.todo_fallback true`",
    )
}

/// What `.template.json` says of limits becomes the template's configuration.
pub(super) fn template_options(template: &Path, beneath: &Beneath) -> Result<(), FileError> {
    let found = of_template(template, beneath);
    if !found.options.is_empty() {
        let config = template.join(CONFIG_FILE);
        create_new(&config, options_text(&found.options).as_bytes(), PERMISSIONS)?;
    }
    Ok(())
}

fn of_template(template: &Path, beneath: &Beneath) -> SeedOptions {
    let Read::Object(fields) = read_object(&template.join(TEMPLATE_FILE)) else {
        return SeedOptions::default();
    };
    let mode = match fields.get("mode").and_then(Value::as_str) {
        Some("iterative") => Mode::Iterative,
        _ => Mode::Loop,
    };
    seed_options(mode, &fields, refuses, beneath)
}

/// What a workspace's configuration says, or will say, and what there is to say of its metadata.
fn own_options(workspace: &Path) -> (Vec<u8>, Vec<String>) {
    let own = read_beginning(&workspace.join(CONFIG_FILE), LONGEST).ok().flatten();
    let made_again = |why: String| {
        let notes = vec![format!(
            "its metadata are broken ({why}); they are made again, and these are kept beside them"
        )];
        (own.clone().unwrap_or_default(), notes)
    };
    let bytes = match read_beginning(&workspace.join(METADATA_FILE), LONGEST_METADATA) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            return (own.unwrap_or_default(), vec!["it has no metadata; they are made anew".to_owned()]);
        }
        Err(error) => return made_again(error.to_string()),
    };
    let (metadata, problems) = match Metadata::parse(&bytes) {
        Ok(read) => read,
        Err(corrupt) => return made_again(corrupt.to_string()),
    };
    let mut notes = Vec::new();
    if !problems.is_empty() {
        let problems = problems.join("; ");
        notes.push(format!(
            "its metadata are broken ({problems}); the rest of them holds, and these are kept beside it"
        ));
    }
    if let Some(own) = own {
        return (own, notes);
    }
    let found = seed_options(metadata.mode, &metadata.other, refuses, &Beneath::Open);
    notes.extend(found.left);
    (options_text(&found.options).into_bytes(), notes)
}

fn no_folder(path: &Path) -> Option<&'static str> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Some("it is a link; links are not followed"),
        Ok(metadata) if metadata.is_dir() => None,
        Ok(_) => Some("it is not a folder"),
        Err(_) => Some("it cannot be read"),
    }
}

enum Read {
    Missing,
    Broken(String),
    Object(Map<String, Value>),
}

fn read_object(path: &Path) -> Read {
    let bytes = match read_beginning(path, LONGEST) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Read::Missing,
        Err(error) => return Read::Broken(error.to_string()),
    };
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    if bytes.len() > LONGEST {
        return Read::Broken("it is longer than 1 MB".to_owned());
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Read::Object(fields),
        Ok(_) => Read::Broken("it is not a JSON object".to_owned()),
        Err(error) => Read::Broken(format!("it is not JSON: {error}")),
    }
}
