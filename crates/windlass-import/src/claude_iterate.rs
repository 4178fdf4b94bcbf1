//! claude-iterate: its configuration, workspaces, templates and archives (formats in part E1 of the seeds' inventory).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use windlass_agents::refuses;
use windlass_core::workspace::{
    SeedFolders, SeedProject, WorkspaceName, options_text, seed_options, seed_project,
};

use super::configuration::{Configuration, PERMISSIONS};
use super::copy::{copy_folder, look_over};
use super::{Extent, Item, ItemKind, sentences, taken, taken_file, taken_folder};
use windlass_engine::store::Project;
use windlass_engine::workspace::create::Creation;
use windlass_engine::workspace::{METADATA_FILE, Workspaces};
use windlass_host::file::{FileError, create_new, make_folder, read_beginning};

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
    /// Where the runs of our project are kept.
    pub project: Project,
    /// Is anything done?
    pub extent: Extent,
}

/// Is there anything of claude-iterate in this folder?
pub fn is_there(folder: &Path) -> bool {
    folder.join(PROJECT_FILE).is_file() || folder.join("claude-iterate").is_dir()
}

impl Import {
    /// Takes what can be taken. What fails is left and named; everything else goes on.
    pub fn run(&self) -> Result<Vec<Item>, FileError> {
        let mut items = Vec::new();
        if self.extent == Extent::Act {
            make_folder(&self.target.join(".windlass"))?;
        }
        let configuration = read_object(&self.source.join(PROJECT_FILE));
        let folders = match &configuration {
            Read::Object(file) => seed_project(file, refuses).folders,
            Read::Missing | Read::Broken(_) => SeedFolders::default(),
        };
        let ours = self.target.join(".windlass/config.toml");
        items.extend(self.configuration(&self.source.join(PROJECT_FILE), &ours, configuration));
        if let Some((theirs, ours)) = &self.user {
            items.extend(self.configuration(theirs, ours, read_object(theirs)));
        }
        items.extend(self.each(&folders.workspaces, ItemKind::Workspace, Import::workspace));
        items.extend(self.each(&folders.templates, ItemKind::Template, Import::template));
        items.extend(self.each(&folders.archive, ItemKind::Archive, Import::archive));
        Ok(items)
    }

    /// Everything in one of its folders, by name.
    fn each(&self, folder: &str, kind: ItemKind, take: fn(&Import, &str, &Path) -> Item) -> Vec<Item> {
        let folder = self.source.join(folder);
        let mut names: Vec<String> = match fs::read_dir(&folder) {
            Ok(entries) => {
                entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                return vec![Item::left(kind, "*", folder, format!("the folder cannot be read: {error}"))];
            }
        };
        names.sort();
        names.retain(|name| !matches!(name.as_str(), ".gitkeep" | ".DS_Store" | ".gitignore"));
        names.iter().map(|name| take(self, name, &folder.join(name))).collect()
    }

