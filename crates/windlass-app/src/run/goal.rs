//! The goal: where it comes from, and what cannot be one.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use windlass_core::escapes::without_escapes;
use windlass_core::values::StopReason;
use windlass_engine::workspace::Workspace;
use windlass_host::tree::{Attributes, at};
use windlass_jobs::prompt::LONGEST_GOAL;

use crate::app::App;
use crate::error::{AppError, Codes, Kind};
use crate::workspaces::from_here;

/// The longest title, in characters.
const LONGEST_TITLE: usize = 80;

/// A goal, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The text, byte for byte as it was given.
    pub text: String,
    /// The file it came from.
    pub file: Option<PathBuf>,
}

impl Goal {
    /// This text, which is what: `the goal in goal.md`. `file` is where it came from.
    pub fn new(text: impl Into<Vec<u8>>, what: &str, file: Option<PathBuf>) -> Result<Goal, AppError> {
        Goal::checked(text.into(), what, file)
    }

    /// What stands in a file that a person named.
    pub fn read(path: &Path) -> Result<Goal, AppError> {
        let wrong = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => AppError::usage(format!("there is no file {}", path.display())),
            io::ErrorKind::IsADirectory => directory(path),
            _ => {
                AppError::new(Kind::System, format!("cannot read {}: {error}", path.display())).because(error)
            }
        };
        // outside: a file that a person named, be it a pipe of their shell's.
        let file = File::open(path).map_err(wrong)?;
        if Attributes::of(&file).is_ok_and(|found| found.is_folder()) {
            return Err(directory(path));
        }
        let bytes = read_bounded(file).map_err(wrong)?;
        Goal::checked(bytes, &format!("the goal in {}", path.display()), Some(path.to_owned()))
    }

    /// What comes on standard input.
    pub fn read_from(input: impl Read) -> Result<Goal, AppError> {
        let bytes = read_bounded(input).map_err(|error| {
            AppError::new(Kind::System, format!("cannot read standard input: {error}")).because(error)
        })?;
        Goal::checked(bytes, "the goal on standard input", None)
    }

    /// The instructions of a workspace.
    ///
    /// # Errors
    /// There are none yet, or they cannot be what an agent is told.
    pub fn instructions(app: &App, workspace: &Workspace) -> Result<Goal, AppError> {
        let name = workspace.name();
        if !workspace.has_instructions() {
            return Err(AppError::new(
                Kind::Stopped(StopReason::Missing, Codes::AsConfigured),
                format!("Instructions not found. Run setup first: windlass setup {name}"),
            )
            .hint(format!("Or write them yourself: {}", from_here(app, &workspace.instructions()))));
        }
        let path = workspace.instructions();
        let what = format!("the instructions in {}", path.display());
        let read = at(&path).read_beginning(LONGEST_GOAL);
        let bytes = read.map_err(AppError::system)?;
        Goal::checked(bytes.unwrap_or_default(), &what, Some(path))
    }

    /// The goal of a pipeline, as its file says.
    pub(crate) fn of_pipeline(bytes: Vec<u8>, path: PathBuf) -> Result<Goal, AppError> {
        let what = format!("the goal in {}", path.display());
        Goal::checked(bytes, &what, Some(path))
    }

    fn checked(bytes: Vec<u8>, what: &str, file: Option<PathBuf>) -> Result<Goal, AppError> {
        if bytes.len() > LONGEST_GOAL {
            return Err(too_long(what));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            AppError::usage(format!(
                "{what} is not UTF-8 text (byte {})",
                error.utf8_error().valid_up_to() + 1
            ))
        })?;
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Err(AppError::usage(format!("{what} is empty")).hint("Say what is to be done in it."));
        }
        Ok(Goal { text, file })
    }

    /// Its first words, for lists: one line, at most 80 characters, nothing that moves a cursor.
    pub fn title(&self) -> String {
        let first = self.text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty());
        let visible: String = without_escapes(first.unwrap_or_default())
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.chars().count() <= LONGEST_TITLE {
            return words;
        }
        let mut title: String = words.chars().take(LONGEST_TITLE - 1).collect();
        title.push('…');
        title
    }
}

fn directory(path: &Path) -> AppError {
    AppError::usage(format!("{} is a directory; `-f` takes the file that holds the goal", path.display()))
}

/// Reads to the end, or one byte beyond the longest goal: enough to know that it is too long.
fn read_bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LONGEST_GOAL as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn too_long(what: &str) -> AppError {
    AppError::usage(format!("{what} is longer than 1 MiB"))
        .hint("Every iteration reads the goal. Put the material into a file of the project and name it in the goal.")
}

/// Reads a file of the project's own, bounded as a goal is; `None` where there is none.
///
/// # Errors
/// It cannot be read, or it is not a file: nobody may ever write into a pipe that is in its place.
pub fn read_plain(path: &Path) -> io::Result<Option<Vec<u8>>> {
    at(path).read_beginning(LONGEST_GOAL).map_err(|error| error.source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(text: &str) -> Result<Goal, AppError> {
        Goal::new(text, "the goal given with `-p`", None)
    }

    #[test]
    fn a_goal_is_kept_byte_for_byte() {
        for text in ["Fix it", "-x is a flag", "/compact", "one\r\ntwo\r\n", " spaced ", "emoji 🎉"] {
            assert_eq!(goal(text).unwrap().text, text);
        }
    }

    #[test]
    fn what_cannot_be_a_goal_is_refused() {
        for (text, message) in [
            (String::new(), "the goal given with `-p` is empty"),
            (" \n\t".to_owned(), "the goal given with `-p` is empty"),
            ("\u{feff}\r\n".to_owned(), "the goal given with `-p` is empty"),
            ("x".repeat(LONGEST_GOAL + 1), "the goal given with `-p` is longer than 1 MiB"),
        ] {
            let error = goal(&text).unwrap_err();
            assert_eq!((error.kind, error.message.as_str()), (Kind::Usage, message));
        }
        assert!(goal(&"x".repeat(LONGEST_GOAL)).is_ok());
    }

    #[test]
    fn a_title_is_one_short_line() {
        for (text, title) in [
            ("\n\n  Fix   the\ttests \nand more", "Fix the tests".to_owned()),
            ("\u{1b}[31mred\u{7}", "red".to_owned()),
            (&"é".repeat(100), format!("{}…", "é".repeat(79))),
        ] {
            assert_eq!(goal(text).unwrap().title(), title);
        }
    }
}
