//! A plan in one file becomes a folder, and back: on disk, so that at every moment one whole plan is in force.

use std::io;
use std::path::{Path, PathBuf};

use windlass_core::spec::JobPlan;
use windlass_jobs::doc::plan::Plan;
use windlass_jobs::doc::plan::migrate::{MigrateError, NewFile, to_file, to_folder};
use windlass_jobs::doc::tasks::FileRole;

use super::{FoundPlan, README, find_plan, spec_names};
use windlass_host::file::{FileError, Made};
use windlass_host::tree::{TreePath, at};

/// The longest plan that is moved, in bytes.
const LONGEST: usize = 64 * 1024 * 1024;

/// The form that a plan is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanForm {
    /// A folder with a file per spec.
    Folder,
    /// One file.
    File,
}

/// What a migration would do. Nothing has been done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The form that the plan gets.
    pub to: PlanForm,
    /// The plan that is in force: its file or its folder, relative to the working directory.
    pub from: PathBuf,
    /// Where it goes.
    pub backup: PathBuf,
    /// What is written, by path relative to the working directory, with the number of its tasks.
    pub files: Vec<(PathBuf, usize)>,
    /// So many tasks the plan has.
    pub tasks: usize,
    texts: Vec<NewFile>,
    directory: PathBuf,
    places: JobPlan,
    mark: String,
}

