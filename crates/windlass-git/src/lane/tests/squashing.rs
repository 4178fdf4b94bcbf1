use std::fs;

use super::Yard;
use crate::commit::CommitOutcome;

#[test]
fn all_that_differs_is_one_commit_whatever_the_agent_did_with_git() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("a.txt", "changed\n");
    worker.git(&yard, &["checkout", "-q", "-b", "mine"]);
    worker.git(&yard, &["commit", "-q", "-a", "-m", "one of my own"]);
    worker.write("new\nfile", "x");
    worker.remove("src/b.txt");
    worker.git(&yard, &["config", "core.worktree", "/nonexistent"]);
    worker.git(&yard, &["config", "core.fsmonitor", "touch /tmp/never"]);
    fs::write(worker.lane.top().join(".git/index"), "damaged").unwrap();
    let commit = yard.commit(&worker).to_string();
    let git_dir = worker.home.join("lane.git");
    let show = ["show", "--format=%P%n%s", "--name-status", "-z", &commit];
    let shown = yard.scratch.git_in(&git_dir, &show);
    let expected = format!("{}\nWork of a lane\0\nM\0a.txt\0A\0new\nfile\0D\0src/b.txt\0", worker.since);
    assert_eq!(shown, expected);
}

#[test]
fn what_was_judged_is_committed_although_a_gate_rewrote_it() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("a.txt", "judged\n");
    worker.write("new", "judged\n");
    let inventory = yard.judge(&worker);
    // One back to what it was, one gone, one that was not there.
    worker.write("a.txt", "one\n");
    worker.remove("new");
    worker.write("written by a gate", "x");
    let changed = worker.lane.to_commit(vec![b"a.txt".to_vec(), b"new".to_vec()]).unwrap();
    let candidate = crate::commit::Candidate {
        inventory: &inventory,
        changed: &changed,
        message: "x",
        hooks: crate::commit::CommitHooks::Run,
        timeout: std::time::Duration::from_mins(1),
    };
    let outcome = worker.lane.squash(&yard.scratch.store(), &candidate, |_| Ok(None)).unwrap();
    let CommitOutcome::Committed { commit, altered } = outcome else { panic!("{outcome:?}") };
    assert_eq!(altered, Vec::<Vec<u8>>::new());
    let git_dir = worker.home.join("lane.git");
    let show = |path: &str| yard.scratch.git_in(&git_dir, &["show", &format!("{commit}:{path}")]);
    assert_eq!((show("a.txt"), show("new")), ("judged\n".into(), "judged\n".into()));
    let tree = yard.scratch.git_in(&git_dir, &["ls-tree", "-r", "--name-only", &commit.to_string()]);
    assert_eq!(tree, "a.txt\nnew\nsrc/b.txt\n");
}

#[test]
fn the_runners_own_files_stay_as_they_were() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("a.txt", "the agent says that it is done\n");
    worker.write("b", "work");
    let outcome = yard.squash_without(&worker, &[b"a.txt".to_vec()]);
    let CommitOutcome::Committed { commit, .. } = outcome else { panic!("{outcome:?}") };
    let git_dir = worker.home.join("lane.git");
    let shown = yard.scratch.git_in(&git_dir, &["show", "--format=", "--name-only", &commit.to_string()]);
    assert_eq!(shown, "b\n");
    let only = yard.open(2);
    only.write("a.txt", "nothing but this\n");
    assert_eq!(yard.squash_without(&only, &[b"a.txt".to_vec()]), CommitOutcome::NothingToCommit);
}

#[test]
fn the_main_repositorys_hooks_run_in_the_lane() {
    let yard = Yard::new();
    let hook = "#!/bin/sh\nif grep -q ugly a.txt; then echo 'lint: a.txt is ugly' >&2; exit 1; fi\n";
    yard.scratch.write(".git/hooks/pre-commit", hook);
    yard.scratch.write(".git/hooks/commit-msg", "#!/bin/sh\necho 'Checked: yes' >> \"$1\"\n");
    for name in ["pre-commit", "commit-msg"] {
        yard.scratch.chmod(&format!(".git/hooks/{name}"), 0o755);
    }
    let worker = yard.open(1);
    worker.write("a.txt", "ugly\n");
    assert_eq!(yard.squash(&worker), CommitOutcome::RefusedByHook("lint: a.txt is ugly".into()));
    worker.write("a.txt", "pretty\n");
    let landed = yard.deliver(&worker);
    let message = yard.scratch.git(&["log", "-1", "--format=%B", &landed.to_string()]);
    assert!(message.contains("Checked: yes") && message.contains("Windlass-Run: r-test"), "{message}");
    assert!(!worker.lane.top().join(".git/hooks").exists());
    // By its trailers it is known again, although a line of the hook's follows them.
    assert_eq!(
        yard.land(&worker, landed, worker.since, &[]),
        super::Landed::Landed { commit: landed, left: Vec::new(), behind: None }
    );
}

#[test]
fn submodules_stay_as_they_were_and_cannot_be_moved_from_a_lane() {
    let yard = Yard::new();
    let inner = crate::testing::Scratch::committed();
    let url = inner.top.to_str().unwrap();
    yard.scratch.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "inner"]);
    yard.scratch.git(&["commit", "-q", "-m", "submodule"]);
    let worker = yard.open(1);
    assert_eq!(fs::read_dir(worker.lane.top().join("inner")).unwrap().count(), 0);
    worker.write("a.txt", "changed\n");
    fs::remove_dir(worker.lane.top().join("inner")).unwrap();
    yard.deliver(&worker);
    assert_eq!(yard.status(), "");
    assert!(yard.scratch.has("inner/a.txt"));
    assert!(yard.scratch.git(&["ls-tree", "HEAD", "inner"]).starts_with("160000 "));

    let worker = yard.open(1);
    worker.git(&yard, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"]);
    let inside = worker.lane.top().join("inner");
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    yard.scratch.git_in(&inside, &[&identity[..], &["commit", "-q", "--allow-empty", "-m", "lost"]].concat());
    worker.write("a.txt", "changed again\n");
    let outcome = yard.squash(&worker);
    assert!(
        matches!(&outcome, CommitOutcome::Refused(why) if why.contains("inner is a repository")),
        "{outcome:?}"
    );
    assert!(!yard.open(1).has("inner/a.txt"), "a fresh lane has none of it");
}

#[test]
fn a_repository_that_an_agent_cloned_inside_is_in_no_commit() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.git(&yard, &["init", "-q", "inside"]);
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    let inside = worker.lane.top().join("inside");
    yard.scratch.git_in(&inside, &[&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
    assert_eq!(yard.squash(&worker), CommitOutcome::NothingToCommit);
}

#[test]
fn the_same_commit_is_known_after_a_crash() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("a.txt", "changed\n");
    let commit = yard.commit(&worker);
    let lane = crate::lane::Lane::find(&yard.main(), &worker.home).unwrap().unwrap();
    let marked = crate::commit::marked_commit(lane.repository(), &worker.trailers, None, |_| Ok(None));
    assert_eq!(marked.unwrap(), Some(CommitOutcome::Committed { commit, altered: Vec::new() }));
}
