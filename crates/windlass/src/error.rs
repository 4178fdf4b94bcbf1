//! How an error is said.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use windlass_app::{AppError, Hint, Kind, quoted};
use windlass_ui::{Glyphs, Stream, Terminal, render_error};

/// Says it on standard error; the exit code.
pub fn report(error: &AppError) -> ExitCode {
    let terminal = Terminal::detect(Stream::Stderr, Glyphs::Unicode);
    // Where standard error is closed nobody is there to be told; the exit code still says it.
    let _ = io::stderr().write_all(rendered(error, &terminal).as_bytes());
    ExitCode::from(error.kind.exit_code())
}

/// Each line of the message is an error of its own; the hints are about all of them.
fn rendered(error: &AppError, terminal: &Terminal) -> String {
    let prefix = if error.kind == Kind::Internal { "internal error: " } else { "" };
    let all: Vec<String> = error.hints.iter().map(hint).collect();
    let mut lines = error.message.lines().peekable();
    let mut text = String::new();
    while let Some(line) = lines.next() {
        let hints = if lines.peek().is_none() { all.as_slice() } else { &[] };
        text.push_str(&render_error(&format!("{prefix}{line}"), hints, terminal));
    }
    text
}

/// As it can be typed.
pub fn hint(hint: &Hint) -> String {
    match hint {
        Hint::Text(text) => text.clone(),
        Hint::Again { why, flag } => format!("{why}{}", same_command(flag)),
    }
}

/// What was typed, with one flag more.
fn same_command(flag: &str) -> String {
    let mut words = vec!["windlass".to_owned()];
    let mut flag = Some(flag.to_owned());
    for word in env::args_os().skip(1) {
        // What stood there named something else.
        if word.to_string_lossy().starts_with("--trust=") {
            continue;
        }
        if word == "--" {
            words.extend(flag.take());
        }
        words.push(quoted(&word));
    }
    words.extend(flag);
    words.join(" ")
}
