use std::fs;
use std::os::unix::fs::symlink;

use super::super::{WorkspaceError, Workspaces, project_folder};
use super::Scratch;

// rows: 9, 126
#[test]
fn workspaces_are_listed_by_name_and_what_is_none_is_named() {
    let scratch = Scratch::new();
    assert!(scratch.workspaces.list().unwrap().workspaces.is_empty());
    for name in ["zebra", "ant", "Mole"] {
        scratch.workspace(name);
    }
    let root = scratch.workspaces.root();
    fs::write(root.join("a-file"), "").unwrap();
    fs::create_dir(root.join("two words")).unwrap();
    fs::write(root.join(".gitignore"), "*\n").unwrap();
    let listing = scratch.workspaces.list().unwrap();
    let names: Vec<_> = listing.workspaces.iter().map(|workspace| workspace.name().as_str()).collect();
    assert_eq!(names, ["Mole", "ant", "zebra"]);
    let odd: Vec<_> = listing.odd.iter().map(|(name, error)| (name.as_str(), error.to_string())).collect();
    assert!(odd[0].0 == "a-file" && odd[0].1.contains("is not a folder"), "{odd:?}");
    assert!(odd[1].0 == "two words" && odd[1].1.contains("`two-words` would do"), "{odd:?}");
}

#[test]
fn one_that_is_not_there_is_told_with_the_nearest_name() {
    let scratch = Scratch::new();
    scratch.workspace("port-parser");
    let error = scratch.workspaces.find("port-prser").unwrap_err();
    assert_eq!(error.to_string(), "there is no workspace `port-prser`; did you mean `port-parser`?");
    let error = scratch.workspaces.find("other").unwrap_err();
    assert_eq!(error.to_string(), "there is no workspace `other`");
    assert!(matches!(scratch.workspaces.find("../other"), Err(WorkspaceError::Name(_))));
}

#[test]
fn a_link_that_leads_out_is_not_followed() {
    let scratch = Scratch::new();
    let inside = scratch.workspace("inside");
    let root = scratch.workspaces.root();
    symlink(&scratch.directory, root.join("out")).unwrap();
    symlink(root.join("nowhere"), root.join("dangling")).unwrap();
    symlink("inside", root.join("alias")).unwrap();
    let error = scratch.workspaces.find("out").unwrap_err();
    assert!(matches!(error, WorkspaceError::LeadsOutside { .. }), "{error}");
    assert!(matches!(scratch.workspaces.find("dangling"), Err(WorkspaceError::File(_))));
    assert_eq!(scratch.workspaces.find("alias").unwrap().folder(), inside.folder());
    assert_eq!(scratch.workspaces.list().unwrap().odd.len(), 2);
}

#[test]
fn the_project_is_the_nearest_folder_with_ours_or_a_repository() {
    let scratch = Scratch::new();
    let deep = scratch.directory.join("a/b");
    fs::create_dir_all(&deep).unwrap();
    assert_eq!(project_folder(&deep), scratch.directory);
    fs::create_dir(scratch.directory.join("a/.windlass")).unwrap();
    assert_eq!(project_folder(&deep), scratch.directory, "an empty one says nothing");
    fs::write(scratch.directory.join("a/.windlass/config.toml"), "").unwrap();
    assert_eq!(project_folder(&deep), scratch.directory.join("a"));
    assert_eq!(Workspaces::open(&deep).root(), scratch.directory.join("a/.windlass/workspaces"));
}
