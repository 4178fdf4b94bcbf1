//! What is under way: a guest's merge is seen and not committed over, and a person's stays theirs.

use super::*;

/// With a branch `feat` that changes the same line as `main`.
fn conflicting() -> Scratch {
    let scratch = Scratch::committed();
    scratch.git(&["checkout", "-q", "-b", "feat"]);
    scratch.write("a.txt", "theirs\n");
    scratch.commit_all("theirs");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("a.txt", "ours\n");
    scratch.commit_all("ours");
    scratch
}

impl Guest {
    fn merge(&self) {
        let (folder, top) = (self.loan.repository(), &self.scratch.top);
        let all =
            ["--git-dir", folder.to_str().unwrap(), "--work-tree", top.to_str().unwrap(), "merge", "feat"];
        assert!(!self.scratch.try_git(top, &all).0);
    }
}

#[test]
fn a_merge_that_a_guest_has_not_finished_is_said_once_and_keeps_commits_away() {
    let guest = Guest::of(conflicting());
    assert_eq!(guest.loan.half_done().unwrap(), None);
    guest.merge();
    let (kind, sentence) = guest.damage();
    assert_eq!((kind, sentence.as_str()), (DamageKind::UnderWay, "a merge was begun and not finished"));
    let why = guest.loan.half_done().unwrap().unwrap();
    assert!(why.starts_with("a merge of the agent's is under way") && why.ends_with("a.txt"), "{why}");
    assert_eq!(guest.take_over(), Taken::default(), "it is said once");
    guest.loan.lend().unwrap();
    guest.scratch.write("a.txt", "both\n");
    guest.git(&["commit", "-q", "-a", "-m", "merged"]);
    assert_eq!(guest.loan.half_done().unwrap(), None, "the next guest may finish it");
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.scratch.git(&["rev-list", "--count", "--merges", "main"]), "1\n");
}

#[test]
fn conflicts_are_remembered_beyond_a_sessions_end_until_they_are_put_right() {
    let guest = Guest::of(conflicting());
    guest.merge();
    guest.damage();
    guest.loan.close();
    assert!(!guest.loan.repository().exists());
    let why = guest.loan.half_done().unwrap().unwrap();
    assert_eq!(why, "the agent has left conflicts that are not resolved: put right what is in a.txt");
    guest.loan.lend().unwrap();
    assert!(guest.loan.half_done().unwrap().is_some());
    guest.scratch.write("a.txt", "both\n");
    assert_eq!(guest.loan.half_done().unwrap(), None);
    guest.loan.close();
    assert!(!guest.loan.home.exists());
}

#[test]
fn what_was_undone_is_not_under_way() {
    let guest = Guest::of(conflicting());
    guest.merge();
    guest.damage();
    guest.loan.begin_anew().unwrap();
    assert_eq!(guest.loan.half_done().unwrap(), None);
    guest.scratch.git(&["checkout", "-q", "a.txt"]);
    guest.loan.lend().unwrap();
    assert_eq!(guest.git(&["status", "--porcelain"]), "");
    assert_eq!(guest.take_over(), Taken::default());
}

#[test]
fn while_a_persons_merge_is_under_way_their_branch_stays() {
    let scratch = conflicting();
    assert!(!scratch.try_git(&scratch.top, &["merge", "feat"]).0);
    let guest = Guest::of(scratch);
    assert_eq!(guest.loan.half_done().unwrap(), None, "nothing of it is the guest's");
    let before = guest.tip();
    let commit = guest.commit("merged\n");
    let taken = guest.take_over();
    assert_eq!(taken.damage, []);
    let said = taken.needs_person.unwrap();
    assert!(said.starts_with("what is under way in your repository "), "{said}");
    assert_eq!(guest.tip(), before);
    assert_eq!(guest.scratch.git(&["status", "--porcelain"]), "UU a.txt\n");
    let branch = said.rsplit(' ').next().unwrap();
    assert_eq!(guest.scratch.git(&["rev-parse", branch]).trim(), commit);
}
