use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::spec::{BootstrapSpec, PortPlace, PortSpec};

use super::{BootstrapError, Copied, copy_included, variables};
use windlass_git::testing::Scratch;

const PORTS: PortSpec = PortSpec { base: 20_000, size: 10 };

fn plan() -> BootstrapSpec {
    BootstrapSpec {
        include_file: Some(".worktreeinclude".into()),
        include_bytes: Some(1 << 20),
        setup: None,
        setup_timeout: Duration::from_secs(1),
        ports: PORTS,
    }
}

/// A project whose `.gitignore` hides these, with a fresh checkout of it, linked.
fn project(list: &str) -> (Scratch, PathBuf) {
    let scratch = Scratch::committed();
    scratch.write(".gitignore", "*.env\nnode_modules/\ntarget/\n.windlass/\n");
    scratch.write(".worktreeinclude", list);
    scratch.commit_all("what is ignored");
    let fresh = scratch.state.join("fresh");
    scratch.git(&["worktree", "add", "-q", "--detach", fresh.to_str().unwrap()]);
    (scratch, fresh)
}

fn copied(scratch: &Scratch, fresh: &Path) -> Copied {
    copy_included(&scratch.top, fresh, &plan()).unwrap()
}

fn names(copied: &Copied) -> Vec<&str> {
    copied.files.iter().map(|file| file.path.to_str().unwrap()).collect()
}

// rows: 87
#[test]
fn what_the_list_names_and_git_does_not_track_is_copied() {
    let (scratch, fresh) =
        project("# secrets\r\n*.env\r\n!public.env\r\nnode_modules/.cache\r\n/notes/\r\na.txt\r\n");
    for path in
        ["my.env", "src/deep/my.env", "public.env", "node_modules/.cache/x/y", "node_modules/z/index.js"]
    {
        scratch.write(path, path);
    }
    scratch.write("notes/one.md", "untracked, not ignored");
    scratch.write("src/notes/two.md", "not at the top");
    scratch.write("target/debug/my.env", "deep in what is ignored");
    scratch.write("a.txt", "changed here, tracked");
    let copied = copied(&scratch, &fresh);
    let expected =
        ["my.env", "node_modules/.cache/x/y", "notes/one.md", "src/deep/my.env", "target/debug/my.env"];
    assert_eq!(names(&copied), expected);
    assert_eq!(copied.left_out, [""; 0]);
    assert_eq!(fs::read_to_string(fresh.join("src/deep/my.env")).unwrap(), "src/deep/my.env");
    assert_eq!(fs::read_to_string(fresh.join("a.txt")).unwrap(), "one\n", "what git tracks is as committed");
    assert!(!fresh.join("public.env").exists() && !fresh.join("node_modules/z").exists());
    assert_eq!(copied.bytes, copied.files.iter().map(|file| file.size).sum::<u64>());
}

// rows: 87
#[test]
fn the_project_folder_comes_along_whatever_the_list_says() {
    let (scratch, fresh) = project("");
    for path in [
        ".windlass/config.toml",
        ".windlass/workspaces/api/INSTRUCTIONS.md",
        ".windlass/workspaces/api/iterate-20260101-000000.log",
        ".windlass/archive/old/INSTRUCTIONS.md",
        "src/.windlass/prompts/goal.md",
        "target/x",
    ] {
        scratch.write(path, path);
    }
    let expected = [
        ".windlass/config.toml",
        ".windlass/workspaces/api/INSTRUCTIONS.md",
        "src/.windlass/prompts/goal.md",
    ];
    assert_eq!(names(&copied(&scratch, &fresh)), expected);
    let without_list = BootstrapSpec { include_file: None, ..plan() };
    let again = copy_included(&scratch.top, &fresh, &without_list).unwrap();
    assert_eq!(names(&again), [""; 0], "what is there stays");
}

