//! What a guest commits comes back whole or not at all; with the real git, and without a sandbox.

mod names;
mod of_lane;
mod parts;
mod under_way;

use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use windlass_core::damage::DamageKind;
use windlass_host::file::digest;
use windlass_host::process::Command;
use windlass_host::process::signals::survive_full_files;

use super::*;
use crate::git::{ObjectFormat, is_disk_full};
use crate::testing::Scratch;

/// A person's repository, and a guest's of it.
struct Guest {
    scratch: Scratch,
    loan: Loan,
}

impl Guest {
    fn of(scratch: Scratch) -> Guest {
        let loan = Loan::of(&scratch.found(), scratch.state.join("loan")).unwrap();
        loan.lend().unwrap();
        // Where a sandbox mounts the objects that are borrowed.
        symlink(scratch.path(".git"), loan.borrowed()).unwrap();
        Guest { scratch, loan }
    }

    /// Runs git as a guest does.
    fn git(&self, arguments: &[&str]) -> String {
        let (folder, top) = (self.loan.repository(), &self.scratch.top);
        let mut all = vec!["--git-dir", folder.to_str().unwrap(), "--work-tree", top.to_str().unwrap()];
        all.extend(arguments);
        self.scratch.git_in(top, &all)
    }

    fn commit(&self, text: &str) -> String {
        self.scratch.write("a.txt", text);
        self.git(&["commit", "-q", "-a", "-m", "A guest's"]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    fn take_over(&self) -> Taken {
        self.loan.take_over("r-test", "work").unwrap()
    }

    fn tip(&self) -> String {
        self.scratch.git(&["rev-parse", "refs/heads/main"]).trim().to_owned()
    }

    fn damage(&self) -> (DamageKind, String) {
        let taken = self.take_over();
        assert_eq!(taken.damage.len(), 1, "{taken:?}");
        (taken.damage[0].kind, taken.damage[0].sentence.clone())
    }
}

#[test]
fn commits_branches_and_tags_become_the_persons() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let scratch = Scratch::with_format(format);
        scratch.write("a.txt", "one\n");
        scratch.commit_all("first");
        scratch.write("staged", "a person's\n");
        scratch.git(&["add", "staged"]);
        let guest = Guest::of(scratch);
        assert_eq!(guest.git(&["status", "--porcelain"]), "A  staged\n", "as the person's index has it");
        assert_eq!(guest.take_over(), Taken::default());
        let commit = guest.commit("changed\n");
        guest.git(&["branch", "other"]);
        guest.git(&["tag", "v1"]);
        assert_eq!(guest.take_over(), Taken::default());
        assert_eq!(guest.tip(), commit);
        assert_eq!(guest.scratch.git(&["rev-parse", "other", "v1"]), format!("{commit}\n{commit}\n"));
        assert_eq!(guest.scratch.git(&["status", "--porcelain"]), "");
        guest.scratch.git(&["fsck", "--strict"]);
        guest.loan.lend().unwrap();
        assert_eq!(guest.git(&["rev-parse", "HEAD"]).trim(), commit);
        assert_eq!(guest.git(&["status", "--porcelain"]), "");
        assert_eq!(guest.take_over(), Taken::default(), "nothing is taken twice");
    }
}

#[test]
fn the_first_commit_of_all_is_taken_over() {
    let guest = Guest::of(Scratch::repository());
    guest.scratch.write("a.txt", "one\n");
    guest.git(&["add", "a.txt"]);
    let commit = guest.commit("changed\n");
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.tip(), commit);
    assert_eq!(guest.scratch.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_a_guest_has_packed_is_taken_over_by_its_pack_alone() {
    let guest = Guest::of(Scratch::committed());
    let commit = guest.commit("changed\n");
    guest.git(&["repack", "-q", "-a", "-d", "-l"]);
    // Whatever its list says of what is where.
    let packs = fs::read_dir(guest.loan.repository().join("objects/pack")).unwrap();
    for list in
        packs.map(|entry| entry.unwrap().path()).filter(|path| path.extension() != Some("pack".as_ref()))
    {
        fs::remove_file(list).unwrap();
    }
    // What has no name of git's is passed over.
    fs::write(guest.loan.repository().join("objects/pack/pack-other.pack"), "no pack").unwrap();
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.tip(), commit);
    guest.scratch.git(&["fsck", "--strict"]);
}

