//! Which command works on a file: the wrong one is answered with the right one.

use std::path::Path;

use windlass_core::project::FeatureName;
use windlass_core::spec::{JobPlan, Mode};
use windlass_core::values::{ExitCodes, Named as _};
use windlass_engine::plan::{README, find_plan};
use windlass_engine::tasks::{FoundTasks, kept_places, near_places, read_tasks};
use windlass_host::tree;
use windlass_jobs::doc::tasks::{Task, TaskList};
use windlass_jobs::doc::{Problem, ProblemKind};
use windlass_ui::one_line;

use super::request::NamedTasks;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::import::with_command;
use crate::text::quoted;

/// So many boxes make a text a list of tasks, and no goal with some.
const LEAST_BOXES: usize = 3;

/// So many lists are named.
const NAMED: usize = 8;

/// What people call the file with a goal in it.
const GOALS: [&str; 2] = ["goal.md", "PROMPT.md"];

/// A file of work that was found, or named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Where, as people write it.
    pub place: String,
    /// What it holds: `40 boxes`.
    pub holds: String,
    /// The mode that works on it.
    pub mode: Mode,
}

impl Work {
    /// What a place holds that was read; `None` where it has no task.
    pub fn of(found: &FoundTasks) -> Option<Work> {
        let tasks = found.list.tasks().len();
        if tasks == 0 {
            return None;
        }
        let has_box = found.list.tasks().iter().any(Task::is_box);
        let (one, many, mode) = match (found.list.form().about().has_ids, has_box) {
            (true, _) => ("task", "tasks", Mode::Tasks),
            (false, true) => ("box", "boxes", Mode::Build),
            (false, false) => ("heading that is a task", "headings that are tasks", Mode::Build),
        };
        let noun = if tasks == 1 { one } else { many };
        let place = one_line(&found.place.display().to_string());
        Some(Work { place, holds: format!("{tasks} {noun}"), mode })
    }

    /// The command that works on it.
    pub fn command(&self) -> String {
        match self.mode {
            Mode::Build => format!("windlass build -f {}", quoted(self.place.as_ref())),
            _ => format!("windlass run --mode tasks {}", self.flag()),
        }
    }

    /// How it is named to a verb of tasks: a feature has a journal of its own.
    pub fn flag(&self) -> String {
        let feature = FeatureName::of_requirements(&self.place).filter(|_| self.mode == Mode::Tasks);
        feature.map_or_else(
            || format!("-f {}", quoted(self.place.as_ref())),
            |feature| format!("--feature {feature}"),
        )
    }
}

impl App {
    /// The work that lies where people keep it, beyond the places that are looked at without being asked.
    pub fn kept_work(&self) -> Vec<Work> {
        kept_places(self.directory()).iter().filter_map(Work::of).collect()
    }

    /// What lies in the places that are looked at without being asked, and which command works on it.
    fn usual_work(&self) -> Vec<String> {
        let directory = self.directory();
        // A configuration that cannot be read is said by what is typed next.
        let Ok(configuration) = Configuration::read(directory, None, Mode::Goal) else { return Vec::new() };
        let resolved = &configuration.resolved;
        let plan = has_plan(directory, &resolved.plan).then(|| {
            let place = one_line(&resolved.plan.file.display().to_string());
            format!("A plan is here ({place}): windlass build")
        });
        let tasks = NamedTasks::default().find(directory, resolved.tasks.file.as_deref()).ok();
        let tasks = tasks.as_ref().and_then(Work::of);
        let tasks =
            tasks.map(|work| format!("{} holds {}: windlass run --mode tasks", work.place, work.holds));
        let goals = GOALS.iter().filter(|name| tree::at(directory).join(name).open().is_ok());
        let goals = goals.map(|name| format!("{name} may be a goal: windlass run -f {name}"));
        plan.into_iter().chain(tasks).chain(goals).collect()
    }

