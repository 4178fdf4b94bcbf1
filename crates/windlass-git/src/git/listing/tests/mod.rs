//! What is listed without git is what git lists, or git is asked.

mod property;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use super::wildmatch::{Effort, Text};
use super::*;
use crate::git::{FoundRepository, ObjectFormat};
use crate::testing::Scratch;

/// What is listed without git, which must be what git lists.
fn listed(scratch: &Scratch) -> Result<Vec<Vec<u8>>, Unsure> {
    let repository = scratch.found();
    let listed = Listing::default().without_git(&repository);
    if let Ok(paths) = &listed {
        assert_eq!(shown(paths), shown(&repository.list_files().unwrap()));
    }
    listed
}

/// git has to be asked, and is.
fn unsure(scratch: &Scratch, why: &str) {
    let repository = scratch.found();
    assert_eq!(Listing::default().without_git(&repository), Err(Unsure(find(why))), "{why}");
    let files = Listing::default().files(&repository).unwrap();
    assert_eq!(shown(&files), shown(&repository.list_files().unwrap()), "{why}");
}

/// The whole reason, of which some words are given.
fn find(why: &str) -> &'static str {
    let reasons = [
        "a .gitignore is in the index alone",
        "a .gitignore is not a file",
        "a path in the configuration is special",
        "a pattern is very long",
        "folders lie very deep",
        "matching takes too long",
        "the configuration depends on what is checked out",
        "the files are elsewhere",
        "the index is damaged",
        "a name in the index leads elsewhere",
        "the index is sparse",
        "the repository has an extension that is not known",
        "there is a repository inside this one",
    ];
    reasons.into_iter().find(|reason| reason.contains(why)).unwrap_or("no such reason")
}

fn shown(paths: &[Vec<u8>]) -> Vec<String> {
    paths.iter().map(|path| path.escape_ascii().to_string()).collect()
}

fn names(scratch: &Scratch) -> Vec<String> {
    shown(&listed(scratch).unwrap())
}

#[test]
fn an_index_says_what_it_tracks_and_on_which_side_of_a_conflict() {
    let scratch = Scratch::committed();
    scratch.write("conflict", "base\n");
    scratch.commit_all("base");
    for (branch, text) in [("one", "one\n"), ("other", "other\n")] {
        scratch.git(&["checkout", "-q", "-b", branch, "main"]);
        scratch.write("conflict", text);
        scratch.commit_all(branch);
    }
    scratch.try_git(&scratch.top, &["merge", "one"]);
    let index = fs::read(scratch.path(".git/index")).unwrap();
    let paths = |format| {
        let tracked = tracked(&index, format)?;
        Some(
            tracked
                .iter()
                .map(|(path, stage)| format!("{stage} {}", path.escape_ascii()))
                .collect::<Vec<_>>(),
        )
    };
    let expected = ["0 a.txt", "1 conflict", "2 conflict", "3 conflict", "0 src/b.txt"];
    assert_eq!(paths(ObjectFormat::Sha1).unwrap(), expected);
    assert_eq!(paths(ObjectFormat::Sha256), None);
}

#[test]
fn spaces_at_the_end_of_a_pattern_are_none_of_it_unless_they_are_escaped() {
    for (rules, path, expected) in [
        ("a  ", "a", Some(true)),
        ("a  ", "a  ", None),
        ("a\\ ", "a ", Some(true)),
        ("a\\   ", "a ", Some(true)),
        ("a\\   ", "a   ", None),
        ("a b ", "a b", Some(true)),
    ] {
        assert_eq!(ignored(rules.as_bytes(), path.as_bytes()), expected, "{rules:?} {path:?}");
    }
}

#[test]
fn classes_are_those_of_git() {
    let scratch = Scratch::repository();
    for byte in (1..=255_u8).filter(|byte| *byte != b'/') {
        fs::write(scratch.top.join(OsStr::from_bytes(&[b'x', byte])), "").unwrap();
    }
    let classes = [
        "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
        "xdigit",
    ];
    for class in classes {
        fs::write(scratch.path(".git/info/exclude"), format!("x[[:{class}:]]")).unwrap();
        let listed = listed(&scratch).unwrap();
        assert!(listed.len() > 100 && listed.len() < 254, "{class}: {}", listed.len());
    }
    for class in
        ["[!a-z]", "[^\\]]", "[]-a]", "[--0]", "[a-\\d]", "[\\a-d]", "[[:digit:]-z]", "[\u{e9}]", "[a-c-e]"]
    {
        fs::write(scratch.path(".git/info/exclude"), format!("x{class}")).unwrap();
        listed(&scratch).unwrap();
    }
}

