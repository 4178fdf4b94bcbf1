use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use windlass_jobs::doc::archived::ArchiveRecord;

use super::super::contents::{FoundEntry, FoundKind, walk};
use super::super::found::RECORD;
use super::super::writer::Writer;
use super::super::{Archive, Form, OutsideLinks};
use super::*;
use windlass_host::tree::at;

/// An entry, its names as they are.
fn entry(
    builder: &mut Builder<GzEncoder<Vec<u8>>>,
    kind: EntryType,
    name: &[u8],
    link: &[u8],
    content: &[u8],
) {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(content.len() as u64);
    let fields = header.as_old_mut();
    fields.name[..name.len()].copy_from_slice(name);
    fields.linkname[..link.len()].copy_from_slice(link);
    header.set_cksum();
    builder.append(&header, content).unwrap();
}

fn packed(fill: impl FnOnce(&mut Builder<GzEncoder<Vec<u8>>>)) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    fill(&mut builder);
    builder.into_inner().unwrap().finish().unwrap()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What restoring these bytes says; nothing may be left of it.
fn refusal(project: &Project, bytes: &[u8]) -> ArchiveError {
    project.write("archive/evil-2026-03-01T12-00-05.tar.gz", bytes);
    let limits = Limits { bytes: 1 << 20, entries: 1000 };
    let archives = project.archives().with_limits(limits);
    let archive = archives.find("evil-2026-03-01T12-00-05").unwrap();
    let result = archives.restore(&archive, &name("evil"), OutsideLinks::Refuse);
    assert_eq!(project.workspaces(), Vec::<String>::new());
    result.unwrap_err()
}

// Three megabytes could name so many folders that no memory held them.
#[test]
fn folders_that_are_only_named_on_the_way_are_counted_as_well() {
    let project = Project::new();
    let packed = packed(|tape| {
        for top in [b'a', b'b', b'c'] {
            let deep = [&[top][..], &b"/d".repeat(400)].concat();
            entry(tape, EntryType::GNULongName, b"././@LongLink", b"", &deep);
            entry(tape, EntryType::Regular, b"short", b"", b"x");
        }
    });
    project.write("archive/evil-2026-03-01T12-00-05.tar.gz", packed);
    let archives = project.archives().with_limits(Limits { bytes: 1 << 20, entries: 1000 });
    let error = archives.show(&archives.find("evil-2026-03-01T12-00-05").unwrap()).unwrap_err();
    assert!(
        matches!(&error, ArchiveError::TooLarge { limit, .. } if limit == "1000 files and folders"),
        "{error}"
    );
}

