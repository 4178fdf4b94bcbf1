//! `cargo xtask docs`: the pages for people, their spelling, and the site that is made of them. Links, anchors and the
//! length of the README are `cargo xtask tidy`'s.

pub mod page;
mod site;
mod tools;

use std::path::PathBuf;
use std::process::Command;

use crate::program::{Failure, cargo, run};
use crate::workspace::Workspace;

/// What is read, beside the pages themselves: the file at the root that a page of the site is made of, and its name there.
pub const AT_ROOT: [(&str, &str); 4] = [
    ("README.md", "README.md"),
    ("ARCHITECTURE.md", "architecture.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("CHANGELOG.md", "changelog.md"),
];

/// The chore.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    if !arguments.is_empty() {
        return Err(Failure("usage: cargo xtask docs".to_owned()));
    }
    check(workspace)
}

/// Checks the spelling, and builds the site.
pub fn check(workspace: &Workspace) -> Result<(), Failure> {
    spelling(workspace)?;
    let built = site::build(workspace)?;
    println!("{}", built.join("index.html").display());
    Ok(())
}

/// Records the screen of the demo anew, and those of the terminal view.
pub fn record_screen(workspace: &Workspace) -> Result<(), Failure> {
    let test = ["test", "--locked", "--package", "windlass", "--test", "cli", "--", "the_recorded_screen"];
    run(cargo().args(test).env("WINDLASS_TEST_RENEW", "1").current_dir(&workspace.root))?;
    let test = ["test", "--locked", "--package", "windlass-tui", "--lib", "--", "draw::tests"];
    run(cargo().args(test).env("WINDLASS_TEST_RENEW", "1").current_dir(&workspace.root))
}

fn spelling(workspace: &Workspace) -> Result<(), Failure> {
    let mut command = Command::new(tools::typos(workspace)?);
    command.args(["--config", "docs/typos.toml", "--force-exclude"]);
    command.args(AT_ROOT.iter().map(|(file, _)| file)).arg("docs");
    run(command.current_dir(&workspace.root))
}

/// All pages below `docs/`, from the root, sorted.
pub fn pages(workspace: &Workspace) -> Result<Vec<PathBuf>, Failure> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard", "docs/*.md"]);
    let names = crate::program::output_of(git.current_dir(&workspace.root))?;
    let mut pages: Vec<PathBuf> = names.lines().map(PathBuf::from).collect();
    pages.retain(|page| workspace.root.join(page).is_file());
    pages.sort();
    Ok(pages)
}
