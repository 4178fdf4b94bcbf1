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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verb_has_a_page_that_says_what_its_help_says() {
        let folder = tempfile::tempdir().unwrap();
        clap_mangen::generate_to(args::command(), folder.path()).unwrap();
        let run = std::fs::read_to_string(folder.path().join("windlass-run.1")).unwrap();
        for word in [r"\-\-max\-cost", r"\-\-gate", "Iterate on a goal or a workspace"] {
            assert!(run.contains(word), "{word}");
        }
        for verb in args::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let page = folder.path().join(format!("windlass-{}.1", verb.get_name()));
            assert!(page.is_file(), "{}", page.display());
        }
    }
}
