use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::git::{Head, ObjectFormat};

fn repair_now(scratch: &Scratch, target: &Snapshot) -> Repaired {
    repair(&mut scratch.store(), target, &run(), RepairScope::Everything).unwrap()
}

/// What a person would look at.
fn state(scratch: &Scratch) -> [String; 4] {
    [
        scratch.git(&["for-each-ref"]),
        scratch.git(&["symbolic-ref", "HEAD"]),
        scratch.git(&["status", "--porcelain"]),
        scratch.git(&["fsck", "--no-dangling", "--strict"]),
    ]
}

#[test]
fn a_repository_that_is_gone_comes_back() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let scratch = Scratch::with_format(format);
        scratch.write("a.txt", "one\n");
        scratch.commit_all("first");
        scratch.git(&["branch", "packed"]);
        scratch.git(&["gc", "-q"]);
        scratch.git(&["tag", "-a", "-m", "tag", "v1"]);
        scratch.write("staged.txt", "staged");
        scratch.git(&["add", "staged.txt"]);
        scratch.write("untracked.txt", "untracked");
        let kept = scratch.keep(1);
        let before = state(&scratch);
        fs::remove_dir_all(scratch.path(".git")).unwrap();
        fs::remove_file(scratch.path("a.txt")).unwrap();
        let repaired = repair_now(&scratch, &kept);
        assert_eq!(repaired.left_alone, Vec::<String>::new());
        assert_eq!(repair_now(&scratch, &kept).done, 0, "there is nothing left to do");
        scratch.restore(&kept);
        assert_eq!(state(&scratch), before);
    }
}

#[test]
fn references_that_were_moved_or_deleted_come_back_and_newer_ones_stay() {
    let scratch = Scratch::committed();
    let first = scratch.git(&["rev-parse", "HEAD"]);
    scratch.git(&["branch", "gone"]);
    scratch.git(&["pack-refs", "--all"]);
    let kept = scratch.keep(1);
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "later"]);
    let later = scratch.git(&["rev-parse", "HEAD"]);
    scratch.git(&["branch", "newer"]);
    scratch.git(&["branch", "-D", "gone"]);
    scratch.git(&["checkout", "-q", "--detach"]);
    scratch.git(&["pack-refs", "--all"]);
    let repaired = repair_now(&scratch, &kept);
    assert_eq!(scratch.git(&["symbolic-ref", "HEAD"]), "refs/heads/main\n");
    for (branch, commit) in [("main", &first), ("gone", &first), ("newer", &later)] {
        assert_eq!(&scratch.git(&["rev-parse", &format!("refs/heads/{branch}")]), commit, "{branch}");
    }
    // What was there is kept: the later commit's branch can be brought back.
    let (_, id) = repaired.before.unwrap();
    repair_now(&scratch, &scratch.store().load(&id).unwrap());
    assert_eq!(scratch.git(&["rev-parse", "HEAD"]), later);
}

#[test]
fn objects_that_vanished_or_were_cut_short_come_back() {
    let scratch = Scratch::committed();
    scratch.git(&["gc", "-q"]);
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "loose"]);
    let kept = scratch.keep(1);
    let objects = scratch.path(".git/objects");
    for folder in
        fs::read_dir(&objects).unwrap().map(Result::unwrap).filter(|entry| entry.file_name().len() == 2)
    {
        fs::remove_dir_all(folder.path()).unwrap();
    }
    for pack in fs::read_dir(objects.join("pack")).unwrap().map(Result::unwrap) {
        fs::set_permissions(pack.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        fs::write(pack.path(), "cut").unwrap();
    }
    repair_now(&scratch, &kept);
    let (sound, said) = scratch.try_git(&scratch.top, &["fsck", "--no-dangling"]);
    assert!(sound, "{said}");
}

#[test]
fn a_linked_working_tree_comes_back() {
    let scratch = Scratch::committed();
    let linked = scratch.state.with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let crate::git::FoundRepository::Worktree(repository) = crate::git::Repository::find(&linked).unwrap()
    else {
        panic!()
    };
    assert!(repository.is_linked());
    let Head::Branch { branch, .. } = repository.head().unwrap() else { panic!() };
    assert_eq!(branch, b"refs/heads/side");
    let place = crate::inventory::Place::new(&linked, Some(repository.clone()));
    let mut surveyor = crate::inventory::Surveyor::new(place.clone());
    let inventory = surveyor.survey(&[]).unwrap();
    let kept = scratch.store().keep(&place, &inventory, &after(1)).unwrap();
    fs::remove_dir_all(&repository.git_dir).unwrap();
    fs::remove_file(linked.join(".git")).unwrap();
    scratch.git(&["update-ref", "-d", "refs/heads/side"]);
    let repaired = repair_now(&scratch, &kept);
    assert_eq!(repaired.left_alone, Vec::<String>::new());
    assert_eq!(scratch.git_in(&linked, &["symbolic-ref", "HEAD"]), "refs/heads/side\n");
    assert_eq!(scratch.git_in(&linked, &["status", "--porcelain"]), "");
    // The main working tree is as it was.
    assert_eq!(scratch.git(&["symbolic-ref", "HEAD"]), "refs/heads/main\n");
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
}

