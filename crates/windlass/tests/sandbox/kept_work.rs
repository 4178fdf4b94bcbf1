//! Work that a guest leaves in git where nobody looks for it, and what a person finds of it.

use std::fs;

use windlass_testkit::environment::wait_until;

use super::git::{told, work};
use super::git_after_kills::carry_out;
use super::place::{PATIENCE, Place, kinds, said};

const COMMIT: &[&str] = &["--commit", "agent"];

fn mounting() -> impl Iterator<Item = &'static str> {
    kinds().into_iter().filter(|kind| *kind == "bwrap")
}

/// The branches that keep what the repository could not take as it was: name without the run's, and subject.
fn kept(place: &Place) -> Vec<String> {
    let listed =
        place.env.git(&["for-each-ref", "--format=%(refname:lstrip=4) %(subject)", "refs/heads/windlass"]);
    listed.lines().map(str::to_owned).collect()
}

// attack(git): an agent in a sandbox puts its work away in a stash, commits and resets to the commit before, so that a reference of its
//   own and a note alone name it
// holds: each commit that nothing else holds is a branch of the person's, and said; the next call still has the stash
#[test]
fn work_that_a_guest_puts_away_is_a_branch() {
    for kind in mounting() {
        let place = Place::new(kind);
        let stash = "echo important > a && git add a && git stash -q";
        let outcome = work(&place, &[stash, "git stash pop -q; cat a > b"], COMMIT);
        let names = place.env.git(&["for-each-ref", "--format=%(refname:lstrip=4)", "refs/heads/windlass"]);
        assert_eq!(names, "iteration-1-stash", "{}", said(&outcome));
        assert!(told(&outcome).contains("`git stash apply windlass/"), "{}", said(&outcome));
        assert_eq!(place.env.read("b"), "important\n", "{}", said(&outcome));

        let place = Place::new(kind);
        let hide = "echo x > x && git add x && git commit -qm hidden && git update-ref refs/wip/x HEAD && \
                    git notes add -m noted && git reset -q --hard HEAD~1 && echo z > z && git add z && git commit -qm shown";
        let outcome = work(&place, &[hide], COMMIT);
        let expected =
            ["iteration-1-notes-commits Notes added by 'git notes add'", "iteration-1-wip-x hidden"];
        assert_eq!(kept(&place), expected, "{}", said(&outcome));
        assert_eq!(place.env.git(&["log", "-1", "--format=%s", "main"]), "shown");
    }
}

// attack(git): an agent in a sandbox renames the branch, and deletes it beside another one that has its commits
// holds: the new branch is the person's, with every commit, and is checked out; the person's own stays where it was
#[test]
fn a_branch_that_a_guest_renames_arrives_under_its_new_name() {
    for kind in mounting() {
        let place = Place::new(kind);
        let before = place.env.git(&["rev-parse", "main"]);
        let rename = "for i in 1 2 3; do echo $i > s; git add s; git commit -qm step$i; done; git branch -m main trunk";
        let outcome = work(&place, &[rename], COMMIT);
        let subjects = place.env.git(&["log", "-3", "--format=%s", "trunk"]);
        assert_eq!(subjects, "step3\nstep2\nstep1", "{}", said(&outcome));
        assert_eq!(place.env.git(&["rev-parse", "main"]), before);
        assert_eq!(place.env.git(&["symbolic-ref", "HEAD"]), "refs/heads/trunk");
        assert!(!told(&outcome).contains("is broken"), "{}", said(&outcome));
    }
}

// attack(git): an agent in a sandbox makes tags that are named like the commit from which the run began, like FETCH_HEAD, and a branch
//   named like the remote
// holds: the repository has none of them, and it is said: a printed `git diff` means the commits that it names
#[test]
fn no_name_that_stands_for_a_commit_is_taken() {
    for kind in mounting() {
        let place = Place::new(kind);
        place.env.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        let attack = "S=$(git rev-parse --short=8 HEAD); echo x > x; git add x; git commit -qm x; git tag $S; git tag FETCH_HEAD; \
                      git update-ref refs/heads/origin HEAD";
        let outcome = work(&place, &[attack], COMMIT);
        let names = place.env.git(&["for-each-ref", "--format=%(refname)"]);
        assert_eq!(names, "refs/heads/main\nrefs/remotes/origin/main", "{}", said(&outcome));
        assert!(told(&outcome).contains("stand for other ones' names"), "{}", said(&outcome));
    }
}

// attack(claims): an agent in a sandbox commits and calls the job done, where a person has committed on the branch meanwhile and there is
//   no gate
// holds: the claim does not stand, since its work is not on the branch: the run ends for a person to bring both together, and goes on
//   when they say so
#[test]
fn a_claim_whose_work_a_person_has_to_bring_in_does_not_stand() {
    for kind in mounting() {
        let place = Place::new(kind);
        let script = "[[call]]\nsteps = [ { bash = '''\necho x > x && git add x && git commit -qm work && touch ready; \
                      while [ ! -e go ]; do sleep 0.05; done\n''' }, { result = { text = 'WINDLASS_JOB_COMPLETE', cost = 0.01 } } ]\n\
                      [[call]]\nsteps = [ { result = { text = 'WINDLASS_JOB_COMPLETE', cost = 0.01 } } ]\n";
        let flags = ["-m", "3", "--allow-dirty", "--commit", "agent", "--completion-threshold", "1"];
        let running = place.start(script, &flags);
        assert!(wait_until(PATIENCE, || place.env.project().join("ready").exists()), "nobody is at work");
        place.env.git(&["commit", "--quiet", "--allow-empty", "--message", "a person's"]);
        place.env.write("go", "");
        let outcome = running.wait(PATIENCE);
        assert!(told(&outcome).contains("stopped: needs_human"), "{}", said(&outcome));
        assert_eq!(outcome.code, Some(24), "{}", said(&outcome));
        assert_eq!(kept(&place), ["iteration-1 work"]);
        let branch = place.env.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/windlass"]);
        fs::remove_file(place.env.project().join("x")).unwrap();
        place.env.git(&["merge", "--quiet", "--no-edit", &branch]);
        let resumed = carry_out(&place, &["resume"]);
        assert!(told(&resumed).contains("stopped: complete"), "{}", said(&resumed));
        assert!(place.env.project().join("x").exists());
    }
}

// attack(git): an agent under landlock removes the git directory and makes another one in its place
// holds: no git is run on it; what the printed command has put back is the repository again for every command after it
#[test]
fn a_repository_that_a_person_has_put_back_is_theirs_again() {
    for kind in kinds().into_iter().filter(|kind| *kind == "landlock") {
        let place = Place::new(kind);
        let replace = "rm -rf .git; git init -q; git config core.fsmonitor \"touch pwned\"; echo w > w";
        let outcome = work(&place, &[replace], &["--commit", "runner"]);
        assert!(told(&outcome).contains("was replaced while a guest was at work"), "{}", said(&outcome));
        carry_out(&place, &["restore", "RUN", "1", "--before", "--repository"]).expect_success("restore");
        assert_eq!(place.env.git(&["log", "--format=%s"]), "Begin");
        let next = work(&place, &["echo y > y"], &["--commit", "runner"]);
        assert!(!told(&next).contains("was replaced"), "{}", said(&next));
        assert_eq!(
            place.env.git(&["log", "-1", "--format=%s"]),
            "Windlass iteration 1: Work",
            "{}",
            said(&next)
        );
        assert!(!place.env.project().join("pwned").exists());
    }
}
