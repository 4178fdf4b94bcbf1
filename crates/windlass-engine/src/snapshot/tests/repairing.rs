use std::fs;

use super::*;
use crate::git::{Head, ObjectFormat};

fn repair_now(scratch: &Scratch, target: &Snapshot) -> Repaired {
    repair(&mut scratch.store(), target, &run()).unwrap()
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
        scratch.git(&["add", "-A"]);
        scratch.git(&["commit", "-q", "-m", "first"]);
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
    let crate::git::Found::Worktree(repository) = crate::git::Repository::find(&linked).unwrap() else {
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

#[test]
fn a_persons_configuration_and_foreign_locks_are_left_alone_and_named() {
    let scratch = Scratch::committed();
    let kept = scratch.keep(1);
    scratch.git(&["config", "alias.x", "status"]);
    scratch.write(".git/index.lock", "");
    scratch.git(&["update-ref", "-d", "refs/heads/main"]);
    let repaired = repair_now(&scratch, &kept);
    assert_eq!(repaired.left_alone.len(), 2, "{:?}", repaired.left_alone);
    assert_eq!(scratch.git(&["config", "alias.x"]), "status\n");
    assert!(scratch.has(".git/index.lock"));
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
