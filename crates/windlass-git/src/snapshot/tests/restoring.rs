use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn why(restored: &Restored, path: &str) -> Option<WhyLeft> {
    restored.left_alone.iter().find(|left| left.path == path.as_bytes()).map(|left| left.why.clone())
}

#[test]
fn files_become_what_they_were_and_new_ones_go() {
    let scratch = Scratch::committed();
    scratch.write("tool", "#!/bin/sh\n");
    scratch.chmod("tool", 0o755);
    symlink("a.txt", scratch.path("link")).unwrap();
    let kept = scratch.keep(1);
    let before = listing(&scratch.top);
    scratch.write("a.txt", "changed");
    fs::remove_dir_all(scratch.path("src")).unwrap();
    fs::remove_file(scratch.path("link")).unwrap();
    symlink("/etc/passwd", scratch.path("link")).unwrap();
    scratch.chmod("tool", 0o644);
    scratch.write("deep/er/new.txt", "new");
    let restored = scratch.restore(&kept);
    assert_eq!(listing(&scratch.top), before);
    assert!(!scratch.has("deep"), "a folder that became empty goes too");
    assert_eq!((restored.written.len(), restored.removed.len(), restored.unchanged), (4, 1, 0));
    assert_eq!(restored.left_alone, []);
}

#[test]
fn a_restore_is_undone_by_the_command_it_prints() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    scratch.write("a.txt", "later work");
    scratch.write("b.txt", "more of it");
    let before = listing(&scratch.top);
    let restored = scratch.restore(&kept);
    assert_eq!(restored.undo().unwrap(), "windlass restore r-test0001 before-restore-1");
    let (name, id) = restored.before.unwrap();
    assert_eq!(scratch.store().named(&name).unwrap(), id);
    let undone = scratch.restore(&scratch.store().load(&id).unwrap());
    assert_eq!(listing(&scratch.top), before);
    assert_eq!(undone.undo().unwrap(), "windlass restore r-test0001 before-restore-2");
}

#[test]
fn what_a_look_that_stopped_early_did_not_come_to_stays() {
    let scratch = Scratch::committed();
    let mut kept = scratch.keep(1);
    kept.left_out.push(LeftOut { path: b"many".to_vec(), reason: LeftOutReason::Bound, size: 0 });
    scratch.write("new", "perhaps it was there");
    let restored = scratch.restore(&kept);
    assert_eq!(why(&restored, "new"), Some(WhyLeft::NotInSnapshot(LeftOutReason::Bound)));
    assert!(scratch.has("new"));
}

#[test]
fn nothing_to_do_takes_no_snapshot() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let restored = scratch.restore(&kept);
    assert_eq!((restored.before, restored.unchanged), (None, 2));
}

#[test]
fn ignored_files_stay_whichever_rules_ignore_them() {
    let scratch = Scratch::committed();
    scratch.write(".gitignore", "/secret\nout/\n");
    scratch.write("secret", "key");
    scratch.write("out/deep/x", "x");
    let kept = scratch.keep(1);
    // The rules of now no longer hide them.
    scratch.write(".gitignore", "other\n");
    scratch.write("other", "ignored by the rules of now");
    let restored = scratch.restore(&kept);
    assert_eq!(scratch.read("secret"), "key");
    assert_eq!(scratch.read("out/deep/x"), "x");
    assert!(scratch.has("other"));
    assert_eq!(why(&restored, "secret"), Some(WhyLeft::Ignored));
    assert_eq!(scratch.read(".gitignore"), "/secret\nout/\n");
}

#[test]
fn a_file_that_is_ignored_now_is_kept_before_it_is_replaced() {
    let scratch = Scratch::committed();
    scratch.write("notes", "old");
    let kept = scratch.keep(1);
    scratch.write(".gitignore", "notes\n");
    scratch.write("notes", "new, and hidden");
    let restored = scratch.restore(&kept);
    assert_eq!(scratch.read("notes"), "old");
    let before = scratch.store().load(&restored.before.unwrap().1).unwrap();
    let content = before.file(b"notes").unwrap().content;
    assert_eq!(scratch.store().content(&content).unwrap(), b"new, and hidden");
}

#[test]
fn files_and_folders_that_changed_places_change_back() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let before = listing(&scratch.top);
    fs::remove_file(scratch.path("a.txt")).unwrap();
    scratch.write("a.txt/inside", "x");
    fs::remove_dir_all(scratch.path("src")).unwrap();
    scratch.write("src", "a file now");
    scratch.restore(&kept);
    assert_eq!(listing(&scratch.top), before);
}

#[test]
fn nothing_is_written_through_a_link_that_leads_out() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let outside = scratch.state.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b.txt"), "not ours").unwrap();
    fs::remove_dir_all(scratch.path("src")).unwrap();
    symlink(&outside, scratch.path("src")).unwrap();
    scratch.restore(&kept);
    assert_eq!(fs::read_to_string(outside.join("b.txt")).unwrap(), "not ours");
    assert_eq!(scratch.read("src/b.txt"), "two\n");
    assert!(scratch.path("src").symlink_metadata().unwrap().is_dir());
}

#[test]
fn an_ignored_link_in_place_of_a_folder_is_left_alone() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let outside = scratch.state.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(scratch.path("src")).unwrap();
    symlink(&outside, scratch.path("src")).unwrap();
    scratch.write(".git/info/exclude", "/src\n");
    let restored = scratch.restore(&kept);
    assert_eq!(why(&restored, "src/b.txt"), Some(WhyLeft::InTheWay));
    assert!(!outside.join("b.txt").exists());
}