    /// The same where nothing lies in the usual places of a mode: of plans, or of tasks.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn work_to_ask_for(&self, mode: &str) -> Result<Vec<Work>, AppError> {
        let configuration = Configuration::read(self.directory(), None, Mode::Goal)?;
        let is_there = if mode == Mode::Build.name() {
            has_plan(self.directory(), &configuration.resolved.plan)
        } else {
            let resolved = &configuration.resolved;
            let configured = resolved.tasks.file.as_deref();
            resolved.source.repository.is_some()
                || NamedTasks::default().find(self.directory(), configured).is_ok()
        };
        Ok(if is_there { Vec::new() } else { self.kept_work() })
    }

    /// The list of tasks that a file is which was named as a goal; `None` where it is a text.
    pub fn work_in(&self, file: &Path) -> Option<Work> {
        let found = read_tasks(self.directory(), file);
        let boxes = found.list.tasks().len();
        let is_folder = tree::at(self.directory()).join(file).holds_folder();
        let is_list = found.list.form().about().has_ids || boxes >= LEAST_BOXES || is_folder;
        Work::of(&found).filter(|_| is_list)
    }

    /// Why a file that is written as lists of tasks are, and cannot be read as one, is hardly a goal; `None` where it is a text.
    pub fn broken_list(&self, file: &Path) -> Option<String> {
        let is_file = tree::at(self.directory()).join(file).open().is_ok();
        broken_records(&read_tasks(self.directory(), file)).filter(|_| is_file).map(ToString::to_string)
    }

    /// The work that lies in a folder, or in the folder of a file.
    pub fn near_work(&self, place: &Path) -> Vec<Work> {
        near_places(self.directory(), place).iter().filter_map(Work::of).take(NAMED).collect()
    }
}

/// Is there something where a plan would be?
pub(super) fn has_plan(directory: &Path, plan: &JobPlan) -> bool {
    let there = |path: &Path| tree::at(directory).join(path).is_taken();
    there(&plan.file) || plan.folder.as_ref().is_some_and(|folder| there(&folder.join(README)))
}

/// Is a file JSON, by its name?
pub(crate) fn has_records(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    ["json", "jsonl"].iter().any(|other| ending.eq_ignore_ascii_case(other))
}

/// Why a list without a task cannot be read.
pub(crate) fn unreadable(list: &TaskList) -> Option<&Problem> {
    let mut problems = list.problems().iter().filter(|_| list.tasks().is_empty());
    problems.find(|problem| problem.kind.is_unreadable())
}

/// What is wrong with a file of records without a task: such a file is never a text.
pub(crate) fn broken_records(found: &FoundTasks) -> Option<&Problem> {
    let is_broken = found.list.tasks().is_empty() && has_records(&found.place);
    found.list.problems().first().filter(|_| is_broken)
}

/// The same error, with a command for each of these.
pub fn with_works(error: AppError, works: &[Work], command: impl Fn(&Work) -> String) -> AppError {
    works.iter().take(NAMED).fold(error, |error, work| {
        error.hint(format!("{} holds {}: {}", work.place, work.holds, command(work)))
    })
}

/// Nobody said what is to be done: what lies here is named, each with its command, and what else can be typed.
pub(super) fn nothing_named(app: &App) -> AppError {
    let error = AppError::usage("there is no goal and no workspace: say what is to be done");
    let error = app.usual_work().into_iter().fold(error, AppError::hint);
    let error = with_works(error, &app.kept_work(), Work::command);
    with_command(error, app.directory())
        .hint("windlass run -p 'Make the tests pass' --gate 'make test'")
        .hint("windlass run -f FILE                     (the goal in a file; - reads standard input)")
        .hint("windlass init NAME                       (a workspace)")
        .hint("windlass run -p 'Anything' --mock        (a scripted agent, costs nothing)")
}

/// The same error, with the commands for the work that lies elsewhere.
pub(super) fn with_commands(error: AppError, directory: &Path) -> AppError {
    let works: Vec<Work> = kept_places(directory).iter().filter_map(Work::of).collect();
    with_works(error, &works, Work::command)
}

