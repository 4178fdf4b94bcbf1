//! Whatever is in a workspace comes back as it was.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;

use super::super::OutsideLinks;
use super::*;

#[derive(Clone, Debug)]
enum Thing {
    File(Vec<u8>, u32),
    Folder(u32),
    Link(Vec<u8>),
}

fn part() -> impl Strategy<Value = Vec<u8>> {
    let byte = any::<u8>().prop_filter("no separator", |byte| !matches!(byte, 0 | b'/'));
    prop_oneof![
        4 => prop::collection::vec(byte, 1..6),
        1 => "[a-c]{1}".prop_map(String::into_bytes),
        1 => Just(vec![b'l'; 180]),
        1 => Just(b".hidden".to_vec()),
        1 => Just(b" \n-".to_vec()),
    ]
    .prop_filter("a name", |part| part != b"." && part != b"..")
}

fn thing() -> impl Strategy<Value = Thing> {
    let mode = prop_oneof![Just(0o644_u32), Just(0o755), Just(0o600), Just(0o444), Just(0o777)];
    let folder = prop_oneof![Just(0o755_u32), Just(0o700), Just(0o555)];
    let content = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        (0_usize..3, 510_usize..515).prop_map(|(times, size)| vec![7; times * 512 + size]),
        Just(vec![1; 200_000]),
    ];
    prop_oneof![
        5 => (content, mode).prop_map(|(content, mode)| Thing::File(content, mode)),
        2 => folder.prop_map(Thing::Folder),
        2 => "[./a-c]{1,12}".prop_map(|target| Thing::Link(target.into_bytes())),
        1 => Just(Thing::Link([b"x/".repeat(80), b"\xff".to_vec()].concat())),
    ]
}

/// Makes of the things what fits: nothing is made below a file or a link.
fn plant(root: &Path, things: &BTreeMap<Vec<Vec<u8>>, Thing>) {
    let mut modes = Vec::new();
    for (parts, thing) in things {
        let path =
            parts.iter().fold(root.to_owned(), |path, part| path.join(OsString::from_vec(part.clone())));
        if fs::create_dir_all(path.parent().unwrap()).is_err() || path.symlink_metadata().is_ok() {
            continue;
        }
        match thing {
            Thing::Folder(mode) => {
                fs::create_dir(&path).unwrap();
                modes.push((path, *mode));
            }
            Thing::File(content, mode) => {
                fs::write(&path, content).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
            }
            Thing::Link(target) => symlink(OsString::from_vec(target.clone()), &path).unwrap(),
        }
    }
    for (path, mode) in modes.into_iter().rev() {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    // rows: 128
    #[test]
    fn a_workspace_survives_being_archived(
        things in prop::collection::btree_map(prop::collection::vec(part(), 1..4), thing(), 0..14)
    ) {
        let project = Project::new();
        let folder = project.workspace("demo");
        fs::create_dir(&folder).unwrap();
        plant(&folder, &things);
        let before = contents(&folder);
        let archived = project.save("demo", Afterwards::Remove);
        prop_assert_eq!(&archived.not_removed, &None);
        prop_assert!(!folder.exists());
        let restored = project.archives().restore(&archived.archive, &name("other"), OutsideLinks::Allow).unwrap();
        let after = contents(&restored.folder);
        prop_assert_eq!(after.first_difference(&before), None);
        remove_folder(&restored.folder).unwrap();
    }
}
