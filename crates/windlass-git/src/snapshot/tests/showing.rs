//! What a snapshot shows of its repository.

use std::fs;

use windlass_core::damage::{Operation, Scene};

use super::*;

fn scene(scratch: &Scratch) -> Scene {
    scratch.store().scene(&scratch.keep(1).repository).unwrap()
}

#[test]
fn a_scene_has_the_branch_its_commit_and_each_stash() {
    let scratch = Scratch::committed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let shown = scene(&scratch);
    assert_eq!(shown.branch.as_deref(), Some(b"refs/heads/main".as_slice()));
    assert_eq!(shown.commit.as_deref(), Some(head.trim()));
    assert_eq!(shown.references.len(), 1);
    assert_eq!((shown.stashes.len(), shown.under_way.len(), shown.unusable), (0, 0, None));
    let mut stashes = Vec::new();
    for text in ["one", "other"] {
        scratch.write("a.txt", text);
        scratch.git(&["stash"]);
        stashes.push(scratch.git(&["rev-parse", "stash"]).trim().to_owned());
    }
    assert_eq!(scene(&scratch).stashes, stashes);
    scratch.git(&["checkout", "-q", "--detach"]);
    let shown = scene(&scratch);
    assert_eq!((shown.branch, shown.commit.as_deref()), (None, Some(head.trim())));
}

#[test]
fn what_is_begun_and_not_finished_is_told_from_its_files() {
    for (files, expected) in [
        (&["MERGE_HEAD"][..], Some(Operation::Merge)),
        (&["CHERRY_PICK_HEAD"], Some(Operation::CherryPick)),
        (&["REVERT_HEAD"], Some(Operation::Revert)),
        (&["BISECT_LOG"], Some(Operation::Bisect)),
        (&["BISECT_START"], Some(Operation::Bisect)),
        (&["rebase-apply/applying"], Some(Operation::Am)),
        (&["rebase-apply/onto"], Some(Operation::Rebase)),
        (&["rebase-merge/onto", "MERGE_HEAD"], Some(Operation::Rebase)),
        (&["rebase-merge/onto", "CHERRY_PICK_HEAD", "REVERT_HEAD"], Some(Operation::Rebase)),
        (&["MERGE_MSG"], None),
    ] {
        let scratch = Scratch::committed();
        for file in files {
            let path = scratch.path(&format!(".git/{file}"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x\n").unwrap();
        }
        let under_way: Vec<Operation> = scene(&scratch).under_way.into_iter().collect();
        assert_eq!(under_way, expected.into_iter().collect::<Vec<_>>(), "{files:?}");
    }
}
