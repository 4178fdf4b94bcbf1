//! Commits in repositories that are not as usual: filters, names, sparse checkouts, indexes in between.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use super::{Judged, commit_it, committed, judge};
use crate::commit::CommitOutcome;
use crate::inventory::changes;
use crate::snapshot::Caps;
use crate::testing::{Scratch, after};

fn refused(outcome: CommitOutcome) -> String {
    match outcome {
        CommitOutcome::Refused(said) => said,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_goes_through_a_filter_is_committed_as_the_filter_leaves_it() {
    let scratch = Scratch::committed();
    // As Git LFS does it: what is committed is a pointer, the content goes elsewhere.
    let clean = "cat > .git/stored; printf 'pointer\\n'";
    scratch.git(&["config", "filter.large.clean", &format!("sh -c \"{clean}\"")]);
    scratch.git(&["config", "filter.large.required", "true"]);
    scratch.write(".gitattributes", "*.bin filter=large\n");
    scratch.commit_all("attributes");
    let before = scratch.survey();
    scratch.write("new.bin", "a large file\n");
    scratch.write("kept.bin", "another one\n");
    let judged = judge(&scratch, &before);
    scratch.write("kept.bin", "rewritten by a gate");
    committed(&commit_it(&scratch, &judged));
    for name in ["new.bin", "kept.bin"] {
        assert_eq!(scratch.git(&["cat-file", "blob", &format!("HEAD:{name}")]), "pointer\n", "{name}");
    }
    assert_eq!(scratch.read("new.bin"), "a large file\n", "the working tree stays as it is");
}

// Seed defect D3, core/git.ts:272: what should have been a pointer was committed whole.
#[test]
fn a_filter_that_is_missing_or_fails_refuses_and_says_what_to_do() {
    let scratch = Scratch::committed();
    scratch.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n*.up filter=upper\n");
    scratch.commit_all("attributes");
    let before = scratch.survey();
    scratch.write("new.bin", "a large file\n");
    let said = refused(commit_it(&scratch, &judge(&scratch, &before)));
    assert!(said.contains("new.bin") && said.contains("git lfs install"), "{said}");
    fs::remove_file(scratch.path("new.bin")).unwrap();
    scratch.write("new.up", "x");
    let said = refused(commit_it(&scratch, &judge(&scratch, &before)));
    assert!(said.contains("git config filter.upper.clean"), "{said}");
    scratch.git(&["config", "filter.upper.clean", "false"]);
    scratch.git(&["config", "filter.upper.required", "true"]);
    let said = refused(commit_it(&scratch, &judge(&scratch, &before)));
    assert!(said.contains("upper"), "{said}");
    assert_eq!(scratch.git(&["status", "--porcelain"]), "?? new.up\n", "nothing is staged");
}

#[test]
fn names_that_differ_in_case_only_and_names_that_are_no_text_are_committed() {
    let scratch = Scratch::committed();
    scratch.write("Name.txt", "one");
    scratch.commit_all("second");
    let before = scratch.survey();
    scratch.write("name.txt", "two");
    let odd = OsStr::from_bytes(b"caf\xe9\n\"\\");
    fs::write(scratch.top.join(odd), "three").unwrap();
    committed(&commit_it(&scratch, &judge(&scratch, &before)));
    let tree = scratch.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(
        tree.contains("Name.txt\n") && tree.contains("\nname.txt\n") && tree.contains("caf\\351"),
        "{tree}"
    );
    assert_eq!(scratch.git(&["show", "HEAD:name.txt"]), "two");
    assert_eq!(scratch.git(&["show", "HEAD:Name.txt"]), "one");
}

#[test]
fn what_a_sparse_checkout_leaves_out_stays_in_the_commit() {
    for sparse_index in ["false", "true"] {
        let scratch = Scratch::committed();
        scratch.write("here/a", "a");
        scratch.write("elsewhere/deep/b", "b");
        scratch.commit_all("second");
        scratch.git(&["sparse-checkout", "init", "--cone"]);
        scratch.git(&["config", "index.sparse", sparse_index]);
        scratch.git(&["sparse-checkout", "set", "here"]);
        assert!(!scratch.path("elsewhere/deep/b").exists());
        let before = scratch.survey();
        scratch.write("here/a", "changed");
        scratch.write("elsewhere/new", "an agent went astray");
        committed(&commit_it(&scratch, &judge(&scratch, &before)));
        let changed = scratch.git(&["show", "--format=", "--name-status", "HEAD"]);
        assert_eq!(changed, "A\telsewhere/new\nM\there/a\n", "{sparse_index}");
        assert_eq!(scratch.git(&["show", "HEAD:elsewhere/deep/b"]), "b");
        assert!(!scratch.path("elsewhere/deep/b").exists(), "it is still left out");
        assert_eq!(scratch.git(&["status", "--porcelain"]), "", "{sparse_index}");
    }
}

#[test]
fn an_agent_that_narrows_the_checkout_deletes_nothing_and_hidden_files_stay_hidden() {
    let scratch = Scratch::committed();
    scratch.write("hidden", "one");
    scratch.write("assumed", "one");
    scratch.commit_all("second");
    scratch.git(&["update-index", "--skip-worktree", "hidden"]);
    scratch.git(&["update-index", "--assume-unchanged", "assumed"]);
    let before = scratch.survey();
    scratch.write("hidden", "two");
    scratch.write("assumed", "two");
    scratch.write("new", "x");
    committed(&commit_it(&scratch, &judge(&scratch, &before)));
    let changed = scratch.git(&["show", "--format=", "--name-status", "HEAD"]);
    assert_eq!(changed, "M\tassumed\nM\thidden\nA\tnew\n");
    let flags = scratch.git(&["ls-files", "-v", "hidden", "assumed"]);
    assert_eq!(flags, "h assumed\nS hidden\n");
    scratch.git(&["update-index", "--no-skip-worktree", "hidden"]);
    let before = scratch.survey();
    scratch.git(&["sparse-checkout", "set", "--no-cone", "/a.txt"]);
    assert!(!scratch.path("src/b.txt").exists());
    scratch.write("a.txt", "changed");
    committed(&commit_it(&scratch, &judge(&scratch, &before)));
    assert_eq!(scratch.git(&["show", "--format=", "--name-status", "HEAD"]), "M\ta.txt\n");
}

// Seed defect D3, core/git.ts:73, 408-411: porcelain output was trimmed and split, so that paths were cut wrong.
#[test]
fn what_a_person_staged_announced_or_renamed_stays_staged_announced_or_renamed() {
    let scratch = Scratch::committed();
    scratch.write("announced", "by a person");
    scratch.git(&["add", "--intent-to-add", "announced"]);
    scratch.git(&["mv", "src/b.txt", "src/renamed.txt"]);
    scratch.write("half", "staged\n");
    scratch.git(&["add", "half"]);
    scratch.write("half", "staged\nand more\n");
    let status = scratch.git(&["status", "--porcelain"]);
    let before = scratch.survey();
    scratch.write(" leading", "the agent's");
    scratch.write("a.txt", "the agent's\n");
    committed(&commit_it(&scratch, &judge(&scratch, &before)));
    assert_eq!(scratch.git(&["show", "--format=", "--name-only", "HEAD"]), " leading\na.txt\n");
    assert_eq!(scratch.git(&["status", "--porcelain"]), status);
    assert_eq!(scratch.git(&["show", ":half"]), "staged\n");
}

#[test]
fn of_a_submodule_nothing_but_its_commit_is_committed() {
    let scratch = Scratch::committed();
    let inner = Scratch::committed();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        inner.top.to_str().unwrap(),
        "inner",
    ];
    scratch.git(&add);
    scratch.git(&["commit", "-q", "-m", "submodule"]);
    let before = scratch.survey();
    let was = scratch.git(&["rev-parse", "HEAD:inner"]);
    scratch.write("inner/a.txt", "dirty\n");
    scratch.write("inner/new", "dirty\n");
    let judged = judge(&scratch, &before);
    assert!(judged.changed.is_empty(), "{:?}", judged.changed);
    scratch.write("a.txt", "changed\n");
    committed(&commit_it(&scratch, &judge(&scratch, &before)));
    assert_eq!(scratch.git(&["rev-parse", "HEAD:inner"]), was);
    assert_eq!(scratch.read("inner/a.txt"), "dirty\n");
}

#[test]
fn what_was_too_large_to_be_kept_and_changed_after_it_was_judged_is_not_committed() {
    let scratch = Scratch::committed();
    let before = scratch.survey();
    scratch.write("a.txt", "judged, and large\n");
    let mut surveyor = scratch.surveyor();
    let inventory = surveyor.survey(&[]).unwrap();
    let mut store = scratch.store().with_caps(Caps { file: 5, total: 100 });
    store.keep(surveyor.place(), &inventory, &after(1)).unwrap();
    let judged = Judged { inventory, changed: vec![b"a.txt".to_vec()] };
    scratch.write("a.txt", "rewritten\n");
    let said = refused(commit_it(&scratch, &judged));
    assert_eq!(said, "a.txt changed after it was judged, and was too large to be kept as it was");
    assert_eq!(changes(&before, &judged.inventory).len(), 1);
    assert_eq!(scratch.git(&["status", "--porcelain"]), " M a.txt\n", "nothing is staged");
}

#[test]
fn a_link_that_leads_elsewhere_since_it_was_judged_is_committed_as_it_was() {
    let scratch = Scratch::committed();
    scratch.write(".gitattributes", "*.txt text\n");
    scratch.commit_all("attributes");
    let before = scratch.survey();
    let link = scratch.path("link.txt");
    // In a file, ends of lines would be made git's.
    symlink("a\r\nb", &link).unwrap();
    let judged = judge(&scratch, &before);
    fs::remove_file(&link).unwrap();
    symlink("elsewhere", &link).unwrap();
    committed(&commit_it(&scratch, &judged));
    assert_eq!(scratch.git(&["cat-file", "blob", "HEAD:link.txt"]), "a\r\nb");
}

#[test]
fn a_message_that_looks_like_a_comment_stays_a_message() {
    let scratch = Scratch::committed();
    scratch.git(&["config", "commit.cleanup", "strip"]);
    let before = scratch.survey();
    scratch.write("a.txt", "changed\n");
    let judged = judge(&scratch, &before);
    let candidate = crate::commit::Candidate {
        inventory: &judged.inventory,
        changed: &judged.changed,
        message: "#12: fix it\n\nWindlass-Run: r-1\n",
        hooks: crate::commit::CommitHooks::Run,
        timeout: std::time::Duration::from_mins(1),
    };
    let outcome = crate::commit::commit(&scratch.found(), &scratch.store(), &candidate, |_| Ok(None));
    committed(&outcome.unwrap());
    assert_eq!(scratch.git(&["log", "-1", "--format=%s"]), "#12: fix it\n");
}
