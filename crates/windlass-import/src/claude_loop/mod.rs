//! claude-loop: its principles, what it noted of decisions, its notes, plans and tasks (formats in part E4 of the seeds'
//! inventory). It has no configuration: all that it is told are flags, which `windlass run` knows as well.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use windlass_core::council::FORMER_LOG;
use windlass_core::values::Named;
use windlass_core::workspace::OptionValue;
use windlass_engine::tasks::read_tasks;
use windlass_host::file::read_beginning;
use windlass_jobs::doc::decision_log::decisions;
use windlass_jobs::doc::principles::{LONGEST as LONGEST_PRINCIPLES, read};

use super::configuration::Configuration;
use super::{Item, ItemKind, Planned, notes_of, permissions};

/// Where it keeps its principles, and what ours are called.
const PRINCIPLES: [&str; 2] = [".claude/principles.yaml", ".windlass/principles.yaml"];
const PLANS: &str = ".claude/plans";
const TASKS: &str = ".claude/tasks";
/// What iterations leave for each other, there and here.
const NOTES: &str = "SHARED_TASK_NOTES.md";

/// What its agents said when a goal was reached.
const SIGNAL: &str = "CONTINUOUS_CLAUDE_PROJECT_COMPLETE";

/// A longer log or plan is not looked into.
const LONGEST: usize = 1024 * 1024;
/// So many plans are named.
const MOST_PLANS: usize = 100;

/// What is taken over, and where it goes.
#[derive(Clone, Debug)]
pub struct ClaudeLoopImport {
    /// The project that it was used in.
    pub source: PathBuf,
    /// Ours.
    pub target: PathBuf,
}

/// Is there anything of claude-loop in this folder? (Notes alone are ours as well.)
pub fn is_there(folder: &Path) -> bool {
    let has_files = [PRINCIPLES[0], FORMER_LOG].iter().any(|file| folder.join(file).is_file());
    has_files || !plans(folder).is_empty() || has_tasks(folder)
}

impl ClaudeLoopImport {
    /// What can be taken; the rest is named, with what can be done with it.
    pub fn plan(&self) -> Vec<Planned> {
        let (decisions, tasks) = (self.decisions().map(Planned::from), self.tasks().map(Planned::from));
        let found = [self.principles(), decisions, self.notes(), tasks].into_iter().flatten();
        let plans = self.plans().into_iter().map(Planned::from);
        let said = permissions(&self.source.join(".claude"), "claude-loop");
        found.chain(plans).chain([self.configuration(), said.into()]).collect()
    }

    /// Prompts and notes were written for the phrase that it waited for.
    fn configuration(&self) -> Planned {
        let (from, to) = (self.source.join(".claude"), self.target.join(".windlass/config.toml"));
        let options = &[("goal.completion_signal", OptionValue::String(SIGNAL.to_owned()))];
        let notes =
            vec!["the phrase that its prompts and notes may name completes goals here, too".to_owned()];
        Configuration { tool: "claude-loop", from: &from, to, whose: "", options, notes }.planned()
    }

    /// A project's own hold where they are; those of another one are copied, if they are sound.
    fn principles(&self) -> Option<Planned> {
        const KIND: ItemKind = ItemKind::Principles;
        let [theirs, ours] = PRINCIPLES;
        let from = self.source.join(theirs);
        let bytes = match read_beginning(&from, LONGEST_PRINCIPLES) {
            Ok(bytes) => bytes?,
            Err(error) => return Some(Item::left(KIND, theirs, from, error.to_string()).into()),
        };
        let found = match read(&bytes) {
            Ok(found) => found,
            Err(problem) => {
                let why = format!("{problem}; fix it and import it again");
                return Some(Item::left(KIND, theirs, from, why).into());
            }
        };
        let said = format!("preset {}, version {}", found.principles.preset.name(), found.version);
        let to = self.target.join(ours);
        if to.symlink_metadata().is_ok() {
            return Some(
                Item::left(KIND, theirs, from, "there are principles here already, which hold").into(),
            );
        }
        if self.source == self.target {
            let notes = vec![said, "they hold where they are: windlass principles".to_owned()];
            let item = Item { kind: KIND, name: theirs.to_owned(), to: Some(from.clone()), from, notes };
            return Some(item.into());
        }
        let notes = vec![said];
        Some(Planned::file(Item { kind: KIND, name: theirs.to_owned(), from, to: Some(to), notes }))
    }

