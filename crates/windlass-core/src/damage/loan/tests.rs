//! What is taken over of what a guest left, and what is not.

use super::*;

/// Commits are `a`, `ab`, `abc` …: one is part of another that begins with it.
fn is_part(first: &str, second: &str) -> bool {
    second.starts_with(first)
}

fn refs(head: &str, all: &[(&str, &str)]) -> Refs {
    let full = |name: &str| format!("refs/heads/{name}").into_bytes();
    let head = head
        .strip_prefix('@')
        .map_or_else(|| CheckedOut::Branch(full(head)), |commit| CheckedOut::Commit(commit.to_owned()));
    let references = all.iter().map(|(name, to)| (full(name), (*to).to_owned())).collect();
    Refs { head, references, beside: BTreeMap::new(), under_way: BTreeSet::new() }
}

fn told(lent: &Refs, found: &Refs, here: &Refs) -> Vec<String> {
    told_beside(lent, found, here, (&[], false))
}

/// The same, with branches that other working trees have checked out, and perhaps a person's merge under way.
fn told_beside(
    lent: &Refs,
    found: &Refs,
    here: &Refs,
    (elsewhere, is_half_done): (&[&str], bool),
) -> Vec<String> {
    let elsewhere = &elsewhere.iter().map(|name| format!("refs/heads/{name}").into_bytes()).collect();
    let stays = is_half_done.then_some(SideBranchReason::UnderWay);
    let sides = Sides { lent, found, here, elsewhere, stays };
    let Settlement { takings, damage } = settle(sides, &mut is_part);
    let text = |name: &[u8]| shown(name);
    let takings = takings.into_iter().map(|taking| match taking {
        Taking::Advance { name, from, to } => {
            format!("{} {} -> {to}", text(&name), from.unwrap_or_default())
        }
        Taking::CheckOut { name, to } => format!("check out {} {to}", text(&name)),
        Taking::Keep { commit, why } => format!("keep {commit} {why:?}"),
    });
    takings.chain(damage.into_iter().map(|damage| format!("{:?}", damage.kind))).collect()
}

#[test]
fn a_new_name_that_stands_for_another_one_is_known() {
    let others =
        [b"refs/heads/main".to_vec(), b"refs/tags/v1".to_vec(), b"refs/remotes/origin/main".to_vec()];
    for (name, hides) in [
        ("refs/tags/main", true),
        ("refs/heads/v1", true),
        ("refs/heads/origin/main", true),
        ("refs/heads/main", false),
        ("refs/heads/main2", false),
        ("refs/tags/origin", true),
        ("refs/heads/origin2", false),
        ("refs/heads/HEAD", true),
        ("refs/tags/FETCH_HEAD", true),
        ("refs/heads/AHEAD", false),
    ] {
        assert_eq!(hides_another(name.as_bytes(), &others), hides, "{name}");
    }
}

#[test]
fn a_name_that_could_be_a_commits_is_known() {
    for (name, short) in [
        ("refs/tags/1a2b3c4d", Some("1a2b3c4d")),
        ("refs/heads/cafe", Some("cafe")),
        ("refs/tags/1a2", None),
        ("refs/tags/v1a2b", None),
        ("refs/heads/x/1a2b", None),
    ] {
        assert_eq!(shortened_commit(name.as_bytes()), short, "{name}");
    }
}

