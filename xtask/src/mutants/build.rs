//! A copy of the tree with all mutants in it, built once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::listing::Mutant;
use super::subject::{Subject, Tests};
use super::weave::weave;
use crate::program::{Failure, cargo, line_of, output_of};
use crate::workspace::Workspace;

/// The file below the copy's root that names the mutant.
pub const WHICH_FILE: &str = "which-mutant";

/// What the copy's crates know besides: which mutant is wanted.
const WHICH: &str = include_str!("which.rs");

/// The tests with all mutants in them.
pub struct Built {
    /// The program that has the first package's.
    pub program: PathBuf,
    /// The copy of the tree.
    pub tree: PathBuf,
    /// Where it is built.
    pub target: PathBuf,
    /// Where that package is.
    pub folder: PathBuf,
    /// The numbers of the mutants that are not Rust.
    pub wrong: BTreeSet<usize>,
    /// Those that could not be woven into it.
    pub left: BTreeSet<usize>,
}

/// Builds them: once more without those that the compiler refuses, until it refuses none. Mutants are numbered from 1. Which it refuses is
/// kept for the next go over the same ones of the same code (`key`): what is as it was is not built anew.
pub fn build(
    workspace: &Workspace,
    subject: &Subject,
    mutants: &[Mutant],
    (output, key): (&Path, &str),
) -> Result<Built, Failure> {
    let (tree, target) = (output.join("tree"), output.join("build"));
    copy(workspace, subject, mutants, &tree)?;
    let refused = output.join(format!("wrong-{key}.txt"));
    let text = fs::read_to_string(&refused).unwrap_or_default();
    let mut wrong: BTreeSet<usize> = text.lines().filter_map(|line| line.parse().ok()).collect();
    loop {
        let arms = write(workspace, subject, &tree, mutants, &wrong)?;
        let woven: BTreeSet<usize> = arms.values().flatten().map(|(number, _)| *number).collect();
        match compile(subject, &tree, &target)? {
            Compiled::Program(program) => {
                let known = |number: &usize| !woven.contains(number) && !wrong.contains(number);
                let left = (1..=mutants.len()).filter(known).collect();
                let lines: Vec<String> = wrong.iter().map(usize::to_string).collect();
                fs::write(&refused, lines.join("\n")).map_err(|error| Failure::at(&refused, error))?;
                let folder = tree.join("crates").join(subject.packages[0]);
                return Ok(Built { program, tree, target, folder, wrong, left });
            }
            Compiled::Refused(places) => {
                let before = wrong.len();
                for (file, line) in &places {
                    let of_file = arms.get(file).into_iter().flatten();
                    wrong
                        .extend(of_file.filter(|(_, lines)| lines.contains(line)).map(|(number, _)| *number));
                }
                eprintln!("     {} of {} do not compile", wrong.len(), mutants.len());
                if wrong.len() == before {
                    return Err(Failure(format!("{}: no mutant is to blame: {places:?}", tree.display())));
                }
            }
        }
    }
}

/// Copies what belongs to the project, but for what will be written with its mutants. Files that are as they were keep their times, so that
/// little is built anew.
fn copy(workspace: &Workspace, subject: &Subject, mutants: &[Mutant], tree: &Path) -> Result<(), Failure> {
    let mut written: BTreeSet<String> = mutants.iter().map(|mutant| mutant.file.clone()).collect();
    written.extend(subject.packages.iter().map(|package| root_of(package)));
    let mut command = Command::new("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    for path in output_of(command.current_dir(&workspace.root))?.split('\0').filter(|path| !path.is_empty()) {
        let from = workspace.root.join(path);
        if from.is_file() && !written.contains(path) {
            put(&tree.join(path), &fs::read(&from).map_err(|error| Failure::at(&from, error))?)?;
        }
    }
    Ok(())
}

fn root_of(package: &str) -> String {
    format!("crates/{package}/src/lib.rs")
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
    fs::write(path, bytes).map_err(|error| Failure::at(path, error))
}