#[test]
fn an_object_that_is_not_what_its_name_says_is_taken_over_by_nobody() {
    let guest = Guest::of(Scratch::committed());
    let before = guest.tip();
    guest.commit("changed\n");
    let blob = guest.git(&["rev-parse", "HEAD:a.txt"]);
    let (first, rest) = blob.trim().split_at(2);
    let object = guest.loan.repository().join("objects").join(first).join(rest);
    fs::remove_file(&object).unwrap();
    fs::write(&object, "no object").unwrap();
    let (kind, sentence) = guest.damage();
    assert_eq!(kind, DamageKind::ReferencesLost);
    assert!(sentence.starts_with("commits that git does not take were left ("), "{sentence}");
    assert_eq!(guest.tip(), before);
    // The next one is lent one that is made anew.
    guest.loan.lend().unwrap();
    assert_eq!(guest.git(&["rev-parse", "HEAD"]).trim(), before);
}

#[test]
fn a_git_directory_that_is_none_any_more_is_made_anew_and_the_persons_stays() {
    let guest = Guest::of(Scratch::committed());
    let before = guest.tip();
    guest.commit("changed\n");
    fs::remove_file(guest.loan.repository().join("HEAD")).unwrap();
    let (kind, sentence) = guest.damage();
    assert_eq!(kind, DamageKind::ReferencesLost);
    assert!(
        sentence.starts_with("the git directory that the sandbox was lent is broken (HEAD: "),
        "{sentence}"
    );
    let (_, aside) = sentence.split_once("it is kept as ").unwrap();
    let aside = Path::new(aside.split(';').next().unwrap());
    assert!(aside.starts_with(&guest.loan.home) && aside.join("objects").is_dir(), "{sentence}");
    assert_eq!(guest.take_over(), Taken::default(), "it is said once");
    guest.loan.lend().unwrap();
    assert_eq!((guest.tip(), guest.git(&["rev-parse", "HEAD"]).trim()), (before.clone(), before.as_str()));
}

#[test]
fn a_branch_that_both_have_moved_stays_the_persons_and_the_commit_is_kept() {
    let guest = Guest::of(Scratch::committed());
    let theirs = guest.commit("a guest's\n");
    guest.scratch.git(&["commit", "-q", "--allow-empty", "-m", "A person's"]);
    let ours = guest.tip();
    let taken = guest.take_over();
    assert_eq!(taken.damage, []);
    let said = taken.needs_person.unwrap();
    assert!(
        said.starts_with(
            "a branch was moved while the agent was at work on it; what was committed is the branch "
        ),
        "{said}"
    );
    assert_eq!(guest.tip(), ours);
    let holders = guest.scratch.git(&["for-each-ref", "--contains", &theirs, "--format=%(refname:short)"]);
    assert_eq!(said.rsplit(' ').next(), Some(holders.trim()));
}

#[test]
fn large_files_come_along_by_what_they_hold() {
    let guest = Guest::of(Scratch::committed());
    let large = |name: &str| format!("lfs/objects/{}/{}/{name}", &name[..2], &name[2..4]);
    let (name, other) = (digest(b"large"), digest(b"other"));
    for (name, content) in [(name.as_str(), "large"), (&other, "not it"), (&name[..63], "large")] {
        let path = guest.loan.repository().join(large(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    // Larger than a few kilobytes, and nothing that could be made smaller.
    let noise: String = (0..500_u32).map(|number| digest(&number.to_be_bytes())).collect();
    let commit = guest.commit(&noise);
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.tip(), commit);
    let git = guest.scratch.path(".git");
    assert_eq!(fs::read(git.join(large(&name))).unwrap(), b"large");
    assert!(!git.join(large(&other)).exists() && !git.join(large(&name[..63])).exists());
}

#[test]
fn what_is_still_to_be_taken_over_is_not_written_over() {
    let guest = Guest::of(Scratch::committed());
    let commit = guest.commit("changed\n");
    guest.loan.close();
    guest.loan.lend().unwrap();
    assert_eq!(guest.git(&["rev-parse", "HEAD"]).trim(), commit);
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.tip(), commit);
    guest.loan.close();
    assert!(!guest.loan.home.exists(), "nothing is left in it");
}

#[test]
fn a_name_that_git_does_not_take_is_not_taken_over_and_what_it_names_is_kept() {
    let guest = Guest::of(Scratch::committed());
    let commit = guest.commit("changed\n");
    guest.git(&["update-ref", "refs/heads/-side", &commit]);
    guest.git(&["update-ref", "refs/heads/main", "HEAD~1"]);
    let taken = guest.take_over();
    assert_eq!(taken.notices.len(), 2, "{taken:?}");
    let said = &taken.notices[0];
    assert!(
        said.starts_with("refs/heads/-side was not taken over (its name is none that git takes)"),
        "{said}"
    );
    assert!(guest.scratch.git(&["for-each-ref", "--contains", &commit]).contains(&commit));
}

#[test]
fn a_commit_on_no_branch_is_taken_over_as_one() {
    let scratch = Scratch::committed();
    scratch.git(&["checkout", "-q", "--detach"]);
    let guest = Guest::of(scratch);
    let commit = guest.commit("changed\n");
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.scratch.git(&["rev-parse", "HEAD"]).trim(), commit);
}

