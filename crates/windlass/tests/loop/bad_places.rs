//! Directories and repositories that are not as usual, and directories that are taken.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rustix::process::Signal;
use windlass_core::values::Verdict;
use windlass_testkit::TestEnv;

use super::night::{CLEARED, Night, PATIENCE, every_call, expect_end};

const WORK: &str = "{ bash = 'echo x >> work' }";

fn said(outcome: &windlass_testkit::Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

// rows: 80
#[test]
fn a_path_may_hold_spaces_newlines_and_emoji() {
    let env = TestEnv::with_project_named("a b\n'c' 🎉 $(x)").git_initialised();
    let night = Night::within(env, &every_call(WORK));
    expect_end(
        &night.run(&["-m", "2", "--commit", "runner", "--gate", "test -e work"]),
        10,
        "max_iterations",
    );
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "3");
    night.assert_clean();
}

// rows: 89
#[test]
fn without_git_everything_else_works() {
    let night = Night::new(&every_call(WORK));
    let bin = night.env.root().join("bin");
    fs::create_dir(&bin).unwrap();
    for program in ["sh", "cat", "sleep", "test", "tr", "seq"] {
        let place = ["/bin", "/usr/bin"]
            .map(|folder| Path::new(folder).join(program))
            .into_iter()
            .find(|path| path.exists());
        symlink(place.unwrap(), bin.join(program)).unwrap();
    }
    let outcome = night.env.run(night.run_command(&["-m", "2"]).env("PATH", &bin), PATIENCE);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Worked]);
    assert!(
        night.notices().iter().any(|text| text.contains("git is not installed")),
        "{:?}",
        night.notices()
    );
    // What needs git says so.
    let commits = night.env.run(night.run_command(&["--commit", "runner"]).env("PATH", &bin), PATIENCE);
    commits.expect_code(2, "--commit runner");
    assert!(said(&commits).contains("needs a git repository"));
}

#[test]
fn a_bare_repository_is_refused() {
    let night = Night::new(&every_call(WORK));
    night.env.git(&["init", "--quiet", "--bare", "."]);
    let outcome = night.run(&[]);
    outcome.expect_code(2, "a bare repository");
    assert!(said(&outcome).contains("is a bare repository"));
    assert!(night.folders().is_empty());
}

// rows: 78, 80
#[test]
fn a_repository_without_a_commit_gets_its_first() {
    let night = Night::new(&every_call(WORK));
    night.env.git(&["init", "--quiet"]);
    expect_end(&night.run(&["-m", "2", "--commit", "runner"]), 10, "max_iterations");
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "2");
}

// rows: 80
#[test]
fn a_detached_head_stays_detached_and_moves_on() {
    let night = Night::with_git(&every_call(WORK));
    night.env.git(&["checkout", "--quiet", "--detach"]);
    expect_end(&night.run(&["-m", "2", "--commit", "runner"]), 10, "max_iterations");
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "3");
    assert_eq!(night.env.git(&["rev-list", "--count", "main"]), "1");
    assert_eq!(night.env.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "HEAD");
}

#[test]
fn a_project_that_cannot_be_written_is_named_before_anything_is_paid_for() {
    let night = Night::with_git(&every_call(
        "{ write = { path = 'work', text = 'x' } }, { result = { text = 'I could not write.' } }",
    ));
    let project = night.env.project().to_owned();
    let outcome = if rustix::process::geteuid().is_root() {
        // Permissions do not hold root back; a read-only mount does.
        let run = night.run_command(&["-m", "1"]);
        let mut unshared = night.env.command("unshare");
        unshared.args(["--mount", "sh", "-c"]);
        unshared.arg("mount --bind \"$PWD\" \"$PWD\" && mount -o remount,bind,ro \"$PWD\" && cd \"$PWD\" && exec \"$@\"");
        unshared.arg("sh").arg(run.get_program()).args(run.get_args());
        night.env.run(&mut unshared, PATIENCE)
    } else {
        fs::set_permissions(&project, fs::Permissions::from_mode(0o555)).unwrap();
        let outcome = night.run(&["-m", "1"]);
        fs::set_permissions(&project, fs::Permissions::from_mode(0o755)).unwrap();
        outcome
    };
    outcome.expect_code(2, "nothing can be written");
    let (said, project) = (said(&outcome), project.display());
    assert!(said.contains(&format!("error: {project} cannot be written: ")), "{said}");
    assert_eq!(night.folders().len(), 0, "a run was begun: {said}");
}

#[test]
fn a_state_directory_that_cannot_be_made_is_said() {
    let night = Night::new(&every_call(WORK));
    let file = night.env.write(night.env.root().join("file"), "in the way");
    let outcome =
        night.env.run(night.run_command(&[]).env("WINDLASS_STATE_DIR", file.join("state")), PATIENCE);
    outcome.expect_code(1, "no state directory");
    let said = said(&outcome);
    assert!(said.contains("error: ") && said.contains("/file"), "{said}");
    assert!(!night.env.project().join("work").exists(), "something was done");
}

#[test]
fn a_second_run_in_the_same_directory_is_refused_and_told_who_is_there() {
    let night = Night::with_git(&every_call("{ write = { path = 'begun', text = 'x' } }, 'hang'"));
    let running = night.start(&[]);
    night.wait_for_file("begun");
    let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    for (profile, code) in [("simple", 1), ("detailed", 25)] {
        let second = night.run(&["--exit-codes", profile]);
        second.expect_code(code, "the second run");
        let said = said(&second);
        assert!(said.contains(&run) && said.contains(&format!("process {}", running.id())), "{said}");
    }
    assert_eq!(night.folders().len(), 1, "the refused run left something");
    // Killed, it does not hold the directory for longer than its keeper needs.
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    let third = night
        .env
        .run(night.run_command(&["-m", "1", "--fresh"]).env("WINDLASS_CLOCKS__SILENCE", "1s"), PATIENCE);
    third.expect_code(10, "after the kill");
    assert!(said(&third).contains("probably killed"), "{}", said(&third));
    night.env.assert_no_processes(CLEARED);
}

#[test]
fn windlass_inside_a_run_changes_nothing() {
    let inner = format!(
        "\"{}\" run -p x --mock --no-delay > inner 2>&1; echo $? >> inner",
        env!("CARGO_BIN_EXE_windlass")
    );
    let night = Night::new(&every_call(&format!("{{ bash = '''{inner}''' }}")));
    expect_end(&night.run(&["-m", "1", "--gate", &inner.replace("inner", "gate")]), 10, "max_iterations");
    for file in ["inner", "gate"] {
        let said = night.env.read(file);
        assert!(
            said.contains("refused: this was started by windlass itself") && said.ends_with("2\n"),
            "{said}"
        );
    }
    assert_eq!(night.folders().len(), 1);
}
