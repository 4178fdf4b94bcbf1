//! Prints the help of every verb as one page of Markdown: `cargo xtask docs` puts it into the site.
#![expect(clippy::print_stdout, reason = "its output is the page")]

#[expect(
    dead_code,
    unused_imports,
    reason = "only what can be typed is of interest here, not what becomes of it"
)]
#[path = "../src/args/mod.rs"]
mod args;

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

fn main() {
    print!("{}", page());
}

fn page() -> String {
    let mut command = args::Cli::command();
    command.build();
    let mut page = "# Commands\n\nWhat `windlass help VERB` says of each verb.\n".to_owned();
    command.get_subcommands_mut().for_each(|verb| add(verb, &mut page));
    page
}

/// A verb with a heading of its own, then those below it.
fn add(verb: &mut Command, page: &mut String) {
    if verb.is_hide_set() || verb.get_name() == "help" {
        return;
    }
    let name = verb.get_bin_name().unwrap_or(verb.get_name()).to_owned();
    let help = verb.render_long_help().to_string();
    let _ = write!(page, "\n## {name}\n\n```text\n{}\n```\n", help.trim());
    verb.get_subcommands_mut().for_each(|verb| add(verb, page));
}