#[test]
fn where_a_branch_is_locked_nothing_is_said_to_be_taken_over() {
    let guest = Guest::of(Scratch::committed());
    guest.commit("changed\n");
    fs::write(guest.scratch.path(".git/refs/heads/main.lock"), "").unwrap();
    assert!(guest.loan.take_over("r-test", "work").is_err());
    fs::remove_file(guest.scratch.path(".git/refs/heads/main.lock")).unwrap();
    assert_eq!(guest.take_over(), Taken::default(), "it is taken over later");
}

#[test]
fn branches_of_remotes_are_lent_and_stay_as_they_are() {
    let scratch = Scratch::committed();
    let before = scratch.git(&["rev-parse", "HEAD"]);
    scratch.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let guest = Guest::of(scratch);
    assert_eq!(guest.git(&["rev-parse", "origin/main"]), before);
    let commit = guest.commit("changed\n");
    guest.git(&["update-ref", "refs/remotes/origin/main", &commit]);
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.scratch.git(&["rev-parse", "origin/main"]), before);
}

#[test]
fn where_a_person_has_moved_on_a_guest_is_lent_their_index() {
    let guest = Guest::of(Scratch::committed());
    let index = |guest: &Guest| guest.git(&["diff", "--cached", "--name-only"]);
    guest.scratch.write("new", "x");
    guest.git(&["add", "new"]);
    guest.loan.lend().unwrap();
    assert_eq!(index(&guest), "new\n", "where nothing moved it is the guest's");
    let commit = guest.scratch.git(&["commit-tree", "-p", "HEAD", "-m", "A person's", "HEAD^{tree}"]);
    guest.scratch.git(&["update-ref", "refs/heads/main", commit.trim()]);
    guest.loan.lend().unwrap();
    assert_eq!((guest.git(&["rev-parse", "HEAD"]), index(&guest)), (commit, String::new()));
}

const FULL: &str = "loan::tests::a_full_disk_is_an_error_and_what_a_guest_has_stays";

/// Tells the process that may not write.
const IS_FULL: &str = "WINDLASS_TEST_FULL";

#[test]
fn a_full_disk_is_an_error_and_what_a_guest_has_stays() {
    if env::var_os(IS_FULL).is_some() {
        return lend_on_a_full_disk();
    }
    let program = Command::new(env::current_exe().unwrap()).arguments(["--exact", FULL]);
    let output = program.environment(IS_FULL, Some(OsStr::new("yes"))).run().unwrap();
    assert!(output.succeeded(), "{output:?}");
}

fn lend_on_a_full_disk() {
    let guest = Guest::of(Scratch::committed());
    survive_full_files();
    let lend = || {
        let limit = getrlimit(Resource::Fsize);
        setrlimit(Resource::Fsize, Rlimit { current: Some(0), ..limit }).unwrap();
        let lent = guest.loan.lend();
        setrlimit(Resource::Fsize, limit).unwrap();
        lent
    };
    assert!(is_disk_full(&lend().unwrap_err()));
    assert_eq!(guest.git(&["rev-parse", "HEAD"]).trim(), guest.tip(), "it is not made anew");
    let commit = guest.commit("changed\n");
    assert!(is_disk_full(&lend().unwrap_err()));
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.tip(), commit);
}

