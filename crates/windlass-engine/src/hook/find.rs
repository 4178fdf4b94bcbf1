//! Which hooks a run has.

use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::config::HookSettings;
use windlass_core::typed::nearest;
use windlass_core::values::{Hook, HookCommand, HookName, Named};
use windlass_core::words::quoted;

use super::kept::{self, LARGEST_FILE};
use crate::workspace::{PROJECT_FOLDER, project_folder};
use windlass_host::file::digest;
use windlass_host::tree::at;

/// The folder of hooks in `.windlass`.
pub const HOOKS_FOLDER: &str = "hooks";

/// A turn of a run, and what is called there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Which.
    pub name: HookName,
    /// What is there: a command of the configuration, or a file; `None` = nothing.
    pub command: Option<HookCommand>,
    /// Why it is not called; `None` = it is.
    pub problem: Option<String>,
    /// What to type so that it is called.
    pub remedy: Option<String>,
    /// Its time.
    pub timeout: Duration,
    /// The file's SHA-256.
    pub digest: Option<String>,
}

/// What there is of hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundHooks {
    /// One for each turn, in the order of a run.
    pub listed: Vec<Listed>,
    /// What a person should know, a sentence each.
    pub notices: Vec<String>,
}

impl FoundHooks {
    /// Those that are called.
    pub fn hooks(&self) -> Vec<Hook> {
        let called = self.listed.iter().filter(|listed| listed.problem.is_none());
        let hook = |listed: &Listed| {
            let command = listed.command.clone()?;
            Some(Hook { name: listed.name, command, timeout: listed.timeout })
        };
        called.filter_map(hook).collect()
    }

    /// The files among them, with their digests.
    pub fn inputs(&self) -> Vec<(PathBuf, String)> {
        let input = |listed: &Listed| match (&listed.command, &listed.digest) {
            (Some(HookCommand::File(path)), Some(digest)) => Some((path.clone(), digest.clone())),
            _ => None,
        };
        self.listed.iter().filter_map(input).collect()
    }
}

/// Looks for the hooks of a run in a directory (canonical): commands of the configuration, else files in
/// `.windlass/hooks`. Changes nothing.
pub fn find(directory: &Path, settings: &HookSettings) -> FoundHooks {
    let project = project_folder(directory);
    let folder = project.join(PROJECT_FOLDER).join(HOOKS_FOLDER);
    let mut found = FoundHooks::default();
    for name in HookName::ALL {
        let file = look(&folder.join(name.name()), &project);
        let command = settings.commands.iter().find(|(hook, _)| *hook == name).map(|(_, command)| command);
        let mut listed = match command {
            Some(command) => {
                if file.command.is_some() && settings.enabled {
                    found.notices.push(format!(
                        "hooks.{0} is a command in the configuration: the file {PROJECT_FOLDER}/{HOOKS_FOLDER}/{0} \
                         is not called",
                        name.name()
                    ));
                }
                File { command: Some(HookCommand::Shell(command.clone())), ..File::default() }
            }
            None => file,
        };
        if !settings.enabled && listed.command.is_some() {
            listed.problem = Some("hooks are switched off (hooks.enabled)".to_owned());
            listed.remedy = Some("windlass config set hooks.enabled true".to_owned());
        } else if let Some(problem) = &listed.problem {
            let remedy = listed.remedy.as_ref().map_or_else(String::new, |remedy| format!(": {remedy}"));
            found.notices.push(format!("the hook `{}` is not called: {problem}{remedy}", name.name()));
        }
        let File { command, problem, remedy, digest } = listed;
        found.listed.push(Listed { name, command, problem, remedy, timeout: settings.timeout, digest });
    }
    if settings.enabled {
        found.notices.extend(strangers(&folder));
    }
    found
}

#[derive(Default)]
struct File {
    command: Option<HookCommand>,
    problem: Option<String>,
    remedy: Option<String>,
    digest: Option<String>,
}

/// What lies where a hook's file is looked for.
fn look(path: &Path, project: &Path) -> File {
    let name = path.strip_prefix(project).unwrap_or(path);
    let shown = name.display().to_string();
    let mut file = File::default();
    let place = at(path);
    if !place.is_taken() {
        return file;
    }
    file.command = Some(HookCommand::File(path.to_owned()));
    let known = match place.look_through() {
        Ok(Some(known)) => known,
        Ok(None) => {
            file.problem = Some(format!("{shown} is a link that leads nowhere"));
            return file;
        }
        Err(error) => {
            file.problem = Some(format!("{shown} cannot be looked at ({error})"));
            return file;
        }
    };
    file.problem = if known.is_folder() {
        Some(format!("{shown} is a folder"))
    } else if !known.is_regular() {
        Some(format!("{shown} is not a plain file"))
    } else if known.size > LARGEST_FILE {
        Some(format!("{shown} is larger than {} MiB", LARGEST_FILE / (1024 * 1024)))
    } else if known.mode & 0o111 == 0 {
        file.remedy = Some(format!("chmod +x {}", quoted(name.as_os_str())));
        Some(format!("{shown} is not executable"))
    } else {
        match kept::read(path) {
            Some(bytes) => {
                file.digest = Some(digest(&bytes));
                None
            }
            None => Some(format!("{shown} cannot be read")),
        }
    };
    file
}

/// Files that look as if they were meant to be hooks.
fn strangers(folder: &Path) -> Vec<String> {
    let names = HookName::ALL.map(|hook| hook.name());
    let names_there = at(folder).names().unwrap_or_default();
    let mut said: Vec<String> = names_there
        .into_iter()
        .take(1000)
        .filter_map(|name| {
            let name = name.to_str()?.to_owned();
            let quiet = name.starts_with('.') || name.ends_with(".sample") || name.starts_with("README");
            if quiet || names.contains(&name.as_str()) || name == "custom" {
                return None;
            }
            let stem = name.split('.').next().unwrap_or(&name).to_lowercase().replace(['-', ' '], "_");
            let meant = nearest(&stem, names)?;
            let name: String = name.chars().filter(|char| !char.is_control()).take(80).collect();
            Some(format!("{PROJECT_FOLDER}/{HOOKS_FOLDER}/{name} is not a hook: was `{meant}` meant?"))
        })
        .collect();
    said.sort();
    said
}
