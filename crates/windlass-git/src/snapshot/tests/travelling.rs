//! Snapshots on their way to another machine.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::*;
use crate::git::{ObjectFormat, ObjectId};
use crate::parcel::{self, Limits, ParcelError};

const LIMITS: Limits = Limits { bytes: 100 << 20, objects: 100_000 };

/// Two machines with the same commit.
struct Machines {
    there: Scratch,
    here: Scratch,
    base: ObjectId,
}

impl Machines {
    fn new() -> Machines {
        let (there, here) = (Scratch::committed(), Scratch::repository());
        let base = ObjectId::from_hex(there.git(&["rev-parse", "HEAD"]).trim().as_bytes()).unwrap();
        let file = there.state.join("base");
        parcel::pack(&there.found(), &[base], &[], &file).unwrap();
        parcel::unpack(&here.found(), &file, &[base], &LIMITS).unwrap();
        Machines { there, here, base }
    }

    fn pack(&self, kept: &Snapshot, known: &[ObjectId]) -> (PathBuf, ObjectId) {
        let mut store = self.there.store();
        let path = store.pack((&after(1), &kept.id), &self.there.found(), known, &self.there.state).unwrap();
        let name: ParcelName = path.file_name().unwrap().to_str().unwrap().parse().unwrap();
        assert_eq!(name.moment, after(1).moment);
        (path, name.commit)
    }

    fn unpack(&self, from: &Path, commit: ObjectId) -> Result<Snapshot, SnapshotParcelError> {
        let mut store = self.here.store();
        let root = Path::new("/of/a/lane");
        let taken = store.unpack((from, commit), &after(1), root, &self.here.found());
        if taken.is_err() {
            assert_eq!(store.list(&run()).unwrap(), []);
        }
        Ok(store.load(&taken?)?)
    }

    /// A commit that another program made, in a pack.
    fn foreign(&self, tree: &str) -> (PathBuf, ObjectId) {
        let commit = self.there.git(&["commit-tree", "-m", "foreign", tree]);
        let commit = ObjectId::from_hex(commit.trim().as_bytes()).unwrap();
        let file = self.there.state.join(format!("{commit}.pack"));
        parcel::pack(&self.there.found(), &[commit], &[], &file).unwrap();
        (file, commit)
    }
}

#[test]
fn a_snapshot_arrives_with_all_its_files_and_nothing_of_its_repository() {
    let machines = Machines::new();
    let there = &machines.there;
    for name in [&b"-rf"[..], b"line\nend", b"bad\xffutf8", b"tab\tin it", b"\"quoted\""] {
        fs::write(there.top.join(OsStr::from_bytes(name)), name).unwrap();
    }
    there.write("empty", "");
    there.write("a.txt", "changed\n");
    there.write("new/deep/file.txt", "untracked\n");
    there.chmod("a.txt", 0o755);
    there.chmod("empty", 0o600);
    symlink("/etc/passwd", there.path("link")).unwrap();
    let large = fs::File::create(there.path("large.bin")).unwrap();
    large.set_len(60 * 1024 * 1024).unwrap();
    let kept = there.keep(1);
    let (pack, commit) = machines.pack(&kept, &[machines.base]);
    let taken = machines.unpack(&pack, commit).unwrap();
    assert_eq!(taken.files, kept.files);
    assert_eq!(taken.left_out, kept.left_out);
    assert_eq!((&taken.private, taken.private.len()), (&kept.private, 1));
    assert_eq!((taken.repository.len(), taken.place.git_dir), (0, None));
    assert_eq!(taken.place.root, Path::new("/of/a/lane"));
    assert_ne!(taken.id, kept.id, "what a snapshot says of its place is not believed");
    // All of it is in the store here, also where the repository is gone.
    fs::remove_dir_all(machines.here.path(".git")).unwrap();
    let (from, into) = (there.store(), machines.here.store());
    for file in taken.files.iter().filter(|file| file.kind.has_bytes()) {
        assert_eq!(into.content(&file.content).unwrap(), from.content(&file.content).unwrap());
    }
}

#[test]
fn what_both_have_does_not_travel_and_the_same_files_are_the_same_pack() {
    let machines = Machines::new();
    for number in 0..50_u64 {
        let text: String =
            (1..400).map(|n| (n * (number + 1) * 2_654_435_761 % 1_000_003).to_string()).collect();
        machines.there.write(&format!("tracked/{number}"), text);
    }
    machines.there.commit_all("many");
    let tip = ObjectId::from_hex(machines.there.git(&["rev-parse", "HEAD"]).trim().as_bytes()).unwrap();
    machines.there.write("tracked/7", "changed");
    let kept = machines.there.keep(1);
    let (whole, commit) = machines.pack(&kept, &[]);
    let whole_size = fs::metadata(&whole).unwrap().len();
    fs::remove_file(&whole).unwrap();
    let (thin, again) = machines.pack(&kept, &[tip, machines.base]);
    assert_eq!(commit, again);
    let size = fs::metadata(&thin).unwrap().len();
    assert!(size * 10 < whole_size, "{size} of {whole_size}");
    // It is of no use where the commit is not.
    let error = machines.unpack(&thin, commit).unwrap_err();
    assert!(matches!(error, SnapshotParcelError::Parcel(ParcelError::Refused(_))), "{error}");
}