#[test]
fn a_stash_becomes_a_branch_and_the_next_guest_still_has_it() {
    let guest = Guest::of(Scratch::committed());
    for text in ["first\n", "second\n"] {
        guest.scratch.write("a.txt", text);
        guest.git(&["stash", "-q"]);
    }
    let taken = guest.take_over();
    assert_eq!((taken.damage, taken.needs_person, taken.notices.len()), (vec![], None, 2));
    let branch = |said: &str| said.rsplit('`').nth(1).unwrap().replace("git stash apply ", "");
    let texts: Vec<String> = taken.notices.iter().map(|said| branch(said)).collect();
    let texts: Vec<String> =
        texts.iter().map(|branch| guest.scratch.git(&["show", &format!("{branch}:a.txt")])).collect();
    assert_eq!(texts, ["second\n", "first\n"]);
    guest.scratch.git(&["stash", "apply", "-q", &branch(&taken.notices[1])]);
    assert_eq!(fs::read_to_string(guest.scratch.path("a.txt")).unwrap(), "first\n");
    guest.scratch.git(&["checkout", "-q", "a.txt"]);
    assert_eq!(guest.take_over(), Taken::default(), "it is said once");
    guest.loan.lend().unwrap();
    guest.git(&["stash", "pop", "-q"]);
    guest.git(&["checkout", "-q", "a.txt"]);
    guest.git(&["stash", "pop", "-q"]);
    assert_eq!(fs::read_to_string(guest.scratch.path("a.txt")).unwrap(), "first\n");
    assert_eq!(guest.take_over(), Taken::default());
    guest.loan.close();
    assert!(!guest.loan.home.exists());
}

#[test]
fn commits_that_other_references_name_become_branches() {
    let guest = Guest::of(Scratch::committed());
    let work = guest.commit("work\n");
    guest.git(&["update-ref", "refs/wip/x", &work]);
    guest.git(&["notes", "add", "-m", "a note"]);
    guest.git(&["update-ref", "refs/wip/blob", "HEAD:a.txt"]);
    guest.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let taken = guest.take_over();
    assert_eq!(taken.damage, []);
    let said: Vec<&str> = taken.notices.iter().map(|said| said.split(" alone ").next().unwrap()).collect();
    assert_eq!(said, ["commits that refs/notes/commits", "commits that refs/wip/x"]);
    assert_eq!(guest.scratch.git(&["rev-parse", "windlass/r-test/work-wip-x"]).trim(), work);
    assert!(guest.scratch.git(&["ls-tree", "windlass/r-test/work-notes-commits"]).contains(&work));
    assert!(
        !guest.scratch.git(&["for-each-ref"]).contains("refs/wip"),
        "guests have no names of their own there"
    );
    assert_eq!(guest.take_over(), Taken::default());
}

#[test]
fn stashes_that_differ_in_untracked_files_alone_are_two_branches() {
    let guest = Guest::of(Scratch::committed());
    for name in ["one", "two"] {
        guest.scratch.write(name, "work\n");
        guest.git(&["stash", "-q", "-u"]);
    }
    let taken = guest.take_over();
    assert_eq!(taken.notices.len(), 2, "{taken:?}");
    for (branch, file) in [("work-stash", "two"), ("work-stash-1", "one")] {
        guest.scratch.git(&["stash", "apply", "-q", &format!("windlass/r-test/{branch}")]);
        assert!(guest.scratch.path(file).exists(), "{branch}");
    }
}

#[test]
fn what_a_refused_name_or_a_moved_tag_holds_is_kept() {
    let scratch = Scratch::committed();
    scratch.git(&["tag", "v1"]);
    scratch.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let guest = Guest::of(scratch);
    let hidden = guest.commit("on origin\n");
    guest.git(&["update-ref", "refs/heads/origin", &hidden]);
    guest.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let moved = guest.commit("on v1\n");
    guest.git(&["tag", "-f", "-a", "-m", "moved", "v1"]);
    guest.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let taken = guest.take_over();
    assert_eq!(taken.damage.len(), 2, "{taken:?}");
    for (branch, commit) in [("work-heads-origin", hidden), ("work-tags-v1", moved)] {
        let branch = format!("windlass/r-test/{branch}");
        assert_eq!(guest.scratch.git(&["rev-parse", &branch]).trim(), commit, "{taken:?}");
    }
}

#[test]
fn one_that_was_broken_when_its_run_was_killed_is_put_aside_and_told_later() {
    let guest = Guest::of(Scratch::committed());
    guest.commit("changed\n");
    fs::remove_file(guest.loan.repository().join("HEAD")).unwrap();
    // The next session lends before it looks.
    guest.loan.lend().unwrap();
    let (_, sentence) = guest.damage();
    assert!(sentence.contains("is broken (HEAD: ") && sentence.contains("it is kept as "), "{sentence}");
    assert!(guest.loan.aside(1).join("objects").is_dir());
    assert_eq!(guest.take_over(), Taken::default(), "once");
}

