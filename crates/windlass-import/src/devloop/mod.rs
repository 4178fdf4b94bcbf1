//! `DevLoop`: its task files and journals, which stay where they are; its configuration; and what it generated (formats in
//! part E3 of the seeds' inventory). Its files are read, never changed.

mod found;
mod generated;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use windlass_core::config::devloop::{DevloopSession, DevloopSettings};
use windlass_core::project::FeatureName;
use windlass_core::workspace::OptionValue;
use windlass_jobs::doc::progress::ProgressTotals;

use self::found::{FoundFiles, read_object};
use super::configuration::Configuration;
use super::{Item, ItemKind, Planned, permissions};
use windlass_engine::progress::read_progress;
use windlass_engine::tasks::read_tasks;
use windlass_host::file::FileError;

/// Its folder.
const FOLDER: &str = ".devloop";

/// What shows that `DevLoop` was used in a project. (The folder alone does not: the user's own configuration lies in one, too.)
const SIGNS: [&str; 7] =
    ["session.json", "features", "tasks.md", "requirements.md", "progress.md", "logs", "archive"];

/// What is taken over, and where it goes.
#[derive(Clone, Debug)]
pub struct DevloopImport {
    /// The project that `DevLoop` was used in.
    pub source: PathBuf,
    /// The user's configuration, and the file of ours that it becomes; `None` = not asked for.
    pub user: Option<(PathBuf, PathBuf)>,
    /// Ours.
    pub target: PathBuf,
}

/// Why nothing was taken.
#[derive(Debug, thiserror::Error)]
pub enum DevloopError {
    /// A file of its is not what it has to be. Nothing was done.
    #[error("{} {why}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, as the end of a sentence.
        why: String,
    },
    /// A file of its cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Is there anything of `DevLoop` in this folder?
pub fn is_there(folder: &Path) -> bool {
    SIGNS.iter().any(|sign| folder.join(FOLDER).join(sign).exists())
}

impl DevloopImport {
    /// What can be taken. Everything is read first: where a file is broken, nothing is.
    ///
    /// # Errors
    /// A file is not JSON, or cannot be read.
    pub fn plan(&self) -> Result<Vec<Planned>, DevloopError> {
        let found = FoundFiles::read(&self.source)?;
        let user = self.user.as_ref().map(|(from, _)| read_object(from)).transpose()?.flatten();
        let fields = found.configuration.clone().unwrap_or_default();
        let mut planned = vec![self.configuration(DevloopSettings::of_project(&fields))];
        if let (Some((from, to)), Some(fields)) = (&self.user, &user) {
            planned.push(user_configuration(from, to, DevloopSettings::of_user(fields)));
        }
        let mut items = Vec::new();
        let names = ["requirements.md", "tasks.md", ".devloop/requirements.md", ".devloop/tasks.md"];
        items.extend(names.iter().filter_map(|name| self.task_file(name, None)));
        items.extend(["progress.md", ".devloop/progress.md"].iter().filter_map(|name| self.journal(name)));
        items.extend(found.session.as_ref().map(|session| self.session(session)));
        for (name, session) in &found.features {
            items.extend(self.feature(name, session));
        }
        items.extend(found.commits.map(|commits| self.commits(&commits)));
        items.extend(generated::items(&self.source));
        items.push(permissions(&self.source.join(FOLDER), "DevLoop"));
        planned.extend(items.into_iter().map(Planned::from));
        Ok(planned)
    }

    fn theirs(&self, name: &str) -> PathBuf {
        self.source.join(FOLDER).join(name)
    }

    fn configuration(&self, found: DevloopSettings) -> Planned {
        let to = self.target.join(".windlass/config.toml");
        let from = self.theirs("config.json");
        let (options, notes) = (&found.options, found.notes);
        Configuration { tool: "DevLoop", from: &from, to, whose: "", options, notes }.planned()
    }

