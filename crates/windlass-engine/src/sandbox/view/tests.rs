use std::fs;
use std::fs::create_dir_all;
use std::os::unix::fs::symlink;

use windlass_core::values::RunId;

use super::*;
use crate::sandbox::SandboxAgent;

struct Machine {
    _folder: tempfile::TempDir,
    root: PathBuf,
    room: SandboxRoom,
}

fn machine() -> Machine {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for below in
        ["home/.ssh", "home/work/.git/hooks", "home/work/.windlass/workspaces/a", "home/.state/runs/r"]
    {
        create_dir_all(root.join(below)).unwrap();
    }
    for file in [
        "home/.netrc",
        "home/work/.git/config",
        "home/work/.windlass/workspaces/a/config.toml",
        "home/.state/runs/r/system.md",
    ] {
        fs::write(root.join(file), "").unwrap();
    }
    let made = SandboxRoom {
        run: RunId("r-1".to_owned()),
        directory: root.join("home/work"),
        tree: root.join("home/work"),
        git_directories: vec![root.join("home/work/.git")],
        loan: None,
        git_settings: Vec::new(),
        state: root.join("home/.state"),
        files: Vec::new(),
        closed: Vec::new(),
        scratch: root.join("home/.state/runs/r/sandbox"),
        windlass: PathBuf::from("/bin/sh"),
        home: root.join("home"),
        agent: SandboxAgent { program: PathBuf::from("/bin/sh"), name: "claude" },
        other_agents: Vec::new(),
    };
    Machine { _folder: folder, root, room: made }
}

#[test]
fn of_places_within_each_other_the_innermost_counts() {
    let Machine { root, room, _folder } = machine();
    let plan = SandboxSpec { hidden: vec![root.join("home/work/secret")], ..SandboxSpec::default() };
    create_dir_all(root.join("home/work/secret")).unwrap();
    let call = root.join("home/.state/runs/r/system.md");
    let view = View::new(&plan, &room, Vec::new(), std::slice::from_ref(&call));
    let sight = |below: &str| view.sight(&root.join(below)).clone();
    for (below, expected) in [
        ("home/x", Sight::ReadOnly),
        ("home/.ssh/id", Sight::Hidden),
        ("home/.netrc", Sight::Hidden),
        ("home/work/new/file", Sight::Writable),
        ("home/work/secret/x", Sight::Hidden),
        ("home/work/.git/index", Sight::Writable),
        ("home/work/.git/config", Sight::ReadOnly),
        ("home/work/.git/hooks/pre-commit", Sight::ReadOnly),
        ("home/work/.windlass/config.toml", Sight::ReadOnly),
        ("home/work/.windlass/workspaces/a/TODO.md", Sight::Writable),
        ("home/work/.windlass/workspaces/a/config.toml", Sight::ReadOnly),
        ("home/.state/runs/r/journal.jsonl", Sight::Hidden),
        ("home/.state/runs/r/system.md", Sight::Shown(call)),
    ] {
        assert_eq!(sight(below), expected, "{below}");
    }
}

#[test]
fn a_link_is_hidden_with_what_it_leads_to_and_what_is_not_there_needs_no_place() {
    let Machine { root, room, _folder } = machine();
    create_dir_all(root.join("elsewhere")).unwrap();
    symlink(root.join("elsewhere"), root.join("home/.aws")).unwrap();
    let plan = SandboxSpec { writable: vec![root.join("missing")], ..SandboxSpec::default() };
    let view = View::new(&plan, &room, Vec::new(), &[]);
    assert_eq!(*view.sight(&root.join("elsewhere/x")), Sight::Hidden);
    assert!(!view.places.contains_key(&root.join("missing")));
}

#[test]
fn settings_of_submodules_are_guarded_however_deep() {
    let Machine { root, room, _folder } = machine();
    let module = root.join("home/work/.git/modules/libs/deep");
    create_dir_all(&module).unwrap();
    fs::write(module.join("HEAD"), "").unwrap();
    fs::write(module.join("config"), "").unwrap();
    let view = View::new(&SandboxSpec::default(), &room, Vec::new(), &[]);
    assert_eq!(*view.sight(&module.join("config")), Sight::ReadOnly);
    assert_eq!(*view.sight(&module.join("index")), Sight::Writable);
}

