//! Where requests go: a directory, the windlass program, and who is told and asked.

use std::env;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_host::tree;

use crate::error::{AppError, Kind};
use crate::front_end::{Consent, FrontEnd, Question, Reply};

/// What jobs are started, inspected and changed through: about one directory, for one front end.
#[derive(Clone)]
pub struct App {
    directory: PathBuf,
    program: PathBuf,
    front_end: Arc<dyn FrontEnd>,
}

impl App {
    /// About the current directory, for this front end.
    ///
    /// # Errors
    /// There is no current directory, or this program cannot be found again.
    pub fn here(front_end: Arc<dyn FrontEnd>) -> Result<App, AppError> {
        let directory = env::current_dir().and_then(|directory| entered(&directory)).map_err(|error| {
            AppError::new(Kind::System, format!("cannot work in the current directory: {error}"))
        })?;
        Ok(App { directory, program: own_program()?, front_end })
    }

    /// The same about another directory.
    pub fn in_directory(&self, directory: &Path) -> Result<App, AppError> {
        let directory = entered(directory)
            .map_err(|error| AppError::usage(format!("cannot work in {}: {error}", directory.display())))?;
        Ok(App { directory, ..self.clone() })
    }

    /// The same with another program of which keepers, sandbox helpers and the scripted agent are made than this one:
    /// one that calls [`crate::helper`] first, as `windlass` does.
    pub fn with_program(self, program: PathBuf) -> App {
        App { program, ..self }
    }

    /// The directory: canonical.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// What keepers and the scripted agent are started from.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Who is told and asked.
    pub fn front_end(&self) -> &dyn FrontEnd {
        self.front_end.as_ref()
    }

    /// Tells a person what keeps nothing from being done.
    pub fn notice(&self, sentence: &str) {
        self.front_end.notice(sentence);
    }

    /// The same for several sentences, or none.
    pub fn notices<'a>(&self, sentences: impl IntoIterator<Item = &'a String>) {
        sentences.into_iter().for_each(|sentence| self.notice(sentence));
    }

    /// Does a person want this? `command` does it without a question.
    pub(crate) fn agrees(&self, consent: Consent, question: &str, command: &str) -> Result<bool, AppError> {
        let asked = || self.front_end.ask(&Question::Confirm { question, command });
        Ok(consent == Consent::Given || asked()? == Reply::Yes)
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("directory", &self.directory).finish_non_exhaustive()
    }
}

/// A directory that is worked in from now on: canonical.
fn entered(directory: &Path) -> io::Result<PathBuf> {
    // outside: where a person is, or has a run work.
    let directory = directory.canonicalize()?;
    // outside: the same.
    if !directory.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    // Guests of earlier runs could write up to here.
    let top = directory.ancestors().find(|above| tree::at(above).join(".git").is_taken());
    tree::hold(top.unwrap_or(&directory));
    Ok(directory)
}

/// The running program itself.
fn own_program() -> Result<PathBuf, AppError> {
    // Through the link, a program that was replaced during the night is still the one that was started.
    let own = Path::new("/proc/self/exe");
    // outside: the program itself.
    let program = if own.exists() { own.canonicalize() } else { env::current_exe() };
    program.map_err(|error| {
        AppError::new(Kind::System, format!("cannot find the windlass program itself: {error}"))
    })
}
