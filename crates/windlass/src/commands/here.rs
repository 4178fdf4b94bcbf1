//! Where we are: the working directory, its repository, its project.

use std::env;
use std::path::{Path, PathBuf};

use windlass_core::spec::SandboxKind;
use windlass_engine::git::{Found, GitError, Repository};
use windlass_engine::inventory::Place;
use windlass_engine::snapshot::Store;
use windlass_engine::store::{Project, paths};
use windlass_engine::supervisor::put_back_after_kills;
use windlass_host::tree;

use super::warn;

use crate::error::{CliError, Kind};

/// The working directory and what belongs to it.
#[derive(Clone, Debug)]
pub struct Here {
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
    /// Looks at the current directory.
    ///
    /// # Errors
    /// It cannot be worked in: it is gone, a bare repository, or one that git refuses to look at.
    pub fn find() -> Result<Here, CliError> {
        let directory = working_directory()?;
        Here::at(directory)
    }

    /// Looks at the current directory, whose repository may be what has to be put back: one that git cannot read is none.
    ///
    /// # Errors
    /// There is no current directory, or git refuses to look at it.
    pub fn find_broken() -> Result<Here, CliError> {
        let directory = working_directory()?;
        let trouble = put_steering_back(&directory).err();
        if let Some(error) = &trouble {
            warn(&error.message);
        }
        match Repository::find(&directory) {
            Ok(Found::Bare)
            | Err(GitError::Failed { .. } | GitError::Unexpected { .. } | GitError::TimedOut { .. }) => {
                Here::without_repository(directory)
            }
            _ if trouble.is_some() => Here::without_repository(directory),
            found => Here::of(directory, found),
        }
    }

    fn without_repository(directory: PathBuf) -> Result<Here, CliError> {
        let project = Project::locate(&state_root()?, &directory, None)?;
        Ok(Here { directory, repository: None, project, git_missing: false })
    }

    /// Looks at a canonical directory.
    pub fn at(directory: PathBuf) -> Result<Here, CliError> {
        put_steering_back(&directory)?;
        let found = Repository::find(&directory);
        Here::of(directory, found)
    }

    /// What git found at a directory, with the project that it belongs to.
    fn of(directory: PathBuf, found: Result<Found, GitError>) -> Result<Here, CliError> {
        let found = found.map_err(|error| git_trouble(&error))?;
        let git_missing = found == Found::GitMissing;
        let repository = match found {
            Found::Worktree(repository) => Some(repository),
            Found::None | Found::GitMissing => None,
            Found::Bare => {
                return Err(CliError::usage(format!(
                    "{} is a bare repository: there are no files to work on",
                    directory.display()
                ))
                .hint("Run it in a working tree: git worktree add ../work"));
            }
            Found::Unsafe(said) => {
                return Err(CliError::new(
                    Kind::System,
                    format!("git refuses to look at {}", directory.display()),
                )
                .hint(said));
            }
        };
        let root = state_root()?;
        let common = repository.as_ref().map(|repository| repository.common_dir.as_path());
        let project = Project::locate(&root, &directory, common)?;
        Ok(Here { directory, repository, project, git_missing })
    }

    /// The same for a run in such a sandbox: no git runs a filter outside, whoever was at work here before.
    pub fn behind(&self, walls: &SandboxKind) -> Result<Here, CliError> {
        let mut here = self.clone();
        if let Some(repository) = here.repository.as_mut().filter(|_| *walls != SandboxKind::None) {
            repository.close_filters().map_err(|error| git_trouble(&error))?;
            repository.keep_filtered_in(self.project.filtered());
        }
        Ok(here)
    }

    /// What is looked at for evidence.
    pub fn place(&self) -> Place {
        Place::new(&self.directory, self.repository.clone())
    }

    /// Where the working tree is kept; `None` without a repository.
    pub fn snapshots(&self) -> Result<Option<Store>, CliError> {
        let open = |repository: &Repository| Store::open(self.project.path(), repository.object_format);
        Ok(self.repository.as_ref().map(open).transpose()?)
    }
}

/// Before any git is called in a directory: a guest of a run whose runner was killed may have written what steers git.
pub fn put_steering_back(directory: &Path) -> Result<(), CliError> {
    let said = put_back_after_kills(&state_root()?, directory)
        .map_err(|error| CliError::new(Kind::System, error.to_string()))?;
    for sentence in &said {
        warn(sentence);
    }
    Ok(())
}

/// The root of all that Windlass keeps.
pub fn state_root() -> Result<PathBuf, CliError> {
    // Lanes lie in it, which guests write to: no link is followed on the way to those.
    Ok(tree::without_links(&paths::state_root(|name| env::var_os(name))?))
}

/// The user's home, where the environment says where that is.
pub fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// The current directory, canonical.
pub fn working_directory() -> Result<PathBuf, CliError> {
    // outside: where a person is.
    let directory = env::current_dir().and_then(|directory| directory.canonicalize()).map_err(|error| {
        CliError::new(Kind::System, format!("cannot work in the current directory: {error}"))
    })?;
    // Guests of earlier runs could write up to here.
    let top = directory.ancestors().find(|above| tree::at(above).join(".git").is_taken());
    tree::hold(top.unwrap_or(&directory));
    Ok(directory)
}

/// The running program itself: keepers and the scripted agent are started from it.
pub fn program() -> Result<PathBuf, CliError> {
    // Through the link, a program that was replaced during the night is still the one that was started.
    let own = Path::new("/proc/self/exe");
    // outside: the program itself.
    let program = if own.exists() { own.canonicalize() } else { env::current_exe() };
    program.map_err(|error| {
        CliError::new(Kind::System, format!("cannot find the windlass program itself: {error}"))
    })
}

fn git_trouble(error: &GitError) -> CliError {
    CliError::new(Kind::System, error.to_string())
}
