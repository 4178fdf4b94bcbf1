//! Asking a person at the terminal, and reading what they pipe in.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use windlass_app::{AppError, Kind, Reply};

/// The longest secret that is read, in bytes.
const LONGEST_SECRET: u64 = 64 * 1024;

/// A secret from standard input, so that a secret is in no list of processes and in no shell's history.
pub fn secret() -> Result<String, AppError> {
    let trouble = |error: &io::Error| {
        AppError::new(Kind::System, format!("cannot read the secret from standard input: {error}"))
    };
    let mut text = String::new();
    io::stdin().lock().take(LONGEST_SECRET).read_to_string(&mut text).map_err(|error| trouble(&error))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.trim().is_empty() {
        return Err(AppError::usage("there is no secret on standard input"));
    }
    Ok(secret.to_owned())
}

/// Asks on the terminal; only `y` and `yes` mean yes.
///
/// # Errors
/// There is no terminal to ask on: `command` does it without a question.
pub fn ask(question: &str, command: &str) -> Result<Reply, AppError> {
    require_person(question, command)?;
    Ok(match typed(&format!("{question} [y/N] "))?.as_str() {
        "y" | "yes" => Reply::Yes,
        _ => Reply::No,
    })
}

/// Is there a person at the terminal who can be asked?
pub fn has_person() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Refuses a question that nobody can be asked.
pub fn require_person(question: &str, command: &str) -> Result<(), AppError> {
    if has_person() {
        return Ok(());
    }
    Err(AppError::usage(format!("there is no terminal to ask on: {question}"))
        .hint(format!("Without a question: {command}")))
}

/// What a person types on one line, in lower case; nothing where the terminal is closed.
pub fn typed(question: &str) -> Result<String, AppError> {
    Ok(typed_line(question)?.unwrap_or_default())
}

/// The same; `None` where the terminal is closed, which is not an empty answer.
pub fn typed_line(question: &str) -> Result<Option<String>, AppError> {
    let mut notes = io::stderr();
    notes.write_all(question.as_bytes()).and_then(|()| notes.flush()).map_err(unreadable)?;
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).map_err(unreadable)?;
    Ok((read > 0).then(|| line.trim().to_ascii_lowercase()))
}

/// Nobody can be asked any more.
pub fn unreadable(error: io::Error) -> AppError {
    AppError::new(Kind::System, format!("cannot ask on the terminal: {error}")).because(error)
}
