//! What a project begins with: our folder, a task file, and where a person asked for them, a repository and lines of
//! `.gitignore`.

mod project;
mod task_file;

use std::path::Path;

use windlass_core::config::Resolved;
use windlass_core::project::{ignore_lines, missing_ignore_lines, types};
use windlass_core::words::some_of;
use windlass_engine::beginning::{BeginError, Beginning, Begun};
use windlass_engine::scaffold;
use windlass_git::git;
use windlass_host::tree;

use crate::app::App;
use crate::error::AppError;
use crate::here::Here;
use crate::workspaces::Project;
use project::resolved;

pub use project::{InitProject, InitedProject, NextStep};
pub use task_file::{InitTasks, InitedTasks};

/// What is to be done about a project's repository.
#[derive(Clone, Copy, Debug)]
pub struct RepositoryWanted {
    /// It is made where there is none, with a first commit.
    pub git: bool,
    /// What its `.gitignore` lacks is added.
    pub gitignore: bool,
}

impl RepositoryWanted {
    /// The project, its repository made, without a commit; and the lines that were added to `.gitignore`.
    fn begin(self, app: &App) -> Result<(Project, Option<Vec<String>>), AppError> {
        let mut project = Project::to_change(app)?;
        let root = project.workspaces.project().to_owned();
        if self.git {
            make_repository(app, &root)?;
            project = Project::find(app)?;
        }
        let append = || scaffold::append_ignored(&root, &lines(&root)).map_err(AppError::system);
        let ignored = self.gitignore.then(append).transpose()?;
        Ok((project, ignored.map(|ignored| ignored.lines)))
    }

    /// The first commit, with all that was made by then in it: a sentence.
    fn commit(self, root: &Path) -> Result<Option<String>, AppError> {
        let begun = if self.git { begin(root, &resolved(root)?)? } else { None };
        Ok(begun.map(|begun| sentence(&begun)))
    }
}

/// Makes the repository, where there is none, without a commit.
///
/// # Errors
/// git does not know who commits: nothing is made then.
pub(crate) fn make_repository(app: &App, directory: &Path) -> Result<(), AppError> {
    if Here::at(app, directory.to_owned())?.repository.is_some() {
        return Ok(());
    }
    if let Some(why) = git::missing_identity(directory).map_err(AppError::system)? {
        return Err(nobody(why));
    }
    windlass_git::commit::init(directory).map_err(AppError::system)
}

fn nobody(why: String) -> AppError {
    AppError::usage(why).hint("Nothing was made; then run it again.")
}

/// Makes the repository and its first commit; `None` where there is a repository with a commit.
///
/// # Errors
/// git does not know who commits: nothing is made then. The first commit is refused.
pub(crate) fn begin(directory: &Path, resolved: &Resolved) -> Result<Option<Begun>, AppError> {
    let lines = lines(directory);
    let generated: Vec<&str> = lines.iter().filter(|line| line.ends_with('/')).copied().collect();
    let beginning =
        Beginning { wording: &resolved.message, withholding: &resolved.withholding, generated: &generated };
    windlass_engine::beginning::begin(directory, &beginning).map_err(|error| match error {
        BeginError::NoIdentity(why) => nobody(why),
        error @ BeginError::Refused(_) => AppError::system(error)
            .hint("Fix what it says and run it again, or commit by hand: git add … && git commit"),
        other => AppError::system(other),
    })
}

/// So many files that were left out are named.
const NAMED: usize = 8;

/// What was made, in one sentence.
pub(crate) fn sentence(begun: &Begun) -> String {
    let made = match &begun.commit {
        Some(commit) => {
            let commit: String = commit.chars().take(7).collect();
            let files = if begun.files == 1 { "file" } else { "files" };
            format!("this is a git repository now; its first commit ({commit}) has {} {files}", begun.files)
        }
        None => "this is a git repository now; there was nothing to commit".to_owned(),
    };
    if begun.left_out.is_empty() {
        return made;
    }
    let named = some_of(begun.left_out.iter(), NAMED);
    format!("{made}; left out: {named} (`windlass init --gitignore` keeps them out for good)")
}

/// What a project of this kind keeps out of commits.
pub(crate) fn lines(directory: &Path) -> Vec<&'static str> {
    let clues = scaffold::clues(directory);
    ignore_lines(&types(clues.files.iter().map(String::as_str)))
}

/// More of a `.gitignore` is not looked through, in bytes.
const LONGEST_IGNORED: usize = 1 << 20;

/// The lines that its `.gitignore` says nothing about.
fn missing(directory: &Path) -> Vec<&'static str> {
    let file = tree::at(directory).join(".gitignore");
    let text = file.read_beginning(LONGEST_IGNORED).ok().flatten().unwrap_or_default();
    missing_ignore_lines(&text, &lines(directory))
}
