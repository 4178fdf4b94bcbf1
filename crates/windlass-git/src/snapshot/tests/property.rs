use std::fs;
use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;

/// Something that happens to a working tree.
#[derive(Clone, Debug)]
enum Edit {
    Write(usize, Vec<u8>),
    Remove(usize),
    Executable(usize, bool),
    Link(usize, usize),
    Commit,
    Stage,
}

/// Names that get into each other's way: a file here is a folder there.
const NAMES: [&str; 10] = [
    "a",
    "a/b",
    "a/b/c",
    "a.b",
    "d/e",
    "d/-x",
    "d/line\nend",
    "🚀",
    ".hidden/f",
    ".windlass/workspaces/w/TODO.md",
];

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let name = 0..NAMES.len();
    let edit = prop_oneof![
        5 => (name.clone(), proptest::collection::vec(any::<u8>(), 0..40)).prop_map(|(name, bytes)| Edit::Write(name, bytes)),
        2 => name.clone().prop_map(Edit::Remove),
        1 => (name.clone(), any::<bool>()).prop_map(|(name, on)| Edit::Executable(name, on)),
        1 => (name.clone(), name).prop_map(|(name, target)| Edit::Link(name, target)),
        1 => Just(Edit::Commit),
        1 => Just(Edit::Stage),
    ];
    proptest::collection::vec(edit, 0..14)
}

/// Removes whatever is at a path or above it in place of a folder.
fn clear(scratch: &Scratch, name: &str) {
    let path = scratch.path(name);
    for above in path.ancestors().take_while(|above| *above != scratch.top) {
        match above.symlink_metadata() {
            Ok(metadata) if !metadata.is_dir() => fs::remove_file(above).unwrap(),
            Ok(_) if above == path => fs::remove_dir_all(above).unwrap(),
            _ => {}
        }
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
}

fn apply(scratch: &Scratch, edit: &Edit) {
    match edit {
        Edit::Write(name, bytes) => {
            clear(scratch, NAMES[*name]);
            scratch.write(NAMES[*name], bytes);
        }
        Edit::Remove(name) => clear(scratch, NAMES[*name]),
        Edit::Executable(name, on) => {
            if scratch.path(NAMES[*name]).symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
                scratch.chmod(NAMES[*name], if *on { 0o755 } else { 0o644 });
            }
        }
        Edit::Link(name, target) => {
            clear(scratch, NAMES[*name]);
            symlink(NAMES[*target], scratch.path(NAMES[*name])).unwrap();
        }
        Edit::Commit => {
            scratch.git(&["add", "-A"]);
            scratch.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        }
        Edit::Stage => drop(scratch.git(&["add", "-A"])),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_after_a_snapshot_is_undone_by_its_restore(first in edits(), then in edits(), destroy in any::<bool>()) {
        let scratch = Scratch::repository();
        for edit in &first {
            apply(&scratch, edit);
        }
        let kept = scratch.keep(1);
        let (files, refs) = (listing(&scratch.top), scratch.git(&["for-each-ref"]));
        for edit in &then {
            apply(&scratch, edit);
        }
        if destroy {
            fs::remove_dir_all(scratch.path(".git")).unwrap();
        }
        let loaded = scratch.store().load(&kept.id).unwrap();
        repair(&mut scratch.store(), &loaded, &run(), RepairScope::Everything).unwrap();
        let restored = scratch.restore(&loaded);
        prop_assert_eq!(restored.left_alone, []);
        prop_assert_eq!(listing(&scratch.top), files);
        // A branch that is newer than the snapshot stays; those it knows are where they were.
        let refs_now = scratch.git(&["for-each-ref"]);
        prop_assert!(refs.lines().all(|line| refs_now.lines().any(|now| now == line)), "{}", refs_now);
        prop_assert!(scratch.try_git(&scratch.top, &["fsck", "--strict", "--no-dangling"]).0);
    }
}
