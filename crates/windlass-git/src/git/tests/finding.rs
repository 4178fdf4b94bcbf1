use std::fs;
use std::time::Duration;

use windlass_core::words::quoted;

use crate::git::repository::way_in;
use crate::git::{FoundRepository, GitError, Head, ObjectFormat, ObjectId, Repository};
use crate::testing::{Scratch, say};

fn head_id(scratch: &Scratch) -> ObjectId {
    ObjectId::from_hex(scratch.git(&["rev-parse", "HEAD"]).trim().as_bytes()).unwrap()
}

#[test]
fn a_directory_is_in_a_working_tree_or_a_bare_repository_or_none() {
    let scratch = Scratch::committed();
    let repository = scratch.found();
    assert_eq!(repository.top, scratch.top);
    assert_eq!(repository.git_dir, scratch.path(".git"));
    assert!(!repository.is_linked());
    assert_eq!(Repository::find(&scratch.path("src")).unwrap(), FoundRepository::Worktree(repository));
    assert_eq!(Repository::find(&scratch.path(".git")).unwrap(), FoundRepository::Bare);
    let bare = scratch.state.join("bare");
    scratch.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    assert_eq!(Repository::find(&bare).unwrap(), FoundRepository::Bare);
    assert_eq!(Repository::find(&Scratch::plain().top).unwrap(), FoundRepository::None);
    let nowhere = Repository::find(&scratch.path("nowhere"));
    assert!(matches!(nowhere, Err(GitError::NoDirectory(_))), "{nowhere:?}");
}

#[test]
fn a_repository_of_somebody_else_is_said_to_be_unsafe() {
    let scratch = Scratch::committed();
    if !rustix::process::geteuid().is_root() {
        say("skipped, because only root can give files away");
        return;
    }
    std::os::unix::fs::chown(&scratch.top, Some(12345), None).unwrap();
    let FoundRepository::Unsafe(said) = Repository::find(&scratch.top).unwrap() else { panic!() };
    let top = quoted(scratch.top.as_os_str());
    assert!(said.ends_with(&format!(": git config --global --add safe.directory {top}")), "{said}");
}

#[test]
fn the_command_that_allows_a_repository_names_it_and_is_one_line() {
    for (named, expected) in [
        ("/a/b", "/a/b"),
        ("'/a b'", "'/a b'"),
        ("'/a\nb'", r"$'/a\nb'"),
        (r"'/it'\''s'\!' it'", r"'/it'\''s! it'"),
    ] {
        let said = format!(
            "fatal: detected dubious ownership in repository at '…'\nTo add an exception for this directory, call:\n\n\tgit config \
             --global --add safe.directory {named}"
        );
        let command = format!(": git config --global --add safe.directory {expected}");
        assert!(way_in(&said).ends_with(&command), "{}", way_in(&said));
    }
    assert_eq!(way_in("fatal: detected dubious ownership"), "fatal: detected dubious ownership");
}

#[test]
fn commits_are_counted_from_one_to_another() {
    let scratch = Scratch::committed();
    let first = head_id(&scratch).to_string();
    for _ in 0..3 {
        scratch.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    }
    let (repository, last) = (scratch.found(), head_id(&scratch).to_string());
    let count = |first, last: &str| repository.count_commits(first, last, Duration::from_mins(1));
    assert_eq!(count(Some(&first), &last).unwrap(), 3);
    assert_eq!(count(Some(&last), &first).unwrap(), 0);
    assert_eq!(count(None, &last).unwrap(), 4);
    for wrong in ["0".repeat(40), "--all".to_owned(), String::new()] {
        assert!(count(Some(&first), &wrong).is_err() || wrong.is_empty(), "{wrong}");
    }
}

#[test]
fn what_git_ignores_is_listed_and_a_folder_of_nothing_else_as_one() {
    let scratch = Scratch::committed();
    assert_eq!(scratch.found().ignored().unwrap(), Vec::<Vec<u8>>::new());
    scratch.write(".gitignore", "*.log\n/out/\n");
    for path in ["a.log", "src/b.log", "out/one", "out/other", "untracked"] {
        scratch.write(path, "x");
    }
    assert_eq!(
        scratch.found().ignored().unwrap(),
        [b"a.log".to_vec(), b"out/".to_vec(), b"src/b.log".to_vec()]
    );
}

#[test]
fn head_is_read_as_git_reads_it() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let scratch = Scratch::with_format(format);
        let branch = b"refs/heads/main".to_vec();
        let head = || scratch.found().head().unwrap();
        assert_eq!(head(), Head::Unborn { branch: branch.clone() });
        scratch.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        let commit = head_id(&scratch);
        assert_eq!(head(), Head::Branch { branch: branch.clone(), commit }, "loose");
        scratch.git(&["pack-refs", "--all"]);
        assert_eq!(head(), Head::Branch { branch: branch.clone(), commit }, "packed");
        scratch.git(&["commit", "-q", "--allow-empty", "-m", "y"]);
        let commit = head_id(&scratch);
        assert_eq!(head(), Head::Branch { branch: branch.clone(), commit }, "loose over packed");
        scratch.git(&["checkout", "-q", "--detach"]);
        assert_eq!(head(), Head::Detached { commit });
        scratch.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
        scratch.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
        assert_eq!(head().commit(), Some(commit), "through another reference");
    }
}

#[test]
fn a_head_that_leads_elsewhere_reads_no_file_there() {
    let scratch = Scratch::committed();
    let id = head_id(&scratch);
    fs::write(scratch.path("outside"), format!("{id}\n")).unwrap();
    scratch.write(".git/HEAD", "ref: refs/heads/../../../outside\n");
    let head = scratch.found_unchecked().head();
    assert!(!head.is_ok_and(|head| head.commit() == Some(id)));
}

impl Scratch {
    /// Without asking git, which would refuse.
    fn found_unchecked(&self) -> Repository {
        let git_dir = self.path(".git");
        let object_format = ObjectFormat::Sha1;
        Repository {
            top: self.top.clone(),
            common_dir: git_dir.clone(),
            git_dir,
            object_format,
            closed_filters: None,
        }
    }
}