/// The same error, with the commands for the work that lies in a place or around it.
fn with_near(error: AppError, directory: &Path, place: &Path) -> AppError {
    let works: Vec<Work> = near_places(directory, place).iter().filter_map(Work::of).collect();
    with_works(error, &works, Work::command)
}

/// A list whose tasks have ids and states of their own is worked off as tasks, whatever boxes stand in it: these say nothing of
/// how far it is.
pub(super) fn refuse_tasks(directory: &Path, plan: &JobPlan, codes: ExitCodes) -> Result<(), AppError> {
    let places = JobPlan { specs: None, ..plan.clone() };
    if find_plan(directory, &places).plan.is_folder() {
        return Ok(());
    }
    let work = Work::of(&read_tasks(directory, &plan.file)).filter(|work| work.mode == Mode::Tasks);
    work.map_or(Ok(()), |work| Err(wrong(&work, codes)))
}

/// A file that is a plan has to be readable, and to hold a task: a text without one can be one goal.
pub(super) fn refuse_text(directory: &Path, file: &Path, codes: ExitCodes) -> Result<(), AppError> {
    let found = read_tasks(directory, file);
    if let Some(problem) = unreadable(&found.list) {
        let error = AppError::missing(problem.to_string(), codes);
        let error = with_near(error, directory, file);
        let look =
            format!("See all that is wrong with it: windlass tasks validate -f {}", quoted(file.as_os_str()));
        return Err(if error.hints.is_empty() { error.hint(look) } else { error });
    }
    if let Some(problem) = broken_records(&found) {
        return Err(AppError::missing(problem.to_string(), codes));
    }
    let Some(problem) = found.list.problems().first().filter(|_| has_no_task(&found.list)) else {
        return Ok(());
    };
    let place = quoted(file.as_os_str());
    let hint = if found.list.is_blank() {
        format!("Have it written from your specifications: windlass plan -f {place}")
    } else {
        format!("Work on its text as one goal: windlass run -f {place}")
    };
    Err(AppError::missing(problem.to_string(), codes).hint(hint))
}

/// Can it be read, and holds no task?
fn has_no_task(list: &TaskList) -> bool {
    let has_other = list.problems().iter().any(|problem| problem.kind != ProblemKind::NoTask);
    list.tasks().is_empty() && !has_other
}

/// A plan is written into a file of its own: never over a list with ids and states, or over what cannot be read.
pub(super) fn refuse_other_list(directory: &Path, file: &Path, codes: ExitCodes) -> Result<(), AppError> {
    let found = read_tasks(directory, file);
    let work = Work::of(&found).filter(|work| work.mode == Mode::Tasks);
    let shown = one_line(&file.display().to_string());
    let message = match (unreadable(&found.list), &work) {
        (Some(problem), _) => problem.to_string(),
        (None, Some(work)) => format!("{shown} holds {}, and is not a plan: a plan has boxes", work.holds),
        (None, None) if has_records(file) => format!("{shown} is not a plan: a plan is Markdown with boxes"),
        (None, None) => return Ok(()),
    };
    let error = AppError::missing(message, codes);
    let error = match work {
        Some(work) => error.hint(format!("Work through it: {}", work.command())),
        None => with_near(error, directory, file),
    };
    Err(error.hint("Have a plan written where plan.file says: windlass plan"))
}

/// Boxes without names of their own are worked off as a plan.
pub(super) fn refuse_boxes(found: &FoundTasks, codes: ExitCodes) -> Result<(), AppError> {
    let by_line = |task: &Task| task.plan.is_some() && task.row.id.0 == format!("L{}", task.line);
    let is_plan = !found.list.form().about().has_ids && found.list.tasks().iter().any(by_line);
    Work::of(found).filter(|_| is_plan).map_or(Ok(()), |work| Err(wrong(&work, codes)))
}

fn wrong(work: &Work, codes: ExitCodes) -> AppError {
    let message = format!("{} holds {}: {}", work.place, work.holds, work.command());
    AppError::missing(message, codes)
}
