//! Whose a lock is, and whether anybody is left of them.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::git::{FoundRepository, Repository};
use crate::testing::Scratch;
use windlass_host::process::sees_all_processes;

/// A git that reads what it is asked until it is ended.
#[expect(clippy::disallowed_methods, reason = "it has to stay at work beside the test")]
fn at_work(directory: &Path, arguments: &[&str]) -> Child {
    let mut git = Command::new("git");
    git.current_dir(directory).args(arguments).args(["cat-file", "--batch"]);
    let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // It has answered: it is what it will be until the end.
    std::io::Write::write_all(git.stdin.as_mut().unwrap(), b"nothing\n").unwrap();
    let mut said = [0; 7];
    std::io::Read::read_exact(git.stdout.as_mut().unwrap(), &mut said).unwrap();
    git
}

fn end(mut git: Child) {
    drop(git.stdin.take());
    git.wait().unwrap();
}

fn linked(scratch: &Scratch) -> Repository {
    let path = scratch.state.join("linked");
    scratch.git(&["worktree", "add", "-q", path.to_str().unwrap()]);
    let FoundRepository::Worktree(repository) = Repository::find(&path).unwrap() else { panic!() };
    repository
}

#[test]
fn a_lock_is_cleared_once_nobody_is_at_work_and_only_if_it_is_young_enough() {
    let scratch = Scratch::committed();
    let began = SystemTime::now();
    let repository = scratch.found();
    let removed = || repository.clear_locks(began);
    let elsewhere = scratch.state.join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let named = format!("--git-dir={}", scratch.path(".git").display());
    std::os::unix::fs::symlink(scratch.path(".git"), elsewhere.join("link")).unwrap();
    for (directory, arguments) in [
        (&scratch.top, &[][..]),
        (&scratch.path("src"), &[]),
        (&elsewhere, &[named.as_str()]),
        (&elsewhere, &["--git-dir=link"]),
        (&elsewhere, &["--git-dir", "../elsewhere/link"]),
    ] {
        scratch.write(".git/index.lock", "");
        let git = at_work(directory, arguments);
        assert_eq!(removed(), Vec::<String>::new(), "{arguments:?}");
        assert!(repository.locks().abandoned.is_empty());
        end(git);
        let cleared = removed();
        // From within a container nobody sees who else is at work.
        assert_eq!(cleared.len(), usize::from(sees_all_processes()), "{cleared:?}");
        assert_eq!(scratch.has(".git/index.lock"), cleared.is_empty());
    }
    // The clock of files lags behind the one that said when the run began.
    scratch.write(".git/index.lock", "");
    let made = std::fs::metadata(scratch.path(".git/index.lock")).unwrap().modified().unwrap();
    let at_once = repository.clear_locks(made + Duration::from_millis(5));
    assert_eq!(at_once.len(), usize::from(sees_all_processes()), "{at_once:?}");
    scratch.write(".git/index.lock", "");
    let later = SystemTime::now() + Duration::from_mins(1);
    assert_eq!(repository.clear_locks(later), Vec::<String>::new(), "it was there before");
    assert!(scratch.has(".git/index.lock"));
}

#[test]
fn of_a_linked_checkout_only_its_own_locks_are_ours() {
    let scratch = Scratch::committed();
    let repository = linked(&scratch);
    let own = repository.git_dir.join("index.lock");
    for lock in ["index.lock", "HEAD.lock", "refs/heads/x.lock"] {
        scratch.write(&format!(".git/{lock}"), "");
    }
    std::fs::write(&own, "").unwrap();
    std::fs::write(repository.git_dir.join("windlass.lock"), "").unwrap();
    // Whoever is at work in another checkout may hold what all share.
    let git = at_work(&scratch.top, &[]);
    assert!(repository.locks().abandoned.is_empty());
    end(git);
    let shared = scratch.path(".git/refs/heads/x.lock");
    let mut expected = vec![own.clone(), shared];
    expected.sort();
    assert_eq!(repository.locks().abandoned, expected);
    let git = at_work(&scratch.top, &[]);
    let cleared = repository.clear_locks(SystemTime::UNIX_EPOCH);
    assert_eq!(cleared.len(), usize::from(sees_all_processes()), "its own: {cleared:?}");
    assert!(scratch.has(".git/refs/heads/x.lock"), "the other checkout may hold it");
    end(git);
    std::fs::write(scratch.path(".git/packed-refs.lock"), "").unwrap();
    let cleared = repository.clear_locks(SystemTime::UNIX_EPOCH);
    assert_eq!(cleared.len(), if sees_all_processes() { 2 } else { 0 }, "references: {cleared:?}");
    assert!(scratch.has(".git/index.lock") && scratch.has(".git/HEAD.lock"), "the other checkout's");
}

#[test]
fn a_lock_of_any_reference_of_the_checkout_is_cleared() {
    let scratch = Scratch::committed();
    let locks = ["AUTO_MERGE", "ORIG_HEAD", "MERGE_HEAD"];
    for name in locks {
        scratch.write(&format!(".git/{name}.lock"), "");
    }
    scratch.write(".git/windlass.lock", "");
    scratch.found().clear_locks(SystemTime::UNIX_EPOCH);
    for name in locks {
        assert_eq!(scratch.has(&format!(".git/{name}.lock")), !sees_all_processes(), "{name}");
    }
    assert!(scratch.has(".git/windlass.lock"), "another run's own");
}
