use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use crate::git::ObjectFormat;
use crate::inventory::EntryKind;

fn names(snapshot: &Snapshot) -> Vec<String> {
    snapshot.files.iter().map(|file| String::from_utf8_lossy(&file.path).into_owned()).collect()
}

#[test]
fn a_snapshot_holds_tracked_and_untracked_files_and_all_of_our_own_folder() {
    let scratch = Scratch::committed();
    scratch.write(".gitignore", "target/\n.windlass/\n");
    scratch.write("new.txt", "new");
    scratch.write("target/big.o", "ignored");
    scratch.write(".windlass/workspaces/x/TODO.md", "todo");
    let kept = scratch.keep(1);
    let expected = [".gitignore", ".windlass/workspaces/x/TODO.md", "a.txt", "new.txt", "src/b.txt"];
    assert_eq!(names(&kept), expected);
    assert_eq!(scratch.store().content(&kept.file(b"new.txt").unwrap().content).unwrap(), b"new");
}

#[test]
fn what_was_kept_is_loaded_as_it_was() {
    let scratch = Scratch::committed();
    scratch.write("run.sh", "#!/bin/sh\n");
    scratch.chmod("run.sh", 0o755);
    symlink("a.txt", scratch.path("link")).unwrap();
    let kept = scratch.keep(1);
    let loaded = scratch.store().load(&kept.id).unwrap();
    assert_eq!(loaded, kept);
    assert_eq!(loaded.file(b"run.sh").unwrap().kind, EntryKind::Executable);
    assert_eq!(loaded.file(b"link").unwrap().kind, EntryKind::Symlink);
}

#[test]
fn bytes_are_kept_without_filters() {
    let scratch = Scratch::committed();
    scratch.write(".gitattributes", "* text eol=lf filter=shout\n");
    scratch.git(&["config", "filter.shout.clean", "tr a-z A-Z"]);
    scratch.write("crlf.txt", "one\r\ntwo\r\n");
    let kept = scratch.keep(1);
    let content = scratch.store().content(&kept.file(b"crlf.txt").unwrap().content).unwrap();
    assert_eq!(content, b"one\r\ntwo\r\n");
}

#[test]
fn git_reads_the_store_and_finds_it_sound() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let scratch = Scratch::with_format(format);
        scratch.write("a.b", "1");
        scratch.write("a/b", "2");
        scratch.write("a0", "3");
        scratch.commit_all("first");
        scratch.git(&["gc", "-q"]);
        scratch.write("a/c", "4");
        let kept = scratch.keep(1);
        let store = scratch.state.join("snapshots.git");
        let checked = scratch.git_in(&store, &["fsck", "--strict", "--no-dangling", &kept.id.0]);
        assert!(!checked.contains("error"), "{checked}");
        assert_eq!(scratch.git_in(&store, &["show", &format!("{}:files/a/c", kept.id.0)]), "4");
        // The repository's own commit is there too.
        let head = scratch.git(&["rev-parse", "HEAD"]);
        assert_eq!(scratch.git_in(&store, &["cat-file", "-t", head.trim()]), "commit\n");
    }
}

#[test]
fn the_store_is_its_owners_alone_and_shares_no_inode_with_the_repository() {
    let scratch = Scratch::committed();
    scratch.keep(1);
    let mut folders = vec![scratch.state.join("snapshots.git")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let metadata = entry.metadata().unwrap();
            assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", entry.path().display());
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                assert_eq!(metadata.nlink(), 1, "{}", entry.path().display());
            }
        }
    }
}

#[test]
fn an_unchanged_tree_costs_no_new_file_objects() {
    let scratch = Scratch::committed();
    let (first, second) = (scratch.keep(1), scratch.keep(2));
    assert_eq!(first.files, second.files);
    assert_eq!(first.repository, second.repository);
}

