//! The command line.

mod commands;
mod scripted_agent;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let (verb, rest) = arguments
        .split_first()
        .map(|(v, r)| (v.to_string_lossy().into_owned(), r))
        .unwrap_or_default();
    match verb.as_str() {
        "__agent" => match scripted_agent::play(&rest[0].to_string_lossy(), &rest[1..]) {
            Ok(code) => ExitCode::from(code),
            Err(error) => {
                eprintln!("{error}");
                ExitCode::from(2)
            }
        },
        "__agent-child" => ExitCode::from(scripted_agent::obey(&rest[0].to_string_lossy())),
        _ => ExitCode::from(2),
    }
}
