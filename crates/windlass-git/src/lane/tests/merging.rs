use super::{Yard, conflicts};
use crate::lane::{MergeResult, Merged};

fn numbers(changed: &[(u32, &str)]) -> String {
    let line = |number: u32| {
        let found = changed.iter().find(|(at, _)| *at == number);
        found.map_or_else(|| format!("{number}\n"), |(_, text)| format!("{text}\n"))
    };
    (1..=20).map(line).collect()
}

#[test]
fn what_goes_together_is_one_commit_on_the_tip() {
    let yard = Yard::new();
    yard.person("list", &numbers(&[]));
    let (one, other) = (yard.open(1), yard.open(2));
    one.write("list", numbers(&[(3, "three")]));
    other.write("list", numbers(&[(17, "seventeen")]));
    other.write("built", "x");
    yard.deliver(&one);
    let (work, tip) = (yard.commit(&other), yard.tip());
    let outcome = other.lane.merge(work, tip).unwrap();
    let MergeResult::Clean { commit, tree, merged: Merged::Anew } = outcome else { panic!("{outcome:?}") };
    assert_eq!(other.read("list"), numbers(&[(3, "three"), (17, "seventeen")]));
    // The agent sees its work as what is not committed yet, on what is on the branch.
    assert_eq!(other.git(&yard, &["status", "--porcelain"]), " M list\n?? built\n");
    // After a crash it is the same again, but for the second in which it was committed.
    let again = other.lane.merge(work, tip).unwrap();
    assert!(
        matches!(again, MergeResult::Clean { tree: same, merged: Merged::Anew, .. } if same == tree),
        "{again:?}"
    );
    yard.land(&other, commit, tip, &[]);
    assert_eq!(yard.scratch.read("list"), numbers(&[(3, "three"), (17, "seventeen")]));
    assert_eq!(yard.scratch.git(&["log", "--format=%P", "-1"]).trim(), tip.to_string());
    assert_eq!(yard.status(), "");
}

#[test]
fn where_nobody_else_landed_the_merge_is_what_was_judged() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("a.txt", "changed\n");
    let work = yard.commit(&worker);
    let outcome = worker.lane.merge(work, yard.tip()).unwrap();
    assert!(matches!(outcome, MergeResult::Clean { commit, merged: Merged::AsJudged, .. } if commit == work));
}

#[test]
fn an_attempt_after_a_merge_that_broke_something_is_one_commit_on_the_tip() {
    let yard = Yard::new();
    let (one, other) = (yard.open(1), yard.open(2));
    one.write("a.txt", "changed\n");
    other.write("src/b.txt", "changed\n");
    yard.deliver(&one);
    let (work, tip) = (yard.commit(&other), yard.tip());
    other.lane.merge(work, tip).unwrap();
    other.write("fixed", "x");
    let again = yard.commit(&other);
    let git_dir = other.home.join("lane.git");
    let shown = yard.scratch.git_in(&git_dir, &["show", "--format=%P", "--name-only", &again.to_string()]);
    assert_eq!(shown, format!("{tip}\n\nfixed\nsrc/b.txt\n"));
    yard.deliver_again(&other, again);
    assert_eq!(yard.subjects().len(), 3);
}

#[test]
fn a_conflict_leaves_both_sides_in_the_files_and_can_be_resolved() {
    let yard = Yard::new();
    let (one, other) = (yard.open(1), yard.open(2));
    one.write("a.txt", "by one\n");
    other.write("a.txt", "by the other\n");
    other.write("src/b.txt", "only by the other\n");
    yard.deliver(&one);
    let (work, tip) = (yard.commit(&other), yard.tip());
    let found = conflicts(other.lane.merge(work, tip).unwrap());
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].paths.as_slice(), found[0].said.contains("a.txt")),
        (&[b"a.txt".to_vec()][..], true)
    );
    let marked = other.read("a.txt");
    for part in ["<<<<<<< landed\nby one\n", "|||||||", "one\n=======\nby the other\n>>>>>>> yours\n"] {
        assert!(marked.contains(part), "{marked}");
    }
    assert_eq!(other.read("src/b.txt"), "only by the other\n");
    assert_eq!(other.lane.unresolved(work).unwrap(), [b"a.txt".to_vec()]);
    other.write("a.txt", "by one and the other\n");
    assert!(other.lane.unresolved(work).unwrap().is_empty());
    let again = yard.commit(&other);
    yard.deliver_again(&other, again);
    assert_eq!(yard.scratch.read("a.txt"), "by one and the other\n");
    assert_eq!(yard.scratch.read("src/b.txt"), "only by the other\n");
    assert_eq!(yard.subjects(), ["Work of a lane", "Work of a lane", "first"]);
}

