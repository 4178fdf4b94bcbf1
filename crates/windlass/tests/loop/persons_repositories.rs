//! Repositories as people have them: with links that their tools have made, and with lists that are nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use windlass_core::fact::Fact;
use windlass_testkit::Outcome;

use super::night::{Night, PATIENCE, every_call, expect_end};
use super::tasks;

const WORK: &str = "{ bash = 'echo w > w' }";

fn said(outcome: &Outcome) -> String {
    (outcome.stdout_text() + &outcome.stderr_text()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Moves what the git directory has under this name elsewhere, and links it.
fn link(night: &Night, elsewhere: &Path, name: &str) {
    let (from, to) = (night.env.project().join(".git").join(name), elsewhere.join(name));
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    if from.exists() {
        fs::rename(&from, &to).unwrap();
    }
    symlink(&to, &from).unwrap();
}

// attack(endings): a git directory with the links of `repo`, of git-new-workdir, or of a person who is short of room: objects, packs,
//   references, logs, lists that are not there yet
// holds: they are followed as they were; nothing is damage, work is committed, and a restore leaves the links
#[test]
fn links_that_a_git_directory_had_are_followed() {
    for links in [
        &["objects"][..],
        &["objects/pack"],
        &["config", "refs", "logs/refs", "objects", "info", "hooks", "packed-refs"],
        &["config", "description", "hooks", "info", "logs", "objects", "packed-refs", "refs", "shallow"],
    ] {
        let night = Night::with_git(&every_call(WORK));
        night.env.git(&["gc", "--quiet"]);
        let before = night.env.git(&["rev-parse", "HEAD"]);
        let elsewhere = night.env.root().join("elsewhere");
        for name in links {
            link(&night, &elsewhere, name);
        }
        let outcome = night.run(&["-m", "1", "--commit", "runner"]);
        expect_end(&outcome, 10, "max_iterations");
        assert!(
            !night.facts().iter().any(|fact| matches!(fact, Fact::Damaged(_))),
            "{links:?}: {}",
            said(&outcome)
        );
        assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "w", "{links:?}");
        let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
        let restore = ["restore", &run, "1", "--before", "--repository"];
        night.env.run(&mut night.windlass(&restore), PATIENCE).expect_code(0, "restore");
        assert_eq!(night.env.git(&["rev-parse", "HEAD"]), before, "{links:?}");
        night.env.git(&["fsck", "--strict"]);
        for name in links {
            assert!(night.env.project().join(".git").join(name).is_symlink(), "{links:?}: {name}");
        }
    }
}

#[test]
fn lanes_borrow_objects_that_are_linked() {
    let night = tasks::night(&[(1, &[]), (2, &[])], tasks::HONEST);
    link(&night, &night.env.root().join("elsewhere"), "objects");
    tasks::run(&night, &["-j", "2", "--gate", "true"]).expect_code(0, "run");
    assert_eq!(tasks::subjects(&night).len(), 2);
    night.env.git(&["fsck", "--strict"]);
}

// attack(endings): a git directory has a link to a device from the start
// holds: `doctor` says so, and the run is refused before anybody is paid
#[test]
fn what_git_cannot_be_run_with_is_said_before_anybody_is_paid() {
    let night = Night::with_git(&every_call(WORK));
    let exclude = night.env.project().join(".git/info/exclude");
    fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&exclude);
    symlink("/dev/zero", &exclude).unwrap();
    let outcome = night.run(&["-m", "1", "--commit", "runner"]);
    outcome.expect_code(2, "run");
    assert!(
        said(&outcome).contains("git cannot be used here") && night.folders().is_empty(),
        "{}",
        said(&outcome)
    );
    let doctor = night.env.run(&mut night.windlass(&["doctor"]), PATIENCE);
    assert!(said(&doctor).contains("git cannot be used here"), "{}", said(&doctor));
}

// attack(endings): a person has `.git/info/exclude` lead to /dev/null, and names /dev/null as the list of what is ignored
// holds: both are empty lists, and neither is damage, with lanes and without
#[test]
fn a_list_that_leads_to_nothing_is_an_empty_one() {
    let empty = |night: &Night| {
        for name in ["exclude", "attributes"] {
            let list = night.env.project().join(".git/info").join(name);
            fs::create_dir_all(list.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&list);
            symlink("/dev/null", &list).unwrap();
        }
        night.env.git(&["config", "core.excludesFile", "/dev/null"]);
        night.env.git(&["config", "core.attributesFile", "/dev/null"]);
    };
    let night = Night::with_git(&every_call(WORK));
    empty(&night);
    expect_end(&night.run(&["-m", "1", "--commit", "runner"]), 10, "max_iterations");
    assert!(!night.facts().iter().any(|fact| matches!(fact, Fact::Damaged(_))));
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "w");
    let night = tasks::night(&[(1, &[]), (2, &[])], tasks::HONEST);
    empty(&night);
    tasks::run(&night, &["-j", "2", "--gate", "true"]).expect_code(0, "lanes");
}
