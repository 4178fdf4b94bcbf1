//! Names that a guest gave: each commit that one of them alone names is kept, and said.

use super::*;

impl Guest {
    /// A commit with this message on the one that is checked out, under this name.
    fn name(&self, name: &str, message: &str) -> String {
        let commit = self.git(&["commit-tree", "-p", "HEAD", "-m", message, "HEAD^{tree}"]);
        self.git(&["update-ref", name, commit.trim()]);
        commit.trim().to_owned()
    }

    fn has(&self, commit: &str) -> bool {
        !self.scratch.git(&["for-each-ref", "--contains", commit]).is_empty()
    }

    fn head(&self) -> String {
        self.scratch.git(&["symbolic-ref", "HEAD"]).trim().to_owned()
    }
}

#[test]
fn what_is_checked_out_stays_where_its_branch_cannot_be_made() {
    let attacks: [&[&[&str]]; 3] = [
        &[&["branch", "-m", "main", "main/sub"]],
        &[&["branch", "-D", "-q", "other"], &["checkout", "-q", "-b", "other/x"]],
        &[&["update-ref", "refs/heads/-x", "HEAD"], &["symbolic-ref", "HEAD", "refs/heads/-x"]],
    ];
    for attack in attacks {
        let scratch = Scratch::committed();
        scratch.git(&["branch", "other"]);
        let guest = Guest::of(scratch);
        let before = guest.tip();
        for command in attack {
            guest.git(command);
        }
        let commit = guest.commit("changed\n");
        let taken = guest.take_over();
        assert_eq!((guest.head().as_str(), guest.tip()), ("refs/heads/main", before), "{taken:?}");
        let kinds: Vec<DamageKind> = taken.damage.iter().map(|damage| damage.kind).collect();
        assert!(kinds.contains(&DamageKind::BranchSwitched), "{taken:?}");
        assert!(taken.notices[0].contains(" was not taken over ("), "{taken:?}");
        assert!(guest.has(&commit), "{taken:?}");
        guest.scratch.git(&["status"]);
    }
}

#[test]
fn each_name_that_is_refused_is_a_branch_of_its_own() {
    let scratch = Scratch::committed();
    scratch.git(&["branch", "other"]);
    scratch.git(&["tag", "v"]);
    let guest = Guest::of(scratch);
    guest.git(&["branch", "-D", "-q", "other"]);
    guest.git(&["tag", "-d", "v"]);
    let names = ["heads/other/x", "heads/other/y", "heads/other/z", "heads/other/u", "tags/v/w"];
    let commits = names.map(|name| guest.name(&format!("refs/{name}"), name));
    let taken = guest.take_over();
    for (name, commit) in names.iter().zip(commits) {
        let branch = format!("windlass/r-test/work-{}", name.replace('/', "-"));
        assert_eq!(guest.scratch.git(&["rev-parse", &branch]).trim(), commit, "{taken:?}");
        let said = format!("commits that refs/{name} alone named are the branch {branch}");
        assert!(taken.notices.contains(&said), "{taken:?}");
    }
    assert!(taken.notices.contains(&"2 more branches or tags were not taken over".to_owned()), "{taken:?}");
    assert!(taken.damage[0].sentence.contains("deleted or moved: other, v;"), "{taken:?}");
}

#[test]
fn names_are_taken_however_deep_they_lie() {
    let guest = Guest::of(Scratch::committed());
    let deep = "d/".repeat(40);
    let branch = guest.name(&format!("refs/heads/{deep}e"), "deep");
    let beside = guest.name(&format!("refs/foo/{deep}e"), "beside");
    let taken = guest.take_over();
    assert_eq!(guest.scratch.git(&["rev-parse", &format!("{deep}e")]).trim(), branch, "{taken:?}");
    assert!(guest.has(&beside), "{taken:?}");
}