// Seed defect D3, later worktree.ts, conflicts: they were read from standard error alone.
#[test]
fn every_kind_of_conflict_is_named_and_the_work_is_still_there() {
    let yard = Yard::new();
    yard.scratch.write("binary", b"a\0b");
    yard.scratch.write("removed", "1\n2\n3\n4\n5\n6\n");
    yard.person("renamed", "a long enough text\nto be taken for the same\n");
    yard.person("removed", "1\n2\n3\n4\n5\n6\n");
    yard.person("binary", "a\0b");
    let (one, other) = (yard.open(1), yard.open(2));
    one.write("binary", b"a\0one");
    one.remove("removed");
    one.remove("renamed");
    one.write("by one", "a long enough text\nto be taken for the same\n");
    one.write("folder", "a file");
    one.write("Case", "x");
    other.write("binary", b"a\0other");
    other.write("removed", "1\n2\n3\n4\n5\n7\n");
    other.remove("renamed");
    other.write("by the other", "a long enough text\nto be taken for the same\n");
    other.write("folder/file", "x");
    other.write("CASE", "y");
    yard.deliver(&one);
    let work = yard.commit(&other);
    let found = conflicts(other.lane.merge(work, yard.tip()).unwrap());
    for (kind, path) in [
        ("binary", "binary"),
        ("modify/delete", "removed"),
        ("rename/rename", "renamed"),
        ("file/directory", "folder"),
        ("(case)", "Case"),
    ] {
        let named = found.iter().any(|conflict| {
            conflict.said.contains(kind)
                && conflict.paths.iter().any(|found| found.starts_with(path.as_bytes()))
        });
        assert!(named, "{kind}: {found:?}");
    }
    assert_eq!(other.lane.unresolved(work).unwrap(), [b"CASE".to_vec()]);
    let git_dir = other.home.join("lane.git");
    let show = ["show", "yours:binary"];
    assert_eq!(yard.scratch.git_in(&git_dir, &show), "a\0other");
}

#[test]
fn a_submodule_that_two_sides_moved_is_a_conflict() {
    let yard = Yard::new();
    let gitlink = |commit: &str| {
        yard.scratch.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},inner")]);
        yard.scratch.git(&["commit", "-q", "-m", "moved"]);
    };
    std::fs::create_dir(yard.scratch.path("inner")).unwrap();
    gitlink(&"1".repeat(40));
    let base = yard.tip();
    gitlink(&"2".repeat(40));
    let (worker, tip) = (yard.open(1), yard.tip());
    yard.scratch.git(&["checkout", "-q", "-b", "side", &base.to_string()]);
    gitlink(&"3".repeat(40));
    let found = conflicts(worker.lane.merge(yard.tip(), tip).unwrap());
    assert!(found[0].said.contains("submodule") && found[0].paths == [b"inner".to_vec()], "{found:?}");
}

#[test]
fn only_a_lanes_own_changes_count_where_the_branch_was_rewritten() {
    let yard = Yard::new();
    yard.person("mistake", "x");
    let worker = yard.open(1);
    worker.write("a.txt", "changed\n");
    let work = yard.commit(&worker);
    yard.scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    yard.person("instead", "y");
    let tip = yard.tip();
    let MergeResult::Clean { commit, .. } = worker.lane.merge(work, tip).unwrap() else { panic!() };
    yard.land(&worker, commit, tip, &[]);
    assert_eq!(yard.scratch.git(&["ls-files"]), "a.txt\ninstead\nsrc/b.txt\n");
}

#[test]
fn the_users_merge_drivers_are_asked() {
    let yard = Yard::new();
    yard.person(".gitattributes", "list merge=union\nlock merge=mine\n");
    yard.scratch.git(&["config", "merge.mine.driver", "echo driven > %A"]);
    yard.person("list", "1\n");
    yard.person("lock", "1\n");
    let (one, other) = (yard.open(1), yard.open(2));
    for (worker, text) in [(&one, "one\n"), (&other, "other\n")] {
        worker.write("list", format!("1\n{text}"));
        worker.write("lock", text);
    }
    yard.deliver(&one);
    yard.deliver(&other);
    assert_eq!(yard.scratch.read("list"), "1\none\nother\n");
    assert_eq!(yard.scratch.read("lock"), "driven\n");
}
