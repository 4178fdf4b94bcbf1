//! `cargo xtask evidence`: what the tests of the loop and of the real agent made Windlass say and leave, compared with what an
//! earlier version of it said and left (`docs/evidence.md`).

mod compare;
mod normal;
mod record;

use std::fs;
use std::path::{Path, PathBuf};

use windlass_testkit::evidence::FOLDER;

use crate::agents;
use crate::nats;
use crate::program::{Failure, cargo, run};
use crate::workspace::Workspace;
use compare::Comparison;
use record::Record;

/// Tests that kill the runner at every write of its journal leave another thing each time, and compare it themselves.
const STEADY: &str = "not test(/(^|::)(kills|queue_kills)::|at_any_write|anywhere_in/)";

/// When more tests differ, all are run again.
const MOST_NAMED: usize = 100;

/// The chore, with its arguments as typed.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--keep", folder] => keep(workspace, Path::new(folder)),
        ["--compare", folder] => compare(workspace, Path::new(folder), &[]),
        ["--compare", folder, "--", filters @ ..] => compare(workspace, Path::new(folder), filters),
        ["--compare", folder, "--with", now] => {
            Comparison::of(&KeptRuns::read(Path::new(folder))?.pair(), &Record::read(Path::new(now))?)
                .report()
        }
        _ => Err(Failure(
            "usage: cargo xtask evidence --keep DIR | --compare DIR [--with DIR] [-- FILTER…]".to_owned(),
        )),
    }
}

/// Two runs of the same program: what differs between them is not evidence.
struct KeptRuns(Record, Record);

impl KeptRuns {
    fn read(folder: &Path) -> Result<KeptRuns, Failure> {
        Ok(KeptRuns(Record::read(&folder.join("1"))?, Record::read(&folder.join("2"))?))
    }

    fn pair(&self) -> [&Record; 2] {
        [&self.0, &self.1]
    }
}

fn keep(workspace: &Workspace, folder: &Path) -> Result<(), Failure> {
    for name in ["1", "2"] {
        run_tests(workspace, &folder.join(name), STEADY, &[])?;
    }
    let kept = KeptRuns::read(folder)?;
    Comparison::of(&kept.pair(), &kept.0).report()
}

fn compare(workspace: &Workspace, folder: &Path, filters: &[&str]) -> Result<(), Failure> {
    let mut kept = KeptRuns::read(folder)?;
    let [first, second] = ["1", "2"].map(|name| workspace.target.join("evidence").join(name));
    run_tests(workspace, &first, STEADY, filters)?;
    let now = Record::read(&first)?;
    if !filters.is_empty() {
        kept.0.tests.retain(|test, _| now.tests.contains_key(test));
    }
    let mut comparison = Comparison::of(&kept.pair(), &now);
    let tests = comparison.differing_tests();
    if !tests.is_empty() {
        println!("{} tests left something else. Once more, since a busy machine may be why.", tests.len());
        let named: Vec<String> = tests.iter().map(|test| format!("test(={test})")).collect();
        let again = if named.len() > MOST_NAMED { STEADY.to_owned() } else { named.join(" or ") };
        run_tests(workspace, &second, &again, &[])?;
        comparison.differences_too(&Comparison::of(&kept.pair(), &Record::read(&second)?));
    }
    comparison.report()
}

/// Runs tests that keep what they leave in `folder`. Those that fail have said so: what they leave is compared all the same.
fn run_tests(workspace: &Workspace, folder: &Path, chosen: &str, filters: &[&str]) -> Result<(), Failure> {
    agents::install(workspace)?;
    nats::install(workspace)?;
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
    }
    fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
    let folder: PathBuf = folder.canonicalize().map_err(|error| Failure::at(folder, error))?;
    let mut command = cargo();
    command.args(["nextest", "run", "--locked", "--no-fail-fast", "--package", "windlass"]);
    command.args(["--test", "loop", "--test", "real", "--filterset", chosen]).args(filters);
    if let Err(failure) = run(command.env(FOLDER, &folder).current_dir(&workspace.root)) {
        eprintln!("{failure}");
    }
    Ok(())
}