#[test]
fn what_is_damaged_or_foreign_is_not_taken() {
    let machines = Machines::new();
    machines.there.write("a.txt", "changed\n");
    let kept = machines.there.keep(1);
    let (pack, commit) = machines.pack(&kept, &[machines.base]);
    let bytes = fs::read(&pack).unwrap();
    for length in [0, 11, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&pack, &bytes[..length]).unwrap();
        machines.unpack(&pack, commit).unwrap_err();
    }
    fs::write(&pack, &bytes).unwrap();
    let other = ObjectId::from_hex(&[b'b'; 40]).unwrap();
    let error = machines.unpack(&pack, other).unwrap_err();
    assert!(matches!(error, SnapshotParcelError::Parcel(ParcelError::Lacks(id)) if id == other), "{error}");
    // A commit of the project is no snapshot.
    let error = machines.unpack(&pack, machines.base).unwrap_err();
    assert!(matches!(error, SnapshotParcelError::Refused(_)), "{error}");
    machines.unpack(&pack, commit).unwrap();
}

#[test]
fn a_snapshot_that_somebody_else_wrote_leads_nowhere() {
    let machines = Machines::new();
    let blob = machines.there.git(&["rev-parse", "HEAD:a.txt"]).trim().to_owned();
    let tree = |entries: &[(&str, &str, &str)]| {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend(format!("{mode} {name}\0").as_bytes());
            bytes.extend(ObjectId::from_hex(id.as_bytes()).unwrap().as_bytes());
        }
        let file = machines.there.state.join("tree");
        fs::write(&file, bytes).unwrap();
        let name = file.to_string_lossy().into_owned();
        machines.there.git(&["hash-object", "-t", "tree", "-w", "--literally", &name]).trim().to_owned()
    };
    let config = tree(&[("100644", "config", &blob)]);
    let within = tree(&[("40000", ".git", &config)]);
    let above = tree(&[("40000", "..", &config)]);
    for files in [&within, &above] {
        let (pack, commit) =
            machines.foreign(&tree(&[("40000", "files", files), ("100644", "left-out", &blob)]));
        let error = machines.unpack(&pack, commit).unwrap_err();
        assert!(matches!(error, SnapshotParcelError::Parcel(ParcelError::Refused(_))), "{error}");
    }
    // Nor does it bring a repository, or say where it belongs.
    for (name, of) in [("repository", &config), ("place", &config)] {
        let (pack, commit) = machines.foreign(&tree(&[
            ("40000", "files", &config),
            ("100644", "left-out", &blob),
            ("40000", name, of),
        ]));
        let error = machines.unpack(&pack, commit).unwrap_err();
        assert!(matches!(error, SnapshotParcelError::Refused(_)), "{error}");
    }
}

#[test]
fn a_file_is_taken_that_is_as_large_as_may_be_and_no_larger_one() {
    let machines = Machines::new();
    machines.there.write("large", [b'x'; 1000]);
    let (pack, commit) = machines.pack(&machines.there.keep(1), &[]);
    let total = Caps::default().total;
    let taken = |file| {
        let mut store = machines.here.store().with_caps(Caps { file, total });
        store.unpack((&pack, commit), &after(1), Path::new("/of/a/lane"), &machines.here.found())
    };
    let error = taken(999).unwrap_err().to_string();
    assert!(error.contains("too large at \"files/large\": 1000 bytes"), "{error}");
    taken(1000).unwrap();
}

#[test]
fn snapshots_of_another_format_are_not_mixed() {
    let machines = Machines::new();
    let kept = machines.there.keep(1);
    let (pack, commit) = machines.pack(&kept, &[]);
    let other = Scratch::with_format(ObjectFormat::Sha256);
    let mut store = other.store();
    let (name, root) = (after(1), Path::new("/of/a/lane"));
    let taken = store.unpack((&pack, commit), &name, root, &machines.here.found());
    assert!(matches!(taken, Err(SnapshotParcelError::Refused(_))));
}

#[test]
fn names_of_packed_snapshots_read_back_and_nothing_else_does() {
    let commit = ObjectId::from_hex(&[b'a'; 40]).unwrap();
    let name = ParcelName { moment: after(3).moment, commit };
    assert_eq!(name.to_string().parse(), Ok(name.clone()));
    let upper = name.to_string().replace("-aaaa", "-AAAA");
    for wrong in ["", ".pack", "3-1-after.pack", "3-1-after-aa.pack", "../3-1-after-aa.pack", &upper] {
        assert!(wrong.parse::<ParcelName>().is_err(), "{wrong}");
    }
}