    fn configuration(&self, from: &Path, to: &Path, read: Read) -> Option<Item> {
        let name = from.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let is_of_user = to != self.target.join(".windlass/config.toml");
        let file = match read {
            Read::Missing if is_of_user => return None,
            Read::Missing => Map::new(),
            Read::Broken(why) => {
                return Some(Item::left(ItemKind::Configuration, &name, from.to_owned(), why));
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
        Some(found.take(self.extent))
    }

    fn workspace(&self, name: &str, from: &Path) -> Item {
        const KIND: ItemKind = ItemKind::Workspace;
        let left = |why: String| Item::left(KIND, name, from.to_owned(), why);
        if let Some(why) = no_folder(from) {
            return left(why.to_owned());
        }
        let checked = match WorkspaceName::parse(name) {
            Ok(checked) => checked,
            Err(error) => return left(error.to_string()),
        };
        let workspaces = Workspaces::open(&self.target);
        let to = self.target.join(".windlass/workspaces").join(name);
        if to.symlink_metadata().is_ok() {
            return left("a workspace of this name is here already".to_owned());
        }
        let mut item = Item {
            kind: KIND,
            name: name.to_owned(),
            from: from.to_owned(),
            to: Some(to.clone()),
            notes: Vec::new(),
        };
        item.notes.extend(self.steering(name, from));
        item.notes.extend(boxes_alone(from).map(str::to_owned));
        if self.extent == Extent::Look {
            match look_over(from) {
                Ok(not_copied) => item.notes.extend(sentences(&not_copied)),
                Err(error) => return left(error.to_string()),
            }
            item.notes.extend(metadata_notes(from));
            return item;
        }
        match copy_folder(from, &to) {
            Ok(not_copied) => item.notes.extend(sentences(&not_copied)),
            Err(error) => return left(error.to_string()),
        }
        match workspaces.create(&checked, &self.project, &Creation::default()) {
            Ok(created) => {
                item.notes.extend(created.left);
                let mended = created.mended.map(|mended| mended.sentence(&created.workspace.metadata_file()));
                item.notes.extend(mended);
            }
            Err(error) => item.notes.push(format!(
                "its files are here, but it is not complete ({error}); `windlass init {name}` completes it"
            )),
        }
        item
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

    fn template(&self, name: &str, from: &Path) -> Item {
        const KIND: ItemKind = ItemKind::Template;
        let left = |why: String| Item::left(KIND, name, from.to_owned(), why);
        if let Some(why) = no_folder(from) {
            return left(why.to_owned());
        }
        if let Err(error) = WorkspaceName::parse(name) {
            return left(error.to_string());
        }
        if !from.join("INSTRUCTIONS.md").is_file() {
            return left("there is no INSTRUCTIONS.md in it".to_owned());
        }
        let to = self.target.join(".windlass/templates").join(name);
        if to.symlink_metadata().is_ok() {
            return left("a template of this name is here already".to_owned());
        }
        let done = match self.extent {
            Extent::Look => look_over(from),
            Extent::Act => copy_folder(from, &to).and_then(|not_copied| {
                template_options(&to)?;
                Ok(not_copied)
            }),
        };
        taken(KIND, name, from, to, done)
    }

    fn archive(&self, name: &str, from: &Path) -> Item {
        const KIND: ItemKind = ItemKind::Archive;
        let left = |why: String| Item::left(KIND, name, from.to_owned(), why);
        let Ok(metadata) = fs::symlink_metadata(from) else {
            return left("it cannot be read".to_owned());
        };
        let is_archive = metadata.is_dir() || (metadata.is_file() && name.ends_with(".tar.gz"));
        if !is_archive {
            return left("it is neither a folder nor a .tar.gz".to_owned());
        }
        let to = self.target.join(".windlass/archive").join(name);
        if to.symlink_metadata().is_ok() {
            return left("an archive of this name is here already".to_owned());
        }
        if metadata.is_dir() {
            return taken_folder(self.extent, KIND, name, from, to);
        }
        taken_file(self.extent, KIND, name, (from, to), Vec::new())
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
fn template_options(template: &Path) -> Result<(), FileError> {
    let config = template.join("config.toml");
    let Read::Object(fields) = read_object(&template.join(TEMPLATE_FILE)) else {
        return Ok(());
    };
    let mode = match fields.get("mode").and_then(Value::as_str) {
        Some("iterative") => windlass_core::spec::Mode::Iterative,
        _ => windlass_core::spec::Mode::Loop,
    };
    let found = seed_options(mode, &fields, refuses);
    if !found.options.is_empty() {
        create_new(&config, options_text(&found.options).as_bytes(), PERMISSIONS)?;
    }
    Ok(())
}

/// What would be said of a workspace's metadata.
fn metadata_notes(workspace: &Path) -> Option<String> {
    match read_object(&workspace.join(METADATA_FILE)) {
        Read::Object(_) => None,
        Read::Missing => Some("it has no metadata; they are made anew".to_owned()),
        Read::Broken(why) => Some(format!("its metadata are broken ({why}); they are made anew")),
    }
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
