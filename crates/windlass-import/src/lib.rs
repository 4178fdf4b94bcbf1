//! Taking over the files of other tools. What is there is copied and never changed; what is here is never replaced.
//!
//! One file or folder per tool. Nobody but the application library depends on this crate: no format of somebody else's
//! is known where jobs are run.

pub mod claude_iterate;
pub mod claude_loop;
mod configuration;
mod copy;
pub mod devloop;
pub mod fresher;
mod plan;
pub mod ralph;

#[cfg(test)]
mod fresher_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use strum::IntoStaticStr;
use windlass_core::values::TaskState;

use windlass_jobs::doc::tasks::TaskList;

use self::copy::{NotCopied, look_over};
use self::plan::Work;
pub use self::plan::{Landing, Plan, Planned};

/// What an import takes, or what it left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its name: of a workspace, a template, an archive, a file.
    pub name: String,
    /// Where it is.
    pub from: PathBuf,
    /// Where it goes; `None` when it is left.
    pub to: Option<PathBuf>,
    /// What a person should know about it: why it was left, or what of it has no place here. One sentence each.
    pub notes: Vec<String>,
}

/// What can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ItemKind {
    /// A configuration file.
    Configuration,
    /// A workspace.
    Workspace,
    /// A template.
    Template,
    /// An archive.
    Archive,
    /// A mode's prompt.
    Prompt,
    /// What every agent is told.
    #[strum(serialize = "agents file")]
    AgentsFile,
    /// A hook, or something that hooks use.
    Hook,
    /// A plan.
    Plan,
    /// A task file.
    #[strum(serialize = "task file")]
    TaskFile,
    /// Principles by which agents decide.
    Principles,
    /// What iterations leave for each other.
    Notes,
    /// What was noted of earlier runs.
    History,
    /// Any other file or folder.
    File,
}

impl Item {
    /// It stays where it is.
    fn left(kind: ItemKind, name: &str, from: PathBuf, why: impl Into<String>) -> Item {
        Item { kind, name: name.to_owned(), from, to: None, notes: vec![why.into()] }
    }

    /// It should have been taken, and stays where it is.
    fn left_after_all(self, why: String) -> Item {
        Item { to: None, notes: vec![why], ..self }
    }
}

/// What there is to say of a tool whose agents were asked nothing.
fn permissions(from: &Path, tool: &str) -> Item {
    let why = format!(
        "{tool}'s agents skipped all permissions, which is never saved here: they may edit the project's files and run its own \
         tools, and what was denied is named with the command that allows it. In a sandbox (`--sandbox bwrap`) they skip them, \
         and `--dangerously-skip-permissions` does it for one run"
    );
    Item::left(ItemKind::Configuration, "permissions", from.to_owned(), why)
}

/// What a list of tasks holds, what is wrong with it, and where it stays.
fn notes_of(list: &TaskList, stay: String) -> Vec<String> {
    let done = list.rows().iter().filter(|row| row.state == TaskState::Done).count();
    let held = match list.tasks().len() {
        1 => format!("1 task, {done} done"),
        total => format!("{total} tasks, {done} done"),
    };
    let problems = list.problems().iter().take(5).map(ToString::to_string);
    std::iter::once(held).chain(problems).chain([stay]).collect()
}

/// A folder that is taken as it is, by work that begins with copying it.
fn taken_folder(item: Item, work: Work) -> Planned {
    match look_over(&item.from) {
        Ok(not_copied) => {
            let notes = [sentences(&not_copied), item.notes].concat();
            Planned { item: Item { notes, ..item }, work }
        }
        Err(error) => item.left_after_all(error.to_string()).into(),
    }
}

fn sentences(not_copied: &NotCopied) -> Vec<String> {
    not_copied.iter().map(|(path, why)| format!("{} is not copied: {why}", path.display())).collect()
}