/// A linked working tree, and a snapshot of it; in the main one something is staged and a merge under way.
fn kept_from_a_linked_tree(scratch: &Scratch) -> (PathBuf, Snapshot) {
    let linked = scratch.state.with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    scratch.git_in(&linked, &["commit", "-q", "--allow-empty", "-m", "side"]);
    scratch.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    scratch.write("a.txt", "staged\n");
    scratch.git(&["add", "a.txt"]);
    scratch.git(&["update-index", "--split-index"]);
    let found = crate::git::Repository::find(&linked).unwrap();
    let crate::git::FoundRepository::Worktree(repository) = found else { panic!() };
    let place = crate::inventory::Place::new(&linked, Some(repository));
    let inventory = crate::inventory::Surveyor::new(place.clone()).survey(&[]).unwrap();
    let kept = scratch.store().keep(&place, &inventory, &after(1)).unwrap();
    (linked, kept)
}

#[test]
fn from_a_linked_working_tree_the_main_one_comes_back_too() {
    let scratch = Scratch::committed();
    let (linked, kept) = kept_from_a_linked_tree(&scratch);
    let looks = || {
        let under_way = fs::read(scratch.path(".git/MERGE_HEAD")).unwrap();
        let status = |tree: &Path| scratch.git_in(tree, &["status", "--porcelain=v2", "--branch"]);
        (status(&scratch.top), status(&linked), under_way)
    };
    let before = looks();
    fs::remove_dir_all(scratch.path(".git")).unwrap();
    let repaired = repair_now(&scratch, &kept);
    assert_eq!(repaired.left_alone, Vec::<String>::new());
    assert_eq!(looks(), before);
    assert_eq!(repair_now(&scratch, &kept).done, 0);
}

#[test]
fn what_an_earlier_release_did_not_keep_of_the_main_working_tree_is_said() {
    let scratch = Scratch::committed();
    let (linked, mut kept) = kept_from_a_linked_tree(&scratch);
    kept.repository.retain(|file| !file.name.starts_with(b"main-worktree/"));
    assert_eq!(repair_now(&scratch, &kept).left_alone, Vec::<String>::new());
    fs::remove_dir_all(scratch.path(".git")).unwrap();
    let [said] = &repair_now(&scratch, &kept).left_alone[..] else { panic!() };
    assert!(said.contains(".git/HEAD is gone, and this snapshot does not have it"), "{said}");
    assert_eq!(scratch.git_in(&linked, &["symbolic-ref", "HEAD"]), "refs/heads/side\n");
}

#[test]
fn from_a_linked_working_tree_a_main_one_that_has_moved_on_is_left_as_it_is() {
    let scratch = Scratch::committed();
    let (_, kept) = kept_from_a_linked_tree(&scratch);
    scratch.git(&["commit", "-q", "-m", "merged"]);
    scratch.git(&["checkout", "-q", "-b", "later"]);
    assert_eq!(repair_now(&scratch, &kept).left_alone, ["gone on since, and not moved: main"]);
    assert_eq!(scratch.git(&["symbolic-ref", "HEAD"]), "refs/heads/later\n");
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
    assert!(!scratch.has(".git/MERGE_HEAD"), "the merge has come to its end");
}

#[test]
fn another_working_tree_comes_back_and_one_that_has_moved_on_stays() {
    let scratch = Scratch::committed();
    let linked = scratch.state.with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let kept = scratch.keep(1);
    scratch.git_in(&linked, &["checkout", "-q", "-b", "later"]);
    repair_now(&scratch, &kept);
    assert_eq!(scratch.git_in(&linked, &["symbolic-ref", "HEAD"]), "refs/heads/later\n");
    fs::remove_file(scratch.path(".git/worktrees/linked/HEAD")).unwrap();
    repair_now(&scratch, &kept);
    assert_eq!(scratch.git_in(&linked, &["symbolic-ref", "HEAD"]), "refs/heads/side\n");
}

