use std::fs;
use std::path::PathBuf;

use super::*;
use crate::git::ObjectId;
use crate::testing::Scratch;

const LIMITS: Limits = Limits { bytes: 100 << 20, objects: 100_000 };

/// A repository that takes packs in, beside one that they come from.
struct Pair {
    from: Scratch,
    into: Scratch,
}

impl Pair {
    fn new() -> Pair {
        Pair { from: Scratch::committed(), into: Scratch::repository() }
    }

    fn tip(&self) -> ObjectId {
        ObjectId::from_hex(self.from.git(&["rev-parse", "HEAD"]).trim().as_bytes()).unwrap()
    }

    fn file(&self) -> PathBuf {
        self.from.state.join("pack")
    }

    fn packed(&self, wanted: ObjectId) -> Vec<u8> {
        let _ = fs::remove_file(self.file());
        let size = pack(&self.from.found(), &[wanted], &[], &self.file()).unwrap();
        let bytes = fs::read(self.file()).unwrap();
        assert_eq!(size, bytes.len() as u64);
        bytes
    }

    fn take(&self, bytes: &[u8], expected: ObjectId, limits: Limits) -> Result<(), ParcelError> {
        let file = self.into.state.join("taken");
        fs::write(&file, bytes).unwrap();
        let before = self.objects();
        let taken = unpack(&self.into.found(), &file, &[expected], &limits);
        if taken.is_err() {
            assert_eq!(self.objects(), before, "what is refused leaves nothing behind");
        }
        taken
    }

    fn objects(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.into.path(".git/objects")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone());
                }
                found.push(path);
            }
        }
        found.sort();
        found
    }

    /// A commit of a tree that git itself would not make.
    fn commit_of_tree(&self, entries: &[(&str, &[u8], &str)]) -> ObjectId {
        let mut tree = Vec::new();
        for (mode, name, of) in entries {
            tree.extend([mode.as_bytes(), b" ", name, b"\0"].concat());
            tree.extend(ObjectId::from_hex(of.as_bytes()).unwrap().as_bytes());
        }
        fs::write(self.from.state.join("tree"), tree).unwrap();
        let file = self.from.state.join("tree");
        let made =
            self.from.git(&["hash-object", "-t", "tree", "-w", "--literally", &file.to_string_lossy()]);
        let commit = self.from.git(&["commit-tree", "-m", "hostile", made.trim()]);
        ObjectId::from_hex(commit.trim().as_bytes()).unwrap()
    }
}

// attack(fleet): a pack of commits comes from a worker, and once more
// holds: the commit that was announced is there afterwards, and no branch, tag or other reference: a pack brings none
#[test]
fn a_pack_brings_what_was_expected_and_names_nothing() {
    let pair = Pair::new();
    let tip = pair.tip();
    let bytes = pair.packed(tip);
    pair.take(&bytes, tip, LIMITS).unwrap();
    assert_eq!(pair.into.git(&["show", &format!("{tip}:a.txt")]), "one\n");
    assert_eq!(pair.into.git(&["for-each-ref"]), "");
    assert!(pair.into.git(&["fsck", "--full", "--strict", &tip.to_string()]).is_empty());
    // Twice is once.
    let before = pair.objects();
    pair.take(&bytes, tip, LIMITS).unwrap();
    assert_eq!(pair.objects(), before);
}

#[test]
fn a_later_pack_brings_only_what_is_new_and_needs_what_was_before() {
    let pair = Pair::new();
    let first = pair.tip();
    let whole = pair.packed(first);
    pair.from.write("b.txt", "more\n");
    pair.from.commit_all("second");
    let second = pair.tip();
    let _ = fs::remove_file(pair.file());
    let unknown = ObjectId::from_hex(&[b'a'; 40]).unwrap();
    pack(&pair.from.found(), &[second], &[first, unknown], &pair.file()).unwrap();
    let later = fs::read(pair.file()).unwrap();
    assert!(later.len() < whole.len() + 200, "{} {}", later.len(), whole.len());
    let error = pair.take(&later, second, LIMITS).unwrap_err();
    assert!(matches!(error, ParcelError::Refused(_)), "{error}");
    pair.take(&whole, first, LIMITS).unwrap();
    pair.take(&later, second, LIMITS).unwrap();
    // Nothing new is a pack as well, with nothing in it.
    let _ = fs::remove_file(pair.file());
    pack(&pair.from.found(), &[second], &[second], &pair.file()).unwrap();
    pair.take(&fs::read(pair.file()).unwrap(), second, LIMITS).unwrap();
}

