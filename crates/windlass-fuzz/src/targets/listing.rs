//! git's index and its files of patterns, read without git.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use windlass_git::git::ObjectFormat;
use windlass_git::git::listing::{ignored, tracked};

/// The least that an entry of an index takes: what the system says of a file, an object's name, flags, a name.
const LEAST_ENTRY: usize = 40 + 20 + 2 + 1;

pub(crate) fn run_tracked(data: &[u8]) {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let Some(entries) = tracked(data, format) else { continue };
        assert!(entries.len() <= data.len() / LEAST_ENTRY, "no more entries than there is room for");
        assert!(
            entries.is_sorted() && entries.windows(2).all(|pair| pair[0] != pair[1]),
            "sorted, each once"
        );
        for (path, stage) in &entries {
            let plain = Path::new(OsStr::from_bytes(path));
            assert!(plain.components().all(|part| matches!(part, Component::Normal(_))), "it stays inside");
            assert!(*stage < 4);
        }
        let (body, digest) = data.split_at(data.len() - format.length());
        let with = |name: &[u8]| tracked(&[body, name, &[0, 0, 0, 1, 7], digest].concat(), format);
        assert_eq!(with(b"WIND"), Some(entries), "an extension that may be passed over changes nothing");
        assert_eq!(with(b"wind"), None, "one that may not is git's to read");
    }
}

pub(crate) fn run_ignored(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (path, rules) = data.split_at(end);
    let rules = rules.strip_prefix(b"\n").unwrap_or(rules);
    // Nothing is there without a name.
    if matches!(path, [] | [b'/'] | [.., b'/', b'/']) {
        return;
    }
    let said = ignored(rules, path);
    let with = |before: &[u8], after: &[u8]| ignored(&[before, rules, b"\n", after].concat(), path);
    assert_eq!(with(b"", b"# said by nobody"), said, "a comment says nothing");
    assert_eq!(with(b"\n\r\n", b"\n"), with(b"\n", b""), "empty lines say nothing");
    if !rules.starts_with(b"\xef\xbb\xbf") {
        assert_eq!(with(b"\xef\xbb\xbf", b""), said, "nor does a byte order mark");
    }
    if !rules.contains(&b'\r') {
        let lines = rules.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
        assert_eq!(ignored(&lines, path), said, "lines end as they like");
    }
    // Where git is asked about a pattern, none of the others matters.
    if said.is_some() {
        assert_eq!(with(b"", b"*"), Some(true), "the last one decides");
        assert_eq!(with(b"", b"!*"), Some(false), "the last one decides");
    }
}