#[test]
fn hostile_entries_are_refused_by_name() {
    let project = Project::new();
    let file = EntryType::Regular;
    let long = |kind, content: &[u8]| {
        packed(|tape| {
            entry(tape, kind, b"././@LongLink", b"", content);
            entry(tape, file, b"evil/short", b"", b"x");
        })
    };
    let one = |kind, name: &[u8], link: &[u8]| packed(|tape| entry(tape, kind, name, link, b""));
    for (bytes, said) in [
        (one(file, b"/etc/passwd", b""), "/etc/passwd: its path is absolute"),
        (one(file, b"../out", b""), "../out: its path contains `..`"),
        (one(file, b"evil/../../out", b""), "its path contains `..`"),
        (one(EntryType::Directory, b"evil/..", b""), "its path contains `..`"),
        (one(EntryType::Link, b"evil/hard", b"/etc/passwd"), "evil/hard: it is a hard link"),
        (one(EntryType::Char, b"evil/null", b""), "it is a device"),
        (one(EntryType::Block, b"evil/disk", b""), "it is a device"),
        (one(EntryType::Fifo, b"evil/pipe", b""), "it is a pipe"),
        (one(EntryType::GNUSparse, b"evil/holes", b""), "unknown kind"),
        (one(EntryType::new(b'?'), b"evil/what", b""), "unknown kind"),
        (one(EntryType::Symlink, b"evil/link", b""), "it is a link to nowhere"),
        (one(file, b"", b""), "it has no name"),
        (
            packed(|tape| {
                entry(tape, EntryType::Symlink, b"evil/link", b"/tmp", b"");
                entry(tape, file, b"evil/link/through", b"", b"x");
            }),
            "it lies below what is not a folder",
        ),
        (
            packed(|tape| {
                entry(tape, file, b"evil/file", b"", b"x");
                entry(tape, file, b"evil/file/below", b"", b"x");
            }),
            "it lies below what is not a folder",
        ),
        (
            packed(|tape| {
                entry(tape, file, b"evil/twice", b"", b"x");
                entry(tape, file, b"evil/./twice", b"", b"y");
            }),
            "it is there twice",
        ),
        (
            packed(|tape| {
                entry(tape, file, b"evil/twice", b"", b"x");
                entry(tape, EntryType::Symlink, b"evil/twice", b"a", b"");
            }),
            "it is there twice",
        ),
        (
            packed(|tape| {
                entry(tape, file, b"evil/a", b"", b"x");
                entry(tape, EntryType::Symlink, b"evil/b", b"../../../etc", b"");
            }),
            "leads out of the workspace, to ../../../etc",
        ),
        (long(EntryType::GNULongName, b"../../out\0"), "its path contains `..`"),
        (long(EntryType::GNULongName, &[b'n'; 5000]), "its name is too long"),
        (long(EntryType::GNULongName, &vec![b'n'; 70_000]), "properties are too long"),
        (long(EntryType::XHeader, b"20 path=../../../out\n"), "properties cannot be read"),
        (long(EntryType::XHeader, b"18 path=../../out\n"), "its path contains `..`"),
        (long(EntryType::XHeader, b"18 size=123456789\n"), "its end is missing"),
        (long(EntryType::XHeader, b"22 GNU.sparse.major=1\n"), "holes"),
    ] {
        let error = refusal(&project, &bytes).to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
}

#[test]
fn bombs_are_refused_before_anything_is_written() {
    let project = Project::new();
    let zeros = vec![0; 20 << 20];
    let large = packed(|tape| entry(tape, EntryType::Regular, b"evil/zeros", b"", &zeros));
    assert!(large.len() < 200_000);
    let error = refusal(&project, &large);
    assert!(matches!(error, ArchiveError::TooLarge { .. }), "{error}");
    let many = packed(|tape| {
        for number in 0..2000 {
            entry(tape, EntryType::Regular, format!("evil/{number}").as_bytes(), b"", b"");
        }
    });
    let error = refusal(&project, &many);
    assert!(error.to_string().ends_with("it holds more than 1000 files and folders"), "{error}");
    // Nothing but zeros after the end is an archive's padding, as long as it has an end.
    let endless = compressed(&vec![0; 20 << 20]);
    assert!(matches!(refusal(&project, &endless), ArchiveError::TooLarge { .. }));
}

#[test]
fn what_is_no_archive_is_named() {
    let project = Project::new();
    for bytes in [
        b"".as_slice(),
        b"no gzip",
        b"\x1f\x8b",
        &compressed(b""),
        &compressed(b"no tape"),
        &compressed(&[b'x'; 2048]),
    ] {
        let error = refusal(&project, bytes);
        assert!(matches!(error, ArchiveError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("evil-2026-03-01T12-00-05.tar.gz is damaged"), "{error}");
    }
}

/// An archive as ours are, small enough to be broken at every byte. Its bytes are the same each time, or a broken one
/// would be another one each time: no time of this day and no path of this machine is in it.
fn small(project: &Project) -> (Archive, Vec<u8>) {
    let record = ArchiveRecord {
        original_name: "demo".to_owned(),
        archive_name: "demo-2026-03-01T12-00-05".to_owned(),
        archived_at: Some(now()),
        archived_from: "/home/somebody/project/.windlass/workspaces/demo".to_owned(),
    };
    let kept = tempfile::Builder::new().prefix("windlass-test-").tempdir().unwrap();
    fs::create_dir(kept.path().join("working")).unwrap();
    fs::write(kept.path().join("INSTRUCTIONS.md"), "do it").unwrap();
    fs::write(kept.path().join("working/file"), "1234567890".repeat(20)).unwrap();
    let path = project.write("archive/demo-2026-03-01T12-00-05.tar.gz", "");
    let file = fs::File::create(&path).unwrap();
    let mut writer = Writer::new(&path, &file);
    let modified = 1_772_366_405;
    writer.text(RECORD, modified, record.to_text().as_bytes()).unwrap();
    for found in walk(&at(kept.path()), &[], Limits::default()).unwrap() {
        let mode = if matches!(found.kind, FoundKind::Folder) { 0o755 } else { 0o644 };
        writer.add(&at(kept.path()), Path::new("demo"), &FoundEntry { mode, modified, ..found }).unwrap();
    }
    writer.finish().unwrap();
    let bytes = fs::read(&path).unwrap();
    (Archive { name: record.archive_name, path, form: Form::Compressed }, bytes)
}

#[test]
fn the_same_folder_gives_the_same_archive() {
    assert_eq!(small(&Project::new()).1, small(&Project::new()).1);
}

// rows: 128
#[test]
fn an_archive_that_is_cut_off_anywhere_is_named_and_nothing_is_left() {
    let project = Project::new();
    let (archive, bytes) = small(&project);
    for length in 0..bytes.len() {
        fs::write(&archive.path, &bytes[..length]).unwrap();
        let error = project.archives().restore(&archive, &name("demo"), OutsideLinks::Refuse).unwrap_err();
        assert!(matches!(error, ArchiveError::Damaged { .. }), "{length}: {error}");
        assert!(project.archives().show(&archive).is_err(), "{length}");
    }
    assert_eq!(project.workspaces(), Vec::<String>::new());
    fs::write(&archive.path, &bytes).unwrap();
    project.archives().restore(&archive, &name("demo"), OutsideLinks::Refuse).unwrap();
}

#[test]
fn a_flipped_byte_is_noticed_or_changes_nothing() {
    let project = Project::new();
    let (archive, bytes) = small(&project);
    let whole = archive.read(super::super::Extent::Whole, Limits::default()).unwrap().contents;
    let mut unnoticed = 0;
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x20;
        fs::write(&archive.path, &flipped).unwrap();
        // Some bits say when it was compressed, fill a byte, or choose among equal runs of zeros: nothing of the content.
        match archive.read(super::super::Extent::Whole, Limits::default()) {
            Ok(read) => {
                assert_eq!(read.contents, whole, "byte {at}");
                unnoticed += 1;
            }
            Err(error) => assert!(matches!(error, ArchiveError::Damaged { .. }), "{at}: {error}"),
        }
    }
    assert!(unnoticed < 30, "{unnoticed} of {}", bytes.len());
    let mut longer = bytes.clone();
    longer.extend_from_slice(b"more");
    fs::write(&archive.path, &longer).unwrap();
    assert!(archive.read(super::super::Extent::Whole, Limits::default()).is_err());
    assert_eq!(archive.form, Form::Compressed);
}
