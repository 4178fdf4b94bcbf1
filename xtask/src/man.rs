//! `cargo xtask man`: the manual pages, made from the command line's own types.

use std::fs;
use std::path::{Path, PathBuf};

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
    let example = ["run", "--quiet", "--locked", "--package", "windlass", "--example", "man_pages", "--"];
    run(cargo().args(example).arg(folder).current_dir(&workspace.root))
}
