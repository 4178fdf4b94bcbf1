//! Writes the manual pages, one for each verb, into a folder: `cargo xtask man DIR` calls it.
//!
//! It is an example and no verb, so that nothing of it is in the program.
#![expect(clippy::print_stderr, reason = "it talks to whoever builds a release")]

#[expect(
    dead_code,
    unused_imports,
    reason = "only what can be typed is of interest here, not what becomes of it"
)]
#[path = "../src/args/mod.rs"]
mod args;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: man_pages DIR");
        return ExitCode::from(2);
    };
    match clap_mangen::generate_to(args::command(), Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}: {error}", Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}