// attack(fleet): a pack from a worker is cut off, damaged, or of other commits than it says
// holds: it is refused and nothing of it is taken in
#[test]
fn what_is_damaged_or_another_one_changes_nothing() {
    let pair = Pair::new();
    let tip = pair.tip();
    let bytes = pair.packed(tip);
    for length in [0, 3, 11, 12, bytes.len() / 2, bytes.len() - 1] {
        let error = pair.take(&bytes[..length], tip, LIMITS).unwrap_err();
        assert!(matches!(error, ParcelError::Refused(_)), "{length}: {error}");
    }
    for place in [0, 5, 20, bytes.len() / 2, bytes.len() - 5] {
        let mut flipped = bytes.clone();
        flipped[place] ^= 0x40;
        let error = pair.take(&flipped, tip, LIMITS).unwrap_err();
        assert!(matches!(error, ParcelError::Refused(_)), "{place}: {error}");
    }
    let other = ObjectId::from_hex(&[b'b'; 40]).unwrap();
    assert!(matches!(pair.take(&bytes, other, LIMITS).unwrap_err(), ParcelError::Lacks(id) if id == other));
    let blob = pair.from.git(&["rev-parse", "HEAD:a.txt"]);
    let blob = ObjectId::from_hex(blob.trim().as_bytes()).unwrap();
    assert!(matches!(pair.take(&bytes, blob, LIMITS).unwrap_err(), ParcelError::Lacks(id) if id == blob));
}

// attack(fleet): a pack from a worker is larger than may be, packed or unpacked
// holds: it is refused with size and limit
#[test]
fn limits_are_said_with_size_and_limit() {
    let pair = Pair::new();
    let tip = pair.tip();
    let bytes = pair.packed(tip);
    let error = pair.take(&bytes, tip, Limits { bytes: 100, ..LIMITS }).unwrap_err();
    assert_eq!(error.to_string(), format!("the pack has {} bytes, and 100 are the most", bytes.len()));
    let error = pair.take(&bytes, tip, Limits { objects: 4, ..LIMITS }).unwrap_err();
    assert_eq!(error.to_string(), "the pack has 5 objects, and 4 are the most");
    let mut bomb = bytes;
    bomb[8..12].copy_from_slice(&u32::MAX.to_be_bytes());
    let error = pair.take(&bomb, tip, LIMITS).unwrap_err();
    assert!(matches!(error, ParcelError::TooLarge { what: "objects", .. }), "{error}");
}

// attack(fleet): commits from a worker have paths that lead out of the tree or into `.git`
// holds: they are refused, and named
#[test]
fn paths_that_lead_out_or_into_gits_own_folder_are_refused() {
    let pair = Pair::new();
    let blob = pair.from.git(&["rev-parse", "HEAD:a.txt"]).trim().to_owned();
    let tree = pair.from.git(&["rev-parse", "HEAD:src"]).trim().to_owned();
    for (mode, name, of) in [
        ("40000", &b".git"[..], &tree),
        ("40000", b".GIT", &tree),
        ("40000", b"..", &tree),
        ("40000", b".", &tree),
        ("100644", b"a/b", &blob),
        ("120000", b".gitmodules", &blob),
        ("40000", b"git~1", &tree),
    ] {
        let commit = pair.commit_of_tree(&[(mode, name, of)]);
        let bytes = pair.packed(commit);
        let error = pair.take(&bytes, commit, LIMITS).unwrap_err();
        assert!(matches!(error, ParcelError::Refused(_)), "{}: {error}", String::from_utf8_lossy(name));
    }
}

// attack(fleet): in place of a pack there is a link, a pipe or a folder
// holds: it is no pack, and nobody waits
#[test]
fn only_a_plain_file_is_read_and_none_is_waited_for() {
    let pair = Pair::new();
    let tip = pair.tip();
    pair.packed(tip);
    let (link, pipe) = (pair.from.state.join("link"), pair.from.state.join("pipe"));
    std::os::unix::fs::symlink(pair.file(), &link).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    for path in [link, pipe, pair.from.state.clone(), pair.from.state.join("missing")] {
        assert!(unpack(&pair.into.found(), &path, &[tip], &LIMITS).is_err(), "{}", path.display());
    }
}