    /// A task file is worked on where it is.
    fn task_file(&self, name: &str, feature: Option<&FeatureName>) -> Option<Item> {
        let list = read_tasks(&self.source, Path::new(name)).list;
        if list.is_missing() {
            return None;
        }
        let from = self.source.join(name);
        let mut notes = Vec::new();
        let done =
            list.rows().iter().filter(|row| row.state == windlass_core::values::TaskState::Done).count();
        match list.tasks().len() {
            0 if !list.is_unusable() || name == ".devloop/requirements.md" => {
                notes.push("it has no task in it".to_owned());
            }
            0 => {}
            1 => notes.push(format!("1 task, {done} done")),
            total => notes.push(format!("{total} tasks, {done} done")),
        }
        let problems = list.problems().iter().take(5);
        notes.extend(problems.map(ToString::to_string));
        if self.source != self.target {
            notes.push("it belongs to its project; copy it to work through it here".to_owned());
            return Some(Item { kind: ItemKind::TaskFile, name: name.to_owned(), from, to: None, notes });
        }
        let feature = feature.map_or_else(String::new, |feature| format!(" --feature {feature}"));
        notes.push(format!("it stays where it is: windlass run --mode tasks{feature}"));
        Some(Item { kind: ItemKind::TaskFile, name: name.to_owned(), to: Some(from.clone()), from, notes })
    }

    /// A journal is read for its numbers, which are counted anew: a task that was done twice counts once.
    fn journal(&self, name: &str) -> Option<Item> {
        const KIND: ItemKind = ItemKind::History;
        let from = self.source.join(name);
        let progress = match read_progress(&from) {
            Ok(None) => return None,
            Ok(Some(progress)) => progress,
            Err(error) => return Some(Item::left(KIND, name, from, error.to_string())),
        };
        let mut notes = vec![totals_in_words(&progress.totals())];
        notes.extend(progress.open_fence.map(|line| {
            format!("line {line} opens a fence that is never closed: what is below it cannot be told from a message")
        }));
        notes.push("it stays as it is; runs here keep their own history".to_owned());
        Some(Item { kind: KIND, name: name.to_owned(), from, to: None, notes })
    }

    fn session(&self, session: &DevloopSession) -> Item {
        let from = self.theirs("session.json");
        let mut item = Item::left(ItemKind::History, "session.json", from, session.sentence());
        item.notes.extend(session.interrupted());
        item
    }

    /// A feature: its session, its task file and its journal. The paths in its file may be those of another machine.
    fn feature(&self, file: &str, session: &DevloopSession) -> Vec<Item> {
        let from = self.theirs("features").join(file);
        let shown = format!("features/{file}");
        let name = match FeatureName::parse(file.strip_suffix(".json").unwrap_or(file)) {
            Ok(name) => name,
            Err(error) => return vec![Item::left(ItemKind::History, &shown, from, error.to_string())],
        };
        let mut item = Item::left(ItemKind::History, &shown, from, session.sentence());
        item.notes.extend(session.interrupted());
        let requirements = name.requirements().display().to_string();
        let tasks = self.task_file(&requirements, Some(&name));
        if tasks.is_none() {
            item.notes.push(format!("its task file {requirements} is not there"));
        }
        let journal = self.journal(&name.progress().display().to_string());
        [Some(item), tasks, journal].into_iter().flatten().collect()
    }

    fn commits(&self, commits: &windlass_core::config::devloop::DevloopCommits) -> Item {
        let why = format!(
            "commits of DevLoop's: {} complete, {} attempted, {} interrupted, {} others; they stay",
            commits.completed, commits.attempted, commits.interrupted, commits.others
        );
        Item::left(ItemKind::History, "git history", self.source.clone(), why)
    }
}

/// The user's own.
fn user_configuration(from: &Path, to: &Path, mut found: DevloopSettings) -> Planned {
    let is_folder = |value: &OptionValue| value.as_str().is_some_and(|path| Path::new(path).is_dir());
    let gone = found.options.iter().position(|(key, value)| *key == "project.default" && !is_folder(value));
    if let Some((_, value)) = gone.map(|at| found.options.remove(at)) {
        found.notes.push(format!("`defaultWorkspace` is left out: there is no folder {value}"));
    }
    let (options, notes, to) = (&found.options, found.notes, to.to_owned());
    Configuration { tool: "DevLoop", from, to, whose: "--user ", options, notes }.planned()
}

fn totals_in_words(totals: &ProgressTotals) -> String {
    let count = |number: u64, what: &str| {
        if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
    };
    let done = count(totals.completed.len() as u64, "task");
    format!(
        "{}, {done} done (each counted once), {}, {}",
        count(totals.iterations, "iteration"),
        count(totals.tokens, "token"),
        totals.cost
    )
}