#[test]
fn settings_hooks_locks_and_what_is_under_way_are_made_what_they_were() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::committed();
    scratch.write(".git/hooks/pre-push", "#!/bin/sh\n");
    fs::set_permissions(scratch.path(".git/hooks/pre-push"), PermissionsExt::from_mode(0o755)).unwrap();
    let kept = scratch.keep(1);
    scratch.git(&["config", "core.fsmonitor", "rm -rf /"]);
    scratch.write(".git/hooks/pre-commit", "exit 1");
    scratch.write(".git/hooks/pre-push", "exit 1");
    scratch.write(".git/MERGE_HEAD", "nothing");
    scratch.write(".git/rebase-merge/done", "pick");
    scratch.write(".git/refs/bisect/bad", "0");
    for lock in ["index.lock", "config.lock", "refs/heads/main.lock"] {
        scratch.write(&format!(".git/{lock}"), "");
    }
    let repaired = repair_now(&scratch, &kept);
    assert_eq!(repaired.left_alone, Vec::<String>::new());
    for gone in
        ["hooks/pre-commit", "MERGE_HEAD", "rebase-merge", "refs/bisect/bad", "index.lock", "config.lock"]
    {
        assert!(!scratch.has(&format!(".git/{gone}")), "{gone}");
    }
    assert!(!scratch.try_git(&scratch.top, &["config", "core.fsmonitor"]).0);
    assert_eq!(fs::read(scratch.path(".git/hooks/pre-push")).unwrap(), b"#!/bin/sh\n");
    let mode = fs::metadata(scratch.path(".git/hooks/pre-push")).unwrap().permissions().mode();
    assert_eq!(mode & 0o100, 0o100);
    // What was there is kept.
    let (_, id) = repaired.before.unwrap();
    repair_now(&scratch, &scratch.store().load(&id).unwrap());
    assert!(scratch.has(".git/hooks/pre-commit") && scratch.has(".git/rebase-merge/done"));
}

#[test]
fn a_merge_under_way_comes_back() {
    let scratch = Scratch::committed();
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write("a.txt", "side\n");
    scratch.git(&["commit", "-q", "-a", "-m", "side"]);
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("a.txt", "main\n");
    scratch.git(&["commit", "-q", "-a", "-m", "main"]);
    assert!(!scratch.try_git(&scratch.top, &["merge", "side"]).0);
    let (before, files) = (scratch.git(&["status", "--porcelain=v2"]), listing(&scratch.top));
    let kept = scratch.keep(1);
    scratch.git(&["merge", "--abort"]);
    repair_now(&scratch, &kept);
    scratch.restore(&kept);
    assert_eq!((scratch.git(&["status", "--porcelain=v2"]), listing(&scratch.top)), (before, files));
    assert!(scratch.has(".git/MERGE_HEAD") && scratch.has(".git/MERGE_MSG"));
}

#[test]
fn a_snapshot_of_an_earlier_release_says_nothing_of_hooks_and_what_is_under_way() {
    let scratch = Scratch::committed();
    let mut kept = scratch.keep(1);
    kept.place.is_complete = false;
    scratch.write(".git/hooks/pre-commit", "exit 1");
    scratch.write(".git/MERGE_HEAD", "nothing");
    repair_now(&scratch, &kept);
    assert!(scratch.has(".git/hooks/pre-commit") && scratch.has(".git/MERGE_HEAD"));
}

#[test]
fn a_branch_in_the_way_of_another_is_removed_and_kept() {
    let scratch = Scratch::committed();
    scratch.git(&["branch", "a"]);
    scratch.git(&["branch", "b/c"]);
    let kept = scratch.keep(1);
    let before = scratch.git(&["for-each-ref"]);
    scratch.git(&["branch", "-D", "a"]);
    scratch.git(&["branch", "a/x"]);
    scratch.git(&["branch", "-D", "b/c"]);
    scratch.git(&["branch", "b"]);
    let repaired = repair_now(&scratch, &kept);
    assert_eq!(scratch.git(&["for-each-ref"]), before);
    assert_eq!(repaired.left_alone.len(), 2, "{:?}", repaired.left_alone);
}

