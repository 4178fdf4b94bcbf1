//! `cargo xtask screens`: what a person sees, from a real browser and a real terminal: a chosen few for the documentation, all of it
//! below `target/screens`, to be looked at by eye.

pub mod browser;
pub mod stage;
mod terminal;

use std::fs;
use std::path::Path;

use crate::program::{Failure, cargo, run};
use crate::workspace::Workspace;
use stage::Stage;
use terminal::Terminal;

/// Screens of the documentation, by their names below `target/screens`.
const KEPT: [&str; 9] = [
    "page-night-390-light.png",
    "page-waits-390-dark.png",
    "page-goes-on-1280-light.png",
    "page-transcript-1280-dark.png",
    "page-tasks-1280-light.png",
    "report-1280-light.png",
    "terminal-waits-80x24.svg",
    "terminal-tasks-120x40.svg",
    "terminal-goes-on-60x16.svg",
];

/// The chore.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    if !arguments.is_empty() {
        return Err(Failure("usage: cargo xtask screens".to_owned()));
    }
    crate::browser::install(workspace)?;
    run(cargo()
        .args(["build", "--locked", "--quiet", "--package", "windlass"])
        .current_dir(&workspace.root))?;
    let program = workspace.target.join("debug/windlass");
    let folder = workspace.target.join("screens");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| Failure::at(&folder, error))?;
    }
    fs::create_dir_all(&folder).map_err(|error| Failure::at(&folder, error))?;
    let stage = Stage::set(&program)?;
    terminals(&stage, &folder)?;
    browser::pages(workspace, &stage, &folder)?;
    for name in KEPT {
        let (from, to) = (folder.join(name), workspace.root.join("docs/screens").join(name));
        fs::copy(&from, &to).map_err(|error| Failure::at(&from, error))?;
    }
    println!("all of them: {}", folder.display());
    Ok(())
}

/// A screen: its name, how the view is called, what is pressed then, and what stands there in the end.
type Shown<'a> = (&'a str, String, &'a [&'a str], &'a str);

fn terminals(stage: &Stage, folder: &Path) -> Result<(), Failure> {
    let shown: [Shown<'_>; 10] = [
        ("night", "--all".to_owned(), &[], "parser"),
        ("waits", stage.waits.clone(), &[], "MAX_ITERATIONS"),
        ("goes-on", stage.goes_on.clone(), &[], "RUNNING"),
        ("tasks", stage.tasks.clone(), &["t"], "TASK"),
        ("summary", stage.waits.clone(), &["[", "Enter"], "Summary"),
        ("transcript", stage.waits.clone(), &["Enter", "2"], "Transcript"),
        ("changes", stage.waits.clone(), &["Home", "Enter", "3"], "Changes"),
        ("gates", stage.waits.clone(), &["Enter", "4"], "Gates"),
        ("report", stage.tasks.clone(), &["r"], "right"),
        ("stop", stage.goes_on.clone(), &["S"], "stop"),
    ];
    for size in [(80, 24), (60, 16), (120, 40), (20, 5)] {
        for (name, arguments, keys, text) in &shown {
            let terminal = Terminal::open(stage, size, arguments, "")?;
            // Hardly anything fits into the smallest: its first row does.
            let is_tiny = size.0 < 60;
            terminal.once(if is_tiny { "" } else { "r-" })?;
            terminal.press(keys)?;
            let screen = terminal.once(if is_tiny { "" } else { text })?;
            keep(folder, &format!("terminal-{name}-{}x{}", size.0, size.1), &terminal, &screen)?;
        }
    }
    let terminal = Terminal::open(stage, (80, 24), &stage.waits, "NO_COLOR=1")?;
    let screen = terminal.once("MAX_ITERATIONS")?;
    keep(folder, "terminal-no-colour-80x24", &terminal, &screen)
}

fn keep(folder: &Path, name: &str, terminal: &Terminal, screen: &str) -> Result<(), Failure> {
    let path = folder.join(format!("{name}.svg"));
    fs::write(&path, terminal.picture(name, screen)).map_err(|error| Failure::at(&path, error))
}