#[test]
fn a_copy_shares_nothing_with_its_original_and_keeps_its_nature() {
    let (scratch, fresh) = project("*.env\nnode_modules/\n");
    scratch.write("node_modules/tool", "#!/bin/sh\n");
    scratch.chmod("node_modules/tool", 0o750);
    scratch.chmod("node_modules", 0o700);
    scratch.write("my.env", "one");
    let copied = copied(&scratch, &fresh);
    let (tool, original) = (fresh.join("node_modules/tool"), scratch.path("node_modules/tool"));
    let (now, then) = (tool.metadata().unwrap(), original.metadata().unwrap());
    assert_eq!(now.permissions().mode() & 0o777, 0o750);
    assert_eq!(fresh.join("node_modules").metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!((now.mtime(), now.mtime_nsec()), (then.mtime(), then.mtime_nsec()));
    assert_eq!((now.nlink(), then.nlink()), (1, 1));
    assert!(copied.files.iter().all(|file| file.is_unchanged(&fresh)));
    fs::write(fresh.join("my.env"), "two").unwrap();
    assert_eq!(scratch.read("my.env"), "one");
    assert_eq!(copied.files.iter().filter(|file| !file.is_unchanged(&fresh)).count(), 1, "an edit is seen");
}

#[test]
fn links_are_copied_as_links_and_only_where_they_stay_inside() {
    let (scratch, fresh) = project("node_modules/\n*.env\n");
    scratch.write("node_modules/tool/index.js", "x");
    scratch.write("secret", "committed nowhere, not in the list");
    let outside = scratch.state.join("outside");
    fs::write(&outside, "outside").unwrap();
    for (link, target) in [
        ("node_modules/inside", "tool/index.js"),
        ("node_modules/dangling", "tool/nothing"),
        ("node_modules/up", "../a.txt"),
        ("node_modules/absolute", scratch.path("a.txt").to_str().unwrap()),
        ("node_modules/too-far", "../../state/outside"),
        ("node_modules/git", "../.git/config"),
        ("my.env", outside.to_str().unwrap()),
    ] {
        symlink(target, scratch.path(link)).unwrap();
    }
    let copied = copied(&scratch, &fresh);
    let links: Vec<&str> = names(&copied).into_iter().filter(|name| !name.contains("index")).collect();
    assert_eq!(links, ["node_modules/dangling", "node_modules/inside", "node_modules/up"]);
    assert_eq!(fs::read_link(fresh.join("node_modules/up")).unwrap(), Path::new("../a.txt"));
    assert_eq!(copied.left_out.len(), 4);
    assert!(copied.left_out.iter().all(|said| said.contains("leads out of the project")), "{copied:?}");
}

#[test]
fn nothing_is_written_through_a_link_or_over_anything() {
    let (scratch, fresh) = project("data/\n*.env\n");
    let elsewhere = scratch.state.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    scratch.write("data/one", "1");
    scratch.write("my.env", "mine");
    symlink(&elsewhere, fresh.join("data")).unwrap();
    fs::write(fresh.join("my.env"), "there before").unwrap();
    let copied = copied(&scratch, &fresh);
    assert_eq!(names(&copied), [""; 0]);
    assert!(copied.left_out[0].starts_with("data/one is not copied: "), "{copied:?}");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    assert_eq!(fs::read_to_string(fresh.join("my.env")).unwrap(), "there before");
}

#[test]
fn pipes_and_repositories_inside_are_left_out_and_said() {
    let (scratch, fresh) = project("vendor/\n");
    scratch.write("vendor/file", "copied");
    scratch.write("vendor/inner/file", "not copied");
    scratch.git_in(&scratch.path("vendor/inner"), &["init", "-q"]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        scratch.path("vendor/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let copied = copied(&scratch, &fresh);
    assert_eq!(names(&copied), ["vendor/file"]);
    let expected = [
        "vendor/inner is not copied: it is a repository of its own",
        "vendor/pipe is not copied: it is neither a file nor a link",
    ];
    let mut said = copied.left_out;
    said.sort_unstable();
    assert_eq!(said, expected);
}

#[test]
fn too_much_is_refused_before_anything_is_copied() {
    let (scratch, fresh) = project("node_modules/\n*.env\n");
    scratch.write("my.env", "small");
    scratch.write("node_modules/large", vec![b'x'; 5000]);
    let small = BootstrapSpec { include_bytes: Some(4096), ..plan() };
    let error = copy_included(&scratch.top, &fresh, &small).unwrap_err();
    let BootstrapError::TooMuch { wanted: 5005, allowed: 4096, largest, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(largest, Path::new("node_modules"));
    assert!(!fresh.join("my.env").exists());
    let unlimited = BootstrapSpec { include_bytes: None, ..plan() };
    assert_eq!(copy_included(&scratch.top, &fresh, &unlimited).unwrap().files.len(), 2);
}

#[test]
fn a_list_that_cannot_be_read_is_named() {
    let (scratch, fresh) = project("*.env\n{unclosed\n");
    let error = copy_included(&scratch.top, &fresh, &plan()).unwrap_err();
    assert!(matches!(&error, BootstrapError::Pattern { line: 2, .. }), "{error}");
    scratch.write(".worktreeinclude", vec![b'#'; (1 << 20) + 1]);
    let error = copy_included(&scratch.top, &fresh, &plan()).unwrap_err();
    assert!(matches!(error, BootstrapError::LongList(_)), "{error}");
    let plain = Scratch::plain();
    let error = copy_included(&plain.top, &fresh, &plan()).unwrap_err();
    assert!(matches!(error, BootstrapError::NoWorkingTree(_)), "{error}");
}

// rows: 87
// Nothing was copied then, not even the project's own configuration, and nobody was told.
#[test]
fn a_list_that_is_too_intricate_to_be_used_is_named() {
    let (scratch, fresh) = project(&"?".repeat(200_000));
    scratch.write(".windlass/config.toml", "[gates]\n");
    let error = copy_included(&scratch.top, &fresh, &plan()).unwrap_err();
    assert!(matches!(&error, BootstrapError::Patterns { .. }), "{error}");
    assert!(error.to_string().contains(".worktreeinclude"), "{error}");
}

#[test]
fn each_place_is_told_its_number_and_its_ports() {
    let told = |checkout, lane| {
        let variables = variables(PORTS, PortPlace { checkout, lane });
        let text = |text: &std::ffi::OsString| text.to_str().unwrap().to_owned();
        variables.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect::<Vec<_>>()
    };
    assert_eq!(told(0, 2), ["WINDLASS_LANE=2", "WINDLASS_PORT_BASE=20020", "WINDLASS_PORT_COUNT=10"]);
    assert_eq!(told(1, 0), ["WINDLASS_LANE=0", "WINDLASS_PORT_BASE=20320", "WINDLASS_PORT_COUNT=10"]);
    assert_eq!(told(0, 32), ["WINDLASS_LANE=32"], "no ports rather than another's");
}