#[test]
fn a_folder_with_ignored_files_is_not_sacrificed_for_a_file() {
    let scratch = Scratch::committed();
    scratch.write(".gitignore", "*.key\n");
    let kept = scratch.keep(1);
    fs::remove_file(scratch.path("a.txt")).unwrap();
    scratch.write("a.txt/my.key", "precious");
    let restored = scratch.restore(&kept);
    assert_eq!(why(&restored, "a.txt"), Some(WhyLeft::InTheWay));
    assert_eq!(scratch.read("a.txt/my.key"), "precious");
}

#[test]
fn what_cannot_be_kept_is_neither_replaced_nor_removed() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    scratch.write("a.txt", "a large one now");
    scratch.write("new", "and another");
    let mut store = scratch.store().with_caps(Caps { file: 5, total: 1000 });
    let plan = plan_restore(&mut scratch.surveyor(), &store, &kept).unwrap();
    assert!(plan.is_empty());
    let restored = restore(&mut store, &plan, &run()).unwrap();
    assert_eq!(why(&restored, "a.txt"), Some(WhyLeft::CannotBeKept));
    assert_eq!(why(&restored, "new"), Some(WhyLeft::CannotBeKept));
    // The cap for all files together shows only when they are kept.
    let mut store = scratch.store().with_caps(Caps { file: 1000, total: 20 });
    let plan = plan_restore(&mut scratch.surveyor(), &store, &kept).unwrap();
    let restored = restore(&mut store, &plan, &run()).unwrap();
    assert_eq!(why(&restored, "new"), Some(WhyLeft::CannotBeKept));
    assert!(scratch.has("new"));
}

#[test]
fn permissions_of_a_file_that_is_rewritten_stay() {
    let scratch = Scratch::committed();
    scratch.chmod("a.txt", 0o600);
    let kept = scratch.keep(1);
    scratch.write("a.txt", "changed");
    scratch.restore(&kept);
    assert_eq!(fs::metadata(scratch.path("a.txt")).unwrap().permissions().mode() & 0o777, 0o600);
}

// attack(files): a file that only its owner may read is deleted, or put there again for everybody to read; a folder that only its owner may enter is deleted
// holds: it comes back as it was, and nobody else may read it; others get what the system gives to new files and folders
#[test]
fn what_was_its_owners_alone_is_so_again() {
    let scratch = Scratch::committed();
    for name in [".env", "key", "run", "shared"] {
        scratch.write(name, name);
    }
    scratch.chmod(".env", 0o600);
    scratch.chmod("key", 0o400);
    scratch.chmod("run", 0o700);
    for folder in ["mine/open", "ours/mine", "ours/theirs"] {
        scratch.write(&format!("{folder}/file"), folder);
    }
    scratch.chmod("mine", 0o700);
    scratch.chmod("ours/mine", 0o700);
    let kept = scratch.keep(1);
    for name in [".env", "key", "run", "shared"] {
        fs::remove_file(scratch.path(name)).unwrap();
    }
    scratch.write("key", "for everybody");
    scratch.chmod("key", 0o644);
    scratch.restore(&kept);
    fs::remove_dir_all(scratch.path("mine")).unwrap();
    fs::remove_dir_all(scratch.path("ours")).unwrap();
    scratch.restore(&kept);
    let of_others = |name: &str| fs::metadata(scratch.path(name)).unwrap().permissions().mode() & 0o077;
    assert_eq!([".env", "key", "run", "mine", "ours/mine"].map(of_others), [0; 5]);
    scratch.write("fresh/file", "");
    assert_eq!(of_others("shared"), of_others("fresh/file"));
    for name in ["ours", "ours/theirs", "mine/open"] {
        assert_eq!(of_others(name), of_others("fresh"), "{name}");
    }
}

#[test]
fn a_restore_that_was_cut_off_is_finished_by_the_next() {
    let scratch = Scratch::committed();
    for number in 0..20 {
        scratch.write(&format!("f{number:02}"), format!("{number}"));
    }
    let kept = scratch.keep(1);
    let before = listing(&scratch.top);
    for number in 0..20 {
        scratch.write(&format!("f{number:02}"), "changed");
        scratch.write(&format!("new{number:02}"), "new");
    }
    // As it looks when the process was killed in the middle: some done, one half-written under its temporary name.
    for number in 0..7 {
        scratch.write(&format!("f{number:02}"), format!("{number}"));
        fs::remove_file(scratch.path(&format!("new{number:02}"))).unwrap();
    }
    scratch.write(".windlass-restore-abc123.tmp", "hal");
    scratch.restore(&kept);
    assert_eq!(listing(&scratch.top), before);
}

#[test]
fn a_snapshot_of_another_folder_is_refused() {
    let (one, other) = (Scratch::committed(), Scratch::committed());
    let kept = one.keep(1);
    let refused = plan_restore(&mut other.surveyor(), &one.store(), &kept);
    assert!(matches!(refused, Err(RestoreError::OtherPlace { .. })));
}

#[test]
fn a_plan_changes_nothing() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    scratch.write("a.txt", "changed");
    scratch.write("new", "new");
    let before = listing(&scratch.top);
    let names = scratch.store().list(&run()).unwrap();
    let plan = plan_restore(&mut scratch.surveyor(), &scratch.store(), &kept).unwrap();
    assert_eq!((plan.write.len(), plan.remove.clone()), (1, vec![b"new".to_vec()]));
    assert_eq!(listing(&scratch.top), before);
    assert_eq!(scratch.store().list(&run()).unwrap(), names);
}