#[test]
fn every_version_and_state_of_an_index_is_read() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let scratch = Scratch::with_format(format);
        assert_eq!(names(&scratch), Vec::<String>::new(), "there is no index yet");
        for name in ["a.b", "a/b", "dir/one", "dir/one two", "dir/other", "\u{e9}", "z"] {
            scratch.write(name, name);
        }
        scratch.git(&["add", "a.b", "a/b", "dir", "z"]);
        let blob = scratch.git(&["hash-object", "z"]);
        let long = "n".repeat(5000);
        for name in ["gone", "gone/too", &long] {
            // A file and a folder of the same name cannot both be there.
            let entry = format!("100644,{},{name}", blob.trim_end());
            scratch.git(&["update-index", "--add", "--replace", "--cacheinfo", &entry]);
        }
        let expected = names(&scratch);
        assert!(expected.contains(&"gone/too".to_owned()) && expected.contains(&long) && expected.len() == 9);
        for version in ["2", "3", "4"] {
            scratch.git(&["update-index", "--index-version", version, "--force-write-index"]);
            assert_eq!(names(&scratch), expected, "version {version}");
        }
        scratch.git(&["config", "index.threads", "2"]);
        scratch.git(&["update-index", "--untracked-cache"]);
        assert_eq!(names(&scratch), expected);
        // Flags of version 3 and above.
        scratch.git(&["update-index", "--skip-worktree", "z"]);
        scratch.git(&["add", "--intent-to-add", "\u{e9}"]);
        fs::remove_file(scratch.path("z")).unwrap();
        for version in ["3", "4"] {
            scratch.git(&["update-index", "--index-version", version, "--force-write-index"]);
            assert_eq!(names(&scratch), expected, "version {version}");
        }
    }
}