#[test]
fn rules_of_the_kernel_grant_nothing_that_is_hidden() {
    use crate::sandbox::inside::Ports;
    let Machine { root, room, _folder } = machine();
    let view = View::new(&SandboxSpec::default(), &room, Vec::new(), &[]);
    let door = crate::sandbox::landlock::door(&view, Ports::All).unwrap();
    let paths = |texts: Vec<windlass_host::process::protocol::Text>| -> Vec<PathBuf> {
        texts.into_iter().map(|text| std::ffi::OsString::from(text).into()).collect()
    };
    let (readable, writable) = (paths(door.readable), paths(door.writable));
    let granted = |path: &Path| readable.iter().chain(&writable).any(|above| path.starts_with(above));
    for hidden in ["home/.ssh/id", "home/.netrc", "home/.state/x", "home/new"] {
        assert!(!granted(&root.join(hidden)), "{hidden}");
    }
    assert!(granted(Path::new("/usr/bin/env")) && granted(Path::new("/proc/self")));
    assert!(granted(Path::new("/dev/null")) && !granted(Path::new("/dev/vda")), "disks have all of it");
    assert!(writable.contains(&room.tree) && !readable.iter().any(|path| room.home.starts_with(path)));

    let plan = SandboxSpec { hidden: vec![room.tree.join("secret")], ..SandboxSpec::default() };
    create_dir_all(room.tree.join("secret")).unwrap();
    let view = View::new(&plan, &room, Vec::new(), &[]);
    assert!(crate::sandbox::landlock::door(&view, Ports::All).unwrap_err().contains("cannot hide it there"));
}

#[test]
fn a_link_that_a_guest_has_made_opens_nothing() {
    let Machine { root, room, _folder } = machine();
    fs::write(root.join("home/.ssh/id"), "").unwrap();
    let below = |path: &str| root.join("home/work").join(path);
    create_dir_all(below(".git/modules/deep")).unwrap();
    fs::write(below(".git/modules/deep/HEAD"), "").unwrap();
    for (link, target) in [
        (".git/config.worktree", "home/.ssh"),
        (".git/worktrees", "home/.ssh"),
        (".git/modules/deep/config", "home/.ssh"),
        (".windlass/workspaces/a/INSTRUCTIONS.md", "home/.state"),
        (".windlass/workspaces/b", "home"),
    ] {
        symlink(root.join(target), below(link)).unwrap();
    }
    // The directory that the run works in is now somewhere else.
    symlink(root.join("home"), below("package")).unwrap();
    let room = SandboxRoom { directory: below("package"), ..room };
    room.occupy().stay();
    assert!(!root.join("home/.windlass").exists());
    let view = View::new(&SandboxSpec::default(), &room, Vec::new(), &[]);
    let sight = |path: &str| view.sight(&root.join(path)).clone();
    assert_eq!((sight("home/.ssh/id"), sight("home/.state/runs")), (Sight::Hidden, Sight::Hidden));
    assert_eq!(sight("home/.bashrc"), Sight::ReadOnly);
    assert_eq!(sight("home/work/.windlass/workspaces/a/config.toml"), Sight::ReadOnly);
}

#[test]
fn in_every_folder_from_the_directory_to_the_top_of_the_tree_ours_is_guarded() {
    let Machine { root, mut room, _folder } = machine();
    room.directory = root.join("home/work/a/b");
    create_dir_all(&room.directory).unwrap();
    let made = room.occupy();
    assert_eq!(made.0, [root.join("home/work/a/b/.windlass"), root.join("home/work/a/.windlass")]);
    let view = View::new(&SandboxSpec::default(), &room, Vec::new(), &[]);
    for folder in ["home/work", "home/work/a", "home/work/a/b"] {
        let file = root.join(folder).join(".windlass/config.toml");
        assert_eq!(*view.sight(&file), Sight::ReadOnly, "{folder}");
    }
}

#[test]
fn what_diverts_git_is_refused_before_and_removed_after() {
    let Machine { root, room, _folder } = machine();
    let file = root.join("home/work/.git/commondir");
    assert!(room.refuse_diversion().is_ok() && room.undo_diversion().is_none());
    fs::write(&file, "../evil").unwrap();
    assert!(room.refuse_diversion().unwrap_err().to_string().contains("commondir"));
    assert!(room.undo_diversion().unwrap().contains("it was removed"));
    assert!(!file.exists() && room.refuse_diversion().is_ok());
}

#[test]
fn what_steers_agents_is_read_only_and_the_rest_of_its_folder_is_not() {
    let Machine { root, mut room, _folder } = machine();
    room.directory = root.join("home/work/a");
    for folder in ["home/work/.claude/hooks", "home/work/a/.claude/agents", "home/other"] {
        create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join("home/work/.claude/settings.json"), "{}").unwrap();
    let plan = SandboxSpec { writable: vec![root.join("home/other")], ..SandboxSpec::default() };
    let view = View::new(&plan, &room, Vec::new(), &[]);
    for (path, sight) in [
        ("home/work/.claude/settings.json", Sight::ReadOnly),
        ("home/work/.claude/hooks/pre.sh", Sight::ReadOnly),
        ("home/work/a/.claude/agents/a.md", Sight::ReadOnly),
        ("home/work/.claude/notes.md", Sight::Writable),
        ("home/other/x", Sight::Writable),
    ] {
        assert_eq!(*view.sight(&root.join(path)), sight, "{path}");
    }
}
