//! Commits beside the branch, and what is taken out of the index with them.

use std::time::Duration;

use super::judge;
use crate::commit::{Candidate, CommitHooks, commit_aside, unstage};
use crate::git::{Head, ObjectId};
use crate::inventory::Inventory;
use crate::testing::Scratch;

fn aside(scratch: &Scratch, before: &Inventory, parent: Option<ObjectId>) -> Option<ObjectId> {
    let judged = judge(scratch, before);
    let candidate = Candidate {
        inventory: &judged.inventory,
        changed: &judged.changed,
        message: "Kept\n",
        hooks: CommitHooks::Run,
        timeout: Duration::from_mins(1),
    };
    commit_aside(&scratch.found(), &scratch.store(), &candidate, parent).unwrap()
}

fn head(scratch: &Scratch) -> ObjectId {
    let Head::Branch { commit, .. } = scratch.found().head().unwrap() else { panic!("no branch") };
    commit
}

#[test]
fn work_is_kept_beside_the_branch_and_what_is_there_already_is_not() {
    let scratch = Scratch::committed();
    let before = scratch.survey();
    let parent = head(&scratch);
    scratch.write("a.txt", "changed\n");
    let kept = aside(&scratch, &before, Some(parent)).expect("a change").to_string();
    assert_eq!(
        scratch.git(&["show", "--format=%P %s", "--name-only", &kept]),
        format!("{parent} Kept\n\na.txt\n")
    );
    assert_eq!(head(&scratch), parent);
    assert_eq!(scratch.git(&["status", "--porcelain"]), " M a.txt\n");
    scratch.commit_all("The same");
    assert_eq!(aside(&scratch, &before, Some(head(&scratch))), None, "it would hold nothing");
    let alone = aside(&scratch, &before, None).expect("without a parent there is nothing yet").to_string();
    assert_eq!(scratch.git(&["show", "--format=%P", "--name-only", &alone]), "\n\na.txt\n");
}

#[test]
fn only_these_paths_are_taken_out_of_the_index() {
    let scratch = Scratch::committed();
    for path in ["a.txt", "new[1]", "new1"] {
        scratch.write(path, "staged\n");
    }
    scratch.git(&["add", "."]);
    unstage(&scratch.found(), &[]).unwrap();
    assert_eq!(scratch.git(&["status", "--porcelain"]), "M  a.txt\nA  new1\nA  new[1]\n");
    unstage(&scratch.found(), &[b"a.txt".to_vec(), b"new[1]".to_vec()]).unwrap();
    assert_eq!(scratch.git(&["status", "--porcelain"]), " M a.txt\nA  new1\n?? new[1]\n");
    assert_eq!(scratch.read("a.txt"), "staged\n", "files are not touched");
}

#[test]
fn while_a_git_is_half_done_the_index_stays_as_it_is() {
    let scratch = Scratch::committed();
    scratch.write("a.txt", "staged\n");
    scratch.git(&["add", "a.txt"]);
    scratch.write(".git/MERGE_HEAD", format!("{}\n", head(&scratch)));
    unstage(&scratch.found(), &[b"a.txt".to_vec()]).unwrap();
    assert_eq!(scratch.git(&["status", "--porcelain"]), "M  a.txt\n");
}
