//! Files in object stores, on one server.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;
use windlass_fleet::settings::Role;
use windlass_fleet::store::{ContentId, Files, Store};
use windlass_fleet::{Fleet, FleetError};
use windlass_testkit::Nats;

use super::raw::Raw;
use super::support::{connect, night, soon};

const LIMIT: u64 = 8 * 1024 * 1024;

struct Bed {
    nats: Nats,
    fleet: Fleet,
    folder: TempDir,
}

impl Bed {
    fn new() -> Bed {
        let (nats, fleet) = night();
        Bed { nats, fleet, folder: tempfile::tempdir().unwrap() }
    }

    fn files(&self) -> Files {
        Files::of(&self.fleet, Store::Results)
    }

    /// A file whose bytes are like no other's.
    fn file(&self, name: &str, length: usize) -> PathBuf {
        let path = self.folder.path().join(name);
        let seed = name.len();
        let bytes: Vec<u8> =
            (0..length).map(|at| u8::try_from((at / 7 + at * seed) % 251).unwrap()).collect();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn messages(&self) -> u64 {
        let mut found = 0;
        let answered = windlass_testkit::environment::wait_until(std::time::Duration::from_secs(30), || {
            found = self.nats.messages_of("OBJ_windlass_night_results").unwrap_or(0);
            found > 0
        });
        assert!(answered);
        found
    }

    fn here(&self) -> usize {
        fs::read_dir(self.folder.path()).unwrap().count()
    }
}

#[test]
fn files_of_all_sizes_come_back_as_they_were() {
    let bed = Bed::new();
    let there = Files::of(&connect(&bed.nats, Role::Worker), Store::Results);
    for (name, length) in
        [("empty", 0), ("one", 1), ("whole", 512 * 1024), ("more", 512 * 1024 + 1), ("large", 5_000_000)]
    {
        let path = bed.file(name, length);
        let content = bed.files().put(&path, LIMIT, soon()).unwrap();
        assert!(there.has(&content, soon()).unwrap());
        let copy = bed.folder.path().join("copy");
        there.get(&content, &copy, LIMIT, soon()).unwrap();
        assert!(fs::read(&copy).unwrap() == fs::read(&path).unwrap(), "{name}");
    }
}

#[test]
fn what_is_there_is_not_sent_again_and_what_is_half_there_is() {
    let bed = Bed::new();
    let path = bed.file("file", 1_300_000);
    let content = bed.files().put(&path, LIMIT, soon()).unwrap();
    // Three pieces, and what is said of them.
    assert_eq!(bed.messages(), 4);
    assert_eq!(bed.files().put(&path, LIMIT, soon()).unwrap(), content);
    assert_eq!(bed.messages(), 4);

    let mut raw = Raw::connect(&bed.nats.urls()[0], None);
    let third = br#"{"seq":3}"#;
    assert!(raw.publish("$JS.API.STREAM.MSG.DELETE.OBJ_windlass_night_results", third));
    let copy = bed.folder.path().join("copy");
    let error = bed.files().get(&content, &copy, LIMIT, soon()).unwrap_err();
    assert!(matches!(&error, FleetError::Corrupt { problem, .. } if problem.contains("missing")), "{error}");
    assert_eq!(bed.files().put(&path, LIMIT, soon()).unwrap(), content);
    bed.files().get(&content, &copy, LIMIT, soon()).unwrap();
    assert!(fs::read(&copy).unwrap() == fs::read(&path).unwrap());
}

#[test]
fn limits_hold_on_both_ways() {
    let bed = Bed::new();
    let path = bed.file("file", 2_000_000);
    let error = bed.files().put(&path, 1_999_999, soon()).unwrap_err();
    assert!(matches!(error, FleetError::TooLarge { size: 2_000_000, limit: 1_999_999, .. }), "{error}");
    let content = bed.files().put(&path, 2_000_000, soon()).unwrap();
    let copy = bed.folder.path().join("copy");
    let error = bed.files().get(&content, &copy, 1_999_999, soon()).unwrap_err();
    assert!(matches!(error, FleetError::TooLarge { size: 2_000_000, limit: 1_999_999, .. }), "{error}");
    assert_eq!(bed.here(), 1);
    let error = bed.files().put(bed.folder.path(), LIMIT, soon()).unwrap_err();
    assert!(matches!(error, FleetError::File { .. }), "{error}");
}

#[test]
fn what_is_not_stored_is_said() {
    let bed = Bed::new();
    let content: ContentId = "0".repeat(64).parse().unwrap();
    assert!(!bed.files().has(&content, soon()).unwrap());
    let copy = bed.folder.path().join("copy");
    let error = bed.files().get(&content, &copy, LIMIT, soon()).unwrap_err();
    assert!(matches!(error, FleetError::NoSuchFile { .. }), "{error}");
    assert_eq!(bed.here(), 0);
}

/// What is said of a file, and the subject it is said at.
fn said_of(content: &ContentId, version: &str, size: usize, chunks: usize) -> (String, Value) {
    use base64::Engine as _;
    let name = base64::engine::general_purpose::URL_SAFE.encode(content.as_str());
    let said = serde_json::json!({
        "name": content.as_str(), "bucket": "windlass_night_results", "nuid": version, "size": size, "chunks": chunks,
        "digest": "SHA-256=x", "deleted": false
    });
    (format!("$O.windlass_night_results.M.{name}"), said)
}

#[test]
fn a_file_that_is_not_what_its_name_says_never_gets_the_name() {
    let bed = Bed::new();
    let mut raw = Raw::connect(&bed.nats.urls()[0], None);
    let content: ContentId = "ab".repeat(32).parse().unwrap();
    let copy = bed.folder.path().join("copy");
    assert!(raw.publish("$O.windlass_night_results.C.forged", b"something else"));
    assert!(raw.publish("$O.windlass_night_results.C.empty", b""));
    for (version, size, problem) in [
        ("forged", 14, "it holds "),
        ("forged", 3, "its pieces are not of its size"),
        ("forged", 15, "1 of its bytes are missing"),
        ("empty", 5, "its pieces are not of its size"),
        ("nothing", 5, "5 of its bytes are missing"),
        ("*", 14, "its version is none"),
        ("a.b", 14, "its version is none"),
        ("", 14, "its version is none"),
    ] {
        let (subject, said) = said_of(&content, version, size, 1);
        assert!(raw.publish(&subject, said.to_string().as_bytes()));
        let error = bed.files().get(&content, &copy, LIMIT, soon()).unwrap_err();
        assert!(
            matches!(&error, FleetError::Corrupt { problem: said, .. } if said.contains(problem)),
            "{version:?} {error}"
        );
    }
    let (subject, _) = said_of(&content, "", 0, 0);
    assert!(raw.publish(&subject, b"\xff garbage"));
    let error = bed.files().get(&content, &copy, LIMIT, soon()).unwrap_err();
    assert!(matches!(error, FleetError::Corrupt { .. }), "{error}");
    assert_eq!(bed.here(), 0);
}

#[test]
fn a_file_that_was_forged_is_replaced_by_whoever_has_it() {
    let bed = Bed::new();
    let path = bed.file("file", 700_000);
    let content = bed.files().put(&path, LIMIT, soon()).unwrap();
    let mut raw = Raw::connect(&bed.nats.urls()[0], None);
    let (subject, said) = said_of(&content, "forged", 5, 1);
    assert!(raw.publish(&subject, said.to_string().as_bytes()));
    let copy = bed.folder.path().join("copy");
    assert!(bed.files().get(&content, &copy, LIMIT, soon()).is_err());
    bed.files().put(&path, LIMIT, soon()).unwrap();
    bed.files().get(&content, &copy, LIMIT, soon()).unwrap();
    assert!(fs::read(&copy).unwrap() == fs::read(&path).unwrap());

    assert!(raw.publish(&subject, b"\xff garbage"));
    bed.files().put(&path, LIMIT, soon()).unwrap();
    bed.files().get(&content, &copy, LIMIT, soon()).unwrap();
    // Of the same size, in as many pieces: it looks as if it were there.
    for length in [400_000, 300_000] {
        assert!(raw.publish("$O.windlass_night_results.C.alike", &vec![1; length]));
    }
    let (subject, said) = said_of(&content, "alike", 700_000, 2);
    assert!(raw.publish(&subject, said.to_string().as_bytes()));
    bed.files().put(&path, LIMIT, soon()).unwrap();
    assert!(bed.files().get(&content, &copy, LIMIT, soon()).is_err());
    bed.files().put_anew(&path, LIMIT, soon()).unwrap();
    bed.files().get(&content, &copy, LIMIT, soon()).unwrap();
    assert!(fs::read(&copy).unwrap() == fs::read(&path).unwrap());
}