#[test]
fn something_else_in_the_place_of_the_repository_is_moved_aside() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    let before = state(&scratch);
    fs::remove_dir_all(scratch.path(".git")).unwrap();
    scratch.write(".git", "nothing");
    // git itself cannot even say that there is no repository.
    let mut store = Store::open(&scratch.state, ObjectFormat::Sha1).unwrap();
    repair(&mut store, &kept, &run(), RepairScope::Everything).unwrap();
    assert_eq!(fs::read(scratch.path(".git.aside-1")).unwrap(), b"nothing");
    fs::remove_file(scratch.path(".git.aside-1")).unwrap();
    assert_eq!(state(&scratch), before);
}

#[test]
fn a_stash_that_was_dropped_comes_back() {
    let scratch = Scratch::committed();
    for text in ["one", "two"] {
        scratch.write("a.txt", text);
        scratch.git(&["stash", "-q"]);
    }
    let kept = scratch.keep(1);
    let before = scratch.git(&["stash", "list"]);
    for lost in [&["stash", "drop", "-q"][..], &["stash", "clear"]] {
        scratch.git(lost);
        repair_now(&scratch, &kept);
        assert_eq!(scratch.git(&["stash", "list"]), before);
    }
    assert_eq!(scratch.git(&["show", "stash@{1}:a.txt"]), "one");
}

#[test]
fn a_repository_without_a_commit_comes_back() {
    let scratch = Scratch::repository();
    scratch.write("a.txt", "one");
    scratch.git(&["add", "a.txt"]);
    let kept = scratch.keep(1);
    fs::remove_dir_all(scratch.path(".git")).unwrap();
    repair_now(&scratch, &kept);
    assert_eq!(scratch.git(&["status", "--porcelain"]), "A  a.txt\n");
}

#[test]
fn references_in_tables_come_back() {
    let scratch = Scratch::plain();
    let (there, said) = scratch.try_git(&scratch.top, &["init", "-q", "-b", "main", "--ref-format=reftable"]);
    if !there {
        say(&format!("skipped, because this git has no reftable: {said}"));
        return;
    }
    scratch.write("a.txt", "one");
    scratch.git(&["add", "-A"]);
    scratch.git(&["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "first"]);
    let Head::Branch { branch, commit } = scratch.found().head().unwrap() else { panic!() };
    assert_eq!(
        (branch, format!("{commit}\n")),
        (b"refs/heads/main".to_vec(), scratch.git(&["rev-parse", "HEAD"]))
    );
    let kept = scratch.keep(1);
    let before = scratch.git(&["for-each-ref"]);
    fs::remove_dir_all(scratch.path(".git")).unwrap();
    repair_now(&scratch, &kept);
    assert_eq!(scratch.git(&["for-each-ref"]), before);
}

#[test]
fn commits_that_are_made_between_two_snapshots_are_copied_as_well() {
    let scratch = Scratch::committed();
    let (mut store, mut surveyor) = (scratch.store(), scratch.surveyor());
    let mut kept = Vec::new();
    for iteration in 1..=3 {
        scratch.write("a.txt", format!("iteration {iteration}\n"));
        scratch.git(&["commit", "-q", "-a", "-m", "more"]);
        let inventory = surveyor.survey(&[]).unwrap();
        kept.push(store.keep(surveyor.place(), &inventory, &after(iteration)).unwrap());
    }
    let head = scratch.git(&["rev-parse", "HEAD"]);
    fs::remove_dir_all(scratch.path(".git")).unwrap();
    repair_now(&scratch, &kept[2]);
    assert_eq!(scratch.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(scratch.git(&["show", "HEAD:a.txt"]), "iteration 3\n");
    assert!(scratch.try_git(&scratch.top, &["fsck", "--strict"]).0);
}

#[test]
fn what_has_gone_on_stays_also_where_git_cannot_read_the_repository() {
    let scratch = Scratch::committed();
    scratch.git(&["branch", "feature"]);
    let kept = scratch.keep(1);
    let first = scratch.git(&["rev-parse", "HEAD"]);
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "later"]);
    scratch.git(&["branch", "-qf", "feature", "main"]);
    let later = scratch.git(&["rev-parse", "HEAD"]);
    fs::remove_file(scratch.path(".git/HEAD")).unwrap();
    let repaired = repair_now(&scratch, &kept);
    assert_eq!(repaired.left_alone, ["gone on since, and not moved: feature"]);
    let names: Vec<&[u8]> = repaired.moved.iter().map(|moved| moved.name.as_slice()).collect();
    assert_eq!(names, [b"refs/heads/main"]);
    assert_eq!(scratch.git(&["rev-parse", "main"]), first);
    assert_eq!(scratch.git(&["rev-parse", "feature"]), later);
}