#[test]
fn a_fast_forward_and_what_is_new_are_taken_and_all_else_is_damage() {
    let lent = refs("main", &[("main", "a"), ("other", "ax"), ("done", "a")]);
    let same: &[(&str, &str)] = &[("other", "ax"), ("done", "a")];
    let with = |head: &str, more: &[(&str, &str)]| refs(head, &[same, more].concat());
    for (found, expected) in [
        (with("main", &[("main", "a")]), vec![]),
        (with("main", &[("main", "ab")]), vec!["main a -> ab"]),
        (with("main", &[("main", "ab"), ("new", "ac")]), vec!["main a -> ab", "new  -> ac"]),
        (with("new", &[("main", "a"), ("new", "ab")]), vec!["new  -> ab", "check out new ab"]),
        // Moved aside: what is new in it is kept; moved back: nothing is.
        (with("main", &[("main", "z")]), vec!["keep z NoContinuation", "CommitsLost"]),
        (with("main", &[("main", "")]), vec!["CommitsLost"]),
        (with("other", &[("main", "a")]), vec!["BranchSwitched"]),
        (with("@a", &[("main", "a")]), vec!["HeadDetached"]),
        (with("@ab", &[("main", "a")]), vec!["keep ab OnNoBranch", "HeadDetached"]),
        // Renamed; and deleted where another one has all that was in it.
        (with("trunk", &[("trunk", "ab")]), vec!["trunk  -> ab", "check out trunk ab"]),
        (with("other", &[]), vec!["BranchSwitched"]),
        (refs("main", &[("main", "a"), ("other", "axy"), ("done", "a")]), vec!["other ax -> axy"]),
        (
            refs("main", &[("main", "a"), ("other", "az"), ("done", "a")]),
            vec!["keep az NoContinuation", "ReferencesLost"],
        ),
        // Tidied up after it was merged, or not.
        (refs("main", &[("main", "a"), ("other", "ax")]), vec![]),
        (refs("main", &[("main", "a"), ("done", "a")]), vec!["ReferencesLost"]),
        // What is deleted and keeps another one from being made; the branch itself is said to be where it was.
        (
            refs("main", &[("main", "a"), ("other", "ax"), ("done/x", "ab")]),
            vec!["done/x  -> ab", "ReferencesLost"],
        ),
        (with("main/x", &[("main/x", "ab")]), vec!["main/x  -> ab", "check out main/x ab"]),
        // A branch of nothing that was there.
        (with("orphan", &[("main", "a"), ("orphan", "z")]), vec!["orphan  -> z", "BranchSwitched"]),
    ] {
        assert_eq!(told(&lent, &found, &lent), expected, "{found:?}");
    }
}

#[test]
fn a_branch_of_another_working_tree_and_one_with_a_merge_under_way_stay() {
    let lent = refs("main", &[("main", "a"), ("other", "ax")]);
    let found = refs("main", &[("main", "a"), ("other", "axy")]);
    let expected = ["keep axy Elsewhere", "ReferencesLost"];
    assert_eq!(told_beside(&lent, &found, &lent, (&["other"], false)), expected);
    let found = refs("main", &[("main", "ab"), ("other", "axy")]);
    let expected = ["keep ab UnderWay", "other ax -> axy"];
    assert_eq!(told_beside(&lent, &found, &lent, (&[], true)), expected);
    let found = refs("new", &[("main", "a"), ("other", "ax"), ("new", "ab")]);
    assert_eq!(told_beside(&lent, &found, &lent, (&[], true)), ["new  -> ab", "keep ab UnderWay"]);
    let (lent, found) = (refs("@a", &[]), refs("@ab", &[]));
    assert_eq!(told_beside(&lent, &found, &lent, (&[], true)), ["keep ab UnderWay"]);
}

#[test]
fn a_tag_that_was_deleted_is_said() {
    let tag = BTreeMap::from([(b"refs/tags/v1".to_vec(), "a".to_owned())]);
    let found = refs("main", &[("main", "ab")]);
    let lent = refs("main", &[("main", "a")]);
    let lent = Refs { references: lent.references.into_iter().chain(tag).collect(), ..lent };
    assert_eq!(told(&lent, &found, &lent), ["main a -> ab", "ReferencesLost"]);
}

#[test]
fn what_a_person_did_meanwhile_stays() {
    let lent = refs("main", &[("main", "a")]);
    let found = refs("main", &[("main", "ab"), ("new", "ac")]);
    let here = refs("main", &[("main", "ap"), ("new", "x")]);
    assert_eq!(told(&lent, &found, &here), ["keep ab MovedMeanwhile", "keep ac MovedMeanwhile"]);
    // Nothing of the guest's: nothing is done, whatever the person did.
    assert_eq!(told(&lent, &lent, &here), Vec::<String>::new());
}

#[test]
fn what_was_taken_already_is_not_taken_again() {
    let lent = refs("main", &[("main", "a")]);
    let found = refs("new", &[("main", "ab"), ("new", "abc")]);
    assert_eq!(told(&lent, &found, &found), Vec::<String>::new());
}

#[test]
fn a_first_commit_and_one_without_a_branch_go_on() {
    let (unborn, born) = (refs("main", &[]), refs("main", &[("main", "a")]));
    assert_eq!(told(&unborn, &born, &unborn), ["main  -> a"]);
    let (lent, found) = (refs("@a", &[("main", "a")]), refs("@ab", &[("main", "a")]));
    assert_eq!(told(&lent, &found, &lent), ["HEAD a -> ab"]);
    let elsewhere = refs("@ap", &[("main", "a")]);
    assert_eq!(told(&lent, &found, &elsewhere), ["keep ab MovedMeanwhile"]);
}
