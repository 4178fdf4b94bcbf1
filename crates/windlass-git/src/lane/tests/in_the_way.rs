//! What a person's checkout has in a landing's way, and what it does not want.

use std::fs;

use super::Yard;
use super::landing::{landed, ready};
use crate::lane::{Landed, land};

#[test]
fn a_sparse_checkout_gets_only_what_it_wants() {
    let yard = Yard::new();
    yard.person("left/out", "x\n");
    yard.scratch.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/left/"]);
    assert!(!yard.scratch.has("left"));
    let worker = yard.open(1);
    assert_eq!(worker.read("left/out"), "x\n");
    worker.write("left/out", "changed\n");
    worker.write("a.txt", "changed\n");
    yard.deliver(&worker);
    assert!(!yard.scratch.has("left"));
    assert_eq!((yard.scratch.read("a.txt"), yard.status()), ("changed\n".into(), String::new()));
    assert_eq!(yard.scratch.git(&["show", "HEAD:left/out"]), "changed\n");
}

#[test]
fn a_sparse_checkout_does_not_get_new_files_that_its_rules_leave_out() {
    let yard = Yard::new();
    yard.person("in/x", "x\n");
    yard.scratch.git(&["sparse-checkout", "set", "in"]);
    let knows_rules = crate::git::version(&yard.main().top).unwrap() >= (2, 41);
    let worker = yard.open(1);
    worker.write("out/new", "new\n");
    worker.write("in/new", "new\n");
    yard.deliver(&worker);
    assert_eq!((yard.scratch.has("out/new"), yard.scratch.has("in/new")), (!knows_rules, true));
    assert_eq!(yard.status(), "");
}

#[test]
fn empty_folders_of_a_persons_are_in_no_files_way() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("new", "new\n");
    let commit = yard.commit(&worker);
    fs::create_dir_all(yard.scratch.path("new/empty/er")).unwrap();
    landed(yard.land(&worker, commit, worker.since, &[]));
    assert_eq!((yard.scratch.read("new"), yard.status()), ("new\n".into(), String::new()));
}

#[test]
fn a_file_does_not_take_the_place_of_a_submodule_that_has_files() {
    let yard = Yard::new();
    let inner = yard.scratch.path("inner");
    yard.scratch.git(&["init", "-q", "inner"]);
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    yard.scratch.git_in(&inner, &[&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
    yard.scratch.git(&["add", "inner"]);
    yard.person(".gitmodules", "[submodule \"inner\"]\n\tpath = inner\n\turl = /nowhere\n");
    let worker = yard.open(1);
    fs::remove_dir_all(worker.lane.top().join("inner")).unwrap();
    worker.write("inner", "a file now");
    let commit = yard.commit(&worker);
    yard.scratch.write("inner/x", "a person's");
    let outcome = yard.land(&worker, commit, worker.since, &[]);
    assert!(matches!(&outcome, Landed::Refused(why) if why.contains("inner")), "{outcome:?}");
    assert_eq!(yard.scratch.read("inner/x"), "a person's");
}

#[test]
fn what_is_in_the_way_of_any_landing_is_no_fault_of_the_work() {
    let yard = Yard::new();
    yard.person("a.txt", "mine\n");
    yard.scratch.git(&["branch", "other", "HEAD~1"]);
    let (worker, commit) = ready(&yard, "new", "new\n");
    let (since, target) = (worker.since, yard.target());
    let again = |yard: &Yard| land(&yard.main(), &worker.landing(commit, since, &target, &[])).unwrap();
    let prevented = |yard: &Yard| match again(yard) {
        Landed::Prevented(why) => why,
        other => panic!("{other:?}"),
    };
    yard.scratch.write(".git/MERGE_HEAD", yard.tip().to_string());
    assert!(prevented(&yard).contains("a merge is under way"));
    fs::remove_file(yard.scratch.path(".git/MERGE_HEAD")).unwrap();
    yard.scratch.git(&["config", "commit.gpgSign", "true"]);
    yard.scratch.git(&["config", "gpg.program", "false"]);
    assert!(prevented(&yard).contains("could not be signed"));
    yard.scratch.git(&["config", "commit.gpgSign", "false"]);
    // While it lasts HEAD is on no branch, and git itself would not take what has landed meanwhile.
    yard.scratch.git(&["checkout", "-q", "--detach"]);
    yard.scratch.write(".git/rebase-merge/head-name", format!("{}\n", target.reference().display()));
    assert!(prevented(&yard).contains("a rebase of"));
    fs::remove_dir_all(yard.scratch.path(".git/rebase-merge")).unwrap();
    landed(again(&yard));
}
