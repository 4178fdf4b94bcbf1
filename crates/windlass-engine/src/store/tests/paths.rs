//! Where things are kept.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Fixture;
use crate::store::journal::Journal;
use crate::store::paths::{Project, config_root, state_root};
use crate::store::{StoreError, create_folder, write_atomically};
use windlass_core::values::{Purpose, RunId, StopSource};

fn environment(variables: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
    move |wanted| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| OsString::from(value))
}

#[test]
fn roots_by_table() {
    type Case = (&'static [(&'static str, &'static str)], &'static str, &'static str);
    let cases: [Case; 6] = [
        (&[("HOME", "/h")], "/h/.local/state/windlass", "/h/.config/windlass"),
        (
            &[("HOME", "/h"), ("XDG_STATE_HOME", "/s"), ("XDG_CONFIG_HOME", "/c")],
            "/s/windlass",
            "/c/windlass",
        ),
        (
            &[("HOME", "/h"), ("XDG_STATE_HOME", "s"), ("XDG_CONFIG_HOME", "./c")],
            "/h/.local/state/windlass",
            "/h/.config/windlass",
        ),
        (
            &[("HOME", "/h"), ("XDG_STATE_HOME", ""), ("WINDLASS_CONFIG_DIR", "")],
            "/h/.local/state/windlass",
            "/h/.config/windlass",
        ),
        (
            &[
                ("XDG_STATE_HOME", "/s"),
                ("WINDLASS_STATE_DIR", "/own state"),
                ("WINDLASS_CONFIG_DIR", "/own"),
            ],
            "/own state",
            "/own",
        ),
        (&[("XDG_STATE_HOME", "/s"), ("XDG_CONFIG_HOME", "/c")], "/s/windlass", "/c/windlass"),
    ];
    for (variables, state, config) in cases {
        assert_eq!(state_root(environment(variables)).unwrap(), Path::new(state), "{variables:?}");
        assert_eq!(config_root(environment(variables)).unwrap(), Path::new(config), "{variables:?}");
    }
}

#[test]
fn without_a_home_the_error_says_what_to_set() {
    for variables in [&[][..], &[("HOME", "")], &[("HOME", "relative")]] {
        let error = state_root(environment(variables)).unwrap_err().to_string();
        assert!(error.contains("set HOME or WINDLASS_STATE_DIR"), "{error}");
        let error = config_root(environment(variables)).unwrap_err().to_string();
        assert!(error.contains("WINDLASS_CONFIG_DIR"), "{error}");
    }
}

#[test]
fn a_relative_override_is_refused() {
    let error = state_root(environment(&[("HOME", "/h"), ("WINDLASS_STATE_DIR", "state")])).unwrap_err();
    assert_eq!(error.to_string(), "WINDLASS_STATE_DIR must be an absolute path, but it is state");
}

fn folder_name(project: &Project) -> String {
    project.path().file_name().unwrap().to_str().unwrap().to_owned()
}

fn assert_well_formed(name: &str) {
    let (slug, id) = name.rsplit_once('-').unwrap();
    assert!((1..=32).contains(&slug.len()), "{name}");
    assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{name}");
    assert!(!slug.starts_with('-') && !slug.ends_with('-') && !slug.contains("--"), "{name}");
    assert_eq!(id.len(), 12, "{name}");
    assert!(id.bytes().all(|b| b.is_ascii_hexdigit()), "{name}");
}

#[test]
fn hostile_directory_names() {
    let cases: [(&[u8], &str); 10] = [
        (b"my app", "my-app"),
        (b"line\nbreak", "line-break"),
        ("🪝".as_bytes(), "project"),
        ("über🪝App".as_bytes(), "ber-app"),
        (b"\xff\xfe", "project"),
        (b"a\xffb", "a-b"),
        (b"--x--", "x"),
        (b"...", "project"),
        (b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbb", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        (b"MiXeD_Case.9", "mixed-case-9"),
    ];
    let scratch = tempfile::tempdir().unwrap();
    for (bytes, slug) in cases {
        let directory = scratch.path().join(OsStr::from_bytes(bytes));
        fs::create_dir(&directory).unwrap();
        let project = Project::locate(&scratch.path().join("state"), &directory, None).unwrap();
        let name = folder_name(&project);
        assert_well_formed(&name);
        assert_eq!(&name[..name.len() - 13], slug);
        project.create().unwrap();
    }
}

#[test]
fn hostile_directory_names_survive_in_the_journal() {
    let fixture = Fixture::new();
    let folder = fixture.run();
    let mut journal = Journal::create(&folder).unwrap();
    let mut written = fixture.facts(folder.run(), 0, None);
    let directory = PathBuf::from(OsStr::from_bytes(b"/a b/\n/\xff/\xf0\x9f\xaa\x9d"));
    if let windlass_core::fact::Fact::RunStarted { plan } = &mut written[0].fact {
        plan.directory.clone_from(&directory);
        plan.agent.program = directory.join("agent");
        plan.inputs = vec![(directory.join("goal.md"), "0".repeat(64))];
    }
    journal.append(&written).unwrap();
    assert_eq!(crate::store::journal::read(&folder.journal()).unwrap(), written);
}

#[test]
fn a_projects_places_are_within_its_folder() {
    let project = Project::locate(Path::new("/state"), Path::new("/"), None).unwrap();
    let places = [project.runs(), project.index(), project.sessions(), project.filtered(), project.copies()];
    let expected = ["runs", "runs/index.jsonl", "sessions", "filtered", "copies"];
    assert_eq!(places, expected.map(|name| project.path().join(name)));
    assert_eq!(project.snapshots(), project.path().join("snapshots.git"));
}

#[test]
fn the_root_folder_is_a_project_too() {
    let project = Project::locate(Path::new("/state"), Path::new("/"), None).unwrap();
    assert_eq!(&folder_name(&project)[..8], "project-");
}

#[test]
fn all_working_directories_of_a_repository_share_a_project() {
    let scratch = tempfile::tempdir().unwrap();
    let state = scratch.path().join("state");
    let (app, worktree) = (scratch.path().join("App"), scratch.path().join("app-feature"));
    for folder in [&app.join(".git"), &app.join("sub"), &worktree, &scratch.path().join("bare.git")] {
        fs::create_dir_all(folder).unwrap();
    }
    let link = scratch.path().join("link");
    std::os::unix::fs::symlink(app.join(".git"), &link).unwrap();
    let git = app.join(".git");
    let project = Project::locate(&state, &app, Some(&git)).unwrap();
    for (directory, common) in [(&worktree, &git), (&app.join("sub"), &git), (&app, &link)] {
        assert_eq!(Project::locate(&state, directory, Some(common)).unwrap(), project);
    }
    assert!(folder_name(&project).starts_with("app-"));
    assert_ne!(Project::locate(&state, &app, None).unwrap(), project);
    let bare = scratch.path().join("bare.git");
    let bare = Project::locate(&state, &bare, Some(&bare)).unwrap();
    assert!(folder_name(&bare).starts_with("bare-"));
}

/// A project whose run has worked in a directory.
fn at_work(state: &Path, directory: &Path, common: Option<&Path>) -> Project {
    let project = Project::locate(state, directory, common).unwrap();
    project.create().unwrap();
    fs::write(project.lock(directory), "").unwrap();
    project
}

#[test]
fn a_directory_whose_repository_is_gone_belongs_to_the_project_that_worked_in_it() {
    let scratch = tempfile::tempdir().unwrap();
    let (state, top) = (scratch.path().join("state"), scratch.path().join("app"));
    let (below, git) = (top.join("below"), scratch.path().join("git"));
    fs::create_dir_all(&below).unwrap();
    fs::create_dir(&git).unwrap();
    let locate = |directory: &Path| Project::locate(&state, directory, None).unwrap();
    let alone = locate(&top);
    let project = at_work(&state, &top, Some(&git));
    assert_eq!(locate(&git), alone_at(&state, &git));
    fs::remove_dir(&git).unwrap();
    // Also where nothing is left that says where its git directory was.
    assert_eq!((locate(&top), locate(&below)), (project.clone(), project.clone()));
    // Who worked there last counts, and a folder without a repository is a project for itself alone.
    fs::create_dir_all(alone.path()).unwrap();
    assert_eq!(locate(&top), project);
    let later = SystemTime::now() + Duration::from_mins(1);
    File::create(alone.lock(&top)).unwrap().set_modified(later).unwrap();
    assert_eq!((locate(&top), locate(&below)), (alone, project));
}

fn alone_at(state: &Path, directory: &Path) -> Project {
    Project::known_as(state, &directory.canonicalize().unwrap())
}

#[test]
fn what_is_left_of_a_git_entrance_says_which_project_it_was() {
    let scratch = tempfile::tempdir().unwrap();
    let (state, worked) = (scratch.path().join("state"), scratch.path().join("worked"));
    let git = scratch.path().join("git");
    fs::create_dir_all(&worked).unwrap();
    fs::create_dir(&git).unwrap();
    let project = at_work(&state, &worked, Some(&git));
    fs::remove_dir(&git).unwrap();
    for entrance in
        ["gitdir: ../git\n", "gitdir: ../git/worktrees/other\n", "link", "nonsense", "gitdir: ../worked"]
    {
        let top = scratch.path().join("top");
        fs::create_dir(&top).unwrap();
        match entrance {
            "link" => std::os::unix::fs::symlink("../git", top.join(".git")).unwrap(),
            file => fs::write(top.join(".git"), file).unwrap(),
        }
        let is_told = entrance == "link" || entrance.contains("../git");
        let expected = if is_told { project.clone() } else { alone_at(&state, &top) };
        assert_eq!(Project::locate(&state, &top, None).unwrap(), expected, "{entrance}");
        fs::remove_dir_all(&top).unwrap();
    }
}

#[test]
fn the_id_is_the_beginning_of_the_paths_digest() {
    let project = Project::locate(Path::new("/state"), Path::new("/"), None).unwrap();
    // printf / | sha256sum
    assert_eq!(project.path(), Path::new("/state/projects/project-8a5edab28263"));
}

#[test]
fn a_missing_directory_is_named() {
    let error = Project::locate(Path::new("/state"), Path::new("/no such\nplace"), None).unwrap_err();
    assert!(error.to_string().starts_with("cannot find /no such\\nplace: "), "{error}");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn everything_is_for_its_owner_only() {
    let fixture = Fixture::new();
    let folder = fixture.run();
    let call = folder.call(1, 1, Purpose::Work);
    let mut journal = Journal::create(&folder).unwrap();
    journal.append(&fixture.facts(folder.run(), 1, None)).unwrap();
    call.create().unwrap();
    folder.write_goal("goal").unwrap();
    folder.request_stop(StopSource::Command).unwrap();
    let mut seen = 0;
    let mut folders = vec![fixture.root.path().join("state")];
    while let Some(path) = folders.pop() {
        assert_eq!(mode(&path), 0o700, "{path:?}");
        for entry in fs::read_dir(&path).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                folders.push(entry);
            } else {
                assert_eq!(mode(&entry), 0o600, "{entry:?}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 4, "journal, reserve, goal and stop");
}

/// The umask belongs to the process, so a process of its own tries this.
#[test]
fn the_umask_changes_nothing() {
    for umask in ["000", "777"] {
        let scratch = tempfile::tempdir().unwrap();
        let part = "store::tests::paths::part_create_under_a_umask";
        assert!(super::run_child(part, scratch.path(), &[("WINDLASS_TEST_UMASK", umask)]).success());
        assert_eq!(mode(&scratch.path().join("a")), 0o700, "{umask}");
        assert_eq!(mode(&scratch.path().join("a/b")), 0o700, "{umask}");
        assert_eq!(mode(&scratch.path().join("a/b/file")), 0o600, "{umask}");
    }
}

#[test]
#[ignore = "a part of another test"]
fn part_create_under_a_umask() {
    let Some(root) = super::Child::root() else { return };
    let umask = std::env::var("WINDLASS_TEST_UMASK").unwrap();
    rustix::process::umask(rustix::fs::Mode::from_bits_truncate(u32::from_str_radix(&umask, 8).unwrap()));
    create_folder(&root.join("a/b")).unwrap();
    write_atomically(&root.join("a/b/file"), b"x").unwrap();
}

#[test]
fn an_atomic_write_replaces_and_leaves_nothing_else() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("file");
    write_atomically(&path, b"old").unwrap();
    write_atomically(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
}

/// Root may write anywhere that can be written at all; nobody can create a folder in `/proc`.
fn read_only(scratch: &Path) -> PathBuf {
    if rustix::process::geteuid().is_root() {
        return PathBuf::from("/proc/windlass");
    }
    fs::set_permissions(scratch, fs::Permissions::from_mode(0o500)).unwrap();
    scratch.join("windlass")
}

#[test]
fn a_read_only_state_folder_is_one_clear_error() {
    let scratch = tempfile::tempdir().unwrap();
    let state = read_only(scratch.path());
    let project = Project::locate(&state, Path::new("/"), None).unwrap();
    let error = project.create().unwrap_err();
    assert!(matches!(&error, StoreError::Io { path, .. } if *path == state), "{error:?}");
    assert!(error.to_string().starts_with(&format!("cannot create {}: ", state.display())));
    assert!(crate::store::index::list(&project).unwrap().runs.is_empty());
    let nobody = RunId("r-0".to_owned());
    let lock = crate::store::lock::Lock::acquire(&project, Path::new("/nowhere"), &nobody, Duration::ZERO);
    assert!(lock.is_err());
}
