//! A working tree goes over to a new branch: nothing of a person's is lost, and what was cut off is finished.

use super::*;
use crate::lane::{Switched, remove_empty, switch};

/// `main` has one file more than the branch `base`.
fn scratch() -> (Scratch, ObjectId) {
    let scratch = Scratch::repository();
    scratch.write("shared", "before");
    scratch.write("gone", "x");
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "base"]);
    let base = scratch.git(&["rev-parse", "HEAD"]);
    scratch.git(&["switch", "-q", "-c", "part-1"]);
    scratch.write("shared", "after");
    scratch.write("made", "new");
    fs::remove_file(scratch.top.join("gone")).unwrap();
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "work"]);
    let base = ObjectId::from_hex(base.trim().as_bytes()).unwrap();
    (scratch, base)
}

fn read(scratch: &Scratch, name: &str) -> Option<String> {
    fs::read_to_string(scratch.top.join(name)).ok()
}

fn is_over(scratch: &Scratch) {
    assert_eq!(scratch.git(&["branch", "--show-current"]).trim(), "part-2");
    assert_eq!((read(scratch, "shared").as_deref(), read(scratch, "made")), (Some("before"), None));
    assert_eq!(read(scratch, "gone").as_deref(), Some("x"));
}

#[test]
fn files_index_and_head_become_those_of_the_branch_and_what_is_a_persons_stays() {
    let (scratch, base) = scratch();
    scratch.write("untracked", "mine");
    assert_eq!(switch(&scratch.found(), "part-2", base).unwrap(), Switched::Switched { base });
    is_over(&scratch);
    assert_eq!(read(&scratch, "untracked").as_deref(), Some("mine"));
    assert_eq!(scratch.git(&["status", "--porcelain"]).trim(), "?? untracked");
    // Called again, it has nothing left to do.
    assert_eq!(switch(&scratch.found(), "part-2", base).unwrap(), Switched::Switched { base });
    is_over(&scratch);
}

#[test]
fn what_was_cut_off_between_its_steps_is_finished() {
    let (scratch, base) = scratch();
    // The branch is made and some files are in place; HEAD and the index are as before.
    scratch.git(&["branch", "part-2", &base.to_string()]);
    scratch.write("shared", "before");
    fs::remove_file(scratch.top.join("made")).unwrap();
    assert_eq!(switch(&scratch.found(), "part-2", base).unwrap(), Switched::Switched { base });
    is_over(&scratch);
    assert_eq!(scratch.git(&["status", "--porcelain"]).trim(), "");
}

#[test]
fn a_file_in_the_way_or_a_branch_of_somebody_elses_refuses_it() {
    let (scratch, base) = scratch();
    scratch.write("shared", "mine");
    assert!(
        matches!(switch(&scratch.found(), "part-2", base).unwrap(), Switched::Refused(why) if why.contains("shared"))
    );
    assert_eq!(read(&scratch, "shared").as_deref(), Some("mine"));
    assert_eq!(scratch.git(&["branch", "--show-current"]).trim(), "part-1");
    assert_eq!(scratch.git(&["branch", "--list", "part-2"]).trim(), "");
    scratch.write("shared", "after");
    assert!(
        matches!(switch(&scratch.found(), "part-1", base).unwrap(), Switched::Refused(why) if why.contains("part-1"))
    );
}

#[test]
fn a_branch_goes_only_where_nothing_is_on_it() {
    let (scratch, base) = scratch();
    scratch.git(&["branch", "empty", &base.to_string()]);
    for branch in ["empty", "part-1"] {
        remove_empty(&scratch.found(), branch, &base.to_string()).unwrap();
    }
    assert_eq!(scratch.git(&["branch", "--list", "empty"]).trim(), "");
    assert_ne!(scratch.git(&["branch", "--list", "part-1"]).trim(), "");
}
