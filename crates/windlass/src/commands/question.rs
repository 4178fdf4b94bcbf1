//! Asking a person before something is taken away.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::error::{CliError, Kind};

/// What a person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Do it.
    Yes,
    /// Leave it.
    No,
}

/// Must a person be asked?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// The command line said so already.
    Given,
    /// They must.
    Wanted,
}

impl Consent {
    /// By a flag such as `--force`.
    pub const fn by_flag(force: bool) -> Consent {
        if force { Consent::Given } else { Consent::Wanted }
    }
}

/// Asks on the terminal; only `y` and `yes` mean yes.
///
/// # Errors
/// There is no terminal to ask on: `command` does it without a question.
pub fn ask(question: &str, command: &str) -> Result<Answer, CliError> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(CliError::usage(format!("there is no terminal to ask on: {question}"))
            .hint(format!("Without a question: {command}")));
    }
    let unreadable =
        |error: io::Error| CliError::new(Kind::System, format!("cannot ask on the terminal: {error}"));
    let mut notes = io::stderr();
    notes
        .write_all(format!("{question} [y/N] ").as_bytes())
        .and_then(|()| notes.flush())
        .map_err(unreadable)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(unreadable)?;
    Ok(match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Answer::Yes,
        _ => Answer::No,
    })
}
