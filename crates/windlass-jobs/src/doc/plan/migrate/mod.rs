//! A plan in one file becomes a folder with a file per spec, and back. Every task and every line of prose goes along,
//! byte for byte; only headings are repeated where their sections are divided.

mod join;
mod outline;
mod split;
#[cfg(test)]
mod tests;

use windlass_core::values::{TaskRow, TaskState};

use super::Plan;
use super::specs::SpecNames;
use crate::doc::tasks::sources::{Boxes, INDEX};
use crate::doc::tasks::{FileRole, StateWords, Task, TaskFile};
use crate::doc::text::cut;

/// A file of the plan that is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its name, in the folder where it is one.
    pub name: String,
    /// Its content.
    pub text: String,
    /// How many tasks it has.
    pub tasks: usize,
}

/// Why a plan cannot be migrated without loss.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MigrateError {
    /// The plan is missing, or has [`faults`](Plan::faults).
    #[error("{0}")]
    Unusable(String),
    /// It would not be read any more.
    #[error("in its new form the plan could not be read: {0}")]
    Unreadable(String),
    /// A task would not be what it was.
    #[error("{place}: this task would not be the same afterwards: {text}")]
    TaskChanged {
        /// Where it stands; the new place for one that would come to be.
        place: String,
        /// Its text.
        text: String,
    },
}

/// Makes a folder of a plan in one file: each task goes to the file of the first spec that it names, tasks without one to the
/// cross-cutting section of the `README.md`, prose that belongs to no task to the `README.md`. The `README.md` comes last:
/// it puts the folder in force.
///
/// # Errors
/// The plan cannot be read, or a task would not be the same.
pub fn to_folder(plan: &Plan, specs: &SpecNames) -> Result<Vec<NewFile>, MigrateError> {
    let text = match plan.contents.files.as_slice() {
        [file] if file.role == FileRole::Single => &file.text,
        _ => return Err(MigrateError::Unusable("the plan is not one file".to_owned())),
    };
    refuse_faults(plan)?;
    let files = split::split(plan, text, specs);
    check(plan, &files, specs, |name| if name == INDEX { FileRole::Index } else { FileRole::Part })
}

/// Makes one file of a plan that is a folder: the `README.md` without its overview, then each feature, then what cuts across
/// them.
///
/// # Errors
/// The plan cannot be read, or a task would not be the same.
pub fn to_file(plan: &Plan, name: &str, specs: &SpecNames) -> Result<NewFile, MigrateError> {
    if !plan.is_folder() {
        return Err(MigrateError::Unusable("the plan is not a folder".to_owned()));
    }
    refuse_faults(plan)?;
    let file = NewFile { name: name.to_owned(), text: join::join(plan), tasks: 0 };
    let files = check(plan, &[file], specs, |_| FileRole::Single)?;
    files.into_iter().next().ok_or_else(|| MigrateError::Unusable("the plan has no file".to_owned()))
}

fn refuse_faults(plan: &Plan) -> Result<(), MigrateError> {
    match plan.faults().first() {
        Some(fault) => Err(MigrateError::Unusable(fault.to_string())),
        None if plan.is_missing() => Err(MigrateError::Unusable("there is no plan".to_owned())),
        None => Ok(()),
    }
}

/// Reads what is to be written: the same tasks must be in it.
fn check(
    plan: &Plan,
    files: &[NewFile],
    specs: &SpecNames,
    role: impl Fn(&str) -> FileRole,
) -> Result<Vec<NewFile>, MigrateError> {
    let as_found = |file: &NewFile| TaskFile {
        name: file.name.clone(),
        form: &Boxes,
        role: role(&file.name),
        content: Ok(file.text.clone().into_bytes()),
        own: StateWords::default(),
    };
    let after = Plan::parse(files.iter().map(as_found).collect());
    refuse_faults(&after).map_err(|error| MigrateError::Unreadable(error.to_string()))?;
    let (mut before, mut now) = (essences(plan, specs), essences(&after, specs));
    before.sort_by(|one, other| one.0.cmp(&other.0));
    now.sort_by(|one, other| one.0.cmp(&other.0));
    let differs = before.iter().zip(&now).find(|(one, other)| one.0 != other.0);
    let odd = differs.map(|(one, other)| if one.0 < other.0 { one.1 } else { other.1 });
    let longer = || before.get(now.len()).or_else(|| now.get(before.len())).map(|essence| essence.1);
    if let Some(task) = odd.or_else(longer) {
        return Err(MigrateError::TaskChanged { place: task.place(), text: cut(&task.row.title, 80) });
    }
    let count = |name: &str| after.tasks().iter().filter(|task| &*task.file == name).count();
    Ok(files.iter().map(|file| NewFile { tasks: count(&file.name), ..file.clone() }).collect())
}

/// What must be the same of each task: title, state, number, priority, dependencies, complexity, spec.
type Essence = (String, TaskState, String, Option<u32>, Vec<String>, Option<&'static str>, String);

fn essences<'a>(plan: &'a Plan, specs: &SpecNames) -> Vec<(Essence, &'a Task)> {
    let essence = |task: &Task| {
        let TaskRow { title, state, id, .. } = task.row.clone();
        let own = task.plan.as_ref();
        let priority = own.and_then(|own| own.priority);
        let complexity = task.complexity.map(<&str>::from);
        let dependencies = task.dependencies_as_written().map(str::to_owned).collect();
        (title, state, id.0, priority, dependencies, complexity, first_spec(task, specs).unwrap_or_default())
    };
    plan.tasks().iter().map(|task| (essence(task), task)).collect()
}

/// The first spec that a task names: its path in the specs' folder where it is known, else as it is written.
fn first_spec(task: &Task, specs: &SpecNames) -> Option<String> {
    let named = task.refs.iter().find(|named| specs.find(named).is_some() || specs.is_meant(named))?;
    let known = specs.find(named).and_then(|index| specs.names().get(index)).cloned();
    Some(known.unwrap_or_else(|| specs.path_within(named).to_owned()))
}
