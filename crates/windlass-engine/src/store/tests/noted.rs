//! Which runs have a note of what steers.

use std::fs;

use windlass_core::values::RunId;

use super::Fixture;
use crate::store::noted::{all, forget_without_notes, write};
use crate::store::run_folder::STEERING;
use crate::store::{RunFolder, StoreError};

fn folder(fixture: &Fixture, name: &str) -> RunFolder {
    let folder = RunFolder::of(&fixture.project, &RunId(name.to_owned()));
    fs::create_dir_all(folder.path()).unwrap();
    folder
}

#[expect(clippy::unnecessary_wraps, reason = "that is what is called")]
fn note(folder: &RunFolder) -> Result<(), StoreError> {
    fs::write(folder.path().join(STEERING), "{}").unwrap();
    Ok(())
}

fn names(fixture: &Fixture) -> Vec<String> {
    let mut names: Vec<String> = all(&fixture.project).unwrap().into_iter().map(|run| run.0).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_run_is_named_before_it_has_a_note_and_until_it_has_none() {
    let fixture = Fixture::new();
    let [one, _other] = ["r-one", "r-other"].map(|name| folder(&fixture, name));
    let named = || -> Result<(), StoreError> {
        assert_eq!(names(&fixture), ["r-one"]);
        note(&one)
    };
    write(one.path(), named).unwrap();
    forget_without_notes(&one);
    assert_eq!(names(&fixture), ["r-one"], "it has one");
    fs::remove_file(one.path().join(STEERING)).unwrap();
    forget_without_notes(&one);
    assert!(names(&fixture).is_empty());
}

#[test]
fn a_new_project_names_them_from_its_first_run_on_and_one_that_has_runs_does_not() {
    let fixture = Fixture::new();
    let one = folder(&fixture, "r-one");
    note(&one).unwrap();
    assert!(names(&fixture).is_empty(), "nobody has said so, and no other run is looked at");
    fs::remove_dir(fixture.project.path().join("noted")).unwrap();
    fixture.project.create().unwrap();
    assert_eq!(names(&fixture), ["r-one"]);
}

#[test]
fn whoever_looks_while_a_note_is_written_makes_nobody_forget_it() {
    let fixture = Fixture::new();
    let one = folder(&fixture, "r-one");
    let overtaken = || -> Result<(), StoreError> {
        forget_without_notes(&one);
        note(&one)
    };
    write(one.path(), overtaken).unwrap();
    assert_eq!(names(&fixture), ["r-one"]);
}

#[test]
fn where_no_folder_names_them_every_run_is_looked_at_and_none_is_lost_when_it_is_made() {
    let fixture = Fixture::new();
    // As an older version leaves it.
    fs::remove_dir(fixture.project.path().join("noted")).unwrap();
    let [old, _without, new] = ["r-old", "r-without", "r-new"].map(|name| folder(&fixture, name));
    note(&old).unwrap();
    assert_eq!(names(&fixture), ["r-old"]);
    write(new.path(), || note(&new)).unwrap();
    assert_eq!(names(&fixture), ["r-new", "r-old"]);
    fs::remove_dir_all(fixture.project.path().join("noted")).unwrap();
    assert_eq!(names(&fixture), ["r-new", "r-old"]);
    let left: Vec<_> =
        fs::read_dir(fixture.project.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["runs"], "nothing half made is left");
}

#[test]
fn the_folder_of_an_interactive_session_is_none_of_a_run() {
    let fixture = Fixture::new();
    let session = fixture.project.sessions().join("s-one");
    fs::create_dir_all(&session).unwrap();
    write(&session, || Ok::<_, StoreError>(())).unwrap();
    assert!(names(&fixture).is_empty());
}
