//! The task file that is meant, and how its tasks stand.

use std::env;
use std::path::{Path, PathBuf};

use windlass_core::config::Layer;
use windlass_core::project::FeatureName;
use windlass_core::spec::Mode;
use windlass_core::values::TaskState;
use windlass_engine::tasks::{FoundTasks, TasksError};
use windlass_ui::one_line;

use crate::configuration::sources;
use crate::error::AppError;
use crate::run::{NamedTasks, Work};
use crate::text::quoted;

/// Where tasks are where nothing else is said.
const USUAL: &str = "requirements.md";

/// The key that names another file, and its variable.
const KEY: &str = "tasks.file";
const VARIABLE: &str = "WINDLASS_TASKS__FILE";

/// A task file, or the place for one.
pub struct TaskPlace {
    /// The working directory.
    pub directory: PathBuf,
    /// The file that was named.
    pub file: Option<PathBuf>,
    /// The feature whose tasks they are.
    pub feature: Option<FeatureName>,
    /// Where the file is, or would be, below the working directory.
    pub place: PathBuf,
    /// What it says; `None` where there is none.
    pub found: Option<FoundTasks>,
}

impl TaskPlace {
    /// Looks for it.
    ///
    /// # Errors
    /// That is not a name of a feature, or something else is in the file's place.
    pub fn find(directory: &Path, named: &NamedTasks) -> Result<TaskPlace, AppError> {
        let file = named.file.clone();
        let feature = named.feature.as_deref().map(FeatureName::parse).transpose();
        let feature = feature.map_err(|error| AppError::usage(error.to_string()))?;
        let configured = if feature.is_some() { None } else { configured(directory)? };
        let named = NamedTasks { file: file.clone(), feature: feature.as_ref().map(ToString::to_string) };
        let found = match named.find(directory, configured.as_deref()) {
            Ok(found) => Some(found),
            Err(TasksError::Missing { .. } | TasksError::NotThere(_)) => None,
            Err(error) => return Err(AppError::system(error)),
        };
        let usual = || match (&feature, file.as_ref().or(configured.as_ref())) {
            (Some(feature), _) => feature.requirements(),
            (None, Some(file)) => file.clone(),
            (None, None) => PathBuf::from(USUAL),
        };
        let place = found.as_ref().map_or_else(usual, |found| found.place.clone());
        Ok(TaskPlace { directory: directory.to_owned(), file, feature, place, found })
    }

    /// Refuses what needs the file where there is none.
    pub fn require_file(&self) -> Result<(), AppError> {
        if self.found.is_some() {
            return Ok(());
        }
        let make = format!("Make it: {}", self.command("init --tasks"));
        Err(AppError::usage(format!("there is no task file: {} is missing", self.shown())).hint(make))
    }

    /// The same, looked at once more.
    pub fn again(&self) -> Result<TaskPlace, AppError> {
        let feature = self.feature.as_ref().map(ToString::to_string);
        TaskPlace::find(&self.directory, &NamedTasks { file: self.file.clone(), feature })
    }

    /// The file, absolute.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.place)
    }

    /// For people.
    pub fn shown(&self) -> String {
        one_line(&self.place.display().to_string())
    }

    /// What says to a command of ours that it is meant.
    pub fn flags(&self) -> String {
        format!("-f {}", quoted(self.place.as_os_str()))
    }

    /// A command of ours that is to be about it.
    pub fn command(&self, words: &str) -> String {
        let feature =
            self.feature.as_ref().map_or_else(String::new, |feature| format!(" --feature {feature}"));
        let is_about_a_file = ["run", "continue"].iter().any(|verb| words.starts_with(verb));
        let file = self.file.as_ref().filter(|_| is_about_a_file);
        let file = file.map_or_else(String::new, |file| format!(" -f {}", quoted(file.as_os_str())));
        format!("windlass {words}{feature}{file}")
    }

    /// The mode that works on it.
    pub fn mode(&self) -> Mode {
        self.found.as_ref().and_then(Work::of).map_or(Mode::Tasks, |work| work.mode)
    }

    /// The command that works on it.
    pub fn work_command(&self) -> String {
        if self.mode() == Mode::Build {
            // A plan is looked for where plans are: this one has to be named.
            return format!("windlass build -f {}", quoted(self.place.as_os_str()));
        }
        self.command("run --mode tasks")
    }

    /// How many tasks it has.
    pub fn total(&self) -> usize {
        self.found.as_ref().map_or(0, |found| found.list.tasks().len())
    }

    /// Does any task wait to be done?
    pub fn has_open_tasks(&self) -> bool {
        let rows = self.found.as_ref().map(|found| found.list.rows()).unwrap_or_default();
        rows.iter().any(|row| row.state != TaskState::Done)
    }
}

/// The task file that configuration names.
fn configured(directory: &Path) -> Result<Option<PathBuf>, AppError> {
    let mut layers = Vec::new();
    for source in sources(directory, None)? {
        layers.extend(source.layer()?);
    }
    let variable = env::var(VARIABLE).ok().map(|value| (VARIABLE.to_owned(), value));
    layers.push(Layer::from_environment(variable)?);
    let said = layers.iter().rev().find_map(|layer| layer.value(KEY)).and_then(|value| value.as_str());
    Ok(said.filter(|path| !path.trim().is_empty()).map(PathBuf::from))
}
