//! An archive of a workspace, from whoever: read, and unpacked where nothing else may be touched.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use windlass_core::workspace::WorkspaceName;
use windlass_engine::workspace::Workspaces;
use windlass_engine::workspace::archive::{Archives, Limits, OutsideLinks};

/// A tape's unit.
const BLOCK: usize = 512;

/// Bounds that an input of a few pages can reach.
const LIMITS: Limits = Limits { bytes: 256 * 1024, entries: 100 };

const NAME: &str = "demo-2026-03-01T12-00-05";

pub(crate) fn run(data: &[u8]) {
    unpack(data);
    unpack(&compressed(&with_sums(data)));
}

/// The tape with every header's sum put right, or next to nothing but sums would be looked at.
fn with_sums(data: &[u8]) -> Vec<u8> {
    let mut tape = data.to_vec();
    let mut at = 0;
    while let Some(header) =
        tape.get_mut(at..at + BLOCK).filter(|header| header.iter().any(|byte| *byte != 0))
    {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let size = String::from_utf8_lossy(&header[124..136]).into_owned();
        let size = usize::from_str_radix(size.trim_matches(['\0', ' ']), 8).unwrap_or(0).min(data.len());
        at += BLOCK + size.next_multiple_of(BLOCK);
    }
    tape
}

fn compressed(tape: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    // Into memory; nothing stands against it.
    let _ = encoder.write_all(tape);
    encoder.finish().unwrap_or_default()
}

fn unpack(bytes: &[u8]) {
    let Ok(folder) = tempfile::Builder::new().prefix("windlass-fuzz-").tempdir() else { return };
    let Ok(root) = folder.path().canonicalize() else { return };
    let project = root.join("project");
    let archive = project.join(format!(".windlass/archive/{NAME}.tar.gz"));
    let made = fs::create_dir_all(project.join(".windlass/workspaces"))
        .and_then(|()| fs::create_dir_all(project.join(".windlass/archive")))
        .and_then(|()| fs::write(&archive, bytes))
        .and_then(|()| fs::write(root.join("secret"), "nobody else's"));
    if made.is_err() {
        return;
    }
    let before = all_in(&root);
    let archives = Archives::of(&Workspaces::open(&project)).with_limits(LIMITS);
    check(&archives, &project.join(".windlass/workspaces/demo"));
    clear(&project.join(".windlass/workspaces/demo"));
    assert_eq!(all_in(&root), before, "something else was touched");
}

fn check(archives: &Archives, folder: &Path) {
    let (Ok(archive), Ok(name)) = (archives.find(NAME), WorkspaceName::parse("demo")) else {
        panic!("the archive is not found");
    };
    let shown = archives.show(&archive);
    match &shown {
        Ok(shown) => {
            assert!(shown.unpacked <= LIMITS.bytes && shown.files <= LIMITS.entries);
            assert!(archives.identify(&archive).is_ok(), "only its beginning is refused");
        }
        Err(error) => assert!(!error.to_string().trim().is_empty()),
    }
    match (archives.restore(&archive, &name, OutsideLinks::Refuse), shown) {
        (Ok(restored), Ok(shown)) => {
            assert_eq!((restored.files, restored.bytes), (shown.files, shown.unpacked));
            assert!(shown.outside.is_empty(), "{:?}", shown.outside);
            assert_eq!(restored.folder, folder);
            stays_inside(folder);
        }
        (Ok(_), Err(error)) => panic!("it was restored although it is refused: {error}"),
        (Err(_), _) => assert!(folder.symlink_metadata().is_err(), "something is left of it"),
    }
}

/// No link in the folder leads to anything that is not in it.
fn stays_inside(folder: &Path) {
    for path in all_in(folder) {
        if let Ok(end) = path.canonicalize() {
            assert!(end.starts_with(folder), "{} leads to {}", path.display(), end.display());
        }
    }
}

/// Everything in a folder, sorted; links are not followed, and a folder without permissions is opened.
fn all_in(folder: &Path) -> Vec<PathBuf> {
    let (mut paths, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop() {
        let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            paths.push(entry.path());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            }
        }
    }
    paths.sort();
    paths
}

fn clear(folder: &Path) {
    let _ = all_in(folder);
    let _ = fs::remove_dir_all(folder);
}
