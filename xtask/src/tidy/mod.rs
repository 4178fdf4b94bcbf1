//! `cargo xtask tidy`: the walls and habits that no compiler checks.

mod agents;
mod named;
mod orphans;
mod pages;
mod rooms;
mod sources;
mod trees;
mod verbs;
mod walls;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, output_of};
use crate::workspace::Workspace;

/// Something that should not be, at a line of a file, or of the file as a whole.
#[derive(Debug, PartialEq, Eq)]
struct Complaint {
    file: PathBuf,
    line: Option<usize>,
    problem: String,
}

impl Complaint {
    fn of(file: &Path, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, problem: problem.into() }
    }

    fn at(file: &Path, line: usize, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: Some(line), problem: problem.into() }
    }
}

/// Says everything it finds, then fails.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut complaints = Vec::new();
    let mut project = named::Project::default();
    let mut sources = orphans::Sources::new();
    for file in workspace.rust_files()? {
        let text = workspace.read(&file)?;
        project.add_items(&text);
        complaints.extend(sources::check_rust(&file, &text));
        complaints.extend(trees::check(&file, &text));
        complaints.extend(agents::check(&file, &text));
        complaints.extend(rooms::check(&file, &text));
        complaints.extend(verbs::check(&file, &text));
        sources.insert(file, text);
    }
    let files = text_files(workspace)?;
    for file in &files {
        project.add_file(file);
        if let Ok(text) = workspace.read(file) {
            complaints.extend(sources::check_text(file, &text));
        }
    }
    complaints.extend(orphans::check(&sources, &workspace.crate_roots(&files)?));
    for folder in workspace.crates()? {
        complaints.extend(walls::check(workspace, &folder)?);
    }
    complaints.extend(pages::check(workspace)?);
    for page in named::PAGES.iter().map(Path::new) {
        complaints.extend(project.check(page, &workspace.read(page)?));
    }
    if complaints.is_empty() {
        println!("tidy: {} Rust files", sources.len());
        return Ok(());
    }
    for complaint in &complaints {
        let line = complaint.line.map(|line| format!(":{line}")).unwrap_or_default();
        eprintln!("{}{line}: {}", complaint.file.display(), complaint.problem);
    }
    Err(Failure(format!("{} untidy places", complaints.len())))
}

/// What git knows or would add, below the root.
fn text_files(workspace: &Workspace) -> Result<Vec<PathBuf>, Failure> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(&workspace.root);
    let names = output_of(&mut git)?;
    let existing = names.split('\0').map(PathBuf::from).filter(|file| workspace.root.join(file).is_file());
    Ok(existing.collect())
}

#[cfg(test)]
mod tests;
