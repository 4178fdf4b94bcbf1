//! Trees that somebody made as hostile as the tools allow, and what git says of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proptest::prelude::*;

use super::listed;
use crate::testing::Scratch;

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
