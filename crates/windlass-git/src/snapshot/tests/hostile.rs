use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use super::*;

fn reason(snapshot: &Snapshot, path: &str) -> Option<LeftOutReason> {
    snapshot.left_out.iter().find(|left| left.path == path.as_bytes()).map(|left| left.reason)
}

#[test]
fn any_name_is_kept_and_restored() {
    let scratch = Scratch::committed();
    let names: [&[u8]; 6] =
        [b"-rf", b"line\nend", "🚀 space".as_bytes(), b"bad\xffutf8", b"back\\slash", b"\"quoted\""];
    for name in names {
        fs::write(scratch.top.join(OsStr::from_bytes(name)), name).unwrap();
    }
    let before = listing(&scratch.top);
    let kept = scratch.keep(1);
    for name in names {
        fs::remove_file(scratch.top.join(OsStr::from_bytes(name))).unwrap();
    }
    scratch.restore(&kept);
    assert_eq!(listing(&scratch.top), before);
}

#[test]
fn a_pipe_a_large_file_and_a_link_that_loops_hold_nothing_up() {
    let scratch = Scratch::plain();
    scratch.write("a.txt", "one");
    let file = fs::File::create(scratch.path("large.bin")).unwrap();
    file.set_len(60 * 1024 * 1024).unwrap();
    symlink("loop", scratch.path("loop")).unwrap();
    symlink(".", scratch.path("self")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(rustix::fs::CWD, scratch.path("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let kept = scratch.keep(1);
    assert_eq!(reason(&kept, "large.bin"), Some(LeftOutReason::TooLarge));
    assert_eq!(reason(&kept, "pipe"), Some(LeftOutReason::NotAFile));
    assert!(kept.file(b"loop").is_some() && kept.file(b"self").is_some());
    fs::write(scratch.path("a.txt"), "two").unwrap();
    let restored = scratch.restore(&kept);
    assert_eq!(scratch.read("a.txt"), "one");
    assert!(scratch.has("large.bin") && scratch.has("pipe"));
    assert!(restored.left_alone.iter().any(|left| left.path == b"large.bin"));
}

#[test]
fn files_that_nobody_may_read_are_named_and_stay() {
    if rustix::process::geteuid().is_root() {
        say("skipped, because root may read everything");
        return;
    }
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    scratch.write("secret", "x");
    scratch.chmod("secret", 0);
    scratch.chmod("a.txt", 0);
    let second = scratch.keep(2);
    assert_eq!(reason(&second, "secret"), Some(LeftOutReason::Unreadable));
    let restored = scratch.restore(&kept);
    assert!(scratch.has("secret"));
    assert!(
        restored.left_alone.iter().any(|left| left.path == b"a.txt" && left.why == WhyLeft::CannotBeKept)
    );
}

#[test]
fn a_folder_that_nobody_may_write_in_is_reported_and_the_rest_is_restored() {
    if rustix::process::geteuid().is_root() {
        say("skipped, because root may write everywhere");
        return;
    }
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    scratch.write("src/b.txt", "changed");
    scratch.write("a.txt", "changed");
    scratch.chmod("src", 0o555);
    let restored = scratch.restore(&kept);
    scratch.chmod("src", 0o755);
    assert_eq!(scratch.read("a.txt"), "one\n");
    assert!(matches!(restored.left_alone.as_slice(), [LeftAlone { why: WhyLeft::Failed(_), .. }]));
}

#[test]
fn read_only_files_are_replaced() {
    let scratch = Scratch::committed();
    scratch.chmod("a.txt", 0o444);
    let kept = scratch.keep(1);
    scratch.chmod("a.txt", 0o644);
    scratch.write("a.txt", "changed");
    scratch.chmod("a.txt", 0o444);
    scratch.restore(&kept);
    assert_eq!(scratch.read("a.txt"), "one\n");
}

#[test]
fn a_submodules_content_is_left_out_and_left_alone() {
    let scratch = Scratch::committed();
    let inner = Scratch::committed();
    let url = inner.top.to_str().unwrap();
    scratch.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "inner"]);
    scratch.git(&["init", "-q", "embedded"]);
    scratch.write("embedded/x", "x");
    let kept = scratch.keep(1);
    assert_eq!(reason(&kept, "inner"), Some(LeftOutReason::Submodule));
    assert_eq!(reason(&kept, "embedded"), Some(LeftOutReason::Submodule));
    let commit = inner.git(&["rev-parse", "HEAD"]);
    assert_eq!(format!("{}\n", kept.file(b"inner").unwrap().content), commit);
    scratch.write("inner/a.txt", "changed");
    let restored = scratch.restore(&kept);
    assert!(restored.before.is_none());
    assert_eq!(scratch.read("inner/a.txt"), "changed");
    assert_eq!(scratch.read("embedded/x"), "x");
}

#[test]
fn an_object_that_cannot_be_read_is_not_one_that_is_missing() {
    let scratch = Scratch::committed();
    let content = scratch.keep(1).file(b"a.txt").unwrap().content;
    let name = content.to_string();
    let (first, rest) = name.split_at(2);
    let object = scratch.state.join("snapshots.git/objects").join(first).join(rest);
    fs::remove_file(&object).unwrap();
    assert!(matches!(scratch.store().content(&content), Err(SnapshotError::Missing(_))));
    symlink(&object, &object).unwrap();
    assert!(matches!(scratch.store().content(&content), Err(SnapshotError::File(_))));
}

#[test]
fn a_tree_over_the_total_cap_is_kept_as_far_as_it_goes() {
    let scratch = Scratch::repository();
    for name in ["a", "b", "c"] {
        scratch.write(name, [0; 400]);
    }
    scratch.write("d", "small");
    let mut surveyor = scratch.surveyor();
    let inventory = surveyor.survey(&[]).unwrap();
    let mut store = scratch.store().with_caps(Caps { file: 500, total: 900 });
    let kept = store.keep(surveyor.place(), &inventory, &after(1)).unwrap();
    assert_eq!(kept.files.len(), 3);
    assert_eq!(reason(&kept, "c"), Some(LeftOutReason::OverTotal));
    // As large as it may be, the file and all together.
    let mut store = scratch.store().with_caps(Caps { file: 400, total: 1205 });
    assert_eq!(store.keep(surveyor.place(), &inventory, &after(2)).unwrap().files.len(), 4);
}

#[test]
fn a_broken_repository_does_not_keep_the_files_from_being_kept() {
    let scratch = Scratch::committed();
    scratch.write(".git/index", "garbage");
    let mut surveyor = scratch.surveyor();
    let inventory = surveyor.survey(&[]).unwrap();
    assert!(inventory.trouble.is_some());
    assert_eq!(crate::testing::paths(&inventory), ["a.txt", "src/b.txt"]);
    assert_eq!(scratch.keep(1).files.len(), 2);
}
