//! Asking a person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use windlass_app::{Answer, AppError, Kind};

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
pub fn ask(question: &str, command: &str) -> Result<Answer, AppError> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(AppError::usage(format!("there is no terminal to ask on: {question}"))
            .hint(format!("Without a question: {command}")));
    }
    Ok(match typed(&format!("{question} [y/N] "))?.as_str() {
        "y" | "yes" => Answer::Yes,
        _ => Answer::No,
    })
}

/// What a person types on one line, in lower case.
pub fn typed(question: &str) -> Result<String, AppError> {
    let mut notes = io::stderr();
    notes.write_all(question.as_bytes()).and_then(|()| notes.flush()).map_err(unreadable)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(unreadable)?;
    Ok(line.trim().to_ascii_lowercase())
}

/// Nobody can be asked any more.
pub fn unreadable(error: io::Error) -> AppError {
    AppError::new(Kind::System, format!("cannot ask on the terminal: {error}")).because(error)
}
