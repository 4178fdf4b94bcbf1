//! What a stranger does first, with this build of the program: `cargo xtask first-hour` itself is called.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stderr, reason = "a test that is left out says so")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn first_hour(program: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["first-hour", "--program"]).arg(program).args(more).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.output().unwrap()
}

/// The program beside this build of the chores. Building the whole workspace makes it.
fn windlass() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("windlass");
    assert!(program.is_file(), "{} is missing: cargo build --workspace --bin windlass", program.display());
    program
}

/// Where bwrap can lock a program in.
fn bubblewrap_works() -> bool {
    let tried = Command::new("bwrap").args(["--unshare-all", "--ro-bind", "/", "/", "true"]).output();
    let works = tried.is_ok_and(|output| output.status.success());
    let required = std::env::var_os("WINDLASS_TEST_SANDBOX").is_some_and(|value| value == "required");
    assert!(works || !required, "bwrap does not work here");
    works
}

// rows: 141
#[test]
fn without_rust_install_demo_and_a_first_run_take_less_than_a_minute() {
    let mut places = vec!["--within", "here"];
    if bubblewrap_works() {
        places.extend(["--within", "bwrap"]);
    } else {
        eprintln!("skipped: bwrap does not work here");
    }
    let output = first_hour(&windlass(), &places);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for step in ["install", "demo", "first run", "together"] {
        assert_eq!(
            said.lines().filter(|line| line.trim_start().starts_with(step)).count(),
            places.len() / 2,
            "{said}"
        );
    }
}

#[test]
fn a_program_that_shows_nothing_fails_it_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("windlass");
    let version = env!("CARGO_PKG_VERSION");
    fs::write(&program, format!("#!/bin/sh\n[ \"$1\" = --version ] && echo windlass {version}\nexit 0\n"))
        .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = first_hour(&program, &[]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("demo does not say `gate failed: sh test.sh`"), "{said}");
}
