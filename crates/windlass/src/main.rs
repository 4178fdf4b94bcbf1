//! The command line: what was asked, who answers, and how it is said that something went wrong.

mod args;
mod commands;
mod error;
mod scripted_agent;

use std::process::ExitCode;

/// Of a static program; others have that of their glibc.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    commands::dispatch(std::env::args_os()).unwrap_or_else(|error| error::report(&error))
}
