//! `cargo xtask first-hour`: what a stranger does first, where there is no Rust: install, demo, a run of their own.
//!
//! Each step is typed into a shell that has a new home and only the programs that Windlass asks for; it has to succeed, and to say
//! what it should. Nothing is fetched: the release is a folder of this machine.

mod place;
mod root;
mod steps;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::program::{Failure, succeeds};
use crate::release;
use crate::workspace::Workspace;

use place::{Place, Walls};
use steps::{STEPS, Step};

/// All of it together may take so long.
const LONGEST: Duration = Duration::from_mins(1);

const USAGE: &str =
    "usage: cargo xtask first-hour [--from DIR | --program FILE] [--within here|bwrap|podman|docker]…";

/// Which release is installed.
#[derive(Debug, PartialEq, Eq)]
enum Source {
    /// One is built as it is published.
    Built,
    /// This program is packed, whatever it was built with.
    Program(PathBuf),
    /// The files of a release in this folder.
    Files(PathBuf),
}

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    source: Source,
    within: Vec<Walls>,
}

impl Wanted {
    fn read(arguments: &[String]) -> Result<Wanted, Failure> {
        let usage = || Failure(USAGE.to_owned());
        let mut wanted = Wanted { source: Source::Built, within: Vec::new() };
        for pair in arguments.chunks(2) {
            match pair {
                [flag, value] if flag == "--from" => wanted.source = Source::Files(value.into()),
                [flag, value] if flag == "--program" => wanted.source = Source::Program(value.into()),
                [flag, value] if flag == "--within" => {
                    wanted.within.push(Walls::named(value).ok_or_else(usage)?);
                }
                _ => return Err(usage()),
            }
        }
        if wanted.within.is_empty() {
            wanted.within.push(Walls::Here);
        }
        Ok(wanted)
    }
}

/// The chore.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let wanted = Wanted::read(arguments)?;
    let scratch =
        tempfile::tempdir().map_err(|error| Failure(format!("a folder for the release: {error}")))?;
    let files = match &wanted.source {
        Source::Files(folder) => folder.clone(),
        Source::Program(program) => packed(workspace, program, scratch.path())?,
        Source::Built => {
            let into = scratch.path().join("files");
            release::run_chore(workspace, &["--into".to_owned(), into.display().to_string()])?;
            into
        }
    };
    let files = files.canonicalize().map_err(|error| Failure::at(&files, error))?;
    for walls in wanted.within {
        walk(&files, walls)?;
    }
    Ok(())
}

/// Packs a program without what only debuggers read: it would be most of the archive.
fn packed(workspace: &Workspace, program: &Path, scratch: &Path) -> Result<PathBuf, Failure> {
    let stripped = scratch.join("windlass");
    if !succeeds(Command::new("strip").arg("-o").arg(&stripped).arg(program)) {
        fs::copy(program, &stripped).map_err(|error| Failure::at(program, error))?;
    }
    let into = scratch.join("files");
    release::make_installable(workspace, &stripped, &into)?;
    Ok(into)
}

/// Takes the steps one after another, and says how long each took.
fn walk(files: &Path, walls: Walls) -> Result<(), Failure> {
    let place = Place::make(files, walls)?;
    println!("{}:", walls.about());
    let began = Instant::now();
    for step in &STEPS {
        let before = Instant::now();
        take(&place, step)?;
        println!("  {:<10} {:>5.1} s", step.name, before.elapsed().as_secs_f64());
    }
    let took = began.elapsed();
    println!("  {:<10} {:>5.1} s, of {} at most", "together", took.as_secs_f64(), LONGEST.as_secs());
    if took > LONGEST {
        return Err(Failure(format!(
            "the first hour takes {} s, and may take {}",
            took.as_secs(),
            LONGEST.as_secs()
        )));
    }
    Ok(())
}

fn take(place: &Place, step: &Step) -> Result<(), Failure> {
    let output =
        place.shell(step.script).output().map_err(|error| Failure(format!("{}: {error}", step.name)))?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    if !output.status.success() {
        return Err(Failure(format!("{}: {}\n{said}", step.name, output.status)));
    }
    match step.says.iter().find(|text| !said.contains(**text)) {
        Some(missing) => Err(Failure(format!("{} does not say `{missing}`:\n{said}", step.name))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_taken_or_refused() {
        let read = |line: &str| Wanted::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(read("").unwrap(), Wanted { source: Source::Built, within: vec![Walls::Here] });
        let all = read("--from out --within bwrap --within docker").unwrap();
        assert_eq!(all.source, Source::Files("out".into()));
        assert_eq!(all.within, [Walls::Bubblewrap, Walls::Engine("docker")]);
        for line in ["--from", "--within chroot", "windlass"] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