#[test]
fn conflicts_submodules_and_linked_working_trees_are_listed() {
    let scratch = Scratch::committed();
    scratch.git(&["checkout", "-q", "-b", "other"]);
    scratch.write("a.txt", "theirs");
    scratch.commit_all("theirs");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("a.txt", "ours");
    scratch.commit_all("ours");
    assert!(!scratch.try_git(&scratch.top, &["merge", "other"]).0);
    assert_eq!(names(&scratch), ["a.txt", "src/b.txt"], "each path once");
    scratch.git(&["merge", "--abort"]);
    let commit = scratch.git(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{},sub", commit.trim_end());
    scratch.git(&["update-index", "--add", "--cacheinfo", &entry]);
    scratch.write("sub/inner", "not looked for");
    scratch.git_in(&scratch.path("sub"), &["init", "-q"]);
    assert_eq!(names(&scratch), ["a.txt", "src/b.txt", "sub"]);
    assert_eq!(submodules(&scratch.found()), Some(vec![b"sub".to_vec()]));
    let linked = scratch.top.with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", linked.to_str().unwrap(), "other"]);
    scratch.write(".git/info/exclude", "*.log");
    fs::write(linked.join("x.log"), "").unwrap();
    fs::write(linked.join("y"), "").unwrap();
    let FoundRepository::Worktree(repository) = Repository::find(&linked).unwrap() else { panic!() };
    let files = Listing::default().without_git(&repository).unwrap();
    assert_eq!(shown(&files), ["a.txt", "src/b.txt", "y"]);
    assert_eq!(files, repository.list_files().unwrap());
}

#[test]
fn files_that_git_is_not_to_look_at_are_known_without_it() {
    let scratch = Scratch::committed();
    for flag in ["assume-unchanged", "skip-worktree"] {
        assert_eq!(hides_nothing(&scratch.found()), Some(true), "before {flag}");
        scratch.git(&["update-index", &format!("--{flag}"), "a.txt"]);
        assert_eq!(hides_nothing(&scratch.found()), Some(false), "{flag}");
        scratch.git(&["update-index", &format!("--no-{flag}"), "a.txt"]);
    }
}

#[test]
fn pipes_are_nothing_and_links_are_not_followed() {
    let scratch = Scratch::committed();
    let pipe = scratch.path("src/pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    symlink("/proc/self", scratch.path("out")).unwrap();
    symlink("src", scratch.path("in")).unwrap();
    fs::create_dir_all(scratch.path("folder/.gitignore")).unwrap();
    assert_eq!(names(&scratch), ["a.txt", "in", "out", "src/b.txt"]);
}

#[test]
fn the_persons_own_file_counts_least_and_is_found_anew_when_the_configuration_changes() {
    let scratch = Scratch::committed();
    scratch.write("x.log", "");
    scratch.write("y.log", "");
    let outside = scratch.state.join("ignored");
    fs::write(&outside, "*.log\n").unwrap();
    let repository = scratch.found();
    let mut listing = Listing::default();
    let mut list = || {
        let files = listing.without_git(&repository).unwrap();
        assert_eq!(files, repository.list_files().unwrap());
        shown(&files)
    };
    assert_eq!(list(), ["a.txt", "src/b.txt", "x.log", "y.log"]);
    scratch.git(&["config", "core.excludesFile", outside.to_str().unwrap()]);
    assert_eq!(list(), ["a.txt", "src/b.txt"]);
    scratch.write(".git/info/exclude", "!x.log\n");
    assert_eq!(list(), ["a.txt", "src/b.txt", "x.log"]);
    scratch.write(".gitignore", "*.txt\n/.gitignore\n!y.log\n");
    assert_eq!(list(), ["a.txt", "src/b.txt", "x.log", "y.log"]);
    // A path that is relative counts from the top; one that is included is read, now or once it is there.
    scratch.write("rules", "y.log\nrules\n");
    scratch.write(".gitignore", "");
    scratch.git(&["config", "include.path", "../more"]);
    scratch.write("more", "[core]\n\texcludesFile = rules\n");
    assert_eq!(list(), [".gitignore", "a.txt", "more", "src/b.txt", "x.log"]);
    fs::remove_file(scratch.path("more")).unwrap();
    assert_eq!(list(), [".gitignore", "a.txt", "rules", "src/b.txt", "x.log"]);
}

#[test]
fn git_is_called_once_while_its_configuration_stays() {
    let scratch = Scratch::committed();
    let repository = scratch.found();
    let mut listing = Listing::default();
    let mut ask = || {
        let before = crate::git::calls_made();
        listing.files(&repository).unwrap();
        (crate::git::calls_made() - before, listing.settings.as_ref().is_some_and(Settings::hold))
    };
    // What was written just now might change once more without a trace.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !ask().1 {
        assert!(std::time::Instant::now() < deadline);
    }
    assert_eq!(ask(), (0, true));
    scratch.write("new", "");
    assert_eq!(ask(), (0, true));
    scratch.git(&["config", "core.pager", "cat"]);
    assert!(ask().0 > 0);
}

#[test]
fn git_is_asked_where_an_index_is_not_as_usual() {
    let scratch = Scratch::committed();
    scratch.git(&["update-index", "--split-index"]);
    unsure(&scratch, "leads elsewhere");
    scratch.git(&["update-index", "--no-split-index"]);
    assert_eq!(names(&scratch), ["a.txt", "src/b.txt"]);
    let scratch = Scratch::committed();
    scratch.write("other/c.txt", "");
    scratch.write(".gitignore", "x");
    scratch.commit_all("more");
    scratch.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    unsure(&scratch, "is sparse");
    scratch.git(&["sparse-checkout", "set", "--no-cone", "--no-sparse-index", "src"]);
    assert!(!scratch.has(".gitignore"));
    unsure(&scratch, "in the index alone");
    let scratch = Scratch::committed();
    let index = fs::read(scratch.path(".git/index")).unwrap();
    fs::write(scratch.path(".git/index"), [b"DIRT", &index[4..]].concat()).unwrap();
    let repository = scratch.found();
    assert_eq!(Listing::default().without_git(&repository), Err(Unsure("the index is damaged")));
    assert!(Listing::default().files(&repository).is_err(), "git says so");
}

#[test]
fn git_is_asked_where_a_repository_or_its_configuration_is_not_as_usual() {
    let scratch = Scratch::committed();
    scratch.write("inner/x", "");
    scratch.git_in(&scratch.path("inner"), &["init", "-q"]);
    unsure(&scratch, "inside this one");
    scratch.write(".gitignore", "inner");
    assert_eq!(names(&scratch), [".gitignore", "a.txt", "src/b.txt"]);
    for (name, value, why) in [
        ("core.worktree", "..", "elsewhere"),
        ("core.excludesFile", "", "special"),
        ("includeIf.onbranch:main.path", "x", "checked out"),
    ] {
        scratch.git(&["config", name, value]);
        unsure(&scratch, why);
        scratch.git(&["config", "--unset", name]);
    }
    scratch.git(&["config", "core.repositoryFormatVersion", "1"]);
    scratch.git(&["config", "extensions.noop-v1", "true"]);
    unsure(&scratch, "repository has an extension");
}

#[test]
fn git_is_asked_where_rules_are_not_as_usual() {
    let scratch = Scratch::committed();
    symlink("a.txt", scratch.path("src/.gitignore")).unwrap();
    unsure(&scratch, "not a file");
    fs::remove_file(scratch.path("src/.gitignore")).unwrap();
    scratch.write(".gitignore", "*".repeat(200));
    unsure(&scratch, "very long");
    scratch.write(".gitignore", "x".repeat(5000));
    unsure(&scratch, "very long");
    scratch.write(".gitignore", "");
    scratch.write(&format!("{}x", "d/".repeat(150)), "");
    unsure(&scratch, "very deep");
}

#[test]
fn a_pattern_that_takes_exponentially_long_is_given_up() {
    let mut effort = Effort::ENOUGH;
    let pattern = "*a".repeat(60) + "b";
    let text = "a".repeat(200);
    let matched = wildmatch::matches(pattern.as_bytes(), text.as_bytes(), Text::Name, &mut effort);
    assert_ne!(matched, Ok(true));
    let pattern = "**/a".repeat(30) + "b";
    let text = "a/".repeat(100);
    let matched = wildmatch::matches(pattern.as_bytes(), text.as_bytes(), Text::Path, &mut effort);
    assert_ne!(matched, Ok(true));
    let mut effort = Effort::of(2);
    let matched = wildmatch::matches(b"*a*a*a*a*b", b"aaaaaaaaaaaaaaaaaaa", Text::Name, &mut effort);
    assert_eq!(matched, Err(Unsure("matching takes too long")));
}

#[test]
fn a_repository_that_was_replaced_is_gits_to_look_for() {
    let scratch = Scratch::committed();
    let repository = scratch.found();
    fs::rename(scratch.path(".git"), scratch.top.with_file_name("moved")).unwrap();
    symlink("../moved", scratch.path(".git")).unwrap();
    assert_eq!(is_as_found(&repository), Err(Unsure("the repository is not where it was")));
    assert!(Listing::default().without_git(&repository).is_err());
    fs::remove_file(scratch.path(".git")).unwrap();
    fs::rename(scratch.top.with_file_name("moved"), scratch.path(".git")).unwrap();
    fs::remove_dir_all(scratch.path(".git/objects")).unwrap();
    let listed = Listing::default().without_git(&repository);
    assert!(matches!(listed, Err(Unsure(_))), "{listed:?}");
    assert!(Listing::default().files(&repository).is_err());
}

// What is listed would be kept and counted as work, although the agent has damaged the repository.
#[test]
fn where_no_git_would_be_run_nothing_is_listed() {
    let scratch = Scratch::committed();
    let repository = scratch.found();
    let pipe = scratch.path(".git/COMMIT_EDITMSG");
    let _ = fs::remove_file(&pipe);
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let error = Listing::default().files(&repository).unwrap_err();
    assert!(error.to_string().contains("COMMIT_EDITMSG is a pipe"), "{error}");
}