    fn decisions(&self) -> Option<Item> {
        let from = self.source.join(FORMER_LOG);
        let bytes = read_beginning(&from, LONGEST).ok()??;
        let mut notes = vec![decisions(&String::from_utf8_lossy(&bytes)).sentence()];
        if bytes.len() > LONGEST {
            notes.push("it is longer than 1 MiB; what comes after that is not counted".to_owned());
        }
        notes.push("it stays as it is".to_owned());
        Some(Item { kind: ItemKind::History, name: FORMER_LOG.to_owned(), from, to: None, notes })
    }

    /// Notes have the same name here.
    fn notes(&self) -> Option<Planned> {
        const KIND: ItemKind = ItemKind::Notes;
        let (from, to) = (self.source.join(NOTES), self.target.join(NOTES));
        if !from.is_file() {
            return None;
        }
        if self.source == self.target {
            let notes = vec!["runs of goals read them where they are, and go on with them".to_owned()];
            return Some(
                Item { kind: KIND, name: NOTES.to_owned(), to: Some(from.clone()), from, notes }.into(),
            );
        }
        if to.symlink_metadata().is_ok() {
            return Some(Item::left(KIND, NOTES, from, "there are notes here already").into());
        }
        let (name, notes) = (NOTES.to_owned(), Vec::new());
        Some(Planned::file(Item { kind: KIND, name, from, to: Some(to), notes }))
    }

    /// Task files are a form that is worked off where it is.
    fn tasks(&self) -> Option<Item> {
        if !has_tasks(&self.source) {
            return None;
        }
        let list = read_tasks(&self.source, Path::new(TASKS)).list;
        let stay = format!("they stay where they are: windlass run --mode tasks -f {TASKS}");
        let notes = notes_of(&list, stay);
        let from = self.source.join(TASKS);
        Some(Item { kind: ItemKind::TaskFile, name: TASKS.to_owned(), from, to: None, notes })
    }

    fn plans(&self) -> Vec<Item> {
        let found = plans(&self.source);
        let more = found.len().saturating_sub(MOST_PLANS);
        let mut items: Vec<Item> = found.into_iter().take(MOST_PLANS).map(|from| plan(&from)).collect();
        if more > 0 {
            let why = format!("{more} more plans are left");
            items.push(Item::left(ItemKind::Plan, PLANS, self.source.join(PLANS), why));
        }
        items
    }
}

/// What it planned is not worked off here: that it has to be said in another form.
fn plan(from: &Path) -> Item {
    let name =
        from.strip_prefix(from.ancestors().nth(3).unwrap_or(from)).unwrap_or(from).display().to_string();
    let status = read_beginning(from, LONGEST).ok().flatten().and_then(|bytes| status(&bytes));
    let status = status.map_or_else(String::new, |status| format!("its status is {status}; "));
    let why = format!(
        "{status}a plan of claude-loop's is not read by runs: write its tasks into a task file (windlass init --tasks)"
    );
    Item::left(ItemKind::Plan, &name, from.to_owned(), why)
}

/// How far it got: one word.
fn status(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let word = text
        .lines()
        .find_map(|line| line.strip_prefix("status:"))?
        .trim()
        .trim_matches(['"', '\''])
        .to_owned();
    let known = ["pending", "in_progress", "completed", "failed", "cancelled"];
    known.contains(&word.as_str()).then_some(word)
}

fn plans(folder: &Path) -> Vec<PathBuf> {
    named(&folder.join(PLANS), |name| Path::new(name).extension().is_some_and(|ending| ending == "yaml"))
}

fn has_tasks(folder: &Path) -> bool {
    let is_task = |name: &str| {
        let number = name.strip_prefix('T').and_then(|rest| rest.strip_suffix(".md"));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    !named(&folder.join(TASKS), is_task).is_empty()
}

/// The files of a folder with such names, in their order.
fn named(folder: &Path, is_meant: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut paths: Vec<PathBuf> = files
        .filter(|entry| entry.file_name().to_str().is_some_and(&is_meant))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}
