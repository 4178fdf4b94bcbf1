//! The site: the pages in one folder, their links bent to where things are there, and the help of all verbs as a page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::docs::page::{Page, relative};
use crate::docs::{AT_ROOT, pages, tools};
use crate::program::{Failure, cargo, output_of, run};
use crate::workspace::Workspace;

/// Below this heading of the summary the page with all verbs is put in.
const REFERENCE: &str = "# Reference\n";

/// Builds it below the target directory, and answers where.
pub fn build(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let (source, built) = (workspace.target.join("site-source"), workspace.target.join("site"));
    for folder in [&source, &built] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
        }
    }
    write(&source.join("book.toml"), workspace.read("docs/book.toml")?.as_bytes())?;
    let folder = source.join("src");
    for page in AT_ROOT.iter().map(|(file, _)| PathBuf::from(file)).chain(pages(workspace)?) {
        put(workspace, &page, &folder)?;
    }
    write(&folder.join("commands.md"), commands(workspace)?.as_bytes())?;
    run(Command::new(tools::mdbook(workspace)?).arg("build").arg(&source).arg("--dest-dir").arg(&built))?;
    Ok(built)
}

/// Where a file of the project is in the site.
fn place(file: &Path) -> PathBuf {
    if file == Path::new("docs/SUMMARY.md") {
        return PathBuf::from("SUMMARY.md");
    }
    let at_root =
        AT_ROOT.iter().find(|(name, _)| file == Path::new(name)).map(|(_, page)| PathBuf::from(page));
    at_root.unwrap_or_else(|| file.strip_prefix("docs").unwrap_or(file).to_owned())
}

/// Writes a page, and what it shows or leads to and is not a page.
fn put(workspace: &Workspace, page: &Path, folder: &Path) -> Result<(), Failure> {
    let mut text = workspace.read(page)?;
    let here = place(page);
    for link in Page::read(&text).links.iter().rev() {
        let Some((target, anchor)) = link.target(page) else { continue };
        if target.extension().is_none_or(|extension| extension != "md") {
            let content =
                fs::read(workspace.root.join(&target)).map_err(|error| Failure::at(&target, error))?;
            write(&folder.join(place(&target)), &content)?;
        }
        // The summary is at the side of each page of the site, and none itself.
        let there = if target.ends_with("SUMMARY.md") { PathBuf::from("README.md") } else { place(&target) };
        let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
        let old = &text[link.range.clone()];
        let new = old.replace(&format!("]({})", link.to), &format!("]({}{anchor})", relative(&here, &there)));
        text.replace_range(link.range.clone(), &new);
    }
    if here == Path::new("SUMMARY.md") {
        text = text.replace(REFERENCE, &format!("{REFERENCE}\n- [Commands](commands.md)"));
    }
    write(&folder.join(here), text.as_bytes())
}

/// The help of every verb.
fn commands(workspace: &Workspace) -> Result<String, Failure> {
    let example = ["run", "--quiet", "--locked", "--package", "windlass", "--example", "command_page"];
    output_of(cargo().args(example).current_dir(&workspace.root))
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
    }
    fs::write(path, content).map_err(|error| Failure::at(path, error))
}
