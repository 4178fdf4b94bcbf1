//! With the real git, and what guests put into its directory.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::testing::Scratch;

fn at(scratch: &Scratch, below: &str) -> PathBuf {
    scratch.top.join(".git").join(below)
}

fn put_back(steering: &mut Steering, scratch: &Scratch) -> Vec<PathBuf> {
    let manner = Manner { aside: &scratch.state.join("aside"), persons_since: None };
    steering.put_back(manner).unwrap().into_iter().map(|put| put.path).collect()
}

#[test]
fn what_steers_is_put_back_and_what_ordinary_work_changes_is_not() {
    let scratch = Scratch::committed();
    let repository = scratch.found();
    let mut steering = Steering::keep(&repository.folders(), Strictness::Everything);
    let config = fs::read(at(&scratch, "config")).unwrap();
    assert_eq!(put_back(&mut steering, &scratch), Vec::<PathBuf>::new());
    let outside = scratch.top.join("outside");
    fs::write(&outside, "mine").unwrap();
    fs::write(at(&scratch, "config"), "[core]\n\tfsmonitor = x\n").unwrap();
    fs::write(at(&scratch, "commondir"), "..").unwrap();
    fs::create_dir_all(at(&scratch, "hooks")).unwrap();
    fs::write(at(&scratch, "hooks/pre-commit"), "x").unwrap();
    fs::remove_dir_all(at(&scratch, "info")).unwrap();
    symlink(&scratch.top, at(&scratch, "info")).unwrap();
    fs::write(scratch.top.join("attributes"), "stays").unwrap();
    let head = fs::read(at(&scratch, "HEAD")).unwrap();
    fs::remove_file(at(&scratch, "HEAD")).unwrap();
    symlink(&outside, at(&scratch, "HEAD")).unwrap();
    let changed = put_back(&mut steering, &scratch);
    assert!(changed.len() >= 5, "{changed:?}");
    assert_eq!(fs::read(at(&scratch, "config")).unwrap(), config);
    assert_eq!(fs::read(at(&scratch, "HEAD")).unwrap(), head);
    assert!(!at(&scratch, "commondir").exists() && !at(&scratch, "hooks/pre-commit").exists());
    assert!(at(&scratch, "info").is_dir() && !at(&scratch, "info").is_symlink());
    assert_eq!(fs::read_to_string(scratch.top.join("attributes")).unwrap(), "stays");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
    // A commit later nothing is amiss.
    scratch.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
    assert_eq!(put_back(&mut steering, &scratch), Vec::<PathBuf>::new());
}

#[test]
fn another_git_directory_is_none_to_run_git_on() {
    let scratch = Scratch::committed();
    let mut steering = Steering::keep(&scratch.found().folders(), Strictness::Everything);
    fs::rename(scratch.top.join(".git"), scratch.top.join("elsewhere")).unwrap();
    symlink(scratch.top.join("elsewhere"), scratch.top.join(".git")).unwrap();
    let manner = Manner { aside: &scratch.state, persons_since: None };
    assert!(matches!(steering.put_back(manner), Err(SteeringError::Replaced(_))));
}

#[test]
fn the_way_to_a_git_directory_that_lies_elsewhere_is_put_back() {
    for is_link in [false, true] {
        let scratch = Scratch::committed();
        let (entrance, elsewhere) = (scratch.top.join(".git"), scratch.state.join("git"));
        fs::rename(&entrance, &elsewhere).unwrap();
        if is_link {
            symlink(&elsewhere, &entrance).unwrap();
        } else {
            fs::write(&entrance, format!("gitdir: {}\n", elsewhere.display())).unwrap();
        }
        for strictness in [Strictness::WhatSteers, Strictness::Everything] {
            let mut steering = Steering::keep(&scratch.found().folders(), strictness);
            fs::remove_file(&entrance).unwrap();
            assert_eq!(put_back(&mut steering, &scratch), [entrance.as_path()]);
            assert_eq!(entrance.is_symlink(), is_link);
            assert_eq!(scratch.git(&["log", "--format=%s"]), "first\n");
        }
    }
}

#[test]
fn without_walls_only_what_starts_programs_is_put_back() {
    let scratch = Scratch::committed();
    let mut steering = Steering::keep(&scratch.found().folders(), Strictness::WhatSteers);
    scratch.git(&["config", "remote.origin.url", "x"]);
    assert_eq!(put_back(&mut steering, &scratch), Vec::<PathBuf>::new());
    fs::write(at(&scratch, "config.worktree"), "[remote \"other\"]\n\turl = y\n").unwrap();
    fs::write(at(&scratch, "shallow"), "").unwrap();
    assert_eq!(put_back(&mut steering, &scratch), Vec::<PathBuf>::new(), "what is new and starts nothing");
    scratch.git(&["config", "core.sshCommand", "x"]);
    fs::write(at(&scratch, "objects/info/alternates"), "/elsewhere\n").unwrap();
    let changed = put_back(&mut steering, &scratch);
    assert_eq!(changed, [at(&scratch, "config"), at(&scratch, "objects/info/alternates")]);
    assert_eq!(put_back(&mut steering, &scratch), Vec::<PathBuf>::new());
}

#[test]
fn what_is_put_back_is_kept_aside_and_what_a_person_changed_since_stays() {
    let scratch = Scratch::committed();
    let mut steering = Steering::keep(&scratch.found().folders(), Strictness::WhatSteers);
    let aside = scratch.state.join("aside");
    scratch.git(&["config", "remote.origin.url", "x"]);
    scratch.git(&["config", "alias.st", "status"]);
    let theirs = fs::read(at(&scratch, "config")).unwrap();
    let manner = Manner { aside: &aside, persons_since: Some(SystemTime::UNIX_EPOCH) };
    assert_eq!(steering.put_back(manner).unwrap(), []);
    let manner = Manner { persons_since: None, ..manner };
    let changed = steering.put_back(manner).unwrap();
    assert_eq!(fs::read(changed[0].aside.as_ref().unwrap()).unwrap(), theirs);
    assert_ne!(fs::read(at(&scratch, "config")).unwrap(), theirs);
}
