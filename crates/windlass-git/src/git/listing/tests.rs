//! What is listed without git is what git lists, or git is asked.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proptest::prelude::*;

use super::wildmatch::{Effort, Text};
use super::*;
use crate::git::{Found, ObjectFormat};
use crate::scratch::Scratch;

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

// A tree that somebody made as hostile as the tools allow, and what git says of it.

const NAMES: [&[u8]; 22] = [
    b"a",
    b"b",
    b"ab",
    b"A",
    b"foo",
    b"foo.txt",
    b"bar",
    b".hidden",
    b"a b",
    b"x ",
    b"t\t",
    b"caf\xe9",
    b"\xc3\xa9",
    b"[a]",
    b"\\",
    b"a\\",
    b"*",
    b"?",
    b"#c",
    b"!e",
    b"a.",
    b"line\nend",
];

const PIECES: [&[u8]; 38] = [
    b"a",
    b"b",
    b"ab",
    b"foo",
    b"o",
    b".txt",
    b"*",
    b"*",
    b"**",
    b"**/",
    b"/**",
    b"/**/",
    b"***",
    b"?",
    b"/",
    b"/",
    b"!",
    b"#",
    b"[ab]",
    b"[!a]",
    b"[^a-c]",
    b"[]a]",
    b"[a-]",
    b"[[:alpha:]]",
    b"[[:space:]x]",
    b"[[:nothing:]]",
    b"[a",
    b"[[:",
    b"[a\\]]",
    b"\\",
    b"\\*",
    b"\\a",
    b" ",
    b"\\ ",
    b"\t",
    b"\r",
    b"\xe9",
    b"\0",
];

#[derive(Clone, Debug)]
enum What {
    File,
    Tracked,
    Folder,
    Link(&'static str),
}

type Things = Vec<(Vec<usize>, What)>;

fn things() -> impl Strategy<Value = Things> {
    let path = proptest::collection::vec(0..NAMES.len(), 1..4);
    let what = prop_oneof![
        5 => Just(What::File),
        3 => Just(What::Tracked),
        1 => Just(What::Folder),
        1 => prop_oneof![Just("."), Just("/nowhere"), Just("nowhere")].prop_map(What::Link),
    ];
    proptest::collection::vec((path, what), 0..12)
}

/// A pattern out of pieces, or one that is nearly the path of something.
fn pattern() -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::collection::vec(0..PIECES.len(), 0..6);
    let pieces =
        pieces.prop_map(|pieces| pieces.into_iter().flat_map(|piece| PIECES[piece].to_vec()).collect());
    let part = prop_oneof![
        5 => (0..NAMES.len()).prop_map(|name| NAMES[name].to_vec()),
        2 => Just(b"*".to_vec()),
        2 => Just(b"**".to_vec()),
        1 => (0..NAMES.len()).prop_map(|name| [&NAMES[name][..1], b"*"].concat()),
        1 => (0..NAMES.len()).prop_map(|name| [b"*", &NAMES[name][NAMES[name].len() - 1..]].concat()),
    ];
    let before =
        prop_oneof![3 => Just(""), 1 => Just("!"), 1 => Just("/"), 1 => Just("!/"), 1 => Just("**/")];
    let behind = ["", "", "", "/", "/*", "/**", " ", "\r", "\\"];
    let near = (before, proptest::collection::vec(part, 1..4), 0..behind.len()).prop_map(
        move |(before, parts, end)| {
            [before.as_bytes(), &parts.join(&b"/"[..]), behind[end].as_bytes()].concat()
        },
    );
    prop_oneof![1 => pieces, 3 => near]
}

/// Files of patterns, with where they lie: in the folder of a thing, or in `.git/info`.
fn rules() -> impl Strategy<Value = Vec<(usize, Vec<u8>)>> {
    let begin = prop_oneof![6 => Just(&b""[..]), 1 => Just(&b"\xef\xbb\xbf"[..]), 1 => Just(&b"*\n"[..])];
    let end = prop_oneof![Just(&b""[..]), Just(&b"\n"[..])];
    let text = (begin, proptest::collection::vec(pattern(), 0..6), end)
        .prop_map(|(begin, patterns, end)| [begin, &patterns.join(&b"\n"[..]), end].concat());
    proptest::collection::vec((0..8_usize, text), 0..5)
}

