//! Some tests of what is built already, in other surroundings: with directories whose names have spaces, as an ordinary user, without bwrap.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Instant;

use super::surroundings::{Surroundings, give_away};
use crate::program::{Failure, bytes_of, cargo};
use crate::workspace::Workspace;

/// A test that starts Windlass hundreds of times and is the same everywhere.
const LEFT_OUT: &str = "refusals::bad_command_lines_are_refused_in_one_sentence";

/// What depends on paths, on who runs it, and on what is installed; by test program.
const TESTS: [(&str, &[&str]); 2] = [
    ("cli", &["install::", "demo::", "action::", "update::", "refusals::"]),
    ("loop", &["bad_places::", "workspaces::", "signals::"]),
];

/// Says of each how it ended.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    println!("some tests in 3 other surroundings, at the same time; it takes a minute");
    let programs = test_programs(workspace)?;
    let surroundings = [
        ("spaces", Surroundings::USUAL),
        ("user", Surroundings::USER),
        ("without-bwrap", Surroundings::WITHOUT_BWRAP),
    ];
    // Most of the time they wait: for a limit that the demo shows, for processes that have to end.
    let failed: Vec<&str> = thread::scope(|scope| {
        let tried = surroundings.map(|(name, surroundings)| {
            let programs = &programs;
            let try_it = move || {
                let began = Instant::now();
                report(name, try_out(workspace, surroundings, programs), began)
            };
            (name, scope.spawn(try_it))
        });
        tried
            .into_iter()
            .filter_map(|(name, tried)| (!tried.join().unwrap_or(false)).then_some(name))
            .collect()
    });
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure(format!("surroundings in which tests fail: {}", failed.join(", "))))
    }
}

/// Says how it went in one of them; `false` where a test failed.
fn report(name: &str, ended: Result<u64, Trouble>, began: Instant) -> bool {
    let seconds = began.elapsed().as_secs();
    match ended {
        Ok(passed) => println!("{name}: {passed} passed after {seconds} s"),
        Err(Trouble::CannotBeHad(why)) => println!("{name}: skipped, because {why}"),
        Err(Trouble::Failed(failure)) => {
            println!("{name}: FAILED after {seconds} s\n{failure}");
            return false;
        }
    }
    true
}

enum Trouble {
    CannotBeHad(Failure),
    Failed(Failure),
}

fn try_out(workspace: &Workspace, surroundings: Surroundings, programs: &[PathBuf]) -> Result<u64, Trouble> {
    surroundings.can_be_had().map_err(Trouble::CannotBeHad)?;
    let folder = tempfile::Builder::new().prefix("windlass with spaces ").tempdir();
    let folder = folder.map_err(|error| Trouble::Failed(Failure(format!("a folder: {error}"))))?;
    prepare(folder.path(), surroundings).map_err(Trouble::Failed)?;
    let around = |command: &Command| surroundings.around(command, folder.path()).map_err(Trouble::Failed);
    let mut passed = 0;
    for (program, (_, filters)) in programs.iter().zip(TESTS) {
        if bytes_of(&mut around(Command::new("test").arg("-x").arg(program))?).is_err() {
            let why = format!("an ordinary user cannot reach {}", program.display());
            return Err(Trouble::CannotBeHad(Failure(why)));
        }
        let mut command = Command::new(program);
        command.args(filters).args(["--skip", LEFT_OUT]).current_dir(workspace.root.join("crates/windlass"));
        command.env("TMPDIR", folder.path().join("tmp")).env_remove("WINDLASS_TEST_SANDBOX");
        passed += counted(&mut around(&command)?).map_err(Trouble::Failed)?;
    }
    Ok(passed)
}

fn prepare(folder: &Path, surroundings: Surroundings) -> Result<(), Failure> {
    let made = fs::create_dir(folder.join("tmp"));
    made.and_then(|()| fs::set_permissions(folder, fs::Permissions::from_mode(0o755)))
        .map_err(|error| Failure::at(folder, error))?;
    if surroundings.is_foreign() { give_away(folder) } else { Ok(()) }
}

/// How many tests passed; what all of them said where one did not.
fn counted(command: &mut Command) -> Result<u64, Failure> {
    let output = command.output().map_err(|error| Failure(format!("the tests: {error}")))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(Failure(format!("{said}{}", String::from_utf8_lossy(&output.stderr))));
    }
    let passed = said
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<u64>().ok());
    match passed.sum() {
        0 => Err(Failure("no test ran, and that is not a success".to_owned())),
        passed => Ok(passed),
    }
}

/// The test programs, built as the whole suite builds them: of the workspace, so that nothing is chosen otherwise.
fn test_programs(workspace: &Workspace) -> Result<Vec<PathBuf>, Failure> {
    let mut build = cargo();
    build.args(["test", "--quiet", "--workspace", "--locked", "--no-run", "--message-format", "json"]);
    build.args(TESTS.iter().flat_map(|(name, _)| ["--test", name]));
    let said = bytes_of(build.current_dir(&workspace.root))?;
    let said = String::from_utf8_lossy(&said);
    let artifacts: Vec<serde_json::Value> =
        said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let find = |name: &str| {
        let wanted =
            |one: &&serde_json::Value| one["target"]["name"] == name && one["target"]["kind"][0] == "test";
        let program = artifacts.iter().find(wanted).and_then(|one| one["executable"].as_str());
        program.map(PathBuf::from).ok_or_else(|| Failure(format!("cargo names no test program `{name}`")))
    };
    TESTS.iter().map(|(name, _)| find(name)).collect()
}