#[test]
fn where_names_cannot_be_looked_for_all_of_it_is_kept() {
    let guest = Guest::of(Scratch::committed());
    let commit = guest.commit("changed\n");
    let hidden = guest.name("refs/heads/a/b", "hidden");
    let closed = guest.loan.repository().join("refs/heads/a");
    fs::remove_dir_all(&closed).unwrap();
    // What nobody may look into, whoever runs the tests: a name that is longer than a path may be.
    let mut folder =
        fs::File::open(guest.loan.repository().join("refs/heads")).map(std::os::fd::OwnedFd::from).unwrap();
    for _ in 0..30 {
        let name = "d".repeat(200);
        rustix::fs::mkdirat(&folder, &name, 0o700.into()).unwrap();
        folder = rustix::fs::openat(&folder, &name, rustix::fs::OFlags::DIRECTORY, 0o700.into()).unwrap();
    }
    let taken = guest.take_over();
    assert_eq!(guest.tip(), commit);
    let sentence = &taken.damage[0].sentence;
    assert!(
        sentence.contains("cannot be looked into (heads/d") && sentence.contains("is kept as "),
        "{taken:?}"
    );
    assert!(guest.loan.aside(1).join("objects").join(&hidden[..2]).is_dir());
}

#[test]
fn commits_that_are_checked_out_in_a_guests_own_working_tree_become_branches() {
    let guest = Guest::of(Scratch::committed());
    let tree = guest.scratch.state.join("tree");
    guest.git(&["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    guest.scratch.git_in(&tree, &["commit", "-q", "--allow-empty", "-m", "apart"]);
    let commit = guest.scratch.git_in(&tree, &["rev-parse", "HEAD"]);
    let taken = guest.take_over();
    assert_eq!(
        guest.scratch.git(&["rev-parse", "windlass/r-test/work-worktrees-tree-HEAD"]),
        commit,
        "{taken:?}"
    );
    assert_eq!(guest.take_over(), Taken::default(), "it is said once");
    guest.loan.lend().unwrap();
    assert_eq!(guest.scratch.git_in(&tree, &["rev-parse", "HEAD"]), commit, "the next guest has it still");
}

#[test]
fn commits_that_only_remote_tracking_branches_or_replacements_name_become_branches() {
    let scratch = Scratch::committed();
    scratch.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let guest = Guest::of(scratch);
    let before = guest.tip();
    let remote = guest.name("refs/remotes/origin/main", "remote");
    let replacement = guest.name("refs/replace/1234567890123456789012345678901234567890", "replacement");
    let taken = guest.take_over();
    assert_eq!(taken.damage, []);
    assert_eq!(taken.notices.len(), 2, "{taken:?}");
    assert!(guest.has(&remote) && guest.has(&replacement), "{taken:?}");
    let branch = "windlass/r-test/work-remotes-origin-main";
    assert_eq!(guest.scratch.git(&["rev-parse", branch]).trim(), remote);
    assert_eq!(guest.scratch.git(&["rev-parse", "origin/main"]).trim(), before);
    guest.loan.lend().unwrap();
    assert_eq!(guest.git(&["rev-parse", "origin/main"]).trim(), before, "the person's");
    assert_eq!(guest.take_over(), Taken::default());
}

#[test]
fn another_branch_that_a_guest_carries_on_goes_on_unless_it_is_checked_out_elsewhere() {
    let scratch = Scratch::committed();
    scratch.git(&["branch", "other"]);
    scratch.git(&["branch", "third"]);
    let tree = scratch.state.join("third");
    scratch.git(&["worktree", "add", "-q", tree.to_str().unwrap(), "third"]);
    let guest = Guest::of(scratch);
    let before = guest.tip();
    let other = guest.name("refs/heads/other", "carried on");
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.scratch.git(&["rev-parse", "other"]).trim(), other);
    guest.loan.lend().unwrap();
    let third = guest.name("refs/heads/third", "elsewhere");
    let taken = guest.take_over();
    assert_eq!(guest.scratch.git(&["rev-parse", "third"]).trim(), before, "{taken:?}");
    let said = "a branch that is checked out in another working tree was carried on; what was committed is the branch ";
    assert!(taken.notices[0].starts_with(said), "{taken:?}");
    assert!(guest.has(&third));
}

#[test]
fn only_a_stash_is_called_one() {
    let guest = Guest::of(Scratch::committed());
    guest.name("refs/stash2", "no stash");
    let taken = guest.take_over();
    assert!(
        taken.notices[0].starts_with("commits that refs/stash2 alone named are the branch "),
        "{taken:?}"
    );
}
