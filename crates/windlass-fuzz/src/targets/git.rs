//! git's references and folders, read without git; what it borrows, and what it says of merges.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use crate::parsers::{
    borrowed_folders, is_safe_reference, merged_tree, packed_references, reference, tree_names,
};
use windlass_git::git::ObjectId;

pub(crate) fn run(data: &[u8]) {
    if let Some(content) = reference(data) {
        assert_eq!(reference(&content), Some(content.clone()), "written and read");
        assert!(content.ends_with(b"\n"));
    }
    if let Some(id) = ObjectId::from_hex(data) {
        assert_eq!(id.to_string().as_bytes(), data.to_ascii_lowercase());
    }
    let packed = packed_references(data);
    let mut printed = Vec::new();
    for (name, id) in &packed {
        assert!(name.starts_with(b"refs/") && !name.contains(&b'\n'));
        printed.extend([id.to_string().as_bytes(), b" ", name, b"\n"].concat());
    }
    assert_eq!(packed_references(&printed), packed, "written and read");
    for name in data.split(|byte| *byte == b'\n') {
        if is_safe_reference(name) {
            stays_inside(name);
        }
    }
    let borrowed = borrowed_folders(data);
    assert_eq!(borrowed_folders(&borrowed), borrowed, "written and read");
    if let Some((tree, conflicts)) = merged_tree(data) {
        assert!(data.to_ascii_lowercase().starts_with(tree.to_string().as_bytes()));
        let paths = conflicts.iter().flat_map(|conflict| &conflict.paths).map(Vec::len).sum::<usize>();
        assert!(paths <= data.len(), "each path is named once");
    }
    for length in [20, 32] {
        for name in tree_names(data, length).into_iter().flatten() {
            assert!(!name.contains(&b'/'));
            stays_inside(name);
        }
    }
}

/// Joined to a folder, it leads to something below that folder.
fn stays_inside(name: &[u8]) {
    let path = Path::new(OsStr::from_bytes(name));
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    assert!(plain && path.file_name().is_some(), "{} leads elsewhere", name.escape_ascii());
}
