//! What two snapshots differ in.

use super::*;

fn every(_: &[u8]) -> bool {
    true
}

#[test]
fn lines_are_counted_and_shown_whatever_the_project_says_of_diffs() {
    let scratch = Scratch::repository();
    scratch.write("a b.txt", "one\ntwo\n");
    scratch.write("gone.txt", "1\n2\n3\n");
    let from = scratch.keep(1);
    scratch.write("a b.txt", "one\nzwei\n");
    scratch.write("[new].txt", "x\n");
    scratch.write("blob", "\0\0");
    // Each of these would hide what was changed.
    scratch.write(".gitattributes", "* -diff\n*.txt diff=hide\n");
    std::fs::remove_file(scratch.path("gone.txt")).unwrap();
    let to = scratch.keep(2);
    let found = scratch.store().difference((&from.id, &to.id), every, 1 << 16).unwrap();
    assert_eq!((found.lines, found.not_shown.len()), (2 + 3 + 1 + 1 + 2, 0));
    for line in ["-two", "+zwei", "+++ b/[new].txt", "-3", "Binary files /dev/null and b/blob differ"] {
        assert!(found.text.lines().any(|shown| shown == line), "{line}: {}", found.text);
    }
    assert!(!found.text.contains("files/"), "{}", found.text);
    let one = scratch.store().difference((&from.id, &to.id), |path| path == b"[new].txt", 1 << 16).unwrap();
    assert_eq!((one.lines, one.text.matches("diff --git").count()), (1, 1));
    let none = scratch.store().difference((&to.id, &to.id), every, 1 << 16).unwrap();
    assert_eq!(none, Difference::default());
}

#[test]
fn what_is_too_long_is_named() {
    let scratch = Scratch::repository();
    let from = scratch.keep(1);
    scratch.write("a", "line\n".repeat(20));
    scratch.write("b", "line\n".repeat(400));
    scratch.write("c", "line\n".repeat(6000));
    scratch.write("d", "x\n");
    let to = scratch.keep(2);
    let found = scratch.store().difference((&from.id, &to.id), every, 1000).unwrap();
    assert_eq!(found.lines, 20 + 400 + 6000 + 1);
    assert!(found.text.len() <= 1000 && found.text.ends_with("+line\n"), "{}", found.text);
    assert_eq!(found.not_shown, [b"b".to_vec(), b"d".to_vec(), b"c".to_vec()]);
}