type Arms = BTreeMap<String, Vec<(usize, std::ops::Range<usize>)>>;

/// Writes the files with their mutants; says where each of them stands.
fn write(
    workspace: &Workspace,
    subject: &Subject,
    tree: &Path,
    mutants: &[Mutant],
    wrong: &BTreeSet<usize>,
) -> Result<Arms, Failure> {
    let mut files: BTreeMap<&str, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in (1..).zip(mutants) {
        // A file of which all mutants are wrong is written, too: as it is.
        let of_file = files.entry(&mutant.file).or_default();
        of_file.extend((!wrong.contains(&number)).then_some((number, mutant)));
    }
    let mut arms = Arms::new();
    for (file, mutants) in files {
        let woven = weave(&workspace.read(file)?, &mutants);
        put(&tree.join(file), woven.text.as_bytes())?;
        arms.insert(file.to_owned(), woven.arms);
    }
    for package in subject.packages {
        let root = root_of(package);
        // Mutants of it are woven already.
        let from = if arms.contains_key(&root) { tree.join(&root) } else { workspace.root.join(&root) };
        let plain = fs::read_to_string(&from).map_err(|error| Failure::at(&from, error))?;
        put(&tree.join(&root), format!("{plain}\nmod which;\n").as_bytes())?;
        put(&tree.join(&root).with_file_name("which.rs"), WHICH.as_bytes())?;
    }
    Ok(arms)
}

enum Compiled {
    /// The tests.
    Program(PathBuf),
    /// Where the compiler found errors: files below the root, and lines.
    Refused(BTreeSet<(String, usize)>),
}

/// Cargo, as the copy is built with it.
pub fn cargo_in(tree: &Path, target: &Path) -> Command {
    let mut command = cargo();
    command.current_dir(tree).env("CARGO_TARGET_DIR", target).env("CARGO_PROFILE_DEV_DEBUG", "none");
    command.env("RUSTFLAGS", "--cap-lints=allow");
    command
}

fn compile(subject: &Subject, tree: &Path, target: &Path) -> Result<Compiled, Failure> {
    let mut command = cargo_in(tree, target);
    command.args(["test", "--locked", "--no-run"]);
    // The same packages as are tested, so that they are built once.
    match subject.tests {
        Tests::Computing(_) => command.args(["--lib", "--package", subject.packages[0]]),
        Tests::Apart { packages, .. } => {
            command.args(packages.iter().flat_map(|package| ["--package", package]))
        }
    };
    command.args(["--message-format", "json"]).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| Failure(format!("{}: {error}", line_of(&command))))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = || text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let tests = |message: &Value| {
        let is_subject = message["target"]["name"] == subject.packages[0].replace('-', "_");
        message["executable"].as_str().filter(|_| is_subject).map(PathBuf::from)
    };
    if let Some(program) = messages().find_map(|message| tests(&message)).filter(|_| output.status.success())
    {
        return Ok(Compiled::Program(program));
    }
    let mut places = BTreeSet::new();
    for message in messages().filter(|message| message["message"]["level"] == "error") {
        for span in message["message"]["spans"].as_array().into_iter().flatten() {
            collect_places(span, &mut places);
        }
    }
    if places.is_empty() {
        return Err(Failure(format!("`{}` failed ({})", line_of(&command), output.status)));
    }
    Ok(Compiled::Refused(places))
}

/// Where an error is; in a macro, where that was called.
fn collect_places(span: &Value, places: &mut BTreeSet<(String, usize)>) {
    if let (Some(file), Some(line)) = (span["file_name"].as_str(), span["line_start"].as_u64())
        && span["is_primary"] == true
    {
        places.insert((file.to_owned(), usize::try_from(line).unwrap_or(0)));
    }
    if let Some(outer) = span["expansion"]["span"].as_object() {
        let mut outer = Value::from(outer.clone());
        outer["is_primary"] = span["is_primary"].clone();
        collect_places(&outer, places);
    }
}