/// Why a plan is not migrated.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// There is none.
    #[error("there is no plan")]
    Missing,
    /// It has that form.
    #[error("the plan has that form already: {}", .0.display())]
    Already(PathBuf),
    /// No folder is configured.
    #[error("`plan.folder` is empty: there is no folder that the plan could become")]
    NoFolder,
    /// It cannot be read, or a task would change.
    #[error(transparent)]
    Refused(#[from] MigrateError),
    /// Something would have to be overwritten.
    #[error("{} is there already, and nothing is overwritten", .0.display())]
    InTheWay(PathBuf),
    /// The plan is a link: to move it would not move what it leads to.
    #[error("{} is a link: it is left as it is", .0.display())]
    Link(PathBuf),
    /// Somebody wrote the plan meanwhile; all is as it was.
    #[error("{} was written meanwhile: the plan is as it was", .0.display())]
    Changed(PathBuf),
    /// The system refused; all is as it was.
    #[error(transparent)]
    File(#[from] FileError),
    /// The system refused, and what had been made could not be removed.
    #[error("{error}; the former plan is still in force once {} is removed", .left.display())]
    Left {
        /// What went wrong first.
        error: Box<MigrationError>,
        /// What is to be removed.
        left: PathBuf,
    },
}

/// Looks what a migration would do.
///
/// # Errors
/// The plan is missing or cannot be read, or something is in the way.
pub fn migration(directory: &Path, places: &JobPlan, to: PlanForm) -> Result<Migration, MigrationError> {
    let FoundPlan { plan, mark } = find_plan(directory, places);
    if plan.is_missing() {
        return Err(MigrationError::Missing);
    }
    let folder = places.folder.clone().ok_or(MigrationError::NoFolder)?;
    let specs = spec_names(directory, places);
    let (from, texts) = match (to, plan.is_folder()) {
        (PlanForm::Folder, false) => (places.file.clone(), to_folder(&plan, &specs)?),
        (PlanForm::File, true) => {
            (folder.clone(), vec![to_file(&plan, &places.file.display().to_string(), &specs)?])
        }
        (PlanForm::Folder, true) => return Err(MigrationError::Already(folder)),
        (PlanForm::File, false) => return Err(MigrationError::Already(places.file.clone())),
    };
    let path = |file: &NewFile| match to {
        PlanForm::Folder => folder.join(&file.name),
        PlanForm::File => places.file.clone(),
    };
    let migration = Migration {
        to,
        backup: backup(&from),
        from,
        files: texts.iter().map(|file| (path(file), file.tasks)).collect(),
        tasks: plan.tasks().len(),
        texts,
        directory: directory.to_owned(),
        places: places.clone(),
        mark,
    };
    migration.refuse_what_is_in_the_way(&plan)?;
    Ok(migration)
}

/// `IMPLEMENTATION_PLAN.md.backup`, `plan.backup`.
fn backup(from: &Path) -> PathBuf {
    let mut name = from.as_os_str().to_owned();
    name.push(".backup");
    PathBuf::from(name)
}

impl Migration {
    fn at(&self, path: &Path) -> TreePath {
        at(&self.directory.join(path))
    }

    fn refuse_what_is_in_the_way(&self, plan: &Plan) -> Result<(), MigrationError> {
        if self.at(&self.from).is_link() {
            return Err(MigrationError::Link(self.from.clone()));
        }
        // A file named as the folder is, or a plan that waits behind the one in force.
        let made: Vec<&PathBuf> = self.files.iter().map(|(path, _)| path).chain([&self.backup]).collect();
        for path in made {
            if self.at(path).is_taken() {
                return Err(MigrationError::InTheWay(path.clone()));
            }
        }
        // What lies in the folder and is not part of the new plan would become one.
        if let (PlanForm::Folder, Some(folder)) = (self.to, &self.places.folder) {
            let foreign = self.at(folder).names()?.into_iter().find(|name| {
                !name.to_string_lossy().starts_with('.') && super::specs::is_markdown(Path::new(name))
            });
            if let Some(name) = foreign {
                return Err(MigrationError::InTheWay(folder.join(name)));
            }
        }
        debug_assert!(
            plan.files().all(|(_, role)| (role == FileRole::Single) == (self.to == PlanForm::Folder))
        );
        Ok(())
    }

    /// Does it. The former plan is in force until all of the new one is on disk, and comes back when a step fails.
    pub fn carry_out(&self) -> Result<(), MigrationError> {
        let mut made = Vec::new();
        let done = match self.to {
            PlanForm::Folder => self.become_folder(&mut made),
            PlanForm::File => self.become_file(&mut made),
        };
        done.map_err(|error| undo(&made, error))
    }

    /// The `README.md`, which is written last, puts the folder in force; then the file goes.
    fn become_folder(&self, made: &mut Vec<TreePath>) -> Result<(), MigrationError> {
        let file = self.at(&self.from);
        let bytes = file.read(LONGEST)?.ok_or_else(|| file.failed("read", io::ErrorKind::NotFound.into()))?;
        self.refuse_changed()?;
        let folder = self.at(self.places.folder.as_deref().unwrap_or(Path::new("")));
        self.create(&self.backup, &bytes, made)?;
        if folder.make_folder()? == Made::Anew {
            made.push(folder.clone());
        }
        debug_assert!(self.texts.last().is_some_and(|file| file.name == README));
        for (new, (path, _)) in self.texts.iter().zip(&self.files) {
            if new.name == README {
                folder.sync_folder()?;
                self.refuse_changed()?;
            }
            self.create(path, new.text.as_bytes(), made)?;
        }
        folder.sync_folder()?;
        file.remove_file()?;
        at(&self.directory).sync_folder().or(Ok(()))
    }

    /// The folder is in force as long as it is in its place.
    fn become_file(&self, made: &mut Vec<TreePath>) -> Result<(), MigrationError> {
        for (new, (path, _)) in self.texts.iter().zip(&self.files) {
            self.create(path, new.text.as_bytes(), made)?;
        }
        self.refuse_changed()?;
        let (folder, backup) = (self.at(&self.from), self.at(&self.backup));
        rename_new(&folder, &backup)?;
        at(&self.directory).sync_folder().or(Ok(()))
    }

    fn create(&self, path: &Path, bytes: &[u8], made: &mut Vec<TreePath>) -> Result<(), MigrationError> {
        let at = self.at(path);
        match at.create_new(bytes, 0o644)? {
            Made::Anew => {
                made.push(at);
                Ok(())
            }
            Made::WasThere => Err(MigrationError::InTheWay(path.to_owned())),
        }
    }

    fn refuse_changed(&self) -> Result<(), MigrationError> {
        let now = find_plan(&self.directory, &self.places);
        if now.mark == self.mark { Ok(()) } else { Err(MigrationError::Changed(self.from.clone())) }
    }
}

/// Renames, and refuses to replace anything.
fn rename_new(from: &TreePath, to: &TreePath) -> Result<(), MigrationError> {
    match from.rename_to_free(to) {
        Ok(()) => Ok(()),
        Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {
            Err(MigrationError::InTheWay(to.shown()))
        }
        // Not every file system can refuse; that nothing is there was looked at.
        Err(error) if error.is_unknown_way() => Ok(from.rename_to(to)?),
        Err(error) => Err(error.into()),
    }
}

/// Removes what was made, the last first: the `README.md` before all else, so that the former plan is in force again.
fn undo(made: &[TreePath], error: MigrationError) -> MigrationError {
    for path in made.iter().rev() {
        let removed = if path.is_real_folder() { path.remove_empty_folder() } else { path.remove_file() };
        if removed.is_err() && path.is_taken() {
            return MigrationError::Left { error: Box::new(error), left: path.shown() };
        }
    }
    error
}
