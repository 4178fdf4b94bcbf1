use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::Yard;
use crate::git::ObjectFormat;
use crate::lane::{Lane, LaneError};
use crate::testing::Scratch;

/// Everything in a folder with its content, sorted.
fn everything(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_lane_has_the_commits_files_and_changes_nothing_in_the_main_repository() {
    let yard = Yard::new();
    yard.scratch.write("dirty", "a person's, not committed");
    let before = everything(&yard.scratch.top);
    let worker = yard.open(1);
    assert_eq!((worker.read("a.txt"), worker.read("src/b.txt")), ("one\n".into(), "two\n".into()));
    assert!(!worker.has("dirty"));
    assert_eq!(worker.git(&yard, &["status", "--porcelain"]), "");
    assert_eq!(worker.git(&yard, &["log", "--format=%s"]), "first\n");
    worker.write("new", "x");
    worker.git(&yard, &["add", "-A"]);
    worker.git(&yard, &["commit", "-q", "-m", "the agent's own"]);
    worker.git(&yard, &["gc", "-q", "--prune=now"]);
    yard.commit(&worker);
    assert!(everything(&yard.scratch.top) == before, "the main repository changed");
}

#[test]
fn what_an_agent_left_goes_and_what_git_ignores_stays() {
    let yard = Yard::new();
    yard.person(".gitignore", "cache/\n*.log\n");
    let worker = yard.open(1);
    worker.write("cache/object", "built");
    worker.write("a.txt", "changed");
    worker.remove("src/b.txt");
    worker.write("new/deep/file", "x");
    worker.git(&yard, &["init", "-q", "inside"]);
    worker.git(&yard, &["checkout", "-q", "-b", "elsewhere"]);
    let worker = yard.open(1);
    assert_eq!((worker.read("a.txt"), worker.read("src/b.txt")), ("one\n".into(), "two\n".into()));
    assert_eq!(worker.read("cache/object"), "built");
    assert!(!worker.has("new") && !worker.has("inside"));
    assert_eq!(worker.git(&yard, &["status", "--porcelain"]), "");
    assert_eq!(
        worker.git(&yard, &["branch", "--format=%(refname)"]).lines().count(),
        1,
        "only a detached HEAD"
    );
}

/// Given a lane's folder and its working tree.
type Damage = fn(&Path, &Path);

/// What a git that was ended may leave.
const LOCKS: [&str; 5] =
    ["HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock", "refs/heads/windlass.lock"];

/// Ways in which a lane can be broken.
fn breakages() -> Vec<(&'static str, Damage)> {
    vec![
        ("the agent's repository is gone", |_, top| fs::remove_dir_all(top.join(".git")).unwrap()),
        ("it is half gone", |_, top| fs::remove_dir_all(top.join(".git/objects")).unwrap()),
        ("it is a link to another one", |home, top| {
            fs::remove_dir_all(top.join(".git")).unwrap();
            symlink(home, top.join(".git")).unwrap();
        }),
        ("it is locked", |_, top| fs::write(top.join(".git/index.lock"), "").unwrap()),
        ("its index is damaged", |_, top| fs::write(top.join(".git/index"), "x").unwrap()),
        ("our index is damaged", |home, _| fs::write(home.join("lane.git/index"), "x").unwrap()),
        ("our index is locked", |home, _| fs::write(home.join("lane.git/index.lock"), "").unwrap()),
        ("its references and settings are locked", |_, top| {
            for lock in LOCKS {
                let lock = top.join(".git").join(lock);
                fs::create_dir_all(lock.parent().unwrap()).unwrap();
                fs::write(lock, "").unwrap();
            }
        }),
        ("our references and settings are locked", |home, _| {
            for lock in LOCKS.into_iter().chain(["refs/windlass/handed-over.lock"]) {
                let lock = home.join("lane.git").join(lock);
                fs::create_dir_all(lock.parent().unwrap()).unwrap();
                fs::write(lock, "").unwrap();
            }
        }),
        ("our repository is half made", |home, _| {
            fs::remove_file(home.join("lane.git/HEAD")).unwrap();
            fs::remove_dir_all(home.join("lane.git/objects")).unwrap();
        }),
        ("our repository is a file", |home, _| {
            fs::remove_dir_all(home.join("lane.git")).unwrap();
            fs::write(home.join("lane.git"), "x").unwrap();
        }),
        ("the working tree is gone", |_, top| fs::remove_dir_all(top).unwrap()),
        ("the working tree is a link", |home, top| {
            fs::remove_dir_all(top).unwrap();
            symlink(home, top).unwrap();
        }),
        ("all of it is gone", |home, _| fs::remove_dir_all(home).unwrap()),
        ("a folder lets nobody in", |_, top| {
            fs::create_dir_all(top.join("shut/inner")).unwrap();
            fs::write(top.join("shut/inner/file"), "x").unwrap();
            fs::set_permissions(top.join("shut"), fs::Permissions::from_mode(0o000)).unwrap();
        }),
    ]
}

#[test]
fn a_broken_lane_is_made_again() {
    for (what, damage) in breakages() {
        let yard = Yard::new();
        let worker = yard.open(1);
        damage(&worker.home, worker.lane.top());
        let worker = yard.open(1);
        assert_eq!(worker.read("a.txt"), "one\n", "{what}");
        assert_eq!(worker.git(&yard, &["status", "--porcelain"]), "", "{what}");
        worker.write("a.txt", "changed\n");
        yard.commit(&worker);
    }
}

#[test]
fn a_lane_is_found_as_it_was_left() {
    let yard = Yard::new();
    let home = yard.home(1);
    assert!(Lane::find(&yard.main(), &home).unwrap().is_none());
    let worker = yard.open(1);
    worker.write("a.txt", "half done\n");
    fs::remove_dir_all(worker.lane.top().join(".git")).unwrap();
    let lane = Lane::find(&yard.main(), &home).unwrap().unwrap();
    assert_eq!(fs::read_to_string(lane.top().join("a.txt")).unwrap(), "half done\n");
    assert_eq!(worker.git(&yard, &["status", "--porcelain"]), " M a.txt\n");
    fs::remove_dir_all(home.join("lane.git/objects")).unwrap();
    assert!(Lane::find(&yard.main(), &home).unwrap().is_some(), "all it needs is borrowed");
    fs::write(home.join("lane.git/HEAD"), format!("{}\n", "1".repeat(40))).unwrap();
    assert!(Lane::find(&yard.main(), &home).unwrap().is_none());
}

#[test]
fn the_users_settings_that_shape_files_hold_in_a_lane_and_no_others() {
    let yard = Yard::new();
    yard.person(".gitattributes", "*.txt text eol=crlf\n*.up filter=upper\n");
    for (name, value) in [
        ("filter.upper.clean", "tr A-Z a-z"),
        ("filter.upper.smudge", "tr a-z A-Z"),
        ("user.email", "other@example.com"),
        ("core.fsmonitor", "false-monitor"),
        ("remote.origin.url", "https://user:secret@example.com/x"),
        ("alias.x", "!false"),
        ("credential.helper", "!false"),
    ] {
        yard.scratch.git(&["config", name, value]);
    }
    yard.scratch.write(".git/info/exclude", "private\n");
    yard.person("file.up", "loud\n");
    let worker = yard.open(1);
    assert_eq!((worker.read("a.txt"), worker.read("file.up")), ("one\r\n".into(), "LOUD\n".into()));
    worker.write("private", "x");
    assert_eq!(worker.git(&yard, &["status", "--porcelain"]), "");
    assert_eq!(worker.git(&yard, &["config", "user.email"]), "other@example.com\n");
    let listing = worker.git(&yard, &["config", "--local", "--list"]);
    for name in ["fsmonitor", "remote", "alias", "credential", "hookspath"] {
        assert!(!listing.contains(name), "{name}: {listing}");
    }
    yard.scratch.git(&["config", "--unset", "core.fsmonitor"]);
    worker.write("file.up", "LOUDER\n");
    worker.write("new.txt", "one\r\n");
    yard.deliver(&worker);
    assert_eq!(yard.scratch.git(&["cat-file", "blob", "HEAD:file.up"]), "louder\n");
    assert_eq!(yard.scratch.git(&["cat-file", "blob", "HEAD:new.txt"]), "one\n");
    assert_eq!(
        (yard.scratch.read("file.up"), yard.scratch.read("new.txt")),
        ("LOUDER\n".into(), "one\r\n".into())
    );
    assert_eq!(yard.status(), "");
}

#[test]
fn a_linked_working_tree_and_another_kind_of_names_have_lanes_too() {
    let yard = Yard::of(Scratch::with_format(ObjectFormat::Sha256));
    yard.person("a.txt", "one\n");
    let worker = yard.open(1);
    worker.write("a.txt", "two\n");
    yard.deliver(&worker);
    assert_eq!((yard.scratch.read("a.txt"), yard.status()), ("two\n".into(), String::new()));

    let yard = Yard::new();
    let linked = yard.scratch.state.with_file_name("linked");
    yard.scratch.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let crate::git::FoundRepository::Worktree(main) = crate::git::Repository::find(&linked).unwrap() else {
        panic!()
    };
    let head = main.head().unwrap().commit().unwrap();
    let lane = Lane::open(&main, &yard.home(1), head).unwrap();
    assert_eq!(fs::read_to_string(lane.top().join("a.txt")).unwrap(), "one\n");
    assert_eq!(yard.scratch.git_in(lane.top(), &["log", "--format=%s"]), "first\n");
}

#[test]
fn a_shallow_repository_has_lanes_too() {
    let origin = Scratch::committed();
    origin.write("a.txt", "second\n");
    origin.git(&["commit", "-q", "-a", "-m", "second"]);
    let scratch = Scratch::plain();
    let url = format!("file://{}", origin.top.display());
    scratch.git(&["clone", "-q", "--depth=1", &url, "."]);
    scratch.git(&["config", "user.name", "Someone"]);
    scratch.git(&["config", "user.email", "someone@example.com"]);
    let yard = Yard::of(scratch);
    let worker = yard.open(1);
    let other = yard.open(2);
    worker.write("a.txt", "third\n");
    yard.deliver(&worker);
    other.write("src/b.txt", "fourth\n");
    yard.deliver(&other);
    assert_eq!(yard.subjects(), ["Work of a lane", "Work of a lane", "second"]);
    assert_eq!((yard.scratch.read("a.txt"), yard.status()), ("third\n".into(), String::new()));
}

#[test]
fn objects_that_are_borrowed_over_several_repositories_are_found() {
    let origin = Scratch::committed();
    let scratch = Scratch::plain();
    scratch.git(&["clone", "-q", origin.top.to_str().unwrap(), "."]);
    scratch.git(&["config", "user.name", "Someone"]);
    scratch.git(&["config", "user.email", "someone@example.com"]);
    fs::remove_dir_all(scratch.path(".git/objects")).unwrap();
    symlink(origin.top.join(".git/objects"), scratch.top.parent().unwrap().join("elsewhere")).unwrap();
    // As a person may write it: relative.
    scratch.write(".git/objects/info/alternates", "../../../elsewhere\n");
    assert_eq!(scratch.git(&["log", "--format=%s"]), "first\n");
    let yard = Yard::of(scratch);
    let worker = yard.open(1);
    worker.write("a.txt", "changed\n");
    yard.deliver(&worker);
    assert_eq!(worker.git(&yard, &["log", "--format=%s"]), "first\n");
    assert_eq!(Lane::borrowed(&yard.main(), &worker.home).unwrap().len(), 3);
}

#[test]
fn a_commit_that_is_not_there_is_an_error_that_says_so() {
    let yard = Yard::new();
    let nowhere = crate::git::ObjectId::from_hex("1".repeat(40).as_bytes()).unwrap();
    let error = Lane::open(&yard.main(), &yard.home(1), nowhere).unwrap_err();
    assert!(matches!(&error, LaneError::Git(_)) && error.to_string().contains("1111"), "{error}");
}

#[test]
fn a_lane_that_is_found_again_has_no_locks_of_gits_that_were_ended() {
    let yard = Yard::new();
    let worker = yard.open(1);
    let (ours, theirs) = (worker.home.join("lane.git"), worker.lane.top().join(".git"));
    for folder in [&ours, &theirs] {
        fs::create_dir_all(folder.join("refs/heads")).unwrap();
        for lock in LOCKS.into_iter().chain(["index.lock"]) {
            fs::write(folder.join(lock), "").unwrap();
        }
    }
    assert!(Lane::find(&yard.main(), &worker.home).unwrap().is_some());
    for folder in [&ours, &theirs] {
        assert!(crate::git::locks::of_a_lane(folder).is_empty(), "{}", folder.display());
        assert!(!folder.join("HEAD.lock").exists());
    }
}