fn path_of(scratch: &Scratch, parts: &[usize]) -> PathBuf {
    parts.iter().fold(scratch.top.clone(), |path, part| path.join(OsStr::from_bytes(NAMES[*part])))
}

/// Puts things where there is room for them; says what git is to track.
fn put(scratch: &Scratch, things: &Things) -> BTreeSet<PathBuf> {
    let mut tracked = BTreeSet::new();
    for (parts, what) in things {
        let path = path_of(scratch, parts);
        let below = path.ancestors().take_while(|above| *above != scratch.top);
        let is_beside_links = below.clone().all(|above| !above.is_symlink());
        if !is_beside_links || path.exists() || fs::create_dir_all(path.parent().unwrap()).is_err() {
            continue;
        }
        match what {
            What::File => fs::write(&path, "x").unwrap(),
            What::Folder => fs::create_dir(&path).unwrap(),
            What::Link(target) => symlink(target, &path).unwrap(),
            What::Tracked => {
                fs::write(&path, "x").unwrap();
                tracked.insert(path);
            }
        }
    }
    tracked
}

fn empty(scratch: &Scratch) {
    for entry in fs::read_dir(&scratch.top).unwrap().flatten().filter(|entry| entry.file_name() != ".git") {
        let removed = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        removed.unwrap();
    }
    let _ = fs::remove_file(scratch.path(".git/index"));
}

/// Each of them starts git twice.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_ignored_is_what_git_ignores(things in things(), after in things(), rules in rules()) {
        thread_local! {
            static SCRATCH: Scratch = Scratch::repository();
        }
        SCRATCH.with(|scratch| {
            empty(scratch);
            let tracked = put(scratch, &things);
            if !tracked.is_empty() {
                let paths: Vec<&str> = tracked.iter().filter_map(|path| path.to_str()).collect();
                scratch.git(&[&["--literal-pathspecs", "add", "-f", "--"][..], &paths].concat());
            }
            // Some of what is tracked goes, some becomes a folder.
            for path in tracked.iter().step_by(3) {
                fs::remove_file(path).unwrap();
            }
            put(scratch, &after);
            fs::write(scratch.path(".git/info/exclude"), "").unwrap();
            for (place, text) in &rules {
                let folder = things.get(*place).map_or(scratch.path(".git/info"), |(parts, _)| {
                    path_of(scratch, &parts[..parts.len() - 1])
                });
                let name = if folder.ends_with(".git/info") { "exclude" } else { ".gitignore" };
                if folder.is_dir() {
                    fs::write(folder.join(name), text).unwrap();
                }
            }
            assert!(listed(scratch).is_ok());
        });
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
    let linked = scratch.top.with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", linked.to_str().unwrap(), "other"]);
    scratch.write(".git/info/exclude", "*.log");
    fs::write(linked.join("x.log"), "").unwrap();
    fs::write(linked.join("y"), "").unwrap();
    let Found::Worktree(repository) = Repository::find(&linked).unwrap() else { panic!() };
    let files = Listing::default().without_git(&repository).unwrap();
    assert_eq!(shown(&files), ["a.txt", "src/b.txt", "y"]);
    assert_eq!(files, repository.list_files().unwrap());
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
    let began = std::time::Instant::now();
    let pattern = "*a".repeat(60) + "b";
    let text = "a".repeat(200);
    let matched = wildmatch::matches(pattern.as_bytes(), text.as_bytes(), Text::Name, &mut effort);
    assert_ne!(matched, Ok(true));
    let pattern = "**/a".repeat(30) + "b";
    let text = "a/".repeat(100);
    let matched = wildmatch::matches(pattern.as_bytes(), text.as_bytes(), Text::Path, &mut effort);
    assert_ne!(matched, Ok(true));
    assert!(began.elapsed() < std::time::Duration::from_secs(60));
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
