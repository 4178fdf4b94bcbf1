//! Where we are: the working directory, its repository, its project.

use std::env;
use std::path::{Path, PathBuf};

use windlass_core::spec::SandboxKind;
use windlass_engine::store::{Project, paths};
use windlass_engine::supervisor::put_back_after_kills;
use windlass_git::git::{FoundRepository, GitError, Repository};
use windlass_git::inventory::Place;
use windlass_git::snapshot::Store;
use windlass_host::tree;

use crate::app::App;
use crate::error::{AppError, Kind};

/// The working directory and what belongs to it.
#[derive(Clone, Debug)]
pub struct Here {
    /// Through which it is looked at.
    pub app: App,
    /// Canonical.
    pub directory: PathBuf,
    /// Its repository, where there is one.
    pub repository: Option<Repository>,
    /// Where its runs are kept. Nothing has been created.
    pub project: Project,
    /// git is not installed.
    pub git_missing: bool,
}

impl Here {
    /// Looks at the directory that requests are about.
    ///
    /// # Errors
    /// It cannot be worked in: it is gone, a bare repository, or one that git refuses to look at.
    pub fn find(app: &App) -> Result<Here, AppError> {
        Here::at(app, app.directory().to_owned())
    }

    /// The same with a repository that may be what has to be put back: one that git cannot read is none.
    pub fn find_broken(app: &App) -> Result<Here, AppError> {
        let directory = app.directory().to_owned();
        // Without it there is nothing to look at, and that is said once.
        state_root()?;
        let trouble = put_steering_back(app, &directory).err();
        if let Some(error) = &trouble {
            app.notice(&error.message);
        }
        match Repository::find(&directory) {
            Ok(FoundRepository::Bare)
            | Err(GitError::Failed { .. } | GitError::Unexpected { .. } | GitError::TimedOut { .. }) => {
                Here::without_repository(app, directory)
            }
            _ if trouble.is_some() => Here::without_repository(app, directory),
            found => Here::of(app, directory, found),
        }
    }

    fn without_repository(app: &App, directory: PathBuf) -> Result<Here, AppError> {
        let project = Project::locate(&state_root()?, &directory, None)?;
        Ok(Here { app: app.clone(), directory, repository: None, project, git_missing: false })
    }

    /// Looks at a canonical directory.
    pub fn at(app: &App, directory: PathBuf) -> Result<Here, AppError> {
        put_steering_back(app, &directory)?;
        let found = Repository::find(&directory);
        Here::of(app, directory, found)
    }

    /// What git found at a directory, with the project that it belongs to.
    fn of(app: &App, directory: PathBuf, found: Result<FoundRepository, GitError>) -> Result<Here, AppError> {
        let found = found.map_err(AppError::system)?;
        let git_missing = found == FoundRepository::GitMissing;
        let repository = match found {
            FoundRepository::Worktree(repository) => Some(repository),
            FoundRepository::None | FoundRepository::GitMissing => None,
            FoundRepository::Bare => {
                return Err(AppError::usage(format!(
                    "{} is a bare repository: there are no files to work on",
                    directory.display()
                ))
                .hint("Run it in a working tree: git worktree add ../work"));
            }
            FoundRepository::Unsafe(said) => {
                return Err(AppError::new(
                    Kind::System,
                    format!("git refuses to look at {}", directory.display()),
                )
                .hint(said));
            }
        };
        let root = state_root()?;
        let common = repository.as_ref().map(|repository| repository.common_dir.as_path());
        let project = Project::locate(&root, &directory, common)?;
        Ok(Here { app: app.clone(), directory, repository, project, git_missing })
    }

    /// A project that is looked at from elsewhere: nothing of its directory is asked.
    pub fn of_project(app: &App, project: &Project) -> Here {
        let directory = app.directory().to_owned();
        Here { app: app.clone(), directory, repository: None, project: project.clone(), git_missing: false }
    }

    /// The same for a run in such a sandbox: no git runs a filter outside, whoever was at work here before.
    pub fn behind(&self, walls: &SandboxKind) -> Result<Here, AppError> {
        let mut here = self.clone();
        if let Some(repository) = here.repository.as_mut().filter(|_| *walls != SandboxKind::None) {
            repository.close_filters().map_err(AppError::system)?;
            repository.keep_filtered_in(self.project.filtered());
        }
        Ok(here)
    }

    /// What is looked at for evidence.
    pub fn place(&self) -> Place {
        Place::new(&self.directory, self.repository.clone())
    }

    /// A file by its path in the repository, which is the same in all its working trees; outside of one by its whole path.
    pub fn in_repository(&self, file: &Path) -> String {
        let file = tree::without_links(file);
        let within = self.repository.as_ref().and_then(|repository| file.strip_prefix(&repository.top).ok());
        within.unwrap_or(&file).display().to_string()
    }

    /// Where the working tree is kept; `None` without a repository.
    pub fn snapshots(&self) -> Result<Option<Store>, AppError> {
        let open = |repository: &Repository| Store::open(self.project.path(), repository.object_format);
        Ok(self.repository.as_ref().map(open).transpose()?)
    }
}

/// Before any git is called in a directory: a guest of a run whose runner was killed may have written what steers git.
pub fn put_steering_back(app: &App, directory: &Path) -> Result<(), AppError> {
    let said = put_back_after_kills(&state_root()?, directory).map_err(AppError::system)?;
    for sentence in &said {
        app.notice(sentence);
    }
    Ok(())
}

/// The root of all that Windlass keeps.
pub fn state_root() -> Result<PathBuf, AppError> {
    // Lanes lie in it, which guests write to: no link is followed on the way to those.
    Ok(tree::without_links(&paths::state_root(|name| env::var_os(name))?))
}

/// Where what a page on the network keeps lies: who was let in, what was asked. The front end makes it.
pub fn page_folder() -> Result<PathBuf, AppError> {
    Ok(state_root()?.join("web"))
}

/// The user's home, where the environment says where that is.
pub fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// Of the project where it is relative, of the user's home where it begins with `~/`.
pub fn named_path(directory: &Path, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), home()) {
        (Some(below), Some(home)) => home.join(below),
        _ if text == "~" => home().unwrap_or_else(|| directory.join(text)),
        _ => directory.join(text),
    }
}
