//! `cargo xtask man`: the manual pages, made from the command line's own types.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, cargo, run};
use crate::workspace::Workspace;

/// The chore.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let folder = match arguments {
        [] => workspace.target.join("man"),
        [folder] => PathBuf::from(folder),
        _ => return Err(Failure("usage: cargo xtask man [DIR]".to_owned())),
    };
    write_pages(workspace, &folder)?;
    println!("{}", folder.display());
    Ok(())
}

/// Writes them into a folder, which is made.
pub fn write_pages(workspace: &Workspace, folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
    let folder = folder.canonicalize().map_err(|error| Failure::at(folder, error))?;
    // Of the whole workspace, as tests are built: of one package alone, other features would be chosen, and much built once more.
    let example = ["build", "--quiet", "--locked", "--workspace", "--example", "man_pages"];
    run(cargo().args(example).current_dir(&workspace.root))?;
    run(Command::new(workspace.target.join("debug/examples/man_pages")).arg(folder))
}
