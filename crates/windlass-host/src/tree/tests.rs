//! The room holds whatever lies in it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use windlass_core::spec::LinkOut;

use super::*;
use crate::file::Made;

/// A tree with a secret beside it.
struct Case {
    _scratch: tempfile::TempDir,
    tree: PathBuf,
    secret: PathBuf,
}

impl Case {
    fn new() -> Case {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        let (tree, secret) = (base.join("tree"), base.join("secret"));
        fs::create_dir(&tree).unwrap();
        fs::create_dir(tree.join("inner")).unwrap();
        fs::write(&secret, "SECRET").unwrap();
        fs::write(tree.join("inner/file"), "inside").unwrap();
        hold(&tree);
        Case { _scratch: scratch, tree, secret }
    }

    fn at(&self, name: &str) -> TreePath {
        at(&self.tree.join(name))
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.tree.join(name)).unwrap();
    }
}

fn fifo(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

#[test]
fn links_that_stay_in_the_tree_are_followed_and_others_are_not() {
    let case = Case::new();
    case.link("inner/file", "relative");
    case.link(case.tree.join("inner/file"), "absolute");
    case.link(case.tree.join("inner"), "folder");
    case.link(&case.secret, "out");
    case.link("../secret", "up");
    case.link("/proc/self/environ", "environment");
    case.link("/proc/self/root", "magic");
    case.link("/dev/zero", "device");
    case.link("..", "above");
    for inside in ["relative", "absolute", "folder/file", "inner/file", "folder/../inner/./file"] {
        assert_eq!(case.at(inside).read(100).unwrap().unwrap(), b"inside", "{inside}");
    }
    let secret = case.secret.strip_prefix("/").unwrap().to_string_lossy().into_owned();
    for outside in ["out", "up", "environment", "device", "above/secret", &format!("magic/{secret}")] {
        let error = case.at(outside).read(100).unwrap_err();
        assert!(leads_out(&error.source), "{outside}: {error}");
        assert!(!case.at(outside).holds_file(), "{outside}");
    }
    assert_eq!(case.at("folder/file").resolved().unwrap(), case.at("inner/file"));
    assert!(case.at("nothing/file").read(100).unwrap().is_none());
}

#[test]
fn a_folder_is_kept_open_for_a_look_and_no_longer() {
    let case = Case::new();
    let size = |name: &str| case.at(name).look().unwrap().map(|found| found.size);
    let replace = |by: &str| {
        fs::rename(case.tree.join("inner"), case.tree.join(by)).unwrap();
        fs::create_dir(case.tree.join("inner")).unwrap();
        fs::write(case.tree.join("inner/file"), by).unwrap();
    };
    {
        let _open = keep_open();
        assert_eq!(size("inner/file"), Some(6));
        replace("first");
        assert_eq!(size("first/file"), Some(6));
        assert_eq!(size("inner/file"), Some(6), "one look is of one folder");
        for number in 0..8 {
            fs::create_dir(case.tree.join(number.to_string())).unwrap();
            assert_eq!(size(&format!("{number}/file")), None);
        }
        assert_eq!(size("inner/file"), Some(5), "many others were looked into since");
        // Whoever changes something through this room sees it.
        case.at("inner").rename_to(&case.at("second")).unwrap();
        assert_eq!(size("inner/file"), None);
        {
            let _inner = keep_open();
            assert_eq!(size("second/file"), Some(5));
        }
        assert_eq!(size("second/file"), Some(5));
        fs::remove_dir_all(case.tree.join("second")).unwrap();
    }
    assert_eq!(size("second/file"), None);
    fs::create_dir(case.tree.join("inner")).unwrap();
    replace("third");
    assert_eq!(size("inner/file"), Some(5));
}

#[test]
fn nothing_but_a_regular_file_is_opened_and_no_pipe_is_waited_for() {
    let case = Case::new();
    fifo(&case.tree.join("pipe"));
    case.link("pipe", "to-pipe");
    case.link("inner", "to-folder");
    for name in ["pipe", "to-pipe", "inner", "to-folder"] {
        assert!(case.at(name).read(100).is_err(), "{name}");
        assert!(case.at(name).append_to(0o600).is_err(), "{name}");
    }
    fs::write(case.tree.join("long"), "x".repeat(101)).unwrap();
    assert!(case.at("long").read(100).is_err());
    assert_eq!(case.at("long").read_beginning(100).unwrap().unwrap().len(), 101);
}

#[test]
fn nothing_outside_is_written_truncated_appended_to_or_removed() {
    let case = Case::new();
    let outside = case.secret.parent().unwrap().to_owned();
    case.link(&case.secret, "out");
    case.link(&outside, "folder");
    assert!(case.at("out").append_to(0o600).is_err());
    assert!(case.at("folder/new").replace(b"x", 0o600).is_err());
    assert!(case.at("folder/new").create_new(b"x", 0o600).is_err());
    assert!(case.at("folder/new").make_folder().is_err());
    assert!(case.at("folder/deep/new").make_folders().is_err());
    assert!(case.at("folder/secret").remove_file().is_err());
    assert!(case.at("folder/secret").rename_to(&case.at("mine")).is_err());
    assert!(case.at("inner/file").rename_to(&case.at("folder/taken")).is_err());
    assert!(case.at("folder").set_permissions(0o777).is_err() || outside.metadata().is_ok());
    fs::hard_link(&case.secret, case.tree.join("hard")).unwrap();
    assert!(case.at("hard").append_to(0o600).is_err());
    // A link that is replaced goes, what it leads to stays.
    case.at("out").replace(b"mine", 0o600).unwrap();
    assert_eq!(fs::read(case.tree.join("out")).unwrap(), b"mine");
    case.at("folder").remove_folder().unwrap();
    assert!(!case.at("folder").is_taken());
    assert_eq!(fs::read(&case.secret).unwrap(), b"SECRET");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
}

#[test]
fn files_are_written_whole_and_nothing_is_left_beside_them() {
    let case = Case::new();
    assert_eq!(case.at("new").create_new(b"one", 0o640).unwrap(), Made::Anew);
    assert_eq!(case.at("new").create_new(b"two", 0o640).unwrap(), Made::WasThere);
    assert_eq!(case.at("new").look().unwrap().unwrap().mode, 0o640);
    case.at("new").replace(b"three", 0o600).unwrap();
    assert_eq!(case.at("new").read(100).unwrap().unwrap(), b"three");
    drop(case.at("new").prepare(b"four", 0o600).unwrap());
    case.at("a/b/c").make_folders().unwrap();
    case.at("a").remove_empty_folders().unwrap();
    case.at("new").rename_to(&case.at("inner/moved")).unwrap();
    assert!(case.at("inner/moved").rename_to_free(&case.at("inner/file")).is_err());
    let mut names: Vec<_> = case.at("inner").entries().unwrap().into_iter().map(|entry| entry.name).collect();
    names.sort();
    assert_eq!(names, ["file", "moved"]);
    assert_eq!(case.at("").entries().unwrap().len(), 1);
    fs::set_permissions(case.tree.join("inner"), std::os::unix::fs::PermissionsExt::from_mode(0o500))
        .unwrap();
    case.at("inner").remove_folder().unwrap();
    assert!(!case.at("inner").is_taken());
}

#[test]
fn whether_there_is_room_is_tried_through_no_link() {
    let case = Case::new();
    for name in [".windlass-room", "room", ".windlass-.tmp"] {
        case.link(&case.secret, name);
    }
    case.at("").has_room().unwrap();
    case.at("not there").has_room().unwrap();
    assert_eq!(fs::read(&case.secret).unwrap(), b"SECRET");
    assert_eq!(case.at("").entries().unwrap().len(), 4, "nothing is left");
}

#[test]
fn folders_get_free_names_and_change_places() {
    let case = Case::new();
    let first = case.at("").make_free_folder(".new-").unwrap();
    let second = case.at("").make_free_folder(".new-").unwrap();
    assert!(first != second && first.is_real_folder());
    assert_eq!(first.look().unwrap().unwrap().mode, 0o700);
    case.at("inner").exchange_with(&first).unwrap();
    assert_eq!(first.join("file").read(100).unwrap().unwrap(), b"inside");
    assert!(case.at("nothing").exchange_with(&first).unwrap_err().is_not_found());
    case.link(case.secret.parent().unwrap(), "out");
    assert!(case.at("out").make_free_folder("x").is_err());
    assert!(case.at("out/secret").exchange_with(&case.at("inner")).is_err());
    second.remove_half_written();
    assert_eq!(
        without_links(&case.tree.join("out/not/there")),
        case.secret.with_file_name("not").join("there")
    );
}

#[test]
fn a_link_out_that_a_person_had_there_is_followed_while_it_is_what_it_was() {
    let case = Case::new();
    case.link("../secret", "AGENTS.md");
    case.link("inner/file", "inside");
    let paths: Vec<PathBuf> =
        ["AGENTS.md", "inside", "inner/file", "nothing"].iter().map(|name| case.tree.join(name)).collect();
    let links = links_out(&paths);
    assert_eq!(links, [LinkOut { path: paths[0].clone(), target: case.secret.clone() }]);
    follow(&links);
    assert_eq!(case.at("AGENTS.md").read(100).unwrap().unwrap(), b"SECRET");
    assert!(case.at("AGENTS.md").append_to(0o600).is_err(), "it is read, and not written");
    // Its target becomes a link to something else, then it leads elsewhere itself.
    let other = case.secret.with_file_name("other");
    fs::rename(&case.secret, &other).unwrap();
    symlink(&other, &case.secret).unwrap();
    assert!(case.at("AGENTS.md").read(100).is_err());
    fs::remove_file(case.tree.join("AGENTS.md")).unwrap();
    case.link(&other, "AGENTS.md");
    assert!(case.at("AGENTS.md").read(100).is_err());
}

#[test]
fn without_a_known_root_no_link_is_followed_on_the_way() {
    let scratch = tempfile::tempdir().unwrap();
    let base = scratch.path().canonicalize().unwrap();
    fs::create_dir(base.join("real")).unwrap();
    fs::write(base.join("real/file"), "x").unwrap();
    symlink("real", base.join("link")).unwrap();
    assert!(at(&base.join("real/file")).read(10).unwrap().is_some());
    assert!(at(&base.join("link/file")).read(10).is_err());
}

#[test]
fn a_root_that_became_a_link_is_none() {
    let case = Case::new();
    let tree = case.at("");
    let aside = case.tree.with_file_name("aside");
    fs::rename(&case.tree, &aside).unwrap();
    symlink(&aside, &case.tree).unwrap();
    assert!(case.at("inner/file").read(100).is_err());
    assert!(tree.join("inner/file").read(100).unwrap().is_some(), "what is open stays what it was");
}