#[test]
fn of_a_branch_that_was_made_before_a_kill_it_is_said_once_more() {
    let guest = Guest::of(Scratch::committed());
    guest.scratch.write("a.txt", "work\n");
    guest.git(&["stash", "-q"]);
    let record = fs::read(guest.loan.record()).unwrap();
    let first = guest.take_over();
    fs::write(guest.loan.record(), record).unwrap();
    assert_eq!(guest.take_over(), first);
    assert_eq!(guest.scratch.git(&["branch", "--list", "windlass/*"]).lines().count(), 1);
}

#[test]
fn a_branch_that_is_called_otherwise_goes_on_under_its_new_name() {
    let guest = Guest::of(Scratch::committed());
    let before = guest.tip();
    let commit = guest.commit("changed\n");
    guest.git(&["branch", "-m", "main", "trunk"]);
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.tip(), before, "the person's own stays");
    assert_eq!(guest.scratch.git(&["symbolic-ref", "HEAD"]).trim(), "refs/heads/trunk");
    assert_eq!(guest.scratch.git(&["rev-parse", "HEAD"]).trim(), commit);
    assert_eq!(guest.scratch.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_thousand_new_names_are_made_at_once() {
    let guest = Guest::of(Scratch::committed());
    let commit = guest.commit("changed\n");
    let tags: Vec<String> = (0..1000).map(|number| format!("{commit} refs/tags/t{number}\n")).collect();
    let packed = guest.loan.repository().join("packed-refs");
    fs::write(&packed, [fs::read_to_string(&packed).unwrap(), tags.concat()].concat()).unwrap();
    assert_eq!(guest.take_over(), Taken::default());
    assert_eq!(guest.scratch.git(&["tag", "--points-at", &commit]).lines().count(), 1000);
}

#[test]
fn one_name_that_cannot_be_made_is_not_in_the_way_of_others() {
    let scratch = Scratch::committed();
    scratch.git(&["update-ref", "refs/heads/feature", "HEAD"]);
    let guest = Guest::of(scratch);
    let commit = guest.commit("changed\n");
    guest.git(&["branch", "-D", "-q", "feature"]);
    guest.git(&["branch", "feature/one"]);
    guest.git(&["branch", "other"]);
    let taken = guest.take_over();
    assert!(taken.notices[0].starts_with("refs/heads/feature/one was not taken over ("), "{taken:?}");
    assert!(taken.damage[0].sentence.contains("deleted or moved: feature;"), "{taken:?}");
    assert_eq!(guest.scratch.git(&["rev-parse", "other"]).trim(), commit);
}

#[test]
fn names_that_stand_for_commits_or_for_what_git_has_are_not_taken() {
    let scratch = Scratch::committed();
    scratch.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let guest = Guest::of(scratch);
    let short: String = guest.tip().chars().take(8).collect();
    guest.commit("changed\n");
    for name in [format!("tags/{short}"), "heads/origin".to_owned(), "tags/FETCH_HEAD".to_owned()] {
        guest.git(&["update-ref", &format!("refs/{name}"), "HEAD"]);
    }
    guest.git(&["tag", "20261130"]);
    let (kind, sentence) = guest.damage();
    assert_eq!(kind, DamageKind::ReferencesLost);
    for name in [&format!("tags/{short}"), "heads/origin", "tags/FETCH_HEAD"] {
        assert!(sentence.contains(name), "{sentence}");
    }
    let tags = guest.scratch.git(&["for-each-ref", "--format=%(refname)", "refs/tags"]);
    assert_eq!(tags, "refs/tags/20261130\n", "a day is no commit");
}

#[test]
fn where_a_guest_moves_to_a_branch_without_commits_the_index_follows_what_it_committed() {
    let guest = Guest::of(Scratch::committed());
    let commit = guest.commit("changed\n");
    guest.git(&["symbolic-ref", "HEAD", "refs/heads/none"]);
    let (kind, _) = guest.damage();
    assert_eq!(kind, DamageKind::BranchSwitched);
    assert_eq!(guest.tip(), commit);
    assert_eq!(guest.scratch.git(&["status", "--porcelain"]), "");
}
