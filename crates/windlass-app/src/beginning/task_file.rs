//! A task file is made, or the one that is there is adopted. No file of a person's is touched.

use std::path::PathBuf;

use jiff::Zoned;
use windlass_core::config::commented_file;
use windlass_core::project::{offers, scaffold as texts};
use windlass_engine::scaffold;
use windlass_host::file::Made;
use windlass_host::tree;

use super::RepositoryWanted;
use crate::app::App;
use crate::error::AppError;
use crate::run::NamedTasks;
use crate::task_place::TaskPlace;
use crate::text::kept_name;
use crate::workspaces::from_here;
use crate::workspaces::guard::{self, Guard};

/// A task file that is to be made.
#[derive(Clone, Debug)]
pub struct InitTasks {
    /// The feature whose tasks they are.
    pub feature: Option<String>,
    /// One that is there is begun anew; what was in it is kept.
    pub anew: bool,
    /// Workspaces are to be kept out of commits.
    pub guard: bool,
    /// What is to be done about the repository.
    pub repository: RepositoryWanted,
}

/// A task file that was made, or adopted.
pub struct InitedTasks {
    /// Where it is, and what it says.
    pub place: TaskPlace,
    /// It is new, and without a task.
    pub fresh: bool,
    /// What was in it before, where it was begun anew.
    pub kept: Option<PathBuf>,
    /// What was made of the project's own folder.
    pub made: Vec<&'static str>,
    /// What became of the guard.
    pub guard: Option<Guard>,
    /// The lines that were added to `.gitignore`, where that was asked for.
    pub ignored: Option<Vec<String>>,
}

impl App {
    /// Makes a task file and the project's own folder.
    ///
    /// # Errors
    /// Something that is not a file is in its place, or it cannot be written.
    pub fn init_tasks(&self, request: &InitTasks) -> Result<InitedTasks, AppError> {
        let directory = self.directory();
        let before = TaskPlace::find(
            directory,
            &NamedTasks { feature: request.feature.clone(), ..NamedTasks::default() },
        )?;
        refuse_what_is_no_file(self, &before)?;
        let (project, ignored) = request.repository.begin(self)?;
        // Asked first, so that nothing is made where it has to be refused.
        let guard = request.guard.then(|| guard::install(&project.here)).transpose()?;
        let offered = offers(&scaffold::clues(directory));
        let commands: Vec<&str> = offered.iter().map(|offer| offer.command).collect();
        let made = project.workspaces.make_project(&commented_file(&commands)?)?.made;
        let (fresh, kept) = make(&before, request.anew)?;
        Ok(InitedTasks { place: before.again()?, fresh, kept, made, guard, ignored })
    }

    /// Makes the first commit of a repository that was asked for, where there is none yet: a sentence.
    pub fn first_commit(&self, repository: RepositoryWanted) -> Result<Option<String>, AppError> {
        repository.commit(&windlass_engine::workspace::project_folder(self.directory()))
    }
}

/// A folder, a pipe or a link to nothing in the file's place stays what it is.
fn refuse_what_is_no_file(app: &App, place: &TaskPlace) -> Result<(), AppError> {
    let path = place.path();
    let there = tree::at(&path);
    if !there.is_taken() || there.holds_file() || (place.total() > 0 && there.holds_folder()) {
        return Ok(());
    }
    Err(AppError::usage(format!("{} is there and is not a file", from_here(app, &path)))
        .hint("Move it away, or name a feature: windlass init --tasks --feature NAME"))
}

/// Is it new, and what was in it before?
fn make(place: &TaskPlace, anew: bool) -> Result<(bool, Option<PathBuf>), AppError> {
    let path = place.path();
    let there = tree::at(&path);
    if !there.is_taken() {
        let files = vec![(place.place.clone(), text(place))];
        let made = scaffold::make(&place.directory, files).map_err(AppError::system)?;
        return Ok((made.iter().all(|(_, made)| *made == Made::Anew), None));
    }
    if !anew {
        return Ok((false, None));
    }
    if !there.holds_file() {
        let shown = place.shown();
        return Err(AppError::usage(format!("{shown} is a folder of tasks; --force is for a file")));
    }
    let kept = kept_name(&path, "init");
    scaffold::begin_anew(&path, &kept, &text(place)).map_err(AppError::system)?;
    Ok((true, Some(kept)))
}

fn text(place: &TaskPlace) -> String {
    let folder =
        place.directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let title = match (&place.feature, folder.is_empty()) {
        (Some(feature), _) => feature.to_string(),
        (None, true) => "Tasks".to_owned(),
        (None, false) => folder,
    };
    texts::task_file(&title, Zoned::now().date())
}