#[test]
fn names_are_listed_in_order_and_found() {
    let scratch = Scratch::committed();
    let first = scratch.keep(1);
    scratch.write("a.txt", "changed");
    let tenth = scratch.keep(10);
    let store = scratch.store();
    let list = store.list(&run()).unwrap();
    assert_eq!(
        list.iter().map(|(name, _)| name.moment.to_string()).collect::<Vec<_>>(),
        ["1-1-after", "10-1-after"]
    );
    let cases = [
        (1, Side::After, &first),
        (10, Side::After, &tenth),
        (2, Side::Before, &first),
        (10, Side::Before, &first),
        (11, Side::Before, &tenth),
    ];
    for (iteration, side, expected) in cases {
        assert_eq!(store.find(&run(), iteration, side).unwrap().1, expected.id, "{iteration} {side:?}");
    }
    assert!(matches!(store.find(&run(), 2, Side::After), Err(SnapshotError::Unknown(_))));
    assert!(matches!(store.find(&run(), 1, Side::Before), Err(SnapshotError::Unknown(_))));
    assert!(matches!(store.find(&run(), 99, Side::Before), Err(SnapshotError::Unknown(_))), "mistyped");
    assert!(store.list(&windlass_core::values::RunId("../x".into())).is_err());
}

#[test]
fn an_object_that_was_damaged_is_said_to_be() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let id = kept.file(b"a.txt").unwrap().content;
    let hex = id.to_string();
    let path = scratch.state.join("snapshots.git/objects").join(&hex[..2]).join(&hex[2..]);
    for damage in [&b""[..], b"garbage", &fs::read(&path).unwrap()[..8]] {
        fs::write(&path, damage).unwrap();
        assert!(matches!(scratch.store().content(&id), Err(SnapshotError::Damaged { .. })));
    }
    // A later snapshot of the same file is whole again when the damage shows (an empty file, as after a power cut).
    fs::write(&path, b"").unwrap();
    scratch.keep(2);
    assert_eq!(scratch.store().content(&id).unwrap(), b"one\n");
}

#[test]
fn without_git_a_walk_finds_the_files() {
    let scratch = Scratch::plain();
    scratch.write(".gitignore", "*.log\n");
    scratch.write("a.txt", "one");
    scratch.write("debug.log", "x");
    scratch.write(".hg/store", "x");
    let kept = scratch.keep(1);
    assert_eq!(names(&kept), [".gitignore", "a.txt"]);
}

#[test]
fn a_further_name_that_a_power_cut_emptied_is_the_older_name_again() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let store = scratch.store();
    let moment = Moment::Iteration { iteration: 2, attempt: 1, side: Side::Before };
    let before = SnapshotName { run: run(), moment };
    store.name(&kept.id, &before).unwrap();
    assert_eq!(store.find(&run(), 2, Side::Before).unwrap(), (before.clone(), kept.id.clone()));
    let path = store.folder().join("refs/windlass").join(run().0).join(before.moment.to_string());
    fs::write(path, "").unwrap();
    assert_eq!(store.find(&run(), 2, Side::Before).unwrap(), (after(1), kept.id));
}

#[test]
fn a_name_that_says_so_already_is_left_alone() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let store = scratch.store();
    let path = store.folder().join("refs/windlass").join(run().0).join(after(1).moment.to_string());
    let inode = || path.metadata().unwrap().ino();
    let there = inode();
    store.name(&kept.id, &after(1)).unwrap();
    assert_eq!(inode(), there);
}

#[test]
fn a_name_that_a_killed_writer_left_half_written_is_tidied_away_and_others_stay() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let store = scratch.store();
    let names = store.folder.join("refs/windlass").join(&run().0);
    let half = names.join(".windlass-s1VqXw.tmp");
    fs::write(&half, "").unwrap();
    store.tidy();
    assert!(!half.exists());
    assert_eq!(store.named(&after(1)).unwrap(), kept.id);
}

#[test]
fn locks_and_samples_of_hooks_are_none_of_the_repositorys_files() {
    let scratch = Scratch::committed();
    for name in ["refs/heads/main.lock", "hooks/pre-push.sample", "hooks/pre-push"] {
        scratch.write(&format!(".git/{name}"), "x");
    }
    let kept = scratch.keep(1);
    let names: Vec<&[u8]> = kept.repository.iter().map(|file| file.name.as_slice()).collect();
    assert!(names.contains(&&b"hooks/pre-push"[..]) && names.contains(&&b"refs/heads/main"[..]));
    assert!(!names.iter().any(|name| name.ends_with(b".lock") || name.ends_with(b".sample")));
}
